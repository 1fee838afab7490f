"""The page of the HTTP API, `docs/reference/http.md`: `python -m tests.web.api_page` writes it from the description."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from wordpl.web.app import make_app
from wordpl.web.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "http.md"
MARK = "<!-- The rest is written by python -m tests.web.api_page -->\n"


@cache
def schemas() -> dict[str, Any]:
    found: dict[str, Any] = description()["components"]["schemas"]
    return found


@cache
def description() -> dict[str, Any]:
    return make_app(Settings()).openapi()


def page(before: str) -> str:
    """The page: what stands above the mark in `before`, and the operations and types."""
    parts = [before.partition(MARK)[0] + MARK]
    tag = None
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            if operation["tags"][0] != tag:
                tag = operation["tags"][0]
                parts.append(f"## {tag.capitalize()}\n")
            parts.append(_operation(f"{method.upper()} {path}", operation))
    parts.append("## Types\n")
    parts += [_model(name, schema) for name, schema in sorted(schemas().items()) if "properties" in schema]
    return "\n".join(parts)


def _operation(name: str, operation: dict[str, Any]) -> str:
    lines = [f"### `{name}`\n", " ".join(operation["description"].split()), ""]
    parameters = [
        (f"`{one['name']}`", _kind(one["schema"]), _meaning(one["schema"], one.get("required", False), one))
        for one in operation.get("parameters", [])
    ]
    if parameters:
        lines += _table(("parameter", "value", "meaning"), parameters)
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        lines += [f"Body ({media}): {_kind(content.get('schema', {}))}.", ""]
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            given = "; ".join(
                f"{media}: {_kind(c.get('schema', {}))}" for media, c in response.get("content", {}).items()
            )
            lines += [
                f"Answer {status}{f' ({given})' if given else ''}. `operationId`: `{operation['operationId']}`.",
                "",
            ]
    return "\n".join(lines)


def _model(name: str, schema: dict[str, Any]) -> str:
    needed = schema.get("required", [])
    rows = [
        (f"`{field}`", _kind(of), _meaning(of, field in needed, of))
        for field, of in schema.get("properties", {}).items()
    ]
    lines = [f"### {name}\n", " ".join(schema.get("description", "").split()), ""]
    return "\n".join([*lines, *_table(("field", "value", "meaning"), rows)])


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |"
    yield ""


def _kind(schema: dict[str, Any]) -> str:
    """The type of a value in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})" if "properties" in schemas()[name] else _kind(schemas()[name])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one) for one in schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items") or {}
        return f"list of {_kind(items)}" if items else "list"
    names = {
        "string": "text",
        "boolean": "true or false",
        "integer": "whole number",
        "object": "object",
        "null": "null",
    }
    return "any" if kind is None else names.get(kind, kind)


_BOUNDS = {
    "minimum": "at least {}", "exclusiveMinimum": "more than {}",
    "maximum": "at most {}", "exclusiveMaximum": "less than {}",
    "maxLength": "at most {} characters", "maxItems": "at most {} items",
}  # fmt: skip


def _meaning(schema: dict[str, Any], needed: bool, described: dict[str, Any]) -> str:
    said = described.get("description") or schema.get("description") or ""
    notes = []
    for one in (schema, *schema.get("anyOf", [])):
        notes += [text.format(one[bound]) for bound, text in _BOUNDS.items() if bound in one]
    if not needed and schema.get("default") is not None:
        notes.append(
            f"default `{str(schema['default']).lower() if isinstance(schema['default'], bool) else schema['default']}`"
        )
    said = " ".join(said.split()).rstrip(".")
    return f"{said}{'; ' if said and notes else ''}{', '.join(notes)}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
