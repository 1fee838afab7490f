"""Files that SQLite may open."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from wordpl.contest.ledger.writer import Ledger
from wordpl.errors import WordplError
from wordpl.simulation.store import Store


@pytest.mark.parametrize("opened", [Store, Ledger])
@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("content", ["a database", "no database"])
def test_a_file_that_is_refused_is_closed(tmp_path: Path, opened: type[Any], read_only: bool, content: str) -> None:
    path = tmp_path / "other.sqlite"
    if content == "no database":
        path.write_bytes(b"x" * 5000)
    else:
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE other (x)")
    with pytest.raises(WordplError) as caught:
        opened(path, read_only=read_only)
    open_files = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
    assert str(path) not in open_files, caught
