"""The lines between contestant and referee: whatever is sent is one line, and whatever comes is read or refused."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.helpers import SMALL
from wordpl.contest import inside
from wordpl.contest.inside import encode
from wordpl.play.moves import Answer, Ask, InvalidMoveError, read_move

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), lambda x: st.lists(x, max_size=4)
)
# Often enough what is legal, or nearly: of texts and numbers at random next to none is.
WORDS = st.sampled_from([*SMALL.answers[:3], *SMALL.guesses[:3]])
PART = JSON | WORDS | st.floats(0, 30) | st.just(0)
MOVES = JSON | st.tuples(PART, PART) | st.builds(Ask, PART, PART) | st.builds(Answer, PART)
KINDS = st.sampled_from(["up", "ready", "pair", "ask", "answer", "invalid", "crash", "memory", "win"])


@given(st.binary(max_size=3000) | st.builds(lambda *v: json.dumps(v).encode(), KINDS, JSON, PART, PART))
@example(b"[" * 2000)
@example(b'["pair", 1, "crate", 1' + b"0" * 1990 + b"]")
@example(b'["pair", 1, "crate", NaN]')
@example(b'["pair", true, "crate", 1.0]')
def test_any_line_is_a_reply_of_plain_values_or_a_protocol_error(line: bytes) -> None:
    try:
        reply = inside.read_reply(line)
    except inside.ProtocolError:
        return
    assert type(reply.kind) is str
    assert type(reply.turn) is int
    assert {type(value) for value in reply.values} <= {str, int, float, bool}
    if reply.kind in ("pair", "ask"):
        move = reply.values if reply.kind == "pair" else Ask(*reply.values)
        if found := legal(move):
            word = found.guess if isinstance(found, Ask) else found.word
            assert type(word) is str and word in SMALL.guess_index


@given(MOVES)
@example((SMALL.guesses[0], 2.5))
@example((SMALL.answers[0], 0))
@example(Ask(SMALL.guesses[1], 7.0))
@example(Answer(SMALL.answers[1]))
@example(("x" * 3000, 2.5))
@example((SMALL.guesses[0], 10**400))
def test_whatever_is_returned_makes_one_line_and_is_as_legal_as_in_process(move: Any) -> None:
    sent(move)


def sent(move: Any) -> Ask | Answer | None:
    """The move that a line makes of what a strategy returns; None if it is no legal one."""
    line = encode(3, move)
    assert len(line) <= inside.MAX_LINE and line.endswith(b"\n") and line.count(b"\n") == 1
    reply = inside.read_reply(line[:-1])
    assert reply.turn == 3
    kinds = {"pair": lambda v: v, "ask": lambda v: Ask(*v), "answer": lambda v: Answer(*v), "invalid": lambda v: None}
    here = legal(kinds[reply.kind](reply.values))
    assert here == legal(move), "a move is as legal in the sandbox as in process"
    return here


def legal(move: Any) -> Ask | Answer | None:
    try:
        return read_move(move, SMALL, False)
    except InvalidMoveError:
        return None


@pytest.mark.parametrize(
    "value",
    [
        np.array(1.0), np.array([1.0]), np.array(1), np.timedelta64(5, "ns"), np.timedelta64(5, "s"),
        np.datetime64(5, "ns"), np.complex128(1), np.str_("1"), np.bool_(True), np.ma.masked,
        np.float16(1.5), np.float64(1.5), np.longdouble(1.5), np.int8(3), np.uint64(2**63), np.float32("nan"),
    ],
    ids=repr,
)  # fmt: skip
def test_numbers_of_numpy_are_numbers_and_nothing_else_of_it(value: Any) -> None:
    number = isinstance(value, (np.number, np.ndarray)) and np.ndim(value) == 0 and value.dtype.kind in "fiu"
    assert (sent((SMALL.guesses[0], value)) is not None) == (number and bool(value == value))


@pytest.mark.parametrize("more", [0, 1])
def test_a_line_of_the_largest_size_is_sent_whole_and_a_longer_one_is_cut(more: int) -> None:
    room = inside.MAX_LINE + more - len(json.dumps(["crash", 3, ""])) - 1  # the newline
    text = "\U0001f36b" * (room // 12) + "x" * (room % 12)  # that letter takes twelve
    line = inside.reply("crash", 3, text)
    assert (len(line) == inside.MAX_LINE) == (more == 0)
    assert inside.read_reply(line[:-1]).values == (text if more == 0 else text[:100],)
