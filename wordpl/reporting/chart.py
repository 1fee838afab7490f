"""A chart as data, which the report draws twice: as SVG for paper, and with plotly for a screen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wordpl.simulation.evaluation import finite

Kind = Literal["curve", "points", "bars", "steps", "level", "cross"]
Place = Literal["", "above", "below", "lost"]

Tick = tuple[float, str]

_MOST_TICKS = 7


@dataclass(frozen=True)
class Point:
    """An estimate and its interval, cut at the ends of the axis."""

    x: float
    y: float
    low: float
    high: float
    told: str
    """The same in words."""
    place: Place = ""
    """Where the value lies if not in the chart: above or below all that was run, or lost."""


@dataclass(frozen=True)
class Series:
    """Points of one look.

    `curve`: joined, with bars; `points`: alone, with bars; `bars`: columns with bars; `steps`: a band; What is
    not of the results but known before is grey: `level`, a short line at each point, and `cross`.
    """

    label: str
    points: tuple[Point, ...]
    kind: Kind = "curve"
    look: int = 0
    """Which colour, dashes and marker. Series of one look belong together in all charts of a section."""
    width: float = 0.0
    """Of a column or a short line, in units of x."""

    @property
    def known(self) -> bool:
        """Whether it stands beside the results, to compare with."""
        return self.kind in ("level", "cross")


@dataclass(frozen=True)
class Axis:
    """An axis; `low` is above 0 where it is logarithmic."""

    title: str
    low: float
    high: float
    ticks: tuple[Tick, ...]
    log: bool = False

    def place(self, value: float) -> float:
        """Where a value lies: 0 at the lower end, 1 at the upper; what is outside is put at the end."""
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, at = math.log(low), math.log(high), math.log(at)
        return (at - low) / (high - low)


@dataclass(frozen=True)
class Chart:
    """Series on two axes."""

    name: str
    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    lines: tuple[Tick, ...] = ()
    """Dotted lines across, each with its text or none."""
    note: str = ""

    def record(self) -> dict[str, Any]:
        """The chart as plain JSON values."""
        return {
            "name": self.name,
            "title": self.title,
            "x": _axis_record(self.x),
            "y": _axis_record(self.y),
            "lines": [list(line) for line in self.lines],
            "series": [
                {
                    "label": one.label,
                    "kind": one.kind,
                    "look": one.look,
                    "width": one.width,
                    "points": [[p.x, p.y, p.low, p.high, p.told, p.place] for p in one.points],
                }
                for one in self.series
            ],
        }


def _axis_record(axis: Axis) -> dict[str, Any]:
    told = {"title": axis.title, "low": axis.low, "high": axis.high, "log": axis.log}
    return told | {"ticks": [list(tick) for tick in axis.ticks]}


def spans_decades(values: Sequence[float]) -> bool:
    """Whether positive values span two decades or more, so that a linear axis would show only the largest."""
    return bool(values) and min(values) > 0.0 and max(values) >= 100.0 * min(values)


def axis_of(title: str, values: Iterable[float], room: float = 1.05) -> Axis:
    """Return an axis from 0 for these values, or a logarithmic one if they span decades."""
    kept = [value for value in values if finite(value) is not None]
    if spans_decades(kept):
        low, high = min(kept) / 1.25, 1.25 * max(kept)
        return Axis(title, low, high, log_ticks(low, high), log=True)
    high = room * max(kept, default=1.0) or 1.0
    return Axis(title, 0.0, high, linear_ticks(high))


def share_axis(title: str) -> Axis:
    """Return an axis of shares, from 0% to 100%, with ticks at the percentiles."""
    return Axis(title, 0.0, 1.02, tuple((value, f"{value:.0%}") for value in (0.05, 0.25, 0.5, 0.75, 0.95)))


def linear_ticks(high: float) -> tuple[Tick, ...]:
    """Return round numbers from 0 up to `high`, at most seven."""
    step = 10.0 ** math.floor(math.log10(high / _MOST_TICKS))
    for factor in (1.0, 2.0, 5.0, 10.0):
        if high / (step * factor) < _MOST_TICKS:
            step *= factor
            break
    return tuple((i * step, f"{i * step:.6g}") for i in range(math.floor(high / step * (1.0 + 1e-12)) + 1))


def log_ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Return powers of ten between positive ends, with their double and fivefold if there are few, at most eight."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    found = [f * 10.0**k for k in range(first, last + 1) for f in (1.0, 2.0, 5.0) if low <= f * 10.0**k <= high]
    if len(found) > _MOST_TICKS + 1:
        found = [10.0**k for k in range(first, last + 1) if low <= 10.0**k <= high]
    every = math.ceil(len(found) / (_MOST_TICKS + 1))
    return tuple((value, f"{value:.6g}") for value in found[::every])
