"""`wordpl analyze`, by what is given and what is shown."""

import csv
import json
import re

import pytest

import wordpl
from tests.cli.conftest import refused
from tests.support.helpers import SMALL

SHARE = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
ORIGINAL = ("--words", "original")
GUESSES = ("crate", "slink", "solar")
FEW = ("--answers", "few.txt")


@pytest.fixture
def few(tmp_path):
    """A short list, for what goes in and not for figures."""
    (tmp_path / "few.txt").write_text("\n".join({*SMALL.answers, *GUESSES, "scale", "shale", "stale"}))


@pytest.fixture
def pasted(typed, few):
    """Runs `wordpl analyze` with this text on stdin."""
    return lambda text, *arguments: typed(text, "analyze", *FEW, *arguments)


def rows_of(out: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]


BITS = (("expected", ".2f"), ("best", ".2f"), ("skill", "+.2f"), ("actual", ".2f"), ("luck", "+.2f"))


def cell(value: float | None, form: str = "d") -> str:
    return "-" if value is None else f"{value:{form}}"


def test_the_end_and_each_cell_of_a_game(cli, few):
    for given, end in (
        ("crate slink solar --answer solar", "counted: solved in 3 guesses"),
        ("crate carol! --answer solar", "counted: not solved in 2 guesses"),
        ("crate=.ii..@13", "letterwise: played in 1 guess"),
    ):
        shown = cli("analyze", *FEW, *given.split()).out
        assert shown.startswith(f"few, {end}\n")
        game = json.loads(cli("analyze", *FEW, *given.split(), "--json").out)
        expected = [
            [
                *(turn["guess"], cell(turn["steps"], ".2f"), turn["best"], cell(turn["best_steps"], ".2f")),
                *(cell(turn["skill"]), cell(turn["luck"])),
            ]
            for turn in game["turns"]
        ]
        total = game["total"] | {"guess": "total", "best": ""}
        for one in (*game["turns"], total):
            bits = [cell(one[f"{name}_bits"], form) for name, form in BITS]
            expected.append([one["guess"], bits[0], one["best"], *bits[1:]])
        assert rows_of(shown) == expected
        assert shown.count(" left\n") == len(game["turns"]) - bool(game["solved"])
        head, *rows = csv.reader(cli("analyze", *FEW, *given.split(), "--format", "csv").out.splitlines())
        assert head == ["guess", "steps", "best", "its steps", "skill", "luck", *(f"{name} bits" for name, _ in BITS)]
        both = zip(expected, expected[len(rows) : -1], strict=False)
        assert rows == [[*("" if x == "-" else x for x in steps), bits[1], *bits[3:]] for steps, bits in both]
    named = "Wordle nyt2022 2/6\ncrate ⬜🟨🟨⬜⬜\nsolar 🟩🟩🟩🟩🟩"
    assert cli("analyze", *FEW, named).out.startswith("few, counted: ")  # the list that is given goes before its name
    assert "few, counted, hard mode: " in cli("analyze", *FEW, "crate", "solar", "--answer", "solar", "--hard").out
    assert cli("analyze", *FEW, *GUESSES, "--answer", "solar").out.count("  sure") == 1


def test_the_words_left_after_each_turn(cli, few):
    words = wordpl.load_words()
    after = [w for w in words.answers if wordpl.clue("crate", w, "counted") == ".ii.."]
    chance = f"chance {100 / len(words.answers):.2g}%"
    shown = cli("analyze", *ORIGINAL, *GUESSES, "--answer", "solar", "--list").out
    assert f"\nLeft after crate: {' '.join(after)}\nLeft after slink: solar\nSkill " in shown
    assert f" C  R  A  T  E   .ii..  {chance}  {len(after)} left\n" in shown and "Best after solar" not in shown
    assert "\nSkill 86, luck 66, from 0" in shown and "\nBest after slink: solar\n" in shown
    noisy = cli("analyze", *FEW, "crate=.ii..@1", "slink=ci...@13", "--answer", "solar", "--list").out
    assert re.findall("\nMost probable after ([a-z]+): ", noisy) == ["crate", "slink"]


