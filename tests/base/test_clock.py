"""The clock of a game: CPU time of the player and of those who work for it, and never compilation."""

import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest
from numba import njit
from numba.core import event

from tests.support.helpers import SMALL, burn
from wordpl import Answer, Ask, HistoryStrategy, Referee, Setting, evaluate
from wordpl.base import clock
from wordpl.scoring import threads

A = SMALL.answers[5]


class Once:
    """A player that does something, then proposes."""

    def __init__(self, action):
        self._action = action

    def first_move(self):
        self._action()
        return Answer(A)


@pytest.fixture
def hands(monkeypatch):
    """Hands of the clock that only a test moves: CPU time and wall clock."""
    at = {"cpu": 50.0, "wall": 1000.0}
    monkeypatch.setattr("wordpl.base.clock.thread_time", lambda: at["cpu"])
    monkeypatch.setattr("wordpl.base.clock.perf_counter", lambda: at["wall"])

    def move(cpu, wall):
        at["cpu"] += cpu
        at["wall"] += wall

    return move


def test_the_clock_stands_still_while_numba_holds_its_lock(hands):
    """For compiling as for loading, through locks within the lock, and for the thread that compiles alone."""
    begun = clock.read()
    event.end_event("numba:compiler_lock")  # without a beginning
    hands(1.0, 2.0)
    with event.trigger_event("numba:compiler_lock"):
        hands(4.0, 8.0)
        with event.trigger_event("numba:compiler_lock"):
            hands(16.0, 32.0)
        hands(64.0, 128.0)
    other = threading.Thread(target=lambda: event.start_event("numba:compiler_lock"))
    other.start()
    other.join()
    hands(256.0, 512.0)
    now = clock.read()
    assert (now.cpu - begun.cpu, now.wall - begun.wall) == pytest.approx((257.0, 514.0))


@pytest.mark.heavy
def test_a_players_own_compiled_function_does_not_cost_it_the_game():
    """It is compiled in the middle of a move, for many times the game's clock."""

    @njit
    def several(x):
        return np.median(x)

    used = []

    def action():
        begun = time.thread_time()
        several(np.arange(9.0))
        used.append(time.thread_time() - begun)

    game = Referee(Setting(SMALL), 3, game_seconds=0.1).play(0, Once(action))
    assert used[0] > 0.1, "compiling takes longer than the game may: else this shows nothing"
    assert game.verdict in ("WIN", "LOSS")
    assert game.seconds < used[0]


def test_threads_that_work_for_a_player_are_on_its_clock(monkeypatch):
    """Else a verdict would depend on the number of cores."""
    monkeypatch.setattr("wordpl.scoring.threads.thread_count", lambda: 2)
    begun = clock.read().cpu
    parts = []

    def kernel(_clues, guesses, _out):
        parts.append(guesses)
        burn(0.05)

    threads.run_kernel(kernel, np.empty((16, 1)), np.arange(16), work=10**9)
    assert len(parts) == 2
    assert clock.read().cpu - begun >= 0.1


@dataclass(frozen=True, repr=False)
class Ponderous(HistoryStrategy):
    """Thinks for `seconds` before each of two moves."""

    seconds: float
    epsilon: float = 3.0

    def decide(self, setting, history):
        burn(self.seconds)
        return Answer(A) if history else Ask(A, self.epsilon)


@pytest.mark.heavy
def test_every_game_pays_for_a_decision_that_an_earlier_one_made():
    """Else the first game of a process would lose, and the others win: a result of how they were shared out."""
    for seconds, asks in ((0.15, 0), (0.08, 1)):
        found = evaluate(Ponderous(seconds), 4, words=SMALL, game_seconds=0.1)
        assert (found.timeouts, set(found.results["asks"])) == (4, {asks})
