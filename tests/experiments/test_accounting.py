"""Accounting by pure and by Rényi privacy: against the definitions, and the order of the bounds."""

import math

import pytest
import scipy

from experiments.bounds import accounting
from experiments.bounds.accounting import pure_success, renyi_success
from wordpl import RandomizedResponse
from wordpl.limits import privacy_of

N = 2315


@pytest.mark.parametrize(("budget", "rounds"), [(5.0, 1), (9.0, 2), (14.3, 2), (20.0, 4)])
@pytest.mark.parametrize("answers", [3, N])
def test_renyi_success_is_the_root_of_the_definition(budget, rounds, answers, monkeypatch):
    orders = (1.2, 1.5, 2.0, 4.0, 8.0)
    monkeypatch.setattr(accounting, "ORDERS", orders)

    def excess(success: float, order: float) -> float:
        ours, others = (success, 1.0 - success), ((1.0 - success) / (answers - 1), 1 - (1.0 - success) / (answers - 1))
        moment = sum(p**order * q ** (1.0 - order) for p, q in zip(ours, others, strict=True))
        return math.log(moment) / (order - 1.0) - privacy_of(RandomizedResponse(budget / rounds), rounds).renyi(order)

    roots = [scipy.optimize.brentq(excess, 1.0 / answers + 1e-9, 1.0 - 1e-12, args=(order,)) for order in orders]
    assert renyi_success(budget, rounds, answers) == pytest.approx(min(roots), rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0, 30.0])
@pytest.mark.parametrize("answers", [2, 3])
def test_pure_success_is_reached_by_randomized_response_over_the_answers(epsilon, answers):
    # The mechanism that says the right answer with chance e^B / (e^B + N - 1) is B-DP: the bound is tight.
    keep = math.exp(epsilon) / (math.exp(epsilon) + answers - 1)
    assert pure_success(epsilon, answers) == pytest.approx(keep, rel=1e-12)
