"""Files of JSON lines that long work adds to as it goes, so that it can be stopped at any time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wordpl.errors import WordplError


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file, none if it does not exist. A last line that was cut off by a kill is removed.

    Raises `WordplError` if a line is not a JSON object.
    """
    if not path.exists():
        return []
    text = path.read_text()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole)
    records = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise WordplError(f"{path}, line {number}, is no record of finished work; remove the file")
        records.append(record)
    return records


def add_json_line(path: Path, record: dict[str, Any]) -> None:
    """Append a record to a file, which is created if it does not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")
