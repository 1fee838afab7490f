"""The layout of a table in a width. Rich folds and draws; this module decides what is folded or left out.

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

import io
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import RenderableType

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
    from rich.cells import cell_len

    return max(map(cell_len, texts), default=0) or 1  # no column of rich's is narrower


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
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.HEAVY_HEAD)
    if not framed:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.show_header = any(column.name for column in columns)
    for column, width in zip(columns, widths, strict=True):
        justify: Literal["left", "right"] = "right" if column.kind == "number" else "left"
        table.add_column(Text(column.name), width=width, justify=justify, overflow="fold")
    if framed:  # no cell is folded, so each column can be one text: rich takes long for each cell
        rows = [["\n".join(texts) for texts in zip(*rows, strict=True)]] if rows else []
    for row in rows:
        table.add_row(*map(Text, row))
    return _rendered(table, _boxed(widths))


def _fields(columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Each row as lines of name and value."""
    from rich.table import Table
    from rich.text import Text

    names = [column.title for column in columns]
    left = min(_widest(names), width // 2 - 2)
    lines: list[str] = []
    for row in rows:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=left, overflow="fold")
        table.add_column(width=width - left - 2, overflow="fold")
        for name, text in zip(names, row, strict=True):
            if text:
                table.add_row(Text(name), Text(text))
        lines += ["", *_rendered(table, width)]
    return lines[1:]


def _rendered(table: RenderableType, width: int) -> list[str]:
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(table)
    return [line.rstrip() for line in capture.get().splitlines()]
