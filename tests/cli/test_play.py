"""`wordpl play`, by what is typed and what is shown."""

import json
import math
import re
from datetime import date

import pytest

from tests.support.helpers import FEW, list_of
from wordpl import Clue, Fibble, GameFormat, Posterior, Referee, Setting, clue, load_words
from wordpl.cli.terminal import fitting
from wordpl.play.seeds import Seeds
from wordpl.scoring import when_to_propose
from wordpl.web.games import Move, NewGame, SealedGames
from wordpl.wordle.reading import usual_words
from wordpl.wordle.rules import seed_of_the_day


@pytest.fixture
def play(typed):
    return lambda lines, *arguments: typed("".join(f"{line}\n" for line in lines), "play", *arguments)


ANSWER = load_words().answers[Seeds(5).answer(0, 2315)]
THIRD = load_words().answers[Seeds(5).answer(3, 2315)]
WORDLE = load_words("nyt2023")
TODAY = WORDLE.answers[Seeds(5).answer(0, len(WORDLE.answers))]
WRONG = "slink|bumph|dodgy|wryly|fizzy"
ORDINARY = "--seed 5 --epsilon inf"
MISTAKES = {
    "qqqqq": "'qqqqq' is not in the word list",
    "crate x": "epsilon 'x' is not",
    "crate -3": "-3.0 is not allowed; a number above 0 up to 1,000,000",
    "=zzzzz": "'zzzzz' is not",
}
PLAYED: list[tuple[str, str, list[str]]] = [
    *((f"crate|{ask}|={ANSWER}", "--seed 5", ["score is 20.5."]) for ask in ("salet 7.5", "SALET @7.5", "salet@7.5")),
    (f"={THIRD}", "--seed 5 --trial 3", ["Right. Your score is 0.", "right with a budget of 0, 0 asks"]),
    (
        f"crate|={THIRD}",
        "--seed 5",
        ["A clue costs its epsilon", f"Wrong: the answer was {ANSWER}. Your score is infinite.", "not found, 1 ask"],
    ),
    (f"{'|'.join(MISTAKES)}||help|?|={ANSWER.upper()}", "--seed 5", [*MISTAKES.values(), "Right. Your score is 0."]),
    (
        "help|crate|=slate|crane @0|=zzzzz|haste 5",
        "--seed 3 --answer haste --game unlimited",
        [*["spent 13\n"] * 3, "zzzzz", "score is 18.\n", "4 guesses (unlim"],
    ),
    ("slink|=crane", "--answer CRANE", ["Right. Your score is 13."]),
    (f"slink|={TODAY}", f"{ORDINARY} --game contest", ["number of your turns", "Right, in 2 turns.", "right, 1 ask\n"]),
    (f"crtae|crate 13||crate|{TODAY}", ORDINARY, ["did you mean 'crate'?", "not letters", "Right, in 2 of 6 turns."]),
    ("crate|slink", "--epsilon inf --answer solar --hard", ["hard mode: the guess must contain R"]),
    (
        "crate|carol|solar",
        "--epsilon inf --answer solar --extra-hard",
        ["hard mode: the guess must not contain C", "Right, in 2 of 6 turns.", "2/6*\n"],
    ),
    (f"{WRONG}|gawky|never", ORDINARY, [f"\nThe answer was {TODAY}.\n\nWordle nyt2023 X/6\n\n"]),
    (
        f"crate|?|{TODAY}",
        "--seed 5 --channel randomized_response:12",
        ["Wordle at epsilon 12: ", "at epsilon 12, each with probability 15.4%.", "Right, in 2", " @12\n", " @12\n"],
    ),
    ("slink", "--seed 5 --game wordle:1 --channel fibble:1", [" S  L  I  N  K ", " S  L  I  N  K ", "fibble X/1"]),
    ("might|" * 8 + "light", "--lies 1 --game wordle:9 --answer light --seed 0", ["It is not might: this row lies.\n"]),
    ("quit", "--adversarial --answers two.txt", ["It could have been crate or 1 other."]),
]
"""What is typed, the options, and what is said, in this order."""


