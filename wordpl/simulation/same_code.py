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
from wordpl.simulation.tasks import Code, check_code, code_here

Value = TypeVar("Value")


def computed_in_order(
    jobs: int,
    function: Callable[..., Value],
    strategy: Strategy,
    setting: Setting,
    parts: Iterable[tuple[Any, ...]],
) -> Iterator[Value]:
    """The results of `function(strategy, setting, *part)` in the order of the parts, from `jobs` processes.

    Raises `OtherCodeError` if also workers that were just started have other code.
    """
    code = code_here(strategy, setting)
    return run_in_order(jobs, (joblib.delayed(_checked)(code, function, strategy, setting, *part) for part in parts))


def _checked(code: Code, function: Callable[..., Value], strategy: Strategy, setting: Setting, *part: Any) -> Value:
    check_code(code, strategy, setting)
    return function(strategy, setting, *part)
