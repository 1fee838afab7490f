"""Strategies as values, schedules, plans, and the two adapters: one decision a history, contest classes."""

import math
import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest

import wordpl
from tests.support.helpers import SMALL, all_variants
from tests.support.refusals import refusal
from wordpl import Answer, Ask, HistoryStrategy, Plan, Round, Setting, from_contest, parse_strategy, schedule
from wordpl.play.setting import Turn
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
    """`tests/test_arguments.py` has what numbers are."""
    for one in (13, np.float64(13), np.int32(13)):
        assert (schedule(one, 1), type(schedule(one))) == (13.0, float)
        assert [(type(entry), entry) for entry in schedule([one, 2], 2)] == [(float, 13.0), (float, 2.0)]
    assert "is empty" in refusal(schedule, ())
    for several, n in (((1, 2), 3), ((1, 2, 3), 2), ([1], 2)):
        assert "one for each" in refusal(schedule, several, n)
        assert schedule(several) == tuple(map(float, several))


def test_each_history_of_a_setting_is_decided_once():
    decided = []

    class Decider(HistoryStrategy):
        def decide(self, setting, history):
            decided.append(history)
            return Ask(A, 2.0) if len(history) < 2 else Answer(A)

    decider = Decider()
    maker = decider.players(Setting(SMALL))
    players = [maker(seed) for seed in range(3)]
    for player in players:
        assert player.first_move() == Ask(A, 2.0)
    for player, clues in zip(players, ("..icc", ".....", "..icc"), strict=True):
        assert player.next_move(A, 2.0, clues) == Ask(A, 2.0)
        assert player.next_move(A, 2.0, "ccccc") == Answer(A)
    turns = [tuple(Turn(A, 2.0, code) for code in codes) for codes in ((), (17,), (17, 242), (0,), (0, 242))]
    assert decided == turns
    assert players[1].first_move() == Ask(A, 2.0), "another game begins"
    decider.players(Setting(SMALL, "counted"))(0).first_move()
    assert decided == [*turns, ()]


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
