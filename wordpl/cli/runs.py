"""`wordpl score` and `wordpl sweep`: play many games and say how it went."""

from __future__ import annotations

import os
import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.stopping import stopping
from wordpl.displays import counted
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.layout import Column
from wordpl.reporting.tables import estimate, print_json, print_table, reasons, turns

if TYPE_CHECKING:
    from wordpl.play.strategy import Strategy
    from wordpl.simulation.evaluation import Evaluation
    from wordpl.simulation.store import Store
    from wordpl.simulation.tasks import Task
    from wordpl.specs import Study
    from wordpl.specs.grids import Value

DEFAULT_GRID = "5:50:5"
_DEFAULT_OUT = "results/sweep.sqlite"
_OF_STUDIES = (
    "epsilon", "grid", "contest_files", "seed", "until_width", "game_seconds",
    "words", "answers", "guesses", "rule", "channel", "format", "first_guess",
)  # fmt: skip
"""What a study says itself: the parameters of `sweep` that results depend on, but for which trials."""


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
        typer.Argument(
            help="Specs; one without an epsilon is run at each epsilon of the grid. Or a study: one .toml file.",
            metavar="STRATEGY",
        ),
    ],
    *,
    ctx: typer.Context,
    epsilon: Annotated[
        str, typer.Option("--epsilon", "-e", help="Grid of epsilons per ask, as 5:50:5 or 5,10,inf.", metavar="GRID")
    ] = DEFAULT_GRID,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            help="Grid of another parameter, as n_guesses=2:4:1 or tree='optimal','entropy'; repeatable.",
            metavar="NAME=GRID",
        ),
    ] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", min=1, help="Trials per batch; by default as time allows.", metavar="N")
    ] = None,
    out: Annotated[
        Path | None,
        opt.out(f"Results file, by default {_DEFAULT_OUT} or the study's; run the same command again to resume."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", help="Play nothing: write what would be played to a new study, this .toml file.", metavar="FILE"
        ),
    ] = None,
    contest_files: opt.ContestFiles = None,
    run: opt.RunOptions,
    game: opt.ChannelOptions,
    json: opt.Json = False,
) -> None:
    """Run strategies over a grid of epsilons into a results file.

    The games run in parallel. A run that was stopped resumes when the same command is given again. It ends with the
    percentiles of each run and, for each strategy, the smallest budgets that win 5, 50 and 95% of games.

    A study is a .toml file that says which strategies play which games. Beside it, only --trials, --first-trial and
    --out change what it says; --jobs, --batch and other options that no result depends on are as ever.
    """
    from wordpl.reporting.outcome_tables import print_evaluations, sweep_records

    if any(text.endswith(".toml") for text in strategies):
        study = _loaded(strategies, ctx, contest_files)
    else:
        study = _declared(strategies, _grids(epsilon, grid or []), contest_files, run, game)
    if run.trials is not None:
        study = replace(study, trials=run.max_trials)
    if run.first_trial is not None:
        study = replace(study, first_trial=run.first_trial)
    if out is not None:
        study = replace(study, out=str(out) if out.is_absolute() else os.path.relpath(out, study.folder))
    run = replace(run, trials=study.trials, first_trial=study.first_trial, until_width=study.until_width)
    tasks = study.tasks()
    if save is not None:
        _save(study, save, len(tasks), json)
        return
    _tell_of_contest_files(tasks)
    evaluations = _run(tasks, run, study.results_file, batch, study.text)
    if json:
        print_json(sweep_records(evaluations))
    else:
        print_evaluations(evaluations)
        typer.echo(f"results: {study.results_file}")
    _refuse_broken(evaluations)


def _loaded(texts: list[str], ctx: typer.Context, contest_files: Path | None) -> Study:
    """The study of a file. Raises `WordplError` for options that would play something else than it says."""
    from wordpl.specs import load_study

    if len(texts) > 1:
        raise WordplError(f"a study is run alone; {len(texts)} arguments were given")
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if parameter.name in _OF_STUDIES and source is not None and source.name == "COMMANDLINE":
            raise WordplError(f"{parameter.opts[0]} is not allowed beside a study; {texts[0]} says what is played")
    study = load_study(texts[0])
    if study.contest_files is None and contest_files is not None:  # the environment's
        study = replace(study, contest_files=str(contest_files.absolute()))
    return study


