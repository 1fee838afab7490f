"""Writing the trials of a results file as a table: .csv, .json or .parquet.

Each writer takes a path, the rows as tuples, and the columns of a row with their SQL declarations, in order.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from wordpl.base.displays import json_epsilon
from wordpl.base.errors import MissingExtraError
from wordpl.base.sanitizing import write_csv

Rows: TypeAlias = Iterable[tuple[Any, ...]]
_ROWS_AT_ONCE = 50_000


def records(rows: Rows, columns: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The rows as flat records."""
    return (dict(zip(columns, row, strict=True)) for row in rows)


def _write_csv(path: Path, rows: Rows, columns: Mapping[str, str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        write_csv(file, itertools.chain([columns], rows))


def _write_json(path: Path, rows: Rows, columns: Mapping[str, str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        before = "["
        for row in records(rows, columns):
            # Only epsilon and what is spent of it can be infinite, and only without noise.
            plain = {k: json_epsilon(v) if isinstance(v, float) else v for k, v in row.items()}
            plain |= {name: bool(row[name]) for name in ("noiseless", "is_schedule")}
            file.write(f"{before}\n{json.dumps(plain, allow_nan=False)}")
            before = ","
        file.write("\n]\n")


def _write_parquet(path: Path, rows: Rows, columns: Mapping[str, str]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("Parquet needs", "parquet") from None
    kinds = {"TEXT": pa.string(), "REAL": pa.float64(), "INTEGER": pa.int64()}
    schema = pa.schema([(name, kinds[sql.split()[0]]) for name, sql in columns.items()])
    left = records(rows, columns)
    with pq.ParquetWriter(path, schema) as writer:
        while chunk := list(itertools.islice(left, _ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(chunk, schema=schema))


WRITERS = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}
