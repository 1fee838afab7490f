"""Strategies that lie in a checkout of the contest: its lists in their own order, its modules, its data.

The checkouts here are stand-ins of our own, with strategies that do what published ones do.
"""

import json
import random

import pytest
from typer.testing import CliRunner

from tests.helpers import SMALL
from wordpl import Setting, WordplError, evaluate, load_submission, parse_strategy
from wordpl.cli import app
from wordpl.contest import sandbox
from wordpl.contest.check import check_submission
from wordpl.contest.ledger import Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.payload import Payload
from wordpl.contest.sandbox import Trusted
from wordpl.contest.scoring import ContestRun
from wordpl.contest.submit import evaluate_submission

WORD = SMALL.answers[4]

BY_LINE = """
import os
from tqdm import tqdm

valid_words = open("valid.txt", "r").read().splitlines()

class ByLine:
    def __init__(self, epsilon):
        self.epsilon = epsilon
        if not os.path.exists("strategies/table.txt"):
            with open("strategies/table.txt", "w") as file:
                for word in tqdm(valid_words):
                    file.write(word)

    def first_move(self):
        return valid_words[LINE], self.epsilon

    def next_move(self, guess, epsilon, clues):
        return valid_words[LINE], 0
"""
WITH_MODULES = """
from strategies.solver import Solver

class Companied:
    def first_move(self):
        return Solver().best(), 0

    next_move = first_move
"""
SOLVER = """
import strategies.deeper as deeper
LIST = "answers.txt"

class Solver:
    def best(self):
        easy = open("easy_words.txt").read().split()
        assert [deeper.WORD] == easy and deeper.WORD in open(LIST).read().split()
        return deeper.WORD
"""


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "checkout"
    (folder / "strategies").mkdir(parents=True)
    valid, answers = list(SMALL.guesses), list(SMALL.answers)
    random.Random(5).shuffle(valid)
    random.Random(6).shuffle(answers)
    assert valid.index(WORD) != sorted(valid).index(WORD)
    files = {
        "valid.txt": "\n".join(valid),
        "answers.txt": "\n".join(answers),
        "easy_words.txt": WORD,
        "README.md": "no part of any strategy",
        "strategies/by_line.py": BY_LINE.replace("LINE", str(valid.index(WORD))),
        "strategies/companied.py": WITH_MODULES,
        "strategies/solver.py": SOLVER,
        "strategies/deeper.py": f"WORD = {WORD!r}\n",
        "strategies/another.py": "class Another: pass\n",
    }
    for name, content in files.items():
        (folder / name).write_text(content)
    return folder


def test_what_is_used_comes_with_it_and_nothing_else(checkout, tmp_path):
    by_line = load_submission(f"{checkout}/strategies/by_line.py:ByLine(5)")
    assert list(by_line.companions) == ["valid.txt"]
    assert by_line.companions["valid.txt"] == (checkout / "valid.txt").read_bytes()
    companied = load_submission(str(checkout / "strategies/companied.py"))
    assert list(companied.companions) == [
        "answers.txt",
        "easy_words.txt",
        "strategies/deeper.py",
        "strategies/solver.py",
    ]
    assert by_line.contest_files == "plays with the contest's valid.txt"
    assert by_line.checkout == str(checkout)
    beside = checkout / "mine.py"  # in the checkout itself
    beside.write_text(BY_LINE)
    assert list(load_submission(str(beside)).companions) == ["valid.txt"]
    apart = tmp_path / "apart.py"
    apart.write_text(BY_LINE)
    assert load_submission(str(apart)).companions == {}


def test_the_digest_covers_what_is_used(checkout):
    text = f"{checkout}/strategies/companied.py"
    before = load_submission(text).digest
    for name, same in (("README.md", True), ("strategies/another.py", True), ("valid.txt", True)):
        (checkout / name).write_text((checkout / name).read_text() + "\n# more\n")
        assert (load_submission(text).digest == before) == same
    for name in ("strategies/deeper.py", "easy_words.txt", "answers.txt"):
        kept = (checkout / name).read_text()
        (checkout / name).write_text(kept + "\n\n")
        assert load_submission(text).digest != before
        (checkout / name).write_text(kept)
    assert load_submission(text).digest == before


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["by_line.py:ByLine(4)", "companied.py"])
def test_it_plays_as_in_the_contest(checkout, name):
    text = f"{checkout}/strategies/{name}"
    scored = evaluate(parse_strategy(text), 5, words=SMALL)
    assert set(scored.frame["proposed"]) == {WORD}
    run = ContestRun(load_submission(text), Setting(SMALL), 1, Limits(), sandbox.find())
    assert set(evaluate_submission(run, 5).frame["proposed"]) == {WORD}
    found = check_submission(load_submission(text), Setting(SMALL), Limits(), Trusted(), games=1)
    assert [finding for finding in found if not finding.passed] == []
    assert any(finding.check == "contest files" and "valid.txt" in finding.message for finding in found) == (
        "by_line" in name
    )


