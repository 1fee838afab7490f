"""The parts of the reference that come from declarations: the records that commands print as JSON, and the HTTP API.

`json.md` and `http.md` say what holds for all of it; the site shows the tables of this module below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, get_type_hints

from pydantic import ConfigDict, TypeAdapter
from typing_extensions import TypedDict

from wordpl.base.json_types import Doc
from wordpl.cli.contest import ReplayRecord
from wordpl.cli.doctor import HealthRecord
from wordpl.cli.questions import ClueChance, ClueRecord, Ranking
from wordpl.cli.win_rate import WinRateRecord
from wordpl.contest.board import Board, BoardEntry
from wordpl.contest.check import Finding
from wordpl.limits.explanation import Explanation
from wordpl.reporting.comparison_tables import ComparisonRecord
from wordpl.reporting.outcome_tables import OutcomeRecord
from wordpl.simulation.descriptions import StrategyDescription
from wordpl.simulation.statistics_table import EvaluationRecord, RunTerms, StatisticsRecord
from wordpl.simulation.store import Run
from wordpl.simulation.tasks import TaskRow
from wordpl.simulation.trials import TIMINGS, Trial
from wordpl.simulation.watch import WatchedGame
from wordpl.web.app import make_app
from wordpl.web.settings import Settings
from wordpl.wordle.analysis import Analysis
from wordpl.wordle.session import GameStanding
from wordpl.wordle.trees.tree import FoundTree, SearchFacts

Schema: TypeAlias = dict[str, Any]
_Seconds: TypeAlias = Annotated[float, Doc("Seconds of the whole run.")]


class ScoreRecord(EvaluationRecord):
    """A task that was just played, and its statistics."""

    wall_seconds: _Seconds


class TriedScore(RunTerms, StatisticsRecord):
    """The statistics of a submission that was tried out."""

    wall_seconds: _Seconds
    trusted: Annotated[bool, Doc("True if it ran without a sandbox.")]
    ranked: Annotated[Literal[False], Doc("Always false: the seed is known.")]


_task, _trial = (get_type_hints(kind, include_extras=True) for kind in (TaskRow, Trial))
ExportedTrial: Any = TypedDict(  # type: ignore[misc]
    "ExportedTrial",
    {name: hint for name, hint in _task.items() if name != "trials"}
    | {name: NotRequired[hint] if name in TIMINGS else hint for name, hint in _trial.items()},
)
ExportedTrial.__doc__ = "A trial with its task."

COMMANDS: dict[str, tuple[Any, str]] = {
    "score": (ScoreRecord | list[ScoreRecord], "One object for a single strategy, else a list."),
    "sweep": (list[OutcomeRecord], "One object for each strategy and epsilon."),
    "compare": (ComparisonRecord, "`results --compare` prints the same."),
    "results": (list[OutcomeRecord], "One object for each task of the file that has trials."),
    "results --games --out FILE.json": (list[ExportedTrial], "One object for each trial."),
    "results --provenance": (list[Run], "One object for each run that added trials, the earliest first."),
    "score --sandbox": (TriedScore, ""),
    "watch": (WatchedGame | list[WatchedGame], "One object for a single game, else a list."),
    "win-rate": (WinRateRecord | list[WinRateRecord], "One object for a single strategy, else a list."),
    "frontier": (
        dict[str, list[float | None]],
        "A list for each curve, by name: its smallest budgets for win rates of 1% to 99%; null where none is known."
        " `NAME, error` is half of a 95% interval around each; 0 if it is exact.",
    ),
    "rank": (Ranking, ""),
    "rank --clues": (list[ClueChance], "One object for each epsilon, word and clue, the likeliest clue first."),
    "clue": (ClueRecord, ""),
    "explain": (Explanation, ""),
    "list": (list[StrategyDescription] | list[str], "One object for each strategy; with `--words`, the words."),
    "solve": (GameStanding, ""),
    "analyze": (Analysis, ""),
    "tree build, optimal, prove and check": (
        FoundTree | SearchFacts,
        "There are no statistics of a tree if `feasible` is false.",
    ),
    "check": (list[Finding], "One object for each test."),
    "contest submit": (list[BoardEntry], "One object for each file."),
    "contest board": (Board, ""),
    "contest replay": (list[ReplayRecord], "One object for each entry."),
    "doctor": (list[HealthRecord], "One object for each thing that was looked at."),
}
"""What each command prints with `--json`, and what there is to say of it besides."""


def json_schemas() -> tuple[dict[str, Schema], Schema]:
    """Return the JSON Schema of what each command prints, by command, and the types to which they refer."""
    config = ConfigDict(extra="forbid", use_attribute_docstrings=True)
    # A type with a name of its own takes no configuration, but a list of it does.
    adapters: list[Any] = [
        (name, "serialization", TypeAdapter(list[kind], config=config))  # type: ignore[valid-type]
        for name, (kind, _) in COMMANDS.items()
    ]
    schemas, shared = TypeAdapter.json_schemas(adapters)
    return {str(name): schema["items"] for (name, _), schema in schemas.items()}, shared["$defs"]


def json_tables() -> str:
    """Return what each command prints, for `json.md`."""
    schemas, types = json_schemas()
    parts = [
        f"## wordpl {name}\n\n{f'{_kind(schemas[name], types)}. {said}'.rstrip()}\n"
        for name, (_, said) in COMMANDS.items()
    ]
    return "\n".join([*parts, _types(types)])


def http_tables() -> str:
    """Return the operations of the HTTP API and their types, for `http.md`."""
    description = make_app(Settings()).openapi()
    types = description["components"]["schemas"]
    parts, tag = [], None
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            if operation["tags"][0] != tag:
                tag = operation["tags"][0]
                parts.append(f"## {tag.capitalize()}\n")
            parts.append(_operation(f"{method.upper()} {path}", operation, types))
    return "\n".join([*parts, _types(types)])


def _types(types: Schema) -> str:
    shown = [_type(name, schema, types) for name, schema in sorted(types.items()) if "properties" in schema]
    return "\n".join(["## Types\n", *shown])


def _operation(name: str, operation: Schema, types: Schema) -> str:
    lines = [f"### `{name}`\n", " ".join(operation["description"].split()), ""]
    parameters = [
        (f"`{one['name']}`", _kind(one["schema"], types), _meaning(one["schema"], one.get("required", False), one))
        for one in operation.get("parameters", [])
    ]
    if parameters:
        lines += _table(("parameter", "value", "meaning"), parameters)
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        lines += [f"Body ({media}): {_kind(content.get('schema', {}), types)}.", ""]
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            given = "; ".join(
                f"{media}: {_kind(c.get('schema', {}), types)}" for media, c in response.get("content", {}).items()
            )
            lines += [
                f"Answer {status}{f' ({given})' if given else ''}. `operationId`: `{operation['operationId']}`.",
                "",
            ]
    return "\n".join(lines)


def _type(name: str, schema: Schema, types: Schema) -> str:
    needed = schema.get("required", [])
    rows = [
        (f"`{field}`", _kind(of, types), _meaning(of, field in needed, of))
        for field, of in schema.get("properties", {}).items()
    ]
    lines = [f"### {name}\n", " ".join(schema.get("description", "").split()), ""]
    return "\n".join([*lines, *_table(("field", "value", "meaning"), rows)])


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |"
    yield ""


def _kind(schema: Schema, types: Schema) -> str:
    """The type of a value in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})" if "properties" in types[name] else _kind(types[name], types)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one, types) for one in schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items") or {}
        if "prefixItems" in schema:
            return f"list of {len(schema['prefixItems'])}, each {_kind(schema['prefixItems'][0], types)}"
        return f"list of {_kind(items, types)}" if items else "list"
    names = {
        "string": "text",
        "boolean": "true or false",
        "integer": "whole number",
        "object": "object",
        "null": "null",
    }
    return "any" if kind is None else names.get(kind, str(kind))


_BOUNDS = {
    "minimum": "at least {}", "exclusiveMinimum": "more than {}",
    "maximum": "at most {}", "exclusiveMaximum": "less than {}",
    "maxLength": "at most {} characters", "maxItems": "at most {} items",
}  # fmt: skip


def _meaning(schema: Schema, needed: bool, described: Schema) -> str:
    said = described.get("description") or schema.get("description") or ""
    notes = []
    for one in (schema, *schema.get("anyOf", [])):
        notes += [
            text.format(one[bound]) for bound, text in _BOUNDS.items() if bound in one and "prefixItems" not in one
        ]
    if not needed and schema.get("default") is not None:
        notes.append(
            f"default `{str(schema['default']).lower() if isinstance(schema['default'], bool) else schema['default']}`"
        )
    said = " ".join(said.split()).rstrip(".")
    return f"{said}{'; ' if said and notes else ''}{', '.join(notes)}"
