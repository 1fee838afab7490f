"""How a table fits a width: pure text, no screen.

A table that is too wide gives way in this order, until it fits:

1. headings are broken between words;
2. a table of one row becomes lines of name and value;
3. the lines between the columns go; texts are broken between words, specs are shortened in the middle;
4. columns are left out, those of the largest `rank` first, and a line names them;
5. every row becomes lines of name and value.

No word and no number is ever broken, unless it alone is wider than the table; then its middle is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

Kind = Literal["figure", "text", "spec"]

ELLIPSIS = "…"
_LEAST_SPEC, _LEAST_TEXT = 24, 16
_GAP = "  "
# An interval stays on one line.
_WORDS = re.compile(r"\[[^\s\[\]]+, [^\s\[\]]+\]\S*|\S+")
# A spec may be broken after a space, a bracket or a slash; a number or a name is one piece.
_PIECES = re.compile(r"[^\s(/]*[(/]?\s*")
_TOKENS = re.compile(r"[+-]?\w+(?:\.\w+)*|.", re.DOTALL)


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    rank: int = 0
    """0: never left out; otherwise the largest goes first and, of the same rank, the last column."""
    kind: Kind = "figure"
    """Figures are set right and texts left; a spec is shortened where a text is broken into lines."""
    full_name: str = ""
    """What it is called where it is left out, if its name says too little there."""


def columns_of(columns: Sequence[str | Column], rows: Sequence[Sequence[str]]) -> list[Column]:
    """Return the columns, with a rank and a kind for those that are only names.

    The first column is a text that stays. Of the others, the last is left out first.
    """
    made = []
    for i, column in enumerate(columns):
        if isinstance(column, Column):
            made.append(column)
        else:
            prose = any(sum(word.isalpha() for word in row[i].split()) > 2 for row in rows)
            made.append(Column(column, i, "text" if i == 0 or prose else "figure"))
    return made


def lay_out(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """Return the lines of a table, none wider than `width` where that is not None, 20 or more."""
    cells = [[*column] for column in zip(*rows, strict=True)] or [[] for _ in columns]
    natural = [_widest([column.name, *texts]) for column, texts in zip(columns, cells, strict=True)]
    if width is None or _boxed(natural) <= width:
        return _box(columns, cells, natural)
    by_words = [
        _widest([*texts, *column.name.split()]) if texts else _widest(column.name.split())
        for column, texts in zip(columns, cells, strict=True)
    ]
    if _boxed(by_words) <= width:
        return _box(columns, cells, by_words)
    if len(rows) == 1:
        return _fields(columns, rows, width)
    least = [_least(column, texts) for column, texts in zip(columns, cells, strict=True)]
    kept = list(range(len(columns)))
    while _open([least[i] for i in kept]) > width:
        ranked = [i for i in kept if columns[i].rank > 0]
        if not ranked:
            return _fields(columns, rows, width)
        kept.remove(max(ranked, key=lambda i: (columns[i].rank, i)))
    widths = _shared([least[i] for i in kept], [by_words[i] for i in kept], width - _open([0] * len(kept)))
    shown = [columns[i] for i in kept]
    if len(kept) < 2 < len(columns):
        return _fields(columns, rows, width)
    lines = _plain(shown, [cells[i] for i in kept], widths)
    missing = dict.fromkeys(c.full_name or c.name for i, c in enumerate(columns) if i not in kept)
    if missing:
        lines += wrapped(f"left out: {', '.join(missing)}; a wider terminal or --json shows all", width)
    return lines


def wrapped(text: str, width: int | None, whole: bool = False) -> list[str]:
    """Return the text in lines no wider than `width`, broken between words.

    A word that is wider loses its middle; with `whole` it stays, on a line of its own, so that it can be copied.
    """
    if width is None or cell_len(text) <= width:
        return [text]
    indent = text[: len(text) - len(text.lstrip())]
    indent = indent if len(indent) < width // 2 else ""
    words = (m[0] + " " for m in _WORDS.finditer(text))
    return [indent + line for line in _filled(words, width - len(indent), whole)]


def shortened(text: str, width: int, head: int | None = None) -> str:
    """Return the text with its middle left out, so that it is no wider than `width`.

    About `head` columns are left of the gap, by default a bit more than half. Names and numbers stay whole, as long as
    one fits.
    """
    if cell_len(text) <= width:
        return text
    room = width - 1
    head = (room * 3 + 4) // 5 if head is None else head
    tokens = _TOKENS.findall(text)
    left = _fitting(tokens, head)
    right = _fitting(tokens[::-1], room - cell_len(left), backwards=True)
    left = _fitting(tokens, room - cell_len(right))  # what the right side did not need
    if not left and not right:
        left = _cut(text, room)
    return f"{left}{ELLIPSIS}{right}"


def _fitting(tokens: Iterable[str], room: int, backwards: bool = False) -> str:
    found = ""
    for token in tokens:
        if cell_len(found) + cell_len(token) > room:
            break
        found = token + found if backwards else found + token
    return found


def _cut(text: str, room: int) -> str:
    while cell_len(text) > room:
        text = text[:-1]
    return text


def _filled(pieces: Iterable[str], width: int, whole: bool = False) -> list[str]:
    """Pieces put on lines, as many on each as fit without the space at its end."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        fits = whole or cell_len(piece.rstrip()) <= width
        lines[-1] += piece if fits else shortened(piece.rstrip(), width) + " "
    return [line.rstrip() for line in lines]


