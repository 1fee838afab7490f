"""Files of JSON lines: what was added is read, a line cut short is dropped, anything else is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl import WordplError
from wordpl.base.files import add_json_line, read_json_lines

RECORDS = st.lists(
    st.dictionaries(st.text(), st.none() | st.integers() | st.floats(allow_nan=False) | st.text()), max_size=5
)


@given(RECORDS, st.integers(0, 60))
def test_what_was_added_is_read_and_a_cut_line_is_dropped(tmp_path_factory, records, cut):
    path = tmp_path_factory.mktemp("lines") / "new" / "deeper" / "file.jsonl"
    for record in records:
        add_json_line(path, record)
    assert read_json_lines(path) == records
    if records:
        size = len(path.read_bytes())
        path.write_bytes(path.read_bytes()[: max(size - cut, 0)])
        left = read_json_lines(path)
        assert left == records[: len(left)]
        assert len(left) < len(records) or cut == 0
        add_json_line(path, {"next": 1})
        assert read_json_lines(path) == [*left, {"next": 1}]


@pytest.mark.parametrize("line", ["x", "3", "[]", "null", "", "{}", '{"a": 1, "digest": "00"}'])
def test_other_lines_are_refused(line, tmp_path):
    add_json_line(tmp_path / "f", {"a": 1})
    with (tmp_path / "f").open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(WordplError, match="f, line 2"):
        read_json_lines(tmp_path / "f")
