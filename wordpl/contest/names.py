"""Names as data: nothing that a contestant chooses may act on a screen, a spreadsheet or a page."""

from __future__ import annotations

import unicodedata

from wordpl.errors import WordplError

LONGEST_NAME = 60


def check_name(name: str) -> str:
    """`name` in its composed form. Raises `WordplError` unless it is one line of ordinary visible characters."""
    composed = unicodedata.normalize("NFC", name)
    if not composed or composed != composed.strip() or len(composed) > LONGEST_NAME:
        raise WordplError(f"name {name[:40]!a} is not allowed; 1 to {LONGEST_NAME} characters without space around")
    if visible(composed) != composed or composed[0] in "=+-@":
        raise WordplError(
            f"name {name[:40]!a} is not allowed; letters, digits, signs and single spaces, not = + - @ first"
        )
    return composed


def visible(text: str, most: int = 300) -> str:
    """`text` with everything that is no ordinary visible character or space replaced by U+FFFD, and cut.

    That is: controls, escapes, line ends, direction marks, other invisible formatting, lone surrogates,
    private use; and stacks of combining marks, which would climb over other lines.
    """
    shown = []
    stacked = 0
    for letter in text[:most]:
        kind = unicodedata.category(letter)
        stacked = stacked + 1 if kind in ("Mn", "Me") else 0
        bad = kind[0] == "C" or kind in ("Zl", "Zp") or (kind == "Zs" and letter != " ") or stacked > 2
        shown.append("\N{REPLACEMENT CHARACTER}" if bad else letter)
    return "".join(shown)


def cell(text: str) -> str:
    """`text` for a cell of a CSV file: visible, and no formula to a spreadsheet."""
    shown = visible(text)
    return f"'{shown}" if shown[:1] in ("=", "+", "-", "@") else shown
