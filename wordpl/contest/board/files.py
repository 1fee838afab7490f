"""The leaderboard as a file: a table for a README or a web page, CSV, JSON, and the contest's own CSV.

Whatever a contestant chose is text there, and nothing else: no markup, no link but a checked one, no mention of a user
or an issue that GitHub would follow, no formula of a spreadsheet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordpl.base.files import whole_file, write_text
from wordpl.base.sanitizing import MarkdownText, markdown_cell, write_csv
from wordpl.contest.board.leaderboard import ShownBoard, linked_column, told_columns
from wordpl.contest.board.report import board_tables
from wordpl.contest.ledger.entries import read_source
from wordpl.reporting.markup import Section, clean, clean_lines, el, join, page
from wordpl.reporting.tables import markdown_table
from wordpl.simulation.statistics import QUANTILES


def write_board(target: Path, form: str, records: Sequence[Mapping[str, Any]], boards: list[ShownBoard]) -> None:
    """Write the leaderboard as `json`, `md`, `html`, `contest`, or else as CSV."""
    if form == "json":
        write_text(target, json.dumps(records, indent=2, allow_nan=False) + "\n")
    elif form == "md":
        write_text(target, "\n".join(map(_markdown, boards)))
    elif form == "html":
        write_text(target, _page(boards))
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


def _markdown(board: ShownBoard) -> str:
    lines = [f"### {markdown_cell(board.title)}", ""]
    if board.rows:
        columns = told_columns(board.rows)
        rows = []
        for row, entry in zip(board.rows, board.entries, strict=True):
            cells = {column: row[column] for column in columns}
            if linked := linked_column(entry):
                cells[linked] = MarkdownText(f"[{markdown_cell(cells[linked])}](<{entry.link}>)")
            rows.append([*cells.values()])
        lines += [*markdown_table(columns, rows), ""]
    return "\n".join([*lines, *(f"- {markdown_cell(note)}" for note in board.notes), *([""] if board.notes else [])])


def _page(boards: list[ShownBoard]) -> str:
    """The boards as in a report, without its curves, and the published sources: each entry's once, folded."""
    parts = []
    for i, board in enumerate(boards):
        sources = [
            el("details", el("summary", clean(f"{entry.name}: {name}")), el("pre", clean_lines(text)))
            for entry in {entry.key: entry for entry in board.entries}.values()
            for name, text in read_source(entry.source, entry.files).items()
        ]
        parts.append(Section(f"board-{i}", clean(board.title), join([*board_tables(board), *sources])))
    return page("Leaderboard", [], parts)
