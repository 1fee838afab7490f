"""Games that do not end by themselves: what thinks too long, what waits, and what is still playing at a stop."""

import math
import os
import re
import signal
import time
from dataclasses import dataclass

import pytest
from numba.core import event

from tests.support.helpers import SMALL
from tests.support.helpers import burn as spend
from tests.support.runs import GREEDY
from wordpl import Answer, HistoryStrategy, Strategy, UnfinishedTrialError, evaluate, make_task, sweep
from wordpl.simulation import watchdog
from wordpl.simulation.sweep import SweepInterruptedError
from wordpl.simulation.watchdog import still_seconds

LONG = 1000.0


@dataclass(frozen=True, repr=False)
class Turning(Strategy):
    """Proposes a word; what `turn` names happens in a few of its games."""

    turn: str
    still: float = 60.0
    epsilon: float = 3.0

    def players(self, setting):
        watchdog._STILL_SECONDS = self.still  # here, so that it holds in a worker, too
        return lambda seed: TurningPlayer(globals()[self.turn], seed, setting.words)


class TurningPlayer:
    def __init__(self, turn, seed, words):
        self._turn, self._seed, self._words = turn, seed, words

    def first_move(self):
        if self._seed % 7 == 0:
            self._turn()
        return self._words.answers[0], 0


def burn():
    while True:
        pass


def burn_and_swallow():
    try:
        burn()
    except BaseException:
        raise ValueError("something else") from None


def compile_for_long():
    """What takes longer than the game may, but for the time in the compiler."""
    with event.trigger_event("numba:compiler_lock"):
        spend(0.3)
    spend(0.1)


def wait():
    while True:
        time.sleep(LONG)


def native_at_once():
    """Without a moment in which another thread runs: a match that takes longer than anybody waits."""
    re.match(r"(a+)+$", "a" * 60 + "b")


def native():
    time.sleep(0.01)
    native_at_once()


def interrupt_and_wait():
    os.kill(os.getpid(), signal.SIGINT)
    wait()


def interrupt_twice():
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)
    wait()


@pytest.fixture(autouse=True)
def usual_patience():
    before, handler = watchdog._STILL_SECONDS, signal.getsignal(signal.SIGVTALRM)
    yield
    watchdog._STILL_SECONDS = before
    assert signal.getsignal(signal.SIGVTALRM) is handler


def verdicts(evaluation):
    return evaluation.frame["verdict"].tolist()


@pytest.mark.heavy
@pytest.mark.parametrize("turn", ["burn", "burn_and_swallow"])
def test_a_move_without_end_times_out_by_the_clock_of_the_game(turn):
    found, again = (evaluate(Turning(turn), 20, words=SMALL, game_seconds=0.2, jobs=jobs) for jobs in (1, 2))
    assert found.trials == 20
    assert 0 < found.timeouts < 20
    assert set(found.reasons.values()) == {"thought for more than 0.2 s of CPU time"}
    assert found.errors == 0
    assert verdicts(again) == verdicts(found)


@pytest.mark.heavy
def test_the_clock_of_a_move_stands_still_while_the_compiler_works():
    assert evaluate(Turning("compile_for_long"), 12, words=SMALL, game_seconds=0.25, jobs=1).timeouts == 0


@dataclass(frozen=True, repr=False)
class Endless(HistoryStrategy):
    """Never decides."""

    epsilon: float = 3.0

    def decide(self, setting, history):
        DECISIONS.append(history)
        burn()
        return Answer(setting.words.answers[0])


DECISIONS: list[object] = []


@pytest.mark.heavy
def test_a_decision_without_end_is_tried_once(monkeypatch):
    """After the rehearsal, the games would each take their whole clock for the same decision."""
    monkeypatch.setattr(watchdog, "_STILL_SECONDS", 0.3)
    DECISIONS.clear()
    found = evaluate(Endless(), 10, words=SMALL, game_seconds=0.05)
    assert found.timeouts == 10
    assert len(DECISIONS) == 2


@pytest.mark.heavy
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_game_that_waits_is_given_up_without_a_verdict(store, jobs):
    tasks = [make_task(strategy, words=SMALL, game_seconds=0.1) for strategy in (GREEDY, Turning("wait", still=1.0))]
    with pytest.raises(
        UnfinishedTrialError, match=r"Turning\(.*\) waits without end in trial \d+, so this game has no verdict"
    ) as caught:
        sweep(tasks, 40, jobs, store=store)
    there = store.evaluation(tasks[1], 40)
    assert 0 < there.trials < 40
    assert set(verdicts(there)) <= {"WIN", "LOSS"}
    if jobs == 1:
        assert store.evaluation(tasks[0], 40).trials == 40
        assert f"in trial {there.trials}," in str(caught.value)


@pytest.mark.heavy
@pytest.mark.parametrize("turn", ["native", "native_at_once"])
def test_native_code_without_end_costs_a_worker(turn):
    strategy = Turning(turn, still=1.0)
    with pytest.raises(UnfinishedTrialError, match=r"native code in (trial \d+|one of trials (\d+) to (?!\2,)\d+), "):
        evaluate(strategy, 30, words=SMALL, game_seconds=0.1, jobs=2)


def test_a_game_without_a_clock_may_take_for_ever():
    assert still_seconds(10.0) == 60.0
    assert still_seconds(100.0) == 600.0
    assert still_seconds(math.inf) == math.inf


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("turn", "batch"), [("interrupt_and_wait", 1), ("interrupt_and_wait", 40), ("interrupt_twice", 1)]
)
def test_ctrl_c_cuts_a_trial_short_and_keeps_the_others(store, turn, batch, capfd):
    """Also those of the batch that was cut short."""
    task = make_task(Turning(turn), words=SMALL)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(SweepInterruptedError) as raised:
        sweep([task], 40, batch=batch, store=store)
    assert isinstance(raised.value, KeyboardInterrupt)
    assert signal.getsignal(signal.SIGINT) is handler
    there = store.evaluation(task, 40)
    assert 0 < there.trials < 40
    assert there.results["trial"].tolist() == list(range(there.trials))
    assert set(verdicts(there)) <= {"WIN", "LOSS"}
    assert capfd.readouterr() == ("", "")  # the library says nothing
