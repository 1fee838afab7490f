"""What is read from a strategy's source without running it."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl import WordplError
from wordpl.contest.declarations import read_declarations

SOURCE = b"""
from dataclasses import dataclass, field
from typing import ClassVar
import strategies.utils as utils
from elsewhere import Base
raise SystemExit  # it is not run

class Base1:
    def first_move(self): ...
    def next_move(self, guess, epsilon, clues): ...

@dataclass
class Data(Base1):
    kind: ClassVar[str] = "x"
    epsilon: float
    again: int = 1
    seen: list = field(default_factory=list)
    state: int = field(init=False)

class Written(Base1):
    def __init__(self, epsilon, /, n=3, *, other, **more): ...

class Inherited(Written): ...
class Unknown(Base): ...
class Ours:
    def players(self, setting): ...
class _Hidden(Base1): ...
class NoPlayer: ...
class Oops(Exception): ...
class Assigned:
    first_move = next_move = print
"""


def test_classes_and_parameters():
    found = read_declarations(SOURCE, "mine.py")
    assert {name: one.parameters and dict(one.parameters) for name, one in found.strategies.items()} == {
        "Base1": {},
        "Data": {"epsilon": True, "again": False, "seen": False},
        "Written": {"epsilon": True, "n": False, "other": True},
        "Inherited": {"epsilon": True, "n": False, "other": True},
        "Unknown": None,
        "Ours": {},
        "Assigned": {},
    }
    assert found.strategies["Written"].takes_more
    assert not found.strategies["Data"].takes_more
    assert found.modules == {"dataclasses", "typing", "strategies.utils", "elsewhere"}
    assert not found.has_ready_one
    assert read_declarations(b"strategy = Mine(3)", "mine.py").has_ready_one
    # Published ones keep a table in a variable of that name.
    assert not read_declarations(b"strategy = [1, 2]\nstrategy = 'crate'", "mine.py").has_ready_one


@pytest.mark.parametrize("source", [b"def (", b"\0", b"x = " + b"(" * 1000, b"\xff\xfe"])
def test_what_is_no_python(source):
    with pytest.raises(WordplError, match=r"mine\.py cannot be read as Python"):
        read_declarations(source, "mine.py")


@given(st.binary(max_size=200) | st.text("class A(B):\n defxy=1,*", max_size=120).map(str.encode))
def test_any_bytes_are_declarations_or_an_error(source):
    with contextlib.suppress(WordplError):
        assert set(read_declarations(source, "mine.py").strategies) <= {"A", "B"}
