"""The sections of a report on a results file."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from wordpl.reporting.markup import Group, Html, el, given, shown, table, with_interval
from wordpl.reporting.outcome_tables import CROSSINGS, FIGURES, crossing_rows, epsilon_cell, figures_of
from wordpl.reporting.report_comparisons import comparison_parts
from wordpl.reporting.report_curves import MOST_CURVES, charts_of
from wordpl.reporting.report_page import Part, drawn
from wordpl.reporting.report_provenance import provenance_parts
from wordpl.simulation.outcomes import Curve, Outcome, curves
from wordpl.simulation.statistics import PERCENTILES
from wordpl.simulation.store import Store

_SETTING = ("words", "rule", "channel", "format", "seed", "engine")
_DIGEST = 8


def result_parts(store: Store, found: Sequence[Outcome]) -> list[Part]:
    """Return the sections on these outcomes of a store, of which there is at least one."""
    lines = curves(found)
    formats = {_is_wordle(curve) for curve in lines}
    scores = " ".join(text for is_wordle, text in _SCORES.items() if is_wordle in formats)
    return [
        Part("run", "What was run", _settings(found)),
        *_curves(lines, False in formats),
        Part("figures", "Figures", _figures(lines), f"{scores} {_FIGURES}"),
        *_budgets(lines),
        *comparison_parts(store, found),
        Part("verdicts", "Verdicts", _verdicts(lines)),
        *_reasons(lines),
        Part("tasks", "Tasks", _tasks(lines), _TASKS),
        *provenance_parts(store, [outcome.task for outcome in found]),
    ]


_CURVES = "Bars are 95% intervals."
_PERCENTILES = (
    "Percentiles are drawn of strategies whose games spend different budgets; of the others a percentile is that"
    " budget, or infinite."
)
_SCORES = {
    False: "A game that is won scores the budget it spent, the sum of its epsilons.",
    True: "A game of Wordle that is won scores its number of guesses.",
}
_FIGURES = (
    "A game that is lost scores infinity. p05, p50 and p95 are percentiles of these scores over all games. Below each"
    " figure stands its 95% interval: of the win rate by Wilson, of a percentile by order statistics, whatever the"
    " distribution. Turns are the mean of the games won."
)
_TASKS = (
    "A task is one strategy in one setting under one seed. Its id is a digest of all that determines its results, the"
    " strategy's code included. Under one seed, trial i has the same answer and the same noise for every strategy."
)


def _curves(lines: Sequence[Curve], of_contest: bool) -> list[Part]:
    charts = tuple(charts_of(lines[:MOST_CURVES]))
    if not charts:
        return []
    notes = [_CURVES, *([_PERCENTILES] if of_contest else [])]
    if len(lines) > MOST_CURVES:
        notes.append(f"The first {MOST_CURVES} of {len(lines)} curves are drawn; --match and --where choose others.")
    return [Part("curves", "Curves", drawn(charts), " ".join(notes), charts)]


def _settings(found: Sequence[Outcome]) -> Html:
    groups: dict[tuple[str, ...], list[Outcome]] = defaultdict(list)
    for outcome in found:
        groups[tuple(str(getattr(outcome.task, name)) for name in _SETTING)].append(outcome)
    rows = []
    for setting, outcomes in groups.items():
        names = {(outcome.name, outcome.task.code) for outcome in outcomes}
        trials = sum(outcome.figures.trials for outcome in outcomes)
        rows.append([*(given(shown(text)) for text in setting), f"{len(names):,}", f"{len(outcomes):,}", f"{trials:,}"])
    columns = [*_SETTING, "strategies", "tasks", "games"]
    return table("Settings", columns, [("", rows)], _SETTING)


def _figures(lines: Sequence[Curve]) -> Html:
    columns: list[str] = ["epsilon"]
    at: list[tuple[int, int | None]] = []
    for i, column in enumerate(FIGURES):
        if column.full_name:  # an interval, which stands with the figure before it
            at[-1] = (i - 1, i)
        else:
            columns.append(column.name)
            at.append((i, None))
    groups: list[Group] = []
    for curve in lines:
        rows = []
        for outcome in curve.outcomes:
            cells = figures_of(outcome.figures)
            found = [with_interval(cells[i], "" if j is None else cells[j]) for i, j in at]
            rows.append([epsilon_cell(outcome) or "–", *found])
        groups.append((shown(curve.label), rows))
    return table("Figures of each task", columns, groups)


def _budgets(lines: Sequence[Curve]) -> list[Part]:
    lines = [curve for curve in lines if curve.crossings and not _is_wordle(curve)]
    if not lines:
        return []
    rows, notes = crossing_rows(lines)
    told = [
        [given(shown(name)), *(with_interval(*cells[i : i + 2]) for i in range(0, len(cells), 2))]
        for name, *cells in rows
    ]
    columns = ["strategy", *(f"to win {q:.0%}" for q in PERCENTILES)]
    return [Part("budgets", "Smallest budgets", table(CROSSINGS, columns, [("", told)]), " ".join(notes))]


def _is_wordle(curve: Curve) -> bool:
    return curve.outcomes[0].figures.format.is_wordle


def _verdicts(lines: Sequence[Curve]) -> Html:
    counts = {o.task.id: o.figures.verdicts for curve in lines for o in curve.outcomes}
    names = [name for name in next(iter(counts.values())) if any(found[name] for found in counts.values())]
    groups = [
        (
            shown(curve.label),
            [[epsilon_cell(o) or "–", *(f"{counts[o.task.id][name]:,}" for name in names)] for o in curve.outcomes],
        )
        for curve in lines
    ]
    return table("How games ended", ["epsilon", *(name.lower() for name in names)], groups)


def _reasons(lines: Sequence[Curve]) -> list[Part]:
    groups: list[Group] = []
    for curve in lines:
        counts: Counter[str] = Counter()
        for outcome in curve.outcomes:
            counts.update(dict(outcome.figures.commonest_reasons))
        if counts:
            groups.append((shown(curve.label), [[given(shown(text)), f"{n:,}"] for text, n in counts.most_common(5)]))
    if not groups:
        return [Part("reasons", "Why games were lost", el("p", "No game was lost by anything but a wrong proposal."))]
    made = table("Why games were lost other than by a wrong proposal", ["reason", "games"], groups)
    return [
        Part("reasons", "Why games were lost", made, "The commonest reasons of each strategy, all epsilons together.")
    ]


def _tasks(lines: Sequence[Curve]) -> Html:
    groups: list[Group] = []
    for curve in lines:
        rows = [
            [
                epsilon_cell(o) or "–",
                f"{o.figures.trials:,}",
                el("code", shown(o.task.id)),
                el("code", shown(o.task.code)[:_DIGEST] or "–"),
                f"{1e3 * o.figures.seconds_per_move:.2g} ms",
            ]
            for o in curve.outcomes
        ]
        groups.append((shown(curve.label), rows))
    return table("Tasks", ["epsilon", "games", "id", "code", "time of a move"], groups, ["id", "code"])
