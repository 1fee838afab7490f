"""`wordpl win-rate`: the win rate of a strategy, exact or estimated without the noise of winning and losing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, NotRequired, cast

import typer
from typing_extensions import TypedDict

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.stopping import stopping
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.records import Doc, Interval, JsonEpsilon, Spec
from wordpl.reporting.layout import Column
from wordpl.reporting.tables import number, print_json, print_table
from wordpl.text.displays import json_epsilon

_CONFIDENCE = 0.99
# The percentile that each of our records is for, and its strategy.
RECORDS: list[tuple[int | None, str]] = [(5, "Fifth()"), (50, "Median()"), (95, "NinetyFifth()")]


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
        float | None, typer.Option(help="Of an estimate; by default 0.001, or 0.0003 with --records.", metavar="ERROR")
    ] = None,
    seed: opt.Seed = 1,
    jobs: opt.Jobs = 0,
    cluster: opt.Cluster = None,
    game: opt.GameOptions,
    contest_files: opt.ContestFiles = None,
    json: opt.Json = False,
) -> None:
    """Win rate of strategies, exact or with a 99% interval.

    It is exact up to two clues (three, if that takes no longer), and otherwise an estimate. Each history of clues
    counts with the posterior probability of the proposal, not with a win or a loss.
    """
    if records == bool(strategies):
        raise WordplError("name strategies, as NGuess(n_guesses=2, epsilon=7.8), or give --records; one of the two")
    listed = [(None, spec) for spec in strategies or ()] if not records else RECORDS
    terms = game.terms()
    # All of them before the first is run: a mistake in the last should not cost the time of the others.
    made = [wordpl.parse_strategy(spec, contest_files) for _, spec in listed]
    tasks = [wordpl.make_task(strategy, **terms) for strategy in made]
    opt.tell_of_contest_files(made)
    rows: list[WinRateRecord] = []
    workers = opt.number_of_jobs(jobs, cluster)
    with stopping(), opt.on_cluster(cluster):
        for task, (percentile, _) in zip(tasks, listed, strict=True):
            with show_progress("parts") as shown:
                found = wordpl.compute_win_rate(
                    task.strategy,
                    task.setting,
                    exact=exact,
                    standard_error=(0.0003 if records else 0.001) if standard_error is None else standard_error,
                    seed=seed,
                    jobs=workers,
                    progress=shown,
                )
            facts = asdict(found) | {
                "percentile": percentile,
                "name": found.strategy.partition("(")[0],
                "budget": json_epsilon(found.budget),
                "win_rate_interval": found.interval(_CONFIDENCE),
                "confidence": _CONFIDENCE,
            }
            keys = [key for key in WinRateRecord.__annotations__ if facts.get(key) is not None]
            rows.append(cast(WinRateRecord, {key: facts[key] for key in keys}))
    if json:
        print_json(rows if records or len(rows) > 1 else rows[0])
    else:
        _print(rows)


class WinRateRecord(TypedDict):
    """The win rate of a strategy."""

    percentile: NotRequired[Annotated[int, Doc("Which record it holds, 5, 50 or 95; only with `--records`.")]]
    name: Annotated[str, Doc("Name of the strategy.")]
    strategy: Spec
    budget: Annotated[JsonEpsilon, Doc("Mean budget of a game.")]
    win_rate: Annotated[float, Doc("Win rate, exact or estimated.")]
    win_rate_interval: Annotated[Interval, Doc("99% interval; twice the same number if exact.")]
    confidence: Annotated[float, Doc("Confidence of the interval.")]
    standard_error: Annotated[float, Doc("Of the estimate; 0 if exact.")]
    method: Annotated[str, Doc("How it was computed.")]
    exact: Annotated[bool, Doc("Whether all histories were gone through.")]
    histories: Annotated[int, Doc("How many histories were gone through.")]
    seconds: Annotated[float, Doc("Seconds that it took.")]


def _print(rows: list[WinRateRecord]) -> None:
    print_table(
        "Win rates",
        [
            Column("strategy", kind="text"),
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
