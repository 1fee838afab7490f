"""`wordpl score` and `wordpl sweep`: play many games and say how it went."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.stopping import stopping
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.layout import Column
from wordpl.reporting.tables import estimate, print_json, print_table, reasons, turns

if TYPE_CHECKING:
    from wordpl.simulation.evaluation import Evaluation
    from wordpl.simulation.store import Store
    from wordpl.simulation.tasks import Task

DEFAULT_GRID = "5:50:5"


def register(app: typer.Typer, section: str) -> None:
    add(app, score, section)
    add(app, sweep, section)


def score(
    strategy: Annotated[
        str,
        typer.Argument(
            help='A spec, as "Greedy(epsilon=10)" or my.py:Mine(); wordpl list shows ours.', metavar="STRATEGY"
        ),
    ],
    *,
    out: Annotated[Path | None, opt.out("Also keep the trials in this results file.")] = None,
    contest_files: opt.ContestFiles = None,
    run: opt.RunOptions,
    game: opt.ChannelOptions,
    json: opt.Json = False,
) -> None:
    """Score a strategy: win rate and percentiles of the budget.

    Plays 1,001 games by default, as the contest does, and shows an interval for every figure.
    """
    from wordpl.simulation.sweep import make_task
    from wordpl.specs import parse_strategy

    task = make_task(
        parse_strategy(strategy, contest_files),
        run.seed,
        words=game.load(),
        rule=game.rule,
        channel=game.family(),
        format=game.played(),
        game_seconds=run.seconds,
    )
    opt.tell_of_contest_files(task.strategy)
    begun = time.perf_counter()
    evaluation = _run([task], run, out)[0]
    if json:
        print_json(evaluation.summary() | {"wall_seconds": time.perf_counter() - begun})
    else:
        print_score(evaluation)
    _refuse_broken([evaluation])


def sweep(
    strategies: Annotated[
        list[str],
        typer.Argument(help="Specs; one without an epsilon is run at each epsilon of the grid.", metavar="STRATEGY"),
    ],
    *,
    epsilon: Annotated[
        str, typer.Option("--epsilon", "-e", help="Grid of epsilons per ask, as 5:50:5 or 5,10,inf.", metavar="GRID")
    ] = DEFAULT_GRID,
    batch: Annotated[
        int | None, typer.Option("--batch", min=1, help="Trials per batch; by default as time allows.", metavar="N")
    ] = None,
    out: Annotated[Path, opt.out("Results file; run the same command again to resume.")] = Path("results/sweep.sqlite"),
    contest_files: opt.ContestFiles = None,
    run: opt.RunOptions,
    game: opt.ChannelOptions,
    json: opt.Json = False,
) -> None:
    """Run strategies over a grid of epsilons into a results file.

    The games run in parallel. A run that was stopped resumes when the same command is given again. It ends with the
    percentiles of each run and, for each strategy, the smallest budgets that win 5, 50 and 95% of games.
    """
    from wordpl.reporting.outcome_tables import print_evaluations, sweep_records
    from wordpl.simulation.sweep import make_task
    from wordpl.specs import parse_spec

    word_list = game.load()
    grid = opt.epsilon_grid(epsilon)
    made = []
    for text in strategies:
        spec = parse_spec(text, contest_files)
        made += [spec.build(epsilon=value) for value in grid] if spec.lacks_epsilon else [spec.build()]
        opt.tell_of_contest_files(made[-1])
    make = partial(
        make_task,
        seed=run.seed,
        words=word_list,
        rule=game.rule,
        channel=game.family(),
        format=game.played(),
        game_seconds=run.seconds,
    )
    tasks = [make(strategy) for strategy in dict.fromkeys(made)]
    evaluations = _run(tasks, run, out, batch)
    if json:
        print_json(sweep_records(evaluations))
    else:
        print_evaluations(evaluations)
        typer.echo(f"results: {out}")
    _refuse_broken(evaluations)


def _refuse_broken(evaluations: list[Evaluation]) -> None:
    """Raise `WordplError` for a strategy that lost every trial by an error: its figures say nothing about it."""
    for evaluation in evaluations:
        if evaluation.errors == evaluation.trials:
            reason, _ = evaluation.commonest_reasons[0]
            raise WordplError(f"{evaluation.task.strategy!r} lost all {evaluation.trials} trials by errors: {reason}")


def _run(tasks: list[Task], run: opt.RunOptions, out: Path | None, batch: int | None = None) -> list[Evaluation]:
    from wordpl.simulation.store import Store
    from wordpl.simulation.sweep import sweep as run_sweep

    workers = run.workers

    def play(store: Store | None) -> list[Evaluation]:
        with opt.on_cluster(run.cluster), show_progress() as shown:
            return run_sweep(
                tasks,
                run.max_trials,
                min(workers, run.max_trials * len(tasks)),
                until_width=run.until_width,
                batch=batch,
                store=store,
                progress=shown,
            )

    if out is None:
        with stopping():
            return play(None)
    with Store(out, command=opt.this_command()) as store, stopping(lambda: kept(store, tasks, run.max_trials)):
        return play(store)


def kept(store: Store, tasks: list[Task], wanted: int) -> str:
    """What a run that was stopped says of its results file."""
    there = sum(wanted - sum(end - begin for begin, end in store.missing(task, wanted)) for task in tasks)
    return f"{there} of {wanted * len(tasks)} trials are in {store.path}. To resume: {opt.this_command()}"


def print_score(evaluation: Evaluation) -> None:
    """The table of one strategy."""
    figures = evaluation.summary()
    score = "guesses" if evaluation.format.is_wordle else "budget"
    turn_counts = " ".join(f"{turn}:{n}" for turn, n in evaluation.turns.items())
    rows = [
        ["win rate", *estimate(evaluation.win_rate, evaluation.interval)],
        ["  by posterior", *estimate(evaluation.expected_win_rate, evaluation.expected_interval)],
        *(
            [f"{label} percentile of {score}", *estimate(value, ends)]
            for label, (value, ends) in zip(("5th", "50th", "95th"), evaluation.percentiles.values(), strict=True)
        ),
        *([f"  within {n}", *estimate(*found)] for n, found in evaluation.win_rates_within.items()),
        ["turns of won games, mean", turns(evaluation), turn_counts],
        ["time per move", f"{1e3 * evaluation.seconds_per_move:.3g} ms", f"slowest {figures['slowest_move']:.3g} s"],
        ["timeouts", str(evaluation.timeouts), ""],
        ["errors", str(evaluation.errors), ""],
    ]
    print_table(
        f"{figures['strategy']}: {evaluation.trials} trials, seed {figures['seed']}",
        [Column("", kind="text"), Column("value"), Column("95% interval")],
        rows,
        reasons(evaluation),
    )
