"""The ranking of all guesses, against the scores of the kernels."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.games import helped, slow_legal
from tests.support.generators import beliefs, epsilons
from tests.support.helpers import ORIGINAL, list_of
from wordpl import CRITERIA, GameFormat, Posterior, Setting, Turn, clue, score_guesses
from wordpl.wordle.ranking import DIGITS, plain_scores, ranking


@given(beliefs(max_length=4), epsilons(zero=False), st.sampled_from(sorted(CRITERIA)))
def test_ranking_is_by_score_then_chance_then_alphabet(belief, epsilon, criterion):
    found = list(ranking(belief, epsilon, criterion))
    sign = 1 if CRITERIA[criterion].larger_is_better else -1
    # The same order, and at tiny epsilons the entropies have no digits left that differ.
    by = "information_gain" if criterion == "clue_entropy" else criterion
    scores = sign * score_guesses(belief, epsilon, by)
    of_answers = dict(zip(belief.words.answers, belief.probabilities, strict=True))
    chances = [of_answers.get(word, 0.0) for word in belief.words.guesses]
    assert sorted(found) == list(range(len(belief.words.guesses)))
    assert list(ranking(belief, epsilon, criterion, np.arange(1, len(found), 2))) == [at for at in found if at % 2]
    for one, other in itertools.pairwise(found):
        assert scores[one] > scores[other] - 2e-9
        if scores[one] == scores[other]:
            assert (-chances[one], one) < (-chances[other], other)


@pytest.mark.heavy
@pytest.mark.parametrize(("epsilon", "kernels"), [(0.01, True), (9.0, False), (math.inf, True)])
def test_the_first_ten_are_those_of_the_whole_ranking(epsilon, kernels):
    words = list_of("large", (*ORIGINAL.answers[::3], "crate"), ORIGINAL.guesses[::5])
    for belief in (Posterior(words), Posterior(words, "counted").update("crate", epsilon, "..i..")):
        every = ranking(belief, epsilon, kernels=kernels)
        assert ranking(belief, epsilon, count=10, kernels=kernels).tolist() == every[:10].tolist()


def test_scores_that_agree_to_nine_digits_are_ties():
    """By the kernels' scores of a whole list."""
    belief = Posterior("original", "counted").update("crate", math.inf, "..i..").update("lions", math.inf, "i....")
    words, scores = belief.words, score_guesses(belief, math.inf).tolist()
    chances = [belief.probabilities[words.answer_index[w]] if w in words.answer_index else 0 for w in words.guesses]
    order = sorted(range(len(scores)), key=lambda at: (-round(scores[at], 9), -chances[at], at))
    assert DIGITS == 9 and ranking(belief, math.inf).tolist() == order


@pytest.mark.parametrize("hard", [True, "extra"])
def test_hard_mode_ranks_those_it_allows_in_a_large_list_as_they_are_ranked_among_all(hard):
    """More than are scored without a look at their bounds, in a game that the right guess ends."""
    setting = Setting(ORIGINAL, "counted", format=GameFormat(6))
    turns = tuple(Turn(guess, math.inf, clue(guess, "alpha", "counted").code) for guess in ("crate", "lions"))
    belief, words = setting.belief(turns), setting.words
    legal = [word for word in words.guesses if slow_legal(word, turns, "counted", hard)]
    helper = helped(words, *turns, format=GameFormat(6), hard=hard)
    every = [words.guesses[at] for at in ranking(belief, math.inf)]
    assert len(legal) > 4 * 20 and every[0] not in legal
    assert [one.word for one in helper.suggestions(20)] == [word for word in every if word in legal][:20]


@pytest.mark.heavy
@given(beliefs(max_length=4), epsilons(zero=False), st.sampled_from(sorted(CRITERIA)))
@pytest.mark.filterwarnings("ignore:.*clue entropy does not rank")
def test_plain_scores_are_those_of_the_kernels(belief, epsilon, criterion):
    guesses = np.arange(len(belief.words.guesses))[::2]
    expected = score_guesses(belief, epsilon, criterion, guesses=guesses)
    assert plain_scores(belief, epsilon, guesses, criterion) == pytest.approx(expected, rel=1e-9, abs=1e-9)
