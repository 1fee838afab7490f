"""The process that runs calls for a worker of a cluster, one at a time, in its main thread.

There, and not in a thread of the cluster's own worker, games can be cut short by a signal, native code that crashes
takes nothing else with it, and the whole run can be ended at once.
"""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import cloudpickle

from wordpl.errors import WordplError, error_line
from wordpl.workers.parcels import Unpacker
from wordpl.workers.settling import Place, placed

DONE, RAISED, LACKING = "done", "raised", "lacking"


def main(descriptor: int, parent: int, worker: str) -> None:
    """Answer calls from the other end of the connection until it is closed."""
    connection = Connection(descriptor)
    unpacker = Unpacker()
    with placed(Place(parent)):
        while True:
            try:
                call, needs, stop_file = pickle.loads(connection.recv_bytes())  # noqa: S301 - of the process that started this
                given = {}
                lacking = unpacker.lacking(needs)
                if lacking:
                    connection.send_bytes(pickle.dumps((LACKING, lacking)))
                    given = pickle.loads(connection.recv_bytes())  # noqa: S301
            except (EOFError, OSError):
                return
            where = Place(parent, Path(stop_file), worker)
            answer = _answered(unpacker, call, needs, given, where)
            try:
                connection.send_bytes(answer)
            except OSError:
                return


def _answered(unpacker: Unpacker, call: bytes, needs: tuple[str, ...], given: dict[str, bytes], where: Place) -> bytes:
    """What a call returns or raises, as bytes."""
    try:
        function, arguments, named = unpacker.unpack(call, needs, given)
    except Exception as error:
        told = f"the worker {where.worker} cannot load what it is to run: {error_line(error)}"
        return pickle.dumps((RAISED, _pickled_error(WordplError(told))))
    try:
        with placed(where):
            result = cloudpickle.dumps(function(*arguments, **named))
    except BaseException as error:
        return pickle.dumps((RAISED, _pickled_error(error)))
    return pickle.dumps((DONE, result))


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
    told: Any = RuntimeError(error_line(error))
    return pickle.dumps(told)
