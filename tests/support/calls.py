"""The public calls, and what they are given in tests of their arguments."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import wordpl
from tests.support.helpers import TINY
from tests.support.public import public
from wordpl import Posterior, Setting
from wordpl.library.renyi import Renyi

BELIEF, SETTING, GUESS = Posterior(TINY), Setting(TINY), TINY.guesses[0]
RENYI = Renyi((5.0, 4.0), first_guess=None)
TASK = wordpl.make_task(RENYI, words=TINY)
RESULTS = dict.fromkeys(
    (
        "Analysis", "BudgetCurve", "ComparedPair", "Crossing", "Difference", "DifferenceWithin", "Evaluation",
        "Explanation", "Figures", "Finished", "Game", "GameRecord", "MoveRecord", "PairedComparison", "PlayedBudget",
        "Run", "Solution", "SplitBound", "StrategyDescription", "TaskRow", "WinRate",
    ),
    "a result",
)  # fmt: skip
CALLED = "what the referee calls, or a file of ours"


def public_calls() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public functions, classes and methods of public classes, by name."""
    for name, thing in public().items():
        if inspect.isclass(thing):
            yield name, thing
            for method, call in vars(thing).items():
                if not method.startswith("_") and inspect.isfunction(getattr(call, "__func__", call)):
                    yield f"{name}.{method}", getattr(thing, method)
        elif inspect.isfunction(inspect.unwrap(thing)):
            yield name, thing


def parameters_of(call: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(call).parameters.values())
    except ValueError:  # an error, or a type of Python's own
        return []


def text_of(result: Any) -> str:
    return repr(result.tolist() if isinstance(result, np.ndarray) else result)
