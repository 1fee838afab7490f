"""The leaderboard: its boards as text, and its entries as plain JSON values. Of a running entry nothing is shown.

Whatever a contestant chose comes out of here visible and bounded; it is still text, to be escaped where it is shown.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from wordpl.contest.credit import is_link, read_source
from wordpl.contest.entries import Board, Entry, Row
from wordpl.contest.ledger_reader import LedgerReader
from wordpl.contest.ranking import CONTEST_TRIALS, Records, Standing
from wordpl.contest.sanitizing import visible
from wordpl.errors import WordplError
from wordpl.model.clues import Clue
from wordpl.reporting.tables import interval, number
from wordpl.simulation.evaluation import finite
from wordpl.simulation.statistics import PERCENTILES


def by_board(entries: list[Entry]) -> list[tuple[Board, list[Entry]]]:
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
    rows, placed_entries = [], []
    placed = placed_at(book, entries)
    for q in PERCENTILES:
        for standing, entry in placed[q]:
            rank = str(ranks.get((entry.key, q), "-"))
            row = {"percentile": ordinal(standing.percentile), "rank": rank, "name": shown_name(entry)}
            row |= cells_of(standing, entry, book.records(entry)) | {"author": visible(entry.author)}
            rows.append(row | {"trials": f"{entry.trials or 0:,}", "id": entry.id})
            placed_entries.append(entry)
    notes = [f"{shown_name(e)} ({e.id}) {remark}" for e, remark in remarks(entries, placed_entries)]
    return ShownBoard(board.title(entries[0].words), rows, placed_entries, notes)


def placed_at(book: LedgerReader, entries: list[Entry]) -> dict[float, list[tuple[Standing, Entry]]]:
    """Return, by percentile, the standings of the ranked entries of a board in order of rank.

    Entries that surely do not reach a percentile have none there.
    """
    placed: dict[float, list[tuple[Standing, Entry]]] = {q: [] for q in PERCENTILES}
    for entry in entries:
        for standing in book.standings(entry) if entry.ranked else []:
            if not (standing.decided and math.isinf(standing.budget)):
                placed[standing.percentile].append((standing, entry))
    for found in placed.values():
        found.sort(key=lambda pair: (pair[0].budget, pair[1].key))
    return placed


def remarks(entries: list[Entry], placed: list[Entry]) -> list[tuple[Entry, str]]:
    """Return what there is to say of entries beside the table: why they are not `placed`, and what else they are."""
    shown = {entry.key for entry in placed}
    found = [(entry, state_of(entry)) for entry in entries if entry.key not in shown]
    found += [(entry, f"was flagged, and cleared: {visible(entry.cleared)}") for entry in entries if entry.cleared]
    return found + [(entry, visible(entry.contest_files, 200)) for entry in entries if entry.contest_files]


def state_of(entry: Entry) -> str:
    """Return the line about an entry that is not in the table."""
    if entry.flagged:
        message = visible(json.loads(entry.flag)["reason"])
        return f"is flagged, so not ranked until somebody has looked: {message}"
    if entry.ranked:
        return f"reaches no percentile after {entry.trials or 0:,} trials"
    return f"is {entry.state}" + (f": {visible(entry.reason)}" if entry.reason else "")


def shown_name(entry: Entry) -> str:
    """Return the entry's name, safe to print."""
    return visible(entry.name)


def entry_record(book: LedgerReader, entry: Entry, ranks: dict[tuple[int, float], int] | None = None) -> dict[str, Any]:
    """Return an entry as plain JSON values. A running entry shows nothing of its trials.

    `ranks` are `book.ranks()`, for a caller who has them.
    """
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
        "limits": json.loads(entry.limits),
        "stop_rule": json.loads(entry.stop),
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
        "flag": {**json.loads(entry.flag or "{}"), "cleared": entry.cleared},
        "workers": [asdict(machine) | {"trials": n} for machine, n in book.workers(entry).items()],
    }
    ranks = book.ranks() if ranks is None else ranks
    for s in book.standings(entry):
        rank = {"rank": ranks.get((entry.key, s.percentile))}
        record[f"p{round(100 * s.percentile):02d}"] = rank | standing_record(s, entry, book.records(entry))
    return record


def standing_record(standing: Standing, entry: Entry, records: Records) -> dict[str, Any]:
    """Return a standing as plain JSON values; None for an infinite budget. `records` are those to beat."""
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


def trial_record(row: Row) -> dict[str, Any]:
    """Return a trial of an entry whose run is over as plain JSON values; None for an infinite budget."""
    record = asdict(row) | {"budget": finite(row.budget), "reason": visible(row.reason)}
    return record | {"log": [{"guess": guess, "epsilon": e, "clue": _clue(guess, code)} for guess, e, code in row.log]}


def _clue(guess: str, code: int) -> str:
    try:
        return str(Clue(code, len(guess)))
    except WordplError:  # in a ledger that somebody has changed
        return visible(str(code), 40)


def told_workers(book: LedgerReader, entry: Entry, most: int = 3) -> str:
    """Return which workers of a cluster have played an entry, in a line; empty if none has."""
    found = sorted(book.workers(entry).items(), key=lambda item: -item[1])
    told = [f"worker {machine.name} on {machine.host} ({n:,} trials)" for machine, n in found[:most]]
    if len(found) > most:
        told.append(f"{len(found) - most:,} more ({sum(n for _, n in found[most:]):,} trials)")
    return f"played on a cluster: {', '.join(told)}" if told else ""


def cells_of(standing: Standing, entry: Entry, records: Records) -> dict[str, str]:
    """Return the figures of a standing by column, the most important first."""
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


def ordinal(q: float) -> str:
    """Return a percentile as 5th, 50th or 95th."""
    return f"{round(100 * q)}th"
