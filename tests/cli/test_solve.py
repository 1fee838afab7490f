"""`wordpl solve`: sessions, typed in a terminal and piped, and one-shot calls."""

import json
import re
from collections import Counter

import pytest

from tests.cli.conftest import interrupt, refused
from tests.support import oracles
from tests.support.forked import Forked
from wordpl import GameFormat, Setting, channel_family, clue, load_words
from wordpl.wordle.reading import read_turns
from wordpl.wordle.session import Assistant

ORIGINAL = ("--words", "original")


@pytest.fixture
def piped(typed):
    """Runs `wordpl solve` with these lines on stdin."""
    return lambda lines, *arguments: typed("".join(f"{line}\n" for line in lines), "solve", *ORIGINAL, *arguments)


# In one shot


LAST = "light=.cccc might=.cccc fight=.cccc sight=.cccc zzzzz!=....."
GAMES = [
    ("crate=..c.. -k 3 --extra-hard --words original", "original counted wordle:6", {"hard": "extra"}),
    ("crate=..c.. sonic=i...c -k 5 --epsilon 13", "original letterwise contest", {"epsilon": 13.0}),
    ("crate=..i.. sound=ic... lapse=ccccc -k 2 --lies 1", "fibble counted wordle:9 fibble:1", {}),
    (f"{LAST} -k 10", "nyt2023 counted wordle:6", {}),
]
"""What is typed, the setting that it means, and the options of the assistant."""


@pytest.mark.parametrize(("typed", "meant", "options"), GAMES)
def test_as_json_it_is_the_record_of_the_assistant(cli, typed, meant, options):
    words, rule, game, *channel = meant.split()
    family = channel_family(*channel or ["randomized_response"])
    assistant = Assistant(Setting(load_words(words), rule, family, format=GameFormat.parse(game)), **options)
    clues, _, rest = typed.partition(" -k ")
    assistant.take(read_turns(clues.split(), assistant.words, assistant.epsilon))
    expected = assistant.record(int(rest.split()[0]), *[None] * ("--list" in rest))
    assert json.loads(cli("solve", *typed.split(), "--json").out) == json.loads(json.dumps(expected))


LIES = "--lies 2 crate=..c.. slink=ii... --words original"
SCREENS: dict[str, list[str]] = {
    "crate=i.i.. -k 3 --words original": [
        "19 answers remain",
        "answer: manic, 3.5111 bits, chance 5.26%.",
        "bacon basic",
    ],
    "crate=..c.. sonic=i...c --epsilon 13": ["Effectively 20.89 answers remain. Best next guesses at epsilon 13:"],
    "crate=..icc --epsilon 0.6 -k 1": ["│ 0.00"],  # bits, with an exponent only below 0.001
    "crate=.ii.. solar=ccccc": ["Solved: solar, in 2 guesses. Well done."],
    "--lies 1 crate=..i.. sound=ic... -k 2": [
        *("42 answers remain, and 7 rows. Best next guesses:", "Most probable: aisle atlas basic"),
        *("and 32 more, each 2.38%", "crate │ ..i.. │ 14% │ 17% │ 38% │ 17% │ 14% │"),
    ],
    "--lies 1 fuzzy=..c.. -k 1 --words nyt2023": ["fuzzy │ ..c.. │ 1% │ 1% │ 99% │ 1% │ 0 │"],  # 0 and 100% are certain
    f"{LIES} --game wordle:4": ["chance ┃ win ┃"],
    f"{LIES} --game wordle:5": ["chance ┃ ┡"],
    f"{LIES} --game wordle:2": ["No row is left. Most probable: "],
    "crate=..c.. sonic=i...c --words original": [
        *("Clue 2 (sonic=i...c) rules everything out", "without clue 2 (sonic=i...c) 49 answers fit", "amass")
    ],
}
"""What is given, and what is shown; a contradiction ends with exit code 1."""


@pytest.mark.parametrize(("given", "shown"), SCREENS.items())
def test_what_is_shown_in_one_shot(cli, given, shown):
    run = cli("solve", *given.split())
    assert run.code == ("rules everything out" in run.out or "impossible" in run.out) and not run.err
    told = " ".join(run.out.split())
    assert [text for text in shown if text not in told] == []


def test_answers_are_listed_if_few_and_noise_makes_no_clue_impossible(cli):
    assert "Remaining" not in cli("solve", *ORIGINAL, "crate=..c..").out
    shown = cli("solve", *ORIGINAL, "crate=..c..", "--list").out
    assert len(re.search("Remaining: (.*)", shown)[1].split()) == int(shown.split()[0]) > 20
    assert "impossible" not in cli("solve", "--channel", "randomized_response:9", "crate=ggggy").out
    assert "is impossible: E is marked" in refused(cli, "analyze", "crate=ggggy")


def test_why_counts_the_words_and_parts_that_it_leaves_out(piped):
    parts = Counter(str(clue("crate", word, "counted")) for word in load_words("original").answers)
    shown, n, sizes = piped(["why crate"]).out, parts.total(), parts.values()
    told(
        " ".join(shown.split()),
        f"crate: {oracles.entropy(size / n for size in sizes):.4f} bits,",
        f"{sum(size**2 for size in sizes) / n:.4g} answers expected to remain,",
        f"chance of being the answer {100 / n:.3g}%,",
        f"{len(parts)} parts, the largest of {max(sizes)}.",
    )
    assert f" and {max(parts.values()) - 8} more │" in " ".join(shown.split())
    assert f"and {len(parts) - 20} smaller parts\n" in shown


