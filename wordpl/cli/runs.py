"""`wordpl score` and `wordpl sweep`: play many games and say how it went."""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

import wordpl
from wordpl.base.defaults import EPSILON_GRID, GAME_SECONDS
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError, nearest
from wordpl.cli import execution
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import RESULTS, TABLES
from wordpl.reporting.layout import TableColumn
from wordpl.reporting.tables import TableStyle, estimate, print_table, reasons

_DEFAULT_OUT = Path("results/sweep.sqlite")


def score(
    strategies: Annotated[
        list[str],
        Argument(help='Such as "Greedy(epsilon=10)", or my.py:Mine(). See wordpl list.', metavar="STRATEGY"),
    ],
    *,
    every_answer: Annotated[bool, Option("--every-answer", help="Play one game with each answer of the list.")] = False,
    sandboxed: opt.SandboxOptions,
    run: opt.RunOptions,
    game: opt.GameOptions,
    epsilon: opt.NoEpsilon = None,
    table: Annotated[
        opt.FormatOptions, opt.out("Keep the trials in a results file, or write the table", RESULTS, TABLES)
    ],
) -> None:
    """Score strategies: win rate and percentiles of the budget.

    Without --trials it plays as many games as the contest. It shows an interval for every statistic. A smaller budget
    is better. Several strategies play the same games and share one table. Code from a file runs with your
    permissions, unless you add --sandbox.
    """
    if every_answer:
        if (run.trials, run.first_trial, run.until_width) != (None, None, None):
            raise WordplError(
                "--every-answer plays each answer once; leave out --trials, --first-trial and --until-width"
            )
        once = replace(wordpl.GameFormat.parse(game.game), every_answer=True)
        run, game = replace(run, trials=len(game.load().answers)), replace(game, game=str(once))
    out, start, more, left_out = table.one(RESULTS), time.perf_counter(), dict[str, Any](), set[str]()
    if sandboxed.sandbox:
        if len(strategies) > 1:
            raise WordplError("--sandbox scores one file at a time; name one")
        evaluations = [_in_sandbox(strategies[0], sandboxed, out, run, game)]
        # Task and code would be of a stand-in: the strategy itself is never in this process.
        more, left_out = {"trusted": False, "ranked": False}, {"task", "code"}
    else:
        configs = [wordpl.parse_strategy(strategy) for strategy in strategies]
        execution.tell_of_trust(strategies)
        tasks = [wordpl.make_task(config, run.seed, **game.terms()) for config in configs]
        execution.tell_of_contest_files(configs)
        if any(getattr(one, "monte_carlo", None) and not getattr(one, "shared_draws", True) for one in configs):
            NOTES.info("it scores each candidate by draws of its own; monte_carlo=None is exact and faster")
        start = time.perf_counter()
        evaluations = _run(tasks, run, out)
    more["wall_seconds"] = time.perf_counter() - start
    if len(evaluations) > 1:
        printed = partial(wordpl.reporting.print_evaluations, evaluations)
    else:
        printed = partial(print_score, evaluations[0])

    def records() -> Any:
        found = [{k: v for k, v in one.summary().items() if k not in left_out} | more for one in evaluations]
        return found if len(found) > 1 else found[0]

    table.show(records, printed)
    refuse_broken(evaluations, run.max_trials)


