"""Writing the trials of a results file as a table: .csv, .json or .parquet.

Each writer takes a path, one or more flat records of one set of keys, and the SQL declaration of every column that
there may be.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypeAlias

from wordpl.base.displays import json_epsilon
from wordpl.base.errors import MissingExtraError, WordplError
from wordpl.base.files import whole_file
from wordpl.base.json_types import Doc
from wordpl.base.sanitizing import write_csv
from wordpl.simulation.json_records import PlayedTrial, RunTerms

Rows: TypeAlias = Iterator[dict[str, Any]]
_ROWS_AT_ONCE = 50_000


class ExportedTrial(RunTerms, PlayedTrial):
    """A trial with its task."""

    id: Annotated[str, Doc("Id of the task.")]
    code: Annotated[str, Doc("Digest of the strategy's code.")]
    family: Annotated[str, Doc("The spec without its epsilon.")]
    is_schedule: Annotated[bool, Doc("Whether the strategy has an epsilon for each ask.")]
    asks: Annotated[int, Doc("Number of asks.")]
    chance: Annotated[float, Doc("Posterior probability of the proposed word.")]
    seconds: NotRequired[Annotated[float, Doc("Only with `--timings`.")]]
    slowest: NotRequired[Annotated[float, Doc("Only with `--timings`.")]]


def _write_csv(path: Path, rows: Rows, declared: Mapping[str, str]) -> None:
    first = next(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        write_csv(file, itertools.chain([first, first.values()], (row.values() for row in rows)))


def _write_json(path: Path, rows: Rows, declared: Mapping[str, str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        before = "["
        for row in rows:
            # Only epsilon and what is spent of it can be infinite, and only without noise.
            plain = {k: json_epsilon(v) if isinstance(v, float) else v for k, v in row.items()}
            plain |= {name: bool(row[name]) for name in ("noiseless", "is_schedule")}
            file.write(f"{before}\n{json.dumps(plain, allow_nan=False)}")
            before = ","
        file.write("\n]\n")


def _write_parquet(path: Path, rows: Rows, declared: Mapping[str, str]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("Parquet needs", "parquet") from None
    kinds = {"TEXT": pa.string(), "REAL": pa.float64(), "INTEGER": pa.int64()}
    first = next(rows)
    rows = itertools.chain([first], rows)
    with pq.ParquetWriter(path, pa.schema([(name, kinds[declared[name].split()[0]]) for name in first])) as writer:
        while chunk := list(itertools.islice(rows, _ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(chunk, schema=writer.schema))


_WRITERS = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}


def write_rows(target: Path, rows: Rows, declared: Mapping[str, str]) -> int:
    """Write rows to a file whose name says its format; nothing if there are none. Returns how many there were."""
    if target.suffix not in _WRITERS:
        raise WordplError(f"cannot export to {target.name!r}; a name that ends in {', '.join(_WRITERS)} is expected")
    first, number = next(rows, None), itertools.count(1)
    if first is None:
        return 0
    with whole_file(target) as beside:
        counted_rows = (row for row, _ in zip(itertools.chain([first], rows), number, strict=False))
        _WRITERS[target.suffix](beside, counted_rows, declared)
        return next(number) - 1
