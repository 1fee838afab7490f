"""Comparing strategies in pairs on common trials."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, cast

import numpy as np
from typing_extensions import Unpack

from wordpl.base.checks import DEFAULT_TRIALS, finite_positive, several
from wordpl.base.defaults import POSTERIOR_WIN_RATE, QUANTILES
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath
from wordpl.base.progress import Progress
from wordpl.play.seeds import stream
from wordpl.play.specs import parse_spec
from wordpl.play.strategy import Strategy
from wordpl.simulation.comparison import (
    ComparedPair,
    ComparisonRule,
    Difference,
    DifferenceWithin,
    PairedComparison,
    Verdict,
)
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.outcomes import curves, read_outcomes
from wordpl.simulation.statistics import (
    Estimate,
    Floats,
    holm,
    mean_difference,
    percentile_difference,
    resampled_percentiles,
)
from wordpl.simulation.store import Store
from wordpl.simulation.sweep import evaluate, sweep
from wordpl.simulation.tasks import ALL_TASKS, SHARED, Task, TaskFilter, TaskRow, TaskTerms, as_task

Pair = tuple[Evaluation, Evaluation]
MAX_PAIRS = 1_000
CURVE_POINTS = 30
"""Differences of win rates are computed at no more budgets than this."""
DRAWS, DRAWS_EACH, MOST_DRAWS = 2_000, 200, 50_000
Compared: TypeAlias = Task | Strategy | str


def compare(
    *compared: Compared | Iterable[tuple[Compared, Compared]],
    trials: int = DEFAULT_TRIALS,
    jobs: int = 1,
    seed: int | None = None,
    by: ComparisonRule | None = None,
    store: Store | StrPath | None = None,
    progress: Progress | None = None,
    **terms: Unpack[TaskTerms],
) -> PairedComparison:
    """Play strategies and compare them on common trials: the same answers and the same noise.

    compared: two or more strategies, specs such as "TwoGuess(18)", or tasks, each of which is compared with all others;
        or a list of pairs of them. There are 1 to 1,000 pairs.
    trials: how many trials each task plays, 1 or more.
    jobs: the number of worker processes, -1 for one per core. The result does not depend on it.
    seed, terms: those of `make_task`, for strategies and specs.
    by: what is compared, and when a difference is decided.
    store: saves the trials, and trials that it already has are not played again; a results file or its path.
    progress: is called after each batch.

    Raises `WordplError` for no pair or more than 1,000, for tasks that are the same, or differ in words, rule, channel,
    format or seed, and for a strategy that loses all trials by errors; and what `sweep` raises.

    >>> found = compare("TwoGuess(25)", "NGuess(2, 12.5)", trials=200)
    >>> found.pairs[0]["posterior_win_rate"].verdict
    'second'
    """
    one_list = len(compared) == 1
    pairs = _two_each(cast(Any, compared[0])) if one_list else list(itertools.combinations(cast(Any, compared), 2))
    chosen = [tuple(as_task(one, seed, terms, "compare") for one in pair) for pair in pairs]
    _check([(first.row, second.row) for first, second in chosen])
    tasks = {task.id: task for pair in chosen for task in pair}
    played = dict(zip(tasks, sweep(list(tasks.values()), trials, jobs, store=store, progress=progress), strict=True))
    return compare_outcomes([(played[first.id], played[second.id]) for first, second in chosen], by)


def _two_each(pairs: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs as a list. Raises `WordplError` for anything else: a text alone is no pair of its letters."""
    chosen = several("pairs", pairs)
    if not all(isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2 for pair in chosen):
        raise WordplError('pairs of two are expected, such as [("TwoGuess(18)", "NGuess(2, 9)")]')
    return chosen


