"""`wordpl solve`: sessions, typed in a terminal and piped, and one-shot calls."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator

import pexpect
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.conftest import Cli, Run, interrupt
from tests.helpers import SMALL
from wordpl.assistant.session import Assistant
from wordpl.cli.solve import Session
from wordpl.model.clues import clue

Piped = Callable[..., Run]


ORIGINAL = ("--words", "original")


@pytest.fixture
def piped(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Piped:
    """Runs `wordpl solve` with these lines on stdin."""

    def run(lines: list[str], *arguments: str) -> Run:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return cli("solve", *ORIGINAL, *arguments)

    return run


# The game


@pytest.mark.heavy
def test_the_list_is_the_newspapers_current_one_unless_clues_are_noisy(cli: Cli) -> None:
    def game(*arguments: str) -> tuple[str, str]:
        record = json.loads(cli("solve", *arguments, "--json", "-k", "1").out)
        return record["words"], record["rule"]

    assert game("crate=.ii..") == game() == game("crate=.ii..@inf") == ("nyt2023", "counted")
    assert game("crate=.ii..", "-e", "13") == game("crate=.ii..@13") == ("original", "letterwise")
    assert game("crate=.ii..@13", "--words", "nyt2022", "--rule", "counted") == ("nyt2022", "counted")


# In one shot


def test_the_best_guesses_and_the_answers_when_few(cli: Cli) -> None:
    run = cli("solve", *ORIGINAL, "crate=.ii..", "slink=ci...")
    assert (run.code, run.err) == (0, "")
    assert "One answer remains: solar." in run.out
    run = cli("solve", *ORIGINAL, "crate=i.i..", "--count", "3")
    assert "19 answers remain" in run.out
    assert "Remaining: bacon basic fancy" in run.out
    assert all(word in run.out for word in ("bits", "expected remaining", "chance"))
    assert len(re.findall(r"^│", run.out, re.MULTILINE)) == 3
    assert "Remaining" not in cli("solve", *ORIGINAL, "crate=..c..").out


def test_a_clue_may_be_an_argument_of_its_own(cli: Cli) -> None:
    together = cli("solve", *ORIGINAL, "crate=..c..", "slink=.i...").out
    assert cli("solve", *ORIGINAL, "crate", "..c..", "slink", ".i...").out == together
    assert cli("solve", *ORIGINAL, "CRATE ⬛⬛🟩⬛⬛", "slink=01000").out == together


def test_json(cli: Cli) -> None:
    record = json.loads(cli("solve", *ORIGINAL, "crate=i.i..", "--count", "2", "--json").out)
    assert record["clues"] == [{"guess": "crate", "clue": "i.i..", "epsilon": "inf", "known": True}]
    assert (record["remaining"], record["effective_remaining"], record["rule"]) == (19, 19.0, "counted")
    assert [answer["word"] for answer in record["answers"]][:2] == ["bacon", "basic"]
    assert sum(answer["chance"] for answer in record["answers"]) == pytest.approx(1.0)
    best = record["suggestions"][0]
    assert len(record["suggestions"]) == 2
    assert best.keys() >= {"word", "bits", "expected_remaining", "chance", "parts", "largest_part"}
    assert (record["only"], record["solved"], "contradiction" in record) == (None, None, False)


def test_json_without_clues_is_the_opening(cli: Cli) -> None:
    best = json.loads(cli("solve", *ORIGINAL, "--json").out)["suggestions"]
    assert [s["word"] for s in best[:3]] == ["soare", "roate", "raise"]
    assert best[0]["bits"] == pytest.approx(5.885960, abs=5e-7)
    assert len(best) == 10


def test_noisy_clues(cli: Cli) -> None:
    arguments = ["solve", *ORIGINAL, "crate=..c..", "sonic=i...c", "--epsilon", "13"]
    run = cli(*arguments)
    assert run.code == 0
    assert "Most probable: amass" in run.out
    assert "20.89 answers remain" in run.out
    record = json.loads(cli(*arguments, "--json").out)
    assert record["epsilon"] == 13.0
    assert record["remaining"] == 2315
    assert record["answers"][0]["chance"] == pytest.approx(0.081, abs=5e-4)
    mixed = json.loads(cli("solve", *ORIGINAL, "crate=..c..@13", "sonic=.....", "--json").out)
    assert [told["epsilon"] for told in mixed["clues"]] == [13.0, "inf"]


def test_a_game_of_fibble(cli: Cli) -> None:
    run = cli("solve", "--lies", "1", "crate=..i..", "sound=ic...", "--count", "2")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("106 answers remain, and 7 rows. Best next guesses:")
    assert "Most probable: abash aegis aisle" in run.out
    assert "and 96 more, each 0.943%" in run.out
    assert re.search(r"crate │ ..i.. │ +8% │ +10% │ +62% │ +10% │ +8% │", run.out)
    assert cli("solve", "--channel", "fibble:1", "crate=..i..", "sound=ic...", "--count", "2").out == run.out
    record = json.loads(cli("solve", "--lies", "1", "crate=..i..", "sound=ic...", "solar=ccccc", "--json").out)
    assert (record["words"], record["rule"], record["solved"]) == ("nyt2023", "counted", "solar")
    assert record["game"] == {
        "format": "wordle:9", "channel": "fibble", "rows_left": 0, "ranked_by": "information_gain", "win_chances": [],
        "false_marks": [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
    }  # fmt: skip


def test_the_last_rows_of_a_game_of_fibble(cli: Cli) -> None:
    rows = ["solve", *ORIGINAL, "--lies", "2", "crate=..c..", "slink=ii..."]
    shown = cli(*rows, "--format", "wordle:4").out
    assert re.search(r"chance ┃ +win ┃", shown)
    assert "and 1 row. Best" in cli(*rows, "--format", "wordle:3").out
    assert cli(*rows, "--format", "wordle:2").out.startswith("No row is left. Most probable: ")


def test_a_session_of_fibble(piped: Piped) -> None:
    lines = [
        "crate=..i..",
        "hard",
        "sound ic...",
        "brick=ccccc",
        "undo",
        "boggy=ccccc",
        "undo",
        "solar=ccccc",
        "list",
        "",
        "never read",
    ]
    run = piped(lines, "--lies", "1", "-k", "1")
    assert (run.code, run.err) == (0, "")
    assert "1 mark of each row is false; 9 rows." in run.out
    assert "hard mode goes by true clues" in run.out
    assert "Clue 3 (brick=ccccc) rules everything out" in run.out
    assert "Solved: solar, in 3 guesses" in run.out
    assert "or the next row if the game went on" in run.out
    assert "Most probable: solar 100%" in run.out
    assert "One answer remains: " not in run.out
    assert "never" not in run.out


def test_noisy_wordle(cli: Cli) -> None:
    record = json.loads(cli("solve", "--channel", "randomized_response:12", "crate=..i..", "--json", "-k", "1").out)
    assert (record["epsilon"], record["words"], record["game"]["format"]) == (12.0, "nyt2023", "wordle:6")
    assert 0 < record["game"]["false_marks"][0][2] < 1


def test_clues_that_contradict_each_other(cli: Cli) -> None:
    arguments = ["solve", *ORIGINAL, "crate=..c..", "sonic=i...c"]
    run = cli(*arguments)
    assert run.code == 1
    assert "clue 2 (sonic=i...c) rules everything out" in run.err
    assert "without clue 2 (sonic=i...c) 49 answers fit" in run.err
    assert run.err.count("\n") == 1
    assert "amass" in run.out
    run = cli(*arguments, "--json")
    record = json.loads(run.out)
    assert (run.code, run.err) == (1, "")
    assert record["contradiction"]["clue"] == 2
    assert record["contradiction"]["mends"] == [{"clue": 2, "remaining": 49}]
    assert record["closest"][0] == {"word": "amass", "contradicted_marks": 1, "answer": True}
    assert (record["remaining"], record["suggestions"]) == (0, [])


def test_an_earlier_clue_that_mends_it_is_named(cli: Cli) -> None:
    run = cli("solve", *ORIGINAL, "crate=ccccc", "sonic=.....", "trend=.....")
    assert "clue 2 (sonic=.....) rules everything out" in run.err
    assert "If a single clue is wrong: without clue 1 (crate=ccccc)" in run.err
    assert run.err.count("without") == 1


def test_words_of_the_larger_list_are_offered(cli: Cli) -> None:
    record = json.loads(cli("solve", *ORIGINAL, "sonic=i...c", "--json").out)
    assert record["closest"][0] == {"word": "cusec", "contradicted_marks": 0, "answer": False}
    assert "no, but among the guesses" in cli("solve", *ORIGINAL, "sonic=i...c").out


def test_clues_that_nothing_comes_near(cli: Cli) -> None:
    run = cli("solve", *ORIGINAL, "crate=ccccc", "sonic=ccccc", "blimp=ccccc")
    assert run.code == 1
    assert "More than one clue is wrong" in run.err
    assert "Closest words" in run.out


def test_the_end_of_a_game(cli: Cli) -> None:
    run = cli("solve", *ORIGINAL, "crate=.ii..", "solar=ccccc")
    assert (run.code, run.out) == (0, "Solved: solar, in 2 guesses. Well done.\n")
    run = cli("solve", *ORIGINAL, "zzzzz!=ggggg")
    assert run.code == 0
    assert "in 1 guess" in run.out
    assert "not among the answers" in run.out
    assert json.loads(cli("solve", *ORIGINAL, "solar=ccccc", "--json").out)["solved"] == "solar"


def test_an_unknown_guess_is_taken_if_it_is_meant(cli: Cli) -> None:
    run = cli("solve", *ORIGINAL, "zzzzz!=.....", "crate=i.i..", "--json")
    assert (run.code, run.err) == (0, "")
    record = json.loads(run.out)
    assert [told["known"] for told in record["clues"]] == [False, True]
    assert record["remaining"] == 19


def test_hard_mode_keeps_what_is_shown(cli: Cli) -> None:
    record = json.loads(cli("solve", *ORIGINAL, "crate=i.i..", "--hard", "--json").out)
    assert record["hard"]
    assert all({"c", "a"} <= set(s["word"]) for s in record["suggestions"])
    assert "in hard mode" in cli("solve", *ORIGINAL, "crate=i.i..", "--hard").out
    run = cli("solve", *ORIGINAL, "qqqqq!=iiiii", "--hard", "--epsilon", "5", "--rule", "counted")
    assert "Hard mode allows no word" in run.out


def test_other_lists_rules_and_criteria(cli: Cli, tmp_path) -> None:
    (tmp_path / "six.txt").write_text("orange\nbanana\ncherry\npapaya\nquince\ndamson\n")
    record = json.loads(cli("solve", "banana=.c.i.i", "--answers", "six.txt", "--json", "--rule", "letterwise").out)
    assert record["words"] == "six"
    assert json.loads(cli("solve", "--words", "nyt2022", "--json").out)["words"] == "nyt2022"
    best = json.loads(cli("solve", *ORIGINAL, "crate=..c..", "-c", "largest_part", "--json").out)["suggestions"]
    assert [s["largest_part"] for s in best] == sorted(s["largest_part"] for s in best)
    assert "largest part" in cli("solve", *ORIGINAL, "crate=..c..", "-c", "largest_part").out


MISTAKES = [
    (["crate"], "not a guess with its clue"),
    (["crate=..c."], "4 marks"),
    (["crate=..c..", "sonic=..q.."], "'q'"),
    (["cr4te=..c.."], "not letters"),
    (["crtae=..c.."], "did you mean 'crate'?"),
    (["crate=.1c.."], "mixes notations"),
    (["crate=..c..@"], "no number after @"),
    (["cat=.c."], "3 letters"),
    (["crate=..c..@much"], "much"),
    (["crate=..c..", "--epsilon", "0"], "above 0"),
    (["crate=..c..", "--criterion", "entropy"], "clue_entropy"),
    (["crate=..c..", "--rule", "count"], "'counted'"),
    (["crate=..c..", "--words", "orignal"], "'original'"),
    (["crate=..c..", "--count", "0"], "--count"),
]


@pytest.mark.parametrize(("arguments", "named"), MISTAKES, ids=[" ".join(a) for a, _ in MISTAKES])
def test_a_mistake_is_one_line_and_exit_code_2(cli: Cli, arguments: list[str], named: str) -> None:
    run = cli("solve", *ORIGINAL, *arguments)
    assert (run.code, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert named in run.err


# Sessions


def test_a_piped_session_reads_line_by_line(piped: Piped) -> None:
    run = piped(["crate .ii..", "slink ci...", "solar ccccc", "", "never read"])
    assert (run.code, run.err) == (0, "")
    for told in ("soare", "61 answers remain", "One answer remains: solar.", "Solved: solar, in 3 guesses"):
        assert told in run.out
    assert "never read" not in run.out


def test_nothing_typed_is_still_a_first_suggestion(piped: Piped) -> None:
    run = piped([])
    assert run.code == 0
    assert "soare" in run.out
    assert "2315 answers remain" in run.out
    assert "Most probable" not in piped([], "--epsilon", "13").out


def test_the_commands(piped: Piped) -> None:
    run = piped(["crate i.i..", "list", "why macon", "hard", "undo", "undo", "help", "quit", "list"])
    assert "Took back crate=i.i..." in run.out
    assert "Hard mode is on." in run.out
    assert "bacon basic fancy" in run.out
    assert "macon: 3.5369 bits" in run.out
    assert "there is no clue to take back" in run.out
    assert "undo [N]" in run.out
    assert run.code == 0


def test_a_contradiction_in_a_session_is_told_and_mended(piped: Piped) -> None:
    run = piped(["crate ..c..", "sonic i...c", "list", "why crate", "undo 2", "quit"])
    assert run.code == 0
    told = run.out.index("Clue 2 (sonic=i...c) rules everything out")
    assert told < run.out.index("amass") < run.out.index("Took back sonic=i...c.")
    assert run.out.count("49 answers remain") == 2
    assert "No answer fits the clues." in run.out


def test_undo_after_all_green(piped: Piped) -> None:
    run = piped(["crate .ii..", "solar ccccc", "slink ci...", "undo", "slink ci...", "list", "quit"])
    assert run.code == 0
    assert run.out.index("Solved: solar") < run.out.index("Took back solar=ccccc.")
    assert run.out.count("Type undo or new; an empty line ends.") == 2  # slink after the end is not taken
    assert run.out.count("One answer remains: solar.") == 1
    assert run.out.count("61 answers remain") == 2


def test_a_new_game(piped: Piped) -> None:
    run = piped(["crate .ii..", "solar ccccc", "new", "undo", "quit"])
    assert "A new game." in run.out
    assert run.out.count("2315 answers remain") == 2
    assert "there is no clue to take back" in run.out


def test_a_session_that_is_no_terminal_is_plain(piped: Piped) -> None:
    assert "\x1b" not in piped(["crate .ii..", "help", "why slink", "list"]).out


def test_an_unknown_guess_in_a_session(piped: Piped) -> None:
    run = piped(["crtae ....."])
    assert "did you mean 'crate'? write crtae! if the host takes it" in run.out
    assert "1 answers remain" not in run.out
    run = piped(["zzzzz! .....", "why zzzzz!", "why zzzzz"])
    assert "It is not in original." in run.out
    assert "write zzzzz!" in run.out


def test_a_noisy_session(piped: Piped) -> None:
    run = piped(["crate ..c..", "sonic i...c", "list", "why flash"], "--epsilon", "13")
    assert "Effectively 164.5 answers remain" in run.out
    assert "Most probable: amass 8.1%" in run.out
    assert run.code == 0


def test_input_that_is_no_text(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"crate \xff\xfe\n"), encoding="utf-8"))
    run = cli("solve")
    assert run.code == 0
    assert "Traceback" not in run.out + run.err


@contextlib.contextmanager
def shown() -> Iterator[io.StringIO]:
    """What is printed, on either stream."""
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
        yield screen


ANSWER = SMALL.answers[5]
LINE = (
    st.text(max_size=20)
    | st.sampled_from(["undo", "undo 1", "undo 99999999999", "undo ²", "hard", "list", "help", "why", "why crate", ""])
    | st.builds(lambda guess: f"{guess} {clue(guess, ANSWER, 'counted')}", st.sampled_from(SMALL.guesses))
    | st.from_regex(r"(crate|salet|zzzzz!?|CRATE)[ =][.ic]{4,5}(@[0-9einf.]{1,4})?", fullmatch=True)
    | st.builds(lambda word: f"why {word}", st.text("abcdefg", min_size=4, max_size=6))
)


@given(st.lists(LINE, min_size=1, max_size=5), st.sampled_from([6.0, math.inf]), st.booleans())
@example(["crate ccccc", "salet ccccc", "hard", "list", "why crate", "undo"], math.inf, True)
@example(["\ud800", "why \ud800", "crate \x00"], math.inf, False)
def test_whatever_is_typed_gets_an_answer(lines: list[str], epsilon: float, hard: bool) -> None:
    with shown():
        session = Session(Assistant(SMALL, epsilon=epsilon, hard=hard), 3)
    for line in lines:
        with shown() as screen:
            session.reply(line.strip())
        assert screen.getvalue().strip()


# In a real terminal


def terminal(*arguments: str, **environment: str) -> pexpect.spawn:
    child = pexpect.spawn(
        sys.executable,
        ["-c", "from wordpl.cli import main; main()", "solve", *ORIGINAL, *arguments],
        encoding="utf-8",
        timeout=60,
        dimensions=(50, 60),
        env={**os.environ, "TERM": "xterm-256color"} | environment,
    )
    child.expect_exact(PROMPT)
    return child


PROMPT = "\x1b[0m>"
COLOUR = re.compile("\x1b\\[1;[0-9;]*m C ")


@pytest.mark.heavy
def test_a_whole_game_in_a_terminal() -> None:
    child = terminal()
    assert "soare" in child.before
    child.send("crate .ii..\r")
    child.expect("61 answers remain")
    assert COLOUR.search(child.before)
    child.expect_exact(PROMPT)
    child.send("oops\r")
    child.expect("not a guess with its clue")
    child.expect_exact(PROMPT)
    child.send("slonk ci...\x1b[D" + "\x1b[D" * 7 + "\x7fi\r")  # the line is edited: slonk becomes slink
    child.expect("One answer remains: solar")
    child.expect_exact(PROMPT)
    child.send("solar 🟩🟩🟩🟩🟩\r")
    child.expect("Solved: solar, in 3 guesses")
    child.expect_exact(PROMPT)
    child.send("undo\r")
    child.expect("One answer remains: solar")
    child.expect_exact(PROMPT)
    child.send("\x1b[A\x1b[A\r")  # two lines before
    child.expect("Solved: solar, in 3 guesses")
    child.expect_exact(PROMPT)
    child.send("\r")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.mark.heavy
def test_a_noisy_game_in_a_terminal_is_left_by_the_end_of_input() -> None:
    child = terminal("--epsilon", "13", "--count", "3", NO_COLOR="1")
    child.send("crate ..c..\r")
    child.expect("164.5 answers remain")
    assert not re.search("\x1b\\[[0-9;]*[34][0-7]m", child.before)
    child.expect_exact(PROMPT)
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert "Traceback" not in child.before
    assert child.exitstatus == 0


@pytest.mark.heavy
def test_a_terminal_session_can_be_interrupted() -> None:
    child = terminal()
    interrupt(child)


@pytest.mark.parametrize("epsilon", ["13", "inf"])
def test_the_first_screen_needs_no_compiled_code(epsilon: str) -> None:
    code = (
        f"import sys; sys.argv = ['wordpl', 'solve', 'crate=..c..', '--epsilon', '{epsilon}']\n"
        "from wordpl.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numba', 'pandas', 'matplotlib', 'scipy.stats') if m in sys.modules])"
    )
    child = pexpect.spawn(sys.executable, ["-c", code], encoding="utf-8", timeout=60)
    child.expect(pexpect.EOF)
    assert child.before.strip().endswith("[]")
