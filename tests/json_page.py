"""The tables of `docs/reference/json.md`, from the schemas: `python -m tests.json_page` writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "json.md"
SCHEMAS = PAGE.parent / "schemas"
MARK = "<!-- The rest is written by python -m tests.json_page -->\n"
COMMANDS = (
    ("score", "wordpl score"),
    ("sweep", "wordpl sweep"),
    ("compare", "wordpl compare"),
    ("results", "wordpl results"),
    ("results-out", "wordpl results --out TABLE.json"),
    ("results-provenance", "wordpl results --provenance"),
    ("try", "wordpl try"),
    ("watch", "wordpl watch"),
    ("win-rate", "wordpl win-rate"),
    ("frontier", "wordpl frontier"),
    ("rank", "wordpl rank"),
    ("entropy", "wordpl entropy"),
    ("clue", "wordpl clue"),
    ("list", "wordpl list"),
    ("solve", "wordpl solve"),
    ("analyze", "wordpl analyze"),
    ("tree", "wordpl tree build, optimal, prove and check"),
    ("check", "wordpl check"),
    ("submit", "wordpl submit"),
    ("leaderboard", "wordpl leaderboard"),
    ("audit", "wordpl audit"),
    ("serve-tokens", "wordpl serve tokens"),
    ("serve-uploads", "wordpl serve uploads"),
)
SAME = {"sweep": "score", "try": "score", "results": "sweep", "entropy": "rank", "leaderboard": "submit"}
"""Commands that print what another prints, or little else: their tables show only what differs."""


@cache
def schema(file: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / file).read_text("utf-8"))
    return found


def resolved(node: dict[str, Any], home: str) -> tuple[dict[str, Any], str]:
    """What a reference leads to, with the description of the reference if it has one, and the file it is in."""
    while "$ref" in node:
        file, _, path = node["$ref"].partition("#")
        home = file or home
        target: Any = schema(home)
        for step in path.split("/")[1:]:
            target = target[step]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    return node, home


def properties(node: dict[str, Any], home: str, before: str = "") -> Iterator[tuple[str, str, str]]:
    """Key, type and meaning of everything in an object or in the objects of a list."""
    node, home = resolved(node, home)
    for part in node.get("allOf", ()):
        yield from properties(part, home, before)
    if "oneOf" in node and all("$ref" in one or "items" in one for one in node["oneOf"]):
        yield from properties(node["oneOf"][0], home, before)
    if "items" in node and before.count("[]") == before.count("["):
        yield from properties(node["items"], home, f"{before}[]" if before else "")
    for key, child in node.get("properties", {}).items():
        inner, place = resolved(child, home)
        name = f"{before}.{key}" if before else key
        yield name, kind(inner, place), inner.get("description", "")
        yield from properties(inner, place, name)


def kind(node: dict[str, Any], home: str) -> str:
    """The type of a value in a few words."""
    node, home = resolved(node, home)
    if "const" in node:
        return f"`{json.dumps(node['const'])}`"
    if "enum" in node:
        return " or ".join(f"`{json.dumps(value)}`" for value in node["enum"])
    if "oneOf" in node:
        return " or ".join(kind(one, home) for one in node["oneOf"])
    types = [node["type"]] if isinstance(node["type"], str) else node["type"]
    names = {"string": "text", "boolean": "true or false", "integer": "whole number", "array": "list"}
    shown = " or ".join(names.get(one, one) for one in types)
    if types == ["array"]:
        items, at = resolved(node["items"], home)
        if items.get("type") == "object":
            return "list of objects"
        count = f"{node['minItems']}, each " if "minItems" in node else ""
        return f"list of {count}{kind(items, at)}"
    return shown


def table(name: str) -> str:
    file = f"{name}.json"
    node = schema(file)
    rows = list(properties(node, file))
    said = [node.get("description", "")]
    if name in SAME:
        known = set(properties(schema(f"{SAME[name]}.json"), f"{SAME[name]}.json"))
        own = [row for row in rows if row not in known]
        gone = {key for key, *_ in known} - {key for key, *_ in rows}
        less = f", without {', '.join(f'`{key}`' for key in sorted(gone))}" if gone else ""
        said.append(f"The keys are those of `{SAME[name]}`{less}{', and these:' if own else '.'}")
        rows = own
    text = " ".join(part for part in said if part)
    if rows:
        lines = [f"| `{key}` | {kind} | {meaning} |" for key, kind, meaning in rows]
        text += "\n\n" * bool(text) + "\n".join(["| key | value | meaning |", "| --- | --- | --- |", *lines])
    return f"{text}\n\n[Schema](schemas/{file})\n"


def page(before: str) -> str:
    """The page: what stands above the mark in `before`, and the tables."""
    head = before.partition(MARK)[0]
    tables = (f"## {title}\n\n{table(name)}" for name, title in COMMANDS)
    return re.sub(r"\n{3,}", "\n\n", head + MARK + "\n" + "\n".join(tables))


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
