"""The limit: against exact optima of toy games, against other bounds, and at the ends of its range."""

import math
from functools import cache

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

import wordpl
from experiments.bounds import converse, free_functions, word_list
from experiments.bounds.free_functions import Mechanism
from experiments.converse import _down as print_down
from tests.support import oracles
from tests.support.generators import RULE, small_words
from tests.support.tops import noise_matrix, two_level_matrix
from wordpl import WordList, WordplError, clue_matrix

N = 2315
LETTERS = Mechanism(5)
CHANNELS = ("randomized_response", "whole_clue", "ball:1")


def test_a_printed_bound_is_the_next_below():
    assert [print_down(x) for x in (10.7659, 23.0301, 7.0, math.inf)] == [10.765, 23.03, 7.0, math.inf]


@pytest.fixture(autouse=True)
def coarse_tables(monkeypatch):
    """Coarser tables than in use: what they say is looser but must hold just the same."""
    monkeypatch.setattr(free_functions, "BOUND_CELLS", 128)


def optimum(codes, budget: int, unit: float, rounds: int, marks: int, channel: str = "randomized_response") -> float:
    """The best win rate of all strategies whose epsilons are multiples of `unit`, by going through them all.

    `codes` are the true clues [guesses, answers]; the budget is in units. The epsilon of a round may
    depend on all clues before it. Randomising cannot help: the best of what is mixed is as good.
    """
    if channel == "randomized_response":
        noises = [noise_matrix(marks, k * unit) for k in range(budget + 1)]
    else:
        likely = {"whole_clue": (0,), "ball:1": (0, 1)}[channel]
        noises = [two_level_matrix(marks, k * unit, likely) for k in range(budget + 1)]
    likelihoods = [noise[:, codes].transpose(1, 0, 2) for noise in noises]  # [guess, noisy, answer]

    def value(weights, left: int, rounds_left: int) -> float:
        best = float(weights.max())
        if rounds_left == 0 or left == 0:
            return best
        if rounds_left == 1:  # the last clue: all of the budget, for more never hurts
            return max(best, float((likelihoods[left] * weights).max(axis=2).sum(axis=1).max()))
        for spent in range(1, left + 1):
            for guess in likelihoods[spent]:
                best = max(best, sum(value(weights * row, left - spent, rounds_left - 1) for row in guess))
        return best

    answers = codes.shape[1]
    return value(np.full(answers, 1.0 / answers), budget, rounds)


@cache
def real_toy() -> tuple[WordList, np.ndarray]:
    """Words of three letters, with their clues from the oracle."""
    rng = np.random.default_rng(1)
    words = sorted({"".join(rng.choice(list("abcd"), 3)) for _ in range(int(rng.integers(5, 16)))})
    codes = [[oracles.code_of(oracles.clue_marks(g, a, "letterwise")) for a in words] for g in words]
    return WordList("toy", tuple(words), tuple(words)), np.array(codes)


@pytest.mark.heavy
@pytest.mark.parametrize("channel", CHANNELS)
def test_no_strategy_of_a_real_toy_game_passes_the_bounds(channel):
    words, codes = real_toy()
    assert optimum(codes[:3], 2, 3.0, 1, 3, channel) <= converse.win_rate_bound(6.0, words, 1, channel=channel)
    few = WordList("few", words.answers[:6], words.answers[:6])
    for unit in (0.7, 2.0, 5.0):
        # Every first clue of this optimum costs a unit at least.
        best = optimum(codes[:6, :6], 2, unit, 2, 3, channel)
        for limit in (2, 3):
            assert best <= converse.win_rate_bound(2 * unit, few, limit, channel=channel)
        bound = converse.win_rate_bound(2 * unit, few, channel=channel, first_at_least=unit)
        assert best <= bound <= converse.win_rate_bound(2 * unit, few, channel=channel)


def test_one_round_is_exact_and_a_first_clue_of_all_the_budget_nearly_so():
    """Nothing is left for other clues, so only the grid of thresholds separates it from the truth."""
    words, codes = real_toy()
    for epsilon in (0.0, 0.5, 1.0, 4.0, 9.0, 12.0):
        exact = converse.win_rate_bound(epsilon, words, 1)
        assert exact == pytest.approx(optimum(codes, 1, epsilon, 1, 3), rel=1e-6)
        if 1.0 <= epsilon < 10.0:
            assert exact <= converse.win_rate_bound(epsilon, words, first_at_least=epsilon) <= 1.01 * exact


@pytest.mark.parametrize(("win_rate", "budget"), [(0.05, 11.0), (0.50, 23.2), (0.95, 39.5)])
def test_equal_epsilons_take_the_published_budgets(win_rate, budget):
    def reached(budget: float) -> float:
        return max(free_functions.fixed_split_win_rate((budget / k,) * k, N) for k in range(1, 7))

    assert reached(budget - 0.05) < win_rate <= reached(budget + 0.05)
    # Any split is at least as good as an equal one, and not much better.
    assert 0.95 * budget < free_functions.free_budget(win_rate, N, LETTERS) <= budget + 0.05


