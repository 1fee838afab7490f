"""`wordpl leaderboard`, and how entries are shown."""

from __future__ import annotations

import csv
import itertools
import json as jsonlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
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
    """Ranking by board and percentile.

    Entries are ranked by the smallest budget that surely wins often enough.
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
        records = [entry_record(book, entry) for entry in entries]
        standings = {entry.key: book.standings(entry) for entry in entries}
        lost = [line for entry in entries for line in _lost(book, entry)] if errors else []
        chain = f"last event {visible(book.head)}; commitment to the contest's secret {visible(book.commitment)}"
    if export is not None and export.suffix == ".sqlite":
        with Ledger(ledger, read_only=True) as book:
            book.publish(export)
        typer.echo(f"the ledger is copied to {export}, without what is secret", err=True)
    elif export is not None:
        _export(export, records)
        typer.echo(f"{len(records)} submissions written to {export}", err=True)
    if json:
        print_json(records)
        return
    if not entries:
        raise WordplError(f"{ledger} has no submission" + (f" that matches {match!r}" if match else ""))
    for board, its in _by_board(entries):
        _print_board(board, its, standings)
    for line in [*lost, chain]:
        typer.echo(line)


def _by_board(entries: list[Entry]) -> list[tuple[Board, list[Entry]]]:
    """The boards, the contest's own first, then in order of their first entry."""
    found: dict[Board, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.board, []).append(entry)
    return sorted(found.items(), key=lambda item: not item[0].is_contest)


def _print_board(board: Board, entries: list[Entry], standings: dict[int, list[Standing]]) -> None:
    from wordpl.contest.ranking import RECORDS
    from wordpl.contest.sanitizing import visible

    typer.echo(board.title(entries[0].words))
    for q, record in RECORDS.items():
        ranked = [(s, e) for e in entries if e.ranked for s in standings[e.key] if s.percentile == q]
        ranked.sort(key=lambda pair: (pair[0].budget, pair[1].key))
        if ranked:
            title = f"{ordinal(q)} percentile" + (f"; record {record:g}" if board.is_contest else "")
            rows = [[shown_name(e), e.id, str(e.draw), *_cells(s, e)] for s, e in ranked]
            print_table(title, ["name", "id", "draw", *_columns(board)], rows)
    for entry in entries:
        if not entry.ranked:
            typer.echo(f"{shown_name(entry)} ({entry.id}) {_state(entry)}")
        elif entry.cleared:
            typer.echo(f"{shown_name(entry)} ({entry.id}) was flagged, and cleared: {visible(entry.cleared)}")


def _state(entry: Entry) -> str:
    """What is said of an entry without a place."""
    from wordpl.contest.sanitizing import visible

    if entry.flagged:
        said = visible(jsonlib.loads(entry.flag)["reason"])
        return f"is flagged, so not ranked until somebody has looked: {said}"
    return f"is {entry.state}" + (f": {visible(entry.reason)}" if entry.reason else "")


def shown_name(entry: Entry) -> str:
    """The entry's name, fit for a screen."""
    from wordpl.contest.sanitizing import visible

    return visible(entry.name)


def entry_record(book: LedgerReader, entry: Entry) -> dict[str, Any]:
    """An entry as plain JSON values. Of one that is running: that it is, and nothing of its trials."""
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
    return record | {f"p{round(100 * s.percentile):02d}": _standing_record(s, entry) for s in book.standings(entry)}


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


def _columns(board: Board) -> list[str]:
    contest = ["improvement", "wins"] if board.is_contest else []
    return ["budget", "win rate there", "interval", "wins there", "sampled", "trials", "decided", *contest]


def _cells(standing: Standing, entry: Entry) -> list[str]:
    cells = [
        number(standing.budget),
        number(standing.win_rate),
        interval(standing.interval),
        str(standing.wins),
        number(standing.sampled),
        str(entry.trials),
        "yes" if standing.decided else "no",
    ]
    if entry.board.is_contest:
        improvement = f"{standing.improvement:+.1f}%" if math.isfinite(standing.budget) else ""
        cells += [improvement, "yes" if standing.clears and entry.ranked else "no"]
    return cells


def print_standings(book: LedgerReader, entry: Entry) -> None:
    """The table of one entry that is over."""
    from wordpl.contest.sanitizing import visible

    board = entry.board
    rows = []
    for standing in book.standings(entry):
        beside = f" (record {standing.record:g})" if board.is_contest else ""
        rows.append([f"{ordinal(standing.percentile)}{beside}", *_cells(standing, entry)])
    counts = ", ".join(f"{verdict} {n}" for verdict, n in book.verdicts(entry).items() if n)
    notes = [f"verdicts: {counts}", *(f"{n} trials lost: {reason}" for reason, n in book.reasons(entry))]
    notes += [f"this entry {_state(entry)}"] if entry.flagged else []
    notes.append(board.title(entry.words))
    print_table(f"{shown_name(entry)}: {visible(entry.strategy)}", ["percentile", *_columns(board)], rows, notes)


def _lost(book: LedgerReader, entry: Entry, most: int = 5) -> list[str]:
    """What is known of the first trials lost by anything but a wrong proposal, stderr included."""
    from wordpl.contest.sanitizing import visible

    if entry.running:
        return []
    rows = itertools.islice((row for row in book.rows(entry) if row.reason), most)
    return [
        line
        for row in rows
        for line in [
            f"{entry.id} trial {row.trial}: {row.verdict}: {visible(row.reason)}",
            *(f"    {visible(said)}" for said in row.errors.splitlines()[-12:]),
        ]
    ]


def ordinal(q: float) -> str:
    """A percentile as 5th, 50th, 95th."""
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
