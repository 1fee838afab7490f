"""Printing numbers and tables."""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import typer

from wordpl.base.displays import counted
from wordpl.base.errors import WordplError, nearest
from wordpl.base.json_types import json_of
from wordpl.base.sanitizing import latex_cell, markdown_cell, visible, write_csv
from wordpl.reporting.layout import TableColumn, columns_of, lay_out, wrapped

if TYPE_CHECKING:
    from wordpl.simulation.evaluation import Evaluation

Ends = tuple[float | None, float | None] | list[float | None] | tuple[float, float]

_NARROWEST = 20
_HUGE = 1e15
"""Numbers from this one on are written with an exponent."""
_NUMBER = re.compile(r"([≤<>]?)([+-]?)(?:∞|\d[\d,]*(?:\.(\d+))?)")
_INFINITE: dict[str, object] = {"∞": math.inf, "+∞": math.inf, "-∞": -math.inf}
_FRAME = "┏┳┓┡╇┩┌┬┐└┴┘━─┃│…∞≤"
_ASCII = str.maketrans("┏┳┓┡╇┩┌┬┐└┴┘━─┃│…", "++++++++++++--||~")


class Number(str):
    """A number as a cell shows it; rows are sorted by its `value`."""

    value: float

    def __new__(cls, text: str, value: float) -> Number:
        cell = super().__new__(cls, text)
        cell.value = value
        return cell


class Pair(str):
    """Two numbers in a cell, as its `form` shows them: the `ends` of an interval, or two values to compare."""

    form: str
    ends: tuple[str, str]

    def __new__(cls, low: str, high: str, form: str = "[{}, {}]") -> Pair:
        cell = super().__new__(cls, form.format(low, high))
        cell.form, cell.ends = form, (low, high)
        return cell


def screen_width() -> int | None:
    """Columns of the terminal, or the environment's COLUMNS; None in a file or a pipe, where all has room."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) < 6 and int(columns):
        return max(_NARROWEST, int(columns))
    return max(_NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def print_json(value: Any) -> None:
    """One JSON value on stdout, or dataclasses as such (`json_of`)."""
    typer.echo(json.dumps(json_of(value), indent=2, allow_nan=False))


TABLE, CSV, MARKDOWN, LATEX = TABLE_FORMATS = ("table", "csv", "markdown", "latex")


@dataclass(frozen=True)
class TableStyle:
    """The form of a printed table: for a terminal, for another program or for a paper, and the order of its rows."""

    format: str = TABLE
    sort: str = ""
    """The column by which the rows are sorted, smallest first; with a minus before it, largest first."""

    def sorted(self, columns: Sequence[TableColumn], rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
        """The rows in order. Cells that are not numbers come last. Raises `WordplError` for an unknown column."""
        if not self.sort:
            return list(rows)
        names, name = [column.title for column in columns], self.sort.removeprefix("-")
        if name not in names:
            raise WordplError(f"--sort {self.sort}: the table has no such column; {nearest(name, names)}")
        at = names.index(name)
        descending = name != self.sort
        texts = [row for row in rows if math.isnan(_number(row[at]))]
        numeric = [row for row in rows if not math.isnan(_number(row[at]))]
        # At most a number comes before it, more than it after it.
        beside = {"≤": -1, "<": -1, ">": 1}
        numeric.sort(key=lambda row: (_number(row[at]), beside.get(row[at][:1], 0)), reverse=descending)
        return [*numeric, *sorted(texts, key=lambda row: row[at], reverse=descending)]


def print_table(
    title: str,
    columns: Sequence[str | TableColumn],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str] | None = None,
    style: TableStyle | None = None,
) -> None:
    """Print a table that fits the terminal (`wordpl.reporting.layout`), with a `title` above it and `notes` below it.

    Each of `rows` has a cell for each of `columns` (`columns_of`). Texts are never read as markup. A `style` for a
    program or a paper leaves out the title and the notes."""
    style, columns = style or TableStyle(), columns_of(columns, rows)
    rows = style.sorted(columns, rows)
    ascii_only = not can_show_frames()
    if style.format != TABLE:
        names, *rows = _of_numbers([column.title for column in columns], rows, split=style.format == CSV)
    if ascii_only:
        rows = [[cell.replace("∞", "inf").replace("≤", "<=") for cell in row] for row in rows]
    if style.format != TABLE:
        typer.echo("\n".join({CSV: _csv, MARKDOWN: markdown_table, LATEX: _latex}[style.format](names, rows)))
        return
    width = screen_width()
    shown = [[visible(text, None) for text in row] for row in rows]
    table = lay_out([replace(column, name=visible(column.name, None)) for column in columns], shown, width)
    if ascii_only:
        table = [line.translate(_ASCII) for line in table]
    above, *below = (wrapped(visible(text, None), width) for text in (title, *(notes or [])))
    typer.echo("\n".join([*above, *table, *chain.from_iterable(below)]))


def _number(text: str) -> float:
    """The number that a cell is sorted by: of two, the first; NaN for a text."""
    if isinstance(text, Pair):
        return _number(text.ends[0])
    if isinstance(text, Number):
        return text.value
    try:
        return float(text.lstrip("≤<>").rstrip("%").replace(",", "").replace("∞", "inf"))
    except ValueError:
        return math.nan


def _of_numbers(names: Sequence[str], rows: Sequence[Sequence[str]], *, split: bool) -> list[Sequence[str]]:
    """The names and the rows of a table, with one number of decimals in a column. If they are `split`, a cell of two
    numbers is two columns: an interval has the name of the column before, with _low and _high."""
    columns: list[tuple[str, ...]] = []
    for name, *cells in zip(names, *rows, strict=True):
        pairs = [cell if isinstance(cell, Pair) else None for cell in cells]
        if not any(pairs):
            columns.append((name, *_aligned([_plain(cell) for cell in cells] if split else cells)))
            continue
        ends = _aligned([pair.ends[i] if pair else "" for i in (0, 1) for pair in pairs])
        lows, highs = ends[: len(cells)], ends[len(cells) :]
        before = columns[-1][0].removesuffix("_high")
        both = name.split("/") if "/" in name else (f"{before}_low", f"{before}_high")
        if split:
            columns += [(both[0], *lows), (both[1], *highs)]
        else:
            columns.append(
                (name, *(p.form.format(a, b) if p else "" for p, a, b in zip(pairs, lows, highs, strict=True)))
            )
    return list(zip(*columns, strict=True))


def _plain(cell: str) -> str:
    """A cell as a program reads it: the value that was too small to show, and nothing for a bound or for none."""
    if isinstance(cell, Number) and cell.startswith("<"):
        return Number(f"{cell.value:.3g}", cell.value)
    return "" if cell in ("none", "-") or cell.startswith(("≤", ">")) else cell


def _aligned(cells: Sequence[str]) -> list[str]:
    """The cells, in which all plain numbers have as many decimals as the longest."""
    plain = [_NUMBER.fullmatch(cell) for cell in cells]
    places = max((len(found[3] or "") for found in plain if found), default=0)
    if not places:  # a seed has more digits than a float
        return [cell.replace(",", "") if found else cell for cell, found in zip(cells, plain, strict=True)]
    sign = "+" if any(found and found[2] == "+" for found in plain) else ""
    return [
        f"{found[1]}{_number(cell[1:] if found[1] else cell):{sign}.{places}f}".replace("inf", "∞") if found else cell
        for cell, found in zip(cells, plain, strict=True)
    ]


def _csv(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = io.StringIO()
    write_csv(lines, (names, *([_INFINITE.get(cell, cell) for cell in row] for row in rows)))
    return lines.getvalue().splitlines()


def markdown_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown."""
    return [f"| {' | '.join(map(markdown_cell, row))} |" for row in (names, ["---"] * len(names), *rows)]


