"""Results as JSON: a task, the statistics of its games, and a game. Commands, exports and the page add to them."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, cast

from typing_extensions import TypedDict

from wordpl.base.displays import json_epsilon
from wordpl.base.json_types import ChannelName, Doc, Engine, Interval, JsonEpsilon, OpenInterval, Rule, Spec, Words
from wordpl.simulation.statistics_table import STATISTICS
from wordpl.simulation.tasks import TaskRow
from wordpl.simulation.trials import VERDICTS


def statistics_keys() -> dict[str, Any]:
    """The types of the keys that the table of statistics has in JSON, with what they mean."""
    keys: dict[str, Any] = {"confidence": Annotated[float, Doc("Confidence of each interval.")]}
    for statistic in STATISTICS:
        keys[statistic.name] = Annotated[statistic.kind, Doc(statistic.meaning)]
        if statistic.interval is not None:
            ends = Interval if statistic.kind is float else OpenInterval
            keys[f"{statistic.name}_interval"] = Annotated[ends, Doc(statistic.interval_meaning)]
    return keys


if TYPE_CHECKING:

    class StatisticsRecord(TypedDict):
        """The statistics of the games of one task."""

else:
    StatisticsRecord = TypedDict("StatisticsRecord", statistics_keys())
    StatisticsRecord.__doc__ = "The statistics of the games of one task."


class GameTerms(TypedDict):
    """The terms of a game, but for its trial."""

    strategy: Spec
    words: Words
    rule: Rule
    channel: ChannelName
    format: Annotated[
        str, Doc("What ends a game: contest, or wordle:N for N guesses, with the first guess if it is given.")
    ]
    seed: Annotated[str, Doc("Root seed: digits, as text, because it can be longer than a number may be.")]


class PlayedTrial(TypedDict):
    """A trial and what came of it."""

    trial: Annotated[int, Doc("Number of the trial.")]
    answer: Annotated[str, Doc("The answer.")]
    proposed: Annotated[str | None, Doc("The proposed word; null for none.")]
    verdict: Annotated[str, Doc("How it ended.", tuple(map(str, VERDICTS)))]
    reason: Annotated[str, Doc("Why it was lost, if not by a wrong word.")]
    budget: Annotated[JsonEpsilon, Doc("Epsilon spent, won or lost.")]
    turns: Annotated[int, Doc("Number of guesses, counted as in ordinary Wordle.")]


class RunTerms(GameTerms):
    """A strategy and its game."""

    epsilon: Annotated[
        JsonEpsilon | None, Doc("Budget per ask (the mean of a schedule); null if the strategy has no such parameter.")
    ]
    noiseless: Annotated[bool, Doc("Whether clues may be without noise.")]
    engine: Engine


class TaskRecord(RunTerms):
    """A task."""

    task: Annotated[str, Doc("Id of the task.")]
    code: Annotated[str, Doc("Digest of the strategy's code; empty in old files.")]


def task_record(task: TaskRow) -> TaskRecord:
    """A task as plain JSON values."""
    names = ("strategy", "code", "epsilon", "noiseless", "words", "rule", "channel", "format", "seed", "engine")
    terms = {name: getattr(task, name) for name in names}
    return cast(TaskRecord, {"task": task.id, **terms, "epsilon": json_epsilon(task.epsilon)})


class EvaluationRecord(TaskRecord, StatisticsRecord):
    """A task and its statistics."""


class ScoreRecord(EvaluationRecord):
    """A task that was just played, and its statistics."""

    wall_seconds: Annotated[float, Doc("Seconds of the whole run.")]


class TriedScore(RunTerms, StatisticsRecord):
    """The statistics of a submission that was tried out."""

    wall_seconds: Annotated[float, Doc("Seconds of the whole run.")]
    trusted: Annotated[bool, Doc("Whether it ran without a sandbox.")]
    ranked: Annotated[Literal[False], Doc("Always false: the seed is known.")]


class ExportedTrial(RunTerms, PlayedTrial):
    """A trial with its task."""

    id: Annotated[str, Doc("Id of the task.")]
    code: Annotated[str, Doc("Digest of the strategy's code.")]
    family: Annotated[str, Doc("The spec without its epsilon.")]
    is_schedule: Annotated[bool, Doc("Whether the strategy has an epsilon for each ask.")]
    asks: Annotated[int, Doc("Number of asks.")]
    chance: Annotated[float, Doc("Posterior probability of the proposed word.")]
    seconds: NotRequired[Annotated[float, Doc("Only with `--timings`.")]]
    slowest: NotRequired[Annotated[float, Doc("Only with `--timings`.")]]
