"""What runs is what it is filed under, after edits and reloads, here and in workers that are older or newer."""

import importlib
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.helpers import SMALL
from tests.support.small_games import TWO
from wordpl import Answer, Ask, History, HistoryStrategy, Move, Setting, evaluate, make_task, sweep
from wordpl.base.errors import WordplError
from wordpl.base.workers import run_calls
from wordpl.limits import compute_win_rate
from wordpl.limits.histories import legal_move, remembered_move

MINE = """
from dataclasses import dataclass

import part
from part import shift
from wordpl import Answer, HistoryStrategy

FIRST = 1


@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    epsilon: float = 9.0

    def decide(self, setting, history):
        return Answer(setting.words.answers[FIRST + shift() + part.N])
"""
PART = "N = 1\n\n\ndef shift():\n    return 0\n"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A strategy in a module beside another one, and workers of this test alone."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "part.py").write_text(PART)
    yield importlib.import_module("mine")
    for name in ("mine", "part"):
        sys.modules.pop(name, None)


def edit(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / f"{name}.py"
    assert old in path.read_text()
    before = path.stat().st_mtime_ns
    path.write_text(path.read_text().replace(old, new))
    # Python believes its compiled file if the source has the size and the second that it had.
    os.utime(path, ns=(1, before + 10**9))
    importlib.invalidate_caches()


def reload(*names: str) -> None:
    for name in names:
        importlib.reload(sys.modules[name])


def proposed(strategy: Any, jobs: int, **options: Any) -> set[str]:
    return set(evaluate(strategy, 4, jobs=jobs, words=SMALL, **options).frame["proposed"])


@pytest.mark.heavy
def test_workers_that_are_older_than_the_code_do_not_play(mine, tmp_path, store):
    answers = SMALL.answers
    assert proposed(mine.Mine(), 2, store=store) == {answers[2]}
    edit(tmp_path, "mine", "FIRST = 1", "FIRST = 2")
    reload("mine")
    assert proposed(mine.Mine(), 2, store=store) == {answers[3]}
    edit(tmp_path, "part", "N = 1", "N = 2")  # a constant of another module
    reload("part", "mine")
    assert proposed(mine.Mine(), 2, store=store) == {answers[4]} == proposed(mine.Mine(), 1)
    edit(tmp_path, "part", "return 0", "return 1")  # a function that the strategy has under its own name
    reload("part", "mine")
    assert proposed(mine.Mine(), 2, store=store) == {answers[5]}
    assert len({row.code for row in store.tasks()}) == 4
    edit(tmp_path, "part", "return 1", "return 2")
    reload("part", "mine")
    moves = run_calls(2, [(legal_move, (mine.Mine(), Setting(SMALL), ()), {})] * 3, ordered=True)
    assert list(moves) == 3 * [Answer(answers[6])]


def test_an_edit_while_games_are_played_ends_the_run(mine, tmp_path, store, monkeypatch):
    """Games after the last save may have read the file before the edit or after it, so they are not kept."""
    monkeypatch.setattr(sys.modules[sweep.__module__], "_KEEP_SECONDS", -1.0)

    def progress(task, trials, done, total):
        if done == 2:
            (tmp_path / "part.py").write_text(f"{PART}#")

    with pytest.raises(WordplError, match=r"^part\.py was edited after it was loaded"):
        sweep([make_task(mine.Mine(), words=SMALL)], 4, store=store, batch=1, progress=progress)
    assert list(store.frame()["trial"]) == [0, 1]


@dataclass(frozen=True)
class Spending(HistoryStrategy):
    """Asks twice at an epsilon that its equals need not share."""

    epsilon: float = field(compare=False)

    def decide(self, setting: Setting, history: History) -> Move:
        if len(history) == 2:
            return Answer(setting.belief(history).top[0])
        return Ask(setting.words.guesses[len(history)], self.epsilon)


def test_equal_strategies_of_two_identities_share_nothing():
    setting, equals = Setting(TWO), (Spending(1.0), Spending(20.0))
    exact = [compute_win_rate(strategy, setting, exact=True).win_rate for strategy in equals]
    assert equals[0] == equals[1] and exact[1] - exact[0] > 0.2
    moves = [remembered_move(strategy, setting, (), repr(strategy)) for strategy in equals]
    assert [move.epsilon for move in moves] == [1.0, 20.0]
    for strategy, expected in zip(equals, exact, strict=True):
        assert abs(compute_win_rate(strategy, setting, exact=False, standard_error=0.05).win_rate - expected) < 0.1
