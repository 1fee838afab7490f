"""The figures of tasks, and the curves on which they lie: one for a strategy over epsilons, all else the same."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from wordpl.play.formats import CONTEST, GameFormat
from wordpl.simulation.crossings import Crossing, find_crossing
from wordpl.simulation.evaluation import Evaluation, StoredTrials, TrialFigures, told
from wordpl.simulation.selection import Where, parse_where, select
from wordpl.simulation.statistics import PERCENTILES, win_interval
from wordpl.simulation.store import Store, united_rows
from wordpl.simulation.tasks import STORED_COLUMNS, TaskRow, read_rows, task_row
from wordpl.text.displays import cut, line_of

_CODE_SHOWN = 8


@dataclass(frozen=True)
class Outcome:
    """The trials of one task, at least one, with its description."""

    task: TaskRow
    figures: TrialFigures

    @property
    def name(self) -> str:
        """What a curve is of: the strategy without its epsilon, unless that is a schedule."""
        return self.task.curve

    @cached_property
    def budget(self) -> float:
        """Mean budget of a game; infinite in the format of Wordle without noise."""
        return self.figures.mean_budget

    @cached_property
    def budget_is_fixed(self) -> bool:
        """Whether every game spent the same budget."""
        budgets = self.figures.results["budget"]
        return bool(np.ptp(budgets) <= 1e-9 * budgets.max()) if math.isfinite(budgets.max()) else False

    def __repr__(self) -> str:
        return line_of(self, f"{cut(self.task.strategy)}: {told(self.figures)}")


@dataclass(frozen=True)
class BudgetCurve:
    """The outcomes of one strategy over epsilons; words, rule, channel, seed, code and engine are the same in all."""

    label: str
    """Tells it from the other curves that it was made with, by what differs between them."""
    outcomes: tuple[Outcome, ...]
    """In order of epsilon; without noise, epsilon is infinite and comes last."""

    @property
    def noisy(self) -> tuple[Outcome, ...]:
        """The outcomes with a finite epsilon."""
        return tuple(o for o in self.outcomes if o.task.epsilon is not None and math.isfinite(o.task.epsilon))

    def crossing(self, win_rate: float, confidence: float = 0.95) -> Crossing:
        """The smallest budget at which the strategy reaches `win_rate` (see `find_crossing`), by its noisy outcomes.

        The estimate goes by their win rates by posterior.
        """
        noisy = self.noisy
        return find_crossing(
            [outcome.budget for outcome in noisy],
            [outcome.figures.wins for outcome in noisy],
            [outcome.figures.trials for outcome in noisy],
            win_rate,
            confidence,
            [outcome.figures.expected_win_rate for outcome in noisy],
        )

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """The budgets for win rates of 5, 50 and 95%; none where less than two epsilons were run."""
        return tuple(self.crossing(q) for q in PERCENTILES) if len(self.noisy) > 1 else ()


def read_outcomes(store: Store | Sequence[Store], match: str = "", where: Where = ()) -> list[Outcome]:
    """Return the outcomes of those tasks that have trials, whose strategy or words contain `match`, and that meet
    `where`, such as `family=Greedy* and epsilon>=5` (see `wordpl.simulation.selection`).

    Several stores are read as what `Store.merge` would make of them, and nothing is written. Raises `WordplError` if
    two of them disagree about a trial, and for conditions that are none.
    """
    parse_where(where)  # before the work
    if isinstance(store, Store):
        return [Outcome(task, store.stored(task.id)) for task in store.tasks(match, where) if task.trials]
    holders: dict[str, list[tuple[TaskRow, Store]]] = defaultdict(list)
    for one in {one.path.resolve(): one for one in store}.values():
        for task in one.tasks(match):
            if task.trials:
                holders[task.id].append((task, one))
    rows, united = [], {}
    for held in holders.values():
        task = held[0][0]
        if len(held) > 1:
            united[task.id] = _union(held)
            task = replace(task, trials=united[task.id].trials)
        rows.append(task)
    rows.sort(key=lambda row: (row.family, row.epsilon is not None, row.epsilon or 0.0, row.strategy, row.code, row.id))
    return [
        Outcome(task, united[task.id] if task.id in united else holders[task.id][0][1].stored(task.id))
        for task in select(rows, where)
    ]


def _union(held: Sequence[tuple[TaskRow, Store]]) -> StoredTrials:
    """The trials of a task that is in several stores, each trial once. It is an error if two disagree about one."""
    most = sum(row.trials for row, _ in held)
    rows = islice(united_rows([store for _, store in held], held[0][0], STORED_COLUMNS), most)
    results, reasons, _ = read_rows(rows, most, STORED_COLUMNS)
    return StoredTrials(results, reasons, GameFormat.parse(held[0][0].format))


def evaluated(evaluations: Iterable[Evaluation]) -> list[Outcome]:
    """Return evaluations as outcomes."""
    return [Outcome(task_row(evaluation.task, evaluation.trials), evaluation) for evaluation in evaluations]


def curves(found: Sequence[Outcome]) -> list[BudgetCurve]:
    """Return the curves on which outcomes lie, in order of their first outcomes.

    Outcomes lie on one curve if they differ in epsilon alone. Two that differ in something that a results file does not
    say, such as the clock of a game, are each a curve of their own. An outcome that is given twice counts once.
    """
    groups: dict[tuple[object, ...], list[Outcome]] = defaultdict(list)
    for outcome in {outcome.task.id: outcome for outcome in found}.values():
        task = outcome.task
        key = (outcome.name, task.code, task.words, task.rule, task.channel, task.format, task.seed, task.engine)
        groups[key].append(outcome)
    split: list[list[Outcome]] = []
    for group in groups.values():
        clash = len({outcome.task.epsilon for outcome in group}) < len(group)
        split += [[outcome] for outcome in group] if clash else [group]
    ordered = [sorted(group, key=lambda o: math.inf if o.task.epsilon is None else o.task.epsilon) for group in split]
    labels = _labels([group[0] for group in ordered])
    return [BudgetCurve(label, tuple(group)) for label, group in zip(labels, ordered, strict=True)]


def _labels(firsts: Sequence[Outcome]) -> list[str]:
    """A label for each curve, by an outcome of each."""
    parts = [[first.name] for first in firsts]
    for field, shown in (("words", ""), ("rule", ""), ("channel", ""), ("format", ""), ("seed", "seed ")):
        values = [getattr(first.task, field) for first in firsts]
        if len(set(values)) > 1:
            for part, value in zip(parts, values, strict=True):
                part.append(f"{shown}{value}")
    # The code always differs between strategies; it is shown where nothing else tells two curves apart.
    for field, shown in (("code", "code "), ("engine", "engine "), ("id", "task ")):
        alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for i, part in enumerate(parts):
            alike[tuple(part)].append(i)
        for group in alike.values():
            values = [getattr(firsts[i].task, field) for i in group]
            if len(set(values)) > 1:
                for i, value in zip(group, values, strict=True):
                    parts[i].append(f"{shown}{str(value)[:_CODE_SHOWN]}")
    return [", ".join(part) for part in parts]


def turn_shares(figures: TrialFigures, turns: Iterable[int]) -> list[tuple[float, tuple[float, float]]]:
    """Return the share of games that were won on each of `turns`, and last that of lost games, with 95% intervals."""
    won, n = figures.turns, figures.trials
    counts = [*(won.get(turn, 0) for turn in turns), n - figures.wins]
    return [(count / n, win_interval(count, n)) for count in counts]


def shared_terms(found: Sequence[Outcome]) -> str:
    """Return what all outcomes have in common, for a title: words, rule, channel, seed and trials."""
    said = []
    for field, shown in (("words", "{}"), ("rule", "{}"), ("channel", "{}"), ("format", "{}"), ("seed", "seed {}")):
        values = {getattr(outcome.task, field) for outcome in found}
        told = len(values) == 1 and not (field == "format" and values == {str(CONTEST)})
        said += [shown.format(*values)] if told else []
    trials = [outcome.figures.trials for outcome in found]
    few, many = min(trials), max(trials)
    said.append(f"{many:,} trials" if few == many else f"{few:,} to {many:,} trials")
    return ", ".join(said)
