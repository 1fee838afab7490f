"""`wordpl solve`: sessions, typed in a terminal and piped, and one-shot calls."""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.conftest import Cli, refused
from tests.support.forked import Forked
from tests.support.helpers import SMALL
from wordpl.cli.solve import Session
from wordpl.model.clues import clue
from wordpl.play.setting import Setting
from wordpl.wordle.session import Assistant

ORIGINAL = ("--words", "original")


@pytest.fixture
def piped(typed: Cli) -> Cli:
    """Runs `wordpl solve` with these lines on stdin."""
    return lambda lines, *arguments: typed("".join(f"{line}\n" for line in lines), "solve", *ORIGINAL, *arguments)


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


def test_the_best_possible_answer_stands_beside_the_best_guess(cli: Cli) -> None:
    assert "Best possible answer: slain, 4.3524 bits, chance 1.64%." in cli("solve", "crate=..c..", "-k", "1").out
    noisy = json.loads(cli("solve", "crate=..icc@12.3", "--json", "-k", "1").out)
    assert noisy["best_answer"] == noisy["suggestions"][0]  # which can be the answer
    hard = json.loads(cli("solve", "crate=..c..", "--hard", "--json", "-k", "9999").out)
    assert hard["hard"] and hard["best_answer"] == next(figures for figures in hard["suggestions"] if figures["chance"])
    assert json.loads(cli("solve", "solar=ccccc", "--json").out)["best_answer"] is None


def test_all_answers_are_listed_where_that_is_asked_for(cli: Cli) -> None:
    shown = cli("solve", *ORIGINAL, "crate=..c..", "--list").out
    assert len(re.search("Remaining: (.*)", shown)[1].split()) == int(shown.split()[0]) > 20
    noisy = cli("solve", "crate=..icc@12.3", "--list").out
    assert len(re.search("Most probable: (.*)", noisy)[1].split("  ")) == 2315
    assert len(json.loads(cli("solve", "crate=..icc@12.3", "--list", "--json").out)["answers"]) == 2315


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
    shown = cli(*rows, "--game", "wordle:4").out
    assert re.search(r"chance ┃ +win ┃", shown)
    assert "and 1 row. Best" in cli(*rows, "--game", "wordle:3").out
    assert cli(*rows, "--game", "wordle:2").out.startswith("No row is left. Most probable: ")


def test_a_session_of_fibble(piped: Cli) -> None:
    lines = "crate=..i..|hard|sound ic...|brick=ccccc|undo|boggy=ccccc|undo|solar=ccccc|list||never read"
    run = piped(lines.split("|"), "--lies", "1", "-k", "1")
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
    run = cli("solve", *ORIGINAL, "crate=..c..", "sonic=i...c")
    assert run.code == 1
    assert "clue 2 (sonic=i...c) rules everything out" in run.err
    assert "without clue 2 (sonic=i...c) 49 answers fit" in run.err
    assert run.err.count("\n") == 1
    assert "amass" in run.out
    assert "no, but among the guesses" in cli("solve", *ORIGINAL, "sonic=i...c").out
    assert "no word gives clue 1 (crate=cccci): E is present, but in no place" in cli("solve", "crate=ggggy").err


def test_the_end_of_a_game(cli: Cli) -> None:
    run = cli("solve", *ORIGINAL, "crate=.ii..", "solar=ccccc")
    assert (run.code, run.out) == (0, "Solved: solar, in 2 guesses. Well done.\n")
    run = cli("solve", *ORIGINAL, "zzzzz!=ggggg")
    assert run.code == 0
    assert "in 1 guess" in run.out
    assert "not among the answers" in run.out
    assert json.loads(cli("solve", *ORIGINAL, "solar=ccccc", "--json").out)["solved"] == "solar"


def test_other_lists_rules_and_criteria(cli: Cli, tmp_path) -> None:
    (tmp_path / "six.txt").write_text("orange\nbanana\ncherry\npapaya\nquince\ndamson\n")
    record = json.loads(cli("solve", "banana=.c.i.i", "--answers", "six.txt", "--json", "--rule", "letterwise").out)
    assert record["words"] == "six"
    assert json.loads(cli("solve", "--words", "nyt2022", "--json").out)["words"] == "nyt2022"
    best = json.loads(cli("solve", *ORIGINAL, "crate=..c..", "-c", "largest_part", "--json").out)["suggestions"]
    assert [s["largest_part"] for s in best] == sorted(s["largest_part"] for s in best)
    assert "largest part" in cli("solve", *ORIGINAL, "crate=..c..", "-c", "largest_part").out


# Sessions


def told(out: str, *texts: str) -> None:
    """Hold that these texts are shown, in this order."""
    for text in texts:
        _, found, out = out.partition(text)
        assert found, text


def test_a_piped_session_reads_line_by_line(piped: Cli) -> None:
    run = piped(["crate .ii..", "slink ci...", "solar ccccc", "slink ci...", "undo", "list", "solar ccccc", "", "list"])
    assert (run.code, run.err) == (0, "") and "\x1b" not in run.out
    told(run.out, "soare", "61 answers remain", "One answer remains: solar.", "Solved: solar, in 3 guesses")
    ends = "Type undo or new; an empty line ends."
    told(run.out, "Solved: solar", ends, ends, "Took back solar=ccccc.", "\nsolar\n", "Solved: solar", ends)