def _widest(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=0)


def _least(column: Column, texts: list[str]) -> int:
    """The narrowest that a column can be."""
    heading = _widest(column.name.split())
    if column.kind == "spec":
        return max(heading, min(_LEAST_SPEC, _widest(texts)))
    words = _widest(m[0] for text in texts for m in _WORDS.finditer(text))
    return max(heading, min(words, _LEAST_TEXT) if column.kind == "text" else words)


def _shared(least: list[int], wanted: list[int], room: int) -> list[int]:
    """Widths from `least` up to `wanted` that fill `room`: those that want least more come first."""
    widths, spare = list(least), room - sum(least)
    order = sorted(range(len(least)), key=lambda i: wanted[i] - least[i])
    for done, i in enumerate(order):
        more = max(0, min(wanted[i] - least[i], spare // (len(order) - done)))
        widths[i] += more
        spare -= more
    return widths


def _lines(column: Column, texts: list[str], width: int) -> list[list[str]]:
    """Each cell of a column in lines."""
    if column.kind == "spec" and _widest(texts) > width:
        short = _distinct(texts, width)
        if short is not None:
            return [[text] for text in short]
        return [broken(text, width) for text in texts]
    return [wrapped(text, width) for text in texts]


def _distinct(texts: list[str], width: int) -> list[str] | None:
    """The texts shortened so that different ones still differ, each with its beginning; None if they cannot be."""
    room = width - 1
    heads = sorted(range(room // 4, room + 1), key=lambda head: abs(head - room * 3 // 5))
    for head in heads:
        short = [shortened(text, width, head) for text in texts]
        if len(set(short)) == len(set(texts)) and not any(text.startswith(ELLIPSIS) for text in short):
            return short
    return None


def _boxed(widths: Sequence[int]) -> int:
    return sum(widths) + 3 * len(widths) + 1


def _open(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _set(text: str, width: int, column: Column) -> str:
    space = " " * (width - cell_len(text))
    return space + text if column.kind == "figure" else text + space


def _grid(columns: Sequence[Column], cells: list[list[list[str]]], widths: Sequence[int]) -> list[list[list[str]]]:
    """Rows of lines of cells, each cell as wide as its column; `cells` has the lines of each cell by column."""
    rows = []
    for row in zip(*cells, strict=True):
        height = max(map(len, row))
        rows.append(
            [
                [
                    _set(lines[i] if i < len(lines) else "", width, column)
                    for column, lines, width in zip(columns, row, widths, strict=True)
                ]
                for i in range(height)
            ]
        )
    return rows


def _headings(columns: Sequence[Column], widths: Sequence[int]) -> list[list[str]]:
    headings = [[wrapped(column.name, width)] for column, width in zip(columns, widths, strict=True)]
    return _grid(columns, headings, widths)[0]


def _box(columns: Sequence[Column], cells: list[list[str]], widths: Sequence[int]) -> list[str]:
    def rule(left: str, line: str, middle: str, right: str) -> str:
        return left + middle.join(line * (width + 2) for width in widths) + right

    body = _grid(columns, [[[text] for text in texts] for texts in cells], widths)
    head = [rule("┌", "─", "┬", "┐")]
    if any(column.name for column in columns):
        head = [
            rule("┏", "━", "┳", "┓"),
            *(f"┃ {' ┃ '.join(line)} ┃" for line in _headings(columns, widths)),
            rule("┡", "━", "╇", "┩"),
        ]
    return [*head, *(f"│ {' │ '.join(line)} │" for row in body for line in row), rule("└", "─", "┴", "┘")]


def _plain(columns: Sequence[Column], cells: list[list[str]], widths: Sequence[int]) -> list[str]:
    broken = [_lines(column, texts, width) for column, texts, width in zip(columns, cells, widths, strict=True)]
    lines = [["─" * width for width in widths]]
    if any(column.name for column in columns):
        lines = [*_headings(columns, widths), *lines]
    lines += [line for row in _grid(columns, broken, widths) for line in row]
    return [_GAP.join(line).rstrip() for line in lines]


def _fields(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Each row as lines of name and value."""
    names = [column.full_name or column.name for column in columns]
    left = min(_widest(names), width // 2 - len(_GAP))
    lines: list[str] = []
    for row in rows:
        lines += [""] if lines else []
        for column, name, text in zip(columns, names, row, strict=True):
            if not text:
                continue
            room = width - left - len(_GAP)
            values = broken(text, room) if column.kind == "spec" else wrapped(text, room)
            heads = wrapped(name, left)
            for i in range(max(len(heads), len(values))):
                head, value = (part[i] if i < len(part) else "" for part in (heads, values))
                lines.append(f"{head + ' ' * (left - cell_len(head))}{_GAP}{value}".rstrip())
    return lines


def broken(text: str, width: int) -> list[str]:
    """Return a spec in lines no wider than `width`, broken after spaces, brackets and slashes."""
    return _filled((m[0] for m in _PIECES.finditer(text) if m[0]), width)
