"""The best guess for a last clue: against a brute-force sum, and against scoring every guess."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.generators import Fade, Scatter, beliefs, epsilons, small_words
from tests.helpers import TINY, list_of
from tests.tops import EPSILONS, cases, joint, random_words, top_scores, true_codes
from wordpl import Fibble, Posterior, RandomizedResponse, best_guess, best_last_guess, score_guesses
from wordpl.errors import WordplError
from wordpl.model.clues import RULES, clue_matrix, packed_clues
from wordpl.model.words import WordList
from wordpl.scoring.last_guess import (
    SymmetricMarks,
    codes_of_packed,
    differing_in_packed,
    symmetric_marks,
    top_candidates,
)
from wordpl.scoring.last_guess_kernels import MIN_SHOWN


def found_for(case, relative_cutoff=0.0, scale=1.0):
    channel = RandomizedResponse(case.epsilon, case.words.length)
    return best_last_guess(case.weights * scale, channel, case.words, case.rule, relative_cutoff)


def channel_of(case):
    return symmetric_marks(RandomizedResponse(case.epsilon, case.words.length))


@pytest.mark.heavy
@settings(max_examples=300)
@given(cases())
def test_best_by_brute_force(case):
    scores, found = top_scores(case.weights, case.words, case.rule, case.epsilon), found_for(case)
    assert found.value == pytest.approx(scores.max(), rel=1e-12)
    assert scores[found.guess] == pytest.approx(scores.max(), rel=1e-12)
    # The first of the best: those before it are worse, if only by rounding.
    assert (scores[: found.guess] <= scores.max() * (1 + 1e-12)).all()


@pytest.mark.heavy
@settings(max_examples=300)
@given(cases())
def test_same_guess_as_the_first_best_of_all_scores(case):
    belief = Posterior(case.words, case.rule, prior=case.weights)
    scores = score_guesses(belief, case.epsilon, "expected_top")
    channel = RandomizedResponse(case.epsilon, case.words.length)
    found = best_last_guess(belief.probabilities, channel, case.words, case.rule)
    assert found == (int(scores.argmax()), scores.max())
    assert best_guess(belief, case.epsilon, "expected_top") == case.words.guesses[found.guess]


@pytest.mark.heavy
@settings(max_examples=200)
@given(cases(most_answers=40))
def test_scores_of_all_guesses_lose_nothing_by_pruning(case):
    """`score_guesses` leaves answers out as well."""
    belief = Posterior(case.words, case.rule, prior=case.weights)
    expected = top_scores(belief.probabilities, case.words, case.rule, case.epsilon)
    np.testing.assert_allclose(score_guesses(belief, case.epsilon, "expected_top"), expected, rtol=1e-12)


@settings(max_examples=60)
@given(cases(), st.integers(-300, 300))
def test_weights_of_any_scale(case, power):
    """A power of two changes no digit."""
    one, other = found_for(case), found_for(case, scale=2.0**power)
    assert other == (one.guess, one.value * 2.0**power)


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 12.0, math.inf])
@pytest.mark.parametrize("rule", RULES)
def test_more_answers_in_play_than_are_filled_in_at_first(epsilon, rule):
    rng = np.random.default_rng(6)
    words = random_words(rng, 4, 200, 100, 5)
    weights = 0.5 + rng.random(len(words.answers))
    assert len(top_candidates(weights, symmetric_marks(RandomizedResponse(epsilon, 4)), 4)) > MIN_SHOWN
    scores = top_scores(weights, words, rule, epsilon)
    found = best_last_guess(weights, RandomizedResponse(epsilon, 4), words, rule)
    assert found.value == pytest.approx(scores.max(), rel=1e-12)
    assert scores[found.guess] == pytest.approx(scores.max(), rel=1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("turns", "epsilon"),
    [
        ([("trace", 9.3, "....i")], 5.3),
        ([("trace", 9.3, "cc..c")], 5.3),
        ([("salet", 20.0, ".i.c.")], 1.0),
        ([("salet", 20.0, ".i.c.")], 12.0),
        ([("crate", 12.0, "..icc"), ("soily", 14.0, ".c...")], 9.8),
        ([("crate", 12.0, "c.icc"), ("moult", 14.0, "iii.c")], 0.1),
        ([("salet", 18.0, ".i.c."), ("crony", 18.0, "iic.."), ("duvet", 17.0, "...cc")], 14.0),
        ([("salet", 18.0, "....."), ("crony", 18.0, "iic.."), ("humid", 17.0, "c..c.")], 60.0),
    ],
)
def test_on_the_list_of_the_contest(original, rule, turns, epsilon):
    belief = Posterior(original, rule)
    for turn in turns:
        belief = belief.update(*turn)
    scores = score_guesses(belief, epsilon, "expected_top")
    found = best_last_guess(belief.probabilities, RandomizedResponse(epsilon), original, rule)
    assert found == (int(scores.argmax()), scores.max())
    assert best_guess(belief, epsilon, "expected_top") == original.guesses[found.guess]
    # And from the definition, with all answers in it.
    alone = WordList("alone", original.answers, (original.guesses[found.guess],))
    expected = top_scores(belief.probabilities, alone, rule, epsilon)
    assert found.value == pytest.approx(expected[0], rel=1e-10)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("length", [3, 6])
def test_codes_of_packed_clues(length, rule):
    words = random_words(np.random.default_rng(length), length, 40, 60)
    assert np.array_equal(codes_of_packed(length)[packed_clues(words, rule)].T, clue_matrix(words, rule))


@pytest.mark.parametrize("length", [1, 3, 5])
def test_differing_pairs_of_bits(length):
    expected = [sum(digit != "0" for digit in np.base_repr(bits, 4)) for bits in range(4**length)]
    assert differing_in_packed(length).tolist() == expected


# Answers in play


@pytest.mark.heavy
@settings(max_examples=300)
@given(cases(most_answers=20, most_guesses=40))
def test_answers_on_top_of_any_clue_are_in_play(case):
    kept = top_candidates(case.weights, channel_of(case), case.words.length)
    assert (np.diff(case.weights[kept]) <= 0).all()
    assert (case.weights[kept] > 0).all()
    assert len(set(kept.tolist())) == len(kept)
    others = np.setdiff1d(np.arange(len(case.weights)), kept)
    for codes in true_codes(case.words, case.rule):
        table = joint(case.weights, codes, case.epsilon, case.words.length)
        assert (table[:, others].max(axis=1, initial=0.0) <= table[:, kept].max(axis=1)).all()


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 3.0, 20.0, 60.0])
@pytest.mark.parametrize("length", [3, 5, 6])
def test_the_privacy_of_the_clue_is_the_limit(epsilon, length):
    """What is just above e^-epsilon of the heaviest can come out on top, what is below cannot."""
    words = list_of("two", ("a" * length, "b" * length))
    marks = symmetric_marks(RandomizedResponse(epsilon, length))
    for part, count in ((1.001, 2), (1.0, 2), (0.999, 1)):
        weights = np.array([1.0, math.exp(-epsilon) * part])
        assert top_candidates(weights, marks, length).tolist() == [0, 1][:count]
        if part != 1.0:
            table = joint(weights, true_codes(words, "letterwise")[0], epsilon, length)
            assert (table[:, 1] > table[:, 0]).any() == (count == 2)


@pytest.mark.parametrize("relative_cutoff", [0.0, 1e-6, 0.01, 0.3])
def test_least_leaves_out_the_light(relative_cutoff):
    marks = symmetric_marks(RandomizedResponse(12.0))
    weights = np.array([0.0, 2.0, 1e-4, 0.7, 0.5, 1e-9, 2.0])
    limit = max(relative_cutoff * 2.0, 2.0 * math.exp(-12.0))
    assert top_candidates(weights, marks, 5, relative_cutoff).tolist() == [
        i for i in (1, 6, 3, 4, 2, 5) if weights[i] >= limit
    ]


@pytest.mark.heavy
@settings(max_examples=150)
@given(cases(), st.sampled_from([1e-6, 1e-3, 0.01, 0.2, 0.9]))
def test_least_is_for_the_choice_alone(case, relative_cutoff):
    found = found_for(case, relative_cutoff)
    scores = top_scores(case.weights, case.words, case.rule, case.epsilon)
    assert found.value == pytest.approx(scores[found.guess], rel=1e-12)
    heavy = np.where(case.weights >= relative_cutoff * case.weights.max(), case.weights, 0.0)
    by_heavy = top_scores(heavy, case.words, case.rule, case.epsilon)
    assert by_heavy[found.guess] >= by_heavy.max() * (1 - 2e-4)


def test_least_changes_the_choice():
    """AB tells the two heavy apart, ABC the light ones besides."""
    words = random_words(np.random.default_rng(0), 4, 40, 150, 6)
    weights = np.random.default_rng(1).random(len(words.answers)) ** 8
    channel = RandomizedResponse(9.0, 4)
    plain, coarse = (
        best_last_guess(weights, channel, words, "counted", relative_cutoff) for relative_cutoff in (0.0, 0.5)
    )
    assert coarse.guess != plain.guess
    assert coarse.value < plain.value


# Channels


@given(st.sampled_from(EPSILONS) | epsilons(), st.integers(3, 8))
def test_randomized_response_has_even_marks(epsilon, length):
    channel = RandomizedResponse(epsilon, length)
    marks = symmetric_marks(channel)
    assert marks == (channel.keep, channel.flip)
    assert np.array_equal(marks.matrix, channel.mark_matrix)


class Swap(Fade):
    """A mark is more often lost than kept, so that clues tell what is not."""

    fading = np.array([[0.2, 0.4, 0.4], [0.4, 0.2, 0.4], [0.4, 0.4, 0.2]])


def test_matrix_of_even_marks():
    assert SymmetricMarks(0.5, 0.25).matrix.tolist() == [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]


@pytest.mark.parametrize("channel", [Fibble, Fade, Scatter, Swap])
@settings(max_examples=20)
@given(data=st.data())
def test_other_channels_are_scored_in_full(channel, data):
    belief = data.draw(beliefs(channel, max_length=4, max_others=20))
    made = channel(math.inf, belief.words.length)
    assert symmetric_marks(made) is None
    assert best_last_guess(belief.probabilities, made, belief.words, belief.rule) is None
    scores = score_guesses(belief, math.inf, "expected_top")
    assert best_guess(belief, math.inf, "expected_top") == belief.words.guesses[int(scores.argmax())]


@settings(max_examples=10)
@given(beliefs(max_length=5, max_others=20))
def test_no_lies_are_no_noise_and_all_lies_are_scored_in_full(belief):
    words, rule, p = belief.words, belief.rule, belief.probabilities
    length = words.length
    sure = best_last_guess(p, RandomizedResponse(math.inf, length), words, rule)
    assert best_last_guess(p, Fibble(length=length, lies=0), words, rule) == sure
    assert best_last_guess(p, Fibble(length=length, lies=length), words, rule) is None


@settings(max_examples=10)
@given(small_words(min_length=7, max_length=8, max_answers=4, max_others=4), st.sampled_from(RULES))
def test_longer_words_are_scored_in_full(words, rule):
    belief = Posterior(words, rule)
    assert best_last_guess(belief.probabilities, RandomizedResponse(5.0, words.length), words, rule) is None
    scores = score_guesses(belief, 5.0, "expected_top")
    assert best_guess(belief, 5.0, "expected_top") == words.guesses[int(scores.argmax())]


# Requests that other code serves


@given(beliefs(max_others=20), st.sampled_from(EPSILONS), st.data())
def test_best_guess_among_some(belief, epsilon, data):
    n = len(belief.words.guesses)
    some = data.draw(st.lists(st.integers(0, n - 1), min_size=1))
    scores = top_scores(belief.probabilities, belief.words, belief.rule, epsilon)[some]
    chosen = best_guess(belief, epsilon, "expected_top", guesses=some)
    assert scores[[belief.words.guesses[g] for g in some].index(chosen)] == pytest.approx(scores.max(), rel=1e-12)


@pytest.mark.parametrize("options", [{"order": math.nan}, {"separate_draws": True}])
def test_best_guess_refuses_what_scores_refuse(options):
    for ask in (score_guesses, best_guess):
        with pytest.raises(WordplError):
            ask(Posterior(TINY), 5.0, "expected_top", **options)


def test_unknown_rule():
    with pytest.raises(WordplError, match="'letterwise'"):
        best_last_guess(np.ones(len(TINY.answers)), RandomizedResponse(5.0), TINY, "letter")


@pytest.mark.parametrize("weights", [0.0, math.nan, -1.0])
def test_weights_that_are_none(weights):
    with pytest.raises(WordplError):
        best_last_guess(np.full(len(TINY.answers), weights), RandomizedResponse(5.0), TINY, "letterwise")


@pytest.mark.parametrize("n", [1, 3])
def test_weights_of_too_few_answers(n):
    with pytest.raises(WordplError):
        best_last_guess(np.ones(n), RandomizedResponse(5.0), TINY, "letterwise")
