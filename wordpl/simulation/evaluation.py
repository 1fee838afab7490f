"""The results of one task: win rate, percentiles and turns, with their intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from wordpl.base.displays import counted, cut, finite, html_table, json_epsilon, line_of
from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc, Interval, JsonEpsilon
from wordpl.base.sanitizing import html_text
from wordpl.play.formats import GameFormat
from wordpl.play.referee import Verdict
from wordpl.simulation.bounded_mean import planned_interval
from wordpl.simulation.statistics import CONFIDENCE, QUANTILES, percentile, percentile_interval, win_interval
from wordpl.simulation.tasks import TaskRow
from wordpl.simulation.trials import COLUMNS, VERDICTS

if TYPE_CHECKING:
    import pandas as pd

    from wordpl.simulation.json_records import EvaluationRecord, TaskRecord


@dataclass(frozen=True)
class Evaluation:
    """The results of at least one trial of a task: win rate, percentiles and turns, with their intervals."""

    task: TaskRow
    """The task, as it is in a results file."""
    results: NDArray[np.void]
    """[trials] of `trials.RESULT`, in order; without the answers if they were read from a file."""
    reasons: dict[int, str]
    """By trial: why it was lost, if not by a wrong proposal."""
    confidence: float = CONFIDENCE
    """Confidence of all intervals."""
    answers: Sequence[str] = field(default=(), repr=False)
    """The answers of the word list, by position; none if the trials were read from a file."""

    @cached_property
    def format(self) -> GameFormat:
        """The format of the games, which decides what their score is."""
        return GameFormat.parse(self.task.format)

    @cached_property
    def budget_is_fixed(self) -> bool:
        """Whether every game spent the same budget."""
        budgets = self.results["budget"]
        return bool(np.ptp(budgets) <= 1e-9 * budgets.max()) if math.isfinite(budgets.max()) else False

    def __len__(self) -> int:
        return len(self.results)

    @property
    def trials(self) -> int:
        return len(self.results)

    @property
    def won(self) -> NDArray[np.bool_]:
        """[trials]."""
        return np.asarray(self.results["verdict"] == VERDICTS.index(Verdict.WIN))

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
        return _total(self.results["chance"]) / self.trials

    @property
    def posterior_interval(self) -> tuple[float, float]:
        """Interval of `posterior_win_rate`, computed by betting. It depends on the order of the trials."""
        return planned_interval(self.results["chance"], round(1.0 - self.confidence, 12))

    @property
    def scores(self) -> NDArray[np.float64]:
        """The budget of each won trial (in games of Wordle, the number of guesses), and infinity for a lost one:
        [trials]."""
        return np.where(self.won, self.results["turns" if self.format.is_wordle else "budget"], math.inf)

    def percentile(self, q: float) -> float:
        """The quantile of the scores at `q`."""
        return percentile(self.scores, q)

    def percentile_interval(self, q: float) -> tuple[float, float]:
        """Distribution-free interval of the quantile of the scores at `q`; in a game of Wordle it is at least 1."""
        low, high = percentile_interval(self.scores, q, self.confidence)
        return max(low, 1.0) if self.format.is_wordle else low, high

    @property
    def percentiles(self) -> dict[str, tuple[float, tuple[float, float]]]:
        """`p05`, `p50` and `p95`, each with its interval."""
        return {name: (self.percentile(q), self.percentile_interval(q)) for name, q in QUANTILES.items()}

    @property
    def mean_budget(self) -> float:
        """Mean budget of a trial, lost or won."""
        return _total(self.results["budget"]) / self.trials

    @property
    def estimates(self) -> list[tuple[str, float, tuple[float, float]]]:
        """The statistics with an interval that make sense for these games: label, value and interval."""
        score = "guesses" if self.format.is_wordle else "budget"
        rows = [
            (statistic.label.format(score=score), statistic.value(self), statistic.interval(self))
            for statistic in STATISTICS
            if statistic.interval is not None and statistic.is_shown(self)
        ]
        return rows + [(f"won within {n}", *rate) for n, rate in self.win_rates_within.items()]

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
        wins = {n: int((self.scores <= n).sum()) for n in within}
        return {n: (won / self.trials, win_interval(won, self.trials, self.confidence)) for n, won in wins.items()}

    @property
    def mean_turns(self) -> float | None:
        """Mean turns of the won trials; None if none was."""
        won = self.won
        return float(self.results["turns"][won].mean()) if won.any() else None

    @property
    def verdicts(self) -> dict[str, int]:
        """The number of trials that ended in each way."""
        counts = np.bincount(self.results["verdict"], minlength=len(VERDICTS))
        return {str(verdict): int(n) for verdict, n in zip(VERDICTS, counts, strict=True)}

    @property
    def timeouts(self) -> int:
        return self.verdicts[Verdict.TIMEOUT]

    @property
    def errors(self) -> int:
        """The number of trials that were lost, but not by a wrong proposal or the clock."""
        return sum(n for name, n in self.verdicts.items() if name not in ("WIN", "LOSS", "TIMEOUT"))

    @property
    def commonest_reasons(self) -> list[tuple[str, int]]:
        """The reasons of trials that were lost, but not by a wrong proposal: the commonest first."""
        return Counter(self.reasons.values()).most_common(5)

    @property
    def seconds(self) -> float:
        """Time the players took in all trials."""
        return _total(self.results["seconds"])

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
        return cast("EvaluationRecord", record)

    @property
    def frame(self) -> pd.DataFrame:
        """The trials as a table: trial, answer, proposed, verdict, reason, budget, score, asks, turns, chance,
        seconds, slowest."""
        import pandas as pd

        columns: dict[str, Any] = {}
        if not self.answers:
            raise WordplError("trials from a results file come without the word list; use Store.frame or Store.export")
        for column in COLUMNS:
            if column.dtype is None:
                columns[column.name] = [self.reasons.get(trial, "") for trial in self.results["trial"].tolist()]
            else:
                columns[column.name] = column.written(self.results[column.name], self.answers, "")
            if column.name == "budget":
                columns["score"] = self.scores
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        figures = "no trials"
        if self.trials:
            low, high = self.interval
            budgets = ", ".join(f"{name} {value:.4g}" for name, (value, _) in self.percentiles.items())
            rate = f"{self.win_rate:.4f} [{low:.4f}, {high:.4f}]"
            figures = f"{counted(self.trials, 'trial')}, win rate {rate}, {budgets}"
        return line_of(self, f"{cut(self.task.strategy)}: {figures}")

    def _repr_html_(self) -> str:
        if not self.trials:
            return html_text(repr(self))
        task = self.task
        rows = [(name, *_cells(value, ends)) for name, value, ends in self.estimates]
        if self.mean_turns is not None:
            rows.append(("turns of won games, mean", f"{self.mean_turns:.3f}", ""))
        rows += [(f"won on turn {turn}", str(n), "") for turn, n in self.turns.items()]
        rows.append(("lost by the clock, by errors", f"{self.timeouts}, {self.errors}", ""))
        rows += [(f"lost: {html_text(reason)}", str(n), "") for reason, n in self.commonest_reasons]
        title = f"{task.strategy}: {counted(self.trials, 'trial')}, {task.words}, seed {task.seed}"
        return html_table(title, ("", "value", f"{100 * self.confidence:g}% interval"), rows)


def task_record(task: TaskRow) -> TaskRecord:
    """A task as plain JSON values."""
    names = ("strategy", "code", "epsilon", "noiseless", "words", "rule", "channel", "format", "seed", "engine")
    terms = {name: getattr(task, name) for name in names}
    return cast("TaskRecord", {"task": task.id, **terms, "epsilon": json_epsilon(task.epsilon)})


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
            for statistic in filter(attrgetter("is_number"), STATISTICS):
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
            cells = (" ".join(_cells(one.value(run), cast(Any, one.interval)(run))) for one in told)
            rows.append((html_text(run.task.strategy), str(run.trials), *cells))
        columns = ("strategy", "trials", *(statistic.heading for statistic in told))
        return html_table(f"{counted(len(self), 'evaluation')}, with their intervals", columns, rows)


class LossReason(TypedDict):
    """A reason for which games were lost, other than a wrong word."""

    reason: Annotated[str, Doc("Why games were lost.")]
    trials: Annotated[int, Doc("Number of games.")]


class RateWithin(TypedDict):
    """The share of games won within a number of guesses."""

    win_rate: float
    interval: Annotated[Interval, Doc("Its interval.")]


def _always(found: Evaluation) -> bool:
    return True


def _plain(value: Any) -> Any:
    return finite(value) if isinstance(value, float) else value


@dataclass(frozen=True)
class Statistic:
    """A statistic of the games of a task, as everything tells it: tables, frames, JSON, the report and the page."""

    name: str
    """Its key in JSON and its column in frames. Its interval has NAME_interval, and NAME_low and NAME_high."""
    meaning: str
    kind: Any
    """Its type in JSON."""
    value: Callable[[Evaluation], Any]
    interval: Callable[[Evaluation], tuple[float, float]] | None = None
    interval_meaning: str = ""
    label: str = ""
    """Its name in the table of one task, if it has an interval. `{score}` stands for budget or guesses."""
    heading: str = ""
    """Its column in tables of many tasks; without one it has none there."""
    ranks: tuple[int, ...] = (5, 5)
    """The ranks of this column and of that of its interval, if that is shown: narrow tables leave out high ranks."""
    is_shown: Callable[[Evaluation], bool] = _always
    """Whether it makes sense for the games of a task."""
    in_json: Callable[[Any], Any] = _plain
    is_share: bool = False
    """True for a share of games, which the page shows in percent."""

    @property
    def is_number(self) -> bool:
        """Whether its value is a number."""
        return self.kind in (int, float, float | None, JsonEpsilon)


def _has_score(found: Evaluation) -> bool:
    return found.format.is_wordle or math.isfinite(found.mean_budget)


def _percentile(name: str, q: float) -> Statistic:
    nth = f"{100 * q:g}th percentile"
    return Statistic(
        name,
        f"{nth} of the scores.",
        float | None,
        lambda found: found.percentile(q),
        lambda found: found.percentile_interval(q),
        "Distribution-free interval.",
        f"{{score}}, {nth}",
        name,
        (1, 5),
        _has_score,
    )


STATISTICS: list[Statistic] = [
    Statistic("trials", "Number of games.", int, attrgetter("trials"), heading="trials", ranks=(3,)),
    Statistic("wins", "Number of games won.", int, attrgetter("wins")),
    Statistic(
        *("win_rate", "Share of games won.", float, attrgetter("win_rate"), attrgetter("interval")),
        *("Wilson interval.", "win rate", "win rate", (0, 2)),
        is_share=True,
    ),
    Statistic(
        *("posterior_win_rate", "Mean posterior probability of the proposed words.", float),
        *(attrgetter("posterior_win_rate"), attrgetter("posterior_interval"), "Interval by betting."),
        *("posterior win rate", "posterior win rate", (1,)),
        is_shown=lambda found: found.timeouts + found.errors < found.trials,
        is_share=True,
    ),
    Statistic(
        *("mean_budget", "Mean budget of a game, won or lost.", JsonEpsilon, attrgetter("mean_budget")),
        in_json=json_epsilon,
    ),
    *(_percentile(name, q) for name, q in QUANTILES.items()),
    Statistic(
        *("turns", "Games won with each number of guesses.", dict[str, int], attrgetter("turns")),
        in_json=lambda turns: {str(turn): n for turn, n in turns.items()},
    ),
    Statistic(
        "win_rates_within",
        "Share won within each number of guesses; empty unless wordle:N.",
        dict[str, RateWithin],
        attrgetter("win_rates_within"),
        in_json=lambda rates: {str(n): {"win_rate": rate, "interval": ends} for n, (rate, ends) in rates.items()},
    ),
    Statistic(
        *("mean_turns", "Mean turns of the games won; null if none was.", float | None, attrgetter("mean_turns")),
        heading="turns",
        ranks=(4,),
    ),
    Statistic("timeouts", "Games lost by the clock.", int, attrgetter("timeouts")),
    Statistic("errors", "Games that were lost, but not by a wrong word or the clock.", int, attrgetter("errors")),
    Statistic("verdicts", "Games by how they ended; every verdict is there.", dict[str, int], attrgetter("verdicts")),
    Statistic(
        "reasons",
        "The five commonest reasons for losses other than a wrong word.",
        list[LossReason],
        attrgetter("commonest_reasons"),
        in_json=lambda reasons: [{"reason": reason, "trials": n} for reason, n in reasons],
    ),
    Statistic("seconds", "Seconds of all moves.", float, attrgetter("seconds")),
    Statistic("seconds_per_move", "Seconds of a move, on average.", float, attrgetter("seconds_per_move")),
    Statistic("slowest_move", "Seconds of the slowest move.", float, attrgetter("slowest_move")),
]
"""All statistics, in the order in which they are told. To add one, add it here."""


_ADDED_AT_ONCE = 8192


def _total(values: NDArray[Any]) -> float:
    """The sum of `values` [n], rounded alike in an array and in a field of records, which NumPy adds in such blocks."""
    total = 0.0
    for at in range(0, len(values), _ADDED_AT_ONCE):
        total += float(values[at : at + _ADDED_AT_ONCE].sum())
    return total


def _cells(value: float, ends: tuple[float, float]) -> tuple[str, str]:
    texts = [f"{number:.3g}" if math.isfinite(number) else "∞" for number in (value, *ends)]
    return texts[0], f"[{texts[1]}, {texts[2]}]"
