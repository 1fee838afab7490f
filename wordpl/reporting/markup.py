"""HTML made of elements, so that a text can only be a text: whatever is not `Html` is escaped.

A page is its parts, style and script in one file, which loads nothing and runs nothing but its own.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

from wordpl.base.displays import cut
from wordpl.base.sanitizing import html_text, visible

_EMPTY = frozenset({"meta"})
_FILES = resources.files("wordpl")
_STYLE = "reporting/data/report.css"
_SCRIPTS = ("web/static/dom.js", "web/static/plot.js", "reporting/data/report.js")
"""The painter of the page, with what it imports and what it draws in a report."""


class Html(str):
    """Markup: of this module, or a text of our own, such as a style sheet."""

    __slots__ = ()


def el(tag: str, *children: str, **attributes: str | float | bool | None) -> Html:
    """Return an element; children that are not `Html` are text. In names of attributes `_` stands for `-`, and one at
    the end is dropped (`class_`). One that is None or False is left out; one that is True has no value."""
    start = f"<{tag}"
    for name, value in attributes.items():
        key = name.rstrip("_").replace("_", "-")
        if value is not None and value is not False:
            start += f" {key}" if value is True else f' {key}="{html_text(value)}"'
    start += ">"
    return Html(start if tag in _EMPTY else f"{start}{join(children)}</{tag}>")


def join(children: Iterable[str]) -> Html:
    """Return children one after another as markup."""
    return Html("".join(child if isinstance(child, Html) else html_text(child) for child in children))


def clean(text: str, most: int = 300) -> str:
    """Return a text from a file on one line: visible characters only, and at most `most` of them."""
    return cut(visible(text, most + 1), most)


def free_text(text: str, most: int = 300) -> Html:
    """Return a `clean` text that somebody chose: it may be long and written from right to left."""
    return el("span", clean(text, most), class_="given")


Group = tuple[str, Sequence[Sequence[str]]]
"""A heading, or "" for none, and the rows below it."""


def table(caption: str, columns: Sequence[str], groups: Iterable[Group], texts: Sequence[str] = ()) -> Html:
    """Return a table that scrolls by itself where it is too wide. `texts` names the columns that are not numbers."""
    texts = (*texts, columns[0])
    kinds = [None if column in texts else "number" for column in columns]
    head = el("tr", *(el("th", name, scope="col", class_=kind) for name, kind in zip(columns, kinds, strict=True)))
    bodies = []
    for heading, rows in groups:
        group = el("th", free_text(heading, 1000), scope="rowgroup", colspan=len(columns), class_="group")
        lines = [el("tr", group)] if heading else []
        for row in rows:
            first, *rest = zip(row, kinds, strict=True)
            cells = [el("th", first[0], scope="row"), *(el("td", cell, class_=kind) for cell, kind in rest)]
            lines.append(el("tr", *cells))
        bodies.append(el("tbody", *lines))
    grid = el("table", el("caption", caption), el("thead", head), *bodies)
    return el("div", grid, class_="scroll", role="region", aria_label=caption, tabindex="0")


def with_interval(value: str, ends: str = "") -> Html:
    """Return a number with its interval below it."""
    return join([el("span", value), *([" ", el("small", ends)] if ends else [])])


@dataclass(frozen=True)
class Section:
    """A section: its place in the address, its heading, what is in it, and how to read it."""

    name: str
    heading: str
    body: Html
    note: str = ""


def page(title: str, about: Sequence[str], parts: Sequence[Section]) -> str:
    """Return the whole page. `about` are the lines below its title."""
    style, *scripts = (_FILES.joinpath(name).read_text("utf-8") for name in (_STYLE, *_SCRIPTS))
    script = re.sub("^import .*\n", "", "".join(scripts), flags=re.MULTILINE)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    draws = any('class="pictures"' in part.body for part in parts)
    allowed = f"'sha256-{digest}'" if draws else "'none'"
    policy = f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    sections = []
    for part in parts:
        note = [el("p", part.note, class_="note")] if part.note else []
        sections.append(el("section", el("h2", part.heading), *note, part.body, id=part.name))
    contents = [el("li", el("a", part.heading, href=f"#{part.name}")) for part in parts]
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", clean(title)),
        el("style", Html(style)),
    )
    body = el(
        "body",
        el("header", el("p", "WORDPL report", class_="kind"), el("h1", clean(title), class_="given"),
           *(el("p", line) for line in about)),
        el("nav", el("ul", *contents), aria_label="Contents"),
        el("main", *sections),
        *([el("script", Html(script), type="module")] if draws else []),
    )  # fmt: skip
    return f"<!DOCTYPE html>\n{el('html', head, body, lang='en')}\n"