@pytest.mark.parametrize("channel", [*CHANNELS, "ball:4"])
def test_the_law_of_a_mechanism_is_that_of_the_channels_matrix(channel):
    matrix = wordpl.channel_family(channel)(6.0, 5).matrix().toarray()
    law = free_functions.clue_law(6.0, free_functions.mechanism_of(channel, 5))
    ratios, counts = np.unique(np.round(243.0 * matrix[:, 17], 12), return_counts=True)
    assert np.exp(law.log_values)[::-1] == pytest.approx(ratios)
    assert law.chances[::-1] == pytest.approx(counts / 243.0)


@pytest.mark.parametrize("channel", ["fibble", "levels:3,2,1,1,1,1"])
def test_other_channels_have_no_bound(channel, original):
    with pytest.raises(WordplError, match=f"no bound is known for channel {channel}; randomized_response, whole_clue"):
        converse.budget_bound(0.5, original, channel=channel)


@settings(max_examples=25)
@given(words=small_words(max_length=4, max_answers=7, max_others=4), rule=RULE)
@example(words=WordList("letters", tuple("abcdefg"), tuple("abcdefg")), rule="counted")
def test_parts_are_those_of_brute_force(words, rule):
    def parts(guess, answers):
        found = {}
        for answer in answers:
            found.setdefault(oracles.clue_marks(guess, answer, rule), []).append(answer)
        return found.values()

    one = max(len(parts(g, words.answers)) for g in words.guesses)
    by_first = {
        g: sum(max(len(parts(h, part)) for h in words.guesses) for part in parts(g, words.answers))
        for g in words.guesses
    }
    two = max(by_first.values())
    found, opener = word_list.find_cells_of_two(words, rule)
    assert found == by_first[opener] == two
    assert word_list.most_cells(words, rule) == one
    assert word_list.most_cells_of_two(words, rule) == two
    assert word_list.noiseless_cap(words, 2, rule) == two / len(words.answers)
    assert converse.win_rate_bound(math.inf, words, 1, rule) == pytest.approx(one / len(words.answers))
    assert converse.win_rate_bound(math.inf, words, 2, rule) == pytest.approx(two / len(words.answers))


@pytest.mark.published
def test_what_is_known_of_two_clues_stands_up(original):
    """The kept number is reached by one first guess; those most likely to pass it, and some at random, do not."""
    clues, most = clue_matrix(original), word_list.most_cells_of_two(original)

    def reached(guess: int) -> int:
        sizes = np.bincount(clues[guess], minlength=243)
        return word_list._two_noiseless(
            clues, *word_list._cells_of(clues[guess], sizes), word_list.most_cells(original), 0
        )

    assert reached(original.guess_index["trace"]) == most
    parts = np.array([len(np.unique(row)) for row in clues])
    drawn = np.random.default_rng(1).choice(len(parts), 15, replace=False)
    assert all(reached(guess) <= most for guess in {*np.argsort(-parts)[:15].tolist(), *drawn.tolist()})


def test_no_budget_lifts_clues_above_what_they_tell_apart(original):
    cap = word_list.most_cells_of_two(original) / N
    assert word_list.noiseless_cap(original, 2) == cap
    for rounds, most in ((1, 150 / N), (2, cap)):
        assert converse.win_rate_bound(math.inf, original, rounds) == pytest.approx(most)
        assert converse.budget_bound(most + 0.001, original, rounds) == math.inf
    assert converse.win_rate_bound(1e6, original) == 1.0
    assert converse.win_rate_bound(5.0, original, first_at_least=5.1) == 1.0 / N  # which cannot be paid


@settings(max_examples=8)
@given(win_rate=st.floats(0.0, 1.0), rounds=st.sampled_from([0, 1, 2, 3, None]))
@example(win_rate=0.5, rounds=2)
def test_the_two_bounds_are_inverse(win_rate, rounds):
    words, _ = real_toy()
    budget = converse.budget_bound(win_rate, words, rounds)
    assert budget >= 0
    if budget == math.inf:
        assert converse.win_rate_bound(math.inf, words, rounds) < win_rate
    elif budget > 0:
        assert converse.win_rate_bound(budget, words, rounds) < win_rate
        step = converse._PRECISION if rounds in (1, 2, 3) else 4.0
        assert converse.win_rate_bound(budget + step, words, rounds) >= win_rate


@pytest.mark.published
def test_the_bound_of_the_table_is_what_is_computed():
    bound = wordpl.simulation.known_bounds()["bound"]
    for percent in (5, 20):
        assert converse.win_rate_bound(bound[percent - 1] + 0.02, "original") > percent / 100
