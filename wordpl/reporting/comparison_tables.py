"""The table of a comparison: a row for each difference, who is ahead, and how certain that is."""

import itertools
import math
import string
from collections.abc import Iterator
from typing import Annotated, Any, NotRequired, cast

import typer
from typing_extensions import TypedDict

from wordpl.base.defaults import POSTERIOR_WIN_RATE, STATISTICS
from wordpl.base.displays import counted, finite, json_epsilon
from wordpl.base.json_types import Doc, JsonEpsilon, Spec
from wordpl.reporting.layout import TableColumn
from wordpl.reporting.tables import CSV, TABLE, Number, Pair, TableStyle, estimate, number, print_table, print_text
from wordpl.simulation.comparison import OUTCOMES, ComparedPair, Difference, DifferenceWithin, PairedComparison
from wordpl.simulation.outcomes import shared_terms
from wordpl.simulation.statistics_table import TaskRecord, task_record

COLUMNS = (
    TableColumn("", kind="text", full_name="strategies"),
    TableColumn("epsilon", full_name="epsilon"),
    TableColumn("trials", 5),
    TableColumn("statistic", kind="text"),
    TableColumn("first/second", 4),
    TableColumn("difference"),
    TableColumn("interval", 2),
    TableColumn("p", 3),
    TableColumn("ahead", kind="text"),
)


def letters() -> Iterator[str]:
    """A, B, ..., Z, AA, AB, ..."""
    for length in itertools.count(1):
        yield from map("".join, itertools.product(string.ascii_uppercase, repeat=length))


def print_comparison(comparison: PairedComparison, style: TableStyle | None = None) -> None:
    """Print a row for each difference of `comparison`: both values, the difference with its interval, and who is
    ahead. `style` says how the table is printed."""
    style, names = style or TableStyle(), comparison.names
    letter_of = dict(names)
    if style.format == TABLE:
        by_name = dict(zip(dict.fromkeys(names.values()), letters(), strict=False))
        letter_of = {task: by_name[name] for task, name in names.items()}
        for name, letter in by_name.items():
            print_text(f"{letter} is {name}")
    rows = []
    for pair in comparison.pairs:
        first, second = letter_of[pair.first.id], letter_of[pair.second.id]
        both = f"{first}-{second}" if style.format == TABLE else f"{first} less {second}"
        epsilons = epsilons_of(pair)
        head = [both, "" if epsilons == ["none"] else " / ".join(epsilons), f"{pair.trials}"]
        rows += [
            [*head, name, Pair(value, other, "{}/{}"), *cells]
            for name, value, other, *cells in pair_rows(pair, first, second)
        ]
    # What is the same in all rows, or in their names already.
    dropped = {1} if all(names[task.id] == task.strategy for task in comparison.tasks) else set()
    dropped |= {2} if len({pair.trials for pair in comparison.pairs}) == 1 else set()
    indices = [at for at in range(len(COLUMNS)) if at not in dropped]
    title = f"Differences on common trials: {comparison_terms(comparison)}"
    shown = [[row[at] for at in indices] for row in rows]
    print_table(title, [COLUMNS[at] for at in indices], shown, notes_of(comparison), style)


