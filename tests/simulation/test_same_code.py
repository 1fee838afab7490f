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
from wordpl import Answer, Ask, Channel, History, HistoryStrategy, Move, Setting, Turn, evaluate, make_task, sweep
from wordpl.base.errors import OtherCodeError
from wordpl.base.fingerprint import running_digest
from wordpl.base.workers.processes import LocalWorkers
from wordpl.library.two_guess import TwoGuess
from wordpl.limits import compute_win_rate
from wordpl.limits.histories import legal_move, remembered_move
from wordpl.model.channel import RandomizedResponse, make_channel
from wordpl.play.referee import chance
from wordpl.simulation.playing import computed_in_order

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
    end_workers()
    yield importlib.import_module("mine")
    end_workers()
    for name in ("mine", "part"):
        sys.modules.pop(name, None)


def end_workers() -> None:
    LocalWorkers(2).end()


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
    reload("part")
    assert proposed(mine.Mine(), 2, store=store) == {answers[4]} == proposed(mine.Mine(), 1)
    edit(tmp_path, "part", "return 0", "return 1")  # a function that the strategy has under its own name
    reload("part", "mine")
    assert proposed(mine.Mine(), 2, store=store) == {answers[5]}
    assert len({row.code for row in store.tasks()}) == 4
    edit(tmp_path, "part", "return 1", "return 2")
    reload("part", "mine")
    moves = computed_in_order(2, legal_move, mine.Mine(), Setting(SMALL), [((),)] * 3)
    assert list(moves) == 3 * [Answer(answers[6])]


@pytest.mark.heavy
def test_workers_that_are_newer_than_the_code_do_not_play(mine, tmp_path, store):
    edit(tmp_path, "part", "N = 1", "N = 2")  # and nobody loads it here
    with pytest.raises(
        OtherCodeError, match=r"^worker processes load other code or data for Mine\(\) than .* reload it"
    ):
        proposed(mine.Mine(), 2, store=store)
    assert [row.trials for row in store.tasks() if row.trials] == []
    assert proposed(mine.Mine(), 1, store=store) == {SMALL.answers[2]}  # what is loaded, and filed so
    kept = {row.code for row in store.tasks()}
    reload("part", "mine")
    assert mine.Mine().code not in kept
    assert proposed(mine.Mine(), 2, store=store) == {SMALL.answers[3]}


def test_a_task_is_filed_under_the_code_that_plays_it(mine, tmp_path):
    """Also one that was made before a module was loaded anew in place, as `%autoreload` does."""
    task = make_task(mine.Mine(), words=SMALL)
    before, running = task.id, running_digest(task.strategy)
    assert set(sweep([task], 4)[0].frame["proposed"]) == {SMALL.answers[2]}
    edit(tmp_path, "part", "N = 1", "N = 3")
    assert (make_task(mine.Mine(), words=SMALL).id, running_digest(task.strategy)) == (before, running)
    reload("part")
    (found,) = sweep([task], 4)
    assert set(found.frame["proposed"]) == {SMALL.answers[4]}
    assert found.task.id != before and running_digest(task.strategy) != running


@dataclass(frozen=True, repr=False)
class FromFile(HistoryStrategy):
    """Proposes the answer that a file names, as `FollowTree` follows one."""

    file: str

    @property
    def content(self) -> str:
        return Path(self.file).read_text()

    def decide(self, setting: Setting, history: History) -> Move:
        return Answer(setting.words.answers[int(self.content)])


def test_a_file_that_changes_while_it_is_played_is_not_played_on(tmp_path, store):
    file = tmp_path / "data"
    file.write_text("1")
    task = make_task(FromFile(str(file)), words=SMALL)
    assert task.id  # of what the file holds now
    with pytest.raises(OtherCodeError):
        sweep([task], 6, batch=1, store=store, progress=lambda *_: file.write_text("2"))
    assert set(store.evaluation(task, 6).frame["proposed"]) == {SMALL.answers[1]}
    assert set(sweep([task], 6, store=store)[0].frame["proposed"]) == {SMALL.answers[2]}  # of another id


@dataclass(frozen=True)
class Spending(HistoryStrategy):
    """Asks twice at an epsilon that its equals need not share."""

    epsilon: float = field(compare=False)

    def decide(self, setting: Setting, history: History) -> Move:
        if len(history) == 2:
            return Answer(setting.belief(history).top[0])
        return Ask(setting.words.guesses[len(history)], self.epsilon)


def test_equal_strategies_of_two_identities_share_neither_what_is_remembered_nor_what_is_sampled():
    setting, equals = Setting(TWO), (Spending(1.0), Spending(20.0))
    exact = [compute_win_rate(strategy, setting, exact=True).win_rate for strategy in equals]
    assert equals[0] == equals[1] and exact[1] - exact[0] > 0.2
    moves = [remembered_move(strategy, setting, (), strategy.identity) for strategy in equals]
    assert [move.epsilon for move in moves] == [1.0, 20.0]
    for strategy, expected in zip(equals, exact, strict=True):
        assert abs(compute_win_rate(strategy, setting, exact=False, standard_error=0.05).win_rate - expected) < 0.1


def test_nothing_is_remembered_of_a_channel_that_was_loaded_anew_in_place():
    """As `%autoreload` does: the function stays, and gets another code."""

    def family(epsilon: float, length: int) -> Channel:
        return RandomizedResponse(epsilon, length)

    def other(epsilon: float, length: int) -> Channel:
        return RandomizedResponse(epsilon / 2, length)

    history = (Turn(SMALL.guesses[0], 20.0, 7),)
    before, after = [], []
    for found in (before, after):
        setting = Setting(SMALL, channel=family)
        found += [chance(setting, history, SMALL.answers[0]), make_channel(family, 20.0, 5).keep]
        found += [make_task(TwoGuess(20.0), words=SMALL, channel=family).id]
        family.__code__ = other.__code__
    expected = Setting(SMALL, channel=other)
    assert after[:2] == [chance(expected, history, SMALL.answers[0]), RandomizedResponse(10.0).keep]
    assert not set(before) & set(after)


def test_the_channel_is_part_of_what_a_worker_must_have():
    def family(scale: float) -> Any:
        return lambda epsilon, length: (epsilon * scale, length)

    one, same, other = (running_digest(Setting(SMALL, channel=family(scale)).channel) for scale in (1.0, 1.0, 2.0))
    assert one == same != other
