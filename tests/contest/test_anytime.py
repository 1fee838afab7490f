"""The simulations of ranks and flags: their cheats do what they say, and their runs are made of the right games."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.anytime import BASES, Pool, honest_games, mixed_run, passage, plug_in, shifted
from experiments.cheats import CHEATS, Loses, Proposes, Unhurt, cheat_games
from tests.helpers import ORIGINAL
from wordpl import Setting, clue_row
from wordpl.play.referee import Verdict

SETTING = Setting(ORIGINAL)
BASE = BASES[0.05]


@pytest.mark.parametrize("kind", [*CHEATS, Loses])
def test_a_cheat_plays_legal_games_of_the_base_strategy(kind: type) -> None:
    games = cheat_games(kind, BASE, SETTING, 8, 3)
    assert all(game.verdict in (Verdict.WIN, Verdict.LOSS) for game in games), games
    assert all(game.budget <= 14.6 + 1e-9 and len(game.history) <= 2 for game in games)
    if kind in (Proposes, Loses):
        assert all(game.won is (kind is Proposes) for game in games)
    honest = [game.answer for game in honest_games(BASE, SETTING, 8, 3)]
    assert [game.answer for game in games] == honest
    kept = [
        turn.clue == clue_row(turn.guess, ORIGINAL)[ORIGINAL.answer_index[game.answer]]
        for game in games
        for turn in game.history
    ]
    assert all(kept) == (kind is Unhurt)


def pool(chance: float, won: bool, n: int) -> Pool:
    return Pool(np.full(n, chance), np.full(n, won), np.zeros((n, 12)), np.full(n, 14.6))


def test_a_run_holds_its_part_of_cheating() -> None:
    rng = np.random.default_rng(2)
    run = mixed_run(pool(0.0, False, 4000), pool(0.3, True, 5), 0.1, rng)
    assert 320 < run.won.sum() < 480 and ((run.chances == 0.3) == run.won).all()
    level = mixed_run(pool(0.0, False, 4000), pool(0.3, True, 5), 0.1, rng, pool(0.3, False, 5))
    assert abs(np.cumsum(level.won - level.chances)).max() < 1.0
    assert 320 < (level.chances == 0.3).sum() < 480


def test_chances_are_shifted_to_a_mean() -> None:
    chances = np.random.default_rng(3).beta(1.0, 15.0, 500)
    moved = shifted(chances, 0.05)
    assert moved.mean() == pytest.approx(0.05, abs=1e-9)
    assert (np.argsort(moved) == np.argsort(chances)).all() and moved.min() > 0.0 and moved.max() < 1.0


def test_passages() -> None:
    assert passage(np.array([0.0, 2.0, 1.0, 3.0]), 2.0) == 2
    assert passage(np.array([0.0, 1.0]), 2.0) == 3
    assert plug_in(np.full(3000, 0.5), 0.4) < plug_in(np.full(3000, 0.5), 0.45) < 3000
    assert plug_in(np.full(3000, 0.5), 0.5) == 3001
