"""The public calls, and what they are given in tests of their arguments."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import wordpl
from tests.support.helpers import TINY
from tests.support.public import public
from wordpl import Posterior, Setting
from wordpl.base.files import StrPath
from wordpl.library.renyi import Renyi
from wordpl.model.channel import ChannelFamily
from wordpl.play.setting import History

BELIEF, SETTING, GUESS = Posterior(TINY), Setting(TINY), TINY.guesses[0]
RENYI = Renyi((5.0, 4.0), first_guess=None)
TASK = wordpl.make_task(RENYI, words=TINY)


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
    """The parameters of a call, with their annotations as text."""
    try:
        found = inspect.signature(call).parameters.values()
    except ValueError:  # an error, or a type of Python's own
        return []
    return [parameter.replace(annotation=_written(parameter.annotation)) for parameter in found]


def _written(annotation: Any) -> str:
    """An annotation as it stands in the code, which Python may have evaluated."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    for name, alias in {"StrPath": StrPath, "History": History, "ChannelFamily": ChannelFamily}.items():
        text = text.replace(inspect.formatannotation(alias), name)
    return re.sub(r"\b(\w+\.)+", "", text)


def text_of(result: Any) -> str:
    return repr(result.tolist() if isinstance(result, np.ndarray) else result)
