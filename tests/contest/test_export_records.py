"""The strategies of the records, exported: the moves of their tables and those computed after them are ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contest.test_export import assert_same_moves, played
from tests.helpers import ORIGINAL, SMALL, compiled
from wordpl import Setting, WordplError, export_strategy
from wordpl.library.records import Fifth, FromTable, Median, NinetyFifth
from wordpl.library.renyi import Renyi
from wordpl.play.strategy import HistoryStrategy


@pytest.mark.parametrize("budget", [None, 33.0])
@pytest.mark.parametrize(
    ("clues", "depth", "more"),
    [
        (2, 1, {}),
        (3, 1, {"relative_cutoff": 1e-3}),
        (4, 1, {"budget_fractions": ((0.0, 0.7), (6.0, 0.4)), "order": 1.0, "relative_cutoff": 1e-5}),
        (4, 0, {"budget_fractions": ((2.0, 0.5),), "order": 2.0}),
        (3, 2, {"budget_fractions": ((2.0, 0.5),), "order": float("inf")}),
    ],
)
def test_a_policy_is_played_as_we_play_it(
    clues: int, depth: int, more: dict[str, object], budget: float | None, tmp_path: Path
) -> None:
    plain = Renyi((9.0, 8.0, 7.0, 6.0)[:clues], first_guess=None)
    made = compiled(plain, Setting(SMALL), clues, depth, tmp_path / "policy.json", **more)
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
