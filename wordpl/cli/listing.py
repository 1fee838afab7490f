"""`wordpl list`: the strategies of the library, what there is to know of one, and the words of a list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer
from typer import Argument, Option

import wordpl
from wordpl.base.errors import WordplError
from wordpl.cli import options as opt
from wordpl.reporting.layout import TableColumn
from wordpl.reporting.tables import TABLE, TableStyle, print_table, print_text


def list_(
    names: Annotated[
        list[str] | None, Argument(help="Explain these strategies: parameters, win rates, source.", metavar="STRATEGY")
    ] = None,
    *,
    words: Annotated[str | None, opt.choice(opt.WORD_LISTS, "List the answers of a word list, not strategies")] = None,
    every_guess: Annotated[bool, Option("--every-guess", help="List every word that can be guessed.")] = False,
    table: opt.FormatOptions,
) -> None:
    """List the strategies, explain some of them, or list the words of a word list."""
    if words is not None:
        if names:
            raise WordplError("--words lists words, not strategies; leave out --words or the strategies")
        listed = wordpl.load_words(words)
        chosen = listed.guesses if every_guess else listed.answers
        table.show(lambda: list(chosen), partial(_print_words, chosen))
        return
    if every_guess:
        raise WordplError("--every-guess is for words; add --words, such as --words nyt2023")
    described = [wordpl.simulation.describe_strategy(name) for name in names or wordpl.strategies()]
    table.show(lambda: described, partial(_print_strategies, described, bool(names)))


def _print_words(words: Sequence[str], style: TableStyle) -> None:
    if style.format == TABLE:
        typer.echo("\n".join(words))
    else:
        print_table("", ["word"], [[word] for word in words], style=style)


def _print_strategies(described: list[wordpl.simulation.StrategyDescription], whole: bool, style: TableStyle) -> None:
    if style.format != TABLE:
        rows = [[one.call, one.account.splitlines()[0]] for one in described]
        print_table("", ["strategy", "account"], rows, style=style)
        return
    for i, one in enumerate(described):
        if i:
            typer.echo()
        print_text(one.call)
        if whole:
            _explain(one)
        else:
            print_text(f"    {one.account.splitlines()[0]}")


def _explain(strategy: wordpl.simulation.StrategyDescription) -> None:
    """Print what there is to know of a strategy, below its call."""
    for paragraph in strategy.account.split("\n\n"):
        typer.echo()
        print_text(paragraph)
    if strategy.parameters:
        columns = [TableColumn(name, kind="text") for name in ("parameter", "default", "meaning")]
        rows = [[p.name, "required" if p.default is None else p.default, p.meaning] for p in strategy.parameters]
        typer.echo()
        print_table("Parameters", columns, rows)
    if played := strategy.win_rates:
        columns = [TableColumn("spec", kind="text"), *map(TableColumn, ("budget", "win rate", "95%"))]
        rows = []
        for one in played:
            interval = "[{:.1%}, {:.1%}]".format(*one.interval)
            rows.append([f"{one.spec} {one.options}".rstrip(), f"{one.budget:g}", f"{one.win_rate:.1%}", interval])
        typer.echo()
        print_table(f"Posterior win rate in {played[0].trials:,} games, by their mean budget", columns, rows)
    typer.echo()
    print_text(f"To try it: {strategy.example}")
    print_text(f"Source: {strategy.source}")
