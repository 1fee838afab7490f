"""The page of a report: its parts, style and scripts in one file, which loads nothing and runs nothing but its own."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from wordpl.errors import MissingExtraError
from wordpl.reporting.chart import Chart
from wordpl.reporting.markup import Html, el, given, join, shown, trusted
from wordpl.reporting.svg import chart_svg, known_swatch, swatch


@dataclass(frozen=True)
class Part:
    """A section: its place in the address, its heading, what is in it, and how to read it."""

    name: str
    heading: str
    body: Html
    note: str = ""
    charts: tuple[Chart, ...] = ()
    """Those in its body."""


def drawn(charts: Sequence[Chart]) -> Html:
    """Return charts with one legend for all of them. Series of one look have one label in all charts."""
    series = [one for chart in charts for one in chart.series]
    curves = {one.look: one.label for one in series if not one.known}
    known = {(one.kind, one.look): one for one in series if one.known}
    keys = [el("li", _key(swatch(look), label), data_look=look) for look, label in sorted(curves.items())]
    keys += [el("li", _key(known_swatch(one), one.label)) for one in known.values()]
    figures = [
        el(
            "figure",
            el("figcaption", el("h3", chart.title)),
            el("div", chart_svg(chart), class_="picture"),
            *([el("p", chart.note, class_="note")] if chart.note else []),
            data_chart=chart.name,
        )
        for chart in charts
    ]
    return join([el("ul", *keys, class_="legend", aria_label="Curves"), el("div", *figures, class_="charts")])


def _key(look: Html, label: str) -> Html:
    return el("span", look, given(label), class_="key")


def page(title: str, about: Sequence[str], parts: Sequence[Part]) -> str:
    """Return the whole page. `about` are the lines below its title. Raises `MissingExtraError` without plotly."""
    charts = [chart for part in parts for chart in part.charts]
    style, script = own("report.css"), own("report.js")
    scripts = [plotly_script(), script] if charts else []
    told = [chart.record() for chart in charts]
    sections = [
        el("section", el("h2", part.heading), *([el("p", part.note, class_="note")] if part.note else []), part.body,
           id=part.name)
        for part in parts
    ]  # fmt: skip
    contents = [el("li", el("a", part.heading, href=f"#{part.name}")) for part in parts]
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy(scripts)),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", shown(title)),
        el("style", trusted(style)),
    )
    body = el(
        "body",
        el("header", el("p", "WORDPL report", class_="kind"), el("h1", shown(title), class_="given"),
           *(el("p", line) for line in about)),
        el("nav", el("ul", *contents), aria_label="Contents"),
        el("main", *sections),
        *([el("script", trusted(as_json(told)), type="application/json", id="charts")] if told else []),
        *(el("script", trusted(text)) for text in scripts),
    )  # fmt: skip
    return f"<!DOCTYPE html>\n{el('html', head, body, lang='en')}\n"


def policy(scripts: Sequence[str]) -> str:
    """Return a content security policy under which a page loads nothing, sends nothing, and runs only these scripts."""
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {allowed}",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


_IN_SCRIPT = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def as_json(value: Any) -> str:
    """Return JSON that may stand in a script element: no text in it ends the element or begins a comment."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).translate(_IN_SCRIPT)


@cache
def own(name: str) -> str:
    """Return a file of the report's own."""
    return resources.files("wordpl.reporting").joinpath("data", name).read_text("utf-8")


@cache
def plotly_script() -> str:
    """Return plotly.js as the installed package has it. Raises `MissingExtraError` without the package."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise MissingExtraError("reports need the extra 'web': pip install 'wordpl[web]'") from None
    return str(get_plotlyjs())
