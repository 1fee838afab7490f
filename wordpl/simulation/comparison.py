"""What a comparison on common trials finds: for each pair of strategies, the difference of each figure.

`wordpl.simulation.pairing` makes it. docs/how-to/compare.md says what is computed, and how sure it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from wordpl.checks import boolean, fraction, open_fraction, whole_number
from wordpl.errors import WordplError, nearest
from wordpl.simulation.statistics import PERCENTILES
from wordpl.simulation.tasks import TaskRow
from wordpl.text.displays import counted, cut, escaped, html_table, line_of

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Verdict = Literal["first", "second", "level", "neither", "undecided"]

WIN_RATE = "win_rate"
QUANTILES = {f"p{round(100 * q):02d}": q for q in PERCENTILES}
FIGURES = (WIN_RATE, *QUANTILES)
"""What can be compared."""
MARGIN = 0.01


@dataclass(frozen=True)
class ComparisonRule:
    """What is compared, and when it is decided.

    Raises `WordplError` for an unknown figure or none, a margin that is not from 0 to 1, an error that is not between 0
    and 1, and fewer than 100 draws.
    """

    figures: tuple[str, ...] = FIGURES
    """Of `win_rate`, `p05`, `p50` and `p95`: those that are decided. The p-values are corrected for their number."""
    margin: float = MARGIN
    """Up to this difference two strategies are level: of win rates as it is, of percentiles as a share of them."""
    error: float = 0.05
    """The chance that any strategy is wrongly said to be ahead; intervals hold with probability 1 - error each."""
    until_settled: bool = False
    """Whether trials are looked at more than once and a pair stops once it is settled.

    All intervals and p-values then hold at every look.
    """
    draws: int | None = None
    """Bootstrap samples for percentiles; by default 2,000, or 200 for each difference if that is more, up to 50,000."""

    def __post_init__(self) -> None:
        for name in self.figures:
            if name not in FIGURES:
                raise WordplError(f"unknown figure {name!r}: {nearest(str(name), FIGURES)}")
        if not self.figures:
            raise WordplError(f"no figure to compare; one of {', '.join(FIGURES)} is expected")
        object.__setattr__(self, "figures", tuple(name for name in FIGURES if name in self.figures))
        object.__setattr__(self, "margin", fraction("margin", self.margin))
        object.__setattr__(self, "error", open_fraction("error", self.error))
        object.__setattr__(self, "until_settled", boolean("until_settled", self.until_settled))
        if self.draws is not None:
            object.__setattr__(self, "draws", whole_number("draws", self.draws, 100, 10**6))

    @property
    def confidence(self) -> float:
        """That of the intervals."""
        return 1.0 - self.error


@dataclass(frozen=True)
class Difference:
    """How two strategies differ in one figure: the first less the second."""

    figure: str
    first: float
    second: float
    difference: float | None
    """None where both are infinite."""
    interval: tuple[float, float]
    p_value: float
    """Two-sided, of this difference by itself."""
    corrected: float
    """The p-value of the one that seems ahead, corrected for all differences and both directions (Holm)."""
    verdict: Verdict
    """Who is ahead; `level` within the margin; `neither` reaches the percentile; else `undecided`."""

    def __repr__(self) -> str:
        shown = "none" if self.difference is None else f"{self.difference:+.4g}"
        return line_of(
            self, f"of {self.figure}: {shown} [{self.interval[0]:.4g}, {self.interval[1]:.4g}], {self.verdict}"
        )


@dataclass(frozen=True, eq=False)
class DifferenceCurve:
    """The difference of the win rates within some budgets, and a band that holds all of them at once."""

    budgets: Floats
    """[n], rising; in games of the format `wordle`, numbers of guesses."""
    differences: Floats
    """Of the mean chances within each budget: [n]."""
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class ComparedPair:
    """Two strategies on common trials."""

    first: TaskRow
    second: TaskRow
    trials: int
    """Common trials that were compared."""
    differences: tuple[Difference, ...]
    find_curve: Callable[[], DifferenceCurve]
    """Computes `curve`, which takes a while and is not always wanted."""

    @cached_property
    def curve(self) -> DifferenceCurve:
        """The difference of the win rates within each budget."""
        return self.find_curve()

    @property
    def settled(self) -> bool:
        """Whether no difference is undecided."""
        return all(one.verdict != "undecided" for one in self.differences)

    def __getitem__(self, figure: str) -> Difference:
        """The difference of a figure. Raises `KeyError` if it was not compared."""
        for one in self.differences:
            if one.figure == figure:
                return one
        raise KeyError(figure)

    def __repr__(self) -> str:
        said = ", ".join(f"{one.figure} {one.verdict}" for one in self.differences)
        return line_of(self, f"{cut(self.first.strategy, 50)} and {cut(self.second.strategy, 50)}: {said}")


@dataclass(frozen=True, eq=False)
class PairedComparison:
    """Pairs of strategies, compared on common trials."""

    rule: ComparisonRule
    pairs: tuple[ComparedPair, ...]

    @property
    def differences(self) -> int:
        """How many differences the p-values are corrected for."""
        return len(self.pairs) * len(self.rule.figures)

    @property
    def settled(self) -> bool:
        """Whether every pair is."""
        return all(pair.settled for pair in self.pairs)

    @property
    def tasks(self) -> list[TaskRow]:
        """All that was compared, each once, in order."""
        return list({row.id: row for pair in self.pairs for row in (pair.first, pair.second)}.values())

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each difference: first, second, epsilon_first, epsilon_second, trials, figure, first_value,
        second_value, difference (NaN where both are infinite), low, high, p_value, corrected, verdict."""
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for pair in self.pairs:
            head: dict[str, Any] = {"first": pair.first.strategy, "second": pair.second.strategy}
            head |= {"epsilon_first": pair.first.epsilon, "epsilon_second": pair.second.epsilon, "trials": pair.trials}
            for one in pair.differences:
                row = {"figure": one.figure, "first_value": one.first, "second_value": one.second}
                row |= {"difference": math.nan if one.difference is None else one.difference}
                row |= {"low": one.interval[0], "high": one.interval[1], "p_value": one.p_value}
                rows.append(head | row | {"corrected": one.corrected, "verdict": one.verdict})
        return pd.DataFrame(rows)

    def __repr__(self) -> str:
        found = [f"{figure} {_told(pair[figure] for pair in self.pairs)}" for figure in self.rule.figures]
        return line_of(self, f"of {counted(len(self.pairs), 'pair')}: {'; '.join(found)}")

    def _repr_html_(self) -> str:
        rows = []
        for pair in self.pairs:
            for one in pair.differences:
                shown = "" if one.difference is None else f"{one.difference:+.4g}"
                ends = f"[{one.interval[0]:.4g}, {one.interval[1]:.4g}]"
                names = (pair.first.strategy, pair.second.strategy)
                ahead = dict(zip(("first", "second"), names, strict=True)).get(one.verdict, one.verdict)
                rows.append((*map(escaped, names), one.figure, shown, ends, f"{one.corrected:.3g}", escaped(ahead)))
        columns = ("first", "second", "figure", "difference", "interval", "corrected p", "ahead")
        return html_table(f"{counted(len(self.pairs), 'pair')} on common trials", columns, rows)


def _told(differences: Iterable[Difference]) -> str:
    decided = [one.verdict in ("first", "second") for one in differences]
    return f"decided in {sum(decided)} of {len(decided)}"
