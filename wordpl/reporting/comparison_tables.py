"""The table of a comparison: a row for each difference, who is ahead, and how sure that is."""

from __future__ import annotations

import itertools
import math
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from wordpl.displays import counted
from wordpl.reporting.layout import Column
from wordpl.reporting.outcome_tables import task_record
from wordpl.reporting.tables import number, print_table, print_text
from wordpl.simulation.comparison import WIN_RATE, ComparedPair, Difference, PairedComparison
from wordpl.simulation.evaluation import finite

_CODE_SHOWN = 8
_SHARED = (("words", "{}"), ("rule", "{}"), ("channel", "{}"), ("format", "{}"), ("seed", "seed {}"))
COLUMNS = (
    Column("", kind="text"),
    Column("epsilon", full_name="epsilon"),
    Column("trials", 5),
    Column("figure", kind="text"),
    Column("first/second", 4),
    Column("difference"),
    Column("interval", 2),
    Column("p", 3),
    Column("ahead", kind="text"),
)


def strategy_names(comparison: PairedComparison) -> dict[str, str]:
    """Return what to call the strategy of each task, by task: its spec, without the epsilon where that varies.

    A strategy that was run at several epsilons has one name, unless two of its runs are compared with each other.
    """
    tasks = comparison.tasks
    families = {task.id: task.strategy if "epsilon=(" in task.strategy else task.family for task in tasks}
    runs = Counter(families.values())
    epsilons = Counter((families[task.id], task.epsilon) for task in tasks)
    against = {
        families[pair.first.id] for pair in comparison.pairs if families[pair.first.id] == families[pair.second.id]
    }
    names = {}
    for task in tasks:
        name = families[task.id]
        one_curve = runs[name] > 1 and name not in against and epsilons[name, task.epsilon] == 1
        names[task.id] = name if one_curve else task.strategy
    alike = Counter((names[task.id], task.epsilon) for task in tasks)
    return {
        task.id: f"{names[task.id]}, code {task.code[:_CODE_SHOWN] or 'of old'}"
        if alike[names[task.id], task.epsilon] > 1
        else names[task.id]
        for task in tasks
    }


def letters() -> Iterator[str]:
    """A, B, ..., Z, AA, AB, ..."""
    for length in itertools.count(1):
        yield from map("".join, itertools.product(string.ascii_uppercase, repeat=length))


def print_comparison(comparison: PairedComparison, notes: Sequence[str] = ()) -> None:
    """Print a row for each difference: the figures of both, the difference with its interval, and who is ahead."""
    names = strategy_names(comparison)
    by_name = dict(zip(dict.fromkeys(names.values()), letters(), strict=False))
    called = {task: by_name[name] for task, name in names.items()}
    rows = []
    for pair in comparison.pairs:
        head = [f"{called[pair.first.id]}-{called[pair.second.id]}", _epsilons(pair), f"{pair.trials}"]
        for one in pair.differences:
            rows.append([*head, *_cells(one), _ahead(one, called[pair.first.id], called[pair.second.id])])
            if one.figure == WIN_RATE:
                rows.append([*head, *_wins(pair), ""])
    columns = list(COLUMNS)
    fixed = {task.id for task in comparison.tasks if names[task.id] == task.strategy}
    dropped = [1] if len(fixed) == len(comparison.tasks) else []
    trials = {pair.trials for pair in comparison.pairs}
    dropped += [2] if len(trials) == 1 else []
    for at in reversed(dropped):
        del columns[at]
        rows = [[*row[:at], *row[at + 1 :]] for row in rows]
    for name, letter in by_name.items():
        print_text(f"{letter} is {name}", spec=True)
    print_table(
        f"Differences on common trials: {comparison_terms(comparison)}", columns, rows, [*_notes(comparison), *notes]
    )


def comparison_terms(comparison: PairedComparison) -> str:
    """What all tasks have in common."""
    said = []
    for field, shown in _SHARED:
        values = {getattr(task, field) for task in comparison.tasks}
        said += [shown.format(*values)] if len(values) == 1 else []
    trials = [pair.trials for pair in comparison.pairs]
    few, many = min(trials), max(trials)
    return ", ".join([*said, f"{many:,} trials" if few == many else f"{few:,} to {many:,} trials"])


