"""What travels: everything arrives, and what calls share is pickled once and sent once."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from tests.support.helpers import SMALL, rows_of
from wordpl import Setting, WordList, WordplError, load_words, make_task, parse_strategy
from wordpl.base.workers.calls import Packer, WorkerLostError, run_packed
from wordpl.base.workers.pool import run_unordered
from wordpl.base.workers.processes import LocalWorkers

VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@dataclass(frozen=True)
class Held:
    """Holds anything."""

    value: object


def what_comes(*arguments, **named):
    """What a call was given."""
    return arguments, named


def _end():
    os.kill(os.getpid(), signal.SIGKILL)


class Client:
    """Sends calls to a worker."""

    def __init__(self):
        self.packer, self.there = Packer(), set()

    def send(self, *arguments, **named):
        """The arguments of a call as they arrive, and how many bytes of parts that took."""
        call, parts = self.packer.pack((what_comes, arguments, named))
        size = sum(map(len, {*parts} - self.there))
        self.there.update(parts)
        return *pickle.loads(run_packed(call, parts)), size  # noqa: S301


@pytest.fixture(scope="module")
def client():
    return Client()


@given(VALUES, VALUES)
def test_what_is_sent_arrives(client, value, other):
    sent = (value, Held(value), (Held(value), value)), {"other": Held(Held(other))}
    assert client.send(*sent[0], **sent[1])[:2] == sent
    *again, _ = client.send(*sent[0], **sent[1])
    assert tuple(again) == sent


def test_arrays_arrive_as_they_are_now(client):
    array = np.arange(10)
    for _ in range(3):
        (found,), *_ = client.send(array)
        assert np.array_equal(found, array)
        array += 1


def test_a_task_is_sent_once_and_its_batches_are_small(client):
    words = WordList("own", load_words().answers, load_words().guesses)
    task = make_task(parse_strategy("TwoGuess(9)"), words=words)
    sizes = []
    for start in range(3):
        assert len(client.packer.pack((divmod, (task, start, start + 10, "code"), {}))[0]) < 300
        (found, *_), _, size = client.send(task, start, start + 10, "code")
        assert found.id == task.id
        sizes.append(size)
    assert sizes[0] > 100_000  # the words, once
    assert sizes[1:] == [0, 0]


def test_bundled_words_and_tables_travel_by_name():
    for spec in ("Median()", "NGuess(2, 9)", "Renyi((9, 9))"):
        _, parts = Packer().pack((divmod, (make_task(parse_strategy(spec)),), {}))
        assert sum(map(len, parts)) < 2000
    assert len(Packer().pack((divmod, (SMALL,), {}))[1]) == 1


def test_what_cannot_be_sent():
    with pytest.raises(WordplError, match=r"what is to run cannot travel to a worker: TypeError: cannot pickle"):
        Packer().pack((divmod, (Held(threading.Lock()),), {}))


def test_a_worker_loads_once_what_its_calls_share():
    """So what is cached there by a task or a setting does not grow with the number of batches."""
    packer, task = Packer(), make_task(parse_strategy("TwoGuess(9)"), words=SMALL)
    found = {run_packed(*packer.pack((identity, (task, start), {}))) for start in range(5)}
    assert len(found) == 1


def identity(task, start):
    return id(task), id(task.setting)


@pytest.mark.heavy
def test_a_worker_that_ended_before_the_next_call():
    """The executor refuses the call then."""
    workers = LocalWorkers(1)
    with pytest.raises(TerminatedWorkerError):
        workers.submit(delayed(_end)()).result()
    with pytest.raises(WorkerLostError, match="SIGKILL"):
        workers.submit(delayed(_end)())


def test_a_worker_does_not_grow_with_the_number_of_batches():
    """Each of them came with a setting of its own once, which a cache of chances kept, with all its posteriors."""
    task = make_task(parse_strategy("TwoGuess(9)"), words=SMALL)
    found = list(run_unordered(2, (delayed(settings_after)(task, trial) for trial in range(24))))
    for worker in {pid for pid, _ in found}:
        counts = [count for pid, count in found if pid == worker]
        assert max(counts) - min(counts) <= 1  # the first batch brings the one


def settings_after(task, trial):
    """This process, and how many settings it holds after a batch; the posteriors are in them."""
    rows_of(task, trial, trial + 1)
    return os.getpid(), sum(type(one) is Setting for one in gc.get_objects())
