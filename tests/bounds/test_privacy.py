"""Accounting: against dp-accounting, against brute force, and the order that must hold between the bounds."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy
from hypothesis import given

import wordpl
from wordpl.bounds import privacy
from wordpl.bounds.privacy import approximate_success, prior_success, pure_budget, pure_success, rdp, renyi_success
from wordpl.errors import WordplError

N = 2315
GAMES = [(14.3, 2), (36.0, 3), (67.0, 4), (5.0, 1)]
BUDGETS = st.floats(0.0, 200.0)
ROUNDS = st.integers(1, 6)


def library_loss(budget: float, rounds: int, width: float = 1e-5):
    """dp-accounting's privacy loss of all marks of a game. Its import takes 2 s, so only the tests that need it pay."""
    from dp_accounting.pld.privacy_loss_distribution import from_randomized_response

    noise = 3.0 / (2.0 + math.exp(budget / rounds / 5.0))
    return from_randomized_response(noise, 3, value_discretization_interval=width).self_compose(5 * rounds)


@pytest.mark.parametrize("epsilon", [0.5, 1, 5, 12.3, 25, 50])
def test_epsilon_of_an_ask_is_that_of_dp_accounting(epsilon):
    # Each of the five losses is rounded up to a whole number of widths, so theirs is never below the truth.
    width = 1e-4
    assert -1e-9 < library_loss(epsilon, 1, width).get_epsilon_for_delta(0.0) - epsilon < 5 * width + 1e-9


def delta(epsilon: float, budget: float, rounds: int) -> float:
    """The smallest delta by its definition, from the distribution of the privacy loss."""
    chances, step = privacy._losses(budget, rounds, 5)
    losses = (np.arange(len(chances)) - len(chances) // 2) * step
    return float((chances * -np.expm1(np.minimum(epsilon - losses, 0.0))).sum())


@pytest.mark.heavy
@pytest.mark.parametrize(("budget", "rounds"), GAMES)
def test_delta_is_that_of_dp_accounting(budget, rounds):
    library = library_loss(budget, rounds)
    for part in (0.01, 0.1, 0.3, 0.6, 0.9, 0.999):
        # The library rounds losses up by at most 1e-5 for each mark.
        exact, slack = delta(part * budget, budget, rounds), 5 * rounds * 1e-5
        above = library.get_delta_for_epsilon(part * budget)
        assert exact - 1e-9 <= above <= delta(max(0.0, part * budget - slack), budget, rounds) + 1e-9


@pytest.mark.parametrize(("budget", "rounds"), GAMES)
def test_renyi_divergence_is_that_of_dp_accounting(budget, rounds):
    from dp_accounting import dp_event
    from dp_accounting.privacy_accountant import NeighboringRelation
    from dp_accounting.rdp import RdpAccountant

    orders = [1.5, 2.0, 4.0, 16.0]
    noise = 3.0 / (2.0 + math.exp(budget / rounds / 5.0))
    accountant = RdpAccountant(orders, NeighboringRelation.REPLACE_ONE)
    accountant.compose(dp_event.RandomizedResponseDpEvent(noise, 3), 5 * rounds)
    assert [rdp(a, budget, rounds) for a in orders] == pytest.approx(list(accountant.rdp), rel=1e-9)


@pytest.mark.parametrize(("budget", "rounds"), GAMES)
def test_success_at_the_best_epsilon_is_the_least_over_a_fine_grid(budget, rounds):
    grid = np.linspace(0.0, budget, 2000)
    promised = [(math.exp(e) + (N - 1) * delta(e, budget, rounds)) / (math.exp(e) + N - 1) for e in map(float, grid)]
    ours = approximate_success(budget, rounds, N)
    assert ours <= min(promised) + 1e-12
    assert ours == pytest.approx(min(promised), rel=0.02)


@pytest.mark.parametrize(("budget", "rounds"), [(5.0, 1), (9.0, 2), (14.3, 2), (20.0, 4)])
@pytest.mark.parametrize("answers", [3, N])
def test_renyi_success_is_the_root_of_the_definition(budget, rounds, answers, monkeypatch):
    orders = (1.2, 1.5, 2.0, 4.0, 8.0)
    monkeypatch.setattr(privacy, "ORDERS", orders)

    def excess(success: float, order: float) -> float:
        ours, others = (success, 1.0 - success), ((1.0 - success) / (answers - 1), 1 - (1.0 - success) / (answers - 1))
        moment = sum(p**order * q ** (1.0 - order) for p, q in zip(ours, others, strict=True))
        return math.log(moment) / (order - 1.0) - rdp(order, budget, rounds)

    roots = [scipy.optimize.brentq(excess, 1.0 / answers + 1e-9, 1.0 - 1e-12, args=(order,)) for order in orders]
    assert renyi_success(budget, rounds, answers) == pytest.approx(min(roots), rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0, 30.0])