def _notes(comparison: PairedComparison) -> list[str]:
    rule = comparison.rule
    looks = " at every look" if rule.until_settled else ""
    said = [
        f"Each interval holds its difference with probability {100 * rule.confidence:g}%{looks}.",
        f"p is corrected for {counted(comparison.differences, 'difference')}: the chance that any strategy is wrongly"
        f" said to be ahead is at most {100 * rule.error:g}%.",
    ]
    if WIN_RATE in rule.figures:
        said.append(
            "Win rates are by posterior, where more is better. Wins decide nothing, and their p stands by itself."
        )
    if rule.figures != (WIN_RATE,):
        said.append("Of percentiles, less is better.")
    verdicts = {one.verdict for pair in comparison.pairs for one in pair.differences}
    if "level" in verdicts:
        said.append(f"level: surely within {rule.margin:g}, of percentiles within {100 * rule.margin:g}%.")
    if "neither" in verdicts:
        said.append("neither: surely neither reaches it.")
    return said


def _epsilons(pair: ComparedPair) -> str:
    shown = ["" if task.epsilon is None else number(task.epsilon, 6) for task in (pair.first, pair.second)]
    return shown[0] if shown[0] == shown[1] else " / ".join(one or "none" for one in shown)


def _ahead(one: Difference, first: str, second: str) -> str:
    return {"first": first, "second": second}.get(one.verdict, one.verdict)


def _cells(one: Difference) -> list[str]:
    shown = signed_estimate(one.difference, one.interval)
    values = [f"{value:.4f}" if one.figure == WIN_RATE else number(value) for value in (one.first, one.second)]
    return [one.figure, "/".join(values), *shown, p_shown(one.corrected)]


def _wins(pair: ComparedPair) -> list[str]:
    wins = pair.wins
    shown = signed_estimate(wins.difference, wins.interval)
    return ["wins", f"{wins.first}/{wins.second}", *shown, p_shown(wins.p_value)]


def p_shown(value: float) -> str:
    """A p-value for a cell."""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def signed(value: float, places: int) -> str:
    """A difference with its sign."""
    if math.isinf(value):
        return "+∞" if value > 0 else "-∞"
    return f"{value:+.{places}f}" if value else "0"


def signed_estimate(value: float | None, ends: tuple[float, float]) -> tuple[str, str]:
    """A difference and its interval, in as many digits as the interval leaves meaning; "none" for None."""
    if value is None:
        return "none", ""
    width = ends[1] - ends[0] if all(map(math.isfinite, ends)) else 0.0
    if width <= 0.0:
        width = max((abs(one) for one in (value, *ends) if math.isfinite(one) and one), default=1.0)
    places = max(0, 1 - math.floor(math.log10(width)))
    return signed(value, places), f"[{signed(ends[0], places)}, {signed(ends[1], places)}]"


def comparison_record(comparison: PairedComparison) -> dict[str, Any]:
    """A comparison as plain JSON values.

    A percentile that is not reached is None. A difference between one that is and one that is not is the text `inf` or
    `-inf`; one between two that are not is None.
    """
    rule = comparison.rule
    return {
        "figures": list(rule.figures),
        "margin": rule.margin,
        "error": rule.error,
        "until_settled": rule.until_settled,
        "settled": comparison.settled,
        "corrected_for": comparison.differences,
        "pairs": [_pair_record(pair) for pair in comparison.pairs],
    }


def _pair_record(pair: ComparedPair) -> dict[str, Any]:
    wins, curve = pair.wins, pair.curve
    return {
        "first": task_record(pair.first),
        "second": task_record(pair.second),
        "trials": pair.trials,
        "settled": pair.settled,
        "differences": [
            {
                "figure": one.figure,
                "first": finite(one.first),
                "second": finite(one.second),
                "difference": _infinite(one.difference),
                "interval": [_infinite(end) for end in one.interval],
                "p_value": one.p_value,
                "corrected_p_value": one.corrected,
                "verdict": one.verdict,
            }
            for one in pair.differences
        ],
        "wins": {
            "first": wins.first,
            "second": wins.second,
            "only_first": wins.only_first,
            "only_second": wins.only_second,
            "difference": wins.difference,
            "interval": list(wins.interval),
            "p_value": wins.p_value,
        },
        "curve": [
            {"budget": budget, "difference": difference, "interval": [low, high]}
            for budget, difference, low, high in zip(
                *(column.tolist() for column in (curve.budgets, curve.differences, curve.low, curve.high)), strict=True
            )
        ],
    }


def _infinite(value: float | None) -> float | str | None:
    return ("inf" if value > 0 else "-inf") if value is not None and math.isinf(value) else value