def sweep(
    strategies: Annotated[
        list[str],
        Argument(
            help="One without an epsilon runs at each --epsilon. Files run with your permissions.", metavar="STRATEGY"
        ),
    ],
    *,
    epsilon: opt.EpsilonGrid = None,
    grid: Annotated[
        list[str] | None,
        Option(help="Run at each value of a parameter: n_guesses=2:4:1 or tree=optimal,entropy.", metavar="NAME=GRID"),
    ] = None,
    batch: Annotated[int | None, Option(min=1, help="Play N trials a batch. Default: half a second's worth.")] = None,
    run: opt.RunOptions,
    game: opt.GameOptions,
    table: Annotated[
        opt.FormatOptions,
        opt.out(f"Keep the trials in this file (default: {_DEFAULT_OUT}), or write the table", RESULTS, TABLES),
    ],
) -> None:
    """Run strategies at several epsilons and keep the results in a file.

    The games run in parallel. To resume a run that was stopped, give the same command again. At the end you see the
    percentiles of each run and, for each strategy, the smallest budgets that win 5, 50 and 95% of games.
    """
    if not table.every(RESULTS):
        table = replace(table, out=[*(table.out or ()), _DEFAULT_OUT])
    terms = game.terms()
    configs = itertools.chain(*on_grids(strategies, epsilon, grid or []))
    tasks = list({task.id: task for task in (wordpl.make_task(one, run.seed, **terms) for one in configs)}.values())
    evaluations = _run(tasks, run, table.one(RESULTS), batch)
    from wordpl.reporting.outcome_tables import outcome_records

    table.show(lambda: outcome_records(evaluations), partial(wordpl.reporting.print_evaluations, evaluations))
    refuse_broken(evaluations, run.max_trials)


def on_grids(
    texts: Sequence[str],
    epsilon: str | None,
    typed: Sequence[str] = (),
    *,
    at_budget: Callable[[str, float], wordpl.Strategy] | None = None,
) -> list[list[wordpl.Strategy]]:
    """The strategies of each spec at all combinations of values of the parameters that it leaves open; epsilon changes
    fastest.

    `epsilon` and `typed` are the grids as they were typed; with `at_budget`, the first is one of budgets. A typed grid
    goes to every spec that leaves the parameter open, the usual one of epsilon only to those that need it. Raises
    `WordplError` if a typed grid goes to none.
    """
    from wordpl.play.grids import epsilon_grid, value_grid

    grids: dict[str, tuple[Any, ...]] = {}
    for text in typed:
        name, equals, values = text.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise WordplError(f"--grid {text!r} is not NAME=GRID, such as n_guesses=2:4:1")
        if name in (*grids, "epsilon"):
            raise WordplError("use --epsilon for epsilon" if name == "epsilon" else f"{name} has two grids")
        grids[name] = value_grid(name, values)
    wanted = [*grids, *([] if epsilon is None else ["epsilon"])]
    grids["epsilon"] = epsilon_grid(EPSILON_GRID if epsilon is None else epsilon)
    specs = [wordpl.parse_spec(text) for text in texts]
    execution.tell_of_trust(texts)
    known = {parameter for spec in specs for parameter in spec.open_parameters}
    for name in wanted:
        if name not in known:
            if given := [text.strip() for text, spec in zip(texts, specs, strict=True) if name in spec.parameters]:
                raise WordplError(f"{given[0]} already has {name}; remove it there, or give no other values of it")
            raise WordplError(f"none of these strategies takes {name}{f'; {nearest(name, known)}' if known else ''}")
    built: list[list[wordpl.Strategy]] = []
    for text, spec in zip(texts, specs, strict=True):
        left_open = spec.open_parameters
        names = [name for name in grids if name in left_open and (left_open[name] or name in wanted)]
        if at_budget and names:
            built.append([at_budget(text, budget) for budget in grids["epsilon"]])
        else:
            rows = itertools.product(*(grids[name] for name in names))
            built.append([spec.build(**dict(zip(names, row, strict=True))) for row in rows])
    execution.tell_of_contest_files(itertools.chain(*built))
    return built


