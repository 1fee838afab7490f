"""`wordpl value`: the win rate of a strategy, exact or estimated without the noise of winning and losing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.errors import WordplError
from wordpl.reporting.tables import number, print_json, print_table

if TYPE_CHECKING:
    from wordpl.search.win_rate import WinRate

_CONFIDENCE = 0.99


def register(app: typer.Typer) -> None:
    app.command()(value)


def value(
    strategies: Annotated[
        list[str] | None,
        typer.Argument(help='Specs, as "NGuess(n_guesses=2, epsilon=7.8)"; see wordpl list.', metavar="SPEC…"),
    ] = None,
    records: Annotated[bool, typer.Option("--records", help="The three strategies that hold our records.")] = False,
    exact: Annotated[
        bool | None,
        typer.Option("--exact/--sample", help="Go through all histories, or draw them; by their number unless told."),
    ] = None,
    standard_error: Annotated[
        float | None, typer.Option("--standard-error", help="Of an estimate; 0.001 unless told, 0.0003 for --records.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Names the draws of an estimate.")] = 1,
    jobs: opt.Jobs = 0,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    rule: opt.Rule = "letterwise",
    channel: opt.ChannelName = "randomized_response",
    json: opt.Json = False,
) -> None:
    """The win rate of strategies: exact up to two clues (three, if it takes no longer), else an estimate with its
    99% interval.

    Each history of clues counts with the posterior probability of the proposal, not with a win or a loss.
    """
    from wordpl.model.channel import channel_family
    from wordpl.play.specs import parse_strategy
    from wordpl.search.win_rate import compute_win_rate as value_of
    from wordpl.simulation.sweep import make_task

    if records == bool(strategies):
        raise WordplError("name strategies, as NGuess(n_guesses=2, epsilon=7.8), or give --records; one of the two")
    listed = [(None, spec) for spec in strategies or ()] if not records else _records()
    listed_words, family = opt.word_list(words, answers, guesses), channel_family(channel)
    # All of them before the first is run: a mistake in the last should not cost the time of the others.
    tasks = [make_task(parse_strategy(spec), words=listed_words, rule=rule, channel=family) for _, spec in listed]
    rows = []
    for task, (percentile, _) in zip(tasks, listed, strict=True):
        found = value_of(
            task.strategy,
            task.setting,
            exact=exact,
            standard_error=(0.0003 if records else 0.001) if standard_error is None else standard_error,
            seed=seed,
            jobs=opt.number_of_jobs(jobs),
        )
        rows.append(({} if percentile is None else {"percentile": percentile}) | _row(found))
    if json:
        print_json(rows if records or len(rows) > 1 else rows[0])
    else:
        _print(rows)


def _records() -> list[tuple[int | None, str]]:
    return [(5, "Fifth()"), (50, "Median()"), (95, "NinetyFifth()")]


def _row(found: WinRate) -> dict[str, Any]:
    from wordpl.simulation.evaluation import finite

    return {
        "name": found.strategy.partition("(")[0],
        "strategy": found.strategy,
        "budget": finite(found.budget),
        "win_rate": found.win_rate,
        "interval": list(found.interval(_CONFIDENCE)),
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
        ["strategy", "budget", "win rate", "99% interval", "by", "histories", "seconds"],
        [
            [
                row["strategy"],
                number(row["budget"], 6),
                f"{row['win_rate']:.6f}" if row["exact"] else f"{row['win_rate']:.4f}",
                "exact" if row["exact"] else "{:.4f} to {:.4f}".format(*row["interval"]),
                row["method"],
                f"{row['histories']:,}",
                f"{row['seconds']:.1f}",
            ]
            for row in rows
        ],
    )
