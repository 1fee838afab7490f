"""Who is ahead: pairs of strategies are looked at, once or after fixed numbers of trials, until each is settled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from wordpl.simulation.comparison import (
    QUANTILES,
    WIN_RATE,
    ComparedPair,
    ComparisonRule,
    Difference,
    DifferenceCurve,
    PairedComparison,
    Verdict,
)
from wordpl.simulation.paired_sequences import Reach, anytime_mean, anytime_percentile, quick_mean
from wordpl.simulation.paired_statistics import (
    Estimate,
    Floats,
    Sample,
    curve_budgets,
    holm,
    percentile_difference,
    planned_mean,
    resampled_percentiles,
    win_rate_band,
)
from wordpl.simulation.statistics import percentile
from wordpl.simulation.tasks import TaskRow

Samples = tuple[Sample, Sample]
_DRAWS, _DRAWS_EACH, _MOST_DRAWS = 2_000, 200, 50_000
_NO_TRIALS = Sample(np.empty(0), np.empty(0), np.empty(0, dtype=np.bool_))


@dataclass
class _Standing:
    """What is known of one pair."""

    seed: int
    samples: Samples = (_NO_TRIALS, _NO_TRIALS)
    p_values: dict[str, tuple[float, float]] = field(default_factory=dict)
    """The smallest so far of each figure: of "the first is not ahead", of "the second is not ahead"."""
    otherwise: dict[str, Verdict] = field(default_factory=dict)
    """What a figure is settled as if nobody is ahead."""
    shown: dict[str, Estimate] = field(default_factory=dict)
    """The estimates with the intervals that are shown, if the number of trials was fixed before."""


class Judge:
    """Decides pairs, look by look. It depends on the trials alone."""

    def __init__(self, rule: ComparisonRule, seeds: Sequence[int]) -> None:
        self._rule = rule
        self._standings = [_Standing(seed) for seed in seeds]
        self._count = len(seeds) * len(rule.figures)
        self._draws = rule.draws or min(_MOST_DRAWS, max(_DRAWS, _DRAWS_EACH * self._count))
        self._quantiles = {figure: QUANTILES[figure] for figure in rule.figures if figure in QUANTILES}
        self.open = list(range(len(seeds)))
        """The pairs that are not settled."""

    @property
    def trials(self) -> list[int]:
        """How many trials of each pair have been looked at."""
        return [len(one.samples[0]) for one in self._standings]

    def look(self, samples: dict[int, Samples]) -> None:
        """Look at the trials of some pairs, all from the first on, and close the pairs that they settle."""
        for i, pair in samples.items():
            standing = self._standings[i]
            if len(standing.samples[0]) == len(pair[0]):
                continue  # it has no more
            standing.samples = pair
            drawn = self._drawn(standing)
            for figure, found in self._estimates(pair, self._rule.error / self._count, drawn, looking=True).items():
                before = standing.p_values.get(figure, (1.0, 1.0))
                standing.p_values[figure] = (min(before[0], found.p_values[0]), min(before[1], found.p_values[1]))
                if found.both_infinite:
                    standing.otherwise[figure] = "neither"
                elif _is_level(found, figure, pair, self._rule.margin):
                    standing.otherwise[figure] = "level"
            if not self._rule.until_settled:
                standing.shown = self._estimates(pair, self._rule.error, drawn)
        corrected = self._corrected()
        self.open = [
            i
            for i in self.open
            if any(self._verdict(i, figure, corrected) == "undecided" for figure in self._rule.figures)
        ]

    def _corrected(self) -> dict[tuple[int, str], tuple[float, float]]:
        """Corrected p-values by pair and figure. Each direction is a hypothesis of its own, so that none is wrong."""
        keys = [(i, figure) for i in range(len(self._standings)) for figure in self._rule.figures]
        found = holm([p for i, figure in keys for p in self._standings[i].p_values.get(figure, (1.0, 1.0))])
        return {key: (found[2 * at], found[2 * at + 1]) for at, key in enumerate(keys)}

    def _verdict(self, i: int, figure: str, corrected: dict[tuple[int, str], tuple[float, float]]) -> Verdict:
        first, second = corrected[i, figure]
        if min(first, second) <= self._rule.error:
            return "first" if first <= second else "second"
        return self._standings[i].otherwise.get(figure, "undecided")

    def verdicts(self) -> list[Verdict]:
        """Who is ahead in each figure of each pair, pair by pair."""
        corrected = self._corrected()
        pairs = range(len(self._standings))
        return [self._verdict(i, figure, corrected) for i in pairs for figure in self._rule.figures]

    def _estimates(
        self, samples: Samples, error: float, drawn: tuple[Floats, Floats] | None = None, looking: bool = False
    ) -> dict[str, Estimate]:
        """The estimate of each figure, with an interval of that error; only as fine as a look needs it if `looking`.

        If the number of trials was fixed before, those of percentiles come of what was `drawn`.
        """
        one, other = samples
        found: dict[str, Estimate] = {}
        if WIN_RATE in self._rule.figures:
            differences = one.chances - other.chances
            if not self._rule.until_settled:
                found[WIN_RATE] = planned_mean(differences, error)
            elif looking:
                found[WIN_RATE] = quick_mean(differences, self._rule.margin, error)
            else:
                found[WIN_RATE] = anytime_mean(differences, error)
        for at, (figure, q) in enumerate(self._quantiles.items()):
            if drawn is None:
                found[figure] = anytime_percentile(Reach(one, q), Reach(other, q), error)
            else:
                columns = drawn[0][:, at], drawn[1][:, at]
                found[figure] = percentile_difference((one.scores, other.scores), q, columns, 1.0 - error)
        return found

    def _drawn(self, standing: _Standing) -> tuple[Floats, Floats] | None:
        """Quantiles of common bootstrap samples of both strategies: [draws, quantiles] each. None for many looks."""
        if self._rule.until_settled or not self._quantiles:
            return None
        one, other = standing.samples
        quantiles = tuple(self._quantiles.values())
        return resampled_percentiles(one.scores, other.scores, quantiles, self._draws, standing.seed)

    def comparison(self, tasks: Sequence[tuple[TaskRow, TaskRow]]) -> PairedComparison:
        """All that was found, with the descriptions of the tasks."""
        corrected = self._corrected()
        return PairedComparison(self._rule, tuple(self._pair(i, *rows, corrected) for i, rows in enumerate(tasks)))

    def _pair(
        self, i: int, first: TaskRow, second: TaskRow, corrected: dict[tuple[int, str], tuple[float, float]]
    ) -> ComparedPair:
        standing = self._standings[i]
        one, other = standing.samples
        differences = tuple(
            Difference(
                figure,
                _value(one, figure),
                _value(other, figure),
                found.difference,
                found.interval,
                min(1.0, 2.0 * min(standing.p_values[figure])),
                min(corrected[i, figure]),
                self._verdict(i, figure, corrected),
            )
            for figure, found in (standing.shown or self._estimates(standing.samples, self._rule.error)).items()
        )
        curve = partial(_curve, standing.samples, self._rule)
        return ComparedPair(first, second, len(one), differences, curve)


def _curve(samples: Samples, rule: ComparisonRule) -> DifferenceCurve:
    budgets = curve_budgets(*samples)
    if not len(budgets):
        return DifferenceCurve(budgets, budgets, budgets, budgets)
    mean = anytime_mean if rule.until_settled else planned_mean
    return DifferenceCurve(budgets, *win_rate_band(*samples, budgets, rule.error, mean))


def _value(sample: Sample, figure: str) -> float:
    return float(sample.chances.mean()) if figure == WIN_RATE else percentile(sample.scores, QUANTILES[figure])


def _is_level(found: Estimate, figure: str, samples: Samples, margin: float) -> bool:
    """Whether the difference surely is within the margin."""
    unit = 1.0 if figure == WIN_RATE else min(_value(sample, figure) for sample in samples)
    return math.isfinite(unit) and max(abs(found.interval[0]), abs(found.interval[1])) <= margin * unit