def compare_outcomes(
    pairs: Iterable[tuple[Evaluation, Evaluation]], rule: ComparisonRule | None = None
) -> PairedComparison:
    """Compare `pairs` of outcomes on the trials that both have, as `compare` does.

    Percentiles are left out if no game has a finite cost, as in a contest without noise. Raises `WordplError` as
    `compare` does, and for tasks without common trials.
    """
    rule, chosen = rule or ComparisonRule(), _two_each(pairs)
    _check([(first.task, second.task) for first, second in chosen])
    samples = [on_common_trials(first, second) for first, second in chosen]
    if not any(np.isfinite(one.costs).any() for pair in samples for one in pair):
        rule = replace(rule, statistics=(POSTERIOR_WIN_RATE,))
    compared = []
    for pair, differences in zip(samples, find_differences(samples, rule), strict=True):
        first, second = pair
        costs = float(first.costs.mean()), float(second.costs.mean())
        win_rates = first.win_rate, second.win_rate
        find_curve = partial(win_rate_band, pair, error=rule.error)
        compared.append(ComparedPair(first.task, second.task, win_rates, costs, differences, find_curve))
    return PairedComparison(rule, tuple(compared))


def read_pairs(store: Store | StrPath, where: TaskFilter = ALL_TASKS) -> list[tuple[Evaluation, Evaluation]]:
    """Return pairs of tasks of `store` that have trials and satisfy `where` (see `read_outcomes`).

    Two strategies are paired at each epsilon that both have. If there is none, and one of them was played at one
    epsilon only, it is paired with every epsilon of the other. The epsilons of a single strategy are paired with each
    other.

    Raises `WordplError` for tasks that cannot be compared (see `compare_outcomes`).
    """
    found = read_outcomes(store, where=where)
    lines = curves(found)
    every = itertools.combinations(lines[0].outcomes, 2) if len(lines) == 1 else pairs_of(found)
    pairs = list(itertools.islice(every, MAX_PAIRS + 1))
    _check([(first.task, second.task) for first, second in pairs])
    return pairs


def pairs_of(outcomes: Sequence[Evaluation]) -> Iterator[Pair]:
    """Yield the pairs of different strategies that `read_pairs` returns."""
    lines = [{outcome.task.epsilon: outcome for outcome in curve.outcomes} for curve in curves(outcomes)]
    for line, other in itertools.combinations(lines, 2):
        common = [epsilon for epsilon in line if epsilon in other]
        if common:
            yield from ((line[epsilon], other[epsilon]) for epsilon in common)
        elif 1 in (len(line), len(other)):
            yield from itertools.product(line.values(), other.values())


def have_common_trials(pair: Pair) -> bool:
    """Return whether both of a pair have played a trial."""
    first, second = (outcome.results["trial"] for outcome in pair)
    return bool(np.isin(first, second, assume_unique=True).any())


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
    for first, second in pairs:
        names = f"{first.strategy} and {second.strategy}"
        if first.id == second.id:
            raise WordplError(f"{first.strategy} is compared with itself; give two different strategies")
        for name in SHARED:
            value, other = getattr(first, name), getattr(second, name)
            if value != other:
                hint = f"; --channel {value} takes those of one channel" if name == "channel" else ""
                raise WordplError(
                    f"{names} differ in {name} ({value} and {other}), so they played different games{hint}"
                )


def on_common_trials(first: Evaluation, second: Evaluation) -> Pair:
    """Return both with the trials that both have. Raises `WordplError` if there are none, if they have different
    answers, and for a strategy that lost all its trials by errors."""
    for outcome in (first, second):
        if outcome.errors == outcome.trials > 0:
            raise WordplError(
                f"{outcome.task.strategy} lost all {counted(outcome.trials, 'trial')} by errors, so it cannot be"
                f" compared: {outcome.commonest_reasons[0][0]}"
            )
    trials, *places = np.intersect1d(first.results["trial"], second.results["trial"], True, return_indices=True)
    names = f"{first.task.strategy} and {second.task.strategy}"
    if not len(trials):
        raise WordplError(f"{names} have no trials in common")
    one, other = (
        replace(outcome, results=outcome.results[at]) for outcome, at in zip((first, second), places, strict=True)
    )
    if (differs := one.results["answer"] != other.results["answer"]).any():
        trial = trials[differs.argmax()]
        raise WordplError(f"{names} have different answers in trial {trial}, so they played different games")
    return one, other


