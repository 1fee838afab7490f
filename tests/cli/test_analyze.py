"""`wordpl analyze`, by what is given and what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import wordpl
from tests.cli.conftest import Cli, refused
from tests.forked import Forked
from tests.helpers import SMALL

SHARE = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
ORIGINAL = ("--words", "original")
GUESSES = ("crate", "slink", "solar")
FEW = ("--answers", "few.txt")


@pytest.fixture
def few(tmp_path: Path) -> None:
    """A short list, for what goes in and not for figures."""
    (tmp_path / "few.txt").write_text("\n".join({*SMALL.answers, *GUESSES, "scale", "shale", "stale"}))


@pytest.fixture
def pasted(typed: Cli, few: None) -> Cli:
    """Runs `wordpl analyze` with this text on stdin."""
    return lambda text, *arguments: typed(text, "analyze", *FEW, *arguments)


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


def test_a_game_of_fibble(cli: Cli, pasted) -> None:
    run = cli("analyze", "--lies", "1", "crate=..i..", "sound=ic...", "solar=ccccc")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("nyt2023, counted: solved in 3 guesses\n")
    assert " S  O  U  N  D   ic...  chance 0.13%  106 left\n" in run.out
    assert "Skill 87, luck 51, from 0 to 99." in run.out
    assert rows_of(run.out)[2] == ["solar", "-", "palsy", "-", "84", "99"]
    assert max(map(len, run.out.splitlines())) <= 60
    text = "Fibble 3/9*\n\n⬛⬛🟨⬛⬛\n🟨🟩⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
    run = pasted(text, "--lies", "1", "crate", "sound!", "solar")
    assert run.out.startswith("few, counted: solved in 3 guesses\n")


def test_an_all_correct_clue_that_is_a_lie_leaves_answers(cli: Cli, few: None) -> None:
    run = cli("analyze", "--lies", "1", *FEW, "scale=ccccc", "slink=ci..c", "shale=ccccc")
    assert (run.code, run.err) == (0, "")
    assert ["left" in line for line in run.out.splitlines()[1:4]] == [True, True, False]


def test_the_list_is_the_newspapers_current_one_unless_clues_are_noisy(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = []

    def instead(words: wordpl.WordList, turns: object, rule: str, **more: object) -> None:
        played.append((words.name, rule))
        raise KeyboardInterrupt

    monkeypatch.setattr(wordpl, "analyze", instead)
    (tmp_path / "share.txt").write_text("WORDPL\n⬛🟨🟨⬛⬛ @13\n")
    for given in ("--answer solar", "crate=.ii..", "crate=.ii..@13", "crate=.ii.. -e 13", "--share share.txt"):
        cli("analyze", *([] if given[0] == "c" else ["crate"]), *given.split())
    assert played == [("nyt2023", "counted")] * 2 + [("original", "letterwise")] * 3


def test_the_star_of_hard_mode_is_honoured(cli: Cli, pasted) -> None:
    run = pasted(SHARE.replace("3/6", "3/6*"), *GUESSES)
    assert (run.code, run.out) == (2, "")
    assert "guess 2 (slink) breaks hard mode: the guess must contain R" in run.err
    text = "Wordle 5 2/6*\n⬛🟨🟨⬛⬛\n🟩🟩🟩🟩🟩"
    hard = json.loads(pasted(text, "crate", "solar", "--json").out)
    plain = json.loads(pasted(text.replace("*", ""), "crate", "solar", "--json").out)
    assert (hard["hard"], plain["hard"]) == (True, False)
    assert {"r", "a"} <= set(hard["turns"][1]["best"])
    assert json.loads(cli("analyze", *FEW, "crate", "solar", "--answer", "solar", "--hard", "--json").out) == hard
    assert "hard mode" in pasted(text, "crate", "solar").out


def test_every_way_to_give_a_game_is_the_same_game(cli: Cli, pasted, tmp_path: Path) -> None:
    (tmp_path / "share.txt").write_text(SHARE)
    expected = cli("analyze", *FEW, *GUESSES, "--answer", "SOLAR", "--json").out
    assert cli("analyze", *FEW, "crate=.ii..", "slink=ci...", "solar=ggggg", "--json").out == expected
    assert cli("analyze", *FEW, "crate", ".ii..", "slink", "ci...", "solar", "ccccc", "--json").out == expected
    assert cli("analyze", *FEW, *GUESSES, "--share", "share.txt", "--json").out == expected
    assert pasted(SHARE, *GUESSES, "--json").out == expected
    assert pasted(SHARE, *GUESSES, "--share", "-", "--json").out == expected


def test_a_pasted_text_that_does_not_fit(pasted) -> None:
    for text, named in (("", "no row of squares"), (b"\xff\xfe", "not UTF-8"), (SHARE[:-2], "marks")):
        assert named in refused(lambda *guesses, text=text: pasted(text, *guesses), *GUESSES)


@pytest.mark.heavy
def test_pasted_in_a_terminal(tmp_path: Path, few: None) -> None:
    command = Forked("analyze", *FEW, *GUESSES, cwd=tmp_path, env={"COLUMNS": "140"}, terminal=True)
    command.screen.expect("Paste the share text")
    command.screen.send(f"{SHARE}\x04")
    command.screen.expect("total")
    assert command.wait() == 0