def _in_sandbox(
    file: str, sandboxed: opt.SandboxOptions, out: Path | None, run: opt.RunOptions, game: opt.GameOptions
) -> wordpl.Evaluation:
    """Play a file as `SandboxOptions.run` says; no ledger is written."""
    others = {"out": out, "first-trial": run.first_trial, "until-width": run.until_width, "cluster": run.cluster}
    if given := [f"--{name}" for name, value in others.items() if value is not None]:
        raise WordplError(f"--sandbox does not go with {given[0]}; leave out one of them")
    contest_run = sandboxed.run(file, game.setting(), run.seed)
    NOTES.info("not ranked: the seed is known (%s)", contest_run.launcher.describe())
    with wordpl.show_progress() as progress:
        return wordpl.contest.evaluate_submission(
            contest_run, run.max_trials, jobs=execution.number_of_jobs(run.jobs), progress=progress
        )


def refuse_broken(evaluations: list[wordpl.Evaluation], trials: int) -> None:
    """Raise `WordplError` for a strategy that lost all of its games by errors: its statistics say nothing about it.

    `trials` is how many were to be played: of one that loses the first by the same error, only those are.
    """
    for evaluation in evaluations:
        played = evaluation.trials
        if evaluation.errors == played or (played < trials and played == len(evaluation.reasons)):
            lost = f"all {counted(played, 'trial')} by errors" if played == trials else f"its first {played} trials"
            raise WordplError(f"{evaluation.task.strategy} lost {lost}: {evaluation.commonest_reasons[0][0]}")


def _run(
    tasks: list[wordpl.Task], run: opt.RunOptions, out: Path | None, batch: int | None = None
) -> list[wordpl.Evaluation]:
    trials, first, width = run.max_trials, run.first_trial or 0, run.until_width
    with playing(out, run.cluster) as (store, progress), warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* by the same error", wordpl.WordplWarning)  # `refuse_broken` says it
        return wordpl.sweep(
            tasks,
            trials,
            run.workers,
            first_trial=first,
            until_width=width,
            batch=batch,
            store=store,
            progress=progress,
        )


@contextmanager
def playing(
    out: Path | None, cluster: str | None
) -> Iterator[tuple[wordpl.Store | None, wordpl.base.progress.Progress]]:
    """Give a block that plays trials the results file that keeps them, if any, and what shows how far they are; where
    it is stopped, say that the file has them."""
    with (
        nullcontext() if out is None else wordpl.Store(out, command=execution.this_command()) as store,
        execution.stopping("" if out is None else f"the trials so far are in {out}"),
        execution.on_cluster(cluster),
        wordpl.show_progress() as progress,
    ):
        yield store, progress


def print_score(evaluation: wordpl.Evaluation, style: TableStyle) -> None:
    """Print a strategy's statistics with their intervals and, below, the turns, the times and what was lost."""
    rows = [[name, *estimate(value, ends, is_score=is_score)] for name, value, ends, is_score in evaluation.estimates]
    interval = f"{100 * evaluation.confidence:g}% interval"
    mean, slowest = 1e3 * evaluation.seconds_per_move, 1e3 * evaluation.slowest_move
    notes = []
    if evaluation.format.every_answer:
        turns = evaluation.results["turns"]
        notes.append(
            f"Each answer was played once: {turns.sum():,} turns in all, {turns.max()} at most. Without noise the"
            " values are exact. The intervals are for answers that are drawn, so they are too wide."
        )
    if evaluation.turns:
        games = ", ".join(f"{n:,} on turn {turn}" for turn, n in evaluation.turns.items())
        notes.append(f"turns of won games: {evaluation.mean_turns:.3f} on average ({games})")
    notes += [
        f"time per move: {mean:.3g} ms, the slowest {slowest:.3g} ms",
        f"slowest game {evaluation.results['seconds'].max():.2g} s; the contest allows {GAME_SECONDS:g} s",
        f"lost by a timeout: {evaluation.timeouts}; by an error: {evaluation.errors}",
        *reasons(evaluation),
    ]
    print_table(
        f"{evaluation.task.strategy}: {counted(evaluation.trials, 'trial')}, seed {evaluation.task.seed}",
        [TableColumn("statistic", kind="text"), TableColumn("value"), TableColumn(interval)],
        rows,
        notes,
        style,
    )
