"""Python source as it counts for results: its syntax tree without comments, layout, docstrings and what only a program
runs (`if __name__ == "__main__":`)."""

from __future__ import annotations

import ast
import hashlib
import tokenize
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from types import CodeType

# Fields of the tree that say nothing of what the source does.
_SILENT = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
_RUN_AS_PROGRAM = ast.dump(ast.parse("__name__ == '__main__'", mode="eval").body)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def place_of(code: CodeType) -> str | None:
    """The digest of a file and which of its functions a code is; None if it was not compiled from what is there now."""
    # It raises ValueError, too, for a code that is not there.
    with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        with tokenize.open(code.co_filename) as file:
            digest, codes = parsed(file.read())
        return f"{digest} {code.co_name} {[other for other in codes if other.co_name == code.co_name].index(code)}"
    return None


@lru_cache(maxsize=256)
def parsed(text: str) -> tuple[str, list[CodeType]]:
    """The digest of a source's normal form, and what it compiles to, in the order of its lines."""
    # Not `ast.parse`: from Python 3.14 on, `python -OO` takes docstrings out of what that returns.
    tree = compile(text, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True, optimize=0)
    codes = dict.fromkeys(codes_within(compile(text, "<source>", "exec", dont_inherit=True)))
    return digest_of(normal_form(tree)), sorted(codes, key=lambda code: code.co_firstlineno)


def normal_form(tree: ast.AST) -> str:
    """A syntax tree as text: level by level, so that it may be deep, and the same in every version of Python."""
    written: list[str] = []
    nodes = deque([tree])
    while nodes:
        node = nodes.popleft()
        written.append(f"{type(node).__name__}:")
        for name, field in ast.iter_fields(node):
            items = [item for item in (field if isinstance(field, list) else [field]) if _matters(item, node)]
            if name in _SILENT or not (items if isinstance(field, list) else field):
                continue  # a new version of Python adds fields, and they are empty in old source
            values = [item.value if isinstance(item, ast.Constant | ast.MatchSingleton) else item for item in items]
            nodes.extend(value for value in values if isinstance(value, ast.AST))
            written.append(
                f"{name}={['*' if isinstance(value, ast.AST) else constant_form(value) for value in values]}"
            )
    return "\n".join(written)


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
