"""Strategies in a checkout of the contest (a stand-in): its lists in their own order, its modules, its data."""

import os
import random
import shutil

import pytest
from typer.testing import CliRunner

from tests.cli.conftest import written
from tests.support.helpers import SMALL
from tests.support.ledgers import started
from tests.support.refusals import refusal
from wordpl import Setting, Store, evaluate, make_task, parse_strategy, sweep
from wordpl.cli import app
from wordpl.contest import Ledger, load_submission, sandbox, start_contest
from wordpl.contest.contestant import sealed_payload
from wordpl.contest.limits import Limits
from wordpl.contest.run import ContestRun, evaluate_submission
from wordpl.contest.sandbox import Trusted

WORD = SMALL.answers[4]

BY_LINE = """
valid_words = open("valid.txt", "r").read().splitlines()

class ByLine:
    def __init__(self, epsilon):
        self.epsilon = epsilon

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
    assert by_line.companions == {"valid.txt": (checkout / "valid.txt").read_bytes()}
    assert by_line.contest_files == "plays with the contest's valid.txt"
    companied = load_submission(str(checkout / "strategies/companied.py"))
    modules = ["strategies/deeper.py", "strategies/solver.py"]
    assert list(companied.companions) == ["answers.txt", "easy_words.txt", *modules]
    other = shutil.copytree(checkout, tmp_path / "other")
    assert load_submission(by_line.path, other).checkout == str(other), "what is named goes before where it lies"
    for folder, expected in ((checkout, ["valid.txt"]), (tmp_path, [])):
        (folder / "mine.py").write_text(BY_LINE)
        assert list(load_submission(str(folder / "mine.py")).companions) == expected
    (checkout / "folder").mkdir()
    (checkout / "folder/strategy.py").write_text(BY_LINE)
    assert load_submission(str(checkout / "folder")).companions == {}, "a folder brings what it needs"
    assert list(load_submission(str(checkout / "folder"), checkout).companions) == ["valid.txt"]
    (other / "strategies").rename(tmp_path / "elsewhere")
    (other / "strategies").symlink_to(tmp_path / "elsewhere")
    (other / "mine.py").write_text(WITH_MODULES)
    assert load_submission(str(other / "mine.py")).companions == {}, "nothing of a folder that is a link"


@pytest.mark.heavy
def test_it_plays_as_in_the_contest(checkout):
    for name in (f"{checkout}/strategies/by_line.py:ByLine(4)", str(checkout / "strategies/companied.py")):
        assert set(evaluate(parse_strategy(name), 5, words=SMALL).frame["proposed"]) == {WORD}
        run = ContestRun(load_submission(name), Setting(SMALL), 1, Limits(), sandbox.find())
        assert set(evaluate_submission(run, 5).frame["proposed"]) == {WORD}


@pytest.mark.heavy
def test_a_checkout_can_be_named(checkout, tmp_path, monkeypatch):
    apart = shutil.copy(checkout / "strategies/by_line.py", tmp_path / "apart.py")
    monkeypatch.chdir(tmp_path)
    command = ["score", f"{apart}:ByLine(4)", "-n", "3", "-j", "1", *written(SMALL, tmp_path)]
    without = CliRunner().invoke(app, command)
    assert "reads valid.txt, which is sorted here and not in the contest" in without.stderr
    monkeypatch.setenv("WORDPL_CONTEST_FILES", str(checkout))
    named = CliRunner().invoke(app, command)
    assert f"plays with the contest's valid.txt in {checkout}" in named.stderr
    assert "is not a clone of the contest" in refusal(load_submission, str(apart), tmp_path)


def test_what_is_used_is_entered_too_unless_it_has_other_words(checkout, tmp_path):
    submitted = load_submission(f"{checkout}/strategies/companied.py:Companied()")
    (checkout / "valid.txt").write_text("\n".join(SMALL.guesses[:-1]))
    text = f"{checkout}/strategies/by_line.py:ByLine(4)"
    found, said = load_submission(text), f"valid.txt of {checkout} is another list than small: 1 words"
    assert said in refusal(evaluate, parse_strategy(text), 1, words=SMALL)
    assert said in refusal(sealed_payload, found, Setting(SMALL), Limits(), Trusted())
    with started(tmp_path / "contest.sqlite", setting=Setting(SMALL)) as book:
        assert said in refusal(book.enter, found, "X") and book.entries() == []
        entry = book.enter(submitted, "X")
        found = book.submission(entry)
    assert (found.files, found.companions, entry.digest) == (submitted.files, submitted.companions, submitted.digest)
    assert (entry.main, entry.call, entry.contest_files) == ("companied.py", "Companied", submitted.contest_files)


NAMES = ["strategies/table.npy", ".env.txt", "notes.md", "contest.sqlite", "private.json", "linked.csv"]
NAMES += ["large.json", "folder.txt", "below/deep.txt", "script.py"]


def test_what_a_source_names_does_not_decide_what_leaves_a_checkout(checkout, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("of the organiser's")
    start_contest(checkout / "contest.sqlite")
    for name in {*NAMES} - {"contest.sqlite", "linked.csv", "folder.txt"}:
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_bytes(bytes((1 << 20) + 1 if name == "large.json" else 4))
        (checkout / name).chmod(0o644)
    (checkout / "private.json").chmod(0o640)
    (checkout / "linked.csv").symlink_to(secret)
    (checkout / "folder.txt").mkdir()
    (checkout / "mine.py").write_text(f"NAMES = {NAMES}\nclass Mine: ...\n")
    found = load_submission(str(checkout / "mine.py"))
    assert found.companions == {"strategies/table.npy": bytes(4)}
    assert found.left_out == {
        "folder.txt": "no plain file that all users can read",
        "large.json": "larger than 1 MiB",
        "linked.csv": "no plain file that all users can read",
        "private.json": "no plain file that all users can read",
    }
    assert "without folder.txt (no plain file that all users can read), large.json" in found.contest_files
    secret.write_text("edited, where the link leads")
    assert "linked.csv' was edited after it was loaded" in refusal(found.read_in_place)
    names = [f"part{number:02}.npy" for number in range(17)]
    for name in names:
        (checkout / name).write_bytes(bytes(1 << 20))
    (checkout / "mine.py").write_text(f"NAMES = {names}\n")
    found = load_submission(str(checkout / "mine.py"))
    assert list(found.companions) == names[:16] and found.left_out == {names[16]: "more than 16 MiB in all"}


CACHED = """
class Cached:
    def first_move(self):
        return open("strategies/cache.pkl").read(5), 0

    next_move = first_move
