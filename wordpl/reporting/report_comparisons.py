"""The comparisons of a report: pairs of strategies on common trials, as `wordpl compare` compares them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from wordpl.reporting.comparison_tables import cells_of, epsilons_of, strategy_names
from wordpl.reporting.markup import Group, Html, Part, given, join, shown, table, with_interval
from wordpl.simulation.comparison import FIGURES, WIN_RATE, ComparisonRule, Difference, PairedComparison
from wordpl.simulation.outcomes import Outcome
from wordpl.simulation.pairing import SHARED, compare_outcomes
from wordpl.simulation.store import Store
from wordpl.text.displays import counted

MOST_PAIRS = 50
"""Pairs of one setting that are compared, at most: those in which both win most often."""
MOST_TRIALS, MOST_TRIALS_OF_ALL = 2_000_000, 20_500
"""Trials of all pairs together, at most, if win rates are compared; and if percentiles are, too, which takes longer."""

Pair = tuple[Outcome, Outcome]


def comparison_parts(store: Store, found: Sequence[Outcome]) -> list[Part]:
    """Return the section with the comparisons within each setting; none if there is nothing to compare."""
    settings: dict[tuple[object, ...], list[Outcome]] = defaultdict(list)
    for outcome in found:
        if outcome.figures.errors < outcome.figures.trials:
            settings[tuple(getattr(outcome.task, name) for name in SHARED)].append(outcome)
    room, left_out = MOST_TRIALS, 0
    made: list[PairedComparison] = []
    for outcomes in settings.values():
        pairs = _pairs(outcomes)
        chosen, room = _best(store, pairs, room)
        left_out += len(pairs) - len(chosen)
        if chosen:
            everything = sum(map(_common, chosen)) <= MOST_TRIALS_OF_ALL
            made.append(compare_outcomes(chosen, ComparisonRule(FIGURES if everything else (WIN_RATE,))))
    if not made and not left_out:
        return []
    notes = [_NOTE, *dict.fromkeys(_corrected(one) for one in made)] if made else []
    if left_out:
        notes.append(f"{counted(left_out, 'more pair')} can be compared: wordpl compare --results FILE does it.")
    return [Part("comparisons", "Comparisons", join(map(_table, made)), " ".join(notes))]


_NOTE = (
    "Pairs on common trials: the same answers and the same noise. Win rates are by posterior, where more is better, and"
    " of percentiles less. Wins are those that were counted; they decide nothing, and their p stands by itself."
)


def _corrected(found: PairedComparison) -> str:
    rule = found.rule
    return (
        f"Each interval holds its difference with probability {rule.confidence:.0%}. p is corrected for"
        f" {counted(found.differences, 'difference')}, so that the chance that any strategy is wrongly said to be ahead"
        f" is at most {rule.error:.0%}."
    )


def _pairs(outcomes: Sequence[Outcome]) -> list[Pair]:
    """The pairs of different strategies at the same epsilon, or at any if there is none; the best first."""
    different = [
        (one, other)
        for one, other in itertools.combinations(outcomes, 2)
        if (one.name, one.task.code) != (other.name, other.task.code)
    ]
    found = [(one, other) for one, other in different if one.task.epsilon == other.task.epsilon] or different
    rates = {outcome.task.id: outcome.figures.expected_win_rate for outcome in outcomes}
    return sorted(found, key=lambda pair: -min(rates[outcome.task.id] for outcome in pair))


def _common(pair: Pair) -> int:
    """How many trials both have."""
    one, other = (outcome.figures.results["trial"] for outcome in pair)
    return len(np.intersect1d(one, other, assume_unique=True))


def _best(store: Store, pairs: Sequence[Pair], room: int) -> tuple[list[Pair], int]:
    """The first pairs for whose trials there is room, at most `MOST_PAIRS`, and the room that they leave."""
    chosen: list[Pair] = []
    for pair in pairs:
        common = _common(pair)
        if len(chosen) == MOST_PAIRS or common > room:
            break
        if common and store.differing_answer(pair[0].task.id, pair[1].task.id) is None:
            chosen.append(pair)
            room -= common
    return chosen, room


def _table(comparison: PairedComparison) -> Html:
    names = strategy_names(comparison)
    groups: list[Group] = []
    for pair in comparison.pairs:
        first, second = (shown(names[task.id]) for task in (pair.first, pair.second))
        whole = all(names[task.id] == task.strategy for task in (pair.first, pair.second))
        at = "" if whole else f", epsilon {' and '.join(epsilons_of(pair))}"
        rows = [_row(one, {"first": first, "second": second}) for one in pair.differences]
        groups.append((f"{first} and {second}{at}: {pair.trials:,} games", rows))
    task = comparison.tasks[0]
    terms = ", ".join(shown(str(getattr(task, name))) for name in SHARED[:4])
    columns = ["figure", "first", "second", "difference", "p", "ahead"]
    return table(f"Differences, {terms}, seed {shown(task.seed)}", columns, groups, ["ahead"])


def _row(one: Difference, names: dict[str, str]) -> list[str]:
    """A figure of both, the difference with its interval, and who is ahead."""
    first, second, difference, ends, p = cells_of(one)
    figure = "win rate" if one.figure == WIN_RATE else one.figure
    return [figure, first, second, with_interval(difference, ends), p, given(names.get(one.verdict, one.verdict))]
