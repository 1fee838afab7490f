"""Results as JSON: a task, the statistics of its games, and a game. Commands, exports and the page add to them."""

from typing import TYPE_CHECKING, Annotated, Any, cast, get_type_hints

from typing_extensions import TypedDict

from wordpl.base.json_types import Doc, Interval, OpenInterval, json_of
from wordpl.simulation.statistics_table import STATISTICS
from wordpl.simulation.tasks import TaskRow
from wordpl.simulation.trials import Trial


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
