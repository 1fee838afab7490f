"""When to propose, and scores by how many answers are possible: against all clues of all guesses, written out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.helpers import SIX, SMALL, TINY, list_of
from tests.support.refusals import refusal
from wordpl import Clue, Fibble, Posterior, WordList, channel_family, clue
from wordpl.scoring import chances_in_three, counts_answers, expected_wins, when_to_propose

EPSILONS, PRICE, PER_BIT = (3, 5, 8, 13, 20, 30, 40), 72, 68.2 / math.log2(2315)
MARKS = np.array([Clue(code).marks for code in range(243)])


def after(weights, guess, epsilon):
    """The joint weights of each noisy clue and each answer of TINY: [243, answers]."""
    true = np.array([clue(guess, answer).marks for answer in TINY.answers])
    wrong = (MARKS[:, np.newaxis] != true).sum(axis=2)
    keep, flip = (math.exp(x) / (2 + math.exp(epsilon / 5)) for x in (epsilon / 5, 0))
    return weights * keep ** (5 - wrong) * flip**wrong


def value_of_bits(joint, epsilon):
    """The value of an ask that leaves bits to ask for at the rate of the record at the 95th percentile."""
    totals = joint.sum(axis=1, keepdims=True)
    return 0.95 - (-(joint * np.log2(joint / totals)).sum() * PER_BIT + epsilon) / PRICE


@pytest.mark.heavy
@settings(max_examples=12)
@given(st.lists(st.tuples(st.sampled_from(TINY.guesses), st.sampled_from([2, 6, 13]), st.integers(0, 242)), max_size=4))
def test_the_advice_is_that_of_all_clues_written_out(turns):
    belief = Posterior(TINY)
    for turn in turns:
        belief = belief.update(*turn)
    weights, advice = belief.probabilities, when_to_propose(belief)
    tops = {(g, e): after(weights, g, e).max(axis=1).sum() for g in TINY.guesses for e in EPSILONS}
    best = max(tops[ask] - ask[1] / PRICE for ask in tops)
    assert (advice.word, advice.chance) == belief.top
    if not (advice.guess and advice.epsilon and advice.raised):
        assert best <= advice.chance + 1e-9 and f"Propose {advice.word.upper()}: at " in advice.text
        assert all(value_of_bits(after(weights, g, 13), 13) <= advice.chance + 1e-9 for g in TINY.guesses)
        return
    assert advice.raised == pytest.approx(tops[advice.guess, advice.epsilon], abs=1e-9)
    assert f"Asking {advice.guess.upper()} at {advice.epsilon:g} raises " in advice.text
    if advice.text.endswith("is worth it."):
        assert advice.raised - advice.epsilon / PRICE == pytest.approx(best, abs=1e-9) and best > advice.chance - 1e-9
    else:
        assert best <= advice.chance + 1e-9
        value = value_of_bits(after(weights, advice.guess, advice.epsilon), advice.epsilon)
        assert value > advice.chance - 1e-9 and advice.text.endswith("with the asks that follow.")


@pytest.mark.heavy
def test_games_of_other_kinds(original):
    twice = Posterior(original).update("crate", 13, "ccccc").update("crate", 13, "ccccc")
    assert when_to_propose(twice).text == "Propose CRATE: at 97.2% no ask is worth its price."
    assert when_to_propose(Posterior(original).update("crate", 13, ".....")).guess  # however clear the next one may be
    one, two = (WordList("few", SMALL.answers[:n], SMALL.guesses) for n in (1, 2))
    assert (when_to_propose(Posterior(one)).guess, when_to_propose(Posterior(one)).chance) == (None, 1.0)
    assert when_to_propose(Posterior(two)).text.endswith("is worth it.")
    long = original.guesses[::2]
    assert when_to_propose(Posterior(WordList("long", long, long))).guess  # a longer list is worth a game, too
    levels = Posterior(SMALL, channel="levels:9,3,1,1,1,1")
    assert when_to_propose(levels).epsilon == pytest.approx(math.log(9))
    for other in (Posterior(SMALL, right_ends=True), Posterior(SMALL, channel=Fibble)):
        assert "in games that end with a proposal, and whose clues have a price" in refusal(when_to_propose, other)


EIGHT = list_of("eight", ("abcdefgh", "bacdefgh", "aaaaaaaa"), ("hgfedcba",))


def reached(words, lies, guess):
    """Whether each answer can give each noisy clue to a guess: [answers, clues]."""
    channel = Fibble(length=words.length, lies=lies)
    return np.array([channel.likelihood(int(clue(guess, answer, "counted"))) > 0 for answer in words.answers])


def belief_of(words, lies, turns=1, seed=0):
    """A posterior after some true games of an answer."""
    rng = np.random.default_rng(seed)
    belief = Posterior(words, "counted", channel_family(f"fibble:{lies}"), right_ends=True)
    answer = int(rng.integers(len(words.answers)))
    for guess in (words.guesses[int(rng.integers(len(words.guesses)))] for _ in range(turns)):
        if guess != words.answers[answer]:
            belief = belief.update(guess, math.inf, int(reached(words, lies, guess)[answer].argmax()))
    return belief


def left_after(belief, guess, lies):
    """The answers left after each noisy clue to a wrong guess: lists of indices."""
    clues = reached(belief.words, lies, guess)
    clues[[at for at, word in enumerate(belief.words.answers) if word == guess or at not in belief.possible]] = False
    return [np.flatnonzero(row).tolist() for row in clues.T]


@pytest.mark.parametrize("words", [SMALL, SIX, EIGHT], ids=lambda words: words.name)
@pytest.mark.parametrize("lies", [0, 1, 5])
def test_expected_wins_go_through_every_noisy_clue(words, lies):
    belief = belief_of(words, lies)
    values = np.random.default_rng(lies).random(len(words.answers) + 1)
    values[0] = 0.0
    tried = list(range(0, len(words.guesses), max(1, len(words.guesses) // 7)))
    each = Fibble(length=words.length, lies=lies).noisy_clues
    expected = []
    for guess in tried:
        word = words.guesses[guess]
        right = any(words.answers[answer] == word for answer in belief.possible)
        expected.append(right + sum(values[len(left)] for left in left_after(belief, word, lies)) / each)
    found = expected_wins(belief, math.inf, values, tried)
    assert found == pytest.approx(np.array(expected) / len(belief.possible), rel=1e-12)
    assert expected_wins(belief, math.inf, values)[tried].tolist() == found.tolist()


@pytest.mark.parametrize("lies", [0, 1, 3, 4, 5])
def test_chances_in_three_are_the_best_of_two_after_every_noisy_clue(lies):
    belief = next(b for b in (belief_of(SMALL, lies, turns=2 + s, seed=s) for s in range(99)) if len(b.possible) < 9)
    tried = [0, 7, int(SMALL.answers_as_guesses[belief.possible[0]])]
    one = np.minimum(np.arange(len(SMALL.answers) + 1.0), 1.0)
    each = Fibble(lies=lies).noisy_clues
    for guess, found in zip(tried, chances_in_three(belief, math.inf, tried), strict=True):
        word = SMALL.guesses[guess]
        wins = float(any(SMALL.answers[answer] == word for answer in belief.possible))
        for left in left_after(belief, word, lies):
            if left:
                prior = np.zeros(len(SMALL.answers))
                prior[left] = 1.0
                rest = Posterior(SMALL, belief.rule, belief.channel, prior, right_ends=True)
                wins += len(left) * expected_wins(rest, math.inf, one).max() / each
        assert found == pytest.approx(wins / len(belief.possible), rel=1e-12)


def test_only_possible_answers_that_are_equally_likely_can_be_counted():
    fibble = Posterior(SMALL, channel=Fibble, right_ends=True)
    assert counts_answers(fibble, math.inf)
    assert counts_answers(Posterior(SMALL), math.inf)
    weights = np.arange(1.0, len(SMALL.answers) + 1)
    for belief, epsilon in [(Posterior(SMALL), 12.0), (Posterior(SMALL, channel=Fibble, prior=weights), math.inf)]:
        assert not counts_answers(belief, epsilon)
        assert "equally likely" in refusal(expected_wins, belief, epsilon, np.ones(len(weights) + 1))
        assert "equally likely" in refusal(chances_in_three, belief, epsilon, [0])
    for values in ([1.0], np.full(len(weights) + 1, math.nan)):
        assert f"must be {len(weights) + 1} finite numbers" in refusal(expected_wins, fibble, math.inf, values)
    assert "indices" in refusal(chances_in_three, fibble, math.inf, [len(SMALL.guesses)])
