"""Many trials: runs in parts, batches and workers."""

import itertools

import pytest

from tests.support.helpers import SMALL, Sometimes, rows_of
from tests.support.runs import exported
from wordpl import Store, make_task, sweep

TASK = make_task(Sometimes(), words=SMALL)
WHOLE = rows_of(TASK, 0, 60)


def test_a_part_is_resumed(store):
    played = []
    store.add([(TASK, rows_of(TASK, 12, 15))])
    assert store.missing(TASK, 10, 10) == [(10, 12), (15, 20)]
    found = sweep([TASK], 10, first_trial=10, store=store, progress=lambda *told: played.append(told[1:]))
    assert store.missing(TASK, 30) == [(0, 10), (20, 30)]
    assert store.missing(TASK, 5, 12) == []
    assert [done for _, done, _ in played] == list(itertools.accumulate((new for new, *_ in played), initial=3))[1:]
    assert played[0] == (0, 3, 10) and played[-1][1:] == (10, 10)
    assert found[0].frame["answer"].tolist() == [row.answer for row in WHOLE[10:20]]


@pytest.mark.heavy
def test_workers_and_batches_make_no_difference(tmp_path):
    """Byte for byte, nor does the order of the tasks, nor that it was done in two goes."""
    specs = ("BayesianGreedy(8, 0.7)", "MaxClueEntropy(2, 11, monte_carlo=20, jitter=0.1)", "Greedy(inf)")
    tasks = [make_task(strategy, 3, words=SMALL) for strategy in (*specs, Sometimes())]
    exports = set()
    for place, (jobs, batch) in enumerate(((1, 50), (1, 1), (2, None))):
        with Store(tmp_path / f"{place}.sqlite") as store:
            if place:
                sweep(tasks[::-1], 20, jobs, batch=batch, store=store)
            sweep(tasks, 50, jobs, batch=batch, store=store)
        exports.add(exported(store.path))
    assert len(exports) == 1
