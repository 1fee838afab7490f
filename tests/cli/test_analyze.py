"""`wordpl analyze`, by what is given and what is shown."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pexpect
import pytest

from tests.cli.conftest import Cli

SHARE = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
ORIGINAL = ("--words", "original")
GUESSES = ("crate", "slink", "solar")


@pytest.fixture
def pasted(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    """Runs `wordpl analyze` with this text on stdin."""

    def run(text: str | bytes, *arguments: str):
        raw = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        return cli("analyze", *ORIGINAL, *arguments)

    return run


def rows_of(out: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]


def test_what_is_shown(cli: Cli) -> None:
    run = cli("analyze", *ORIGINAL, *GUESSES, "--answer", "solar")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("original, counted: solved in 3 guesses\n")
    assert " C  R  A  T  E   .ii..  chance 0.043%  61 left\n" in run.out
    rows = rows_of(run.out)
    assert [row[0] for row in rows] == [*GUESSES, *GUESSES, "total"]
    assert rows[0][:5] == ["crate", "-", "soare", "-", "-"]
    assert rows[1][2] == "lorry"
    assert rows[2] == ["solar", "1.00", "solar", "1.00", "99", "-"]
    assert rows[3] == ["crate", "5.83", "soare", "5.89", "-0.05", "5.25", "-0.59"]
    assert rows[4][-3:] == ["-1.23", "5.93", "+2.76"]
    assert "Best after slink: solar\n" in run.out
    assert "Best after solar" not in run.out
    assert max(map(len, run.out.splitlines())) <= 60
    assert "\x1b" not in run.out


def test_a_game_of_fibble(cli: Cli) -> None:
    run = cli("analyze", "--lies", "1", "crate=..i..", "sound=ic...", "solar=ccccc")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("nyt2023, counted: solved in 3 guesses\n")
    assert " S  O  U  N  D   ic...  chance 0.13%  106 left\n" in run.out
    assert "Skill 87, luck 51, from 0 to 99." in run.out
    assert rows_of(run.out)[2] == ["solar", "-", "palsy", "-", "84", "99"]
    assert max(map(len, run.out.splitlines())) <= 60


def test_an_all_correct_clue_that_is_a_lie_leaves_answers(cli: Cli) -> None:
    run = cli("analyze", "--lies", "1", *ORIGINAL, "scale=ccccc", "slink=ci..c", "shale=ccccc")
    assert (run.code, run.err) == (0, "")
    assert ["left" in line for line in run.out.splitlines()[1:4]] == [True, True, False]


def test_a_share_text_of_fibble(pasted) -> None:
    text = "Fibble 3/9*\n\n⬛⬛🟨⬛⬛\n🟨🟩⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
    run = pasted(text, "--lies", "1", "crate", "sound", "solar")
    assert run.out.startswith("original, counted: solved in 3 guesses\n")


def test_the_list_is_the_newspapers_current_one_unless_clues_are_noisy(cli: Cli, tmp_path: Path) -> None:
    def game(*arguments: str) -> tuple[str, str]:
        record = json.loads(cli("analyze", *arguments, "--json").out)
        return record["words"], record["rule"]

    assert game("crate", "--answer", "solar") == game("crate=.ii..") == ("nyt2023", "counted")
    assert game("crate=.ii..@13") == game("crate=.ii..", "-e", "13") == ("original", "letterwise")
    (tmp_path / "share.txt").write_text("WORDPL\n⬛🟨🟨⬛⬛ @13\n")
    assert game("crate", "--share", "share.txt") == ("original", "letterwise")


def test_the_star_of_hard_mode_is_honoured(cli: Cli, pasted) -> None:
    starred = SHARE.replace("3/6", "3/6*")
    run = pasted(starred, *GUESSES)
    assert (run.code, run.out) == (2, "")
    assert "guess 2 (slink) breaks hard mode: the guess must contain R" in run.err
    text = "Wordle 5 2/6*\n⬛🟨🟨⬛⬛\n🟩🟩🟩🟩🟩"
    hard = json.loads(pasted(text, "crate", "solar", "--json").out)
    plain = json.loads(pasted(text.replace("*", ""), "crate", "solar", "--json").out)
    assert (hard["hard"], plain["hard"]) == (True, False)
    assert plain["turns"][1]["best"] == "lorry"
    assert {"r", "a"} <= set(hard["turns"][1]["best"])
    assert json.loads(cli("analyze", *ORIGINAL, "crate", "solar", "--answer", "solar", "--hard", "--json").out) == hard
    assert "hard mode" in pasted(text, "crate", "solar").out


def test_a_lost_game_leads_to_the_answer(cli: Cli) -> None:
    run = cli("analyze", *ORIGINAL, "crate", "slink", "fuzzy", "--answer", "Solar")
    assert "not solved in 3 guesses" in run.out
    assert "Best after fuzzy: solar" in run.out


def test_the_answer_of_a_lost_game_may_stand_beside_its_clues(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "share.txt").write_text("Wordle 5 X/6\n⬛🟨🟨⬛⬛\n")
    expected = cli("analyze", *ORIGINAL, "crate", "--answer", "solar", "--json").out
    assert cli("analyze", *ORIGINAL, "crate=.ii..", "--answer", "solar", "--json").out == expected
    assert cli("analyze", *ORIGINAL, "crate", "--answer", "solar", "--share", "share.txt", "--json").out == expected


def test_every_way_to_give_a_game_is_the_same_game(cli: Cli, pasted, tmp_path: Path) -> None:
    (tmp_path / "share.txt").write_text(SHARE)
    expected = cli("analyze", *ORIGINAL, *GUESSES, "--answer", "SOLAR", "--json").out
    assert cli("analyze", *ORIGINAL, "crate=.ii..", "slink=ci...", "solar=ggggg", "--json").out == expected
    assert cli("analyze", *ORIGINAL, "crate", ".ii..", "slink", "ci...", "solar", "ccccc", "--json").out == expected
    assert cli("analyze", *ORIGINAL, *GUESSES, "--share", "share.txt", "--json").out == expected
    assert pasted(SHARE, *GUESSES, "--json").out == expected
    assert pasted(SHARE, *GUESSES, "--share", "-", "--json").out == expected


def test_json_has_every_figure(cli: Cli) -> None:
    record = json.loads(cli("analyze", *ORIGINAL, *GUESSES, "--answer", "solar", "--json").out)
    assert (record["words"], record["rule"], record["solved"]) == ("original", "counted", True)
    assert [turn["remaining_after"] for turn in record["turns"]] == [61, 1, 1]
    for turn in record["turns"]:
        assert turn["skill_bits"] == pytest.approx(turn["expected_bits"] - turn["best_bits"])
        assert turn["luck_bits"] == pytest.approx(turn["actual_bits"] - turn["expected_bits"])
    assert [turn["line"][-1:] for turn in record["turns"]] == [["solar"], ["solar"], []]
    assert record["skill"] == round((record["turns"][1]["skill"] + 99) / 2)
    for figure in ("skill_bits", "luck_bits", "expected_bits", "actual_bits", "best_bits"):
        assert record["total"][figure] == pytest.approx(sum(turn[figure] for turn in record["turns"]))


@pytest.mark.heavy
def test_a_noisy_game(cli: Cli, pasted) -> None:
    record = json.loads(cli("analyze", *ORIGINAL, "crate=..c..", "sonic=i...c@5", "--epsilon", "13", "--json").out)
    assert [turn["epsilon"] for turn in record["turns"]] == [13.0, 5.0]
    assert not record["solved"]
    assert "crate" in pasted(SHARE, *GUESSES, "--epsilon", "13").out


@pytest.mark.heavy
def test_an_unknown_guess_is_taken_if_it_is_meant(cli: Cli) -> None:
    run = cli("analyze", *ORIGINAL, "zzzzz!", "solar", "--answer", "solar")
    assert (run.code, run.err) == (0, "")
    run = cli("analyze", *ORIGINAL, "crtae", "solar", "--answer", "solar")
    assert "did you mean 'crate'?" in run.err


MISTAKES = [
    ([], "GUESS"),
    (["crate=..c..", "--answer", "solar"], "'solar' does not fit"),
    (["crate", "--answer", "zzzzz"], "'zzzzz' is not among the answers"),
    (["crate", "--answer", "cat"], "3 letters"),
    (["cat", "--answer", "solar"], "3 letters"),
    (["crate", "--answer", "solar", "--epsilon", "13"], "do not follow"),
    (["crate", "--answer", "solar", "--share", "missing.txt"], "missing.txt"),
    (["crate", "--share", "missing.txt"], "missing.txt"),
    (["crate=..c..", "sonic=i...c"], "clue 2 (sonic=i...c)"),
    (["crate=..q.."], "'q'"),
    (["crate=..c..", "--epsilon", "-1"], "0 to inf"),
    (["crate", "--answer", "solar", "--rule", "count"], "'counted'"),
]


@pytest.mark.parametrize(("arguments", "named"), MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_2(cli: Cli, arguments: list[str], named: str) -> None:
    run = cli("analyze", *arguments)
    assert (run.code, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert named in run.err


@pytest.mark.parametrize(
    ("text", "named"),
    [("", "no row of squares"), ("⬛⬛⬛⬛⬛\n", "1 rows"), (b"\xff\xfe", "not UTF-8"), (SHARE[:-2], "marks")],
)
def test_a_pasted_text_that_does_not_fit(pasted, text: str | bytes, named: str) -> None:
    run = pasted(text, *GUESSES)
    assert (run.code, run.out) == (2, "")
    assert named in run.err


@pytest.mark.heavy
def test_pasted_in_a_terminal() -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-c", "from wordpl.cli import main; main()", "analyze", *GUESSES],
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "COLUMNS": "140"},
    )
    child.expect("Paste the share text")
    for line in SHARE.splitlines():
        child.sendline(line)
    child.sendeof()
    child.expect("total")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