def _grids(epsilon: str, grids: list[str]) -> dict[str, tuple[Value, ...]]:
    """The values of each parameter that has a grid; those of epsilon last, so that they change fastest."""
    from wordpl.specs.grids import value_grid

    found: dict[str, tuple[Value, ...]] = {}
    for text in grids:
        name, equals, values = text.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise WordplError(f"grid {text!r} is not NAME=GRID, as n_guesses=2:4:1")
        if name in (*found, "epsilon", "spec"):
            said = {"epsilon": "--epsilon gives the grid of epsilons", "spec": "a parameter named spec has no grid"}
            raise WordplError(said.get(name, f"{name} has two grids"))
        found[name] = value_grid(name, values)
    return found | {"epsilon": tuple(opt.epsilon_grid(epsilon))}


def _declared(
    texts: list[str],
    grids: dict[str, tuple[Value, ...]],
    contest_files: Path | None,
    run: opt.RunOptions,
    game: opt.ChannelOptions,
) -> Study:
    """The study of a command line: each spec with the grids of those parameters that it takes and does not give."""
    from wordpl.specs import GriddedSpec, Study, WordFiles, parse_spec

    specs = [parse_spec(text, contest_files) for text in texts]
    lacked = [[name for name in grids if spec.lacks(name)] for spec in specs]
    for name in grids:
        if name != "epsilon" and not any(name in names for names in lacked):
            raise WordplError(f"no strategy takes {name} and leaves it open, so that its grid is of no use")
    words: tuple[str | WordFiles, ...] = (game.words,)
    if game.answers is not None:
        words = (WordFiles(str(game.answers), None if game.guesses is None else str(game.guesses)),)
    elif game.guesses is not None:
        game.load()  # and refuse: guesses alone are no list
    return Study(
        strategies=tuple(
            GriddedSpec(text.strip(), tuple((name, grids[name]) for name in names))
            for text, names in zip(texts, lacked, strict=True)
        ),
        words=words,
        rules=(game.rule,),
        channels=(game.channel,),
        formats=(str(game.played()),),
        trials=run.max_trials,
        first_trial=run.first_trial or 0,
        seed=run.seed,
        until_width=run.until_width,
        game_seconds=run.seconds,
        contest_files=None if contest_files is None else str(contest_files),
        out=_DEFAULT_OUT,
    )


def _save(study: Study, path: Path, tasks: int, json: bool) -> None:
    if path.suffix != ".toml":
        raise WordplError(f"a study is a .toml file, and {path} is not named as one")
    if json:
        raise WordplError("--json has nothing to print with --save, which plays nothing")
    study.save(path, must_be_new=True)
    typer.echo(f"{counted(tasks, 'task')} in {path}; to run it: {shlex.join(['wordpl', 'sweep', str(path)])}")


def _tell_of_contest_files(tasks: list[Task]) -> None:
    """Say on stderr what the contest's own files are for the strategies from files, once for each file."""
    by_file: dict[str, Strategy] = {}
    for task in tasks:
        if submission := getattr(task.strategy, "submission", None):
            by_file.setdefault(submission.path, task.strategy)
    for strategy in by_file.values():
        opt.tell_of_contest_files(strategy)


def _refuse_broken(evaluations: list[Evaluation]) -> None:
    """Raise `WordplError` for a strategy that lost every trial by an error: its figures say nothing about it."""
    for evaluation in evaluations:
        if evaluation.errors == evaluation.trials:
            reason, _ = evaluation.commonest_reasons[0]
            raise WordplError(f"{evaluation.task.strategy!r} lost all {evaluation.trials} trials by errors: {reason}")


def _run(
    tasks: list[Task], run: opt.RunOptions, out: Path | None, batch: int | None = None, study: str = ""
) -> list[Evaluation]:
    from wordpl.simulation.store import Store
    from wordpl.simulation.sweep import sweep as run_sweep

    workers = run.workers

    def play(store: Store | None) -> list[Evaluation]:
        with opt.on_cluster(run.cluster), show_progress() as shown:
            return run_sweep(
                tasks,
                run.max_trials,
                min(workers, run.max_trials * len(tasks)),
                first_trial=run.first_trial or 0,
                until_width=run.until_width,
                batch=batch,
                store=store,
                progress=shown,
            )

    if out is None:
        with stopping():
            return play(None)
    with (
        Store(out, command=opt.this_command(), study=study) as store,
        stopping(lambda: kept(store, tasks, run.max_trials, run.first_trial or 0)),
    ):
        return play(store)


def kept(store: Store, tasks: list[Task], wanted: int, first: int = 0) -> str:
    """What a run that was stopped says of its results file."""
    there = sum(wanted - sum(end - begin for begin, end in store.missing(task, wanted, first)) for task in tasks)
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