@pytest.mark.parametrize(("lines", "options", "said"), PLAYED, ids=[f"{lines} {more}" for lines, more, _ in PLAYED])
def test_what_is_said_of_what_is_typed(play, tmp_path, lines, options, said):
    (tmp_path / "two.txt").write_text("crate\nhaste\n")
    run = play(lines.split("|"), *options.split())
    assert (run.code, run.err, "never" in run.out) == (0, "", False)
    left = run.out
    for text in said:
        _, found, left = left.partition(text)
        assert found, text


@pytest.mark.parametrize(
    ("lines", "same"),
    [
        ("crate|=slate|crane @0|haste 5", "--game unlimited"),
        ("crate 1e-7|=haste", "--game unlimited --channel ball:1"),
        ("crate|slate|haste", "--lies 2 --game wordle:7"),
        ("eerie|haste", "--epsilon inf --rule letterwise --words original"),
    ],
)
def test_analyze_reads_a_played_game_back(play, typed, lines, same):
    """Its share text is enough: it says what was played, and the same options beside it change nothing."""
    run = play(lines.split("|"), "--seed", "3", "--answer", "haste", *same.split())
    shared = "\n\n".join(run.out.rstrip().split("\n\n")[-2:]).splitlines()
    text = "\n".join(shared[next(k for k, line in enumerate(shared) if re.match("WORDPL|Wordle.*/|Fibble.*/", line)) :])
    guesses = re.findall("[a-z]{5}", lines)
    found = [typed(text, "analyze", *guesses, *more.split(), "--json").out for more in ("", same)]
    assert found[0] == found[1]
    analysis = json.loads(found[0])
    assert analysis["solved"]
    assert [turn["guess"] for turn in analysis["turns"]] == guesses
    rows = [f"{turn['guess']}={turn['clue']}@{turn['epsilon']}" for turn in analysis["turns"]]
    if "unlimited" in same:
        assert json.loads(typed("", "solve", *rows, *same.split(), "--json").out)["solved"] == "haste"


def test_ten_of_the_answers_that_fit_are_shown():
    for n, said in ((1, "1 answer fits: abbey"), (10, f"10 answers fit: {'  '.join(FEW.answers[:10])}")):
        assert fitting(Posterior(list_of("some", FEW.answers[:n]))) == said
    assert fitting(Posterior(FEW)) == f"12 answers fit: {'  '.join(FEW.answers[:10])}  …"
    noisy = Posterior(FEW).update("crate", 9.0, "..icc")
    chances = sorted(zip(noisy.probabilities, FEW.answers, strict=True), key=lambda pair: -pair[0])
    assert fitting(noisy) == "  ".join(f"{word} {chance:.4f}" for chance, word in chances[:10])


def test_at_infinity_it_is_ordinary_wordle(play):
    run = play(["crate", TODAY], *ORDINARY.split())
    assert not re.search("score|infinite|spent|epsilon|lies", run.out)
    guess = next(w for w in WORDLE.guesses if clue(w, TODAY, "counted") != clue(w, TODAY, "letterwise"))
    assert str(clue(guess, TODAY, "counted")) in play([guess], *ORDINARY.split()).out
    assert str(clue(guess, TODAY, "letterwise")) in play([guess], *ORDINARY.split(), "--rule", "letterwise").out


