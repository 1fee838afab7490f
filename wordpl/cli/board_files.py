"""The leaderboard as a file: a table for a README or a web page, CSV, JSON, and the contest's own CSV.

Whatever a contestant chose is text there, and nothing else: no markup, no link but a checked one, no mention of a user
or an issue that GitHub would follow, no formula of a spreadsheet.
"""

from __future__ import annotations

import csv
import html
import json
import string
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordpl.errors import WordplError
from wordpl.reporting.leaderboard import told_columns
from wordpl.storage.files import whole_file, write_text

if TYPE_CHECKING:
    from wordpl.contest.entries import Entry
    from wordpl.reporting.leaderboard import ShownBoard

_FORMATS = ("md", "html", "csv", "json", "sqlite", "contest")
_STYLE = (
    ":root{color-scheme:light dark}body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}"
    "th,td{border:1px solid #888;padding:.3em .6em;text-align:left}pre{overflow:auto}"
)


def format_of(target: Path, form: str) -> str:
    """Return the format to write, which the name tells unless `form` does."""
    found = form or target.suffix.removeprefix(".")
    if found not in _FORMATS or (not form and found == "contest"):
        named = repr(form) if form else repr(target.name)
        raise WordplError(
            f"cannot write the leaderboard as {named}; a name that ends in .md, .html, .csv, .json or .sqlite is"
            " expected, or --format contest"
        )
    return found


def write_board(target: Path, form: str, records: list[dict[str, Any]], boards: list[ShownBoard]) -> None:
    """Write the leaderboard in a format of `format_of` but sqlite. Raises `WordplError` if it cannot be written."""
    if form == "json":
        write_text(target, json.dumps(records, indent=2, allow_nan=False) + "\n")
    elif form == "md":
        write_text(target, "\n".join(map(_markdown, boards)))
    elif form == "html":
        write_text(target, _page(boards))
    elif form == "contest":
        _write_rows(target, [list(_CONTEST), *map(_contest_row, records)], delimiter=";")
    else:
        flat = [_flat(record) for record in records]
        columns = list(dict.fromkeys(key for row in flat for key in row))
        _write_rows(target, [columns, *([row.get(column) for column in columns] for row in flat)])


def _write_rows(target: Path, rows: list[list[Any]], delimiter: str = ",") -> None:
    from wordpl.contest.sanitizing import cell

    with whole_file(target) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n", delimiter=delimiter)
        for row in rows:
            writer.writerow([cell(value) if isinstance(value, str) else value for value in row])


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if key == "source":
            continue
        if isinstance(value, dict):
            flat |= {f"{key}_{inner}": v for inner, v in value.items() if not isinstance(v, (list, dict))}
        elif not isinstance(value, list):
            flat[key] = value
    return flat


_CONTEST = ("strategy", "p05", "p50", "p95", "timeouts")


def _contest_row(record: dict[str, Any]) -> list[Any]:
    """The line that the contest's evaluate.py writes: the percentiles of the first 1,001 scores; none while it runs."""
    told = [record[key]["sampled"] if key in record else "" for key in _CONTEST[1:4]]
    scores = ("inf" if value is None else value for value in told)
    return [record["strategy"] or record["name"], *scores, record.get("timeouts", "")]


def _markdown(board: ShownBoard) -> str:
    lines = [f"### {markdown(board.title)}", ""]
    if board.rows:
        columns = told_columns(board.rows)
        lines += [_line(map(markdown, columns)), _line("---" for _ in columns)]
        for row, entry in zip(board.rows, board.entries, strict=True):
            form = f"[{{}}](<{entry.link}>)"
            cells = [_linked(column, markdown(row[column]), entry, form) for column in columns]
            lines.append(_line(cells))
        lines.append("")
    return "\n".join([*lines, *(f"- {markdown(note)}" for note in board.notes), *([""] if board.notes else [])])


def _line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _linked(column: str, shown: str, entry: Entry, form: str) -> str:
    """The author (without one, the name) as a link, if there is a link that may be shown."""
    from wordpl.contest.credit import is_link

    carries = column == ("author" if entry.author else "name")
    return form.format(shown) if carries and is_link(entry.link) else shown


_BROKEN = {"@": "@<!-- -->", "#": "\\#<!-- -->"}
"""A comment within keeps GitHub from finding a user or an issue, and so telling them."""


def markdown(text: str) -> str:
    """Return `text` as Markdown that shows it and does nothing else, in a cell of a table, too."""
    escaped = ((_BROKEN.get(c) or f"\\{c}") if c in string.punctuation else c for c in text)
    return "".join(escaped)


def _page(boards: list[ShownBoard]) -> str:
    body = "\n".join(map(_section, boards))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Leaderboard</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Leaderboard</h1>
{body}
</body>
</html>
"""


def _section(board: ShownBoard) -> str:
    lines = [f"<h2>{html.escape(board.title)}</h2>"]
    if board.rows:
        columns = told_columns(board.rows)
        lines += ["<table>", "<tr>" + "".join(f"<th>{html.escape(column)}</th>" for column in columns) + "</tr>"]
        for row, entry in zip(board.rows, board.entries, strict=True):
            anchor = f'<a href="{html.escape(entry.link)}" rel="nofollow noopener noreferrer">{{}}</a>'
            shown = (_linked(column, html.escape(row[column]), entry, anchor) for column in columns)
            lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in shown) + "</tr>")
        lines.append("</table>")
    lines += [f"<p>{html.escape(note)}</p>" for note in board.notes]
    return "\n".join([*lines, *_sources(board)])


def _sources(board: ShownBoard) -> list[str]:
    """The published sources, each entry's once, folded."""
    from wordpl.contest.credit import read_source
    from wordpl.contest.sanitizing import visible

    lines = []
    for entry in {entry.key: entry for entry in board.entries}.values():
        for name, text in read_source(entry.source, entry.files).items():
            shown = "\n".join(visible(line.expandtabs(4), 1000) for line in text.splitlines())
            title = html.escape(f"{visible(entry.name)}: {visible(name)}")
            lines.append(f"<details><summary>{title}</summary><pre>{html.escape(shown)}</pre></details>")
    return lines
