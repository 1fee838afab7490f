"""The statistics of the games of a task: one ordered table, from which everything that tells them follows.

And results as JSON: a task, its statistics, and a game. Commands, exports and the page add to these records.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, cast, get_type_hints

from typing_extensions import TypedDict

from wordpl.base.defaults import QUANTILES
from wordpl.base.displays import finite, json_epsilon
from wordpl.base.json_types import Doc, Interval, JsonEpsilon, OpenInterval, json_of
from wordpl.simulation.tasks import TaskRow
from wordpl.simulation.trials import Trial


class LossReason(TypedDict):
    """A reason for which games were lost, other than a wrong word."""

    reason: Annotated[str, Doc("Why games were lost.")]
    trials: Annotated[int, Doc("Number of games.")]


class RateWithin(TypedDict):
    """The share of games won within a number of guesses."""

    win_rate: float
    interval: Annotated[Interval, Doc("Its interval.")]


@dataclass(frozen=True)
class Statistic:
    """A statistic of the games of a task, as everything tells it: tables, frames, JSON, the report and the page."""

    name: str
    """Its key in JSON and its column in frames. Its interval has NAME_interval, and NAME_low and NAME_high."""
    meaning: str
    kind: Any
    """Its type in JSON."""
    interval: Callable[[Any], tuple[float, float]] | None = None
    """Its interval, of an `Evaluation`, as all functions here."""
    interval_meaning: str = ""
    label: str = ""
    """Its name in the table of one task, if it has an interval. `{score}` stands for budget or guesses."""
    heading: str = ""
    """Its column in tables of many tasks; without one it has none there."""
    ranks: tuple[int, ...] = (5, 5)
    """The ranks of this column and of that of its interval, if that is shown: narrow tables leave out high ranks."""
    is_shown: Callable[[Any], bool] = lambda found: True
    """True if it makes sense for the games of a task."""
    in_json: Callable[[Any], Any] = lambda value: finite(value) if isinstance(value, float) else value
    is_share: bool = False
    """True for a share of games, which the page shows in percent."""
    attribute: str = ""
    """The attribute of an `Evaluation` with its value, if its name is another."""

    def value(self, found: Any) -> Any:
        """Return its value for an `Evaluation`."""
        return getattr(found, self.attribute or self.name)


def _percentile(name: str, q: float) -> Statistic:
    nth = f"{100 * q:g}th percentile"
    return Statistic(
        name,
        f"{nth} of the scores.",
        float | None,
        lambda found: found.percentile_interval(q),
        "Distribution-free interval.",
        f"{{score}}, {nth}",
        name,
        (1, 5),
        # Not if it is infinite because a won game was played without noise, and not because too few were won.
        lambda found: math.isfinite(found.percentile(q)) or found.wins <= math.ceil((found.trials - 1) * q),
    )


STATISTICS: list[Statistic] = [
    Statistic("trials", "Number of games.", int, heading="trials", ranks=(3,)),
    Statistic("wins", "Number of games won.", int),
    Statistic(
        *("win_rate", "Share of games won.", float, attrgetter("interval"), "Wilson interval."),
        *("win rate", "win rate", (0, 2)),
        is_share=True,
    ),
    Statistic(
        *("posterior_win_rate", "Mean posterior probability of the proposed words.", float),
        *(attrgetter("posterior_interval"), "Student's interval, or one by betting."),
        *("posterior win rate", "posterior win rate"),
        ranks=(1,),
        is_shown=lambda found: found.timeouts + found.errors < found.trials,
        is_share=True,
    ),
    Statistic("mean_budget", "Mean budget of a game, won or lost.", JsonEpsilon, in_json=json_epsilon),
    *(_percentile(name, q) for name, q in QUANTILES.items()),
    Statistic(
        *("turns", "Games won with each number of guesses.", dict[str, int]),
        in_json=lambda turns: {str(turn): n for turn, n in turns.items()},
    ),
    Statistic(
        *("win_rates_within", "Share won within each number of guesses; empty unless wordle:N.", dict[str, RateWithin]),
        in_json=lambda rates: {str(n): {"win_rate": rate, "interval": ends} for n, (rate, ends) in rates.items()},
    ),
    Statistic(
        *("mean_turns", "Mean turns of the games won; null if none was.", float | None), heading="turns", ranks=(4,)
    ),
    Statistic("timeouts", "Games lost by the clock.", int),
    Statistic("errors", "Games that were lost, but not by a wrong word or the clock.", int),
    Statistic("verdicts", "Games by how they ended; every verdict is there.", dict[str, int]),
    Statistic(
        *("reasons", "The five commonest reasons for losses other than a wrong word.", list[LossReason]),
        in_json=lambda reasons: [{"reason": reason, "trials": n} for reason, n in reasons],
        attribute="commonest_reasons",
    ),
    Statistic("seconds", "Seconds of all moves.", float),
    Statistic("seconds_per_move", "Seconds of a move, on average.", float),
    Statistic("slowest_move", "Seconds of the slowest move.", float),
]
"""All statistics, in the order in which they are told. To add one, add it here."""


def statistics_keys() -> dict[str, Any]:
    """The types of the keys that the table of statistics has in JSON, with what they mean."""
    keys: dict[str, Any] = {"confidence": Annotated[float, Doc("Confidence of each interval.")]}
    for statistic in STATISTICS:
        keys[statistic.name] = Annotated[statistic.kind, Doc(statistic.meaning)]
        if statistic.interval is not None:
            ends = Interval if statistic.kind is float else OpenInterval
            keys[f"{statistic.name}_interval"] = Annotated[ends, Doc(statistic.interval_meaning)]
    return keys


def _record(name: str, meaning: str, keys: dict[str, Any]) -> Any:
    record = TypedDict(name, keys)  # type: ignore[misc]
    record.__doc__ = meaning
    return record


_GAME = ("strategy", "words", "rule", "channel", "format", "seed")
_RUN = (*_GAME, "epsilon", "noiseless", "engine")
_PLAYED = ("trial", "answer", "proposed", "verdict", "reason", "budget", "turns")

if TYPE_CHECKING:

    class StatisticsRecord(TypedDict): ...

    class GameTerms(TypedDict): ...

    class RunTerms(TypedDict): ...

    class TaskRecord(TypedDict): ...

    class PlayedTrial(TypedDict): ...

else:
    _task, _trial = (get_type_hints(kind, include_extras=True) for kind in (TaskRow, Trial))
    StatisticsRecord = _record("StatisticsRecord", "The statistics of the games of one task.", statistics_keys())
    GameTerms = _record("GameTerms", "The terms of a game, but for its trial.", {name: _task[name] for name in _GAME})
    RunTerms = _record("RunTerms", "A strategy and its game.", {name: _task[name] for name in _RUN})
    TaskRecord = _record(
        "TaskRecord", "A task.", {name: _task[name] for name in (*_RUN, "code")} | {"task": _task["id"]}
    )
    PlayedTrial = _record("PlayedTrial", "A trial and its outcome.", {name: _trial[name] for name in _PLAYED})


def task_record(task: TaskRow) -> TaskRecord:
    """A task as plain JSON values."""
    terms = json_of(task)
    return cast(TaskRecord, {"task": task.id} | {name: terms[name] for name in (*_RUN, "code")})


class EvaluationRecord(TaskRecord, StatisticsRecord):
    """A task and its statistics."""
