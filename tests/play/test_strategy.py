"""Strategies as values, schedules, plans, and contest classes; and moves: what the referee accepts, and that nothing
else gets past it."""

import decimal
import fractions
import math
import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest

import wordpl
from tests.support.helpers import SMALL, all_variants
from tests.support.refusals import refusal
from wordpl import Answer, Ask, HistoryStrategy, Plan, Round, from_contest, parse_strategy, schedule
from wordpl.play.moves import InvalidMoveError, read_move
from wordpl.simulation.tasks import make_task

A = SMALL.answers[5]


@pytest.mark.parametrize("strategy", all_variants(), ids=repr)
def test_repr_and_pickle_round_trip(strategy):
    for again in (parse_strategy(repr(strategy)), pickle.loads(pickle.dumps(strategy))):  # noqa: S301
        assert again == strategy
        assert type(again) is type(strategy)
        assert (repr(again), hash(again), again.identity) == (repr(strategy), hash(strategy), strategy.identity)


def test_what_a_spec_says_is_told_in_one_form_and_whether_there_is_noise():
    text = "MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=200)"
    assert repr(parse_strategy(text)) == text
    assert repr(parse_strategy("MaxClueEntropy(3, 13)")) == text
    assert parse_strategy(text).family == "MaxClueEntropy(n_guesses=3, monte_carlo=200)"
    assert repr(parse_strategy("NGuess(2, (7.8, inf))")) == "NGuess(n_guesses=2, epsilon=(7.8, inf))"
    for epsilon, noiseless in (("inf", True), ("(5, inf)", True), ("1e300", False), ("(1,2)", False)):
        strategy = parse_strategy(f"Greedy(epsilon={epsilon})")
        assert strategy.noiseless is make_task(strategy, words=SMALL).setting.noiseless is noiseless


def test_a_schedule_is_of_exact_floats_one_for_each_ask():
    for one in (13, np.float64(13), np.int32(13)):
        assert (schedule(one, 1), type(schedule(one))) == (13.0, float)
        assert [(type(entry), entry) for entry in schedule([one, 2], 2)] == [(float, 13.0), (float, 2.0)]
    assert "is empty" in refusal(schedule, ())
    for several, n in (((1, 2), 3), ((1, 2, 3), 2), ([1], 2)):
        assert "one for each" in refusal(schedule, several, n)
        assert schedule(several) == tuple(map(float, several))


class Contestant:
    """As written for the contest: guesses the same word twice, then proposes by epsilon 0."""

    def __init__(self, epsilon=3.0):
        self.epsilon = epsilon

    def first_move(self):
        self.seen = []
        return A, self.epsilon

    def next_move(self, guess, epsilon, clues):
        self.seen.append((guess, epsilon, clues))
        assert all(len(clue) == 5 and set(clue) <= set("ci.") for _, _, clue in self.seen)
        return (A, self.epsilon) if len(self.seen) < 2 else (SMALL.answers[0], 0)


def test_a_contest_class_plays_as_the_same_strategy_of_ours():
    @dataclass(frozen=True, repr=False)
    class Ours(HistoryStrategy):
        def decide(self, setting, history):
            return Ask(A, 3.0) if len(history) < 2 else Answer(SMALL.answers[0])

    columns = ["answer", "proposed", "verdict", "budget", "turns", "chance"]
    theirs = from_contest(Contestant())
    assert repr(from_contest(Contestant(), "Mine(2)")) == "Mine(2)"
    assert repr(theirs) == theirs.label == theirs.family == "Contestant()"
    one = wordpl.evaluate(theirs, 100, words=SMALL).frame[columns]
    assert one.equals(wordpl.evaluate(Ours(), 100, words=SMALL).frame[columns])


def test_what_is_no_configuration_is_refused():
    """Results are filed under a strategy's identity, so it must have one."""

    class Plain(HistoryStrategy):
        def decide(self, setting, history):
            return Answer(A)

    @dataclass
    class Changeable(Plain):
        epsilon: float = 1.0

    @dataclass(frozen=True, repr=False)
    class Unhashable(Plain):
        table: list[int] = field(default_factory=list)

    told = "cannot be told from other strategies (unhashable type: 'list'); write @dataclass(frozen=True, repr=False)"
    assert told in refusal(make_task, Unhashable(), words=SMALL)
    for strategy in (Plain(), Changeable()):
        assert "dataclass" in refusal(make_task, strategy, words=SMALL)


def test_the_worst_game_takes_the_dearest_ask_of_each_turn():
    rounds = Round("clue_entropy", 3.0), Round("likeliest", 4.0)
    moves = {(): ("crate", 5.0), (1,): ("moult", 2.0), (1, 2): ("sheep", 6.0), (1, 3, 0): ("sheep", 1.0)}
    assert Plan().worst == 0.0
    assert Plan(rounds).worst == 3.0 + 4.0
    assert Plan(moves=moves).worst == 5.0 + 2.0 + 6.0 + 1.0
    assert Plan(rounds, moves).worst == 5.0 + 4.0 + 6.0 + 1.0
    assert Plan(rounds, moves, budget=9.0).worst == 9.0
    assert Plan(rounds, certainty=0.9, endless=True).worst == math.inf
    assert "'guesswork'" in refusal(Round, "guesswork")


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


def refused(raw, noiseless=False):
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
        assert reason in refused(move)


def test_a_pair_with_epsilon_zero_or_below_proposes():
    for epsilon in (0, 0.0, -0.0, np.float64(0), np.int32(0), -5e-324, -1, -math.inf, -(10**5000)):
        assert read_move((WORD, epsilon), SMALL, False) == read_move(Answer(WORD), SMALL, False) == Answer(WORD)
        assert "not above 0" in refused(Ask(WORD, epsilon))


@pytest.mark.parametrize("word", ["xxxxx", "", WORD.upper(), WORD + " ", WORD.encode(), None, 5, [WORD], "é" * 9999])
def test_unknown_words(word):
    assert "not in the list of guesses" in refused(Ask(word, 1.0))
    assert "not in the list of guesses" in refused((word, 1.0))
    assert "not in the list of answers" in refused(Answer(word))
    assert "not in the list of answers" in refused((word, 0))
    assert "not in the list of answers" in refused(Answer(GUESS_ONLY))


def test_wrong_shapes_and_objects_that_err():
    for raw in (None, WORD, (WORD,), (WORD, 1.0, 2), {WORD: 1.0, 2: 3}, 10**5000, "line\nline\x1b[31m é" * 500):
        assert "neither Ask, Answer nor a pair" in refused(raw)
    for raw in (NoRepr(), (NoRepr(), 1.0), (10**5000, 1.0)):
        refused(raw)
