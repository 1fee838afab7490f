"""The referee: clues, noise, scores, verdicts, turns, and the chance of a proposal."""

import math
import re
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.generators import RULE
from tests.support.helpers import SMALL, Scripted, direct_bayes, marks_of
from tests.support.refusals import refusal
from wordpl import Answer, Ask, Fibble, GameFormat, Referee, Setting, Turn, clue
from wordpl.play.moves import InvalidMoveError
from wordpl.play.referee import ForfeitError, Verdict, chance

A, B = SMALL.answers[5], SMALL.answers[9]


def played(*moves, trial=0, noiseless=False, words=SMALL, rule="letterwise"):
    player = Scripted(*moves)
    referee = Referee(Setting(words, rule, noiseless=noiseless), seed=3)
    return referee.play(trial, player), player


def test_a_game_has_the_time_of_all_moves_and_that_of_the_slowest(monkeypatch):
    clock = iter([0.0, 1.0, 1.5, 6.5, 7.0, 9.0])  # moves of 1, 5 and 2 seconds, and the referee's time between them
    monkeypatch.setattr("wordpl.play.referee.perf_counter", lambda: next(clock))
    game, _ = played(Ask(A, 2.0), Ask(B, 2.0), Answer(A))
    assert (game.seconds, game.slowest) == (8.0, 5.0)


ASK = st.tuples(st.none() | st.sampled_from(SMALL.guesses), st.sampled_from([0.1, 0.2, 4.5, 12.34567891, 1.7e308]))


@given(st.integers(0, 50), st.lists(ASK, max_size=5), st.none() | st.sampled_from(SMALL.answers), RULE)
@example(2, [(A, 4.5), (B, 0.1), (B, 0.2)], None, "letterwise")
@example(2, [(B, 0.1), (None, 0.2)], A, "letterwise")  # the right word is asked last, and a wrong one proposed
@example(2, [(B, 1.7e308)] * 2, None, "letterwise")
def test_a_game_of_the_contest_whole_and_move_by_move(trial, asks, proposed, rule):
    """Its budget, score and turns in plain code. A word that is None is the answer."""
    referee = Referee(Setting(SMALL, rule), 3)
    opened = referee.open(trial)
    answer = opened.game.answer
    asks, proposed = [(guess or answer, epsilon) for guess, epsilon in asks], proposed or answer
    game = referee.play(trial, Scripted(*asks, Answer(proposed)))
    for ask in asks:
        assert opened.take(Ask(*ask)) == opened.game.history[-1]
    assert opened.take((proposed, 0)) is None
    assert (opened.game.history, opened.game.verdict, opened.game.proposed) == (game.history, game.verdict, proposed)
    won, budget = proposed == answer, float(f"{sum(Decimal(str(epsilon)) for _, epsilon in asks):.9e}")
    assert [turn[:2] for turn in game.history] == asks and game.answer == answer
    assert (game.verdict, game.won, game.proposed, game.reason) == ("WIN" if won else "LOSS", won, proposed, "")
    assert (game.budget, game.score) == (budget, budget if won else math.inf)
    assert game.turns == len(asks) + (not asks or asks[-1][0] != answer)
    said = f"{len(asks)} ask{'s' * (len(asks) != 1)}, budget {budget:g}"
    assert repr(game) == f"<Game {trial}: {game.verdict}, {answer}, {said}>"


def raising(error, asks=0):
    """A player that raises this at its first move, or after an ask."""

    def raises(*_):
        raise error

    return SimpleNamespace(first_move=(lambda: (A, 1.0)) if asks else raises, next_move=raises)


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError("nothing to say")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("first line\nsecond\r\n\tthird é\x00\x1b"), "ValueError: first line second third"),
        (RuntimeError("x" * 10_000), "RuntimeError: xxx"),
        (SilentError(), "SilentError"),
        (GeneratorExit(), "GeneratorExit"),
        (type("Bad\nName", (Exception,), {})("x"), "Bad Name: x"),
    ],
)
@pytest.mark.parametrize("asks", [0, 1])
def test_a_strategy_that_errs_loses_and_the_run_goes_on(error, reason, asks):
    player = raising(error, asks)
    game = Referee(Setting(SMALL), 1).play(0, player)
    assert (game.verdict, game.score, len(game.history), game.turns) == ("CRASH", math.inf, asks, asks + 1)
    line = player.next_move.__code__.co_firstlineno + 1
    assert game.reason.startswith(f"test_referee.py:{line}: {reason}")
    assert len(game.reason) <= 200
    assert all(" " <= character <= "~" for character in game.reason)


def test_only_the_user_stops_a_game_and_no_reason_names_the_line_of_a_library():
    with pytest.raises(KeyboardInterrupt):
        Referee(Setting(SMALL), 1).play(0, raising(KeyboardInterrupt()))
    player = SimpleNamespace(first_move=lambda: np.linalg.inv(np.zeros((2, 2))))
    reason = Referee(Setting(SMALL), 1).play(0, player).reason
    assert re.fullmatch(r"test_referee\.py:\d+: LinAlgError: Singular matrix", reason)


HISTORIES = st.lists(
    st.builds(Turn, st.sampled_from(SMALL.guesses), st.sampled_from([0.01, 3.0, 13.0, 60.0]), st.integers(0, 242)),
    max_size=4,
).map(tuple)


