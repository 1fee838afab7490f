"""`wordpl win-rate`: the win rate of a strategy, exact or estimated without the noise of winning and losing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.stopping import stopping
from wordpl.displays import json_epsilon
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.layout import Column
from wordpl.reporting.tables import number, print_json, print_table

if TYPE_CHECKING:
    from wordpl.search.win_rate import WinRate

_CONFIDENCE = 0.99
# The percentile that each of our records is for, and its strategy.
RECORDS: list[tuple[int | None, str]] = [(5, "Fifth()"), (50, "Median()"), (95, "NinetyFifth()")]


def register(app: typer.Typer, section: str) -> None:
    add(app, win_rate, section, name="win-rate")


def win_rate(
    strategies: Annotated[
        list[str] | None,
        typer.Argument(
            help='Specs, as "NGuess(n_guesses=2, epsilon=7.8)"; wordpl list shows ours.', metavar="STRATEGY"
        ),
    ] = None,
    *,
    records: Annotated[bool, typer.Option("--records", help="The three strategies that hold our records.")] = False,
    exact: Annotated[
        bool | None,
        typer.Option("--exact/--sample", help="Go through all histories, or draw some; by default the cheaper."),
    ] = None,
    standard_error: Annotated[
        float | None,
        typer.Option(
            "--standard-error", help="Of an estimate; by default 0.001, or 0.0003 with --records.", metavar="ERROR"
        ),
    ] = None,
    seed: opt.Seed = 1,
    jobs: opt.Jobs = 0,
    cluster: opt.Cluster = None,
    game: opt.ChannelOptions,
    contest_files: opt.ContestFiles = None,
    json: opt.Json = False,
) -> None:
    """Win rate of strategies, exact or with a 99% interval.

    It is exact up to two clues (three, if that takes no longer), and otherwise an estimate. Each history of clues
    counts with the posterior probability of the proposal, not with a win or a loss.
    """
    from wordpl.search.win_rate import compute_win_rate as value_of
    from wordpl.simulation.sweep import make_task
    from wordpl.specs import parse_strategy

    if records == bool(strategies):
        raise WordplError("name strategies, as NGuess(n_guesses=2, epsilon=7.8), or give --records; one of the two")
    listed = [(None, spec) for spec in strategies or ()] if not records else RECORDS
    words, family = game.load(), game.family()
    # All of them before the first is run: a mistake in the last should not cost the time of the others.
    made = [parse_strategy(spec, contest_files) for _, spec in listed]
    format = game.played()
    tasks = [make_task(strategy, words=words, rule=game.rule, channel=family, format=format) for strategy in made]
    for strategy in made:
        opt.tell_of_contest_files(strategy)
    rows, workers = [], opt.number_of_jobs(jobs, cluster)
    with stopping(), opt.on_cluster(cluster):
        for task, (percentile, _) in zip(tasks, listed, strict=True):
            with show_progress("parts") as shown:
                found = value_of(
                    task.strategy,
                    task.setting,
                    exact=exact,
                    standard_error=(0.0003 if records else 0.001) if standard_error is None else standard_error,
                    seed=seed,
                    jobs=workers,
                    progress=shown,
                )
            rows.append(({} if percentile is None else {"percentile": percentile}) | _row(found))
    if json:
        print_json(rows if records or len(rows) > 1 else rows[0])
    else:
        _print(rows)


def _row(found: WinRate) -> dict[str, Any]:
    return {
        "name": found.strategy.partition("(")[0],
        "strategy": found.strategy,
        "budget": json_epsilon(found.budget),
        "win_rate": found.win_rate,
        "win_rate_interval": list(found.interval(_CONFIDENCE)),
        "confidence": _CONFIDENCE,
        "standard_error": found.standard_error,
        "method": found.method,
        "exact": found.exact,
        "histories": found.histories,
        "seconds": found.seconds,
    }


def _print(rows: list[dict[str, Any]]) -> None:
    print_table(
        "Win rates",
        [
            Column("strategy", kind="spec"),
            Column("budget", 1),
            Column("win rate"),
            Column("99%", 2, full_name="99% interval"),
            Column("by", 3, "text"),
            Column("histories", 4),
            Column("seconds", 5),
        ],
        [
            [
                row["strategy"],
                number(float(row["budget"]), 6),
                f"{row['win_rate']:.6f}" if row["exact"] else f"{row['win_rate']:.4f}",
                "exact" if row["exact"] else "{:.4f} to {:.4f}".format(*row["win_rate_interval"]),
                row["method"],
                f"{row['histories']:,}",
                f"{row['seconds']:.1f}",
            ]
            for row in rows
        ],
    )
