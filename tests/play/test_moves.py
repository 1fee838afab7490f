"""Moves: what the referee accepts, and that nothing else gets past it."""

import decimal
import fractions
import math

import numpy as np
import pytest

from tests.support.helpers import SMALL
from wordpl import Answer, Ask
from wordpl.play.moves import InvalidMoveError, read_move

GUESS_ONLY = next(word for word in SMALL.guesses if word not in SMALL.answers)
WORD = SMALL.answers[3]


class Tensor:
    """A number of another library, whose `dtype` is not NumPy's."""

    dtype = object()

    def __float__(self):
        return 4.5


class NoRepr:
    def __repr__(self):
        raise RuntimeError("no repr today")


def refusal(raw, noiseless=False):
    with pytest.raises(InvalidMoveError) as caught:
        read_move(raw, SMALL, noiseless)
    reason = str(caught.value)
    assert 0 < len(reason) <= 160
    assert all(" " <= character <= "~" for character in reason)
    return reason


@pytest.mark.parametrize(
    "epsilon",
    [
        *(5e-324, 1e-9, 0.5, 3, 13.0, 1e300, np.float32(2.5), np.int64(7), np.float64(9), Tensor()),
        *(np.array(18.0), np.array(18), fractions.Fraction(21, 2), decimal.Decimal("10.5"), np.float32("inf")),
    ],
)
@pytest.mark.parametrize("guess", [WORD, GUESS_ONLY])
def test_asks(guess, epsilon):
    for raw in (Ask(guess, epsilon), (guess, epsilon), [guess, epsilon]):
        assert read_move(raw, SMALL, math.isinf(float(epsilon))) == Ask(guess, float(epsilon))


@pytest.mark.parametrize(
    ("epsilon", "reason"),
    [
        (np.float32("nan"), "NaN"),
        pytest.param(10**5000, "too large", id="large"),
        (decimal.Decimal("1e400"), "too large"),
        (np.array([1.0]), "[1.]) is not a number"),
        (1j, "epsilon 1j is not a number"),
        *((value, "not a number") for value in (True, np.True_, np.timedelta64(3, "s"))),
        ("5", "not a number"),
    ],
)
def test_illegal_epsilons(epsilon, reason):
    for move in (Ask(WORD, epsilon), (WORD, epsilon)):
        assert reason in refusal(move)


def test_a_pair_with_epsilon_zero_or_below_proposes():
    for epsilon in (0, 0.0, -0.0, np.float64(0), np.int32(0), -5e-324, -1, -math.inf, -(10**5000)):
        assert read_move((WORD, epsilon), SMALL, False) == read_move(Answer(WORD), SMALL, False) == Answer(WORD)
        assert "not above 0" in refusal(Ask(WORD, epsilon))


@pytest.mark.parametrize("word", ["xxxxx", "", WORD.upper(), WORD + " ", WORD.encode(), None, 5, [WORD], "é" * 9999])
def test_unknown_words(word):
    assert "not in the list of guesses" in refusal(Ask(word, 1.0))
    assert "not in the list of guesses" in refusal((word, 1.0))
    assert "not in the list of answers" in refusal(Answer(word))
    assert "not in the list of answers" in refusal((word, 0))
    assert "not in the list of answers" in refusal(Answer(GUESS_ONLY))


def test_wrong_shapes_and_objects_that_err():
    for raw in (None, WORD, (WORD,), (WORD, 1.0, 2), {WORD: 1.0, 2: 3}, 10**5000, "line\nline\x1b[31m é" * 500):
        assert "neither Ask, Answer nor a pair" in refusal(raw)
    for raw in (NoRepr(), (NoRepr(), 1.0), (10**5000, 1.0)):
        refusal(raw)