"""


@pytest.mark.heavy
def test_a_trusted_run_reads_a_large_file_where_it_lies(checkout, tmp_path):
    """An edited one is another strategy, with results of its own."""
    text, cache = f"{checkout}/strategies/cached.py", checkout / "strategies/cache.pkl"
    (checkout / "strategies/cached.py").write_text(CACHED)
    read = []
    with Store(tmp_path / "results.sqlite") as store:
        for time, word in enumerate(SMALL.answers[:2]):
            cache.write_text(word + " " * (2 << 20))
            os.utime(cache, (time, time))
            read.append(parse_strategy(text))
            (played,) = sweep([make_task(read[-1], words=SMALL)], 5, store=store)
            assert set(played.frame["proposed"]) == {word}
    assert repr(read[0]) == repr(read[1])
    assert "cache.pkl' was edited after it was loaded" in refusal(evaluate, read[0], 5, words=SMALL)
    loaded, size = load_submission(text), cache.stat().st_size
    for length, time in ((size, 2), (size + 1, 1)):  # only one of the two
        os.truncate(cache, length)
        os.utime(cache, (time, time))
        assert "was edited after" in refusal(loaded.read_in_place)
    run = ContestRun(load_submission(text), Setting(SMALL), 1, Limits(), sandbox.find())
    assert run.submission.contest_files == "in a sandbox without strategies/cache.pkl (larger than 1 MiB)"
    assert "FileNotFoundError" in evaluate_submission(run, 5).reasons[0]


def test_nothing_is_entered_into_a_ledger_where_submissions_read(checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("WORDPL_CONTEST_FILES", str(checkout))
    (tmp_path / "strategy.py").write_text(BY_LINE)
    companied, folder = load_submission(str(checkout / "strategies/companied.py")), load_submission(str(tmp_path))
    place = checkout / "contest.sqlite"
    for ledger, submitted in ((place, companied), (checkout / "strategies/c", companied), (tmp_path / "c", folder)):
        with started(ledger) as book:
            assert "which submissions read; name a file else" in refusal(book.enter, submitted, "X")
    (tmp_path / "link.sqlite").symlink_to(place)
    with Ledger(tmp_path / "link.sqlite") as book:
        assert "which submissions read" in refusal(book.enter, companied, "X")
