"""Two clues of real words: exact win rates and bounds, against brute force and plain NumPy, and the certificate."""

import math

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings

from experiments.bounds.two_clues import TwoClues
from experiments.bounds.word_list import TWO_CLUES_PROVED
from experiments.two_clues import PROOF, TABLE, audited, recomputed
from tests.support import oracles
from tests.support.generators import RULE, small_words
from tests.support.tops import noise_matrix
from wordpl import WordList

FINITE = st.floats(0.0, 30.0)
EPSILON = FINITE | st.just(math.inf)
LISTS = small_words(min_length=3, max_length=4, max_answers=9, max_others=4)
FEW = WordList("few", ("aab", "aba", "abc", "bca", "cab", "cba"), ("aab", "aba", "abc", "bca", "bcc", "cab", "cba"))


def enumerated(opener: str, first: float, second: float, words: WordList, rule: str) -> float:
    """The best win rate of two clues, by going through all second guesses after each noisy first clue."""

    def codes(guess: str) -> list[int]:
        return [oracles.code_of(oracles.clue_marks(guess, answer, rule)) for answer in words.answers]

    seconds = noise_matrix(words.length, second)
    total = 0.0
    for weights in noise_matrix(words.length, first)[:, codes(opener)]:
        total += max((seconds[:, codes(guess)] * weights).max(axis=1).sum() for guess in words.guesses)
    return total / len(words.answers)


@settings(max_examples=10)
@given(words=LISTS, rule=RULE, first=EPSILON, second=EPSILON, data=st.data())
def test_the_win_rate_is_that_of_brute_force_and_below_the_profile_bound(words, rule, first, second, data):
    opener = data.draw(st.sampled_from(words.guesses))
    win_rate = TwoClues(opener, words, rule).win_rate(first, second)
    assert win_rate == pytest.approx(enumerated(opener, first, second, words, rule), rel=1e-9)
    assert win_rate <= TwoClues(opener, words, rule).profile_bound(first, second)


@settings(max_examples=10)
@given(words=LISTS, first=FINITE, second=FINITE, data=st.data())
def test_plain_numpy_computes_the_same(words, first, second, data):
    opener = data.draw(st.sampled_from(words.guesses))
    pairs = TwoClues(opener, words)
    assert recomputed(opener, first, second, words, exact=True) == pytest.approx(pairs.win_rate(first, second))
    profile = recomputed(opener, first, second, words, exact=False)
    assert profile <= pairs.profile_bound(first, second) <= profile * (1.0 + 1e-4)


@settings(max_examples=15)
@given(words=LISTS, budget=st.floats(0.1, 40.0), ends=st.tuples(*[st.floats(0.0, 1.0)] * 2), at=st.floats(0.0, 1.0))
@example(words=FEW, budget=8.0, ends=(0.0, 0.8), at=0.5)
def test_between_two_splits_the_win_rate_rises_no_further(words, budget, ends, at):
    low, high = (budget * end for end in sorted(ends))
    assume((high - low) ** 2 < 16.0 * words.length)
    opener = TwoClues(words.guesses[0], words)
    middle = low + at * (high - low)
    at_ends = max(opener.win_rate(first, budget - first) for first in (low, high))
    assert opener.win_rate(middle, budget - middle) <= at_ends * TwoClues.rise(high - low, words.length) * (1.0 + 1e-9)


@pytest.mark.heavy
def test_trace_wins_what_the_policy_was_measured_to_win(original):
    row = pd.read_csv(TABLE).set_index("opener").loc["trace"]
    win_rate = TwoClues("trace", original).win_rate(row["first epsilon"], 14.3 - row["first epsilon"])
    assert win_rate == pytest.approx(row["win rate"], rel=1e-6)


@pytest.mark.heavy
def test_the_certificate_has_all_openers_and_the_bounds_use_it(original):
    table = pd.read_csv(PROOF)
    claims = audited(table, original)
    assert len(claims) >= (TwoClues.PARTS + 1) * len(original.guesses)
    assert {(original.digest, "letterwise"): (table["budget"].iloc[0], table["bound"].max())} == TWO_CLUES_PROVED


@pytest.mark.published
def test_claims_of_the_certificate_hold_when_computed_again(original):
    claims = audited(pd.read_csv(PROOF), original)
    for at in np.random.default_rng(3).choice(len(claims), 2, replace=False):
        opener, first, exact, most = claims[at]
        assert recomputed(opener, first, 14.31 - first, original, exact=exact) <= most


def test_a_claim_leaves_room_for_what_the_win_rate_rises_between_splits():
    codes = ["17p", "4p/2x12p", "p/x/2p2x13p"]
    rows = [[guess, 16.0, codes[at % 3], 0.049] for at, guess in enumerate(FEW.guesses)]
    certificate = pd.DataFrame(rows, columns=["opener", "budget", "splits", "bound"])
    claims = {claim.first: claim for claim in audited(certificate, FEW)[17 : 17 + 18]}
    assert claims[16.0].most == pytest.approx(0.049 / TwoClues.rise(1.0, 3))
    assert claims[3.5].most == pytest.approx(0.049 / TwoClues.rise(0.5, 3))
    assert claims[4.0].most == pytest.approx(0.049 / TwoClues.rise(1.0, 3))  # the wider of the two cells beside it
    assert (claims[3.5].exact, claims[16.0].exact) == (True, False)
