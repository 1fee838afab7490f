"""The same results on a cluster as here, whatever becomes of its workers."""

from __future__ import annotations

import os
import time

import pytest
from joblib import delayed

import wordpl
from tests.cluster.conftest import until
from tests.helpers import SMALL, Sometimes
from wordpl import make_task, parse_strategy, sweep
from wordpl.workers import place, run_in_order, run_unordered

pytestmark = pytest.mark.heavy

GREEDY = parse_strategy("Greedy(epsilon=10, n_guesses=2)")
TIMINGS = ["seconds", "slowest"]


def figures(evaluation):
    """What an evaluation says, but for the time it took."""
    return evaluation.frame.drop(columns=TIMINGS).to_csv(), evaluation.reasons


@pytest.fixture(scope="module")
def alone():
    """What the tasks come to in this process."""
    return [figures(one) for one in sweep(tasks(), 200)]


def tasks():
    return [make_task(strategy, words=SMALL) for strategy in (GREEDY, Sometimes(), parse_strategy("TwoGuess(9)"))]


def where(number):
    return number, os.getpid(), place().worker


def square(number):
    return number * number


def wait_for(path, number):
    """Wait in the first worker that has number 0 until `path` is there."""
    if number == 0 and not path.with_suffix(".begun").exists():
        path.with_suffix(".begun").write_text(str(os.getppid()))
        end = time.monotonic() + 60
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.02)
    return number


def test_results_are_the_same_here_and_there(workers, alone):
    """Also in order, without order, with numbers of several kinds, and the processes are others."""
    workers.start()
    workers.start()
    with wordpl.cluster(workers.address) as cluster:
        until(lambda: len(cluster.usable) == 2)
        assert [figures(one) for one in sweep(tasks(), 200)] == alone
        assert [figures(one) for one in sweep(tasks(), 200, batch=7)] == alone
        found = list(run_in_order(1, (delayed(where)(number) for number in range(40))))
        assert [number for number, *_ in found] == list(range(40))
        assert os.getpid() not in {pid for _, pid, _ in found}
        assert {worker for *_, worker in found} == set(cluster.workers)
        assert sorted(run_unordered(1, (delayed(square)(x) for x in range(30)))) == [x * x for x in range(30)]
        assert list(run_in_order(1, ())) == []
    assert place().worker == ""
    assert [figures(one) for one in sweep(tasks(), 200)] == alone
