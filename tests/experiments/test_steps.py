"""Steps are kept, whatever ends the work."""

from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.steps import add_step, read_steps
from tests.support.refusals import refusal

LINES = st.lists(
    st.dictionaries(st.text(), st.none() | st.integers() | st.floats(allow_nan=False) | st.text()), max_size=5
)


@settings(max_examples=12)
@given(LINES, st.integers(0, 60))
def test_what_was_added_is_read_and_a_cut_line_is_dropped(tmp_path_factory, records, cut):
    path = tmp_path_factory.mktemp("lines") / "new" / "deeper" / "file.jsonl"
    for record in records:
        add_step(path, record)
    assert read_steps(path) == records
    if records:
        size = len(path.read_bytes())
        path.write_bytes(path.read_bytes()[: max(size - cut, 0)])
        left = read_steps(path)
        assert left == records[: len(left)]
        assert len(left) < len(records) or cut == 0
        add_step(path, {"next": 1})
        assert read_steps(path) == [*left, {"next": 1}]
    add_step(path, {})
    path.write_text("x\n")
    assert "file.jsonl is not a file of finished steps" in refusal(read_steps, path)
