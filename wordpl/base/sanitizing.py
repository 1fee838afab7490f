"""Names as data: nothing that a contestant chooses may act on a screen, a spreadsheet or a page, or pass for another.

The rule for names is `RULE`. One script leaves no look-alikes from others; what looks alike within it, `folded` makes
equal. After Unicode Technical Standard 39 (Security Mechanisms): a single script, and skeletons of confusable names.
"""

import csv
import html
import re
import string
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TextIO

from wordpl.base.errors import WordplError, shown

LONGEST_NAME = 60
RULE = (
    f"1 to {LONGEST_NAME} Latin letters (accents allowed), digits, single spaces and . ' - _ ( ),"
    " with a letter or digit first"
)
# Latin letters that have no canonical decomposition into a letter from a to z and accents, and what they fold to.
_MORE_LETTERS = str.maketrans(dict(zip("æœßøđðłþı", ("ae", "oe", "ss", "o", "d", "d", "l", "th", "i"), strict=True)))
_NAME = re.compile(r"[a-z0-9]( ?[a-z0-9.'_()-])*")
_ALIKE = str.maketrans("1i0", "llo", " .'_()-")


def check_name(name: str) -> str:
    """`name` in its composed form (NFC). Raises `WordplError`, one line that tells `RULE`, if it breaks that."""
    composed = unicodedata.normalize("NFC", name)
    left = any(map(unicodedata.combining, composed))  # an accent that no letter has taken in
    if left or len(composed) > LONGEST_NAME or not _NAME.fullmatch(_plain(composed)):
        raise WordplError(f"name {shown(name)} is not allowed; a name is {RULE}")
    return composed


def folded(name: str) -> str:
    """The rest of a name when its looks are ignored; names with the same rest are one name.

    Letters lose case and accents, spaces and signs go, and i, l and 1, o and 0, rn and m, vv and w are taken for one
    another.
    """
    return _plain(name).translate(_ALIKE).replace("rn", "m").replace("vv", "w")


def visible(text: str, max_length: int | None = 300) -> str:
    """`text`, cut after `max_length` characters, with U+FFFD for each that is not printable: controls, escapes, line
    ends, direction marks, other formatting, lone surrogates and private use."""
    text = text[:max_length]
    return text if text.isprintable() else "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def visible_lines(text: str) -> str:
    """`text` as `visible` has it, not cut, with its line ends; tabs become spaces."""
    return "\n".join(visible(line, None) for line in text.expandtabs().split("\n"))


# A cell of a table, for each kind of program that reads one. `tests/base/test_sanitizing.py`: nothing else writes one.


@lru_cache(maxsize=10_000)  # most texts of a file of trials are those of the row before
def csv_cell(text: str) -> str:
    """`text` for a cell of a CSV file: visible, and no formula to a spreadsheet. A figure stays as it is.

    A formula begins with = + - or @, their full-width and other compatible forms included, also behind spaces, quotes
    and what `visible` replaces (tab, line ends): programs that import a file may drop those. An apostrophe before
    such a cell makes it text (OWASP, CSV Injection).
    """
    content = visible(text, None)
    if _FIGURE.fullmatch(content):
        return content
    rest = unicodedata.normalize("NFKC", content).lstrip(" '\"`\u2018\u2019\u201c\u201d\N{REPLACEMENT CHARACTER}")
    return f"'{content}" if rest[:1] in ("=", "+", "-", "@", "\u2212") else content  # NFKC leaves U+2212, minus


def write_csv(file: TextIO, rows: Iterable[Iterable[object]], delimiter: str = ",") -> None:
    """Write rows as CSV to a file that was opened with `newline=""`: texts as `csv_cell` has them."""
    plain = ([csv_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(plain)


def markdown_cell(text: str) -> str:
    """`text` as Markdown that shows it and does nothing else, in a table and outside of one. Figures stay as they are.

    A `MarkdownText` stays as it is, too.
    """
    if isinstance(text, MarkdownText) or _FIGURES.fullmatch(text):
        return text
    return "".join(_BROKEN.get(c, f"\\{c}") if c in string.punctuation else c for c in visible(text, None))


class MarkdownText(str):
    """Text that `markdown_cell` makes, and markup around it."""

    __slots__ = ()


def latex_cell(text: str) -> str:
    """`text` as LaTeX that shows it and does nothing else, in a tabular; the first of a row behind `{}`."""
    return visible(text, None).translate(_LATEX)


def html_text(text: object) -> str:
    """`text` as HTML that shows it and does nothing else, in elements and attributes. Line ends stay."""
    return html.escape(visible_lines(str(text)))


_FIGURE = re.compile(r"[-+]?(\d[\d,.]*(e[-+]?\d+)?%?|∞)", re.ASCII)
_FIGURES = re.compile(r"[-+\d.,%∞≤ \[\]]*", re.ASCII)
_BROKEN = {"@": "@<!-- -->", "#": "\\#<!-- -->"}
"""A comment within keeps GitHub from finding a user or an issue, and so telling them."""
_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}"}
    | {"∞": r"$\infty$", "≤": r"$\le$", "<": "$<$", ">": "$>$"}
)


def _plain(text: str) -> str:
    """A text in small letters without accents, and with letters from a to z for others that are Latin."""
    letters = unicodedata.normalize("NFD", text.lower()).translate(_MORE_LETTERS)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
