"""The most that a game by a plan can spend."""

from __future__ import annotations

import math

from wordpl import Plan, Round


def test_the_worst_game_takes_the_dearest_ask_of_each_turn():
    rounds = Round("clue_entropy", 3.0), Round("likeliest", 4.0)
    moves = {(): ("crate", 5.0), (1,): ("moult", 2.0), (1, 2): ("sheep", 6.0), (1, 3): ("sheep", 1.0)}
    assert Plan().worst == 0.0
    assert Plan(rounds).worst == 3.0 + 4.0
    assert Plan(moves=moves).worst == 5.0 + 2.0 + 6.0
    assert Plan(rounds, moves).worst == 5.0 + 4.0 + 6.0
    assert Plan(rounds, moves, budget=9.0).worst == 9.0
    assert Plan(rounds, certainty=0.9, endless=True).worst == math.inf
