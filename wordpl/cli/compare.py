"""`wordpl compare`: which strategy is ahead, by how much, and how surely."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.runs import DEFAULT_GRID, kept
from wordpl.cli.stopping import stopping
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.tables import print_json

if TYPE_CHECKING:
    from wordpl.play.strategy import Strategy
    from wordpl.simulation.comparison import ComparisonRule, PairedComparison
    from wordpl.simulation.store import Store
    from wordpl.simulation.tasks import Task

_PICTURES = (".png", ".svg", ".pdf", ".eps", ".ps", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
_MOST_TRIALS = 16_001
"""With --until-settled and no --trials, give up here, as a run of the contest does."""


def register(app: typer.Typer, section: str) -> None:
    add(app, compare, section)


@dataclass(frozen=True)
class CompareOptions:
    """What is compared, and when it is decided."""

    figure: Annotated[
        list[str] | None,
        typer.Option(
            "--figure", help="Compare only this: win_rate, p05, p50 or p95; repeatable; all by default.", metavar="NAME"
        ),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin", help="What is level: win rates this close, percentiles this share; 0.01.", metavar="X"
        ),
    ] = None
    until_settled: Annotated[
        bool,
        typer.Option("--until-settled", help="Look at fixed times, and stop a pair once nothing in it is undecided."),
    ] = False

    def rule(self) -> ComparisonRule:
        """The rule that the options name."""
        from wordpl.simulation.comparison import FIGURES, MARGIN, ComparisonRule

        figures = FIGURES if not self.figure else tuple(self.figure)
        return ComparisonRule(figures, MARGIN if self.margin is None else self.margin, until_settled=self.until_settled)


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
    results: Annotated[
        Path | None, typer.Option("--results", help="Play nothing: compare what this results file has.", metavar="FILE")
    ] = None,
    where: opt.Where = None,
    out: Annotated[
        list[Path] | None,
        opt.out(
            "Keep the trials in this results file, or draw the differences into a picture (.png, ...); repeatable."
        ),
    ] = None,
    contest_files: opt.ContestFiles = None,
    choice: CompareOptions,
    run: opt.GamesOptions,
    cluster: opt.Cluster = None,
    game: opt.ChannelOptions,
    json: opt.Json = False,
) -> None:
    """Tell which strategy is ahead, by how much and how surely.

    All play the same trials: the same answers and the same noise. It shows the difference of win rates and of the 5th,
    50th and 95th percentile, with intervals. Specs are compared with each other at each epsilon.
    """
    from wordpl.reporting.comparison_plots import check_target, draw_comparison
    from wordpl.reporting.comparison_tables import comparison_record, print_comparison

    rule = choice.rule()
    pictures = [path for path in out or [] if path.suffix.lower() in _PICTURES]
    files = [path for path in out or [] if path not in pictures]
    for path in pictures:
        check_target(path)
    if len(files) > 1:
        raise WordplError(f"--out names {len(files)} results files; at most one is expected")
    if results is not None:
        found = _stored(results, strategies or [], where or (), rule, [epsilon, run.trials, *files])
    elif where:
        raise WordplError("--where chooses from a results file; give one with --results")
    else:
        grid = opt.epsilon_grid(epsilon or DEFAULT_GRID)
        pairs = _pairs(strategies or [], grid, contest_files, run, game)
        found = _played(pairs, rule, run, cluster, files[0] if files else None)
    for path in pictures:
        draw_comparison(found, path)
    if json:
        print_json(comparison_record(found))
        return
    print_comparison(found)
    for path in out or []:
        typer.echo(f"{'plot' if path in pictures else 'results'}: {path}")


def _stored(
    file: Path, texts: list[str], where: Sequence[str], rule: ComparisonRule, refused: list[object]
) -> PairedComparison:
    from wordpl.simulation.pairing import compare_outcomes, read_pairs
    from wordpl.simulation.store import Store

    if any(value is not None for value in refused):
        raise WordplError(
            "--results compares what is there; --epsilon, --trials and a results file to write are for what is played"
        )
    with Store(file, must_exist=True) as store:
        return compare_outcomes(read_pairs(store, texts, where), rule)


def _pairs(
    texts: list[str], grid: list[float], contest_files: Path | None, run: opt.GamesOptions, game: opt.ChannelOptions
) -> list[tuple[Task, Task]]:
    """Every two of the specs, at each epsilon that one of them lacks."""
    from wordpl.simulation.sweep import make_task
    from wordpl.specs import parse_spec

    if len(texts) < 2:
        raise WordplError("at least two strategies are expected, or --results FILE")
    specs = [parse_spec(text, contest_files) for text in texts]
    groups = [
        [spec.build(epsilon=value) if spec.lacks_epsilon else spec.build() for spec in specs]
        for value in (grid if any(spec.lacks_epsilon for spec in specs) else grid[:1])
    ]
    for strategy in groups[0]:
        opt.tell_of_contest_files(strategy)
    word_list, family, seconds, played = game.load(), game.family(), run.seconds, game.played()

    def task(strategy: Strategy) -> Task:
        return make_task(
            strategy, run.seed, words=word_list, rule=game.rule, channel=family, format=played, game_seconds=seconds
        )

    tasks = {strategy: task(strategy) for group in groups for strategy in group}
    found: dict[frozenset[Strategy], tuple[Strategy, Strategy]] = {}
    for group in groups:
        for pair in itertools.combinations(group, 2):
            found.setdefault(frozenset(pair), pair)
    # A spec with an epsilon may be what another one is at that epsilon of the grid.
    different = [pair for both, pair in found.items() if len(both) == 2] or list(found.values())
    return [(tasks[first], tasks[second]) for first, second in different]


def _played(
    pairs: list[tuple[Task, Task]], rule: ComparisonRule, run: opt.GamesOptions, cluster: str | None, out: Path | None
) -> PairedComparison:
    from wordpl.simulation.pairing import compare as compare_tasks
    from wordpl.simulation.store import Store

    trials = _MOST_TRIALS if run.trials is None and rule.until_settled else run.max_trials
    tasks = list({task.id: task for pair in pairs for task in pair}.values())
    workers = min(opt.number_of_jobs(run.jobs, cluster), trials * len(tasks))

    def play(store: Store | None) -> PairedComparison:
        with opt.on_cluster(cluster), show_progress() as shown:
            return compare_tasks(pairs, trials, workers, rule=rule, store=store, progress=shown)

    if out is None:
        with stopping():
            return play(None)
    with Store(out, command=opt.this_command()) as store, stopping(lambda: kept(store, tasks, trials)):
        return play(store)
