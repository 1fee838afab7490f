"""The same results on a cluster as here, whatever becomes of its workers."""

import os

import pytest
from joblib import delayed

from tests.cluster.conftest import until
from tests.support.helpers import SMALL, TINY, Sometimes
from tests.support.runs import GREEDY, figures
from wordpl import Setting, WordplError, base, make_task, parse_strategy, sweep, wordle
from wordpl.base import run_calls
from wordpl.limits import compute_win_rate

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def alone():
    """What the tasks come to in this process."""
    return [figures(one) for one in sweep(tasks(), 40)]


def tasks():
    return [make_task(strategy, words=SMALL) for strategy in (GREEDY, Sometimes(), parse_strategy("TwoGuess(9)"))]


def where(number):
    return number, os.getpid()


def others(folder):
    """What the other long jobs come to."""
    folder.mkdir()
    tree, certificate = wordle.prove(TINY, folder / "proof.txt")
    return compute_win_rate("NGuess(2, 5)", Setting(TINY)).win_rate, tree.total, list(certificate.rows())


def test_results_are_the_same_here_and_there(workers, alone, tmp_path):
    """Also in order, and the processes are others."""
    started = [workers.start() for _ in range(2)]
    alone_as_well = others(tmp_path / "here")
    with base.cluster(workers.address) as cluster:
        until(lambda: len(cluster.nthreads()) == 2)
        assert [figures(one) for one in sweep(tasks(), 40, batch=7)] == alone
        assert others(tmp_path / "there") == alone_as_well
        found = list(run_calls(1, (delayed(where)(number) for number in range(40)), ordered=True))
        assert [number for number, _ in found] == list(range(40))
        assert {process for _, process in found} == {worker.pid for worker in started}
        assert list(run_calls(1, (), ordered=True)) == []
        results = run_calls(1, [delayed(late)(tmp_path / "go", 0), delayed(late)(tmp_path, 1)])
        assert next(results)[0] == 1  # which does not wait for the one before it
        (tmp_path / "go").touch()
        assert [number for number, _ in results] == [0]
        assert len({*run_calls(1, [delayed(os.urandom)(8)] * 3)}) == 3  # equal calls are three


def late(path, number):
    until(path.exists)
    return where(number)


def test_a_worker_is_killed_and_another_joins_late(workers, tmp_path):
    """What the killed one had is done by the other, which was not there when the run began, and nothing here."""
    first = workers.start()
    with base.cluster(workers.address) as cluster:
        results = run_calls(1, (delayed(late)(tmp_path / "go" if number else tmp_path, number) for number in range(9)))
        assert next(results) == (0, first.pid)
        other = workers.start()
        until(lambda: len(cluster.nthreads()) == 2)
        first.kill()
        until(lambda: len(cluster.nthreads()) == 1)
        (tmp_path / "go").touch()
        assert sorted(results) == [(number, other.pid) for number in range(1, 9)]


def allow_failures(number, dask_scheduler):
    dask_scheduler.allowed_failures = number


def test_a_call_that_ends_its_workers_ends_the_run(workers):
    workers.start()
    with base.cluster(workers.address) as cluster:
        cluster.run_on_scheduler(allow_failures, 0)
        try:
            with pytest.raises(WordplError, match="a worker or the scheduler of the cluster does not answer any more"):
                list(run_calls(1, [delayed(os._exit)(3)]))
        finally:
            cluster.run_on_scheduler(allow_failures, 3)