# Who is ahead


def find_differences(pairs: Sequence[Pair], rule: ComparisonRule) -> list[tuple[Difference, ...]]:
    """Return the differences of each of `pairs` of evaluations of common trials."""
    n_differences = len(pairs) * len(rule.statistics)
    draws = rule.draws or min(MOST_DRAWS, max(DRAWS, DRAWS_EACH * n_differences))
    estimates = [_estimates(pair, rule, n_differences, draws) for pair in pairs]
    # Each direction is a hypothesis of its own, so that none is wrong.
    corrected = iter(holm([p for found in estimates for strict, _ in found for p in strict.p_values]))
    return [
        tuple(
            _difference(name, pair, both, (next(corrected), next(corrected)), rule)
            for name, both in zip(rule.statistics, found, strict=True)
        )
        for pair, found in zip(pairs, estimates, strict=True)
    ]


def _estimates(pair: Pair, rule: ComparisonRule, n_differences: int, draws: int) -> list[tuple[Estimate, Estimate]]:
    """The estimates of all statistics of a pair, each twice: with an interval for all differences together, which
    decides, and with one for itself, which is shown."""
    first, second = pair
    find = {POSTERIOR_WIN_RATE: partial(mean_difference, first.results["chance"] - second.results["chance"])}
    if quantiles := {name: q for name, q in QUANTILES.items() if name in rule.statistics}:
        seed = stream(int(first.task.seed), "comparison")
        drawn = resampled_percentiles(first.scores, second.scores, [*quantiles.values()], draws, seed)
        for (name, q), *both in zip(quantiles.items(), drawn[0].T, drawn[1].T, strict=True):
            find[name] = partial(percentile_difference, first.percentile(q), second.percentile(q), both)
    return [(find[name](rule.error / n_differences), find[name](rule.error)) for name in rule.statistics]


def _difference(
    name: str,
    pair: Pair,
    estimates: tuple[Estimate, Estimate],
    corrected: tuple[float, float],
    rule: ComparisonRule,
) -> Difference:
    """The difference in a statistic, with who is ahead, from its two estimates and its corrected p-values."""
    strict, shown = estimates
    first, second = (getattr(outcome, name) for outcome in pair)
    unit = 1.0 if name == POSTERIOR_WIN_RATE else min(first, second)
    verdict: Verdict = "undecided"
    if min(corrected) <= rule.error:
        verdict = "first" if corrected[0] <= corrected[1] else "second"
    elif strict.both_infinite:
        verdict = "neither"
    elif math.isfinite(unit) and max(map(abs, strict.interval)) <= rule.margin * unit:
        verdict = "level"
    p_value = min(1.0, 2.0 * min(strict.p_values))
    return Difference(name, first, second, shown.difference, shown.interval, p_value, min(corrected), verdict)


def curve_budgets(pair: tuple[Evaluation, Evaluation], most: int = CURVE_POINTS) -> Floats:
    """Return budgets at which to compare win rates: at most `most`, evenly spread over what games cost, in order."""
    spent = np.sort(np.concatenate([one.costs for one in pair]))
    spent = spent[np.isfinite(spent)]
    if len(np.unique(spent)) > most:
        spent = spent[np.linspace(0, len(spent) - 1, most).round().astype(int)]
    return np.unique(spent)


def win_rate_band(pair: tuple[Evaluation, Evaluation], *, error: float) -> list[DifferenceWithin]:
    """Return the difference of the win rates of a pair on common trials within each of its `curve_budgets`, with a band
    that holds them all at once: intervals of `mean_difference`, the error divided among the budgets."""
    budgets = curve_budgets(pair)
    curve: list[DifferenceWithin] = []
    for budget in budgets.tolist():
        first, second = (np.where(one.costs <= budget, one.results["chance"], 0.0) for one in pair)
        found = mean_difference(first - second, error / len(budgets))
        curve.append({"budget": budget, "difference": found.difference or 0.0, "interval": found.interval})
    return curve
