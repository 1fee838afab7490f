"""The result of a comparison on common trials: for each pair of strategies, the difference in each statistic.

`wordpl.simulation.pairing` computes it. docs/how-to/compare.md explains what is computed, and how certain it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from typing_extensions import TypedDict

from wordpl.base.checks import fraction, open_fraction, set_fields, several, whole_number
from wordpl.base.defaults import CONFIDENCE, MARGIN, POSTERIOR_WIN_RATE, STATISTICS
from wordpl.base.displays import counted, cut, html_table, line_of
from wordpl.base.errors import WordplError, nearest
from wordpl.base.json_types import Doc, InfAsNull, InJson, Interval
from wordpl.base.sanitizing import html_text
from wordpl.simulation.tasks import TaskRow, distinct_labels

if TYPE_CHECKING:
    import pandas as pd

Verdict = Literal["first", "second", "level", "neither", "undecided"]
JsonDifference: TypeAlias = float | Literal["inf", "-inf"]

WON, LOST, TIED, UNDECIDED = OUTCOMES = ("W", "L", "T", "?")
_OUTCOMES: dict[Verdict, tuple[str, str]] = {
    "first": (WON, LOST),
    "second": (LOST, WON),
    "level": (TIED, TIED),
    "neither": (TIED, TIED),
    "undecided": (UNDECIDED, UNDECIDED),
}
"""The outcome for the first strategy and for the second, by verdict."""


@dataclass(frozen=True)
class ComparisonRule:
    """The statistics that are compared, and how a difference is decided. Raises `WordplError` for values out of
    range."""

    statistics: tuple[str, ...] = STATISTICS
    """Any of `posterior_win_rate`, `p05`, `p50` and `p95`. The p-values are corrected for their number."""
    margin: float = MARGIN
    """Strategies are level if their win rates differ by less than this, or their percentiles by less than this
    fraction."""
    error: float = round(1.0 - CONFIDENCE, 12)
    """The probability of any wrong statement about who is ahead. Each interval is right with probability 1 - error."""
    draws: int | None = None
    """Number of bootstrap samples for percentiles. By default 2,000, or 200 for each difference if that is more, up to
    50,000."""

    def __post_init__(self) -> None:
        given = several("statistics", self.statistics)
        for name in given or ("",):
            if name not in STATISTICS:
                raise WordplError(f"unknown statistic {name!r}: {nearest(str(name), STATISTICS)}")
        set_fields(
            self,
            statistics=tuple(name for name in STATISTICS if name in given),
            margin=fraction("margin", self.margin),
            error=open_fraction("error", self.error),
        )
        if self.draws is not None:
            set_fields(self, draws=whole_number("draws", self.draws, 100, 10**6))

    @property
    def confidence(self) -> float:
        """Confidence of the intervals."""
        return 1.0 - self.error


def _infinite(value: float | None) -> JsonDifference | None:
    if value is None or math.isfinite(value):
        return value
    return "inf" if value > 0 else "-inf"


_Signed: TypeAlias = Annotated[float | None, InJson(_infinite, JsonDifference | None)]
_SignedEnds: TypeAlias = Annotated[
    tuple[float, float], InJson(lambda ends: tuple(map(_infinite, ends)), tuple[JsonDifference, JsonDifference])
]


@dataclass(frozen=True, repr=False)
class Difference:
    """The difference of a pair in one statistic."""

    statistic: Annotated[str, Doc("The statistic.", STATISTICS)]
    first: Annotated[InfAsNull, Doc("Value of the first strategy; null for a percentile that is not reached.")]
    second: Annotated[InfAsNull, Doc("Value of the second strategy.")]
    difference: Annotated[_Signed, Doc("The first minus the second; null if neither is reached.")]
    interval: Annotated[_SignedEnds, Doc("Interval of the difference.")]
    p_value: Annotated[float, Doc("Two-sided p-value of this difference alone.")]
    corrected_p_value: Annotated[
        float, Doc("The p-value of this difference, corrected for all differences and both directions (Holm).")
    ]
    verdict: Annotated[
        Verdict,
        Doc("Who is ahead; `level`: the difference is surely within the margin; `neither`: surely neither reaches it."),
    ]

    def __repr__(self) -> str:
        difference = "none" if self.difference is None else f"{self.difference:+.4g}"
        low, high = self.interval
        return line_of(self, f"of {self.statistic}: {difference} [{low:.4g}, {high:.4g}], {self.verdict}")


class DifferenceWithin(TypedDict):
    """The difference of the win rates within a budget."""

    budget: Annotated[float, Doc("A budget; in the format of Wordle, a number of guesses.")]
    difference: Annotated[float, Doc("Difference of the posterior win rates within it.")]
    interval: Annotated[Interval, Doc("A band that contains the differences at all of these budgets.")]


@dataclass(frozen=True, eq=False, repr=False)
class ComparedPair:
    """Two strategies on common trials: `first` and `second` are their tasks, with the number of these trials, and
    `differences` has one for each statistic."""

    first: TaskRow
    second: TaskRow
    win_rates: tuple[float, float]
    """The win rates of both in these trials. They decide nothing, because posterior win rates are more precise."""
    costs: tuple[float, float]
    """The cost of a game for both on average, won or lost: budget, or guesses in the format of Wordle."""
    differences: tuple[Difference, ...]
    find_curve: Callable[[], list[DifferenceWithin]] = field(repr=False)
    """Computes `curve`, which takes a while and is not always wanted."""

    @cached_property
    def curve(self) -> list[DifferenceWithin]:
        """The differences of the win rates within some rising budgets; empty without noise."""
        return self.find_curve()

    @property
    def trials(self) -> int:
        """Common trials that were compared."""
        return self.first.trials

    @property
    def settled(self) -> bool:
        """True if no difference is undecided."""
        return all(difference.verdict != "undecided" for difference in self.differences)

    def __getitem__(self, statistic: str) -> Difference:
        """The difference in a statistic. Raises `KeyError` if it was not compared."""
        return {difference.statistic: difference for difference in self.differences}[statistic]

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{difference.statistic} {difference.verdict}" for difference in self.differences)
        return line_of(self, f"{cut(self.first.strategy, 50)} and {cut(self.second.strategy, 50)}: {verdicts}")


@dataclass(frozen=True, eq=False)
class PairedComparison:
    """The `pairs` of strategies that were compared on common trials under `rule`."""

    rule: ComparisonRule
    pairs: tuple[ComparedPair, ...]

    @property
    def differences(self) -> int:
        """The number of differences that the p-values are corrected for."""
        return len(self.pairs) * len(self.rule.statistics)

    @property
    def settled(self) -> bool:
        """True if every pair is decided."""
        return all(pair.settled for pair in self.pairs)

    @property
    def tasks(self) -> list[TaskRow]:
        """All tasks that were compared, each once, in order."""
        return list({row.id: row for pair in self.pairs for row in (pair.first, pair.second)}.values())

    @property
    def labels(self) -> dict[str, str]:
        """The spec of each task, by the task's id, with its code where two have the same spec."""
        labels = distinct_labels([task.strategy for task in self.tasks], self.tasks)
        return dict(zip((task.id for task in self.tasks), labels, strict=True))

    @property
    def names(self) -> dict[str, str]:
        """The `labels`, without the epsilon for a strategy that was run at several, unless two of its runs have one
        epsilon or are compared with each other."""
        labels, runs = self.labels, Counter(task.curve for task in self.tasks)
        at_epsilons = Counter(curve for curve, _ in {(task.curve, task.epsilon) for task in self.tasks})
        against = {pair.first.curve for pair in self.pairs if pair.first.curve == pair.second.curve}
        curves = {curve for curve, n in runs.items() if n == at_epsilons[curve] > 1} - against
        return {task.id: task.curve if task.curve in curves else labels[task.id] for task in self.tasks}

    @property
    def rounds(self) -> list[PairedComparison]:
        """The comparison, divided into rounds that have no strategy in common. If strategies were compared at several
        epsilons, there is a round for each epsilon."""
        groups: list[set[str]] = []
        for pair in self.pairs:
            joined = {pair.first.id, pair.second.id}
            touched = [group for group in groups if group & joined]
            groups = [group for group in groups if group not in touched] + [joined.union(*touched)]
        rounds = [tuple(pair for pair in self.pairs if pair.first.id in group) for group in groups]
        return [replace(self, pairs=pairs) for pairs in sorted(rounds, key=lambda pairs: self.pairs.index(pairs[0]))]

    def ranking(self, statistic: str = POSTERIOR_WIN_RATE) -> pd.DataFrame:
        """Return a row for each strategy, the best first: rank, strategy, epsilon, budget, trials, value, ahead,
        behind, level, undecided.

        `value` is the `statistic` by which strategies are ranked, and `budget` the mean cost of a game. The last four
        columns count the other strategies: those that this one is ahead of, and so on. `level` includes those with
        which it shares a percentile that neither reaches. The rank follows from `ahead` minus `behind`; strategies that
        are alike in this share a rank. Take each of `rounds` by itself. Raises `WordplError` for a statistic that was
        not compared.
        """
        import pandas as pd

        if statistic not in self.rule.statistics:
            raise WordplError(f"unknown statistic {statistic!r}: {nearest(str(statistic), self.rule.statistics)}")
        rows, labels = [], self.labels
        pairs = sorted(self.pairs, key=lambda pair: pair.trials)
        for task in self.tasks:
            own = [(pair, at) for pair in pairs for at in (0, 1) if (pair.first, pair.second)[at].id == task.id]
            count = Counter(_OUTCOMES[pair[statistic].verdict][at] for pair, at in own)
            pair, at = own[-1]  # with the most trials
            value = (pair[statistic].first, pair[statistic].second)[at]
            row = (count[WON] - count[LOST], labels[task.id], task.epsilon, pair.costs[at], pair.trials, value)
            rows.append((*row, *(count[outcome] for outcome in OUTCOMES)))
        columns = ["rank", "strategy", "epsilon", "budget", "trials", "value", "ahead", "behind", "level", "undecided"]
        table = pd.DataFrame(rows, columns=columns)
        table["rank"] = table["rank"].rank(method="min", ascending=False).astype(int)
        order = [True, statistic != POSTERIOR_WIN_RATE]
        return table.sort_values(["rank", "value"], ascending=order, kind="stable", ignore_index=True)

    def matrix(self, statistic: str = POSTERIOR_WIN_RATE, *, differences: bool = False) -> pd.DataFrame:
        """Return who beats whom by a `statistic`: a row and a column for each strategy, in the order of `ranking`.

        A cell is W if the strategy of the row is ahead of that of the column, L if it is behind, T if they are level or
        neither reaches the percentile, ? if that is undecided, and empty if they were not compared. With `differences`
        it is the value of the row minus that of the column, NaN if there is none. Raises what `ranking` does.
        """
        import pandas as pd

        names = self.labels
        order = list(self.ranking(statistic)["strategy"])
        table = pd.DataFrame(math.nan if differences else "", order, order)
        for pair in self.pairs:
            found, (first, second) = pair[statistic], (names[pair.first.id], names[pair.second.id])
            both: tuple[float | str, float | str] = _OUTCOMES[found.verdict]
            if differences:
                difference = math.nan if found.difference is None else found.difference
                both = difference, -difference
            table.loc[first, second], table.loc[second, first] = both
        return table

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each difference: first, second, epsilon_first, epsilon_second, trials, statistic, first_value,
        second_value, difference (NaN where both are infinite), low, high, p_value, corrected, verdict."""
        import pandas as pd

        columns = ["first", "second", "epsilon_first", "epsilon_second", "trials", "statistic", "first_value"]
        columns += ["second_value", "difference", "low", "high", "p_value", "corrected", "verdict"]
        rows = []
        for pair in self.pairs:
            tasks = (pair.first.strategy, pair.second.strategy, pair.first.epsilon, pair.second.epsilon, pair.trials)
            for one in pair.differences:
                difference = math.nan if one.difference is None else one.difference
                values = (one.statistic, one.first, one.second, difference, *one.interval)
                rows.append((*tasks, *values, one.p_value, one.corrected_p_value, one.verdict))
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        decided = sum(item.verdict in ("first", "second") for pair in self.pairs for item in pair.differences)
        return line_of(self, f"of {counted(len(self.pairs), 'pair')}: {decided} of {self.differences} decided")

    def _repr_html_(self) -> str:
        rows = []
        for row in self.frame.to_dict("records"):
            difference = "" if math.isnan(row["difference"]) else f"{row['difference']:+.4g}"
            cells = (row["statistic"], difference, f"[{row['low']:.4g}, {row['high']:.4g}]", f"{row['corrected']:.3g}")
            ahead = row.get(row["verdict"], row["verdict"])
            rows.append((html_text(row["first"]), html_text(row["second"]), *cells, html_text(ahead)))
        columns = ("first", "second", "statistic", "difference", "interval", "corrected p", "ahead")
        return html_table(f"{counted(len(self.pairs), 'pair')} on common trials", columns, rows)
