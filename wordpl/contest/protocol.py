"""What referee and contestant say to each other: one line of ASCII JSON for each message, bounded in length.

Both sides use this file; it imports nothing heavy. Of what the contestant says only the form is checked here:
whether a move is legal is for `wordpl.play.moves.read_move`, and a line of any other form is a `ProtocolError`.
"""

import json
from typing import Any, NamedTuple

MAX_LINE = 2048
"""Bytes in the longest line, its newline included."""
MAX_TEXT = 300
"""Characters in the longest text of a reply."""
MAX_WORD = 64
"""Characters in the longest word; a longer one is no word of any list."""

# kind of reply -> types of what follows the turn
_REPLIES: dict[str, tuple[tuple[type, ...], ...]] = {
    "up": (),  # the program inside runs, and waits to be let on
    "ready": ((str,), (bool,)),  # name of the strategy, whether it has our interface
    "pair": ((str,), (float,)),  # the contest's (word, epsilon)
    "ask": ((str,), (float,)),
    "answer": ((str,),),
    "invalid": ((str,),),  # what the strategy returned is no move
    "crash": ((str,),),
    "memory": ((str,),),
}


class ProtocolError(Exception):
    """A line that is no message, or not one that was asked for."""


class Reply(NamedTuple):
    """A message from the contestant: its kind, the turn it belongs to, and its values, exact built-in types."""

    kind: str
    turn: int
    values: tuple[Any, ...]


def request(turn: int, verb: str, *values: object) -> bytes:
    """A line from the referee."""
    return (json.dumps([verb, turn, *values]) + "\n").encode("ascii")


def reply(kind: str, turn: int, *values: object) -> bytes:
    """A line from the contestant; texts are cut to what a line may hold."""
    for longest in (MAX_TEXT, 100):
        cut = [value[:longest] if isinstance(value, str) else value for value in values]
        line = json.dumps([kind, turn, *cut]) + "\n"
        if len(line) <= MAX_LINE:
            break
    return line.encode("ascii")


def read_reply(line: bytes) -> Reply:
    """The reply in a line without its newline, of exact `str` and `float`. Raises `ProtocolError` for others."""
    if len(line) >= MAX_LINE:
        raise ProtocolError(f"sent a line of more than {MAX_LINE} bytes")
    try:
        value = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):  # no ASCII, no JSON, too deep, a number too long
        raise ProtocolError("sent a line that is not a message") from None
    if type(value) is not list or len(value) < 2 or type(value[0]) is not str or value[0] not in _REPLIES:
        raise ProtocolError("sent a line that is not a message")
    kind, turn, *values = value
    types = _REPLIES[kind]
    if type(turn) is not int or len(values) != len(types):
        raise ProtocolError(f"sent a malformed message of kind {kind}")
    longest = MAX_WORD if kind in ("pair", "ask", "answer") else MAX_TEXT
    for value, allowed in zip(values, types, strict=True):
        if type(value) not in allowed:
            raise ProtocolError(f"sent a malformed message of kind {kind}")
        if type(value) is str and len(value) > longest:
            raise ProtocolError(f"sent a message of kind {kind} with too long a text")
    return Reply(kind, turn, tuple(values))
