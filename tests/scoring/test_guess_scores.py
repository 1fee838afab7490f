"""Scores of guesses against enumeration on small lists, and against published numbers."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from tests.support import oracles
from tests.support.helpers import SMALL
from tests.support.refusals import refusal
from wordpl import (
    Posterior,
    WordList,
    best_guess,
    best_guesses,
    clue_row,
    load_words,
    score_guesses,
    score_word,
    tied_guesses,
)
from wordpl.scoring import rank_guesses
from wordpl.scoring.guess_statistics import statistics_of

ALL_OF_ABC = tuple(a + b + c for a in "abc" for b in "abc" for c in "abc")
EVERYTHING = WordList("abc", ALL_OF_ABC, ALL_OF_ABC)


def least_likely(belief, epsilon, guesses):
    """Minus the largest probability of a clue."""
    return [-belief.clue_probabilities(belief.words.guesses[at], epsilon).max() for at in guesses]


def test_a_criterion_of_ones_own_ranks_guesses(tmp_path):
    """A function, and one in a file; against the largest of the scores in plain Python."""
    belief = Posterior(SMALL).update(SMALL.answers[0], 3.0, "..icc")
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def __call__(self, belief, epsilon, guesses):\n        return -guesses\n"
    )
    scores = dict(zip(SMALL.guesses, least_likely(belief, 5.0, range(len(SMALL.guesses))), strict=True))
    assert best_guess(belief, 5.0, least_likely) == max(SMALL.guesses, key=scores.__getitem__)
    assert best_guesses(belief, 5.0, least_likely, 3) == sorted(scores.items(), key=lambda pair: -pair[1])[:3]
    ranked = rank_guesses(belief, [5.0], least_likely, 4)
    assert ranked["least_likely"].tolist() == sorted(scores.values(), reverse=True)[:4]
    assert best_guess(belief, 5.0, f"{tmp_path}/mine.py:Mine") == SMALL.guesses[0]
    for wrong, said in (
        (lambda *_: [1.0], "scores of shape (1,)"),
        (lambda belief, epsilon, guesses: [math.nan, *guesses[1:]], f"for {len(SMALL.guesses)} guesses, or NaN"),
        (3, "no function"),
        ("mine.py:Other", "mine.py"),
    ):
        assert said in refusal(score_guesses, belief, 5.0, wrong)
    assert "takes no draws" in refusal(score_guesses, belief, 5.0, least_likely, draws=5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"criterion": "entropy"}, "unknown criterion 'entropy': did you mean 'clue_entropy'"),
        ({"separate_draws": True}, "separate_draws needs a number of draws"),
        ({"separate_draws": True, "draws": 9, "criterion": "parts"}, "and the criterion clue_entropy"),
        ({"draws": 10**9 + 1}, "draws 1000000001 is not allowed; a whole number from 1 to "),
    ],
)
def test_bad_request(options, said):
    for ask in (score_guesses, best_guess):
        assert said in refusal(ask, Posterior(EVERYTHING), **{"epsilon": 1.0, **options})


def test_no_guesses_and_lists_of_lists_are_no_choice():
    belief = Posterior(EVERYTHING)
    for ask in (best_guess, tied_guesses):
        assert "no guesses to choose from" in refusal(ask, belief, 1.0, guesses=[])
    for some in ([[0], [1]], [[0], [1, 2]], 3):
        assert "a list of indices" in refusal(score_guesses, belief, 1.0, guesses=some)


def test_a_ranking_of_a_few_words_has_the_best_first_and_the_odds():
    """Fewer answers left are better."""
    belief, criterion = Posterior(SMALL), "expected_remaining"
    ranked = rank_guesses(belief, [2.0, 1000.0], criterion, 2, guesses=SMALL.guesses[:9])
    best = [sorted(score_guesses(belief, epsilon, criterion)[:9])[:2] for epsilon in (2.0, 1000.0)]
    assert ranked[criterion].tolist() == pytest.approx([*best[0], *best[1]])
    assert ranked["odds"].tolist() == [pytest.approx(math.exp(2.0))] * 2 + [math.inf] * 2
    assert len(rank_guesses(belief, [1.0], guesses=SMALL.guesses[:12])) == 12
    every = rank_guesses(belief, [1.0, 9.0])
    assert every["epsilon"].tolist() == [1.0] * 10 + [9.0] * 10
    assert every["word"].tolist() == [
        word for e in (1.0, 9.0) for word, _ in best_guesses(belief, e, "clue_entropy", 10)
    ]
    assert "'zzzzz' is not among the guesses of small" in refusal(rank_guesses, belief, [1.0], guesses=["zzzzz"])
    found = statistics_of(belief, 2.0, SMALL.answers[3])
    told = f"{found.bits:.4f} bits, {found.expected_remaining:.2f} expected remaining, chance {1 / 39:.4g}"
    assert repr(found) == f"<GuessStatistics {SMALL.answers[3]}: {told}>"


REFERENCE = [
    *(("clue_entropy", 5e-9, 1, *pair) for pair in (("crate", 7.91566057), ("salet", 7.91566436))),
    *(("clue_entropy", 5e-9, 5, *pair) for pair in (("crate", 7.67434023), ("salet", 7.67388198))),
    *(("clue_entropy", 5e-9, 12.3, *pair) for pair in (("crate", 6.74608566), ("salet", 6.74515236))),
    *(("clue_entropy", 5e-9, 25, *pair) for pair in (("crate", 5.94732943), ("salet", 5.94736528))),
    *(("expected_top", 5e-5, 9.3, *pair) for pair in (("trace", 0.0183), ("salet", 0.0181))),
    *(("expected_top", 5e-5, epsilon, "trace", value) for epsilon, value in ((12.3, 0.0310), (25, 0.0608))),
    *(("clue_entropy", 5e-4, epsilon, "soare", value) for epsilon, value in ((12.3, 6.826), (25, 6.013))),
]


@pytest.mark.parametrize(("criterion", "digits", "epsilon", "word", "expected"), REFERENCE)
def test_reference_scores(original, criterion, digits, epsilon, word, expected):
    found = score_guesses(Posterior(original), epsilon, criterion, guesses=[original.guess_index[word]])
    assert found == pytest.approx([expected], abs=digits, rel=0)
    if word == "soare":  # the best opener
        assert best_guess(Posterior(original), epsilon) == best_guess(Posterior(original), epsilon, "information_gain")
        assert best_guess(Posterior(original), epsilon) == word


def test_possible_answers_count_however_improbable_they_are(original):
    belief, codes = Posterior(original).update("crane", 1000.0, "ccccc"), clue_row("salet", original)
    assert np.count_nonzero(belief.probabilities) < len(original.answers)
    for criterion, size in (("parts", len(set(codes))), ("largest_part", np.bincount(codes).max())):
        scores = score_guesses(belief, 1000.0, criterion, guesses=[original.guess_index["salet"]])
        assert scores.tolist() == [size] == [score_word(belief, 1000.0, "salet")[criterion]]


@pytest.mark.parametrize("epsilon", [13.0, math.inf])
def test_where_the_true_clue_is_known_there_are_no_bits(original, epsilon):
    belief = Posterior(original, "counted").update("serve", math.inf, ".i..c")
    for criterion in ("information_gain", "renyi", "clue_entropy")[: 3 if epsilon == math.inf else 2]:
        (score,) = score_guesses(belief, epsilon, criterion, guesses=[original.guess_index["serve"]])
        assert str(score) == "0.0", "and not minus zero"


@pytest.mark.parametrize("doubt", [1e-2, 1e-15])
@pytest.mark.parametrize("order", [0.1, 1 - 1e-4, 1 + 1e-8, 7.0, math.inf])
def test_renyi_keeps_its_digits_near_certainty_and_near_order_one(order, doubt):
    """Against arithmetic of 60 digits; the docstring of `score_guesses` says how many digits."""
    words = WordList("few", ALL_OF_ABC[:5], ALL_OF_ABC[::4])
    belief = Posterior(words, prior=[1.0, doubt, doubt / 2, doubt / 3, doubt**2])
    digits = 1e-12 if order == math.inf else max(1e-12, 1e-14 / abs(order - 1.0))
    for epsilon in (1.0, 200.0):
        found = score_guesses(belief, epsilon, "renyi", order=order)
        with mp.workdps(60):
            expected = [exact_renyi(belief, epsilon, guess, order) for guess in words.guesses]
        assert found == pytest.approx(np.array(expected, dtype=float), rel=0.0, abs=digits)


def exact_renyi(belief, epsilon, guess, order):
    """Arimoto's mutual information: of the norms of the joint probabilities with each noisy clue."""
    noise, p = oracles.randomized_response(epsilon, 3, exact=True), [mpf(x) for x in belief.probabilities]
    after = sum(norm(row, order) for row in oracles.joint_table(belief.words.answers, belief.rule, p, guess, noise))
    factor = mpf(1) if order == math.inf else mpf(order) / (mpf(order) - 1)
    return factor * mp.log(after / norm(p, order), 2)


