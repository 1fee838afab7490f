"""The statistics of tasks, and the curves on which they lie: one for a strategy over epsilons, all else the same."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from wordpl.base.checks import several
from wordpl.base.defaults import CONFIDENCE, PERCENTILES
from wordpl.base.displays import finite
from wordpl.base.json_types import Doc, InfAsNull, InJson, OpenInterval
from wordpl.play.formats import CONTEST
from wordpl.simulation.evaluation import Evaluation, Evaluations
from wordpl.simulation.known_budgets import BOUND, known_budgets
from wordpl.simulation.statistics import win_interval
from wordpl.simulation.store import Store, Stores
from wordpl.simulation.tasks import ALL_TASKS, SHARED, TaskFilter, TaskRow, distinct_labels
from wordpl.simulation.trials import COLUMNS

TERMS = {"words": "", "rule": "", "channel": "", "format": "", "seed": "seed "}
"""The properties that tasks can have in common. In a text, the value follows the given words."""


@dataclass(frozen=True)
class Crossing:
    """The smallest budget with which a strategy wins a share of its games."""

    win_rate: Annotated[float, Doc("The win rate to reach: 0.05, 0.5 or 0.95.")]
    place: Annotated[
        Literal["below", "inside", "above", "under_bound", "percentile"],
        Doc(
            "Where among the budgets it is reached: between two, at or below the first, or not at all. `under_bound`:"
            " the win rates put it under the bound of all strategies, so there is no estimate. `percentile`: the games"
            " of an epsilon differ in budget, so this is the smallest percentile of the scores over the epsilons."
        ),
    ]
    # For `below` the smallest that was played, for `above` infinity, for `under_bound` NaN.
    budget: Annotated[
        InfAsNull, Doc("The smallest budget; null for `above`, `under_bound`, and a percentile that is not reached.")
    ]
    # 0 or infinity where the grid does not tell.
    interval: Annotated[
        tuple[float, float],
        InJson(lambda ends: tuple(map(finite, ends)), OpenInterval),
        Doc("Its interval, from budgets that were played."),
    ]


@dataclass(frozen=True)
class BudgetCurve:
    """The outcomes of one strategy over epsilons; words, rule, channel, seed, code and engine are the same in all."""

    label: str
    """A name that says how it differs from the curves that were made together with it."""
    outcomes: tuple[Evaluation, ...]
    """In order of epsilon; without noise, epsilon is infinite and comes last."""

    @property
    def is_wordle(self) -> bool:
        """True if the number of guesses counts, as in games of Wordle, and not the budget."""
        return self.outcomes[0].format.is_wordle

    @property
    def noisy(self) -> tuple[Evaluation, ...]:
        """The outcomes with a finite epsilon."""
        return tuple(o for o in self.outcomes if o.task.epsilon is not None and math.isfinite(o.task.epsilon))

    @property
    def largest_budget(self) -> float:
        """The largest mean budget that was played with noise."""
        return max(outcome.mean_budget for outcome in self.noisy)

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """The smallest budgets that win 5, 50 and 95% of games; empty if fewer than two epsilons were played, as in
        games of Wordle, where the channel has the epsilon.

        If all games of an epsilon spend the same, they are interpolated between the budgets, by the posterior win rates
        (`find_crossing`); one under the bound of all strategies is no estimate. If games differ in budget, they are the
        smallest percentiles of the scores over the epsilons, with the interval of that percentile."""
        if len(self.noisy) < 2:
            return ()
        if not all(outcome.budget_is_fixed for outcome in self.noisy):
            # Of epsilons with the same percentile, as where none reaches it, the one whose interval begins lowest.
            best = [(q, *min((o.percentile(q), o.percentile_interval(q)) for o in self.noisy)) for q in PERCENTILES]
            return tuple(Crossing(q, "percentile", value, ends) for q, value, ends in best)
        budgets, at = np.unique([outcome.results["budget"][0] for outcome in self.noisy], return_inverse=True)
        sums = [(o.wins, o.trials, o.posterior_win_rate * o.trials) for o in self.noisy]
        wins, trials, chances = (np.bincount(at, values) for values in zip(*sums, strict=True))
        confidence = self.outcomes[0].confidence
        bounds = known_budgets(outcome.task for outcome in self.noisy).get(BOUND, {})
        found = [find_crossing(budgets, wins, trials, chances / trials, q, confidence) for q in PERCENTILES]
        return tuple(
            replace(crossing, place="under_bound", budget=math.nan)
            if crossing.budget < bounds.get(crossing.win_rate, 0.0)
            else crossing
            for crossing in found
        )


def read_outcomes(
    store: Stores,
    where: TaskFilter = ALL_TASKS,
    confidence: float = CONFIDENCE,
    columns: Sequence[str] = COLUMNS,
) -> Evaluations:
    """Return the outcomes of those tasks of `store`, a results file or its path, that have trials and meet `where`.

    Several files are read as if they had been merged by `Store.merge`, but none is written to. Raises `WordplError` if
    two of them disagree about a trial. `confidence` is that of all intervals, `columns` are those of `Store.stored`.
    The `frame` of the result is a table of the statistics.
    """
    with Store.united(store) as whole:
        return whole.evaluations(where, confidence, columns)


def curves(outcomes: Sequence[Evaluation]) -> list[BudgetCurve]:
    """Return the curves that `outcomes` form, in the order of their first outcomes.

    Outcomes are on one curve if they differ only in epsilon. If two outcomes differ in something that is not in a
    results file, such as the words of a list, each has its own curve. An outcome that is given twice counts once.
    """
    groups: dict[tuple[object, ...], list[Evaluation]] = defaultdict(list)
    for outcome in {outcome.task.id: outcome for outcome in several("outcomes", outcomes)}.values():
        groups[tuple(getattr(outcome.task, name) for name in ("curve", "code", *SHARED))].append(outcome)
    split: list[list[Evaluation]] = []
    for group in groups.values():
        clash = len({outcome.task.epsilon for outcome in group}) < len(group)
        split += [[outcome] for outcome in group] if clash else [group]
    ordered = [sorted(group, key=lambda o: math.inf if o.task.epsilon is None else o.task.epsilon) for group in split]
    tasks = [group[0].task for group in ordered]
    labels = [task.curve for task in tasks]
    for field, before in TERMS.items():
        values = [getattr(task, field) for task in tasks]
        if len(set(values)) > 1:
            labels = [f"{label}, {before}{value}" for label, value in zip(labels, values, strict=True)]
    labels = distinct_labels(labels, tasks)
    return [BudgetCurve(label, tuple(group)) for label, group in zip(labels, ordered, strict=True)]


def turn_shares(outcome: Evaluation, turns: Iterable[int]) -> list[tuple[float, tuple[float, float]]]:
    """Return the share of games that were won on each of `turns`, and last that of lost games, with intervals."""
    won, n = outcome.turns, outcome.trials
    counts = [*(won.get(turn, 0) for turn in turns), n - outcome.wins]
    return [(count / n, win_interval(count, n, outcome.confidence)) for count in counts]


def shared_terms(tasks: Sequence[TaskRow]) -> str:
    """Return what all tasks have in common, for a title: words, rule, channel, format but for the contest's, seed and
    trials."""
    terms = []
    for field, before in TERMS.items():
        values = {getattr(task, field) for task in tasks}
        if len(values) == 1 and (field, values) != ("format", {str(CONTEST)}):
            terms.append(f"{before}{values.pop()}")
    trials = [task.trials for task in tasks]
    few, many = min(trials), max(trials)
    return ", ".join([*terms, f"{many:,} trial{'s' * (many > 1)}" if few == many else f"{few:,} to {many:,} trials"])


# The smallest budget at which a strategy reaches a win rate, from trials at a grid of budgets. The only assumption is
# that the win rate does not fall as the budget grows.
#
# The estimate makes the win rates monotone (isotonic regression: Ayer et al. 1955) and interpolates between the two
# points around the wanted win rate, linearly in arcsin(sqrt(rate)), where the noise of a share is about the same
# everywhere (Anscombe 1948).
#
# The ends of the interval are points of the grid, since nothing is known of the curve between two points. From the
# smallest budget upwards, each point is tested for a win rate below the wanted one, until a test does not reject; the
# same is done from the largest budget downwards. Such a sequence needs no correction for its length (Maurer,
# Hothorn and Lehmacher 1995). Each test is exact (Clopper and Pearson 1934), uses wins alone and has half of the error.
# An estimate from posterior win rates may lie outside; then the interval is widened to the points around it. That the
# number of trials may depend on their results (`until_width`) is not taken into account.


def find_crossing(
    budgets: ArrayLike,
    wins: ArrayLike,
    trials: ArrayLike,
    rates: ArrayLike,
    win_rate: float,
    confidence: float = CONFIDENCE,
) -> Crossing:
    """Return the smallest budget at which `win_rate`, between 0 and 1, is reached on a grid of budgets.

    budgets: array [n], each smaller than the next.
    wins, trials: arrays [n], the number of games won and played at each.
    rates: array [n], 0 to 1, the posterior win rates.
    win_rate: the share of games to win.
    confidence: that of the interval, between 0 and 1."""
    at, won, played, shares = (np.asarray(values, np.float64) for values in (budgets, wins, trials, rates))
    ends = [win_interval(int(w), int(n), confidence, "exact") for w, n in zip(won, played, strict=True)]
    first = next((k for k, (_, high) in enumerate(ends) if high >= win_rate), len(at))
    last = next((k for k in range(len(at), 0, -1) if ends[k - 1][0] < win_rate), 0)
    # It lies past point first - 1, and not past point last.
    lower = float(at[first - 1]) if first > 0 else 0.0
    upper = float(at[last]) if last < len(at) else math.inf
    curve = shares
    if np.any(np.diff(shares) < 0.0):
        from scipy.optimize import isotonic_regression  # it takes longer to load than the rest of the table

        curve = isotonic_regression(shares, weights=played).x
    after = int(np.searchsorted(curve, win_rate, side="left"))
    if after == 0:
        return Crossing(win_rate, "below", float(at[0]), (0.0, upper))
    if after == len(curve):
        return Crossing(win_rate, "above", math.inf, (lower, math.inf))
    low, high, wanted = (math.asin(math.sqrt(p)) for p in (curve[after - 1], curve[after], win_rate))
    below, above = float(at[after - 1]), float(at[after])
    budget = below + (wanted - low) / (high - low) * (above - below)
    return Crossing(win_rate, "inside", budget, (min(lower, below), max(upper, above)))
