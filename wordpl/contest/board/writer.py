"""The boards of a contest as tables: for the terminal, for a README, as CSV and JSON; `report` takes them for a page.

Whatever a contestant chose is text there, and nothing else: no markup, no link but a checked one, no mention of a user
or an issue that GitHub would follow, no formula of a spreadsheet.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordpl.base.files import whole_file, write_text
from wordpl.base.sanitizing import MarkdownText, markdown_cell, visible, write_csv
from wordpl.contest.board.leaderboard import Ranks, by_board, ordinal, placed_at, remarks
from wordpl.contest.judge.ranking import CONTEST_TRIALS, RankStanding
from wordpl.contest.ledger.entries import Entry, is_link
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.reporting.tables import TABLE, TableStyle, interval, markdown_table, number, print_table, print_text
from wordpl.simulation.statistics import QUANTILES

_USUAL = {"author": "", "decided": "yes", "attempt": "1"}
"""A column is left out if all its cells have this value."""


@dataclass(frozen=True)
class ShownBoard:
    """A board as text: a row for each percentile and entry, by column, and a note for each entry without a row."""

    title: str
    rows: list[dict[str, str]]
    entries: list[Entry]
    """The entry of each row."""
    notes: list[str]

    @property
    def columns(self) -> list[str]:
        """The columns that say something."""
        first = self.rows[0] if self.rows else {}
        return [name for name in first if any(row[name] != _USUAL.get(name) for row in self.rows)]

    def print(self, style: TableStyle | None = None) -> None:
        """Print the table with its notes; in a style for a program or a paper, only the table, if it has rows."""
        if self.rows:
            cells = [[row[name] for name in self.columns] for row in self.rows]
            print_table(self.title, self.columns, cells, self.notes, style)
        elif style is None or style.format == TABLE:
            for line in (self.title, *self.notes):
                print_text(line)

    def markdown(self) -> str:
        """Return it for a README."""
        lines = [f"### {markdown_cell(self.title)}", ""]
        if self.rows:
            rows = []
            for row, entry in zip(self.rows, self.entries, strict=True):
                cells: dict[str, str] = {column: row[column] for column in self.columns}
                if linked := linked_column(entry):
                    cells[linked] = MarkdownText(f"[{markdown_cell(cells[linked])}](<{entry.link}>)")
                rows.append([*cells.values()])
            lines += [*markdown_table(self.columns, rows), ""]
        notes = [f"- {markdown_cell(note)}" for note in self.notes]
        return "\n".join([*lines, *notes, *([""] if notes else [])])


def read_boards(book: LedgerReader, entries: list[Entry], ranks: Ranks) -> list[ShownBoard]:
    """Return the table of each board of some entries, in order of rank; `ranks` are `book.ranks()`."""
    boards = []
    for board, group in by_board(entries):
        pairs = [pair for placed in placed_at(book, group).values() for pair in placed]
        on_board = [entry for _, entry in pairs]
        notes = [f"{visible(entry.name)} ({entry.id}) {remark}" for entry, remark in remarks(group, on_board)]
        rows = [row_of(book, standing, entry, ranks) for standing, entry in pairs]
        boards.append(ShownBoard(board.title(group[0].words), rows, on_board, notes))
    return boards


def row_of(book: LedgerReader, standing: RankStanding, entry: Entry, ranks: Ranks) -> dict[str, str]:
    """Return a standing by column, the most important first."""
    records, reached = book.records(entry), math.isfinite(standing.budget)
    row = {
        "percentile": ordinal(standing.percentile),
        "rank": str(ranks.get((entry.key, standing.percentile), "-")),
        "name": visible(entry.name),
        "budget": number(standing.budget) if reached else "none" if standing.decided else "undecided",
        "win rate there": f"{number(standing.win_rate)} {interval(standing.interval)}",
    }
    if entry.board.is_contest:
        row["record"] = f"{records.budgets[standing.percentile]:g}"
        row["improvement"] = f"{records.improvement(standing):+.1f}%" if reached else ""
        row["beats record"] = "yes" if records.clears(standing) and entry.ranked else "no"
    return row | {
        f"sampled ({CONTEST_TRIALS:,} trials)": number(standing.sampled),
        "won there": f"{standing.wins:,}",
        "decided": "yes" if standing.decided else "no",
        "attempt": str(entry.attempt),
        "author": visible(entry.author),
        "trials": f"{entry.trials or 0:,}",
        "id": entry.id,
    }


def linked_column(entry: Entry) -> str:
    """Return the column that links to where an entry is published: its author, or its name; empty without a link."""
    return ("author" if entry.author else "name") if is_link(entry.link) else ""


def write_board(target: Path, form: str, records: Sequence[Mapping[str, Any]], boards: list[ShownBoard]) -> None:
    """Write the leaderboard as `json`, `md`, `contest` (the CSV of the contest's own program), or else as CSV."""
    if form == "json":
        write_text(target, json.dumps(records, indent=2, allow_nan=False) + "\n")
    elif form == "md":
        write_text(target, "\n".join(board.markdown() for board in boards))
    elif form == "contest":
        rows: list[list[Any]] = [["strategy", *QUANTILES, "timeouts"]]
        for record in records:
            # As the contest's evaluate.py has it: the percentiles of the first 1,001 scores; none while it runs.
            sampled = [record[key]["sampled"] if key in record else "" for key in QUANTILES]
            scores = ("inf" if value is None else value for value in sampled)
            rows.append([record["strategy"] or record["name"], *scores, record.get("timeouts", "")])
        _write_rows(target, rows, delimiter=";")
    else:
        flat = [_flat(record) for record in records]
        columns = list(dict.fromkeys(key for row in flat for key in row))
        _write_rows(target, [columns, *([row.get(column) for column in columns] for row in flat)])


def _write_rows(target: Path, rows: list[list[Any]], delimiter: str = ",") -> None:
    with whole_file(target) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        write_csv(file, rows, delimiter)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        inner = {f"{key}_{name}": v for name, v in value.items()} if isinstance(value, dict) else {key: value}
        flat |= {name: v for name, v in inner.items() if key != "source" and not isinstance(v, (list, tuple, dict))}
    return flat