def test_letters_that_are_known_without_guesses(cli):
    (has,) = re.findall(r"r:-?\d", cli("solve", "--help").out)  # for an r that is not in place 4
    letters = ["--known", "..a.e", "--has", has, "--not", "stn"]
    words = load_words("nyt2023")
    fit = [w for w in words.answers if w[2] == "a" and w[4] == "e" and "r" in w[:3] and not set(w) & set("stn")]
    record = json.loads(cli("solve", *letters, "--list", "--json").out)
    assert sorted(answer["word"] for answer in record["answers"]) == fit and record["remaining"] == len(fit) == 13
    shown = cli("solve", *letters)
    assert (shown.code, shown.err) == (0, "") and f"Remaining: {' '.join(fit)}\n" in shown.out
    run = cli("solve", *letters, "crate=.....")
    assert "Words that are only among the guesses may have other letters." in run.out
    assert run.code == 1 and "no answer of nyt2023 (..a.e, with r:-4, without stn) fits it" in " ".join(run.out.split())


def told(out: str, *texts: str) -> None:
    """Hold that these texts are shown, in this order."""
    for text in texts:
        _, found, out = out.partition(text)
        assert found, text


SESSIONS: dict[str, list[str]] = {
    "crate ..i..|hard|sound ic...|brick=ccccc|undo|boggy=ccccc|undo|solar=ccccc|list||never --lies 1 -k 1": [
        *("1 mark of each row is false; 9 rows.\nType a guess", "hard mode needs true clues"),
        *("Clue 3 (brick=ccccc) rules every", "Solved: solar, in 3 guesses"),
        "Type undo or new, or the next row if the game went on; an empty line ends.\n",
    ],
    "undo x|why|hard|hard|crate .ii..|undo 2|why zzzzz!|why slink|hard|why truck|solar ccccc|slink .....|list||never": [
        *("One of 2315 words of 5 letters (original, counted).\n6 rows.\n", "undo takes the number of a clue"),
        *("'why' is not a guess", "Hard mode is on.", "in hard mode:", "Hard mode is off.", "61 answers remain"),
        *("there is no clue 2; the game has 1 clue\n", "It is not in original.", "slink: ", "Hard mode is on."),
        *("Hard mode does not allow it.", "in 2 guesses. Well done.\nType undo or new; an empty line ends.\n"),
        "guess 2 (solar) is the answer, so the game ended there; drop the rest\nsolar\n",
    ],
    "crate i.i..|list|undo|undo|crate ..c..|sonic i...c|list|?|why crate|undo 2|new|undo": [
        *("bacon basic fancy", "bacon basic fancy", "Took back `crate=i.i..`.", "there is no clue to take back"),
        *("49 answers remain", "Clue 2 (sonic=i...c) rules every", "amass", *["No answer fits the clues."] * 2),
        *("take a clue back", "Took back `sonic=i...c`.", "49 answers remain", "A new game.", "2315 answers remain"),
    ],
    "zzzzz! .....|why zzzzz|undo|zzzzz! ccccc": [
        *("write zzzzz!", "Solved: zzzzz, in 1 guess. Well done.\nIt is not among the answers of original.\n"),
    ],
    "crate .i...|hard|hard|why curly|quit|never --extra-hard": [
        *("Extra hard mode is off.", "Extra hard mode is on.", "Hard mode does not allow it."),
    ],
    "crate ..c..|sonic i...c": ["Clue 2 (sonic=i...c) rules every"],  # it is no error to leave then
}
"""The lines and the options, and what is said, in this order."""


@pytest.mark.parametrize(("line", "said"), SESSIONS.items())
def test_what_is_said_in_a_session(piped, line, said):
    lines, *options = line.split(" -")
    run = piped(lines.split("|"), *" ".join(f"-{option}" for option in options).split())
    assert (run.code, run.err, "never" in run.out) == (0, "", False)
    told(run.out, *said)
    for text in ("It is not in original.", "Hard mode does not allow it."):
        assert run.out.count(text) == said.count(text)


# In a real terminal


PROMPT = "> "


@pytest.mark.heavy
def test_a_whole_game_in_a_terminal():
    command = Forked("solve", *ORIGINAL, env={"TERM": "xterm-256color"}, terminal=True)
    child = command.screen
    child.expect_exact(PROMPT)
    assert "soare" in child.before
    child.send("crate .ii..\r")
    child.expect("61 answers remain")
    assert re.search("\x1b\\[1;[0-9;]*m C ", child.before)  # colours
    child.expect_exact(PROMPT)
    child.send("slonk ci...\x1b[D" + "\x1b[D" * 7 + "\x7fi\r")  # the line is edited: slonk becomes slink
    child.expect("One answer remains: solar")
    child.expect_exact(PROMPT)
    child.send("solar 🟩🟩🟩🟩🟩\r")
    child.expect("Solved: solar, in 3 guesses")
    child.expect_exact(PROMPT)
    interrupt(command)
    assert "\nwordpl: stopped" in child.before
