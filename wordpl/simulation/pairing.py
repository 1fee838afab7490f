"""Comparing strategies in pairs on common trials, whose number is fixed, or which are played until all is settled."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np
from typing_extensions import Unpack

from wordpl.base.checks import finite_positive, several, whole_number
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.base.progress import Progress
from wordpl.play.seeds import stream
from wordpl.play.specs import parse_spec
from wordpl.play.strategy import Strategy
from wordpl.simulation import paired_statistics as paired
from wordpl.simulation.comparison import (
    POSTERIOR_WIN_RATE,
    ComparedPair,
    ComparisonRule,
    Difference,
    DifferenceWithin,
    PairedComparison,
    Verdict,
)
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.outcomes import curves, read_outcomes
from wordpl.simulation.paired_statistics import Estimate, Floats, Sample
from wordpl.simulation.selection import Where
from wordpl.simulation.statistics import QUANTILES, percentile
from wordpl.simulation.store import Store, differing_answer
from wordpl.simulation.sweep import Sweep, evaluate, looks_up_to
from wordpl.simulation.tasks import Task, TaskRow, TaskTerms, as_task, task_row

T = TypeVar("T")
Samples = tuple[Sample, Sample]
MAX_PAIRS = 1_000
_DRAWS, _DRAWS_EACH, _MOST_DRAWS = 2_000, 200, 50_000
SHARED = ("words", "rule", "channel", "format", "seed", "engine")
"""Two tasks have common trials if these properties are the same."""


def compare(
    pairs: Iterable[tuple[Task | Strategy | str, Task | Strategy | str]],
    trials: int = 1001,
    jobs: int = 1,
    *,
    rule: ComparisonRule | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
) -> PairedComparison:
    """Play `pairs` of tasks and compare them on common trials: the same answers and the same noise.

    Instead of a task you can give a strategy or a spec, such as "TwoGuess(18)"; `make_task` makes the task.

    Each task plays at most `trials` trials, 1 or more. If `rule` has `until_settled`, the pairs are checked after fixed
    numbers of trials, and a pair stops when it is decided. The result does not depend on `jobs`. `progress` is called
    after each batch. `store` saves the trials, and trials that it already has are not played again.

    Raises `WordplError` for no pair or more than 1,000, for tasks that are the same, or differ in words, rule, channel,
    format or seed, and for a strategy that loses all trials by errors; and what `sweep` raises.

    >>> found = compare([("TwoGuess(25)", "NGuess(2, 12.5)")], trials=200)
    >>> found.pairs[0]["posterior_win_rate"].verdict
    'second'
    """
    rule = rule or ComparisonRule()
    trials = whole_number("trials", trials)
    chosen = [(as_task(first), as_task(second)) for first, second in _two_each(pairs)]
    rows = [(task_row(first), task_row(second)) for first, second in chosen]
    _check(rows)
    for first, second in chosen:
        if first.setting.words.digest != second.setting.words.digest:
            raise WordplError(
                f"{first!s} and {second!s} use different word lists with the same name, so they played different games"
            )
    looks = looks_up_to(trials) if rule.until_settled else [trials]
    judge = Judge(rule, [stream(first.seed, "comparison") for first, _ in chosen])
    played = Sweep([task for pair in chosen for task in pair], trials, jobs, store=store, progress=progress)

    def samples(task: Task) -> Sample:
        return _sample(str(task), played.evaluation(task))

    for look in looks:
        played.play(look)
        judge.look({i: (samples(chosen[i][0]), samples(chosen[i][1])) for i in judge.open})
        played.go_on([task for i in judge.open for task in chosen[i]])
    return judge.comparison(rows)


def _two_each(pairs: Iterable[tuple[T, T]]) -> list[tuple[T, T]]:
    """The pairs as a list. Raises `WordplError` for anything else: a text alone is no pair of its letters."""
    chosen = several("pairs", pairs)
    if not all(isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2 for pair in chosen):
        raise WordplError('pairs of two are expected, such as [("TwoGuess(18)", "NGuess(2, 9)")]')
    return chosen


def compare_outcomes(
    pairs: Iterable[tuple[Evaluation, Evaluation]], rule: ComparisonRule | None = None
) -> PairedComparison:
    """Compare `pairs` of outcomes on the trials that both have, as `compare` does.

    If `rule` has `until_settled`, the trials are treated as if they had been played and checked step by step. Choose
    this if anybody saw results before it was decided how many trials to play. Raises `WordplError` as `compare` does,
    and for tasks without common trials.
    """
    rule = rule or ComparisonRule()
    chosen = _two_each(pairs)
    rows = [(first.task, second.task) for first, second in chosen]
    _check(rows)
    samples = [_common(first, second) for first, second in chosen]
    judge = Judge(rule, [stream(int(first.task.seed), "comparison") for first, _ in chosen])
    longest = max(len(first) for first, _ in samples)
    for look in looks_up_to(longest) if rule.until_settled else [longest]:
        judge.look({i: (samples[i][0].at(slice(look)), samples[i][1].at(slice(look))) for i in judge.open})
    return judge.comparison(rows)


def read_pairs(store: Store, texts: Sequence[str] = (), where: Where = ()) -> list[tuple[Evaluation, Evaluation]]:
    """Return pairs of tasks of `store` that have trials and satisfy `where` (see `read_outcomes`). If there are
    `texts`, the strategy must contain one of them.

    Two strategies are paired at each epsilon that both have. If there is none, and one of them was played at one
    epsilon only, it is paired with every epsilon of the other. The epsilons of a single strategy are paired with each
    other.

    Raises `WordplError` for a text that no strategy contains, tasks that cannot be compared (see `compare_outcomes`),
    and tasks with different answers in the same trials.
    """
    texts, outcomes = several("texts", texts), read_outcomes(store, where=where)
    for text in texts:
        if not any(text.lower() in outcome.task.strategy.lower() for outcome in outcomes):
            raise WordplError(f"{store.path} has no trials of a strategy that contains {text!r}")
    chosen = [o for o in outcomes if not texts or any(text.lower() in o.task.strategy.lower() for text in texts)]
    lines = [{outcome.task.epsilon: outcome for outcome in curve.outcomes} for curve in curves(chosen)]
    pairs: list[tuple[Evaluation, Evaluation]] = []
    if len(lines) == 1:
        pairs += itertools.combinations(lines[0].values(), 2)
    for line, other in itertools.combinations(lines, 2):
        common = [epsilon for epsilon in line if epsilon in other]
        if common:
            pairs += [(line[epsilon], other[epsilon]) for epsilon in common]
        elif 1 in (len(line), len(other)):
            pairs += itertools.product(line.values(), other.values())
        if len(pairs) > MAX_PAIRS:
            break
    _check([(first.task, second.task) for first, second in pairs])
    most = max((outcome for pair in pairs for outcome in pair), key=lambda outcome: outcome.task.trials)
    for outcome in {outcome.task.id: outcome for pair in pairs for outcome in pair}.values():
        trial = differing_answer(store, most.task.id, outcome.task.id)
        if trial is not None:
            names = f"{most.task.strategy} and {outcome.task.strategy}"
            raise WordplError(f"{names} have different answers in trial {trial}, so they played different games")
    return pairs


def strategy_at_budget(spec: str, budget: float, **terms: Unpack[TaskTerms]) -> Strategy:
    """Return the strategy of a `spec` that leaves its epsilon open, with the epsilon at which a game costs `budget`
    (above 0 and finite).

    `terms` are those of `make_task`. Ten games are played to see what they cost. Raises `WordplError` for a strategy
    without an epsilon, one whose epsilon is given, and one whose games do not all cost the same.

    >>> strategy_at_budget("NGuess(2)", 18.0)
    NGuess(n_guesses=2, epsilon=9.0)
    """
    budget, parsed = finite_positive("budget", budget), parse_spec(spec)
    if "epsilon" not in parsed.open_parameters:
        raise WordplError(f"{spec} has no open epsilon, so a budget cannot determine it")
    asks = int(evaluate(parsed.build(epsilon=budget), 1, **terms).results["asks"][0])
    strategy = parsed.build(epsilon=budget / max(asks, 1))
    if not np.allclose(evaluate(strategy, 10, **terms).results["budget"], budget, rtol=1e-9):
        raise WordplError(
            f"games of {spec} do not all cost the same, so none has budget {budget:g}; give it an epsilon"
        )
    return strategy


def _check(pairs: Sequence[tuple[TaskRow, TaskRow]]) -> None:
    if not pairs:
        raise WordplError("there is nothing to compare; give at least two strategies")
    if len(pairs) > MAX_PAIRS:
        raise WordplError(f"{len(pairs)} pairs are too many to compare; at most {MAX_PAIRS} are allowed")
    seen: set[frozenset[str]] = set()
    for first, second in pairs:
        names = f"{first.strategy} and {second.strategy}"
        if first.id == second.id:
            raise WordplError(f"{first.strategy} is compared with itself; give two different strategies")
        if frozenset((first.id, second.id)) in seen:
            raise WordplError(f"{names} are compared twice; leave out one of the pairs")
        seen.add(frozenset((first.id, second.id)))
        for name in SHARED:
            value, other = getattr(first, name), getattr(second, name)
            if value != other:
                raise WordplError(f"{names} differ in {name} ({value} and {other}), so they played different games")


def _sample(name: str, figures: Evaluation) -> Sample:
    if figures.errors == figures.trials:
        reason, _ = figures.commonest_reasons[0]
        raise WordplError(
            f"{name} lost all {counted(figures.trials, 'trial')} by errors, so it cannot be compared: {reason}"
        )
    cost = "turns" if figures.format.is_wordle else "budget"
    return Sample(figures.results[cost].astype(np.float64), figures.results["chance"], figures.won)


def _common(first: Evaluation, second: Evaluation) -> Samples:
    first_rows, second_rows = first.results, second.results
    trials, *places = np.intersect1d(first_rows["trial"], second_rows["trial"], return_indices=True)
    names = f"{first.task.strategy} and {second.task.strategy}"
    if not len(trials):
        raise WordplError(f"{names} have no trials in common")
    known = all("answer" in (results.dtype.names or ()) for results in (first_rows, second_rows))
    if known and (first_rows["answer"][places[0]] != second_rows["answer"][places[1]]).any():
        raise WordplError(f"{names} have different answers in the same trials, so they played different games")
    sample, other = (_sample(outcome.task.strategy, outcome) for outcome in (first, second))
    return sample.at(places[0]), other.at(places[1])


# Who is ahead


class Judge:
    """Decides pairs, look by look. It depends on the trials alone. What is known of a figure is by pair and figure."""

    def __init__(self, rule: ComparisonRule, seeds: Sequence[int]) -> None:
        self._rule, self._seeds = rule, seeds
        self._samples: dict[int, Samples] = {}
        # The smallest so far: of "the first is not ahead", of "the second is not ahead".
        self._p_values = {(i, figure): (1.0, 1.0) for i in range(len(seeds)) for figure in rule.figures}
        # Those, corrected. Each direction is a hypothesis of its own, so that none is wrong.
        self._corrected = self._p_values
        # What it is settled as if nobody is ahead.
        self._otherwise: dict[tuple[int, str], Verdict] = {}
        # By pair: the estimates with the intervals that are shown, if the number of trials was fixed before.
        self._reports: dict[int, dict[str, Estimate]] = {}
        self._draws = rule.draws or min(_MOST_DRAWS, max(_DRAWS, _DRAWS_EACH * len(self._p_values)))
        self._quantiles = {figure: QUANTILES[figure] for figure in rule.figures if figure in QUANTILES}
        self.verdicts: dict[tuple[int, str], Verdict] = dict.fromkeys(self._p_values, "undecided")
        """Who is ahead."""
        self.open = list(range(len(seeds)))
        """The pairs that are not settled."""

    def look(self, samples: dict[int, Samples]) -> None:
        """Look at the trials of some pairs, all from the first on, and close the pairs that they settle."""
        for i, pair in samples.items():
            if i in self._samples and len(self._samples[i][0]) == len(pair[0]):
                continue  # it has no more
            self._samples[i] = pair
            drawn = None
            if self._quantiles and not self._rule.until_settled:
                scores, quantiles = (pair[0].scores, pair[1].scores), tuple(self._quantiles.values())
                drawn = paired.resampled_percentiles(*scores, quantiles, self._draws, self._seeds[i])
            for figure, estimate in self._estimates(pair, self._rule.error / len(self._p_values), drawn).items():
                first, second = zip(self._p_values[i, figure], estimate.p_values, strict=True)
                self._p_values[i, figure] = min(first), min(second)
                if estimate.both_infinite:
                    self._otherwise[i, figure] = "neither"
                elif _is_level(estimate, figure, pair, self._rule.margin):
                    self._otherwise[i, figure] = "level"
            if not self._rule.until_settled:
                self._reports[i] = self._estimates(pair, self._rule.error, drawn)
        corrected = paired.holm([p for both in self._p_values.values() for p in both])
        self._corrected = dict(zip(self._p_values, zip(corrected[::2], corrected[1::2], strict=True), strict=True))
        for key, (against_first, against_second) in self._corrected.items():
            if min(against_first, against_second) <= self._rule.error:
                self.verdicts[key] = "first" if against_first <= against_second else "second"
            else:
                self.verdicts[key] = self._otherwise.get(key, "undecided")
        self.open = [i for i in self.open if "undecided" in (self.verdicts[i, name] for name in self._rule.figures)]

    def _estimates(
        self, samples: Samples, error: float, drawn: tuple[Floats, Floats] | None = None
    ) -> dict[str, Estimate]:
        """The estimate of each figure, with an interval of that error. `drawn` are bootstrap quantiles of both; None
        for many looks."""
        first, second = samples
        estimates: dict[str, Estimate] = {}
        if POSTERIOR_WIN_RATE in self._rule.figures:
            gains = first.chances - second.chances
            estimates[POSTERIOR_WIN_RATE] = paired.mean_difference(gains, error, anytime=self._rule.until_settled)
        for at, (figure, q) in enumerate(self._quantiles.items()):
            if drawn is None:
                estimates[figure] = paired.anytime_percentile(paired.Reach(first, q), paired.Reach(second, q), error)
            else:
                columns = drawn[0][:, at], drawn[1][:, at]
                estimates[figure] = paired.percentile_difference((first.scores, second.scores), q, columns, 1.0 - error)
        return estimates

    def comparison(self, tasks: Sequence[tuple[TaskRow, TaskRow]]) -> PairedComparison:
        """All that was found, with the descriptions of the tasks."""
        return PairedComparison(self._rule, tuple(self._pair(i, *rows) for i, rows in enumerate(tasks)))

    def _pair(self, i: int, first: TaskRow, second: TaskRow) -> ComparedPair:
        sample, other = samples = self._samples[i]
        differences = tuple(
            Difference(
                figure,
                _value(sample, figure),
                _value(other, figure),
                estimate.difference,
                estimate.interval,
                min(1.0, 2.0 * min(self._p_values[i, figure])),
                min(self._corrected[i, figure]),
                self.verdicts[i, figure],
            )
            for figure, estimate in (self._reports.get(i) or self._estimates(samples, self._rule.error)).items()
        )
        rates = float(sample.won.mean()), float(other.won.mean())
        costs = float(sample.costs.mean()), float(other.costs.mean())
        first, second = (replace(task, trials=len(sample)) for task in (first, second))
        return ComparedPair(first, second, rates, costs, differences, partial(_curve, samples, self._rule))


def _curve(samples: Samples, rule: ComparisonRule) -> list[DifferenceWithin]:
    return paired.win_rate_band(*samples, paired.curve_budgets(*samples), rule.error, anytime=rule.until_settled)


def _value(sample: Sample, figure: str) -> float:
    q = QUANTILES.get(figure)
    return float(sample.chances.mean()) if q is None else percentile(sample.scores, q)


def _is_level(estimate: Estimate, figure: str, samples: Samples, margin: float) -> bool:
    """Whether the whole interval is within the margin."""
    unit = 1.0 if figure == POSTERIOR_WIN_RATE else min(_value(sample, figure) for sample in samples)
    return math.isfinite(unit) and max(map(abs, estimate.interval)) <= margin * unit