@settings(max_examples=30)
@given(HISTORIES, RULE)
def test_chance_is_direct_bayes(history, rule):
    expected = direct_bayes(SMALL, history, rule)
    setting = Setting(SMALL, rule)
    for word, probability in expected.items():
        assert chance(setting, history, word) == pytest.approx(probability, rel=1e-9, abs=1e-300)


def test_an_epsilon_that_the_channel_does_not_have_is_no_legal_move():
    setting = Setting(SMALL, channel=Fibble, noiseless=True)
    game = Referee(setting, seed=3).play(0, Scripted(Ask(A, 5.0)))
    assert (game.verdict, game.history) == ("INVALID", ())
    assert "infinite budget" in game.reason
    assert Referee(setting, seed=3).play(0, Scripted(Ask(A, math.inf), Answer(A))).verdict in ("WIN", "LOSS")


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_forfeit_is_a_loss_whatever_it_claims(verdict):
    game = Referee(Setting(SMALL), 1).play(0, raising(ForfeitError(verdict, "gave\nup")))
    assert game.verdict == (Verdict.CRASH if verdict in (Verdict.WIN, Verdict.LOSS) else verdict)
    assert game.reason == "gave up"
    assert game.score == math.inf


@pytest.mark.parametrize(
    ("limits", "move", "reason"),
    [
        ({}, Ask("xxxxx", 1.0), "guess 'xxxxx' is not in the list of guesses"),
        ({}, Answer("xxxxx"), "proposed 'xxxxx' is not in the list of answers"),
        ({}, Ask(A, 0.0), "epsilon 0.0 of an ask is not above 0"),
        ({}, (A, math.inf), "epsilon inf is not allowed in a game with a finite budget"),
        ({}, None, "move None is neither Ask, Answer nor a pair (word, epsilon)"),
        ({"max_asks": 1}, (A, 1.0), "asked more than 1 times"),
        ({"min_epsilon": 0.001}, (A, 5e-324), "asked with epsilon 5e-324; the smallest is 0.001"),
        ({"min_epsilon": 0.001}, Ask(A, 0.000999), "asked with epsilon 0.000999; the smallest is 0.001"),
    ],
)
def test_an_illegal_move_changes_nothing_and_loses(limits, move, reason):
    referee, first = Referee(Setting(SMALL), 3, **limits), Ask(A, limits.get("min_epsilon", 2.0))
    opened = referee.open(0)
    turn = opened.take(first)
    with pytest.raises(InvalidMoveError, match=f"^{re.escape(reason)}$"):
        opened.take(move)
    assert (opened.game.history, opened.game.proposed) == ((turn,), None)
    assert repr(opened) == f"<OpenGame of {opened.rules.setting!r}: 1 ask, budget {first.epsilon:g}>"
    assert opened.take((SMALL.answers[0], 0)) is None, "a proposal has no bounds"
    for asks in ([first], []) if "max_asks" not in limits else ([first],):
        game = referee.play(0, Scripted(*asks, move))
        assert (game.verdict, game.reason, len(game.history), game.proposed) == ("INVALID", reason, len(asks), None)
        assert (game.score, game.budget) == (math.inf, sum(ask.epsilon for ask in asks))


@pytest.mark.parametrize("trial", range(8))
def test_common_random_numbers(trial):
    """Same trial: same answer and same noise, whoever plays and whatever is asked, and whatever the answer is."""
    first, _ = played((A, 6.0), (B, 6.0), Answer(A), trial=trial)
    again, _ = played((A, 6.0), (B, 6.0), Answer(B), trial=trial)
    other, _ = played((B, 6.0), (A, 6.0), Answer(A), trial=trial)
    counted, _ = played((B, 6.0), (A, 6.0), Answer(A), trial=trial, rule="counted")
    assert first.answer == again.answer == other.answer == counted.answer
    assert first.history == again.history

    def shifts(game, rule="letterwise"):
        true = [marks_of(int(clue(turn.guess, game.answer, rule))) for turn in game.history]
        return [
            [(noisy - mark) % 3 for noisy, mark in zip(marks_of(turn.clue), marks, strict=True)]
            for turn, marks in zip(game.history, true, strict=True)
        ]

    assert shifts(first) == shifts(other) == shifts(counted, "counted")
    given = Referee(Setting(SMALL), 3).open(trial, B)
    given.take(Ask(A, 6.0))
    assert given.game.answer == B and shifts(given.game) == shifts(first)[:1]
    more, _ = played((A, 9.0), Answer(A), trial=trial)
    flipped_less = [k for k, shift in enumerate(shifts(more)[0]) if shift]
    assert set(flipped_less) <= {k for k, shift in enumerate(shifts(first)[0]) if shift}


def test_every_answer_can_have_its_game():
    n, every = len(SMALL.answers), Referee(Setting(SMALL, format=GameFormat(every_answer=True)), 3)
    found = [every.open(trial).game.answer for trial in (0, n - 1, n, 2 * n + 3)]
    assert found == [SMALL.answers[at] for at in (0, -1, 0, 3)]
    assert "'zzzzz' is not among the answers of small" in refusal(every.open, 2, "zzzzz")
