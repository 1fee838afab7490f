"""A report: what was played and the results, in one file that opens anywhere."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from wordpl.base.defaults import PERCENTILES, POSTERIOR_WIN_RATE, STATISTICS
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError, error_line
from wordpl.base.files import StrPath, whole_file
from wordpl.reporting.comparison_tables import epsilons_of, notes_of, pair_rows
from wordpl.reporting.markup import Group, Html, Section, clean, el, free_text, join, page, table, with_interval
from wordpl.reporting.outcome_tables import (
    CROSSINGS,
    crossing_rows,
    epsilon_cell,
    nothing_found,
    run_table,
    shown_statistics,
    statistic_cells,
)
from wordpl.reporting.report_pictures import MOST_CURVES, drawn, result_panels
from wordpl.simulation.comparison import ComparisonRule, PairedComparison
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.outcomes import BudgetCurve, curves, read_outcomes, shared_terms
from wordpl.simulation.pairing import compare_outcomes, have_common_trials, pairs_of
from wordpl.simulation.store import Store, opened
from wordpl.simulation.tasks import ALL_TASKS, CODE_SHOWN, SHARED, TaskFilter
from wordpl.simulation.trials import COLUMNS

MAX_TASKS = 500
MOST_PAIRS = 50
"""If a setting has more pairs, those are compared in which both strategies win most often."""
MOST_TRIALS_OF_ALL = 20_500
"""The most trials of all pairs of a setting for which percentiles are compared, too, which take longer."""
_MAX_RUNS = 50
"""If there are more runs, only the last of them are shown."""


_COLUMNS = [name for name in COLUMNS if name not in ("proposed", "slowest")]


def write_report(store: Store | StrPath, target: StrPath, *, title: str = "", where: TaskFilter = ALL_TASKS) -> None:
    """Write a report on `store`, a results file or its path, to the HTML file `target`; missing folders are made.

    The file needs no network and loads nothing. It contains tables with intervals, and curves that a script draws;
    point at a curve to see its numbers. The same results always give the same bytes. `title` is by default the name of
    the results file. `where` says which tasks are meant.

    Raises `WordplError` if nothing matches, if the report would have more than 500 tasks, if the results file
    is damaged or the report cannot be written.
    """
    with opened([store]) as (file,):
        try:
            with np.errstate(invalid="raise"):  # so that a damaged file makes no NaN
                about, sections = _sections(file, where)
            content = page(title or file.path.name, about, sections).encode()
        except WordplError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise WordplError(f"{file.path} is damaged: {error_line(error)}") from None
    with whole_file(target) as beside:
        beside.write_bytes(content)


def _sections(store: Store, where: TaskFilter) -> tuple[list[str], list[Section]]:
    """The lines below the title, and the sections."""
    tasks = [task for task in store.tasks(where) if task.trials]
    if not tasks:
        raise WordplError(nothing_found([store], where))
    if len(tasks) > MAX_TASKS:
        raise WordplError(f"a report shows at most {MAX_TASKS} tasks, not {len(tasks):,}; choose some with --strategy")
    outcomes = read_outcomes(store, where, columns=_COLUMNS)
    names = {(task.curve, task.code) for task in tasks}
    games = sum(outcome.trials for outcome in outcomes)
    size = f"{counted(len(names), 'strategy', 'strategies')}, {counted(len(outcomes), 'task')}, {games:,} games"
    lines = curves(outcomes)
    headings = ["epsilon", *(statistic.heading for statistic in shown_statistics())]
    values = _by_curve(lines, lambda outcome: [with_interval(*cells) for cells in statistic_cells(outcome)])
    parts = [
        Section("run", "What was run", _settings(outcomes)),
        *_curves(lines),
        Section("statistics", "Statistics", table("Statistics of each task", headings, values), _STATISTICS),
        *_budgets(lines),
        *comparison_parts(outcomes),
        Section("verdicts", "Verdicts", _verdicts(lines)),
        *_reasons(lines),
        Section("tasks", "Tasks", _tasks(lines), _TASKS),
        _provenance(store, {task.id for task in tasks}),
    ]
    return [clean(shared_terms(tasks)), f"{size}, from {clean(store.path.name)}"], parts


_PERCENTILES = (
    "Percentiles are drawn for strategies whose games spend different budgets. For the others, a percentile is their"
    " budget, or infinite."
)
_STATISTICS = (
    "A game that is won scores the budget it spent, the sum of its epsilons; a game of Wordle scores its number of"
    " guesses. A game that is lost scores infinity. p05, p50 and p95 are percentiles of these scores over all games."
    " The 95% interval of each is below it: Wilson's for win rates; for percentiles two order statistics, valid for any"
    " distribution. Turns are the mean of the games won."
)
_TASKS = (
    "A task is one strategy in one setting under one seed. Its id is a digest of all that determines its results, the"
    " strategy's code included. Under one seed, trial i has the same answer and the same noise for every strategy."
)


def _curves(lines: Sequence[BudgetCurve]) -> list[Section]:
    panels = result_panels(lines[:MOST_CURVES])
    if not panels:
        return []
    notes = ["Bands and bars are 95% intervals, and crosses are infinite.", _PERCENTILES]
    if len(lines) > MOST_CURVES:
        notes.append(f"Only the first {MOST_CURVES} of {len(lines)} curves are drawn; choose others with --strategy.")
    return [Section("curves", "Curves", drawn(panels), " ".join(notes))]


def _by_setting(every: Sequence[Evaluation]) -> dict[tuple[str, ...], list[Evaluation]]:
    groups: dict[tuple[str, ...], list[Evaluation]] = defaultdict(list)
    for outcome in every:
        groups[tuple(str(getattr(outcome.task, name)) for name in SHARED)].append(outcome)
    return groups


def _settings(every: Sequence[Evaluation]) -> Html:
    rows = []
    for setting, outcomes in _by_setting(every).items():
        names = {(outcome.task.curve, outcome.task.code) for outcome in outcomes}
        trials = sum(outcome.trials for outcome in outcomes)
        rows.append([*(free_text(text) for text in setting), f"{len(names):,}", f"{len(outcomes):,}", f"{trials:,}"])
    columns = [*SHARED, "strategies", "tasks", "games"]
    return table("Settings", columns, [("", rows)], SHARED)


def _by_curve(lines: Sequence[BudgetCurve], cells: Callable[[Evaluation], Sequence[str]]) -> list[Group]:
    """A row for each outcome, its epsilon first, under the label of its curve."""
    return [
        (clean(curve.label), [[epsilon_cell(outcome) or "–", *cells(outcome)] for outcome in curve.outcomes])
        for curve in lines
    ]


def _budgets(lines: Sequence[BudgetCurve]) -> list[Section]:
    if not any(curve.crossings for curve in lines):
        return []
    rows, notes = crossing_rows(lines)
    budgets = [
        [free_text(name), *(with_interval(*cells[i : i + 2]) for i in range(0, len(cells), 2))] for name, *cells in rows
    ]
    columns = ["strategy", *(f"to win {q:.0%}" for q in PERCENTILES)]
    return [Section("budgets", "Smallest budgets", table(CROSSINGS, columns, [("", budgets)]), " ".join(notes))]


def _verdicts(lines: Sequence[BudgetCurve]) -> Html:
    every = [outcome.verdicts for curve in lines for outcome in curve.outcomes]
    names = [name for name in every[0] if any(verdicts[name] for verdicts in every)]
    groups = _by_curve(lines, lambda outcome: [f"{outcome.verdicts[name]:,}" for name in names])
    return table("How games ended", ["epsilon", *(name.lower() for name in names)], groups)


def _reasons(lines: Sequence[BudgetCurve]) -> list[Section]:
    groups: list[Group] = []
    for curve in lines:
        counts: Counter[str] = Counter()
        for outcome in curve.outcomes:
            counts.update(dict(outcome.commonest_reasons))
        if counts:
            groups.append((clean(curve.label), [[free_text(text), f"{n:,}"] for text, n in counts.most_common(5)]))
    body = table("Why games were lost other than by a wrong proposal", ["reason", "games"], groups)
    note = "The commonest reasons of each strategy, all epsilons together."
    return [Section("reasons", "Why games were lost", body, note)] if groups else []


def _tasks(lines: Sequence[BudgetCurve]) -> Html:
    def cells(outcome: Evaluation) -> list[str]:
        codes = [el("code", clean(outcome.task.id)), el("code", clean(outcome.task.code)[:CODE_SHOWN] or "–")]
        return [f"{outcome.trials:,}", *codes, f"{1e3 * outcome.seconds_per_move:.2g} ms"]

    columns = ["epsilon", "games", "id", "code", "time of a move"]
    return table("Tasks", columns, _by_curve(lines, cells), ["id", "code"])


def _provenance(store: Store, wanted: set[str]) -> Section:
    """The section on what made the results: the runs that added trials of these tasks."""
    runs = [run for run in store.provenance() if wanted & run.added.keys()]
    shown = (
        f"{counted(len(runs), 'run')}{f', the last {_MAX_RUNS} of which are shown' if len(runs) > _MAX_RUNS else ''}."
    )
    note = f"{shown} The same command makes the same trials again. A program in Python has the command python."
    columns, rows = run_table(runs[-_MAX_RUNS:])
    rows = [[el("code", clean(command, 4000)), *map(free_text, cells)] for command, *cells in rows]
    texts = [column.name for column in columns if column.kind == "text"]
    made_with = table("Runs", [column.name for column in columns], [("", rows)], texts)
    return Section("provenance", "How to run it again", made_with, note)


# The comparisons: pairs of strategies on common trials, as `wordpl compare` compares them


def comparison_parts(found: Sequence[Evaluation]) -> list[Section]:
    """Return the section with the comparisons within each setting; none if there is nothing to compare."""
    comparisons, left_out = list[PairedComparison](), 0
    for outcomes in _by_setting([outcome for outcome in found if outcome.errors < outcome.trials]).values():
        rates = {outcome.task.id: outcome.posterior_win_rate for outcome in outcomes}
        pairs = sorted(pairs_of(outcomes), key=lambda pair: -min(rates[outcome.task.id] for outcome in pair))
        chosen = list(itertools.islice(filter(have_common_trials, pairs), MOST_PAIRS))
        left_out += len(pairs) - len(chosen)
        if chosen:
            games = sum(min(first.trials, second.trials) for first, second in chosen)
            rule = ComparisonRule(STATISTICS if games <= MOST_TRIALS_OF_ALL else (POSTERIOR_WIN_RATE,))
            comparisons.append(compare_outcomes(chosen, rule))
    if not comparisons and not left_out:
        return []
    notes = ["Pairs on common trials: the same answers and the same noise."] if comparisons else []
    notes += dict.fromkeys(note for comparison in comparisons for note in notes_of(comparison))
    if left_out:
        notes.append(f"{counted(left_out, 'more pair')} can be compared with wordpl results FILE --compare.")
    return [Section("comparisons", "Comparisons", join(map(_table, comparisons)), " ".join(notes))]


def _table(comparison: PairedComparison) -> Html:
    names = comparison.names
    groups: list[Group] = []
    for pair in comparison.pairs:
        first, second = (clean(names[task.id]) for task in (pair.first, pair.second))
        whole = all(names[task.id] == task.strategy for task in (pair.first, pair.second))
        at = "" if whole else f", epsilon {' and '.join(epsilons_of(pair))}"
        rows = [
            [*values, with_interval(difference, ends), p, free_text(ahead)]
            for *values, difference, ends, p, ahead in pair_rows(pair, first, second)
        ]
        groups.append((f"{first} and {second}{at}: {pair.trials:,} games", rows))
    task = comparison.tasks[0]
    terms = ", ".join(clean(str(getattr(task, name))) for name in SHARED[:4])
    columns = ["statistic", "first", "second", "difference", "p", "ahead"]
    return table(f"Differences, {terms}, seed {clean(task.seed)}", columns, groups, ["ahead"])
