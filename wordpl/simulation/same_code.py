"""Worker processes play the code that this process has loaded, or nothing.

A worker may be older than the code here, after `importlib.reload`, or newer, after an edit that was not loaded here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import joblib

from wordpl.base.workers.pool import run_in_order
from wordpl.play.setting import Setting
from wordpl.play.strategy import Strategy
from wordpl.simulation.tasks import Code, OtherCodeError, check_code, code_here

Value = TypeVar("Value")


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