@pytest.mark.parametrize("answers", [2, 3])
def test_pure_success_is_reached_by_randomized_response_over_the_answers(epsilon, answers):
    # The mechanism that says the right answer with chance e^B / (e^B + N - 1) is B-DP: the bound is tight.
    keep = math.exp(epsilon) / (math.exp(epsilon) + answers - 1)
    assert pure_success(epsilon, answers) == pytest.approx(keep, rel=1e-12)


@given(success=st.floats(0.0, 1.0), rounds=st.integers(1, 6), answers=st.integers(1, 5000))
def test_a_budget_is_the_smallest_that_allows_a_success(success, rounds, answers):
    pure, exact = pure_budget(success, answers), wordpl.approximate_budget(success, rounds, answers)
    assert 0.0 <= pure <= exact
    if success <= 1.0 / answers:
        assert exact == 0.0
    elif success == 1.0:
        assert pure == math.inf
    else:
        assert pure_success(pure, answers) == pytest.approx(success, rel=1e-9, abs=1e-12)
        assert approximate_success(exact, rounds, answers) >= success * (1.0 - 1e-9)
        assert approximate_success(exact * (1.0 - 1e-6), rounds, answers) <= success * (1.0 + 1e-9)


def test_two_answers_and_one_mark_by_hand():
    # Noisy marks of two answers that differ: keep, flip, flip against flip, keep, flip. The best test of
    # the two is right with chance (keep + keep + flip) / 2.
    keep = math.exp(1.2) / (2.0 + math.exp(1.2))
    flip = (1.0 - keep) / 2.0
    assert approximate_success(1.2, 1, 2, marks=1) == pytest.approx((2.0 * keep + flip) / 2.0, rel=1e-12)


@given(budget=BUDGETS, rounds=ROUNDS, answers=st.integers(1, 5000))
def test_bounds_are_in_their_order(budget, rounds, answers):
    prior, exact = prior_success(answers), approximate_success(budget, rounds, answers)
    renyi, pure = renyi_success(budget, rounds, answers), pure_success(budget, answers)
    slack = 1.0 + 1e-9
    assert prior <= exact * slack
    assert exact <= renyi * slack
    assert renyi <= pure * slack
    assert pure <= 1.0


@given(budget=BUDGETS, more=st.floats(0.0, 50.0), rounds=ROUNDS)
def test_more_budget_never_promises_less(budget, more, rounds):
    slack = 1.0 + 1e-9
    assert approximate_success(budget, rounds, N) <= approximate_success(budget + more, rounds, N) * slack
    assert renyi_success(budget, rounds, N) <= renyi_success(budget + more, rounds, N) * slack


@pytest.mark.parametrize("budget", [0.0, 1e-9, 1e6, math.inf])
def test_ends_of_the_range(budget):
    values = [approximate_success(budget, 3, N), renyi_success(budget, 3, N), pure_success(budget, N)]
    if budget < 1:
        assert values == pytest.approx([1.0 / N] * 3, rel=1e-4)
    else:
        assert values == pytest.approx([1.0] * 3, rel=1e-12)


def test_a_bad_order_is_refused():
    with pytest.raises(WordplError, match=r"order 1.0 is not allowed; a number above 1, or inf, is expected"):
        rdp(1.0, 1.0, 2)