def test_a_game_of_fibble_is_that_of_the_referee(play):
    """Nine turns, the first guess given, the same truth as the referee's, and what to share."""
    options = ["--seed", "5", "--lies", "2", "--words", "nyt2023"]
    run = play(["?", "help", "slink", f"={TODAY.upper()}", "never read"], *options)
    assert (run.code, run.err) == (0, "")
    shown, told = run.out.split("Right, in 3 of 9 turns.")[0], run.out.split("The true clues:\n")[1].splitlines()
    for line in told[:2]:
        true, said, *false = re.fullmatch(r".* ([.ic]{5})  shown ([.ic]{5}), false: (\d) (\d)", line).groups()
        guess = "".join(re.findall(r" ([A-Z]) ", line)).lower()
        assert str(clue(guess, TODAY, "counted")) == true
        assert [str(k + 1) for k in range(5) if true[k] != said[k]] == false
        assert f"  {said}\n" in shown
    assert told[4] == "Fibble, 2 lies, nyt2023 3/9" and told[-1] == "🟩" * 5


def test_a_first_guess_is_drawn_by_the_referee_named_or_the_player_s(play):
    options = ["--seed", "5", "--lies", "1"]
    for same in ([*options, "--game", "wordle:9:fibble"], [*options[:2], "--channel", "fibble:1"]):
        assert play([], *options).out == play([], *same).out
    setting = Setting(load_words("fibble"), "counted", Fibble, format=GameFormat(9, "fibble"))
    first = Referee(setting, 5).open(0).rules.setting.format.first_guess
    assert "".join(f" {letter} " for letter in first.upper()) in play([], *options).out


def test_a_game_explains_itself_and_shows_what_was_true(play):
    run = play(["help", "crate 9", "slink", "=aback"], "--seed", "5")
    asked = " ".join(play(["?", "crate 9", "?"], "--seed", "5").out.split())
    (marks,) = re.findall(r" ([.ic]{5}) spent", asked)
    advice = when_to_propose(Posterior(load_words("original")).update("crate", 9, marks)).text
    assert asked.count(" raises ") == asked.count(advice) == 1
    for game in ("--game unlimited", "--game contest --epsilon inf"):
        assert not re.search("raises|when to", play(["crate", "?"], "--seed", "5", *game.split()).out)
    _, noise, *rest = run.out.splitlines()
    keep = math.exp(13 / 5) / (2 + math.exp(13 / 5))
    assert f"at epsilon 13, each with probability {100 * (1 - keep):.3g}%." in noise
    true = rest[rest.index("The true clues:") + 1 :][:2]
    assert [line[16:].split()[0] for line in true] == [clue(guess, ANSWER) for guess in ("crate", "slink")]
    shown = [Clue.parse(marks).show("emoji") for marks in re.findall(r"  ([.ic]{5})  spent", run.out)]
    assert rest[-4:] == ["WORDPL original, letterwise: not found, 2 asks", "", f"{shown[0]} @9", f"{shown[1]} @13"]
    noise = play([], "--channel", "whole_clue", "--epsilon", "6").out.splitlines()[1]
    assert f"at epsilon 6, in a clue some are with probability {100 * 242 / (242 + math.exp(6)):.3g}%." in noise


def test_the_daily_game_is_that_of_the_page(play, cli, monkeypatch):
    for module in ("wordle.rules", "web.games"):
        monkeypatch.setattr(f"wordpl.{module}.today", lambda: date(2026, 11, 22))
    games = SealedGames(bytes(32), load_words)
    words = load_words(usual_words(noisy=False))
    referee = Referee(Setting(words, "counted"), seed_of_the_day(words))
    answer = referee.open(date(2026, 11, 22).toordinal()).game.answer
    result = games.play(games.start(NewGame(kind="daily")).id, (Move(word="crate"), Move(word=answer))).result()
    run = play(["crate", answer], "--daily")
    left = play(["crate", "quit"], "--daily").out  # who leaves can come back today
    assert "shown only when the game is over" in left and answer not in left
    assert run.out.endswith(f"Right, in 2 of 6 turns.\n\n{result.share}\n")
    assert play(["crate", answer], "--date", "2026-11-22").out == run.out
    before = play(["crate"] * 6, "--date", "2026-11-21").out
    assert f"The answer was {referee.open(date(2026, 11, 21).toordinal()).game.answer}." in before