def _latex(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a tabular with the rules of the package booktabs. The first column is set left."""
    head, *lines = [" & ".join(map(latex_cell, row)) + r" \\" for row in (names, *rows)]
    # A bracket or a star would belong to the end of the row before.
    lines = [f"{{}}{line}" if line.startswith(("[", "*")) else line for line in lines]
    columns = "l" + "r" * (len(names) - 1)
    begin, end = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"
    return [begin, r"\toprule", head, r"\midrule", *lines, r"\bottomrule", end]


def can_show_frames() -> bool:
    """True if standard output can show the frames of a table."""
    try:
        return bool(_FRAME.encode(sys.stdout.encoding or "utf-8"))
    except UnicodeEncodeError:
        return False


def print_text(text: str) -> None:
    """Print a line of text, folded between words where the terminal ends."""
    typer.echo("\n".join(wrapped(visible(text, None), screen_width())))


def number(value: float | None, digits: int = 4, sign: str = "") -> str:
    """A number in `digits` significant digits, or as a whole number if that has more; infinity, or its JSON None, as ∞.
    One that is tiny or huge has an exponent. With `+` as its `sign`, one above 0 has that before it."""
    value = math.inf if value is None else value
    text = f"{value:{sign if value else ''}.{digits}g}".replace("inf", "∞")
    return Number(f"{value:{sign}.0f}" if "e+" in text and abs(value) < _HUGE else text, value)


def numbers(values: Sequence[float], digits: int = 4) -> list[str]:
    """The numbers of a column, all with as many places as give the largest of them `digits` significant digits. If all
    are tiny, each is written with an exponent."""
    largest = max((abs(value) for value in values if math.isfinite(value) and value), default=1.0)
    if largest < 1e-4:
        return [f"{value:.{digits - 1}e}" if value else "0" for value in values]
    return [f"{value:.{decimals(largest, digits)}f}" if math.isfinite(value) else "∞" for value in values]


def interval(ends: Ends, digits: int = 4, sign: str = "") -> str:
    """An interval, as [12, 13]."""
    return Pair(*(number(end, digits, sign) for end in ends))


def estimate(value: float | None, ends: Ends, sign: str = "", *, is_score: bool = False) -> tuple[str, str]:
    """A number and its interval, in the digits that the interval leaves meaning: two of those of its width. Where that
    has no width, or an infinite one, both have four significant digits. So has the score of a game (`is_score`), which
    is no estimate between scores. `sign` is as in `number`."""
    low, high = (math.inf if end is None else end for end in ends)
    if is_score or value is None or math.isinf(value) or not 0.0 < high - low < math.inf:
        return number(value, 4, sign), interval(ends, 4, sign)
    places = decimals(high - low)
    value_cell, *of_ends = (Number(f"{x:{sign if x else ''}.{places}f}", x) for x in (value, low, high))
    return value_cell, Pair(*of_ends)


def decimals(size: float, digits: int = 2) -> int:
    """The decimals that show so many significant `digits` of a number of this size, above 0."""
    return max(0, digits - 1 - math.floor(math.log10(size)))


def reasons(found: Evaluation) -> list[str]:
    """Why trials were lost by anything but a wrong proposal."""
    return [f"{counted(n, 'trial')} lost: {reason}" for reason, n in found.commonest_reasons]
