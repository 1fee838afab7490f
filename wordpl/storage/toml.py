"""TOML files whose mistakes can be pointed at: the values, and the line and column of every key and value.

Python's `tomllib` reads the values, and says where the syntax is wrong. It does not say where a value stands, and
neither do the TOML packages that we know of. So the text, once `tomllib` has accepted it, is walked through again, only
for the places.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from wordpl.errors import WordplError, one_line
from wordpl.storage.files import StrPath, read_text

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys, and positions in arrays, from the outside in."""

_DEEPEST = 20
"""Parts of a dotted key, at most."""

_SYNTAX = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_SPACE = re.compile(r"[ \t]*")
_BETWEEN = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|' r"'[^']*'|[A-Za-z0-9_-]+")
# Up to five quotes end a text of several lines: two of them may be its own.
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")|' r"'''.*?'{3,5}(?!')|" r'"(?:[^"\\]|\\.)*"|' r"'[^']*'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\n]+")


class Span(NamedTuple):
    """A part of a text: from `start` up to, but not including, `end`."""

    start: int
    end: int


@dataclass(frozen=True)
class TomlFile:
    """What a TOML file holds, and where."""

    path: str
    """For messages."""
    text: str
    values: dict[str, Any]
    keys: dict[KeyPath, Span]
    """Where each key, and the header of each table, stands first."""
    spans: dict[KeyPath, Span]
    """Where each value stands; tables with headers have none."""

    def where(self, path: KeyPath, *, of_key: bool = False) -> str:
        """`FILE, line 3, column 9` for a value, or for a key; for one that has no place, of the table that it is in."""
        places = (self.keys, self.spans) if of_key else (self.spans, self.keys)
        for length in range(len(path), 0, -1):
            for found in places:
                if path[:length] in found:
                    at = found[path[:length]].start
                    line = self.text.count("\n", 0, at) + 1
                    return f"{self.path}, line {line}, column {at - self.text.rfind(chr(10), 0, at)}"
        return self.path


def read_toml(path: StrPath, kind: str, max_bytes: int = 1 << 20) -> TomlFile:
    """Read a TOML file in UTF-8 of at most `max_bytes`; errors call it a `kind`.

    Raises `WordplError` for a file that cannot be read, and, with line and column, for one that is not TOML.
    """
    return parse_toml(read_text(path, kind, max_bytes), str(path))


def parse_toml(text: str, path: str) -> TomlFile:
    """Return what a text holds, as `read_toml` does. `path` is for messages."""
    text = text.replace("\r\n", "\n")
    try:
        values = tomllib.loads(text)
        walk = _Walk(text)
        walk.document()
    except tomllib.TOMLDecodeError as error:
        place = _SYNTAX.search(str(error))
        if place is not None and place[1] is not None:
            line, column = place[1], place[2]
        else:
            line, column = str(text.count("\n") + 1), str(len(text) - text.rfind("\n"))
        said = one_line(str(error)[: place.start()] if place else str(error), 120)
        raise WordplError(f"{path}, line {line}, column {column}: not TOML: {said}") from None
    except ValueError as error:  # a number of thousands of digits
        raise WordplError(f"{path}: not TOML that can be read: {one_line(str(error), 120)}") from None
    except RecursionError:
        raise WordplError(f"{path}: arrays or tables are nested too deeply") from None
    return TomlFile(path, text, values, walk.keys, walk.spans)


class _Walk:
    """Goes through a text that is known to be TOML."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self.keys: dict[KeyPath, Span] = {}
        self.spans: dict[KeyPath, Span] = {}
        self._lengths: dict[KeyPath, int] = {}
        """Tables so far of each array of tables."""

    def document(self) -> None:
        table: KeyPath = ()
        self._skip(_BETWEEN)
        while self._at < len(self._text):
            if self._text.startswith("[[", self._at):
                self._at += 2
                table = self._array_of_tables(self._key())
                self._at += 2
            elif self._text[self._at] == "[":
                self._at += 1
                table = self._header(self._key())
                self._at += 1
            else:
                self._pair(table)
            self._skip(_BETWEEN)

    def _header(self, key: list[tuple[str, Span]]) -> KeyPath:
        """The path of the table that a header names, in the last table of each array of tables on the way."""
        path: KeyPath = ()
        for part, span in key:
            path = (*path, part)
            self.keys.setdefault(path, span)
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
        return path

    def _array_of_tables(self, key: list[tuple[str, Span]]) -> KeyPath:
        (last, span) = key[-1]
        path = (*self._header(key[:-1]), last)
        self.keys.setdefault(path, span)
        position = self._lengths.get(path, 0)
        self._lengths[path] = position + 1
        self.keys[*path, position] = span
        return (*path, position)

    def _pair(self, table: KeyPath) -> None:
        """`key = value`."""
        path = table
        for part, span in self._key():
            path = (*path, part)
            self.keys.setdefault(path, span)
        self._at += 1  # =
        self._skip(_SPACE)
        self._value(path)

    def _key(self) -> list[tuple[str, Span]]:
        """The parts of a key up to what follows it: `=` or the end of a header."""
        parts = []
        while True:
            self._skip(_SPACE)
            start = self._at
            self._skip(_KEY)
            parts.append((_unquoted(self._text[start : self._at]), Span(start, self._at)))
            self._skip(_SPACE)
            if self._text[self._at] != ".":
                return parts
            if len(parts) == _DEEPEST:  # the work, and the memory, grow with the square
                raise RecursionError
            self._at += 1

    def _value(self, path: KeyPath) -> None:
        start = self._at
        opening = self._text[start]
        if opening == "[":
            self._array(path)
        elif opening == "{":
            self._inline_table(path)
        else:
            self._skip(_STRING if opening in "\"'" else _PLAIN)
            self._at = start + len(self._text[start : self._at].rstrip())
        self.spans[path] = Span(start, self._at)

    def _array(self, path: KeyPath) -> None:
        self._at += 1
        self._skip(_BETWEEN)
        position = 0
        while self._text[self._at] != "]":
            self._value((*path, position))
            position += 1
            self._skip(_BETWEEN)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BETWEEN)
        self._at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._at += 1
        self._skip(_BETWEEN)
        while self._text[self._at] != "}":
            self._pair(path)
            self._skip(_BETWEEN)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BETWEEN)
        self._at += 1

    def _skip(self, what: re.Pattern[str]) -> None:
        match = what.match(self._text, self._at)
        if match is None:
            raise ValueError(f"what stands at letter {self._at + 1} is not understood")
        self._at = match.end()


def _unquoted(key: str) -> str:
    if key[0] == "'":
        return key[1:-1]
    return next(iter(tomllib.loads(f"{key} = 0"))) if key[0] == '"' else key
