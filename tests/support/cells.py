"""Reading what tables and JSON show, and whether it is a value that was computed otherwise."""

import csv
import io
import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

from tests.support.plain import Ends
from wordpl.reporting.tables import TableStyle


def is_shown(cell: str, value: float | None, ends: Ends | None = None) -> bool:
    """Whether a cell has a value, in two digits of the width of its interval, or in four of its own."""
    if value is None or math.isinf(value):
        return cell.replace("inf", "∞") == ("" if value is None else "-∞" if value < 0 else cell.strip("-inf∞") + "∞")
    width = ends[1] - ends[0] if ends and math.isfinite(ends[1] - ends[0]) else 0.0
    size = width or abs(value) / 100 or 1.0
    return abs(float(cell) - value) <= 0.51 * 10.0 ** (math.floor(math.log10(size)) - 1) + 1e-3 * width


def are_shown(cells: Sequence[str], value: float | None, ends: Ends) -> bool:
    """Whether three cells have a value and its interval."""
    return all(is_shown(cell, at, ends) for cell, at in zip(cells, (value, *ends), strict=True))


def true_budget(curve: str, budget: float) -> float:
    """A budget of four digits: rounded up, but a bound down, so that both are true."""
    rounding = ROUND_FLOOR if "bound" in curve or "privacy" in curve else ROUND_CEILING
    return float(Context(4, rounding).create_decimal(repr(float(budget))))


def parts(cell: str) -> list[str]:
    """A value and its interval, as one cell has them."""
    return cell.replace("[", "").replace("]", "").replace(",", "").split()


def table(text: str) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of a table in CSV."""
    head, *rows = csv.reader(io.StringIO(text))
    return head, rows


def printed(capsys: Any, show: Callable[..., None], *given: Any) -> list[list[str]]:
    show(*given, TableStyle("csv"))
    return list(csv.reader(io.StringIO(capsys.readouterr().out)))


def grouped(rows: list[list[str]]) -> list[list[str]]:
    """The rows of a table of a report, each with the heading above it."""
    found, heading = [], ""
    for row in rows[1:]:
        if len(row) == 1:
            heading = row[0]
        else:
            found.append([heading, *row])
    return found


def alike(found: Any, expected: Any) -> bool:
    """Whether two JSON values are equal but for rounding; betting and Student's interval in three digits."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(alike(found[key], expected[key]) for key in expected)
    if isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(alike, found, expected))
    if isinstance(expected, float) and isinstance(found, float | int):
        return math.isclose(found, expected, rel_tol=1e-6, abs_tol=1e-9)
    return found == expected