def test_the_commands(piped: Cli) -> None:
    lines = "crate i.i..|list|why macon|hard|undo|undo|help|crate ..c..|sonic i...c|list|why crate|undo 2|new|undo"
    run = piped([*lines.split("|"), "zzzzz! .....", "why zzzzz!", "why zzzzz", "quit", "list"])
    told(run.out, "bacon basic fancy", "bacon basic fancy", "macon: 3.5369 bits", "Hard mode is on.")
    told(run.out, "Took back crate=i.i...", "there is no clue to take back", "undo [N]", "49 answers remain")
    told(run.out, "Clue 2 (sonic=i...c) rules everything out", "amass", "No answer fits the clues.", "take one back")
    told(run.out, "Took back sonic=i...c.", "49 answers remain", "A new game.", "2315 answers remain")
    told(run.out, "A new game.", "there is no clue to take back", "It is not in original.", "write zzzzz!")
    assert run.code == 0


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
        session = Session(Assistant(Setting(SMALL, "counted"), epsilon, hard=hard and epsilon == math.inf), 3)
    for line in lines:
        with shown() as screen:
            session.reply(line.strip())
        assert screen.getvalue().strip()


# In a real terminal


def terminal(*arguments: str, **environment: str) -> Forked:
    command = Forked("solve", *ORIGINAL, *arguments, env={"TERM": "xterm-256color"} | environment, terminal=True)
    command.screen.expect_exact(PROMPT)
    return command


PROMPT = "\x1b[0m>"
COLOUR = re.compile("\x1b\\[1;[0-9;]*m C ")


@pytest.mark.heavy
def test_a_whole_game_in_a_terminal() -> None:
    command = terminal()
    child = command.screen
    assert "soare" in child.before
    child.send("crate .ii..\r")
    child.expect("61 answers remain")
    assert COLOUR.search(child.before)
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
    assert command.wait() == 0


@pytest.mark.heavy
def test_a_noisy_game_in_a_terminal_is_left_by_the_end_of_input() -> None:
    command = terminal("--epsilon", "13", "--count", "3", NO_COLOR="1")
    child = command.screen
    child.send("crate ..c..\r")
    child.expect("164.5 answers remain")
    assert not re.search("\x1b\\[[0-9;]*[34][0-7]m", child.before)
    child.expect_exact(PROMPT)
    child.send("\x04")
    child.expect(pexpect.EOF)
    assert "Traceback" not in child.before
    assert command.wait() == 0


# The last rows

ROWS = ("light=.cccc", "might=.cccc", "fight=.cccc", "sight=.cccc", "zzzzz!=.....")


def test_the_last_rows_are_ranked_by_the_chance_to_win(cli: Cli) -> None:
    last = json.loads(cli("solve", *ROWS, "--json").out)
    five = ["eight", "night", "right", "tight", "wight"]
    assert [figures["word"] for figures in last["suggestions"]] == five
    assert last["game"]["win_chances"] == pytest.approx([0.2] * 5)
    assert (last["game"]["rows_left"], last["game"]["ranked_by"], last["game"]["false_marks"]) == (1, "chance", [])
    two = json.loads(cli("solve", *ROWS[:4], "--json", "-k", "3").out)
    assert two["game"]["win_chances"] == pytest.approx([1.0] * 3) and two["game"]["rows_left"] == 2
    endless = json.loads(cli("solve", *ROWS, "--json", "-k", "3", "--game", "contest").out)
    assert [figures["word"] for figures in endless["suggestions"]] == ["awner", "newer", "owner"]
    eight = json.loads(cli("solve", *ROWS, "--json", "--game", "wordle:8").out)
    assert eight["game"]["rows_left"] == 3 and eight["game"]["win_chances"] == []
    assert "5 answers remain, and 1 row." in cli("solve", *ROWS).out
    assert "No row is left" in cli("solve", *ROWS, "night=.cccc").out


def test_a_row_too_many_is_refused(cli: Cli, piped: Cli) -> None:
    said = refused(cli, "solve", *ROWS, "night=.cccc", "wight=.cccc")
    assert "there are 7 rows, and the game has 6" in said and "contest one without a limit" in said
    lines = [row.replace("=", " ") for row in (*ROWS, "night=.cccc", "wight=.cccc")]
    assert "there are 7 rows, and the game has 6" in piped(lines, "--words", "nyt2023").out


def test_one_outcome_tells_exactly_nothing(cli: Cli, piped: Cli) -> None:
    assert "serve: 0.0000 bits" in (shown := piped(["serve .i..c", "why serve"], "--words", "nyt2023").out)
    assert " 1 part, the largest of 19." in shown
    table = json.loads(cli("solve", "serve=.i..c", "--json", "-k", "99999").out)["suggestions"]
    assert {figures["bits"] for figures in table if figures["parts"] == 1} == {0.0}
    assert {figures["clue_entropy"] for figures in table if figures["parts"] == 1} == {0.0}


def test_letters_of_other_scripts(cli: Cli, tmp_path: Path) -> None:
    tmp_path.joinpath("greek.txt").write_text("ΛΟΓΟΣ\nΣΕΙΡΑ\nΤΟΠΟΣ\nΣΩΜΑΤ\n", encoding="utf-8")
    left = json.loads(cli("solve", "--answers", "greek.txt", "ΛΟΓΟΣ=....i", "--json").out)["answers"]
    assert [answer["word"] for answer in left] == ["σειρα", "σωματ"]
    tmp_path.joinpath("turkish.txt").write_text("İZMİR\nİSLAM\n", encoding="utf-8")
    assert json.loads(cli("solve", "--answers", "turkish.txt", "İZMİR=c.i..", "--json").out)["only"] == "İslam"
    assert cli("clue", "İZMİR", "İSLAM", "--rule", "counted").out == "c.i..  counted\n"