def norm(values, order):
    return max(values) if order == math.inf else sum(x ** mpf(order) for x in values) ** (1 / mpf(order))


def test_a_table_of_words_has_ties_in_order_and_is_by_order_two():
    belief, some = Posterior(SMALL), SMALL.guesses[:8]
    assert rank_guesses(belief, [1e-7], guesses=some)["word"].tolist() == list(some)
    ranked, said = (rank_guesses(belief, [2.0], "renyi", guesses=some, **order) for order in ({}, {"order": 2.0}))
    assert ranked.equals(said)


# word: bits, number of parts, largest part; on the answers of original and of nyt2022.
# reference.md has 142 parts for TIARE on the latter, and is wrong: of what it lacks, FIBRE was alone in its part.
NOISELESS = {
    "soare": ((5.885960, 127, 183), (5.885203, 127, 182)),
    "tarse": ((5.946725, 147, 227), (5.948975, 147, 226)),
    "tiare": ((5.931203, 142, 194), (5.929954, 141, 193)),
    "roate": ((5.882779, 126, 195), (5.884856, 126, 194)),
    "raise": ((5.877910, 132, 168), (5.878303, 132, 167)),
    "trace": ((5.830549, 150, 246), (5.830429, 150, 246)),
    "qajaq": ((1.891836, 18, 1369), (1.890193, 18, 1366)),
}


@pytest.mark.heavy
@pytest.mark.parametrize(("answers", "column"), [("original", 0), ("nyt2022", 1)])
def test_reference_noiseless_table(answers, column):
    words = WordList("mixed", load_words(answers).answers, load_words("nyt2022").guesses)
    belief, chosen = Posterior(words, "counted"), [words.guess_index[word] for word in NOISELESS]
    bits, parts, largest = zip(*(row[column] for row in NOISELESS.values()), strict=True)
    np.testing.assert_allclose(score_guesses(belief, math.inf, guesses=chosen), bits, rtol=0, atol=5e-7)
    assert score_guesses(belief, math.inf, "parts", guesses=chosen).tolist() == list(parts)
    assert score_guesses(belief, math.inf, "largest_part", guesses=chosen).tolist() == list(largest)
