"""`wordpl contest board`: the ranking of each board, on the terminal or in a file."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

import wordpl
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import visible
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import BOARD, LEDGER_COPY
from wordpl.reporting.tables import TABLE, TABLE_FORMATS, print_json

if TYPE_CHECKING:
    from wordpl.contest.ledger.reader import LedgerReader


def board(
    entry: Annotated[str, Argument(help="Show only this entry: its id, or part of its name.")] = "",
    *,
    ledger: opt.LedgerFile = opt.LEDGER,
    out: Annotated[Path | None, opt.out("Write the tables, or copy the ledger to .sqlite", BOARD, LEDGER_COPY)] = None,
    format: Annotated[
        str,
        opt.choice((*TABLE_FORMATS, "contest"), "How to print the tables", "contest: the contest's own CSV, in --out."),
    ] = TABLE,
    sort: opt.Sort = "",
    errors: Annotated[bool, Option("--errors", help="Also show the first games lost to errors.")] = False,
    json: opt.Json = False,
) -> None:
    """Show the ranking of each board.

    Entries are ranked by the smallest budget that was shown to win 5%, 50% or 95% of games.
    """
    if out is None:  # what else is wrong with --out is said first
        opt.check_there(ledger, kind="contest file")
    from wordpl.contest.audit.whole import check_shown
    from wordpl.contest.board.leaderboard import entry_record, read_boards, write_board

    style = opt.TableOptions(TABLE if format == "contest" else format, sort).style(json)
    if format == "contest" and out is None:
        raise WordplError("--format contest is for a file; give --out FILE")
    written_as = format if format == "contest" or out is None else out.suffix.lower()[1:]
    with wordpl.contest.Ledger(ledger, read_only=True) as book, book.snapshot():
        entries = book.entries(entry)
        check_shown(book, entries if json or errors or out is not None else ())
        ranks = book.ranks()
        records = [entry_record(book, row, ranks) for row in entries]
        boards = read_boards(book, entries, ranks)
        losses = [line for row in entries for line in _lost(book, row)] if errors else []
        hidden = f"commitment to the contest's secret {visible(book.contest.commitment)}"
    if out is not None:
        note = f"{counted(len(records), 'submission')} written to {out}"
        with wordpl.contest.Ledger(ledger, read_only=True) as book:
            if written_as == "sqlite":
                book.publish(out)
                note = f"the ledger is copied to {out}, without what is secret"
            elif written_as == "html":
                wordpl.contest.write_contest_report(book, out, match=entry)
            else:
                write_board(out, written_as, records, boards)
        NOTES.info("%s", note)
    if json:
        print_json(records)
        return
    if not entries:
        raise WordplError(f"{ledger} has no submission" + (f" that matches {entry!r}" if entry else ""))
    for shown in boards:
        shown.print(style)
    typer.echo("\n".join((*losses, hidden)), err=style.format != TABLE)


def _lost(book: LedgerReader, entry: wordpl.contest.Entry) -> list[str]:
    """Return lines about the first five trials lost other than by a wrong proposal, with their stderr."""
    lines: list[str] = []
    rows = () if entry.running else book.rows(entry)
    for row in itertools.islice((row for row in rows if row.reason), 5):
        lines.append(f"{entry.id} trial {row.trial}: {row.verdict}: {visible(row.reason)}")
        lines += [f"    {visible(message)}" for message in row.errors.splitlines()[-12:]]
    return lines