@pytest.mark.heavy
def test_a_checkout_can_be_named(checkout, tmp_path, monkeypatch):
    apart = tmp_path / "apart.py"
    apart.write_text((checkout / "strategies/by_line.py").read_text())
    words = tmp_path / "answers", tmp_path / "guesses"
    for path, listed in zip(words, (SMALL.answers, SMALL.guesses), strict=True):
        path.write_text("\n".join(listed))
    command = ["score", f"{apart}:ByLine(4)", "-n", "3", "-j", "1", "--json"]
    command += ["--answers", str(words[0]), "--guesses", str(words[1])]
    named = CliRunner().invoke(app, [*command, "--contest-files", str(checkout)])
    assert named.exit_code == 0, named.output
    assert f"plays with the contest's valid.txt in {checkout}" in named.stderr
    monkeypatch.setenv("WORDPL_CONTEST_FILES", str(checkout))
    by_variable = CliRunner().invoke(app, command)
    assert json.loads(by_variable.stdout)["code"] == json.loads(named.stdout)["code"]
    monkeypatch.delenv("WORDPL_CONTEST_FILES")
    without = CliRunner().invoke(app, command)
    assert "reads valid.txt, which is sorted here and not in the contest" in without.stderr
    assert json.loads(without.stdout)["code"] != json.loads(named.stdout)["code"]
    with pytest.raises(WordplError, match="is not a checkout of the contest"):
        load_submission(str(apart), tmp_path)


def test_lists_of_other_words_are_refused(checkout):
    (checkout / "valid.txt").write_text("\n".join(SMALL.guesses[:-1]))
    text = f"{checkout}/strategies/by_line.py:ByLine(4)"
    with pytest.raises(WordplError, match=r"valid.txt of .* is another list than .*: 1 words"):
        evaluate(parse_strategy(text), 1, words=SMALL)
    with pytest.raises(WordplError, match="is another list than"):
        Payload(load_submission(text), Setting(SMALL), Limits(), Trusted())


def test_links_and_large_files_are_no_companions(checkout, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("of the organiser's")
    (checkout / "easy_words.txt").unlink()
    (checkout / "easy_words.txt").symlink_to(secret)
    (checkout / "strategies/deeper.py").write_text("#" * (2 << 20))
    found = load_submission(str(checkout / "strategies/companied.py"))
    assert list(found.companions) == ["answers.txt", "strategies/solver.py"]


def test_the_ledger_the_receipt_and_the_board_say_which(checkout, tmp_path):
    apart = tmp_path / "apart.py"
    apart.write_text(BY_LINE)
    told = {}
    with Ledger(tmp_path / "l.sqlite") as book:
        for name, text in (("with", f"{checkout}/strategies/by_line.py"), ("without", str(apart))):
            entry = book.enter(name, load_submission(text), Setting(SMALL), Limits(), "none")
            told[name] = entry.contest_files
            assert book.receipt(entry).entered.facts["contest_files"] == entry.contest_files
    assert told == {
        "with": "plays with the contest's valid.txt",
        "without": "reads valid.txt, which is sorted here and not in the contest",
    }
    board = CliRunner().invoke(app, ["leaderboard", "--ledger", str(tmp_path / "l.sqlite")]).stdout
    assert all(line in " ".join(board.split()) for line in told.values())


def test_a_folder_and_a_file_with_lists_of_their_own_are_told_nothing(tmp_path):
    (tmp_path / "strategy.py").write_text(BY_LINE)
    assert load_submission(str(tmp_path)).reads_sorted_list
    (tmp_path / "valid.txt").write_text("crate\n")
    assert load_submission(str(tmp_path)).contest_files == ""
