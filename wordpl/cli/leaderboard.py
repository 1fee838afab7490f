"""`wordpl leaderboard`, and how entries are printed."""

from __future__ import annotations

import itertools
import json as jsonlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.errors import WordplError
from wordpl.reporting.tables import interval, number, print_json, print_table

if TYPE_CHECKING:
    from wordpl.contest.entries import Board, Entry
    from wordpl.contest.ledger_reader import LedgerReader
    from wordpl.contest.ranking import Records, Standing

LedgerFile = Annotated[Path, typer.Option("--ledger", help="The contest's file.")]
LEDGER = Path("results/contest.sqlite")


def leaderboard(
    ledger: LedgerFile = LEDGER,
    match: Annotated[str, typer.Option("--match", "-m", help="Only names that contain this text, or an id.")] = "",
    export: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Also write it to a .md, .html, .csv or .json; or copy the ledger to a .sqlite."
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option("--format", help="contest: the CSV of the contest's own evaluate.py.", metavar="FORMAT"),
    ] = "",
    errors: Annotated[bool, typer.Option("--errors", help="Also show how the first lost trials ended.")] = False,
    clear: Annotated[str, typer.Option("--clear", help="Rank the flagged entry with this id; needs --reason.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why the flag is cleared.")] = "",
    close: Annotated[bool, typer.Option("--close", help="Publish the contest's secret; no more entries.")] = False,
    record: Annotated[
        list[str] | None,
        typer.Option("--record", help="The record to beat from now on, such as 5=15.6.", metavar="PERCENT=BUDGET"),
    ] = None,
    margin: Annotated[
        float | None, typer.Option("--margin", help="By how many percent a record must be beaten from now on.")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Show the ranking of each board.

    The rank at a percentile goes by the smallest budget that surely wins that often.
    """
    from wordpl.cli.board_files import format_of, write_board
    from wordpl.contest.ledger import Ledger
    from wordpl.contest.sanitizing import visible

    written_as = "" if export is None else format_of(export, form)
    if record or margin is not None:
        with Ledger(ledger, must_exist=True) as book:
            now = book.set_records(_budgets(record or []), None if margin is None else margin / 100)
            told = ", ".join(f"{ordinal(q)} {budget:g}" for q, budget in now.budgets.items())
            typer.echo(f"records for entries from now on: {told}; to beat by {100 * now.margin:g}%", err=True)
    if clear or reason:
        if not (clear and reason):
            raise WordplError("--clear ID and --reason TEXT go together")
        with Ledger(ledger, must_exist=True) as book:
            book.clear(book.entry(clear), reason)
    if close:
        with Ledger(ledger, must_exist=True) as book:
            typer.echo(f"the contest is closed; its secret: {book.close_contest()}", err=True)
    with Ledger(ledger, read_only=True) as book, book.snapshot():
        entries = book.entries(match)
        ranks = book.ranks()
        records = [entry_record(book, entry, ranks) for entry in entries]
        boards = [read_board(book, board, its, ranks) for board, its in _by_board(entries)]
        lost = [line for entry in entries for line in _lost(book, entry)] if errors else []
        chain = f"last event {visible(book.head)}; commitment to the contest's secret {visible(book.commitment)}"
    if export is not None and written_as == "sqlite":
        with Ledger(ledger, read_only=True) as book:
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


def _by_board(entries: list[Entry]) -> list[tuple[Board, list[Entry]]]:
    """Return the boards with their entries: the contest's own first, then in order of their first entry."""
    found: dict[Board, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.board, []).append(entry)
    return sorted(found.items(), key=lambda item: not item[0].is_contest)


@dataclass(frozen=True)
class ShownBoard:
    """A board as text: a row for each percentile and entry, by column, and a note for each entry without a row."""

    title: str
    rows: list[dict[str, str]]
    entries: list[Entry]
    """The entry of each row."""
    notes: list[str]


def read_board(
    book: LedgerReader, board: Board, entries: list[Entry], ranks: dict[tuple[int, float], int]
) -> ShownBoard:
    """Return one table of all percentiles, in order of rank; `ranks` are `book.ranks()`."""
    from wordpl.contest.sanitizing import visible
    from wordpl.simulation.statistics import PERCENTILES

    standings = {entry.key: book.standings(entry) for entry in entries}
    rows, placed_entries = [], []
    for q in PERCENTILES:
        placed = [(s, e) for e in entries if e.ranked for s in standings[e.key] if s.percentile == q and not _missed(s)]
        placed.sort(key=lambda pair: (pair[0].budget, pair[1].key))
        for standing, entry in placed:
            rank = str(ranks.get((entry.key, q), "-"))
            row = {"percentile": ordinal(standing.percentile), "rank": rank, "name": shown_name(entry)}
            row |= _cells(standing, entry, book.records(entry)) | {"author": visible(entry.author)}
            rows.append(row | {"trials": f"{entry.trials or 0:,}", "id": entry.id})
            placed_entries.append(entry)
    shown = {entry.key for entry in placed_entries}
    notes = [f"{shown_name(e)} ({e.id}) {_state(e)}" for e in entries if e.key not in shown]
    notes += [f"{shown_name(e)} ({e.id}) was flagged, and cleared: {visible(e.cleared)}" for e in entries if e.cleared]
    notes += [f"{shown_name(e)} ({e.id}) {visible(e.contest_files, 200)}" for e in entries if e.contest_files]
    return ShownBoard(board.title(entries[0].words), rows, placed_entries, notes)


def _budgets(told: list[str]) -> dict[float, float]:
    """Return the budgets by percentile of texts such as 5=15.6."""
    from wordpl.simulation.statistics import PERCENTILES

    found = {}
    for text in told:
        percent, _, budget = text.partition("=")
        try:
            q, found_budget = float(percent) / 100, float(budget)
        except ValueError:
            q, found_budget = math.nan, math.nan
        if q not in PERCENTILES:
            raise WordplError(f"record {text[:40]!r} is not allowed; 5, 50 or 95, = and a budget are expected: 5=15.6")
        found[q] = found_budget
    return found


def _missed(standing: Standing) -> bool:
    """Return whether it is sure that no budget reaches the percentile."""
    return standing.decided and math.isinf(standing.budget)


def _state(entry: Entry) -> str:
    """Return the line about an entry that is not in the table."""
    from wordpl.contest.sanitizing import visible

    if entry.flagged:
        message = visible(jsonlib.loads(entry.flag)["reason"])
        return f"is flagged, so not ranked until somebody has looked: {message}"
    if entry.ranked:
        return f"reaches no percentile after {entry.trials or 0:,} trials"
    return f"is {entry.state}" + (f": {visible(entry.reason)}" if entry.reason else "")


def shown_name(entry: Entry) -> str:
    """Return the entry's name, safe to print."""
    from wordpl.contest.sanitizing import visible

    return visible(entry.name)


def entry_record(book: LedgerReader, entry: Entry, ranks: dict[tuple[int, float], int] | None = None) -> dict[str, Any]:
    """Return an entry as plain JSON values. A running entry shows nothing of its trials.

    `ranks` are `book.ranks()`, for a caller who has them.
    """
    from wordpl.contest.credit import is_link, read_source
    from wordpl.contest.ranking import CONTEST_TRIALS
    from wordpl.contest.sanitizing import visible

    board = entry.board
    record: dict[str, Any] = {
        "name": visible(entry.name),
        "id": entry.id,
        "state": entry.state,
        "ranked": entry.ranked,
        "draw": entry.draw,
        "strategy": visible(entry.strategy),
        "interface": entry.interface,
        "digest": entry.digest,
        "call": entry.call,
        "contest_files": visible(entry.contest_files, 1000),
        "words": visible(entry.words),
        "words_digest": entry.words_digest,
        "rule": entry.rule,
        "channel": entry.channel,
        "engine": entry.engine,
        "board": {"id": board.id, "title": board.title(entry.words), "contest": board.is_contest},
        "limits": jsonlib.loads(entry.limits),
        "stop_rule": jsonlib.loads(entry.stop),
        "sandbox": entry.sandbox,
        "author": visible(entry.author),
        "link": entry.link if is_link(entry.link) else "",
        "source": {visible(name): text for name, text in read_source(entry.source, entry.files).items()},
        "entered": entry.entered,
        "commitment": entry.commitment,
        "nonce": entry.nonce,
        "secret": entry.secret,
        "seed": entry.seed,
        "reason": visible(entry.reason),
    }
    if entry.running:
        return record
    record |= {
        "trials": entry.trials,
        "verdicts": book.verdicts(entry),
        "timeouts": book.verdicts(entry, CONTEST_TRIALS)["TIMEOUT"],
        "reasons": [{"reason": reason, "trials": n} for reason, n in book.reasons(entry)],
        "flag": {**jsonlib.loads(entry.flag or "{}"), "cleared": entry.cleared},
    }
    ranks = book.ranks() if ranks is None else ranks
    for s in book.standings(entry):
        rank = {"rank": ranks.get((entry.key, s.percentile))}
        record[f"p{round(100 * s.percentile):02d}"] = rank | _standing_record(s, entry, book.records(entry))
    return record


def _standing_record(standing: Standing, entry: Entry, records: Records) -> dict[str, Any]:
    from wordpl.simulation.evaluation import finite

    found = {
        "budget": finite(standing.budget),
        "win_rate": standing.win_rate,
        "win_rate_interval": list(standing.interval),
        "wins": standing.wins,
        "sampled": finite(standing.sampled),
        "decided": standing.decided,
    }
    if entry.board.is_contest:
        found |= {
            "record": records.budgets[standing.percentile],
            "margin_percent": 100 * records.margin,
            "improvement_percent": finite(records.improvement(standing)),
            "clears": records.clears(standing) and entry.ranked,
        }
    return found


def _cells(standing: Standing, entry: Entry, records: Records) -> dict[str, str]:
    """Return the figures of a standing by column, the most important first."""
    from wordpl.contest.ranking import CONTEST_TRIALS

    without = "none" if standing.decided else "undecided"
    cells = {
        "budget": number(standing.budget) if math.isfinite(standing.budget) else without,
        "win rate there": f"{number(standing.win_rate)} {interval(standing.interval)}",
    }
    if entry.board.is_contest:
        cells["record"] = f"{records.budgets[standing.percentile]:g}"
        cells["improvement"] = f"{records.improvement(standing):+.1f}%" if math.isfinite(standing.budget) else ""
        cells["beats record"] = "yes" if records.clears(standing) and entry.ranked else "no"
    return cells | {
        f"sampled ({CONTEST_TRIALS:,} trials)": number(standing.sampled),
        "won there": f"{standing.wins:,}",
        "decided": "yes" if standing.decided else "no",
        "draw": str(entry.draw),
    }


_USUAL = {"author": "", "decided": "yes", "draw": "1"}
"""A column is left out if all its cells have this value."""


def told_columns(rows: list[dict[str, str]]) -> list[str]:
    """Return the columns that say something."""
    return [name for name in rows[0] if any(row[name] != _USUAL.get(name) for row in rows)]


def _print_rows(title: str, rows: list[dict[str, str]], notes: list[str]) -> None:
    columns = told_columns(rows)
    print_table(title, columns, [[row[name] for name in columns] for row in rows], notes)


def print_standings(book: LedgerReader, entry: Entry) -> None:
    """Print the table of an entry whose run is over."""
    from wordpl.contest.sanitizing import visible

    board, standings, ranks = entry.board, book.standings(entry), book.ranks()
    rows, records = [], book.records(entry)
    for standing in standings:
        rank = str(ranks.get((entry.key, standing.percentile), "-"))
        rows.append({"percentile": ordinal(standing.percentile), "rank": rank} | _cells(standing, entry, records))
    counts = ", ".join(f"{verdict} {n}" for verdict, n in book.verdicts(entry).items() if n)
    notes = [f"verdicts: {counts}", *(f"{n} trials lost: {reason}" for reason, n in book.reasons(entry))]
    notes += [_undecided(standing) for standing in standings if not standing.decided]
    notes += [f"this entry {_state(entry)}"] if entry.flagged else []
    notes += [f"this entry {visible(entry.contest_files, 200)}"] if entry.contest_files else []
    notes.append(board.title(entry.words))
    _print_rows(f"{shown_name(entry)}: {visible(entry.strategy)}, {entry.trials or 0:,} trials", rows, notes)


def _undecided(standing: Standing) -> str:
    message = f"{ordinal(standing.percentile)} percentile: undecided after {standing.trials:,} trials, the maximum;"
    if math.isfinite(standing.budget):
        return f"{message} a smaller budget may be enough"
    return f"{message} the win rate is too close to {standing.percentile:.0%}, and a larger budget may get a rank"


def _lost(book: LedgerReader, entry: Entry, max_trials: int = 5) -> list[str]:
    """Return lines about the first trials lost other than by a wrong proposal, with their stderr."""
    from wordpl.contest.sanitizing import visible

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


def ordinal(q: float) -> str:
    """Return a percentile as 5th, 50th or 95th."""
    return f"{round(100 * q)}th"