def print_tournament(comparison: PairedComparison, style: TableStyle | None = None) -> None:
    """Print a ranking of each of `comparison.rounds` by each statistic, and below it who beats whom: a matrix with a
    row and a column for each strategy. `style` says how the ranking is printed; CSV has nothing else."""
    style, names, rule = style or TableStyle(), comparison.names, comparison.rule
    rounds = list(itertools.product(rule.statistics, enumerate(comparison.rounds, 1)))
    letter_of: dict[str, str] = {}
    more, rows, matrices = letters(), [], []
    for statistic, (number_of_round, one_round) in rounds:
        name_of = {
            label: names[task] if label == one_round.names[task] else label for task, label in one_round.labels.items()
        }
        matrix, beside = one_round.matrix(statistic), []
        for row in one_round.ranking(statistic).to_dict("records"):
            name = name_of[row["strategy"]]
            if name not in letter_of:  # the same in all rounds
                letter_of[name] = next(more)
            cell = f"{row['value']:.4f}" if statistic == POSTERIOR_WIN_RATE else number(row["value"])
            value = Number(cell, row["value"])
            counts = [f"{row[outcome]}" for outcome in ("ahead", "behind", "level", "undecided")]
            cells = [letter_of[name], row["strategy"], number(row["budget"]), value, *counts]
            rows.append([statistic.replace("_", " "), f"{number_of_round}", f"{row['rank']}", *cells])
            beside.append([letter_of[name], *matrix.loc[row["strategy"]]])
        matrices.append(beside)
    columns = [TableColumn("statistic", kind="text"), TableColumn("round"), TableColumn("rank")]
    columns += [TableColumn("", kind="text", full_name="letter"), TableColumn("strategy", kind="text")]
    columns += [TableColumn("budget", 3), TableColumn(rows[0][0] if len(rule.statistics) == 1 else "value")]
    columns += [TableColumn(outcome, 2) for outcome in OUTCOMES]
    shown = [len(rule.statistics) > 1, len(comparison.rounds) > 1, *[True] * (len(columns) - 2)]
    chosen = [list(itertools.compress(row, shown)) for row in rows]
    close = f"within {rule.margin:g}" if rule.statistics == (POSTERIOR_WIN_RATE,) else f"within {100 * rule.margin:g}%"
    notes = [
        f"W: strategies that it is ahead of; L: that are ahead of it; T: level ({close}); ?: undecided. The rank"
        " follows from W minus L.",
        f"The chance that any strategy is wrongly said to be ahead is at most {100 * rule.error:g}%, in all"
        f" {counted(len(comparison.pairs), 'pair')} together.",
    ]
    title = f"Ranking: {comparison_terms(comparison)}"
    print_table(title, list(itertools.compress(columns, shown)), chosen, notes, style)
    for (statistic, (number_of_round, _)), beside in zip(rounds, matrices, strict=True):
        if style.format != CSV:
            of = [statistic.replace("_", " "), *([f"round {number_of_round}"] if shown[1] else [])]
            heads = [TableColumn(letter) for letter in ("", *(row[0] for row in beside))]
            typer.echo("")
            print_table(f"Who beats whom, by {', '.join(of)}", heads, beside, style=TableStyle(style.format))


def comparison_terms(comparison: PairedComparison) -> str:
    """The terms that all tasks have in common."""
    return shared_terms([task for pair in comparison.pairs for task in (pair.first, pair.second)])


def notes_of(comparison: PairedComparison) -> list[str]:
    """Notes on how sure the differences are, and how they are to be read."""
    rule = comparison.rule
    notes = [
        f"Each interval holds its difference with probability {100 * rule.confidence:g}%.",
        f"p is corrected for {counted(comparison.differences, 'difference')}: the chance that any strategy is wrongly"
        f" said to be ahead is at most {100 * rule.error:g}%.",
    ]
    if POSTERIOR_WIN_RATE in rule.statistics:
        notes.append("A larger posterior win rate is better. The win rate decides nothing, since it is less precise.")
    if all(task.noiseless and not task.format.startswith("wordle") for task in comparison.tasks):
        notes.append("Budgets are infinite without noise; play wordle:6 to compare numbers of guesses.")
    if rule.statistics != (POSTERIOR_WIN_RATE,):
        notes.append("A smaller percentile is better.")
    verdicts = {difference.verdict for pair in comparison.pairs for difference in pair.differences}
    if "level" in verdicts:
        most = f"{rule.margin:g}, or {100 * rule.margin:g}% of a percentile"
        notes.append(f"level: by its interval, the difference is at most {most}.")
    if "neither" in verdicts:
        notes.append("neither: by their intervals, neither strategy reaches this percentile with a finite score.")
    return notes


def epsilons_of(pair: ComparedPair) -> list[str]:
    """The epsilons of a pair; one if both have the same or none has one."""
    texts = ["none" if task.epsilon is None else number(task.epsilon, 6) for task in (pair.first, pair.second)]
    return list(dict.fromkeys(texts))


def pair_rows(pair: ComparedPair, first: str, second: str) -> list[list[str]]:
    """A row for the win rates of a pair, and for each difference: statistic, both values, difference, interval, p and
    who is ahead, by the names of both."""
    rows = [["win rate", *(Number(f"{rate:.4f}", rate) for rate in pair.win_rates), "", "", "", ""]]
    for one in pair.differences:
        values = (
            number(x) if x is None or one.statistic != POSTERIOR_WIN_RATE else Number(f"{x:.4f}", x)
            for x in (one.first, one.second)
        )
        p = one.corrected_p_value
        p_cell = Number("<0.001" if p < 0.001 else f"{p:.3f}", p)
        ahead = {"first": first, "second": second}.get(one.verdict, one.verdict)
        difference = ("none", "") if one.difference is None else estimate(one.difference, one.interval, "+")
        rows.append([one.statistic.replace("_", " "), *values, *difference, p_cell, ahead])
    return rows


