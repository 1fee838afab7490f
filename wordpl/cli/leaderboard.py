"""`wordpl leaderboard`, and how entries are printed."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import BOARD, LEDGER_COPY
from wordpl.errors import WordplError
from wordpl.reporting.tables import print_json, print_table
from wordpl.text.displays import counted
from wordpl.text.sanitizing import visible

if TYPE_CHECKING:
    from wordpl.contest.ledger.reader import LedgerReader

LedgerFile = Annotated[Path, typer.Option("--ledger", help="The contest's file.")]
LEDGER = Path("results/contest.sqlite")


def leaderboard(
    ledger: LedgerFile = LEDGER,
    match: Annotated[str, typer.Option("--match", "-m", help="Only names that contain this text, or an id.")] = "",
    export: Annotated[
        Path | None,
        opt.out("Also write it to a .md, .html, .csv or .json; or copy the ledger to a .sqlite.", BOARD, LEDGER_COPY),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="contest: the CSV of the contest's own evaluate.py.", metavar="FORMAT")
    ] = "",
    errors: Annotated[bool, typer.Option("--errors", help="Also show how the first lost trials ended.")] = False,
    clear: Annotated[str, typer.Option(help="Rank the flagged entry with this id; needs --reason.")] = "",
    reason: Annotated[str, typer.Option(help="Why the flag is cleared.")] = "",
    close: Annotated[bool, typer.Option("--close", help="Publish the contest's secret; no more entries.")] = False,
    record: Annotated[
        list[str] | None, typer.Option(help="The record to beat from now on, such as 5=15.6.", metavar="PERCENT=BUDGET")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="By how many percent a record must be beaten from now on.")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Show the ranking of each board.

    The rank at a percentile goes by the smallest budget that surely wins that often.
    """
    from wordpl.contest.audit.chain import check_shown
    from wordpl.reporting.board_files import format_of, write_board
    from wordpl.reporting.leaderboard import by_board, entry_record, ordinal, read_board

    written_as = "" if export is None else format_of(export, form)
    if record or margin is not None:
        with wordpl.Ledger(ledger, must_exist=True) as book:
            now = book.set_records(_budgets(record or []), None if margin is None else margin / 100)
            budgets = ", ".join(f"{ordinal(q)} {budget:g}" for q, budget in now.budgets.items())
            typer.echo(f"records for entries from now on: {budgets}; to beat by {100 * now.margin:g}%", err=True)
    if clear or reason:
        if not (clear and reason):
            raise WordplError("--clear ID and --reason TEXT go together")
        with wordpl.Ledger(ledger, must_exist=True) as book:
            book.clear(book.entry(clear), reason)
    if close:
        with wordpl.Ledger(ledger, must_exist=True) as book:
            typer.echo(f"the contest is closed; its secret: {book.close_contest()}", err=True)
    with wordpl.Ledger(ledger, read_only=True) as book, book.snapshot():
        entries = book.entries(match)
        check_shown(book, entries if json or errors or export is not None else ())
        ranks = book.ranks()
        records = [entry_record(book, entry, ranks) for entry in entries]
        boards = [read_board(book, board, its, ranks) for board, its in by_board(entries)]
        lost = [line for entry in entries for line in _lost(book, entry)] if errors else []
        chain = f"last event {visible(book.head)}; commitment to the contest's secret {visible(book.commitment)}"
    if export is not None and written_as == "sqlite":
        with wordpl.Ledger(ledger, read_only=True) as book:
            book.publish(export)
        NOTES.info("the ledger is copied to %s, without what is secret", export)
    elif export is not None:
        write_board(export, written_as, records, boards)
        NOTES.info("%d submissions written to %s", len(records), export)
    if json:
        print_json(records)
        return
    if not entries:
        raise WordplError(f"{ledger} has no submission" + (f" that matches {match!r}" if match else ""))
    for board in boards:
        if board.rows:
            _print_rows(board.title, board.rows, board.notes)
        else:
            for line in (board.title, *board.notes):
                typer.echo(line)
    for line in [*lost, chain]:
        typer.echo(line)


def _budgets(texts: list[str]) -> dict[float, float]:
    """Return the budgets by percentile of texts such as 5=15.6."""
    from wordpl.simulation.statistics import PERCENTILES

    budgets = {}
    for text in texts:
        percent, _, budget = text.partition("=")
        try:
            q, value = float(percent) / 100, float(budget)
        except ValueError:
            q, value = math.nan, math.nan
        if q not in PERCENTILES:
            raise WordplError(f"record {text[:40]!r} is not allowed; 5, 50 or 95, = and a budget are expected: 5=15.6")
        budgets[q] = value
    return budgets


def _print_rows(title: str, rows: list[dict[str, str]], notes: list[str]) -> None:
    from wordpl.reporting.leaderboard import told_columns

    columns = told_columns(rows)
    print_table(title, columns, [[row[name] for name in columns] for row in rows], notes)


def print_standings(book: LedgerReader, entry: wordpl.Entry) -> None:
    """Print the table of an entry whose run is over."""
    from wordpl.reporting.leaderboard import cells_of, ordinal, state_of

    board, standings, ranks = entry.board, book.standings(entry), book.ranks()
    rows, records = [], book.records(entry)
    for standing in standings:
        rank = str(ranks.get((entry.key, standing.percentile), "-"))
        rows.append({"percentile": ordinal(standing.percentile), "rank": rank} | cells_of(standing, entry, records))
    counts = ", ".join(f"{verdict} {n}" for verdict, n in book.verdicts(entry).items() if n)
    notes = [f"verdicts: {counts}", *(f"{counted(n, 'trial')} lost: {reason}" for reason, n in book.reasons(entry))]
    for standing in standings:
        if not standing.decided:
            advice = f"the win rate is too close to {standing.percentile:.0%}, and a larger budget may get a rank"
            advice = "a smaller budget may be enough" if math.isfinite(standing.budget) else advice
            after = f"undecided after {standing.trials:,} trials, the maximum"
            notes.append(f"{ordinal(standing.percentile)} percentile: {after}; {advice}")
    notes += [f"this entry {state_of(entry)}"] if entry.flagged else []
    notes += [f"this entry {visible(entry.contest_files, 200)}"] if entry.contest_files else []
    notes.append(board.title(entry.words))
    _print_rows(f"{visible(entry.name)}: {visible(entry.strategy)}, {entry.trials or 0:,} trials", rows, notes)


def _lost(book: LedgerReader, entry: wordpl.Entry, max_trials: int = 5) -> list[str]:
    """Return lines about the first trials lost other than by a wrong proposal, with their stderr."""
    if entry.running:
        return []
    rows = itertools.islice((row for row in book.rows(entry) if row.reason), max_trials)
    return [
        line
        for row in rows
        for line in [
            f"{entry.id} trial {row.trial}: {row.verdict}: {visible(row.reason)}",
            *(f"    {visible(message)}" for message in row.errors.splitlines()[-12:]),
        ]
    ]
