"""Files of JSON lines that long work adds to as it goes, so that it can be stopped at any time.

Each line has a digest of its record, so that a number which a disk has changed is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from wordpl.errors import WordplError
from wordpl.storage.files import StrPath, read_text, reason, write_text

_DIGEST = "digest"


def read_json_lines(path: StrPath) -> list[dict[str, Any]]:
    """Return the records of a file, none if it does not exist. A last line that was cut off by a kill is removed.

    Raises `WordplError` if the file cannot be read or a line is not a record as it was written.
    """
    path = Path(path)
    if not os.path.lexists(path):
        return []
    text = read_text(path, "records")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        if not text[len(whole) :].startswith("{"):
            raise WordplError(f"{path} does not hold finished work; name another file")
        write_text(path, whole)
    records = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or record.pop(_DIGEST, None) != _digest(record):
            raise WordplError(f"{path}, line {number}, is not a record of finished work; remove the file")
        records.append(record)
    return records


def add_json_line(path: StrPath, record: dict[str, Any]) -> None:
    """Append a record to a file, which is created if it does not exist. Raises `WordplError` if it cannot."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**record, _DIGEST: _digest(record)}) + "\n")
    except OSError as error:
        raise WordplError(f"cannot write {path}: {reason(error)}") from None


def _digest(record: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(record).encode(), digest_size=8).hexdigest()
