"""Docstrings of the public names: each parameter is named, with what it may be."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from tests.support.public import public


@functools.cache
def fields_with_text(kind: type) -> frozenset[str]:
    """The fields of a class, and of the classes it inherits from, that have a text below them or a `Doc`."""
    found = set()
    for base in kind.__mro__:
        if not base.__module__.startswith(("wordpl", "strategies")):
            continue
        body = ast.parse(inspect.getsource(base)).body[0].body  # type: ignore[attr-defined]
        for field, after in zip(body, [*body[1:], None], strict=True):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                if is_text or "Doc(" in ast.unparse(field.annotation):
                    found.add(field.target.id)
    return frozenset(found)


def public_calls() -> Iterator[tuple[str, Callable[..., Any], str, frozenset[str]]]:
    """Name, call, docstring, and the parameters that are explained elsewhere, of all that a user can call."""
    for name, thing in public().items():
        if inspect.isfunction(inspect.unwrap(thing)):
            yield name, thing, inspect.getdoc(thing) or "", frozenset()
        elif inspect.isclass(thing):
            of_ours = not issubclass(thing, Enum) and not getattr(thing, "_is_protocol", False)
            if of_ours and not issubclass(thing, (BaseException, list, dict)):
                text = f"{thing.__doc__}\n{inspect.getdoc(thing.__init__)}"
                yield name, thing, text, fields_with_text(thing)
            for method, member in vars(thing).items():
                call = getattr(member, "__func__", member)
                if not method.startswith("_") and inspect.isfunction(call):
                    yield f"{name}.{method}", call, inspect.getdoc(getattr(thing, method)) or "", frozenset()


def unnamed() -> dict[str, list[str]]:
    found = {}
    for name, call, text, explained in public_calls():
        quoted = " ".join(re.findall(r"`([^`]+)`", text))
        parameters = [p for p in inspect.signature(call).parameters if p not in {"self", "cls"} | explained]
        found[name] = [p for p in parameters if not re.search(rf"\b{p}\b", quoted)]
    return found


def test_a_public_docstring_names_every_parameter():
    found = unnamed()
    assert len(found) > 200
    assert {name: missing for name, missing in found.items() if missing} == {}
