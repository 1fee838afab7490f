"""`wordpl tree build|optimal|prove|check`: what it prints and writes, and one line for every mistake."""

import json
from pathlib import Path

import pytest

import wordpl
from tests.cli.conftest import refused, written
from tests.wordle.trees.brute import Brute, random_words
from wordpl.wordle import load_tree, verify

WORDS = random_words(21, most=8)


@pytest.fixture
def files(tmp_path):
    return written(WORDS, tmp_path)


def test_the_table_names_every_figure(cli, files):
    brute = Brute(WORDS)
    shown = cli("tree", "optimal", "--openers", "0", *files).out
    cells = " ".join(shown.replace("│", " ").split())
    assert f"total {brute.best(brute.enough):.0f} mean" in cells
    tree = json.loads(cli("tree", "optimal", "--openers", "0", "--worst-words", "--json", *files).out)
    counts = " ".join(f"found on turn {turn} {n}" for turn, n in tree["distribution"].items())
    mean, worst = tree["total"] / len(WORDS.answers), max(map(int, tree["distribution"]))
    assert f"mean {mean:.5f} worst {worst} {counts} nothing is better yes seconds" in cells
    assert len(tree["worst_words"]) == tree["distribution"][str(worst)]
    shown = cli("tree", "optimal", "--openers", "0", "--worst-words", *files).out
    assert f"Found on turn {worst}: {' '.join(tree['worst_words'])}\n" in shown
    every = json.loads(cli("tree", "build", "--every-guess", "--json", *files).out)
    assert every["answers"] == len(WORDS.guesses)
    assert "no: not all openers were tried" in cli("tree", "optimal", "--openers", "1", *files).out


def test_objectives(cli, files):
    brute = Brute(WORDS, hard=True)
    every, least = ["tree", "optimal", "--openers", "0", "--json", "--hard", *files], brute.least_worst()
    assert json.loads(cli(*every).out)["total"] == brute.best(brute.enough)
    assert json.loads(cli(*every, "--minimize", "worst").out)["worst"] == least
    run = cli(*every, "--worst", str(least - 1))
    figures = json.loads(run.out)
    assert (run.code, figures["feasible"], figures["proven"]) == (1, False, True)


def test_no_tree_keeps_to_the_worst_case(cli, files):
    first = WORDS.guesses[0]
    for options, which in ((["--first", first], f"that starts with {first}"), (["--openers", "0"], "of any opener"),
                           (["--openers", "2"], "of the openers tried")):  # fmt: skip
        run = cli("tree", "optimal", "--worst", "1", *options, *files)
        assert run.code == 1 and run.out.startswith(f"No tree {which} finds every answer of answers+guesses within 1 ")


def test_a_tree_is_written_and_checked(cli, files, tmp_path):
    made = json.loads(cli("tree", "build", "--heuristic", "parts", "--out", "mine.tree", "--json", *files).out)
    tree = load_tree(tmp_path / "mine.tree")
    assert verify(tree, WORDS) == tree.distribution
    checked = json.loads(cli("tree", "check", "mine.tree", "--json", *files).out)
    assert checked | {"seconds": 0} == made | {"seconds": 0}
    refused(cli, "tree", "check", "mine.tree")  # by the list of the newspaper
    shipped = Path(wordpl.__file__).parent / "model" / "data" / "original_salet.tree"
    assert "against hard mode: " in refused(cli, "tree", "check", str(shipped), "--hard")


def test_prove(cli, files, tmp_path):
    brute = Brute(WORDS, hard=True)
    best = brute.best(brute.enough)
    run = cli("tree", "prove", "--certificate", "proof.txt", "--jobs", "1", "--json", "--hard", *files)
    figures = json.loads(run.out)
    assert (run.code, figures["total"], figures["proven"]) == (0, best, True)
    header, *rows = (tmp_path / "proof.txt").read_text().splitlines()
    assert header.endswith(f"hard 1; best {best:.0f}") and len(rows) == len(WORDS.guesses)
    assert "another claim" in refused(cli, "tree", "prove", "--certificate", "proof.txt", *files)
    for hard, kind in (["--hard"], "hard"), ([], "easy"):
        name = f"results/proof-answers+guesses-{kind}.txt"
        assert f"certificate, checked: {name}\n" in cli("tree", "prove", "--jobs", "1", *hard, *files).err
    assert (tmp_path / "results/proof-answers+guesses-hard.txt").read_bytes() == (tmp_path / "proof.txt").read_bytes()
