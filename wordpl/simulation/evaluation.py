"""The results of one task: win rate, percentiles and turns, with their intervals."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import set_fields
from wordpl.base.defaults import CONFIDENCE, QUANTILES
from wordpl.base.displays import counted, cut, finite, html_table, line_of
from wordpl.base.json_types import JsonEpsilon
from wordpl.base.sanitizing import html_text
from wordpl.play.formats import GameFormat
from wordpl.play.referee import Verdict
from wordpl.simulation.statistics import in_order, mean_interval, percentile, percentile_interval, win_interval
from wordpl.simulation.statistics_table import STATISTICS, EvaluationRecord, task_record
from wordpl.simulation.tasks import TaskRow
from wordpl.simulation.trials import COLUMNS, TIMINGS

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Evaluation:
    """The results of at least one trial of a task: win rate, percentiles and turns, with their intervals."""

    task: TaskRow
    """The task, as it is in a results file."""
    results: NDArray[np.void]
    """[trials] of `trials.RESULT`, or of some of its columns, in order."""
    confidence: float = CONFIDENCE
    """Confidence of all intervals."""

    def __post_init__(self) -> None:
        set_fields(self, task=replace(self.task, trials=len(self.results)))

    @cached_property
    def format(self) -> GameFormat:
        """The format of the games, which decides what their score is."""
        return GameFormat.parse(self.task.format)

    @cached_property
    def budget_is_fixed(self) -> bool:
        """True if every game spent the same budget."""
        budgets = self.results["budget"]
        return bool(budgets.min() == budgets.max() < math.inf)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def trials(self) -> int:
        return len(self.results)

    @cached_property
    def won(self) -> NDArray[np.bool_]:
        """[trials]."""
        return np.asarray(self.results["verdict"] == "WIN", bool)

    @property
    def wins(self) -> int:
        return int(self.won.sum())

    @property
    def win_rate(self) -> float:
        return self.wins / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson interval of the win rate."""
        return win_interval(self.wins, self.trials, self.confidence)

    @property
    def posterior_win_rate(self) -> float:
        """Mean posterior probability of the proposed answers: a more precise estimate of the win rate."""
        return float(self.results["chance"].sum()) / self.trials

    @property
    def posterior_interval(self) -> tuple[float, float]:
        """Interval of `posterior_win_rate`: Student's, or by betting, which depends on the order of the trials."""
        return mean_interval(self.results["chance"], round(1.0 - self.confidence, 12))

    @property
    def costs(self) -> NDArray[np.float64]:
        """The budget of each trial, won or lost; in games of Wordle, the number of guesses: [trials]."""
        return self.results["turns" if self.format.is_wordle else "budget"].astype(np.float64)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The cost of each won trial, and infinity for a lost one: [trials]."""
        return np.where(self.won, self.costs, math.inf)

    @cached_property
    def _ordered(self) -> NDArray[np.float64]:
        """The scores, sorted once for all percentiles: [trials]."""
        return in_order(self.scores)

    def percentile(self, q: float) -> float:
        """The quantile of the scores at `q`."""
        return percentile(self._ordered, q)

    def percentile_interval(self, q: float) -> tuple[float, float]:
        """Distribution-free interval of the quantile of the scores at `q`; in a game of Wordle it is at least 1."""
        low, high = percentile_interval(self._ordered, q, self.confidence)
        return max(low, 1.0) if self.format.is_wordle else low, high

    @property
    def percentiles(self) -> dict[str, tuple[float, tuple[float, float]]]:
        """`p05`, `p50` and `p95`, each with its interval."""
        return {name: (self.percentile(q), self.percentile_interval(q)) for name, q in QUANTILES.items()}

    @property
    def mean_budget(self) -> float:
        """Mean budget of a trial, lost or won."""
        return float(self.results["budget"].sum()) / self.trials

    @property
    def estimates(self) -> list[tuple[str, float, tuple[float, float], bool]]:
        """The statistics with an interval that make sense for these games: label, value, interval, and whether it is a
        score."""
        score = "guesses" if self.format.is_wordle else "budget"
        rows = [
            (one.label.format(score=score), one.value(self), one.interval(self), not one.is_share)
            for one in STATISTICS
            if one.interval is not None and one.is_shown(self)
        ]
        return rows + [(f"won within {n}", *rate, False) for n, rate in self.win_rates_within.items()]

    @property
    def p05(self) -> float:
        return self.percentile(0.05)

    @property
    def p50(self) -> float:
        return self.percentile(0.50)

    @property
    def p95(self) -> float:
        return self.percentile(0.95)

    @property
    def turns(self) -> dict[int, int]:
        """The number of trials won with each number of guesses, counted as in ordinary Wordle."""
        turns, counts = np.unique(self.results["turns"][self.won], return_counts=True)
        return dict(zip(turns.tolist(), counts.tolist(), strict=True))

    @property
    def win_rates_within(self) -> dict[int, tuple[float, tuple[float, float]]]:
        """In games of Wordle: the share won within each number of guesses, with its interval; otherwise empty."""
        within = range(1, (self.format.guesses or 0) + 1)
        wins = {n: int(np.searchsorted(self._ordered, n, "right")) for n in within}
        return {n: (won / self.trials, win_interval(won, self.trials, self.confidence)) for n, won in wins.items()}

    @property
    def mean_turns(self) -> float | None:
        """Mean turns of the won trials; None if none was."""
        won = self.won
        return float(self.results["turns"][won].mean()) if won.any() else None

    @cached_property
    def verdicts(self) -> dict[str, int]:
        """The number of trials that ended in each way."""
        counts = Counter(self.results["verdict"].tolist())
        return {str(verdict): counts[verdict] for verdict in Verdict}

    @property
    def timeouts(self) -> int:
        return self.verdicts[Verdict.TIMEOUT]

    @property
    def errors(self) -> int:
        """The number of trials that were lost, but not by a wrong proposal or the clock."""
        return sum(n for name, n in self.verdicts.items() if name not in ("WIN", "LOSS", "TIMEOUT"))

    @property
    def reasons(self) -> dict[int, str]:
        """By trial: why it was lost, if not by a wrong proposal."""
        lost = self.results[self.results["reason"] != ""]
        return dict(zip(lost["trial"].tolist(), lost["reason"], strict=True))

    @property
    def commonest_reasons(self) -> list[tuple[str, int]]:
        """The reasons of trials that were lost, but not by a wrong proposal: the commonest first."""
        return Counter(filter(None, self.results["reason"])).most_common(5)

    @property
    def seconds(self) -> float:
        """Time the players took in all trials."""
        return float(self.results["seconds"].sum())

    @property
    def slowest_move(self) -> float:
        """Seconds of the slowest move."""
        return float(self.results["slowest"].max())

    @property
    def seconds_per_move(self) -> float:
        return self.seconds / (int(self.results["asks"].sum()) + (0 if self.format.is_wordle else self.trials))

    def summary(self) -> EvaluationRecord:
        """The task and its statistics as JSON. A percentile that is not reached is None, and an infinite budget is
        `inf`."""
        record: dict[str, Any] = {**task_record(self.task), "confidence": self.confidence}
        for statistic in STATISTICS:
            record[statistic.name] = statistic.in_json(statistic.value(self))
            if statistic.interval is not None:
                low, high = statistic.interval(self)
                record[f"{statistic.name}_interval"] = finite(low), finite(high)
        return cast(EvaluationRecord, record)

    @property
    def frame(self) -> pd.DataFrame:
        """The trials as a table: trial, answer, proposed, verdict, reason, budget, score, asks, turns, chance,
        seconds, slowest."""
        import pandas as pd

        frame = pd.DataFrame(self.results).fillna({"proposed": ""})
        frame.insert(COLUMNS.index("budget") + 1, "score", self.scores)
        return frame

    def __eq__(self, other: object) -> bool:
        """Return whether both are of the same trials with the same results; times may differ."""
        if not isinstance(other, Evaluation) or (self.task, self.confidence) != (other.task, other.confidence):
            return False
        compared = [name for name in COLUMNS if name not in TIMINGS]
        return np.array_equal(self.results[compared], other.results[compared])

    def __repr__(self) -> str:
        statistics = "no trials"
        if self.trials:
            low, high = self.interval
            budgets = ", ".join(f"{name} {value:.4g}" for name, (value, _) in self.percentiles.items())
            rate = f"{self.win_rate:.4f} [{low:.4f}, {high:.4f}]"
            lost = f", {counted(self.errors, 'error')}" if self.errors else ""
            statistics = f"{counted(self.trials, 'trial')}{lost}, win rate {rate}, {budgets}"
        return line_of(self, f"{cut(self.task.strategy)}: {statistics}")

    def _repr_html_(self) -> str:
        if not self.trials:
            return html_text(repr(self))
        task = self.task
        rows = [(name, *_cells(value, ends)) for name, value, ends, _ in self.estimates]
        if self.mean_turns is not None:
            rows.append(("turns of won games, mean", f"{self.mean_turns:.3f}", ""))
        rows += [(f"won on turn {turn}", str(n), "") for turn, n in self.turns.items()]
        rows.append(("lost by the clock, by errors", f"{self.timeouts}, {self.errors}", ""))
        rows += [(f"lost: {html_text(reason)}", str(n), "") for reason, n in self.commonest_reasons]
        title = f"{task.strategy}: {counted(self.trials, 'trial')}, {task.words}, seed {task.seed}"
        return html_table(title, ("", "value", f"{100 * self.confidence:g}% interval"), rows)


class Evaluations(list[Evaluation]):
    """The evaluations of a sweep, in the order of the tasks: a list that a notebook shows as a table."""

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each evaluation: strategy, code, epsilon, words, rule, channel, format, seed, and all statistics
        that are numbers; of those with an interval also its ends, as win_rate_low and win_rate_high."""
        import pandas as pd

        rows = []
        for run in self:
            names = ("strategy", "code", "epsilon", "words", "rule", "channel", "format", "seed")
            row: dict[str, Any] = {name: getattr(run.task, name) for name in names}
            for statistic in (one for one in STATISTICS if one.kind in (int, float, float | None, JsonEpsilon)):
                row[statistic.name] = statistic.value(run)
                if statistic.interval is not None:
                    row[f"{statistic.name}_low"], row[f"{statistic.name}_high"] = statistic.interval(run)
            rows.append(row)
        return pd.DataFrame(rows)

    def __repr__(self) -> str:
        rates = "; ".join(f"{run.task.strategy} {run.win_rate:.4f}" for run in self[:8] if run.trials)
        return line_of(self, f"of {counted(len(self), 'evaluation')}: {rates}")

    def _repr_html_(self) -> str:
        told = [statistic for statistic in STATISTICS if statistic.heading and statistic.interval is not None]
        rows = []
        for run in self:
            values = ((one.value(run), cast(Any, one.interval)(run)) if one.is_shown(run) else () for one in told)
            cells = (" ".join(_cells(*value)) if value else "" for value in values)
            rows.append((html_text(run.task.strategy), str(run.trials), *cells))
        columns = ("strategy", "trials", *(statistic.heading for statistic in told))
        return html_table(f"{counted(len(self), 'evaluation')}, with their intervals", columns, rows)


def _cells(value: float, ends: tuple[float, float]) -> tuple[str, str]:
    texts = [f"{number:.4g}" if math.isfinite(number) else "∞" for number in (value, *ends)]
    return texts[0], f"[{texts[1]}, {texts[2]}]"
