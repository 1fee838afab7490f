"""A table with more rows than memory should hold: its columns lie in a file without a name, and are read one by one."""

from __future__ import annotations

import os
import tempfile
from itertools import accumulate
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from wordpl.errors import WordplError
from wordpl.storage.files import reason


class ColumnsOnDisk:
    """A table that is read as a structured array is: `table["name"]` is a column [rows], `len(table)` its rows.

    The file is in the folder for temporary files (`TMPDIR`), takes as much room as the array would, and goes with the
    object. Raises `WordplError` where there is no room.
    """

    def __init__(self, dtype: np.dtype[np.void], most: int) -> None:
        """A table without rows, to which up to `most` can be added."""
        self.dtype = dtype
        self._most, self._rows = most, 0
        names = dtype.names or ()
        sizes = (most * dtype[name].itemsize for name in names)
        self._offsets = dict(zip(names, accumulate(sizes, initial=0), strict=False))
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (closed with the object)
        except OSError as error:
            raise _no_room(error) from None
        finalize(self, self._file.close)

    def append(self, rows: NDArray[np.void]) -> None:
        """Add rows [n] of the table's dtype."""
        if self._rows + len(rows) > self._most:
            raise ValueError(f"more than {self._most} rows")
        try:
            for name, offset in self._offsets.items():
                column = rows[name].tobytes()
                at = offset + self._rows * self.dtype[name].itemsize
                while len(column):
                    written = os.pwrite(self._file.fileno(), column, at)
                    column, at = column[written:], at + written
        except OSError as error:
            raise _no_room(error) from None
        self._rows += len(rows)

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        """[rows]: a column. It leaves memory with the last that refers to it."""
        if not self._rows:
            return np.empty(0, self.dtype[name])
        return np.asarray(np.memmap(self._file, self.dtype[name], "r", self._offsets[name], (self._rows,)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """[rows] of `dtype`: the whole table in memory."""
        table = np.empty(self._rows, self.dtype)
        for name in self._offsets:
            table[name] = self[name]
        return table if dtype is None else table.astype(dtype)

    @property
    def nbytes(self) -> int:
        """Bytes that the rows take, on disk."""
        return self._rows * self.dtype.itemsize


def _no_room(error: OSError) -> WordplError:
    return WordplError(f"cannot keep trials in {tempfile.gettempdir()}, a folder that TMPDIR sets: {reason(error)}")
