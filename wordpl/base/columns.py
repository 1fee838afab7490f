"""A table with more rows than memory should hold: its columns lie in files without names, and are read one by one."""

import tempfile
from io import FileIO
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from wordpl.base.errors import WordplError
from wordpl.base.files import reason


class ColumnsOnDisk:
    """A table that is read as a structured array is: `table["name"]` is a column [rows], `len(table)` its rows.

    The files are in the folder for temporary files (`TMPDIR`), take as much room as the array would, and go with the
    object. Raises `WordplError` where there is no room.
    """

    def __init__(self, dtype: np.dtype[np.void]) -> None:
        """A table without rows."""
        self.dtype, self._rows = dtype, 0
        self._files: dict[str, FileIO] = {}
        try:
            for name in dtype.names or ():
                # Without a buffer, which would be left over where the disk is full.
                self._files[name] = file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (closed with the table)
                finalize(self, file.close)
        except OSError as error:
            raise _no_room(error) from None

    def append(self, rows: NDArray[np.void]) -> None:
        """Add rows [n] of the table's dtype."""
        try:
            for name, file in self._files.items():
                column = rows[name].tobytes()
                while column:
                    column = column[file.write(column) :]
        except OSError as error:
            raise _no_room(error) from None
        self._rows += len(rows)

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        """[rows]: a column. It leaves memory with the last that refers to it."""
        if not self._rows:
            return np.empty(0, self.dtype[name])
        return np.asarray(np.memmap(self._files[name], self.dtype[name], "r", shape=(self._rows,)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """[rows] of `dtype`: the whole table in memory."""
        table = np.empty(self._rows, self.dtype)
        for name in self._files:
            table[name] = self[name]
        return table if dtype is None else table.astype(dtype)

    @property
    def nbytes(self) -> int:
        """Bytes that the rows take, on disk."""
        return self._rows * self.dtype.itemsize


def _no_room(error: OSError) -> WordplError:
    return WordplError(f"cannot keep trials in {tempfile.gettempdir()}, a folder that TMPDIR sets: {reason(error)}")
