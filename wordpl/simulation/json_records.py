"""Results as JSON: a task, the figures of its games, and a game. Commands, exports and the page add to them."""

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from wordpl.base.json_types import ChannelName, Doc, Engine, Interval, JsonEpsilon, OpenInterval, Rule, Spec, Words
from wordpl.simulation.trials import VERDICTS


class LossReason(TypedDict):
    """A reason for which games were lost, other than a wrong word."""

    reason: Annotated[str, Doc("Why games were lost.")]
    trials: Annotated[int, Doc("Number of games.")]


class RateWithin(TypedDict):
    """The share of games won within a number of guesses."""

    win_rate: float
    interval: Annotated[Interval, Doc("Its interval.")]


class FiguresRecord(TypedDict):
    """What many games of one task come to."""

    trials: Annotated[int, Doc("Number of games.")]
    wins: Annotated[int, Doc("Number of games won.")]
    confidence: Annotated[float, Doc("Confidence of each interval.")]
    win_rate: Annotated[float, Doc("Share of games won.")]
    win_rate_interval: Annotated[Interval, Doc("Wilson interval.")]
    posterior_win_rate: Annotated[float, Doc("Mean posterior probability of the proposed words.")]
    posterior_win_rate_interval: Annotated[Interval, Doc("Interval by betting.")]
    mean_budget: Annotated[JsonEpsilon, Doc("Mean budget of a game, won or lost.")]
    p05: Annotated[float | None, Doc("5th percentile of the scores.")]
    p05_interval: Annotated[OpenInterval, Doc("Distribution-free interval.")]
    p50: Annotated[float | None, Doc("50th percentile of the scores.")]
    p50_interval: Annotated[OpenInterval, Doc("Distribution-free interval.")]
    p95: Annotated[float | None, Doc("95th percentile of the scores.")]
    p95_interval: Annotated[OpenInterval, Doc("Distribution-free interval.")]
    turns: Annotated[dict[str, int], Doc("Games won with each number of guesses.")]
    win_rates_within: Annotated[
        dict[str, RateWithin], Doc("Share won within each number of guesses; empty unless wordle:N.")
    ]
    mean_turns: Annotated[float | None, Doc("Mean turns of the games won; null if none was.")]
    timeouts: Annotated[int, Doc("Games lost by the clock.")]
    errors: Annotated[int, Doc("Games that were lost, but not by a wrong word or the clock.")]
    verdicts: Annotated[dict[str, int], Doc("Games by how they ended; every verdict is there.")]
    reasons: Annotated[list[LossReason], Doc("The five commonest reasons for losses other than a wrong word.")]
    seconds: Annotated[float, Doc("Seconds of all moves.")]
    seconds_per_move: Annotated[float, Doc("Seconds of a move, on average.")]
    slowest_move: Annotated[float, Doc("Seconds of the slowest move.")]


class GameTerms(TypedDict):
    """What decides a game, but for its trial."""

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
    """What was played."""

    epsilon: Annotated[
        JsonEpsilon | None, Doc("Budget per ask (the mean of a schedule); null if the strategy has no such parameter.")
    ]
    noiseless: Annotated[bool, Doc("Whether clues may be without noise.")]
    engine: Engine


class TaskRecord(RunTerms):
    """A task."""

    task: Annotated[str, Doc("Id of the task.")]
    code: Annotated[str, Doc("Digest of the strategy's code; empty in old files.")]


class EvaluationRecord(TaskRecord, FiguresRecord):
    """A task and its figures."""


class ScoreRecord(EvaluationRecord):
    """A task that was just played, and its figures."""

    wall_seconds: Annotated[float, Doc("Seconds of the whole run.")]


class TriedScore(RunTerms, FiguresRecord):
    """The figures of a submission that was tried out."""

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
