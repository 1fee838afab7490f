"""The same seed gives the same export, byte for byte, however a sweep was run, killed or stopped."""

import pytest

from tests.support.helpers import SMALL, Sometimes
from tests.support.runs import exported
from wordpl import Store, parse_strategy, sweep
from wordpl.simulation.tasks import make_task

TASKS = [
    make_task(parse_strategy(text), 3, words=SMALL)
    for text in ("BayesianGreedy(8, 0.7)", "MaxClueEntropy(2, 11, monte_carlo=20, jitter=0.1)", "Greedy(inf)")
] + [make_task(Sometimes(), 3, words=SMALL)]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "plain.sqlite"
    with Store(path) as store:
        sweep(TASKS, 150, 1, batch=150, store=store)
    return exported(path)


@pytest.mark.heavy
@pytest.mark.parametrize(("jobs", "batch"), [(1, 1), (1, 1000), (2, None)])
def test_workers_and_batches_make_no_difference(tmp_path, plain, jobs, batch):
    """Nor does the order of the tasks, nor that it was done in two goes."""
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        sweep(TASKS[::-1], 40, jobs, batch=batch, store=store)
        sweep(TASKS, 150, jobs, batch=batch, store=store)
    assert exported(path) == plain