class PairRecord(TypedDict):
    """A pair of tasks."""

    first: Annotated[TaskRecord, Doc("One strategy.")]
    second: Annotated[TaskRecord, Doc("The other.")]
    trials: Annotated[int, Doc("Common trials.")]
    win_rates: Annotated[tuple[float, float], Doc("The share of them that each strategy won.")]
    settled: Annotated[bool, Doc("True if no difference of this pair is undecided.")]
    differences: Annotated[list[Difference], Doc("One object for each statistic.")]
    curve: Annotated[list[DifferenceWithin], Doc("The difference of the win rates within some budgets.")]


class RankRecord(TypedDict):
    """The place of a strategy among those that it was compared with."""

    statistic: Annotated[str, Doc("Statistic by which it is ranked.", STATISTICS)]
    round: Annotated[int, Doc("Number of the round, such as one for each epsilon, from 1.")]
    rank: Annotated[int, Doc("From 1; strategies with the same `ahead` minus `behind` share a rank.")]
    strategy: Spec
    epsilon: Annotated[JsonEpsilon | None, Doc("Budget per ask; null if the strategy has no such parameter.")]
    budget: Annotated[JsonEpsilon, Doc("Mean budget of a game; in the format of Wordle, mean number of guesses.")]
    trials: Annotated[int, Doc("Common trials.")]
    value: Annotated[float | None, Doc("The value; null for a percentile that is not reached.")]
    ahead: Annotated[int, Doc("Number of strategies that it is ahead of.")]
    behind: Annotated[int, Doc("Number of strategies that are ahead of it.")]
    level: Annotated[int, Doc("Number that are level, or share a percentile that neither reaches.")]
    undecided: Annotated[int, Doc("For how many there are not enough trials to say.")]


class ComparisonRecord(TypedDict):
    """Differences of pairs of strategies on common trials: the first minus the second.

    A difference between a percentile that is reached and one that is not is the text `inf` or `-inf`.
    """

    statistics: Annotated[list[Annotated[str, Doc("A statistic.", STATISTICS)]], Doc("Statistics that were compared.")]
    margin: Annotated[float, Doc("Up to this difference two strategies are level; of percentiles, as a fraction.")]
    error: Annotated[
        float,
        Doc(
            "The chance that any strategy is wrongly said to be ahead; each interval fails to hold its difference with"
            " this probability."
        ),
    ]
    settled: Annotated[bool, Doc("True if no difference is undecided.")]
    corrected_for: Annotated[int, Doc("Number of differences for which p-values are corrected.")]
    pairs: Annotated[list[PairRecord], Doc("One object for each pair of tasks.")]
    ranking: NotRequired[
        Annotated[list[RankRecord], Doc("One object for each strategy, the best of a round first; only with `--all`.")]
    ]


def comparison_record(comparison: PairedComparison, ranked: bool = False) -> ComparisonRecord:
    """The comparison for JSON, with the ranking if it is to be `ranked`."""
    rule = comparison.rule
    record: ComparisonRecord = {
        "statistics": list(rule.statistics),
        "margin": rule.margin,
        "error": rule.error,
        "settled": comparison.settled,
        "corrected_for": comparison.differences,
        "pairs": [_pair_record(pair) for pair in comparison.pairs],
    }
    if ranked:
        record["ranking"] = [
            cast(RankRecord, {"statistic": statistic, "round": n, **row, **_json_numbers(row)})
            for statistic, (n, one_round) in itertools.product(rule.statistics, enumerate(comparison.rounds, 1))
            for row in one_round.ranking(statistic).to_dict("records")
        ]
    return record


def _json_numbers(row: dict[Any, Any]) -> dict[str, Any]:
    epsilon = None if row["epsilon"] is None or math.isnan(row["epsilon"]) else json_epsilon(row["epsilon"])
    return {"epsilon": epsilon, "budget": json_epsilon(row["budget"]), "value": finite(row["value"])}


def _pair_record(pair: ComparedPair) -> PairRecord:
    plain = {name: getattr(pair, name) for name in PairRecord.__annotations__}
    plain |= {"first": task_record(pair.first), "second": task_record(pair.second)}
    return cast(PairRecord, plain)
