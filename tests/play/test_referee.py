"""The referee: clues, noise, scores, verdicts, turns, and the chance of a proposal."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.helpers import SIX, SMALL, Scripted, direct_bayes, marks_of
from tests.support.refusals import refusal
from wordpl import RULES, Answer, Ask, Fibble, Game, GameFormat, Referee, Setting, Turn, clue
from wordpl.play.moves import InvalidMoveError
from wordpl.play.referee import ForfeitError, Verdict, chance

A, B = SMALL.answers[5], SMALL.answers[9]


def played(*moves, trial=0, noiseless=False, words=SMALL, rule="letterwise"):
    player = Scripted(*moves)
    referee = Referee(Setting(words, rule, noiseless=noiseless), seed=3)
    return referee.play(trial, player), player


def answer_of(trial):
    return played(Answer(A), trial=trial)[0].answer


def test_a_game_has_the_time_of_all_moves_and_that_of_the_slowest(monkeypatch):
    clock = iter([0.0, 1.0, 1.5, 6.5, 7.0, 9.0])  # moves of 1, 5 and 2 seconds, and the referee's time between them
    monkeypatch.setattr("wordpl.play.referee.perf_counter", lambda: next(clock))
    game, _ = played(Ask(A, 2.0), Ask(B, 2.0), Answer(A))
    assert (game.seconds, game.slowest) == (8.0, 5.0)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("words", [SMALL, SIX])
def test_without_noise_the_clue_is_true(words, rule):
    for trial, guess in enumerate(words.guesses):
        game, player = played(
            Ask(guess, math.inf), Answer(words.answers[0]), trial=trial, noiseless=True, words=words, rule=rule
        )
        true = clue(guess, game.answer, rule)
        assert player.told == [(guess, math.inf, str(true))]
        assert game.history == (Turn(guess, math.inf, int(true)),)


def test_scores():
    right = answer_of(2)
    wrong = A if right != A else B
    won, _ = played((A, 4.5), Ask(B, 0.1), Ask(B, 0.2), (right, 0), trial=2)
    lost, _ = played((A, 4.5), Ask(B, 0.1), (wrong, 0), trial=2)
    assert (won.verdict, won.won, won.score, won.budget) == ("WIN", True, math.fsum([4.5, 0.1, 0.2]), won.score)
    assert (lost.verdict, lost.won, lost.score, lost.budget) == ("LOSS", False, math.inf, math.fsum([4.5, 0.1]))
    assert (won.proposed, lost.proposed, won.reason, lost.reason) == (right, wrong, "", "")
    assert repr(won) == f"<Game 2: WIN, {right}, 3 asks, budget 4.8>"
    assert played(Answer(right), trial=2)[0].score == 0.0
    assert [word for word in SMALL.answers if played(Answer(word), trial=2)[0].won] == [right]
    assert played((A, 1.7e308), (A, 1.7e308), (right, 0), trial=2)[0].score == math.inf


class Raising:
    """A player that raises this at its first move, or its second."""

    def __init__(self, error, at_first=True):
        self._error, self._at_first = error, at_first

    def first_move(self):
        if self._at_first:
            raise self._error
        return (A, 1.0)

    def next_move(self, guess, epsilon, clues):
        raise self._error


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
@pytest.mark.parametrize("at_first", [True, False])
def test_a_strategy_that_errs_loses_and_the_run_goes_on(error, reason, at_first):
    game = Referee(Setting(SMALL), 1).play(0, Raising(error, at_first))
    assert (game.verdict, game.score, len(game.history)) == ("CRASH", math.inf, 0 if at_first else 1)
    place, told = game.reason.split(": ", 1)
    assert told.startswith(reason)
    assert re.fullmatch(r"test_referee\.py:\d+", place)
    assert len(game.reason) <= 200
    assert all(" " <= character <= "~" for character in game.reason)


def test_only_the_user_stops_a_game():
    with pytest.raises(KeyboardInterrupt):
        Referee(Setting(SMALL), 1).play(0, Raising(KeyboardInterrupt()))


def test_the_reason_says_where_the_strategy_erred():
    """The last line of the user's own file: not ours, and not one of a library that it calls."""

    class Caller:
        def first_move(self):
            return np.linalg.inv(np.zeros((2, 2)))

    line = Caller.first_move.__code__.co_firstlineno + 1
    reason = Referee(Setting(SMALL), 1).play(0, Caller()).reason
    assert reason == f"test_referee.py:{line}: LinAlgError: Singular matrix"


@pytest.mark.parametrize(
    ("asked", "proposed", "turns"),
    [
        ([], "right", 1),
        (["wrong"], "right", 2),
        (["wrong", "right"], "wrong", 2),
        (["right", "wrong"], "right", 3),
        (["wrong"], None, 2),
    ],
)
def test_turns(asked, proposed, turns):
    """Asks, plus one unless the last ask was the answer itself."""
    words = {"right": "crate", "wrong": "haste", None: None}
    history = tuple(Turn(words[name], 1.0, 0) for name in asked)
    assert Game(0, "crate", proposed=words[proposed], history=history).turns == turns


HISTORIES = st.lists(
    st.builds(Turn, st.sampled_from(SMALL.guesses), st.sampled_from([0.01, 3.0, 13.0, 60.0]), st.integers(0, 242)),
    max_size=4,
).map(tuple)