def test_the_list_is_the_newspapers_current_one_unless_clues_are_noisy(cli, tmp_path, monkeypatch):
    played = []

    def instead(setting: wordpl.Setting, turns: object, **more: object) -> None:
        played.append((setting.words.name, setting.rule))
        raise KeyboardInterrupt

    monkeypatch.setattr(wordpl.wordle, "analyze", instead)
    (tmp_path / "share.txt").write_text("WORDPL\n⬛🟨🟨⬛⬛ @13\n")
    for given in ("--answer solar", "crate=.ii..", "crate=.ii..@13", "crate=.ii.. -e 13", "--share share.txt"):
        cli("analyze", *([] if given[0] == "c" else ["crate"]), *given.split())
    assert played == [("nyt2023", "counted")] * 2 + [("original", "letterwise")] * 3


def test_the_star_of_hard_mode_is_honoured(cli, pasted):
    broken = pasted(SHARE.replace("3/6", "3/6*"), *GUESSES)
    assert broken.code == 2 and "guess 2 (slink) breaks hard mode: the guess must contain R" in broken.err
    text = "Wordle 5 2/6*\n⬛🟨🟨⬛⬛\n🟩🟩🟩🟩🟩"
    hard = json.loads(pasted(text, "crate", "solar", "--json").out)
    assert json.loads(cli("analyze", *FEW, "crate", "solar", "--answer", "solar", "--hard", "--json").out) == hard
    run = cli("analyze", *FEW, "crate", "carol!", "solar", "--answer", "solar", "--extra-hard")
    assert "guess 2 (carol) breaks hard mode: the guess must not contain C" in run.err


def test_no_file_that_a_text_names_is_run(typed, tmp_path):
    """But if its reader names it, too, it is."""
    (tmp_path / "own.py").write_text("from pathlib import Path\nfrom wordpl import Ball as Own\nPath('ran').touch()\n")
    text = "WORDPL original, letterwise, own.py:Own: not found, 1 ask\ncrate ..icc @13"
    assert "if you trust its file, add --channel own.py:Own" in refused(typed, text, "analyze")
    assert not (tmp_path / "ran").exists()
    found, same = (typed(text, "analyze", "--channel", channel) for channel in ("own.py:Own", "whole_clue"))
    assert (found.code, found.out, (tmp_path / "ran").exists()) == (0, same.out, True)


def test_every_way_to_give_a_game_is_the_same_game(cli, pasted, tmp_path):
    (tmp_path / "share.txt").write_text(SHARE)
    expected = cli("analyze", *FEW, *GUESSES, "--answer", "SOLAR", "--json").out
    assert cli("analyze", *FEW, "crate=.ii..", "slink=ci...", "solar=ggggg", "--json").out == expected
    assert cli("analyze", *FEW, *GUESSES, "--share", "share.txt", "--json").out == expected
    noisy = cli("analyze", *FEW, "crate=.ii..@13", "slink=ci...@13", "--json").out
    assert cli("analyze", *FEW, "crate=.ii..", "slink=ci...", "-e", "13", "--json").out == noisy
    runs = [cli("analyze", *FEW, SHARE, *GUESSES, "--json"), pasted(" ".join(GUESSES), "--answer", "solar", "--json")]
    runs += [pasted(SHARE, *GUESSES, *more, "--json") for more in ((), ("--share", "-"))]
    assert {(run.out, run.err) for run in runs} == {(expected, "")} and json.loads(expected)["remark"] == ""
    noted = pasted(SHARE.replace("3/6", "4/6"), *GUESSES, "--json")
    assert noted.err == "the text says 4/6, but has 3 rows; a row may be missing\n"
    assert json.loads(noted.out)["remark"] + "\n" == noted.err


def test_a_word_that_can_be_guessed_can_be_the_answer(cli, few, tmp_path):
    (tmp_path / "more.txt").write_text((tmp_path / "few.txt").read_text() + "\nrosin\nloris")
    lists = [*FEW, "--guesses", "more.txt"]
    for given in (["crate", "rosin", "loris", "--answer", "loris"], ["crate=.i...", "rosin=icic.", "loris=ccccc"]):
        run = cli("analyze", *lists, *given)
        assert run.out.startswith("loris is not among the answers of few+more, so it is added to them.\n")
        assert "solved in 3 guesses" in run.out and "icic." in run.out
    assert "no answer" in refused(cli, "analyze", *lists, "crate=.i...", "zzzzz!=ccccc")
