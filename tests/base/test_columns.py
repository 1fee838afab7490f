"""Tables on disk, read as the array would be that has the same rows."""

import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.helpers import full_disk
from wordpl import WordplError
from wordpl.base.columns import ColumnsOnDisk

ROW = np.dtype([("flag", np.int8), ("number", np.int64), ("value", np.float64)])


@given(st.lists(st.integers(0, 5), max_size=6))
def test_a_table_is_what_was_added(sizes):
    rows = np.random.default_rng(sum(sizes)).integers(-128, 128, (sum(sizes), 3))
    whole = np.array([tuple(row) for row in rows], ROW)
    table = ColumnsOnDisk(ROW)
    at = 0
    for size in sizes:
        table.append(whole[at : at + size])
        at += size
    assert len(table) == len(whole)
    for name in ROW.names:
        assert table[name].dtype == ROW[name]
        assert np.array_equal(table[name], whole[name])
    assert np.array_equal(np.asarray(table), whole)
    assert table.nbytes == whole.nbytes


def test_no_place_for_a_table_or_its_rows(tmp_path, monkeypatch):
    table = ColumnsOnDisk(ROW)
    with full_disk(10), pytest.raises(WordplError, match=r"cannot keep trials in .*: File too large"):
        table.append(np.ones(3, ROW))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(WordplError, match=r"cannot keep trials in .*none, a folder that TMPDIR sets: No such file"):
        ColumnsOnDisk(ROW)
