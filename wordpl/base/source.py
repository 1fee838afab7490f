"""Python source as it counts for results: what the interpreter would do with it, not how it is written.

The normal form of a piece of source is its syntax tree without comments, layout, docstrings and the block under
`if __name__ == "__main__":`. Two sources with one normal form do the same when imported.
"""

from __future__ import annotations

import ast
import hashlib
import tokenize
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from types import CodeType

# Fields of the tree that say nothing of what the source does.
_SILENT = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
_RUN_AS_PROGRAM = ast.dump(ast.parse("__name__ == '__main__'", mode="eval").body)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Source:
    """A piece of source that compiles."""

    def __init__(self, text: str) -> None:
        # Not `ast.parse`: from Python 3.14 on, `python -OO` takes docstrings out of what that returns.
        tree = compile(text, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True, optimize=0)
        self.digest = digest_of(normal_form(tree))
        codes = dict.fromkeys(codes_within(compile(text, "<source>", "exec", dont_inherit=True)))
        self._codes: dict[str, list[CodeType]] = {}
        for code in sorted(codes, key=lambda code: code.co_firstlineno):
            self._codes.setdefault(code.co_name, []).append(code)

    def place_of(self, code: CodeType) -> int | None:
        """Which of the functions of its name a code is; None if it was not compiled from this source."""
        codes = self._codes.get(code.co_name, [])
        return codes.index(code) if code in codes else None


@lru_cache(maxsize=256)
def _parsed(text: str) -> Source | None:
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return Source(text)
    return None


def source_of(file: object) -> Source | None:
    """The source in a file as it is now; None if there is none that compiles."""
    with suppress(OSError, SyntaxError, ValueError, TypeError), tokenize.open(file) as opened:  # type: ignore[arg-type]
        return _parsed(opened.read())
    return None


def normal_form(node: ast.AST) -> str:
    """A syntax tree as text, the same in every version of Python that knows the syntax, as that of `ast.dump` is not.

    Text of the form, and not of the source, waits in tuples.
    """
    written: list[str] = []
    stack: list[object] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            written += item
        elif isinstance(item, ast.AST) and not isinstance(item, ast.Constant | ast.MatchSingleton):
            stack.append((")",))
            for name, field in reversed(list(ast.iter_fields(item))):
                if isinstance(field, list):
                    field = [inner for inner in field if _matters(inner, item)]
                if field and name not in _SILENT:  # a new version adds fields, and they are empty in old source
                    stack += [field, (f"{name}=",)]
            written.append(f"{type(item).__name__}(")
        elif isinstance(item, list):
            stack += [("]",), *reversed(item)]
            written.append("[")
        else:
            written.append(constant_form(item.value if isinstance(item, ast.Constant | ast.MatchSingleton) else item))
    return "".join(written)


def _matters(item: object, parent: ast.AST) -> bool:
    """Whether an item is no docstring, no block that runs only in a program, and no empty piece of an f-string."""
    if isinstance(parent, ast.JoinedStr):
        return not (isinstance(item, ast.Constant) and item.value == "")
    if isinstance(item, ast.Expr):
        return not (isinstance(item.value, ast.Constant) and isinstance(item.value.value, str))
    return not isinstance(item, ast.If) or bool(item.orelse) or ast.dump(item.test) != _RUN_AS_PROGRAM


def constant_form(value: object) -> str:
    """A constant as text. Which letters `repr` shows as they are differs by version, and it refuses large integers."""
    return f"{type(value).__name__}:{hex(value) if type(value) is int else ascii(value)};"


def codes_within(code: CodeType) -> Iterator[CodeType]:
    """The code of a function or module, and those of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_within(constant)
