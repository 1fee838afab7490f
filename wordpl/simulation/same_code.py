"""Worker processes play the code that this process has loaded, or nothing.

A worker may be older than the code here, after `importlib.reload`, or newer, after an edit that was not loaded here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import joblib

from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import WordplError
from wordpl.base.fingerprint import running_digest
from wordpl.base.workers.pool import run_in_order
from wordpl.play.setting import Setting
from wordpl.play.strategy import Strategy

Value = TypeVar("Value")


class OtherCodeError(WordplError):
    """A worker process has other code of a strategy than the process that asks it to play."""


class Code(NamedTuple):
    """What tells the code, and the content of the files, with which a process plays a strategy."""

    loaded: str
    content: str


_ours: set[str] = set()
"""Code that this process was found to have. A strategy that changes a value of its module while it plays changes no
code, so code is compared once."""


def code_here(strategy: Strategy, setting: Setting) -> Code:
    """What this process would play with."""
    code = Code(f"{ENGINE_VERSION} {running_digest(strategy, setting.channel)}", strategy.content)
    _ours.add(code.loaded)
    return code


def check_code(code: Code, strategy: Strategy, setting: Setting) -> None:
    """Raise `OtherCodeError` in a process that would play with other code than `code`, which another one has sent."""
    if code.loaded in _ours and strategy.content == code.content:
        return
    if code_here(strategy, setting) != code:
        raise OtherCodeError(
            f"worker processes load other code or data for {strategy.label} than this process has: a file was edited,"
            " or a value of a module set by hand; reload it (importlib.reload) or start anew"
        )


def computed_in_order(
    jobs: int,
    function: Callable[..., Value],
    strategy: Strategy,
    setting: Setting,
    parts: Callable[[], Iterable[tuple[Any, ...]]],
) -> Iterator[Value]:
    """The results of `function(strategy, setting, *part)` in the order of the parts, from `jobs` processes.

    Workers with other code are replaced once: they end with the error that one of them raises. Raises `OtherCodeError`
    if the new ones have other code, too.
    """
    code = code_here(strategy, setting)

    def results() -> Iterator[Value]:
        calls = (joblib.delayed(_checked)(code, function, strategy, setting, *part) for part in parts())
        return run_in_order(jobs, calls)

    try:
        found = results()
        first = next(found, None)
    except OtherCodeError:
        found = results()
        first = next(found, None)
    if first is not None:
        yield first
        yield from found


def _checked(code: Code, function: Callable[..., Value], strategy: Strategy, setting: Setting, *part: Any) -> Value:
    check_code(code, strategy, setting)
    return function(strategy, setting, *part)
