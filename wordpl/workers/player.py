"""The process that runs calls for a worker of a cluster, one at a time, in its main thread.

There, and not in a thread of the cluster's own worker, games can be cut short by a signal, native code that crashes
takes nothing else with it, and the whole run can be ended at once.
"""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from pathlib import Path

import cloudpickle

from wordpl.errors import WordplError, error_line
from wordpl.workers.parcels import LackingError, unpack
from wordpl.workers.settling import Place, placed

DONE, RAISED, LACKING = "done", "raised", "lacking"
_IDLE_SECONDS = 600.0
"""After this time without a call the process ends: the client may be gone without a word."""


def main(descriptor: int, parent: int, worker: str) -> None:
    """Answer calls from the other end of the connection until it is closed."""
    connection = Connection(descriptor)
    with placed(Place(parent)):
        try:
            while connection.poll(_IDLE_SECONDS):
                call, stop_file = pickle.loads(connection.recv_bytes())  # noqa: S301 - of the process that started this
                connection.send_bytes(pickle.dumps(_answered(call, Place(parent, stop_file, worker))))
        except (EOFError, OSError):
            return


def _answered(call: bytes, where: Place) -> tuple[str, bytes | str]:
    """What a call returns or raises, as bytes; the address of the worker if a part is not in the stop file's folder."""
    folder = (where.stop_file or Path()).parent
    try:
        function, arguments, named = unpack(call, folder)
    except LackingError:
        return LACKING, where.worker
    except Exception as error:
        told = f"the worker {where.worker} cannot load what it is to run: {error_line(error)}"
        return RAISED, _pickled_error(WordplError(told))
    try:
        with placed(where):
            return DONE, cloudpickle.dumps(function(*arguments, **named))
    except BaseException as error:
        return RAISED, _pickled_error(error)


def _pickled_error(error: BaseException) -> bytes:
    """The error itself if it can travel and is no order to end; else a line about it."""
    if isinstance(error, Exception):
        try:
            pickled: bytes = cloudpickle.dumps(error)
            pickle.loads(pickled)  # noqa: S301 - made here
        except Exception:  # noqa: S110 - whatever its class does there
            pass
        else:
            return pickled
    return pickle.dumps(RuntimeError(error_line(error)))
