"""Displays of objects: as one short line, as HTML in a notebook, and as JSON values.

The line of an object with many or long fields has the form `<Name what it is>` and at most `LONGEST` characters. It is
never part of an identity.

HTML is shown on light and dark pages. So text has the page's colour, or a colour and a background of its own. Colours
only repeat what the text says. There is no script, and every text is escaped.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Literal, TypeVar

from wordpl.base.sanitizing import html_text, visible

LONGEST = 200
"""Characters of a line, at most."""


def line_of(thing: object, text: str) -> str:
    """Return `<Name text>` on one line of at most `LONGEST` characters; what cannot be shown is replaced."""
    return cut(visible(f"<{type(thing).__name__} {text}", None), LONGEST - 1) + ">"


def cut(text: str, most: int = 80) -> str:
    """Return a part of a line, such as a name: at most `most` characters, with a sign where more is left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return a number of things, as `1 clue` or `2 clues`."""
    return f"{n} {noun if n == 1 else plural or f'{noun}s'}"


def percent(chance: float, digits: int = 3) -> str:
    """Return a chance as a percentage of at most so many significant digits; as 0 or 100% only if it is that."""
    rounded = float(f"{100 * chance:.{digits}g}")
    if rounded == 100 and chance < 1 - 1e-12:
        return "over 99.99%" if chance > 0.9999 else f"{100 * chance:.4g}%"
    return f"{rounded:g}%" if rounded else "0"


Epsilon = TypeVar("Epsilon", float, float | None)


def json_epsilon(epsilon: Epsilon) -> Epsilon | Literal["inf"]:
    """Return an epsilon, or a sum of epsilons, as a JSON value: infinity, that of no noise, is the text `inf`."""
    return "inf" if epsilon is not None and math.isinf(epsilon) else epsilon


def finite(value: float) -> float | None:
    """Return a number as a JSON value: None for an infinity, such as a percentile that is not reached."""
    return value if math.isfinite(value) else None


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table. Title and columns are text; the cells are HTML."""
    style = "text-align:left;padding:.1em 1em .1em 0"
    heads = "".join(f'<th style="{style};border-bottom:1px solid #8888">{html_text(column)}</th>' for column in columns)
    body = "".join("<tr>" + "".join(f'<td style="{style}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    top = f"<div><b>{html_text(title)}</b></div>"
    return f"{top}<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
