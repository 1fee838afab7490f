"""The trials of one task in several results files, as if they were in one."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from wordpl.errors import WordplError, error_line
from wordpl.simulation.tasks import COLUMNS, Column

if TYPE_CHECKING:
    from wordpl.simulation.store import Store, TaskRow

_COMPARED = [column for column in COLUMNS if column.compared]
_HEAD = 1 + len(_COMPARED)


def united_rows(stores: Sequence[Store], task: TaskRow, columns: Sequence[Column] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the values of `columns` of every trial of a task that is in any of the stores: in order, each trial once.

    The first store that has a trial gives it. All files are read side by side, so that memory does not grow with them.
    Raises `WordplError` if two of them disagree about a trial.
    """
    read = (zip(store.trial_rows(task.id, [COLUMNS[0], *_COMPARED, *columns]), repeat(store)) for store in stores)
    last, holder = None, stores[0]
    try:
        for row, store in heapq.merge(*read, key=lambda both: both[0][0]):
            if last is None or row[0] != last[0]:
                last, holder = row, store
                yield row[_HEAD:]
            elif row[:_HEAD] != last[:_HEAD]:
                raise WordplError(f"{holder.path} and {store.path} disagree about trial {row[0]} of {task.strategy}")
    except TypeError as error:
        names = " or ".join(str(store.path) for store in stores)
        raise WordplError(f"{names} is damaged: {error_line(error)}") from None
