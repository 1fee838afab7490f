"""The best guess for a last clue and for the one before it: against brute-force sums, and against all scores."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support import tops
from tests.support.generators import Fade, Scatter, beliefs, small_words
from tests.support.helpers import TINY
from tests.support.refusals import refusal
from tests.support.tops import Case, cases, top_scores, true_codes, two_level_matrix
from wordpl import RULES, Ball, Fibble, Levels, Posterior, RandomizedResponse, best_guess, channel_family, score_guesses
from wordpl.scoring import best_ask, best_last_guess
from wordpl.scoring.bounds import falling
from wordpl.scoring.last_guess import TopBounds, clue_tables, clues_at, symmetric_marks, top_candidates


def found_for(case, relative_cutoff=0.0):
    channel = RandomizedResponse(case.epsilon, case.words.length)
    return best_last_guess(case.weights, channel, case.words, case.rule, relative_cutoff)


def test_bits_of_clues_begin_at_the_lowest_and_what_cannot_be_is_no_candidate():
    marks = list(itertools.product(range(3), repeat=4))
    for one, row in zip(marks, clues_at(4, (1, 3)), strict=True):
        bits = sum(int(part) << 64 * at for at, part in enumerate(row))
        near = [sum(map(int.__ne__, one, other)) in (1, 3) for other in marks]
        assert [bits >> code & 1 for code in range(len(marks))] == near and bits >> len(marks) == 0
    assert top_candidates(np.array([0.3, 0.0, 0.7]), 0.0).tolist() == [2, 0]


@pytest.mark.heavy
@settings(max_examples=40)
@given(cases())
def test_first_of_the_best_by_brute_force_and_by_all_scores(case):
    expected, found = top_scores(case.weights, case.words, case.rule, case.epsilon), found_for(case)
    assert found.value == pytest.approx(expected.max(), rel=1e-12)
    assert expected[found.guess] == pytest.approx(expected.max(), rel=1e-12)
    # Those before it are worse, by more than what is a tie.
    total = case.weights.sum()
    assert (expected[: found.guess] < expected.max() - 0.99e-12 * total).all()
    belief = Posterior(case.words, case.rule, prior=case.weights)
    scores = score_guesses(belief, case.epsilon, "expected_top")
    channel = RandomizedResponse(case.epsilon, case.words.length)
    last = best_last_guess(belief.probabilities, channel, case.words, case.rule)
    assert last.value == pytest.approx(scores.max(), rel=1e-12)
    assert last.guess == falling(scores, 1)[0]
    assert best_guess(belief, case.epsilon, "expected_top") == case.words.guesses[last.guess]


@pytest.mark.parametrize("steepness", [0.0, 1.0, 12.0])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 12.0, math.inf])
@pytest.mark.parametrize("rule", RULES)
def test_bounds_leave_the_best_of_many_guesses(steepness, epsilon, rule):
    rng, length = np.random.default_rng(6), 6 if (steepness, epsilon) == (1.0, 12.0) else 4
    words, channel = tops.random_words(rng, length, 200, 100, 5), RandomizedResponse(epsilon, length)
    weights = np.exp(-steepness * rng.random(len(words.answers)))
    scores, shares = top_scores(weights, words, rule, epsilon), weights / weights.sum()
    found = best_last_guess(weights, channel, words, rule)
    assert found == (falling(scores / weights.sum(), 1)[0], pytest.approx(scores.max(), rel=1e-12))
    marks = symmetric_marks(channel)
    support = top_candidates(weights, marks.odds(length))
    bounds = TopBounds(support, shares[support], marks, clue_tables(words, rule))
    for of_guesses in (bounds.first(), *(bound(np.arange(len(scores))) for bound in bounds.tighter)):
        assert (of_guesses >= scores / weights.sum() - 1e-12).all()
    # Of two answers, the bound from pairs is the score, rounded up.
    pair = support[:2]
    alone = np.where(np.isin(np.arange(len(weights)), pair), shares, 0.0)
    of_pair = TopBounds(pair, shares[pair], marks, clue_tables(words, rule)).first()
    exact = top_scores(alone, words, rule, epsilon)
    assert of_pair == pytest.approx(exact, rel=3e-4) and (of_pair >= exact * (1 - 1e-6)).all()


@pytest.mark.heavy
@settings(max_examples=30)
@given(cases(), st.sampled_from([1e-6, 1e-3, 0.01, 0.2, 0.9, 1.0]))
@example(Case(TINY, "letterwise", np.linspace(0.2, 1.0, len(TINY.answers)), 15.0), 0.9)
@example(Case(TINY, "letterwise", np.linspace(0.2, 1.0, len(TINY.answers)), 15.0), 1.0)
def test_least_is_for_the_choice_alone(case, relative_cutoff):
    found = found_for(case, relative_cutoff)
    scores = top_scores(case.weights, case.words, case.rule, case.epsilon)
    assert found.value == pytest.approx(scores[found.guess], rel=1e-12)
    heavy = np.where(case.weights >= relative_cutoff * case.weights.max(), case.weights, 0.0)
    by_heavy = top_scores(heavy, case.words, case.rule, case.epsilon)
    assert by_heavy[found.guess] >= by_heavy.max() * (1 - 2e-4)


class Swap(Fade):
    """A mark is more often lost than kept, so that clues tell what is not."""

    fading = np.array([[0.2, 0.4, 0.4], [0.4, 0.2, 0.4], [0.4, 0.4, 0.2]])


def all_lies(epsilon, length):
    return Fibble(epsilon, length, lies=length)


@pytest.mark.parametrize("channel", [Fibble, Fade, Scatter, Swap, all_lies])
@settings(max_examples=20)
@given(data=st.data())
def test_other_channels_are_scored_in_full(channel, data):
    belief = data.draw(beliefs(channel, max_length=4, max_others=20))
    made = channel(math.inf, belief.words.length)
    assert symmetric_marks(made) is None
    assert best_last_guess(belief.probabilities, made, belief.words, belief.rule) is None
    scores = score_guesses(belief, math.inf, "expected_top")
    assert best_guess(belief, math.inf, "expected_top") == belief.words.guesses[falling(scores, 1)[0]]
    # No lies are no noise.
    without = Fibble(length=belief.words.length, lies=0), RandomizedResponse(math.inf, belief.words.length)
    one, other = (best_last_guess(belief.probabilities, made, belief.words, belief.rule) for made in without)
    assert one == other is not None


@settings(max_examples=10)
@given(small_words(min_length=7, max_length=8, max_answers=4, max_others=4), st.sampled_from(RULES))
def test_longer_words_are_scored_in_full(words, rule):
    belief = Posterior(words, rule)
    assert best_last_guess(belief.probabilities, RandomizedResponse(5.0, words.length), words, rule) is None
    scores = score_guesses(belief, 5.0, "expected_top")
    assert best_guess(belief, 5.0, "expected_top") == words.guesses[falling(scores, 1)[0]]
    assert best_last_guess(np.ones(len(TINY.answers)), Ball(math.inf, radius=1), TINY, rule) is None  # without noise


@settings(max_examples=40)
@given(
    cases(lengths=(3, 4), most_guesses=40, epsilons=(0.01, 0.5, 2.0, 5.0, 12.0)),
    st.sets(st.integers(0, 3), min_size=1, max_size=3),
    st.sampled_from([0.0, 0.01, 0.3]),
)
def test_two_levels_by_brute_force(case, distances, relative_cutoff):
    length, low = case.words.length, math.exp(-case.epsilon)
    channel = Levels(length=length, weights=[1.0 if d in distances else low for d in range(length + 1)])
    matrix = two_level_matrix(length, case.epsilon, distances)
    codes = true_codes(case.words, case.rule)

    def values(weights):
        return np.array([(matrix[:, row] * weights).max(axis=1).sum() for row in codes])

    found = best_last_guess(case.weights, channel, case.words, case.rule, relative_cutoff)
    assert found.value == pytest.approx(values(case.weights)[found.guess], rel=1e-12)
    heavy = np.where(case.weights >= relative_cutoff * case.weights.max(), case.weights, 0.0)
    scores = values(heavy)
    assert scores[found.guess] == pytest.approx(scores.max(), rel=1e-9)
    belief = Posterior(case.words, case.rule, lambda epsilon, length: channel, prior=case.weights)
    guess = case.words.guesses[falling(score_guesses(belief, 1.0, "expected_top"), 1)[0]]
    assert best_guess(belief, 1.0, "expected_top") == guess


# One clue of look-ahead: the best of all pairs of guesses, summed up clue by clue

# Down to here the choice of the last guess leaves no answer out that could come out on top.
ALL_IN_PLAY = math.log(100) - 0.01
TWO_LEVELS = {"whole_clue": (0,), "ball:1": (0, 1)}
SMALL_CASES = cases(most_answers=8, most_guesses=12, lengths=(3,), epsilons=(0.5, 2.0, 4.5))


@pytest.mark.heavy
@settings(max_examples=45)
@given(SMALL_CASES, st.sampled_from([None, *TWO_LEVELS]), st.data())
def test_winner_and_value_of_brute_force(case, channel, data):
    """By all pairs of guesses, under randomized response and channels of two levels."""
    words, budget, length = case.words, 5.0, case.words.length
    belief = Posterior(words, case.rule, channel_family(channel or "randomized_response"), prior=case.weights)
    epsilons = st.floats(budget - ALL_IN_PLAY if channel is None else 1.0, budget - 0.1)
    field = data.draw(st.lists(st.tuples(st.sampled_from(words.guesses), epsilons), min_size=1, max_size=9))
    codes, values = true_codes(words, case.rule), []
    for guess, epsilon in field:
        noise, last_noise = (
            tops.noise_matrix(length, each) if channel is None else two_level_matrix(length, each, TWO_LEVELS[channel])
            for each in (epsilon, budget - epsilon)
        )
        after = noise[:, codes[words.guess_index[guess]]] * belief.probabilities
        values.append(sum(max((last_noise[:, last] * w).max(axis=1).sum() for last in codes) for w in after))
    step = best_ask(belief, field, budget)
    assert step.value == pytest.approx(max(values), rel=1e-9)
    assert values[field.index((step.guess, step.epsilon))] == pytest.approx(max(values), rel=1e-9)


@settings(max_examples=40)
@given(SMALL_CASES, st.sampled_from([6.0, 12.0, 40.0]), st.sampled_from([6.0, 12.0, 40.0]))
def test_with_little_noise_light_answers_are_left_out_of_the_choice(case, epsilon, rest):
    """The value is that of the guesses chosen, so never too high, and hardly too low."""
    belief = Posterior(case.words, case.rule, prior=case.weights)
    guess = case.words.guesses[-1]
    best = tops.value_of(belief, guess, epsilon, rest)
    found = best_ask(belief, [(guess, epsilon)], epsilon + rest)
    assert (found.guess, found.epsilon) == (guess, epsilon)
    assert 0.95 * best <= found.value <= best * (1 + 1e-12)


def test_candidates_and_channels_that_it_cannot_take():
    belief, guess = Posterior(TINY), TINY.guesses[0]
    assert best_ask(belief, [(guess, 6000.0)], 9000.0).value == pytest.approx(1.0)
    for field, said in (
        ([], "no guesses to look ahead from"),
        ([(guess, 3.0), (guess, 5.0)], "leaves nothing of the budget 5"),
        ([("zzzzz", 2.0)], "zzzzz"),
    ):
        assert said in refusal(best_ask, belief, field, 5.0)
    for weight in (0.0, -1.0, math.inf):
        refusal(best_last_guess, np.full(len(TINY.answers), weight), RandomizedResponse(5.0), TINY, "letterwise")
    for channel in (Fibble, Fade, Scatter):  # whose marks are not alike
        refusal(best_ask, Posterior(TINY, channel=channel), [(guess, 2.0)], 5.0)
