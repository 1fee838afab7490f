"""`wordpl leaderboard`, and how entries are printed."""

from __future__ import annotations

import csv
import itertools
import json as jsonlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.errors import WordplError
from wordpl.reporting.tables import interval, number, print_json, print_table
from wordpl.storage.files import whole_file, write_text

if TYPE_CHECKING:
    from wordpl.contest.entries import Board, Entry
    from wordpl.contest.ledger_reader import LedgerReader
    from wordpl.contest.ranking import Standing

LedgerFile = Annotated[Path, typer.Option("--ledger", help="The contest's file.")]
LEDGER = Path("results/contest.sqlite")


def leaderboard(
    ledger: LedgerFile = LEDGER,
    match: Annotated[str, typer.Option("--match", "-m", help="Only names that contain this text, or an id.")] = "",
    export: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Also write it to a .csv or .json; or copy the ledger, without secrets, to a .sqlite."
        ),
    ] = None,
    errors: Annotated[bool, typer.Option("--errors", help="Also show how the first lost trials ended.")] = False,
    clear: Annotated[str, typer.Option("--clear", help="Rank the flagged entry with this id; needs --reason.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why the flag is cleared.")] = "",
    close: Annotated[bool, typer.Option("--close", help="Publish the contest's secret; no more entries.")] = False,
    json: opt.Json = False,
) -> None:
    """Show the ranking of each board.

    The rank at a percentile goes by the smallest budget that surely wins that often.
    """
    from wordpl.contest.ledger import Ledger
    from wordpl.contest.sanitizing import visible

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
        standings = {entry.key: book.standings(entry) for entry in entries}
        lost = [line for entry in entries for line in _lost(book, entry)] if errors else []
        chain = f"last event {visible(book.head)}; commitment to the contest's secret {visible(book.commitment)}"
    if export is not None and export.suffix == ".sqlite":
        with Ledger(ledger, read_only=True) as book:
            book.publish(export)
        NOTES.info("the ledger is copied to %s, without what is secret", export)
    elif export is not None:
        _export(export, records)
        NOTES.info("%d submissions written to %s", len(records), export)
    if json:
        print_json(records)
        return
    if not entries:
        raise WordplError(f"{ledger} has no submission" + (f" that matches {match!r}" if match else ""))
    for board, its in _by_board(entries):
        _print_board(board, its, standings, ranks)
    for line in [*lost, chain]:
        typer.echo(line)


def _by_board(entries: list[Entry]) -> list[tuple[Board, list[Entry]]]:
    """Return the boards with their entries: the contest's own first, then in order of their first entry."""
    found: dict[Board, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.board, []).append(entry)
    return sorted(found.items(), key=lambda item: not item[0].is_contest)


def _print_board(
    board: Board, entries: list[Entry], standings: dict[int, list[Standing]], ranks: dict[tuple[int, float], int]
) -> None:
    """Print one table of all percentiles, then a line for each entry that is not in it."""
    from wordpl.contest.ranking import RECORDS
    from wordpl.contest.sanitizing import visible

    rows = []
    for q in RECORDS:
        placed = [(s, e) for e in entries if e.ranked for s in standings[e.key] if s.percentile == q and not _missed(s)]
        placed.sort(key=lambda pair: (pair[0].budget, pair[1].key))
        for standing, entry in placed:
            rank = str(ranks.get((entry.key, q), "-"))
            row = {"percentile": ordinal(standing.percentile), "rank": rank, "name": shown_name(entry)}
            rows.append(row | _cells(standing, entry) | {"trials": f"{entry.trials or 0:,}", "id": entry.id})
    shown = {entry.key for entry in entries if any(row["id"] == entry.id for row in rows)}
    notes = [f"{shown_name(e)} ({e.id}) {_state(e)}" for e in entries if e.key not in shown]
    notes += [f"{shown_name(e)} ({e.id}) was flagged, and cleared: {visible(e.cleared)}" for e in entries if e.cleared]
    notes += [f"{shown_name(e)} ({e.id}) {visible(e.contest_files, 200)}" for e in entries if e.contest_files]
    if rows:
        _print_rows(board.title(entries[0].words), rows, notes)
    else:
        for line in (board.title(entries[0].words), *notes):
            typer.echo(line)


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
        "reasons": [{"reason": reason, "trials": n} for reason, n in book.reasons(entry)],
        "flag": {**jsonlib.loads(entry.flag or "{}"), "cleared": entry.cleared},
    }
    ranks = book.ranks() if ranks is None else ranks
    for s in book.standings(entry):
        rank = {"rank": ranks.get((entry.key, s.percentile))}
        record[f"p{round(100 * s.percentile):02d}"] = rank | _standing_record(s, entry)
    return record


def _standing_record(standing: Standing, entry: Entry) -> dict[str, Any]:
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
            "record": standing.record,
            "improvement_percent": finite(standing.improvement),
            "clears": standing.clears and entry.ranked,
        }
    return found


def _cells(standing: Standing, entry: Entry) -> dict[str, str]:
    """Return the figures of a standing by column, the most important first."""
    from wordpl.contest.ranking import CONTEST_TRIALS

    without = "none" if standing.decided else "undecided"
    cells = {
        "budget": number(standing.budget) if math.isfinite(standing.budget) else without,
        "win rate there": f"{number(standing.win_rate)} {interval(standing.interval)}",
    }
    if entry.board.is_contest:
        cells["record"] = f"{standing.record:g}"
        cells["improvement"] = f"{standing.improvement:+.1f}%" if math.isfinite(standing.budget) else ""
        cells["beats record"] = "yes" if standing.clears and entry.ranked else "no"
    return cells | {
        f"sampled ({CONTEST_TRIALS:,} trials)": number(standing.sampled),
        "won there": f"{standing.wins:,}",
        "decided": "yes" if standing.decided else "no",
        "draw": str(entry.draw),
    }


_USUAL = {"decided": "yes", "draw": "1"}
"""A column is left out if all its cells have this value."""


def _print_rows(title: str, rows: list[dict[str, str]], notes: list[str]) -> None:
    columns = [name for name in rows[0] if any(row[name] != _USUAL.get(name) for row in rows)]
    print_table(title, columns, [[row[name] for name in columns] for row in rows], notes)


def print_standings(book: LedgerReader, entry: Entry) -> None:
    """Print the table of an entry whose run is over."""
    from wordpl.contest.sanitizing import visible

    board, standings, ranks = entry.board, book.standings(entry), book.ranks()
    rows = []
    for standing in standings:
        rank = str(ranks.get((entry.key, standing.percentile), "-"))
        rows.append({"percentile": ordinal(standing.percentile), "rank": rank} | _cells(standing, entry))
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


def _export(target: Path, records: list[dict[str, Any]]) -> None:
    from wordpl.contest.sanitizing import cell

    if target.suffix not in (".csv", ".json"):
        raise WordplError(f"cannot export to {target.name!r}; a name that ends in .csv, .json or .sqlite is expected")
    if target.suffix == ".json":
        write_text(target, jsonlib.dumps(records, indent=2, allow_nan=False) + "\n")
        return
    with whole_file(target) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        flat = [_flat(record) for record in records]
        columns = list(dict.fromkeys(key for row in flat for key in row))
        writer.writerow(columns)
        for row in flat:
            values = [row.get(column) for column in columns]
            writer.writerow([cell(value) if isinstance(value, str) else value for value in values])


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= {f"{key}_{inner}": v for inner, v in value.items() if not isinstance(v, (list, dict))}
        elif not isinstance(value, list):
            flat[key] = value
    return flat
