"""The statistics of tasks, and the curves on which they lie: one for a strategy over epsilons, all else the same."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from wordpl.base.checks import instance, several
from wordpl.base.displays import finite
from wordpl.base.json_types import Doc, InfAsNull, InJson, OpenInterval
from wordpl.play.formats import CONTEST
from wordpl.simulation.evaluation import Evaluation, Evaluations
from wordpl.simulation.selection import ALL_TASKS, TaskFilter
from wordpl.simulation.statistics import CONFIDENCE, PERCENTILES, win_interval
from wordpl.simulation.store import Store
from wordpl.simulation.tasks import CODE_SHOWN, TaskRow

TERMS = {"words": "", "rule": "", "channel": "", "format": "", "seed": "seed "}
"""The properties that tasks can have in common. In a text, the value follows the given words."""

Place: TypeAlias = Literal["below", "inside", "above", "under_bound"]


@dataclass(frozen=True)
class Crossing:
    """The smallest budget at which a strategy reaches a win rate."""

    win_rate: Annotated[float, Doc("The win rate to reach: 0.05, 0.5 or 0.95.")]
    place: Annotated[
        Place,
        Doc(
            "Where on the grid it is reached: between two points, at or below the first, or not at all. `under_bound`:"
            " the win rates put it under the bound of all strategies, so there is no estimate."
        ),
    ]
    # For `below` the smallest of the grid, for `above` infinity, for `under_bound` NaN.
    budget: Annotated[InfAsNull, Doc("The smallest budget; null for `above` and `under_bound`.")]
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

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """The budgets for win rates of 5, 50 and 95%, by the posterior win rates (`find_crossing`); empty if fewer than
        two epsilons were played."""
        if len(self.noisy) < 2:
            return ()
        points = ((o.mean_budget, o.wins, o.trials, o.posterior_win_rate) for o in self.noisy)
        budgets, wins, trials, rates = zip(*points, strict=True)
        confidence = self.outcomes[0].confidence
        return tuple(find_crossing(budgets, wins, trials, q, confidence, rates) for q in PERCENTILES)


def read_outcomes(
    store: Store | Sequence[Store], where: TaskFilter = ALL_TASKS, confidence: float = CONFIDENCE
) -> Evaluations:
    """Return the outcomes of those tasks of `store` that have trials and meet `where`.

    Several stores are read as if they had been merged by `Store.merge`, but none is written to. Raises `WordplError` if
    two of them disagree about a trial. `confidence` is that of all intervals. The `frame` of the result is a table of
    the statistics.
    """
    given = [store] if isinstance(store, Store) else several("store", store)
    with Store.united([instance("store", file, Store) for file in given]) as whole:
        return whole.evaluations(where, confidence)


def curves(outcomes: Sequence[Evaluation]) -> list[BudgetCurve]:
    """Return the curves that `outcomes` form, in the order of their first outcomes.

    Outcomes are on one curve if they differ only in epsilon. If two outcomes differ in something that is not in a
    results file, such as the time limit of a game, each has its own curve. An outcome that is given twice counts once.
    """
    groups: dict[tuple[object, ...], list[Evaluation]] = defaultdict(list)
    for outcome in {outcome.task.id: outcome for outcome in several("outcomes", outcomes)}.values():
        task = outcome.task
        key = (task.curve, task.code, task.words, task.rule, task.channel, task.format, task.seed, task.engine)
        groups[key].append(outcome)
    split: list[list[Evaluation]] = []
    for group in groups.values():
        clash = len({outcome.task.epsilon for outcome in group}) < len(group)
        split += [[outcome] for outcome in group] if clash else [group]
    ordered = [sorted(group, key=lambda o: math.inf if o.task.epsilon is None else o.task.epsilon) for group in split]
    labels = _labels([group[0] for group in ordered])
    return [BudgetCurve(label, tuple(group)) for label, group in zip(labels, ordered, strict=True)]


def _labels(firsts: Sequence[Evaluation]) -> list[str]:
    labels = [first.task.curve for first in firsts]
    for field, before in TERMS.items():
        values = [getattr(first.task, field) for first in firsts]
        if len(set(values)) > 1:
            labels = [f"{label}, {before}{value}" for label, value in zip(labels, values, strict=True)]
    # The code always differs between strategies; it is shown where nothing else tells two curves apart.
    for field, before in (("code", "code "), ("engine", "engine "), ("id", "task ")):
        values = [str(getattr(first.task, field)) for first in firsts]
        alike: dict[str, set[str]] = defaultdict(set)
        for label, value in zip(labels, values, strict=True):
            alike[label].add(value)
        labels = [
            f"{label}, {before}{value[:CODE_SHOWN]}" if len(alike[label]) > 1 else label
            for label, value in zip(labels, values, strict=True)
        ]
    return labels


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


# The smallest budget at which a strategy reaches a win rate, from trials at a grid of epsilons. The only assumption is
# that the win rate does not fall as epsilon grows.
#
# The estimate makes the win rates monotone (isotonic regression: Ayer et al. 1955) and interpolates between the two
# points around the wanted win rate, linearly in arcsin(sqrt(rate)), where the noise of a share is about the same
# everywhere (Anscombe 1948).
#
# The ends of the interval are points of the grid, since nothing is known of the curve between two points. From the
# smallest epsilon upwards, each point is tested for a win rate below the wanted one, until a test does not reject; the
# same is done from the largest epsilon downwards. Such a sequence needs no correction for its length (Maurer,
# Hothorn and Lehmacher 1995). Each test is exact (Clopper and Pearson 1934), uses wins alone and has half of the error.
# An estimate from posterior win rates may lie outside; then the interval is widened to the points around it. That the
# number of trials may depend on their results (`until_width`) is not taken into account.


def find_crossing(
    budgets: ArrayLike,
    wins: ArrayLike,
    trials: ArrayLike,
    win_rate: float,
    confidence: float = CONFIDENCE,
    rates: ArrayLike | None = None,
) -> Crossing:
    """Return the smallest budget at which `win_rate`, between 0 and 1, is reached on a grid of budgets.

    `budgets`, `wins` and `trials` are arrays [n] in order of epsilon. `rates` [n], 0 to 1, are the posterior win rates;
    if you give them, the estimate uses them. `confidence`, between 0 and 1, is that of the interval."""
    at, won, played = (np.asarray(values, np.float64) for values in (budgets, wins, trials))
    ends = [win_interval(int(w), int(n), confidence, "exact") for w, n in zip(won, played, strict=True)]
    first = next((k for k, (_, high) in enumerate(ends) if high >= win_rate), len(at))
    last = next((k for k in range(len(at), 0, -1) if ends[k - 1][0] < win_rate), 0)
    # It lies past point first - 1, and not past point last. Budgets that fall while epsilon grows are odd, but allowed.
    between = at[max(first - 1, 0) : last + 1]
    lower = float(between.min()) if first > 0 else 0.0
    upper = float(between.max()) if last < len(at) else math.inf
    shares = won / played if rates is None else np.asarray(rates, np.float64)
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
    around = at[after - 1 : after + 1]
    budget = float(around[0] + (wanted - low) / (high - low) * (around[1] - around[0]))
    widened = min(lower, float(around.min())), max(upper, float(around.max()))
    return Crossing(win_rate, "inside", budget, widened)
