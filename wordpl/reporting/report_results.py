"""The sections of a report on a results file."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from wordpl.reporting.markup import Group, Html, Part, el, given, join, shown, shown_lines, table, with_interval
from wordpl.reporting.outcome_tables import CROSSINGS, FIGURES, crossing_rows, epsilon_cell, figures_of
from wordpl.reporting.provenance import VERSIONS
from wordpl.reporting.report_comparisons import comparison_parts
from wordpl.reporting.report_pictures import MOST_CURVES, drawn, result_panels
from wordpl.simulation.outcomes import BudgetCurve, Outcome, curves
from wordpl.simulation.pairing import SHARED
from wordpl.simulation.provenance import PYTHON, Run
from wordpl.simulation.statistics import PERCENTILES
from wordpl.simulation.store import Store
from wordpl.simulation.tasks import TaskRow
from wordpl.text.displays import counted

_DIGEST = 8
_MAX_RUNS = 50
"""Runs that are shown, at most: the first and the last of them."""
_MAX_LINES = 400
"""Of a study."""


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
        *_provenance(store, [outcome.task for outcome in found]),
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


def _curves(lines: Sequence[BudgetCurve], of_contest: bool) -> list[Part]:
    panels = result_panels(lines[:MOST_CURVES])
    if not panels:
        return []
    notes = [_CURVES, *([_PERCENTILES] if of_contest else [])]
    if len(lines) > MOST_CURVES:
        notes.append(f"The first {MOST_CURVES} of {len(lines)} curves are drawn; --match and --where choose others.")
    return [Part("curves", "Curves", drawn(panels), " ".join(notes))]


def _settings(found: Sequence[Outcome]) -> Html:
    groups: dict[tuple[str, ...], list[Outcome]] = defaultdict(list)
    for outcome in found:
        groups[tuple(str(getattr(outcome.task, name)) for name in SHARED)].append(outcome)
    rows = []
    for setting, outcomes in groups.items():
        names = {(outcome.name, outcome.task.code) for outcome in outcomes}
        trials = sum(outcome.figures.trials for outcome in outcomes)
        rows.append([*(given(shown(text)) for text in setting), f"{len(names):,}", f"{len(outcomes):,}", f"{trials:,}"])
    columns = [*SHARED, "strategies", "tasks", "games"]
    return table("Settings", columns, [("", rows)], SHARED)


def _figures(lines: Sequence[BudgetCurve]) -> Html:
    columns: list[str] = ["epsilon"]
    at: list[tuple[int, int | None]] = []
    for i, column in enumerate(FIGURES):
        if column.full_name:  # an interval, which stands with the figure before it
            at[-1] = (i - 1, i)
        else:
            columns.append(column.name)
            at.append((i, None))

    def cells(outcome: Outcome) -> list[str]:
        figures = figures_of(outcome.figures)
        return [with_interval(figures[i], "" if j is None else figures[j]) for i, j in at]

    return table("Figures of each task", columns, _by_curve(lines, cells))


def _by_curve(lines: Sequence[BudgetCurve], cells: Callable[[Outcome], Sequence[str]]) -> list[Group]:
    """A row for each outcome, its epsilon first, under the label of its curve."""
    return [
        (shown(curve.label), [[epsilon_cell(outcome) or "–", *cells(outcome)] for outcome in curve.outcomes])
        for curve in lines
    ]


def _budgets(lines: Sequence[BudgetCurve]) -> list[Part]:
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


def _is_wordle(curve: BudgetCurve) -> bool:
    return curve.outcomes[0].figures.format.is_wordle


def _verdicts(lines: Sequence[BudgetCurve]) -> Html:
    counts = {o.task.id: o.figures.verdicts for curve in lines for o in curve.outcomes}
    names = [name for name in next(iter(counts.values())) if any(found[name] for found in counts.values())]
    groups = _by_curve(lines, lambda outcome: [f"{counts[outcome.task.id][name]:,}" for name in names])
    return table("How games ended", ["epsilon", *(name.lower() for name in names)], groups)


def _reasons(lines: Sequence[BudgetCurve]) -> list[Part]:
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


def _tasks(lines: Sequence[BudgetCurve]) -> Html:
    def cells(outcome: Outcome) -> list[str]:
        task, figures = outcome.task, outcome.figures
        codes = [el("code", shown(task.id)), el("code", shown(task.code)[:_DIGEST] or "–")]
        return [f"{figures.trials:,}", *codes, f"{1e3 * figures.seconds_per_move:.2g} ms"]

    columns = ["epsilon", "games", "id", "code", "time of a move"]
    return table("Tasks", columns, _by_curve(lines, cells), ["id", "code"])


def _provenance(store: Store, tasks: Sequence[TaskRow]) -> list[Part]:
    """What made the results: the commands to run again, and the runs that added trials of these tasks."""
    wanted = {task.id for task in tasks}
    runs = [run for run in store.provenance() if wanted & run.added.keys()]
    some = runs if len(runs) <= _MAX_RUNS else [*runs[: _MAX_RUNS // 2], *runs[-_MAX_RUNS // 2 :]]
    notes = [f"{counted(len(runs), 'run')}."]
    notes += [f"The first and the last {_MAX_RUNS // 2} are shown."] if len(some) < len(runs) else []
    again = "A run adds the trials that are missing; the same command makes the same trials again."
    note = again if any(run.command != PYTHON for run in some) else ""
    return [
        Part("again", "How to run it again", _commands(some), note),
        Part("provenance", "Provenance", _run_table(some), " ".join(notes)),
    ]


def _commands(runs: Sequence[Run]) -> Html:
    """Each command once, and each study once."""
    told: list[str] = []
    commands = dict.fromkeys(run.command for run in runs if run.command != PYTHON)
    if commands:
        told += [_block("\n".join(shown_lines(command, 20, 4000) for command in commands), "Commands")]
    if any(run.command == PYTHON for run in runs):
        told.append(el("p", "A program in Python has added trials; it left no command."))
    for study in dict.fromkeys(run.study for run in runs if run.study):
        told += [el("h3", "The study file"), _block(shown_lines(study, _MAX_LINES), "Study file")]
    return join(told)


def _block(text: str, name: str) -> Html:
    return el("pre", text, tabindex="0", role="region", aria_label=name)


def _run_table(runs: Sequence[Run]) -> Html:
    rows = [
        [
            el("code", shown(run.begun, 40)),
            el("code", shown(run.ended, 40)),
            f"{run.trials:,}",
            f"{len(run.added):,}",
            *(given(shown(str(getattr(run, name)))) for name in VERSIONS),
        ]
        for run in runs
    ]
    columns = ["begun", "ended", "games", "tasks", *VERSIONS]
    return table("Runs", columns, [("", rows)], ["ended", *VERSIONS])
