"""What travels: everything arrives, and what calls share is pickled once and sent once."""

import os
import pickle
import signal
import threading
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import Parallel, delayed

from wordpl import WordplError
from wordpl.base.workers.processes import LocalWorkers, WorkerLostError, pack, run_packed

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


def sent(function, *arguments, **named):
    """What a call returns in a worker."""
    return pickle.loads(run_packed(pack((function, arguments, named))))  # noqa: S301


@pytest.mark.heavy
@given(VALUES, VALUES)
def test_what_is_sent_arrives(value, other):
    arguments, named = (value, Held(value), (Held(value), value)), {"other": Held(Held(other))}
    for _ in range(2):
        assert sent(what_comes, *arguments, **named) == (arguments, named)


def test_what_a_call_does_to_its_arguments_is_not_seen_by_the_next():
    array = np.arange(10)
    for _ in range(3):
        assert sent(doubled, array).tolist() == (2 * array).tolist()
        array += 1
    assert [sent(doubled, [1]) for _ in range(2)] == [[1, 1], [1, 1]]


def doubled(values):
    values *= 2
    return values


def test_what_cannot_be_sent():
    with pytest.raises(WordplError, match=r"a call cannot be sent to a worker process: TypeError: cannot pickle"):
        pack((divmod, (Held(threading.Lock()),), {}))


@pytest.mark.heavy
def test_a_worker_that_ended_before_the_next_call():
    """The executor refuses the call then; another takes it."""
    workers = LocalWorkers(1)
    lost = workers.submit(pack(delayed(_end)()))
    with pytest.raises(WorkerLostError, match="SIGKILL"):
        workers.result(lost)
    assert pickle.loads(workers.result(workers.submit(pack(delayed(abs)(-3))))) == 3  # noqa: S301
    workers.end()


@pytest.mark.heavy
def test_a_user_runs_joblib_between_two_of_our_runs():
    """joblib cannot use an executor of ours, nor we one of joblib's."""
    for _ in range(2):
        workers = LocalWorkers(2)
        assert pickle.loads(workers.result(workers.submit(pack(delayed(abs)(-3))))) == 3  # noqa: S301
        assert Parallel(2)(delayed(abs)(-number) for number in range(4)) == [0, 1, 2, 3]
    workers.end()
