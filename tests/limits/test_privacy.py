"""Accounting: against dp-accounting, against brute force, and the order that must hold between the bounds."""

import itertools
import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

import wordpl
from tests.support.generators import Scatter
from tests.support.refusals import refusal
from wordpl.limits import approximate_success, privacy_of, pure_budget
from wordpl.model.channel import Ball, DistanceChannel, Levels, RandomizedResponse

N = 2315
GAMES = [(14.3, 2), (36.0, 3), (67.0, 4), (5.0, 1)]
WIDTH = 1e-4  # The library rounds the loss of each clue up, by at most so much.


def library_loss(channel: DistanceChannel, asks: int, differing: int):
    """dp-accounting's privacy loss of clues to two answers. Its import takes 2 s, which only these tests pay."""
    from dp_accounting.pld.privacy_loss_distribution import from_two_probability_mass_functions

    laws = [dict(enumerate(channel.log_likelihood(code).tolist())) for code in (0, (3**differing - 1) // 2)]
    return from_two_probability_mass_functions(*laws, value_discretization_interval=WIDTH).self_compose(asks)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("channel", "asks"),
    [
        *((RandomizedResponse(budget / rounds), rounds) for budget, rounds in GAMES[1:3]),
        (Ball(2.0, 5, 1), 6),
        (Ball(6.0, 4, 3), 1),
    ],
    ids=repr,
)
def test_delta_and_epsilon_are_those_of_dp_accounting(channel, asks):
    promise, library = privacy_of(channel, asks), library_loss(channel, asks, channel.length)
    for part in (0.0, 0.01, 0.1, 0.3, 0.6, 0.9, 0.999):
        epsilon = part * min(promise.epsilon, 30.0)
        above = library.get_delta_for_epsilon(epsilon)
        assert -1e-9 <= above - promise.delta(epsilon) <= asks * WIDTH + 1e-9
    assert promise.delta(promise.epsilon) == pytest.approx(0.0, abs=1e-12)
    if asks == 1:
        assert -1e-9 < library.get_epsilon_for_delta(0.0) - promise.epsilon < WIDTH + 1e-9


@pytest.mark.parametrize("weights", [(1, 5, 1, 3), (3, 2, 0, 1), (0, 1, 0, 0), (9, 3, 1, 1), (1, 2, 2, 4)])
def test_no_two_answers_tell_more_than_is_promised(weights):
    """Each pair of true clues, and each pair of pairs for two asks, by the definitions."""
    channel = Levels(length=3, weights=weights)
    once, twice, laws = privacy_of(channel), privacy_of(channel, 2), channel.matrix().toarray()
    pairs = [(laws[:, 0], laws[:, code]) for code in (1, 4, 13)]
    assert channel.odds == pytest.approx(math.exp(channel.epsilon))

    def stick(first, second, epsilon):
        return np.maximum(first - math.exp(epsilon) * second, 0.0).sum()

    largest = min(channel.epsilon, 3.0)
    for epsilon in np.linspace(0.0, largest, 7).tolist():
        assert once.delta(epsilon) >= max(stick(*pair, epsilon) for pair in pairs) - 1e-12
        # Each loss is rounded up by no more than is said.
        assert once.delta(epsilon) <= max(stick(*pair, epsilon - channel.epsilon / 2000) for pair in pairs) + 1e-12
        for (first, second), (third, fourth) in itertools.product(pairs, repeat=2):
            assert twice.delta(epsilon) >= stick(np.outer(first, third), np.outer(second, fourth), epsilon) - 1e-12
    assert once.delta(0.0) == pytest.approx(max(stick(*pair, 0.0) for pair in pairs), abs=2e-3)
    if channel.epsilon < math.inf:
        for order in (1.5, 4.0):
            moments = [math.log((p**order * q ** (1.0 - order)).sum()) / (order - 1.0) for p, q in pairs]
            assert twice.renyi(order) == pytest.approx(2.0 * max(moments), rel=1e-12)
        assert twice.renyi(math.inf) == twice.epsilon == pytest.approx(2.0 * channel.epsilon)


@pytest.mark.parametrize(("budget", "rounds", "marks"), [*((*game, 5) for game in GAMES), (14.3, 2, 3), (14.3, 2, 8)])
def test_success_at_the_best_epsilon_is_the_least_over_a_fine_grid(budget, rounds, marks):
    grid = np.linspace(0.0, budget, 2000)
    delta = privacy_of(RandomizedResponse(budget / rounds, marks), rounds).delta
    promised = [(math.exp(e) + (N - 1) * delta(e)) / (math.exp(e) + N - 1) for e in map(float, grid)]
    ours = approximate_success(budget, rounds, N, marks)
    assert ours <= min(promised) + 1e-12
    assert ours == pytest.approx(min(promised), rel=0.02)
    assert wordpl.limits.approximate_budget(ours, rounds, N, marks) == pytest.approx(budget, rel=1e-6)


@settings(max_examples=12)
@given(success=st.floats(0.0, 1.0), rounds=st.integers(1, 6), answers=st.integers(1, 5000))
@example(success=1.0, rounds=1, answers=1)
@example(success=math.nextafter(1.0 / 6.0, 1.0), rounds=2, answers=6)
def test_a_budget_is_the_smallest_that_allows_a_success(success, rounds, answers):
    pure, exact = pure_budget(success, answers), wordpl.limits.approximate_budget(success, rounds, answers)
    assert 0.0 <= pure <= exact
    if success <= 1.0 / answers:
        assert pure == exact == 0.0
    elif success == 1.0:
        assert pure == math.inf
    else:
        assert 1.0 / (1.0 + (answers - 1) * math.exp(-pure)) == pytest.approx(success, rel=1e-9, abs=1e-12)
        assert approximate_success(exact, rounds, answers) >= success * (1.0 - 1e-9)
        assert approximate_success(exact * (1.0 - 1e-6), rounds, answers) <= success * (1.0 + 1e-9)


@pytest.mark.parametrize("rounds", [1, 4])
def test_the_attacker_surely_succeeds_where_the_losses_are_beyond_the_floats(rounds):
    found = [approximate_success(budget, rounds, 2315) for budget in (0.5, 60.0, 400.0, 3000.0, 1e6, math.inf)]
    assert found == sorted(found) and found[2:] == [pytest.approx(1.0, abs=1e-12)] * 4


def test_the_sum_of_the_epsilons_needs_no_delta_even_below_the_floats():
    for epsilon in (1e-9, 3.0, 1e6):
        promise = privacy_of(RandomizedResponse(epsilon), 2)
        assert promise.delta(promise.epsilon) == promise.delta(3.0 * promise.epsilon) == 0.0
    assert privacy_of(RandomizedResponse(1e6), 2).delta(1e6) == pytest.approx(1.0)
    assert privacy_of(wordpl.Fibble(), 1).delta(math.inf) == pytest.approx(1.0)


def test_a_bad_order_and_a_channel_without_distances_are_refused():
    assert "a number above 1, or inf, is expected" in refusal(privacy_of(RandomizedResponse(1.0), 2).renyi, 1.0)
    assert "is not known: it is no distance channel" in refusal(privacy_of, Scatter(1.0, 3))


@pytest.mark.parametrize("radius", [0, 2])
def test_renyi_divergence_keeps_its_digits_where_the_levels_vanish(radius):
    within = sum(math.comb(5, wrong) * 2**wrong for wrong in range(radius + 1))
    promise = privacy_of(Ball(1e6, radius=radius), 3)
    # Of two clues that differ in all marks, those near the one are e^epsilon times as likely, up to those near both.
    assert 3e6 - 3 * math.log(within) - 1e-6 <= promise.renyi(2.0) <= 3e6
