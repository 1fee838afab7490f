"""The layout of a table in a width.

A table that is too wide is changed in this order, until it fits:

1. headings are folded between words;
2. a table of one row becomes lines of name and value;
3. the lines between the columns go, and texts are folded;
4. columns are left out, first those that say the same in every row, then those of the largest `rank`; a line names
   them, with what they say in every row;
5. every row becomes lines of name and value.

No number and no interval is ever folded, unless it alone is wider than the table.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, chop_cells

_LEAST_TEXT = 28


@dataclass(frozen=True)
class TableColumn:
    """A column of a table, with its `name`."""

    name: str
    rank: int = 0
    """0: the column is never left out. Otherwise the largest rank is left out first, and of equal ranks the last
    column."""
    kind: Literal["number", "text"] = "number"
    """A `number` is aligned right and never folded; a `text` is aligned left and may be folded."""
    full_name: str = ""
    """The name to use when the column is left out, if `name` says too little then."""

    @property
    def title(self) -> str:
        return self.full_name or self.name


def columns_of(columns: Sequence[str | TableColumn], rows: Sequence[Sequence[str]]) -> list[TableColumn]:
    """Return the columns, with a rank and a kind for those that are only names. The first column is a text that stays.
    Of the others, the last is left out first."""
    prose = [any(sum(word.isalpha() for word in row[i].split()) > 2 for row in rows) for i in range(len(columns))]
    return [
        column
        if isinstance(column, TableColumn)
        else TableColumn(column, i, "text" if i == 0 or prose[i] else "number")
        for i, column in enumerate(columns)
    ]


def lay_out(columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """Return the lines of a table, none wider than `width` where that is not None, 20 or more."""
    cells = [[row[i] for row in rows] for i in range(len(columns))]
    natural = [_widest([column.name, *texts]) for column, texts in zip(columns, cells, strict=True)]
    if width is None or _boxed(natural) <= width:
        return _drawn(columns, rows, natural, framed=True)
    by_words = [_widest([*texts, *column.name.split()]) for column, texts in zip(columns, cells, strict=True)]
    if _boxed(by_words) <= width:
        return _drawn(columns, rows, by_words, framed=True)
    least = list(by_words)
    for i, column in enumerate(columns):
        if column.kind == "text":
            words = _widest(word for text in cells[i] for word in text.split())
            least[i] = min(least[i], max(_widest(column.name.split()), min(words, _LEAST_TEXT)))
    same = [len(rows) > 1 and len(set(texts)) == 1 for texts in cells]
    indices = list(range(len(columns)))
    while _open([least[i] for i in indices]) > width and any(columns[i].rank for i in indices):
        indices.remove(max(indices, key=lambda i: (columns[i].rank > 0 and same[i], columns[i].rank, i)))
    if len(rows) == 1 or _open([least[i] for i in indices]) > width or len(indices) < 2 < len(columns):
        return _fields(columns, rows, width)
    widths = _shared([least[i] for i in indices], [by_words[i] for i in indices], width - _open([0] * len(indices)))
    lines = _drawn([columns[i] for i in indices], [[row[i] for i in indices] for row in rows], widths, framed=False)
    missing = dict.fromkeys(
        column.title + (f" ({cells[i][0] or 'empty'} in every row)" if same[i] else "")
        for i, column in enumerate(columns)
        if i not in indices
    )
    if missing:
        lines += wrapped(f"left out: {', '.join(missing)}; to see all, widen the terminal or add --json", width)
    return lines


def wrapped(text: str, width: int | None) -> list[str]:
    """Return the text in lines no wider than `width`, folded between words. A word that is wider stays whole, on a line
    of its own, so that it can be copied."""
    if width is None or len(text) <= width:
        return [text]
    indent = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _widest(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=0) or 1


def _shared(least: list[int], wanted: list[int], room: int) -> list[int]:
    """Widths from `least` up to `wanted` that fill `room`: those that want least more come first."""
    widths, spare = list(least), room - sum(least)
    order = sorted(range(len(least)), key=lambda i: wanted[i] - least[i])
    for place, i in enumerate(order):
        more = max(0, min(wanted[i] - least[i], spare // (len(order) - place)))
        widths[i] += more
        spare -= more
    return widths


def _boxed(widths: Sequence[int]) -> int:
    return sum(widths) + 3 * len(widths) + 1


def _open(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * (len(widths) - 1)


def _drawn(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], widths: Sequence[int], *, framed: bool
) -> list[str]:
    names = [column.name for column in columns]
    head = _lines(columns, names, widths, at_end=True) if any(names) else []
    body = [line for row in rows for line in _lines(columns, row, widths)]
    if not framed:
        return ["  ".join(line).rstrip() for line in [*head, *([["─" * _open(widths)]] if head else []), *body]]

    def rule(left: str, line: str, middle: str, right: str) -> str:
        return left + middle.join(line * (width + 2) for width in widths) + right

    top = [rule(*"┏━┳┓"), *(f"┃ {' ┃ '.join(line)} ┃" for line in head), rule(*"┡━╇┩")] if head else [rule(*"┌─┬┐")]
    return [*top, *(f"│ {' │ '.join(line)} │" for line in body), rule(*"└─┴┘")]


def _lines(
    columns: Sequence[TableColumn], row: Sequence[str], widths: Sequence[int], *, at_end: bool = False
) -> list[list[str]]:
    """The cells of each line of a row, folded to these widths and filled up; `at_end`, short ones are below."""
    folded = [*map(_folded, row, widths)]
    height = max(map(len, folded), default=0)
    for i, (column, texts, width) in enumerate(zip(columns, folded, widths, strict=True)):
        empty = [""] * (height - len(texts))
        filled = [(text, " " * (width - cell_len(text))) for text in (empty + texts if at_end else texts + empty)]
        folded[i] = [space + text if column.kind == "number" else text + space for text, space in filled]
    return [*map(list, zip(*folded, strict=True))]


def _folded(text: str, width: int) -> list[str]:
    """The lines of a cell, folded between words, and within a word that is wider."""
    if cell_len(text) <= width:
        return [text]
    lines = [""]
    for word in text.split():
        if lines[-1] and cell_len(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines += chop_cells(word, width)
    return lines[1:]


def _fields(columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Each row as lines of name and value."""
    names = [column.title for column in columns]
    left = min(_widest(names), width // 2 - 2)
    lines: list[str] = []
    for row in rows:
        fields = [field for field in zip(names, row, strict=True) if field[1]]
        lines += ["", *_drawn([TableColumn("", kind="text")] * 2, fields, [left, width - left - 2], framed=False)]
    return lines[1:]
