"""The digest that tells whether two starts of a strategy have come to the same."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from wordpl.contest import start_state
from wordpl.contest.start_state import state_digest

CODE = """
from dataclasses import dataclass
from functools import lru_cache
from random import uniform

import numpy as np
import pandas as pd
from numpy.random import choice

table = np.arange(1000.0).reshape(10, 100).T
frame = pd.DataFrame({"word": ["aback", "abase"], "weight": [1.0, 2.0]})
generator = np.random.default_rng(3)

@dataclass
class Mine:
    epsilon: float
    shared = {}

    @property
    def half(self):
        return self.epsilon / 2

    def itself(self):
        return Mine

@lru_cache
def known(word):
    return word

def counter(start):
    def count():
        return start + 1
    return count

count = counter(3)
short = lambda word: word
strategy = Mine(3.0)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "mine_of_state.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield __import__("mine_of_state")
    del sys.modules["mine_of_state"]


def digest(module: ModuleType) -> str:
    return state_digest(module.strategy, str(Path(str(module.__file__)).parent))


CHANGES: list[Callable[[ModuleType], object]] = [
    lambda mine: setattr(mine.strategy, "epsilon", 4.0),
    lambda mine: setattr(mine.strategy, "built", True),
    lambda mine: mine.Mine.shared.update(built=True),
    lambda mine: mine.table.__setitem__((3, 3), 0.0),
    lambda mine: setattr(mine, "table", mine.table.astype(np.float32)),
    lambda mine: mine.frame.__setitem__("weight", [1.0, 3.0]),
    lambda mine: mine.generator.random(),
    lambda mine: setattr(mine, "count", mine.counter(4)),
    lambda mine: setattr(mine.counter, "cache", {}),
    lambda mine: setattr(mine.strategy, "more", "more"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(mine: ModuleType, change: Callable[[ModuleType], object]) -> None:
    before = digest(mine)
    assert before == digest(mine) != ""
    change(mine)
    assert before != digest(mine) != ""


def test_what_changes_no_move_is_not(mine: ModuleType) -> None:
    before = digest(mine)
    random.seed(5)
    np.random.seed(5)
    mine.known("aback")
    assert digest(mine) == before


def test_equal_values_are_equal_whether_or_not_they_are_one_object(mine: ModuleType) -> None:
    mine.pair = [(1.5, "a"), (1.5, "a")]
    before = digest(mine)
    mine.pair = [(1.5, "a")] * 2
    assert digest(mine) == before


@pytest.mark.parametrize("value", [threading.Lock(), (letter for letter in "ab"), memoryview(b"")])
def test_what_cannot_be_told_gives_none(mine: ModuleType, value: object) -> None:
    mine.strategy.held = value
    assert digest(mine) == ""


def test_objects_that_lead_to_others_without_end_give_none(mine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_state, "_LONGEST", 1 << 16)
    within: list[object] = []
    within.append(within)
    mine.held = within
    assert digest(mine) == ""
    for _ in range(100):
        within = [within, within]
    mine.held = within[0]
    assert digest(mine) == ""
    doubled: list[object] = []
    for _ in range(40):
        doubled = [doubled, doubled]
    mine.held = doubled
    assert digest(mine) == ""