@settings(max_examples=30)
@given(HISTORIES, st.sampled_from(RULES))
def test_chance_is_direct_bayes(history, rule):
    expected = direct_bayes(SMALL, history, rule)
    setting = Setting(SMALL, rule)
    for word, probability in expected.items():
        assert chance(setting, history, word) == pytest.approx(probability, rel=1e-9, abs=1e-300)


def test_a_game_can_have_a_given_answer_and_every_answer_can_have_its_game():
    """The noise of the trial stays; after the last answer comes the first again."""
    referee, changes = Referee(Setting(SMALL), 3), []
    for answer in (None, A, B):
        opened = referee.open(2, answer)
        turn = opened.take(Ask(A, 6.0))
        assert opened.game.answer == (answer or answer_of(2))
        true = marks_of(int(clue(A, opened.game.answer)))
        changes.append([(noisy - mark) % 3 for noisy, mark in zip(marks_of(turn.clue), true, strict=True)])
    assert changes[0] == changes[1] == changes[2]
    assert "'zzzzz' is not among the answers of small" in refusal(referee.open, 2, "zzzzz")
    n, every = len(SMALL.answers), Referee(Setting(SMALL, format=GameFormat(every_answer=True)), 3)
    found = [every.open(trial).game.answer for trial in (0, n - 1, n, 2 * n + 3)]
    assert found == [SMALL.answers[at] for at in (0, -1, 0, 3)]


def test_an_epsilon_that_the_channel_does_not_have_is_no_legal_move():
    setting = Setting(SMALL, channel=Fibble, noiseless=True)
    game = Referee(setting, seed=3).play(0, Scripted(Ask(A, 5.0)))
    assert (game.verdict, game.history) == ("INVALID", ())
    assert "infinite budget" in game.reason
    assert Referee(setting, seed=3).play(0, Scripted(Ask(A, math.inf), Answer(A))).verdict in ("WIN", "LOSS")


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_forfeit_is_a_loss_whatever_it_claims(verdict):
    class Forfeits:
        def first_move(self):
            raise ForfeitError(verdict, "gave\nup")

    game = Referee(Setting(SMALL), 1).play(0, Forfeits())
    assert game.verdict == (Verdict.CRASH if verdict in (Verdict.WIN, Verdict.LOSS) else verdict)
    assert game.reason == "gave up"
    assert game.score == math.inf


@pytest.mark.parametrize("move", [(A, 5e-324), Ask(A, 0.000999)])
def test_asks_can_be_bounded_and_a_smallest_epsilon_set(move):
    game = Referee(Setting(SMALL), 1, max_asks=7).play(0, Scripted(*[(A, 1.0)] * 9))
    assert (game.verdict, game.reason, len(game.history)) == (Verdict.INVALID, "asked more than 7 times", 7)
    game = Referee(Setting(SMALL), 1, min_epsilon=0.001).play(0, Scripted(Ask(A, 0.001), move))
    assert (game.verdict, len(game.history), game.score) == (Verdict.INVALID, 1, math.inf)
    assert re.fullmatch(r"asked with epsilon (5e-324|0.000999); the smallest is 0.001", game.reason)
    assert Referee(Setting(SMALL), 1).play(0, Scripted(move, Answer(SMALL.answers[0]))).reason == ""
    assert Referee(Setting(SMALL), 1, min_epsilon=0.001).play(0, Scripted((SMALL.answers[0], 0))).reason == ""


def test_a_move_that_is_not_allowed_changes_nothing():
    opened = Referee(Setting(SMALL), seed=3, max_asks=1).open(0)
    for move in (Ask("zzzzz", 1.0), Ask(A, 0.0), Ask(A, math.inf), Answer("zzzzz"), None):
        with pytest.raises(InvalidMoveError):
            opened.take(move)
    turn = opened.take(Ask(A, 1.0))
    with pytest.raises(InvalidMoveError, match="more than 1 times"):
        opened.take(Ask(A, 1.0))
    assert opened.game.history == (turn,)
    assert opened.game.proposed is None
    assert repr(opened) == f"<OpenGame of {opened.rules.setting!r}: 1 ask, budget 1>"


def test_illegal_moves_lose():
    for move, reason in ((Ask("xxxxx", 1.0), "list of guesses"), (Answer("xxxxx"), "list of answers")):
        for game in (played(move)[0], played((A, 2.0), move)[0]):
            assert (game.verdict, game.proposed, game.score) == ("INVALID", None, math.inf)
            assert reason in game.reason
        assert game.budget == 2.0


@pytest.mark.parametrize("trial", range(8))
def test_common_random_numbers(trial):
    """Same trial: same answer and same noise, whoever plays and whatever is asked."""
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
    more, _ = played((A, 9.0), Answer(A), trial=trial)
    flipped_less = [k for k, shift in enumerate(shifts(more)[0]) if shift]
    assert set(flipped_less) <= {k for k, shift in enumerate(shifts(first)[0]) if shift}


@given(st.integers(0, 50), st.lists(st.tuples(st.sampled_from(SMALL.guesses), st.floats(0.1, 40)), max_size=6))
def test_a_game_played_move_by_move_is_the_game_played_at_once(trial, asks):
    setting = Setting(SMALL)
    referee = Referee(setting, seed=3)
    whole = referee.play(trial, Scripted(*[Ask(*ask) for ask in asks], Answer(A)))
    opened = Referee(setting, seed=3).open(trial)
    for ask in asks:
        assert opened.take(Ask(*ask)) == opened.game.history[-1]
    assert opened.take(Answer(A)) is None
    assert (opened.game.history, opened.game.verdict, opened.game.proposed) == (whole.history, whole.verdict, A)
