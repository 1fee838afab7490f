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


def test_a_table_with_a_row_for_each_turn(cli: Cli) -> None:
    run = cli("analyze", *ORIGINAL, *GUESSES, "--answer", "solar")
    assert (run.code, run.err) == (0, "")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in run.out.splitlines() if line.startswith("│")]
    assert [row[0] for row in rows] == [*GUESSES, "total"]
    assert rows[0] == ["crate", ".ii..", "0.0432%", "2315", "61", "soare", "5.89", "5.83", "-0.05", "5.25", "-0.59"]
    assert rows[1][-3:] == ["-1.23", "5.93", "+2.76"]
    assert rows[2][5:] == ["solar", "0.00", "0.00", "+0.00", "0.00", "+0.00"]


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
        assert turn["skill"] == pytest.approx(turn["expected_bits"] - turn["best_bits"])
        assert turn["luck"] == pytest.approx(turn["actual_bits"] - turn["expected_bits"])
    for figure in ("skill", "luck", "expected_bits", "actual_bits", "best_bits"):
        assert record["total"][figure] == pytest.approx(sum(turn[figure] for turn in record["turns"]))


def test_a_noisy_game(cli: Cli, pasted) -> None:
    record = json.loads(cli("analyze", *ORIGINAL, "crate=..c..", "sonic=i...c@5", "--epsilon", "13", "--json").out)
    assert [turn["epsilon"] for turn in record["turns"]] == [13.0, 5.0]
    assert not record["solved"]
    assert "crate" in pasted(SHARE, *GUESSES, "--epsilon", "13").out


def test_an_unknown_guess_is_taken_if_it_is_meant(cli: Cli) -> None:
    run = cli("analyze", *ORIGINAL, "zzzzz!", "solar", "--answer", "solar")
    assert (run.code, run.err) == (0, "")
    run = cli("analyze", *ORIGINAL, "crtae", "solar", "--answer", "solar")
    assert "did you mean 'crate'?" in run.err


MISTAKES = [
    ([], "GUESS"),
    (["crate=..c.."] * 2 + ["--answer", "solar"], "given twice"),
    (["crate", "--answer", "zzzzz"], "'zzzzz' is not among the answers"),
    (["crate", "--answer", "cat"], "3 letters"),
    (["cat", "--answer", "solar"], "3 letters"),
    (["crate", "--answer", "solar", "--epsilon", "13"], "do not follow"),
    (["crate", "--answer", "solar", "--share", "x"], "not both"),
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
