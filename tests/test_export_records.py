"""The strategies of the records, exported: the moves of their tables and those computed after them are ours."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from strategies.records import Fifth, FromTable, Median, NinetyFifth
from strategies.renyi import Renyi
from tests.helpers import ORIGINAL, SMALL
from tests.test_export import assert_same_moves, played
from wordpl import Policy, Setting, WordplError, export_strategy, identity
from wordpl.strategy import HistoryStrategy, Turn


def table(strategy: Renyi, clues: int, depth: int, path: Path, **more: object) -> FromTable:
    """The first moves of a strategy after up to `depth` clues in a file; the others are as `more` says."""
    setting, moves = Setting(SMALL), {}
    for length in range(depth + 1):
        for codes in itertools.product(range(0, 243, 1 if length < 2 else 40), repeat=length):
            history = ()
            for code in codes:
                move = strategy.decide(setting, history)
                history += (Turn(move.guess, move.epsilon, code),)
            move = strategy.decide(setting, history)
            moves[codes] = (move.guess, move.epsilon)
    Policy(sum(strategy.schedule), clues, moves, made_for=identity(setting), **more).save(path)
    return FromTable(str(path))


@pytest.mark.parametrize("budget", [None, 33.0])
@pytest.mark.parametrize(
    ("clues", "depth", "more"),
    [
        (2, 1, {}),
        (3, 1, {"least": 1e-3}),
        (4, 1, {"share": ((0.0, 0.7), (6.0, 0.4)), "order": 1.0, "least": 1e-5}),
        (4, 0, {"share": ((2.0, 0.5),), "order": 2.0}),
        (3, 2, {"share": ((2.0, 0.5),), "order": float("inf")}),
    ],
)
def test_a_policy_is_played_as_we_play_it(
    clues: int, depth: int, more: dict[str, object], budget: float | None, tmp_path: Path
) -> None:
    made = table(Renyi((9.0, 8.0, 7.0, 6.0)[:clues], first_guess=None), clues, depth, tmp_path / "policy.json", **more)
    strategy = FromTable(made.path, budget)
    for tabled in (0, 1):
        with played(strategy, SMALL, tmp_path, tabled) as player:
            assert_same_moves(player, strategy, SMALL, games=60)
    assert export_strategy(strategy, Setting(SMALL)).worst == (budget or made.policy.budget)


@pytest.mark.heavy
@pytest.mark.parametrize("strategy", [Fifth(), Fifth(15.0), Median(), Median(37.0), NinetyFifth()], ids=repr)
def test_the_records_are_played_as_we_play_them(strategy: HistoryStrategy, tmp_path: Path) -> None:
    with played(strategy, ORIGINAL, tmp_path, tabled=1) as player:
        assert_same_moves(player, strategy, ORIGINAL, games=30)


def test_a_record_is_for_its_own_lists() -> None:
    with pytest.raises(WordplError, match="made for words"):
        export_strategy(Fifth(), Setting(SMALL))
