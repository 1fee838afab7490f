"""Accounting and what a clue does: against dp-accounting, closed forms, all noisy clues, and the referee."""

import functools
import itertools
import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

import wordpl
from wordpl import Ask, Channel, Clue, DistanceChannel, RandomizedResponse, Referee, Setting, channel_family
from wordpl.limits import approximate_success, explain, privacy_of, pure_budget
from wordpl.model.channel import Ball, Levels

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
def test_what_is_promised_where_the_losses_are_beyond_the_floats(rounds):
    """The attacker surely succeeds, and the sum of the epsilons needs no delta."""
    found = [approximate_success(budget, rounds, 2315) for budget in (0.5, 60.0, 400.0, 3000.0, 1e6, math.inf)]
    assert found == sorted(found) and found[2:] == [pytest.approx(1.0, abs=1e-12)] * 4
    for epsilon in (1e-9, 3.0, 1e6):
        promise = privacy_of(RandomizedResponse(epsilon), 2)
        assert promise.delta(promise.epsilon) == promise.delta(3.0 * promise.epsilon) == 0.0
    assert privacy_of(RandomizedResponse(1e6), 2).delta(1e6) == pytest.approx(1.0)
    assert privacy_of(wordpl.Fibble(), 1).delta(math.inf) == pytest.approx(1.0)


@pytest.mark.parametrize("radius", [0, 2])
def test_renyi_divergence_keeps_its_digits_where_the_levels_vanish(radius):
    within = sum(math.comb(5, wrong) * 2**wrong for wrong in range(radius + 1))
    promise = privacy_of(Ball(1e6, radius=radius), 3)
    # Of two clues that differ in all marks, those near the one are e^epsilon times as likely, up to those near both.
    assert 3e6 - 3 * math.log(within) - 1e-6 <= promise.renyi(2.0) <= 3e6


WORDS = wordpl.load_words("original")
CHANNELS = [
    ("randomized_response", 13.0), ("randomized_response", 0.0), ("randomized_response:9", None),
    ("whole_clue", 6.0), ("ball:1", 4.0), ("ball:3", 2.0), ("levels:4,2,1,1,1,1", None), ("levels:1,3,1,2,1,2", None),
    ("fibble", None), ("fibble:2", None), ("fibble:5", None), ("fibble:0", None),
    ("randomized_response", math.inf), ("whole_clue", math.inf),
]  # fmt: skip


@pytest.mark.parametrize(("name", "epsilon"), CHANNELS)
def test_the_numbers_are_those_of_all_noisy_clues(name, epsilon):
    found = explain(epsilon, name)
    laws = channel_family(name)(found.epsilon, 5).matrix().toarray().T  # [true, noisy]
    places = np.array([wordpl.Clue(code).marks for code in range(243)])
    truths = places == places[17]
    assert found.true_clue.code == 17
    assert found.mark_is_true == pytest.approx(laws[17] @ truths[:, 2], abs=1e-12)
    assert found.false_marks == pytest.approx(laws[17] @ (~truths).sum(axis=1), abs=1e-12)
    assert found.clue_is_true == pytest.approx(laws[17, 17], abs=1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        assert found.odds == pytest.approx(np.nanmax(laws[0] / laws), rel=1e-9)
        marginal = np.array([laws[17][places[:, 2] == mark].sum() for mark in range(3)])
        assert found.mark_odds == pytest.approx(np.max(marginal) / np.min(marginal), rel=1e-9)
        terms = np.where(laws > 0.0, laws * np.log2(laws / laws.mean(axis=0)), 0.0)
    assert found.capacity == pytest.approx(terms.sum() / 243, abs=1e-9)
    assert found.exact_capacity == pytest.approx(math.log2(243))
    made = channel_family(name)(found.epsilon, 5)
    asked = [privacy_of(made, asks).delta(found.epsilon) for asks in (1, 2, 3, 4)]
    assert found.deltas == (() if math.isinf(found.epsilon) else (0.0, *asked[1:]))


@pytest.mark.parametrize(("name", "epsilon"), [case for case in CHANNELS if case[1] != 0.0])  # no ask is at 0
def test_the_clues_are_those_of_a_game(name, epsilon):
    for guess, answer, rule, seed in (("crate", "haste", "letterwise", 1), ("geese", "eerie", "counted", 2**70)):
        found = explain(epsilon, name, guess=guess.upper(), answer=answer.upper(), rule=rule, seed=seed, count=8)
        setting = Setting(WORDS, rule, channel_family(name), math.isinf(found.epsilon))
        game = Referee(setting, seed).open(0, answer)
        turns = [game.take(Ask(guess, found.epsilon)) for _ in range(8)]
        assert [turn.clue for turn in turns if turn] == [noisy.code for noisy in found.noisy_clues]
        assert (found.guess, found.true_clue) == (guess, wordpl.clue(guess, answer, rule))
        assert (found.answer, found.rule, found.seed) == (answer, rule, seed)


def test_an_infinite_number_is_a_value_of_json():
    free, fixed = explain(math.inf).summary(), explain(1e6, seed=2**200).summary()
    assert (free["epsilon"], free["odds"], free["mark_odds"], free["deltas"]) == ("inf", None, None, [])
    assert (fixed["epsilon"], fixed["odds"], fixed["deltas"][0], fixed["seed"]) == (1e6, None, 0.0, str(2**200))
    assert explain(13).summary()["noisy_clues"] == ["i.icc", "..icc", "..ic.", "..iic", "..icc"]


class Understated(DistanceChannel):
    """Its clues tell twice as much as its epsilon says."""

    def __init__(self, epsilon, length=5):
        super().__init__(epsilon, length, RandomizedResponse(2.0 * epsilon, length).levels)


class Silent(Channel):
    """It never says that a letter is absent, which a finite epsilon cannot promise."""

    mark_matrix = np.array([[0.0, 0.0, 0.0], [1.0, 0.8, 0.1], [0.0, 0.2, 0.9]])

    def __init__(self, epsilon, length=5):
        self.epsilon, self.length = epsilon, length

    def likelihood(self, clue):
        return functools.reduce(np.kron, (self.mark_matrix[mark] for mark in Clue.parse(clue, self.length).marks))

    def sample(self, code, uniforms):
        raise NotImplementedError


def test_the_odds_are_those_of_the_channel_and_not_those_that_its_epsilon_promises():
    belief = wordpl.Posterior(wordpl.load_words(), channel=Understated)
    once = explain(4.0, Understated)
    assert once.odds == pytest.approx(math.exp(8.0))
    p, q = (RandomizedResponse(8.0).likelihood(clue) for clue in (".....", "iiiii"))
    assert once.deltas[0] == pytest.approx(np.maximum(p - math.exp(4.0) * q, 0.0).sum())
    ranked = wordpl.scoring.rank_guesses(belief, [4.0], guesses=["crate"])
    assert ranked["odds"].tolist() == [pytest.approx(math.exp(8.0))]
    silent = wordpl.Posterior(wordpl.load_words(), channel=Silent)
    assert wordpl.scoring.rank_guesses(silent, [4.0], guesses=["crate"])["odds"].tolist() == [math.inf]
