"""`wordpl compare`: which strategy is ahead, by how much, and how certain that is."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

import wordpl
from wordpl import reporting, simulation
from wordpl.base.errors import WordplError
from wordpl.base.progress import show_progress
from wordpl.cli import options as opt
from wordpl.cli.runs import kept_trials, specs_on_grids
from wordpl.cli.targets import PICTURE, RESULTS
from wordpl.reporting.tables import TABLE, print_json

if TYPE_CHECKING:
    from wordpl.play.announced import Spec

_PLAYED = ("epsilon", "budget", "trials", "seed", *opt.GAME)


def compare(
    strategies: Annotated[
        list[str] | None,
        Argument(help="Two strategies or more. With --results: their names, or parts of them.", metavar="STRATEGY"),
    ] = None,
    *,
    ctx: typer.Context,
    every: Annotated[
        bool, Option("--all", help="Rank the strategies and show who beats whom, by win rate or by --statistic.")
    ] = False,
    epsilon: opt.EpsilonGrid = None,
    budget: Annotated[
        str | None, Option(help="Budgets of a game, such as 10:30:10. They determine the epsilons.", metavar="GRID")
    ] = None,
    results: Annotated[Path | None, Option(help="Play nothing; compare strategies in this results file.")] = None,
    where: opt.Where = None,
    out: Annotated[
        list[Path] | None, opt.out("Keep the trials in a results file, or draw the differences", RESULTS, PICTURE)
    ] = None,
    statistic: Annotated[list[str] | None, opt.choice(opt.STATISTICS, "Compare only this statistic")] = None,
    margin: Annotated[
        float | None,
        Option(
            help="Count strategies as level if their win rates differ by less than this (percentiles: by less than this"
            " fraction). Default: 0.01.",
            parser=opt.SHARE,
        ),
    ] = None,
    run: opt.GamesOptions,
    cluster: opt.Cluster = None,
    game: opt.GameOptions,
    table: opt.TableOptions,
    json: opt.Json = False,
) -> None:
    """Tell which strategy is ahead, by how much, and how certain that is.

    All strategies play the same trials, with the same answers and the same noise. You see the difference of win rates
    and of the 5th, 50th and 95th percentile, with intervals. Strategies without an epsilon play at each --epsilon, or
    at equal budgets with --budget. With --all you see a tournament: a ranking, and who beats whom.
    """
    style = table.style(json)
    pictures = [path for path in out or [] if path.suffix.lower() in PICTURE.endings]
    files = [path for path in out or [] if path not in pictures]
    if len(files) > 1:
        raise WordplError(f"--out names {len(files)} results files; give at most one")
    if results is not None:
        if files:
            raise WordplError("--results plays nothing; leave out --out FILE.sqlite")
        opt.refuse_typed(ctx, _PLAYED, "--results, which plays nothing; to choose from the file use --where")
        opt.check_there(results, kind="results file")
    elif where:
        raise WordplError("--where chooses from a results file; give one with --results")
    else:
        pairs = _pairs(strategies or [], epsilon, budget, run, game)
    from wordpl.reporting.comparison_tables import comparison_record
    from wordpl.simulation.comparison import MARGIN

    usual = opt.STATISTICS[:1] if every else opt.STATISTICS
    statistics, error = tuple(statistic or usual), round(1.0 - table.confidence, 12)
    rule = wordpl.ComparisonRule(statistics, MARGIN if margin is None else margin, error)
    if results is not None:
        with wordpl.Store(results, read_only=True) as store:
            comparison = simulation.compare_outcomes(simulation.read_pairs(store, strategies or [], where or ()), rule)
    else:
        trials = run.max_trials
        tasks = list({task.id: task for pair in pairs for task in pair}.values())
        workers = min(opt.number_of_jobs(run.jobs, cluster), trials * len(tasks))
        context = kept_trials(files[0] if files else None, tasks, trials)
        with context as store, opt.on_cluster(cluster), show_progress() as progress:
            comparison = wordpl.compare(pairs, trials, workers, rule=rule, store=store, progress=progress)
    for path in pictures:
        (reporting.draw_tournament if every else reporting.draw_comparison)(comparison, path)
    if json:
        print_json(comparison_record(comparison, ranked=every))
        return
    (reporting.print_tournament if every else reporting.print_comparison)(comparison, style)
    for path in out or []:
        typer.echo(f"{'plot' if path in pictures else 'results'}: {path}", err=table.format != TABLE)


def _pairs(
    texts: list[str], epsilon: str | None, budget: str | None, run: opt.GamesOptions, game: opt.GameOptions
) -> list[tuple[wordpl.Task, wordpl.Task]]:
    """Every two of the specs, at each epsilon or budget that one of them lacks."""
    from wordpl.simulation.grids import epsilon_grid

    if epsilon is not None and budget is not None:
        raise WordplError("use either --epsilon or --budget")
    typed = budget if epsilon is None else epsilon
    grid = epsilon_grid(opt.DEFAULT_GRID if typed is None else typed)
    if len(texts) < 2:
        raise WordplError("give at least two strategies, or --results FILE")
    option = "" if typed is None else "--epsilon" if budget is None else "--budget"
    specs = specs_on_grids(texts, {"epsilon": option})
    terms = game.terms()

    def built(text: str, spec: Spec, on_grid: bool, value: float) -> wordpl.Strategy:
        if on_grid and budget is not None:
            return simulation.strategy_at_budget(text, value, **terms)
        return spec.build(epsilon=value) if on_grid else spec.build()

    groups = [
        [built(text, spec, bool(on_grid), value) for text, (spec, on_grid) in zip(texts, specs, strict=True)]
        for value in (grid if any(on_grid for _, on_grid in specs) else grid[:1])
    ]
    opt.tell_of_contest_files(groups[0])
    tasks = {strategy: wordpl.make_task(strategy, run.seed, **terms) for group in groups for strategy in group}
    pairs: dict[frozenset[wordpl.Strategy], tuple[wordpl.Task, wordpl.Task]] = {}
    for group in groups:
        for first, second in itertools.combinations(group, 2):
            pairs.setdefault(frozenset((first, second)), (tasks[first], tasks[second]))
    # A spec with an epsilon may be what another one is at that epsilon of the grid.
    return [pair for both, pair in pairs.items() if len(both) == 2] or list(pairs.values())
