"""Docstrings of the public names: each parameter is named, with what it may be."""

import ast
import functools
import inspect
import re
from enum import Enum

import pytest

from tests.support.calls import public_calls


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


def unnamed() -> dict[str, list[str]]:
    found = {}
    for name, call in public_calls():
        text, explained = inspect.getdoc(call) or "", frozenset[str]()
        if inspect.isclass(call):
            if issubclass(call, (Enum, BaseException, list, dict)) or getattr(call, "_is_protocol", False):
                continue
            text, explained = f"{call.__doc__}\n{inspect.getdoc(call.__init__)}", fields_with_text(call)
        quoted = " ".join(re.findall(r"`([^`]+)`", text))
        parameters = [p for p in inspect.signature(call).parameters if p not in {"self"} | explained]
        found[name] = [p for p in parameters if not re.search(rf"\b{p}\b", quoted)]
    return found


@pytest.mark.heavy
def test_a_public_docstring_names_every_parameter():
    found = unnamed()
    assert len(found) > 200
    assert {name: missing for name, missing in found.items() if missing} == {}
