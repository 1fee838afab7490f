"""Writing the trials of a results file as a table: .csv, .json or .parquet.

Each writer takes a path, flat records of one set of keys, and the SQL declaration of every column that there may be. It
returns how many records it wrote.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from wordpl.displays import json_epsilon
from wordpl.errors import MissingExtraError, WordplError

Rows: TypeAlias = Iterator[dict[str, Any]]


def _write_csv(path: Path, rows: Rows, declared: Mapping[str, str]) -> int:
    n = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*declared], lineterminator="\n")
        for chunk in _chunks(rows):
            if n == 0:
                writer.fieldnames = list(chunk[0])
                writer.writeheader()
            writer.writerows(chunk)
            n += len(chunk)
    return n


def _write_json(path: Path, rows: Rows, declared: Mapping[str, str]) -> int:
    n = 0
    with path.open("w", encoding="utf-8") as file:
        for chunk in _chunks(rows):
            for row in chunk:
                # Only epsilon and what is spent of it can be infinite, and only without noise.
                plain = {k: json_epsilon(v) if isinstance(v, float) else v for k, v in row.items()}
                plain["noiseless"] = bool(row["noiseless"])
                file.write(("[\n" if n == 0 else ",\n") + json.dumps(plain, allow_nan=False))
                n += 1
        file.write("[]\n" if n == 0 else "\n]\n")
    return n


def _write_parquet(path: Path, rows: Rows, declared: Mapping[str, str]) -> int:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("Parquet needs the extra 'parquet': pip install 'wordpl[parquet]'") from None
    kinds = {"TEXT": pa.string(), "REAL": pa.float64(), "INTEGER": pa.int64()}
    n = 0
    writer = None
    for chunk in _chunks(rows):
        if writer is None:
            writer = pq.ParquetWriter(path, pa.schema([(name, kinds[declared[name].split()[0]]) for name in chunk[0]]))
        writer.write_table(pa.Table.from_pylist(chunk, schema=writer.schema))
        n += len(chunk)
    if writer is None:
        raise WordplError("no trials to export")
    writer.close()
    return n


def _chunks(rows: Rows, size: int = 50_000) -> Iterator[list[dict[str, Any]]]:
    while chunk := list(itertools.islice(rows, size)):
        yield chunk


WRITERS = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}
"""Writer by the ending of the file's name."""
