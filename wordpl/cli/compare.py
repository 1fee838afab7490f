"""`wordpl compare`: which strategy is ahead, by how much, and how surely."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.runs import DEFAULT_GRID, kept_trials
from wordpl.cli.targets import PICTURE, RESULTS
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.tables import print_json

_MOST_TRIALS = 16_001
"""With --until-settled and no --trials, give up here, as a run of the contest does."""


def compare(
    strategies: Annotated[
        list[str] | None,
        typer.Argument(
            help="Two specs or more; one without an epsilon runs at each of the grid. With --results: parts of specs.",
            metavar="STRATEGY",
        ),
    ] = None,
    *,
    epsilon: Annotated[
        str | None,
        typer.Option("--epsilon", "-e", help=f"Grid of epsilons per ask; by default {DEFAULT_GRID}.", metavar="GRID"),
    ] = None,
    results: Annotated[Path | None, typer.Option(help="Play nothing: compare what this results file has.")] = None,
    where: opt.Where = None,
    out: Annotated[
        list[Path] | None,
        opt.out(
            "Keep the trials in this results file, or draw the differences into a picture (.png, ...); repeatable.",
            RESULTS,
            PICTURE,
        ),
    ] = None,
    contest_files: opt.ContestFiles = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(help="Compare only this: win_rate, p05, p50 or p95; repeatable; all by default.", metavar="NAME"),
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="What is level: win rates this close, percentiles this share; 0.01.")
    ] = None,
    until_settled: Annotated[
        bool,
        typer.Option("--until-settled", help="Look at fixed times, and stop a pair once nothing in it is undecided."),
    ] = False,
    run: opt.GamesOptions,
    cluster: opt.Cluster = None,
    game: opt.GameOptions,
    json: opt.Json = False,
) -> None:
    """Tell which strategy is ahead, by how much and how surely.

    All play the same trials: the same answers and the same noise. It shows the difference of win rates and of the 5th,
    50th and 95th percentile, with intervals. Specs are compared with each other at each epsilon.
    """
    from wordpl.reporting.comparison_tables import comparison_record
    from wordpl.simulation.comparison import FIGURES, MARGIN
    from wordpl.specs.grids import epsilon_grid

    figures = tuple(figure) if figure else FIGURES
    rule = wordpl.ComparisonRule(figures, MARGIN if margin is None else margin, until_settled=until_settled)
    pictures = [path for path in out or [] if path.suffix.lower() in PICTURE.beginnings]
    files = [path for path in out or [] if path not in pictures]
    if len(files) > 1:
        raise WordplError(f"--out names {len(files)} results files; at most one is expected")
    if results is not None:
        found = _stored(results, strategies or [], where or (), rule, [epsilon, run.trials, *files])
    elif where:
        raise WordplError("--where chooses from a results file; give one with --results")
    else:
        grid = epsilon_grid(epsilon or DEFAULT_GRID)
        pairs = _pairs(strategies or [], grid, contest_files, run, game)
        found = _played(pairs, rule, run, cluster, files[0] if files else None)
    for path in pictures:
        wordpl.draw_comparison(found, path)
    if json:
        print_json(comparison_record(found))
        return
    wordpl.print_comparison(found)
    for path in out or []:
        typer.echo(f"{'plot' if path in pictures else 'results'}: {path}")


def _stored(
    file: Path, texts: list[str], where: Sequence[str], rule: wordpl.ComparisonRule, refused: list[object]
) -> wordpl.PairedComparison:
    if any(value is not None for value in refused):
        raise WordplError(
            "--results compares what is there; --epsilon, --trials and a results file to write are for what is played"
        )
    with wordpl.Store(file, must_exist=True) as store:
        return wordpl.compare_outcomes(wordpl.read_pairs(store, texts, where), rule)


def _pairs(
    texts: list[str], grid: Sequence[float], contest_files: Path | None, run: opt.GamesOptions, game: opt.GameOptions
) -> list[tuple[wordpl.Task, wordpl.Task]]:
    """Every two of the specs, at each epsilon that one of them lacks."""
    if len(texts) < 2:
        raise WordplError("at least two strategies are expected, or --results FILE")
    specs = [wordpl.parse_spec(text, contest_files) for text in texts]
    groups = [
        [spec.build(epsilon=value) if spec.lacks("epsilon") else spec.build() for spec in specs]
        for value in (grid if any(spec.lacks("epsilon") for spec in specs) else grid[:1])
    ]
    opt.tell_of_contest_files(groups[0])
    terms = game.terms() | {"game_seconds": run.seconds}
    tasks = {strategy: wordpl.make_task(strategy, run.seed, **terms) for group in groups for strategy in group}
    found: dict[frozenset[wordpl.Strategy], tuple[wordpl.Strategy, wordpl.Strategy]] = {}
    for group in groups:
        for pair in itertools.combinations(group, 2):
            found.setdefault(frozenset(pair), pair)
    # A spec with an epsilon may be what another one is at that epsilon of the grid.
    different = [pair for both, pair in found.items() if len(both) == 2] or list(found.values())
    return [(tasks[first], tasks[second]) for first, second in different]


def _played(
    pairs: list[tuple[wordpl.Task, wordpl.Task]],
    rule: wordpl.ComparisonRule,
    run: opt.GamesOptions,
    cluster: str | None,
    out: Path | None,
) -> wordpl.PairedComparison:
    trials = _MOST_TRIALS if run.trials is None and rule.until_settled else run.max_trials
    tasks = list({task.id: task for pair in pairs for task in pair}.values())
    workers = min(opt.number_of_jobs(run.jobs, cluster), trials * len(tasks))
    with kept_trials(out, tasks, trials) as store, opt.on_cluster(cluster), show_progress() as shown:
        return wordpl.compare(pairs, trials, workers, rule=rule, store=store, progress=shown)
