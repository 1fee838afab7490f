"""Charts as SVG: what a report shows on paper and without scripts. Colours and fonts are those of its style sheet."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from wordpl.reporting.chart import Chart, Point, Series
from wordpl.reporting.markup import Html, el, join

WIDTH, HEIGHT = 480, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 468, 12, 292
COLOURS, DASHES = 6, 4
"""How many there are; looks go through the colours first."""


def look_of(look: int) -> str:
    """Return the classes of a look: its colour and its dashes."""
    return f"c{look % COLOURS} d{look // COLOURS % DASHES}"


def chart_svg(chart: Chart) -> Html:
    """Return a chart as an SVG element."""
    return el(
        "svg",
        _frame(chart),
        *(_series(chart, one) for one in chart.series),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=f"{chart.title}; the numbers are in the tables",
        class_="static",
    )


def swatch(look: int) -> Html:
    """Return a piece of a curve, for a legend."""
    return _swatch(look_of(look), el("path", d="M0 8H36", class_="line"), _marker(18, 8, look))


def known_swatch(one: Series) -> Html:
    """The same for a series that stands beside the results."""
    drawn = _marker(18, 8, 0, "lost") if one.kind == "cross" else el("path", d="M0 8H36", class_="line")
    return _swatch(_known(one), drawn)


def _swatch(look: str, *parts: Html) -> Html:
    return el("svg", *parts, viewBox="0 0 36 16", aria_hidden="true", class_=look)


def _known(one: Series) -> str:
    return f"known k{one.look % 3}"


def _x(chart: Chart, value: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * chart.x.place(value), 1)


def _y(chart: Chart, value: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * chart.y.place(value), 1)


def _frame(chart: Chart) -> Html:
    """Axes, grid, ticks and titles."""
    grid = "".join(f"M{_LEFT} {_y(chart, value)}H{_RIGHT}" for value, _ in chart.y.ticks)
    parts = [el("path", d=grid, class_="grid"), el("path", d=f"M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}", class_="axis")]
    parts += [
        el("text", text, x=_x(chart, value), y=_BOTTOM + 16, text_anchor="middle") for value, text in chart.x.ticks
    ]
    parts += [el("text", text, x=_LEFT - 6, y=_y(chart, value) + 4, text_anchor="end") for value, text in chart.y.ticks]
    for value, text in chart.lines:
        parts.append(el("path", d=f"M{_LEFT} {_y(chart, value)}H{_RIGHT}", class_="level"))
        parts += [el("text", text, x=_RIGHT, y=_y(chart, value) - 4, text_anchor="end")] if text else []
    middle = (_TOP + _BOTTOM) // 2
    parts.append(el("text", chart.x.title, x=(_LEFT + _RIGHT) // 2, y=HEIGHT - 12, text_anchor="middle"))
    turned = f"rotate(-90 14 {middle})"
    parts.append(el("text", chart.y.title, x=14, y=middle, text_anchor="middle", transform=turned))
    return el("g", *parts)


def _series(chart: Chart, one: Series) -> Html:
    draw = {"bars": _columns, "steps": _steps, "level": _levels, "cross": _crosses}.get(one.kind, _curve)
    look = _known(one) if one.known else look_of(one.look)
    return el("g", draw(chart, one), class_=look, data_look=None if one.known else one.look)


def _curve(chart: Chart, one: Series) -> Html:
    inside = [(_x(chart, p.x), _y(chart, p.y)) for p in one.points if not p.place]
    parts = []
    if one.kind == "curve" and len(inside) > 1:
        parts.append(el("path", d=_path(inside), class_="line"))
    parts.append(_intervals(chart, one.points))
    parts += [_marker(_x(chart, p.x), _y(chart, p.y), one.look, p.place) for p in one.points]
    return join(parts)


def _columns(chart: Chart, one: Series) -> Html:
    parts = []
    for p in one.points:
        left, right = _x(chart, p.x - one.width / 2), _x(chart, p.x + one.width / 2)
        top = _y(chart, p.y)
        wide, high = round(right - left, 1), round(_BOTTOM - top, 1)
        parts.append(el("rect", x=left, y=top, width=wide, height=high, class_="column"))
    return join([*parts, _intervals(chart, one.points)])


def _steps(chart: Chart, one: Series) -> Html:
    xs = [_x(chart, p.x) for p in one.points]
    lower, upper = (
        _stairs(xs, [_y(chart, end) for end in ends])
        for ends in ([p.low for p in one.points], [p.high for p in one.points])
    )
    middle = _stairs(xs, [_y(chart, p.y) for p in one.points])
    band = el("path", d=f"{_path([*upper, *reversed(lower)])}Z", class_="band")
    return join([band, el("path", d=_path(middle), class_="line")])


def _levels(chart: Chart, one: Series) -> Html:
    half = one.width / 2
    lines = [f"M{_x(chart, p.x - half)} {_y(chart, p.y)}H{_x(chart, p.x + half)}" for p in one.points]
    return el("path", d="".join(lines), class_="line")


def _crosses(chart: Chart, one: Series) -> Html:
    return join(_marker(_x(chart, p.x), _y(chart, p.y), 0, "lost") for p in one.points)


def _stairs(xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
    """Each value lasts until the next x."""
    found = list(zip(xs, ys, strict=True))
    corners = [((x, before), (x, y)) for (_, before), (x, y) in itertools.pairwise(found)]
    return [*found[:1], *itertools.chain.from_iterable(corners)]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)


def _intervals(chart: Chart, points: Sequence[Point]) -> Html:
    drawn = "".join(f"M{_x(chart, p.x)} {_y(chart, p.low)}V{_y(chart, p.high)}" for p in points if p.place != "lost")
    return el("path", d=drawn, class_="interval") if drawn else Html()


def _marker(x: float, y: float, look: int, place: str = "") -> Html:
    """A marker, whose shape tells curves of one colour apart; what lies outside has an open one that points there."""
    if place == "lost":
        return el("path", d=f"M{x - 4} {y - 4}l8 8m0-8l-8 8", class_="open")
    if place:
        side = -5 if place == "above" else 5
        return el("path", d=f"M{x - 5} {y}h10L{x} {y + 2 * side}Z", class_="open")
    shape = look // COLOURS % DASHES
    if shape == 0:
        return el("circle", cx=x, cy=y, r=3.2, class_="dot")
    sides = ("M{a} {b}h6v6h-6Z", "M{x} {t}l4 4l-4 4l-4-4Z", "M{a} {e}h6l-3-7Z")[shape - 1]
    return el("path", d=sides.format(x=x, a=round(x - 3, 1), b=round(y - 3, 1), t=round(y - 4, 1), e=round(y + 3, 1)),
              class_="dot")  # fmt: skip
