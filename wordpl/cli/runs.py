"""`wordpl score` and `wordpl sweep`: play many games and say how it went."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.tables import interval, number, print_evaluations, print_json, print_table, reasons, turns

if TYPE_CHECKING:
    from wordpl.play.strategy import Setting
    from wordpl.simulation.evaluation import Evaluation
    from wordpl.simulation.tasks import Task

_DEFAULT_GRID = "5:50:5"


def register(app: typer.Typer) -> None:
    app.command()(score)
    app.command()(sweep)


def score(
    strategy: Annotated[str, typer.Argument(help='A spec, as "Greedy(epsilon=10)" or my.py:Mine(); see wordpl list.')],
    trials: opt.Trials = None,
    seed: opt.Seed = 1,
    jobs: opt.Jobs = 0,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    rule: opt.Rule = "letterwise",
    channel: opt.ChannelName = "randomized_response",
    until_width: opt.UntilWidth = None,
    game_seconds: opt.GameSeconds = None,
    out: Annotated[Path | None, typer.Option("--out", help="Also keep the trials in this results file.")] = None,
    trusted: Annotated[
        bool, typer.Option("--trusted", help="Score a submission (file or folder) without a sandbox; never ranked.")
    ] = False,
    json: opt.Json = False,
) -> None:
    """Score one strategy as the contest does: 1,001 games, percentiles of the budget, intervals."""
    from wordpl.model.channel import channel_family
    from wordpl.model.clues import check_rule
    from wordpl.play.specs import parse_strategy
    from wordpl.play.strategy import Setting
    from wordpl.simulation.sweep import make_task

    seconds = opt.game_seconds(game_seconds)
    if trusted:
        if out is not None or until_width is not None or channel != "randomized_response":
            raise WordplError("--trusted goes with neither --out, --until-width nor --channel")
        setting = Setting(opt.word_list(words, answers, guesses), check_rule(rule))
        _score_trusted(strategy, setting, opt.number_of_trials(trials, None), seed, jobs, seconds, json)
        return
    task = make_task(
        parse_strategy(strategy),
        seed,
        words=opt.word_list(words, answers, guesses),
        rule=rule,
        channel=channel_family(channel),
        game_seconds=seconds,
    )
    begun = time.perf_counter()
    evaluation = _run([task], trials, jobs, until_width, out)[0]
    if json:
        print_json(evaluation.summary() | {"wall_seconds": time.perf_counter() - begun})
    else:
        _print_score(evaluation)


def sweep(
    strategies: Annotated[
        list[str], typer.Argument(help="Specs; one that names no epsilon is run at each of the grid.")
    ],
    epsilon: Annotated[
        str, typer.Option("--epsilon", "-e", help="Grid of epsilons per ask, as 5:50:5 or 5,10,inf.", metavar="GRID")
    ] = _DEFAULT_GRID,
    trials: opt.Trials = None,
    seed: opt.Seed = 1,
    jobs: opt.Jobs = 0,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    rule: opt.Rule = "letterwise",
    channel: opt.ChannelName = "randomized_response",
    until_width: opt.UntilWidth = None,
    game_seconds: opt.GameSeconds = None,
    batch: Annotated[int | None, typer.Option("--batch", min=1, help="Trials per batch; by time unless told.")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Results file; run again to resume.")] = Path(
        "results/sweep.sqlite"
    ),
    json: opt.Json = False,
) -> None:
    """Run strategies over a grid of epsilons, in parallel, into a results file; run again to resume."""
    from wordpl.model.channel import channel_family
    from wordpl.play.specs import parse_spec
    from wordpl.simulation.sweep import make_task

    word_list = opt.word_list(words, answers, guesses)
    grid = opt.epsilon_grid(epsilon)
    made = []
    for text in strategies:
        spec = parse_spec(text)
        made += [spec.build(epsilon=value) for value in grid] if spec.lacks_epsilon else [spec.build()]
    seconds, family = opt.game_seconds(game_seconds), channel_family(channel)
    tasks = [
        make_task(strategy, seed, words=word_list, rule=rule, channel=family, game_seconds=seconds)
        for strategy in dict.fromkeys(made)
    ]
    evaluations = _run(tasks, trials, jobs, until_width, out, batch)
    if json:
        print_json([evaluation.summary() for evaluation in evaluations])
        return
    print_evaluations(evaluations, f"seed {seed}, {word_list.name}, {rule}")
    typer.echo(f"results: {out}")


def _score_trusted(
    file: str, setting: Setting, trials: int, seed: int, jobs: int, game_seconds: float, json: bool
) -> None:
    from wordpl.contest.limits import Limits
    from wordpl.contest.submission import load_submission
    from wordpl.contest.submit import score_trusted

    if trials < 1:
        raise WordplError(f"trials {trials} is not allowed; a whole number from 1 up is expected")
    begun = time.perf_counter()
    with show_progress() as shown:
        evaluation = score_trusted(
            load_submission(file),
            setting,
            seed,
            trials,
            limits=Limits.for_games_of(game_seconds),
            jobs=opt.number_of_jobs(jobs),
            progress=shown,
        )
    if json:
        wall = time.perf_counter() - begun
        print_json(evaluation.summary() | {"wall_seconds": wall, "trusted": True, "ranked": False})
    else:
        _print_score(evaluation)
        typer.echo("trusted: run without a sandbox, with a known seed; not ranked")


def _run(
    tasks: list[Task],
    trials: int | None,
    jobs: int,
    until_width: float | None,
    out: Path | None,
    batch: int | None = None,
) -> list[Evaluation]:
    from wordpl.simulation.store import Store
    from wordpl.simulation.sweep import SweepInterruptedError
    from wordpl.simulation.sweep import sweep as run_sweep

    wanted = opt.number_of_trials(trials, until_width)
    store = None if out is None else Store(out)
    try:
        with show_progress() as shown:
            return run_sweep(
                tasks,
                wanted,
                opt.number_of_jobs(jobs),
                until_width=until_width,
                batch=batch,
                store=store,
                progress=shown,
            )
    except SweepInterruptedError:
        if store is None:
            raise KeyboardInterrupt from None
        kept = sum(wanted - sum(stop - start for start, stop in store.missing(task, wanted)) for task in tasks)
        again = shlex.join(["wordpl", *sys.argv[1:]])
        typer.echo(
            f"wordpl: stopped; {kept} of {wanted * len(tasks)} trials are in {out}. To resume: {again}", err=True
        )
        raise typer.Exit(130) from None
    finally:
        if store is not None:
            store.close()


def _print_score(evaluation: Evaluation) -> None:
    figures = evaluation.summary()
    rows = [
        ["win rate", number(evaluation.win_rate), interval(evaluation.interval)],
        ["  by posterior", number(evaluation.expected_win_rate), interval(evaluation.expected_interval)],
        *(
            [f"{label} percentile of budget", number(figures[name]), interval(figures[f"{name}_interval"])]
            for label, name in (("5th", "p05"), ("50th", "p50"), ("95th", "p95"))
        ),
        ["turns of won games, mean", turns(evaluation), " ".join(f"{k}:{n}" for k, n in evaluation.turns.items())],
        ["time per move", f"{1e3 * evaluation.seconds_per_move:.3g} ms", f"slowest {figures['slowest_move']:.3g} s"],
        ["timeouts", str(evaluation.timeouts), ""],
        ["errors", str(evaluation.errors), ""],
    ]
    print_table(
        f"{figures['strategy']}: {evaluation.trials} trials, seed {figures['seed']}",
        ["", "value", "95% interval"],
        rows,
        reasons(evaluation),
    )
