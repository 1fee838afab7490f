"""`wordpl compare`: which strategy is ahead, by how much, and how certain that is."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from typer import Argument, Option

import wordpl
from wordpl.base.defaults import MARGIN, STATISTICS
from wordpl.base.errors import WordplError
from wordpl.cli import options as opt
from wordpl.cli.runs import on_grids, playing
from wordpl.cli.targets import PICTURE, RESULTS, TABLES


@dataclass(frozen=True)
class RuleOptions:
    """The statistics that are compared, and when strategies are level."""

    section = "Comparison"

    every: Annotated[
        bool, Option("--all", help="Rank the strategies and show who beats whom, by win rate or by --statistic.")
    ] = False
    statistic: Annotated[list[str] | None, opt.choice(STATISTICS, "Compare only this statistic")] = None
    margin: Annotated[
        float,
        Option(
            help="Strategies are level if win rates differ by less than this, percentiles by less than this fraction.",
            parser=opt.SHARE,
        ),
    ] = MARGIN

    def rule(self, confidence: float) -> wordpl.ComparisonRule:
        """The rule, with intervals of that confidence."""
        usual = STATISTICS[:1] if self.every else STATISTICS
        return wordpl.ComparisonRule(tuple(self.statistic or usual), self.margin, round(1.0 - confidence, 12))

    def show(self, comparison: wordpl.simulation.PairedComparison, table: opt.TableOptions) -> None:
        """Print a comparison, and draw it into the pictures that --out names."""
        from wordpl.reporting.comparison_tables import comparison_record

        for path in table.every(PICTURE):
            (wordpl.reporting.draw_tournament if self.every else wordpl.reporting.draw_comparison)(comparison, path)
        printed = wordpl.reporting.print_tournament if self.every else wordpl.reporting.print_comparison
        table.show(lambda: comparison_record(comparison, ranked=self.every), partial(printed, comparison))


def compare(
    strategies: Annotated[list[str], Argument(help="Two strategies or more.", metavar="STRATEGY")],
    *,
    epsilon: opt.EpsilonGrid = None,
    budget: Annotated[
        str | None, Option(help="Give all strategies these budgets a game, not epsilons: 10:30:10.", metavar="GRID")
    ] = None,
    compared: RuleOptions,
    run: opt.GamesOptions,
    cluster: opt.Cluster = None,
    game: opt.GameOptions,
    table: Annotated[
        opt.TableOptions,
        opt.out(
            "Keep the trials in a results file, draw the differences, or write the table", RESULTS, PICTURE, TABLES
        ),
    ],
) -> None:
    """Tell which strategy is ahead, by how much, and how certain that is.

    All strategies play the same trials, with the same answers and the same noise. You see the difference of win rates
    and of the 5th, 50th and 95th percentile, with intervals. Strategies without an epsilon play at each --epsilon, or
    at equal budgets with --budget. With --all you see a tournament: a ranking, and who beats whom. To compare games
    that were played before, use wordpl results.
    """
    if epsilon is not None and budget is not None:
        raise WordplError("use either --epsilon or --budget")
    if len(strategies) < 2:
        raise WordplError("give at least two strategies")
    terms = game.terms()
    at_budget = None if budget is None else partial(wordpl.simulation.strategy_at_budget, **terms)
    grids = on_grids(strategies, epsilon if budget is None else budget, at_budget=at_budget)
    by_spec = [[wordpl.make_task(one, run.seed, **terms) for one in built] for built in grids]
    pairs: dict[frozenset[str], tuple[wordpl.Task, wordpl.Task]] = {}
    longest = max(map(len, by_spec))  # one with an epsilon of its own is in each group
    for group in zip(*(tasks * (longest // len(tasks)) for tasks in by_spec), strict=True):
        for one, other in itertools.combinations(group, 2):
            pairs.setdefault(frozenset((one.id, other.id)), (one, other))
    # A spec with an epsilon may be what another one is at that epsilon of the grid.
    different = [pair for both, pair in pairs.items() if len(both) == 2] or list(pairs.values())
    with playing(table.one(RESULTS), cluster) as (store, progress):
        comparison = wordpl.compare(
            different,
            trials=run.max_trials,
            jobs=run.workers,
            by=compared.rule(table.confidence),
            store=store,
            progress=progress,
        )
    compared.show(comparison, table)
