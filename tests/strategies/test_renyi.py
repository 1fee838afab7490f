"""Renyi: each ask is the best by the oracle's score of that order."""

import math

import pytest

from tests.support.helpers import ORIGINAL, SIX, TINY
from tests.support.oracles import joint_table, randomized_response, renyi
from wordpl import RULES, Ask, Setting, Turn, WordplError, best_guess
from wordpl.library.renyi import Renyi

HISTORY = (Turn(TINY.answers[2], 9.0, 100),)
EPSILON = 4.0


def scores(rule, history, order):
    """Score of each guess, from the definition."""
    belief = Setting(TINY, rule).belief(history).probabilities.tolist()
    noise = randomized_response(EPSILON, 5)
    return {guess: renyi(joint_table(TINY.answers, rule, belief, guess, noise), order) for guess in TINY.guesses}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("order", [0.1, 1.0, 20.0, math.inf])
@pytest.mark.parametrize("asked", [0, 1])
def test_asks_the_best_by_its_order(rule, order, asked):
    orders = (order, 1.0) if asked == 0 else (1.0, order)
    strategy = Renyi((EPSILON, EPSILON), orders, first_guess=None)
    move = strategy.decide(Setting(TINY, rule), HISTORY[:asked])
    found = scores(rule, HISTORY[:asked], order)
    assert isinstance(move, Ask)
    assert move.epsilon == EPSILON
    assert found[move.guess] == pytest.approx(max(found.values()), rel=1e-9)


def test_the_ends_are_criteria_of_their_own():
    """Order 1 is the information gain, infinity the expected top; and so they are by default."""
    setting, history = Setting(ORIGINAL), (Turn(ORIGINAL.answers[3], 9.3, 17),)
    belief = setting.belief(history)
    gain, top = (best_guess(belief, 5.3, criterion) for criterion in ("information_gain", "expected_top"))
    for strategy in (Renyi((9.3, 5.3)), Renyi((9.3, 5.3), orders=(1.0, math.inf))):
        assert strategy.decide(setting, history) == Ask(top, 5.3)
    for strategy in (Renyi((9.3, 5.3, 4.0)), Renyi((9.3, 5.3), orders=(1.0, 1.0))):
        assert strategy.decide(setting, history) == Ask(gain, 5.3)
    assert gain != top


def test_first_guess():
    assert Renyi(5.0) == Renyi((5.0,))
    assert Renyi(5.0).decide(Setting(ORIGINAL), ()) == Ask("trace", 5.0)
    assert Renyi(5.0, first_guess="salet").decide(Setting(ORIGINAL), ()) == Ask("salet", 5.0)
    assert Renyi(5.0).decide(Setting(SIX), ()) == Renyi(5.0, first_guess=None).decide(Setting(SIX), ())
    chosen = Renyi(9.3, first_guess=None).decide(Setting(ORIGINAL), ())
    assert chosen == Ask("trace", 9.3)  # the best opener for one clue at 9.3, as published


@pytest.mark.parametrize(
    "orders", [(), (1.0,), (1.0, 1.0, 1.0), (0.09, 1.0), (20.1, 1.0), (math.nan, 1.0), ("1", 1.0), "1", 1.5], ids=repr
)
def test_orders_that_are_none(orders):
    with pytest.raises(WordplError):
        Renyi((5.0, 4.0), orders=orders)
