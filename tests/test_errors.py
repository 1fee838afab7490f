"""How errors are put on one line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wordpl.errors import error_line, one_line


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("says nothing")


@given(st.text(max_size=400), st.integers(10, 300))
def test_one_line(text, most):
    line = one_line(text, most)
    assert len(line) <= most
    assert all(" " <= character <= "~" for character in line)


@given(st.text(max_size=400))
def test_error_line_begins_with_the_type(text):
    line = error_line(KeyError(text))
    assert line.startswith("KeyError: ")
    assert all(" " <= character <= "~" for character in line)


def test_error_line_of_an_error_without_a_readable_message():
    assert error_line(MuteError()) == "MuteError"
