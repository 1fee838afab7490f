"""Descriptions of strategies: what each does, its parameters, a command to try it, its win rates, and its source.

The texts are those of the code, and are written nowhere else. The docstring of a class says what its strategies do. A
list in it has a line for each parameter, such as "- `epsilon`: Budget of each clue, above 0.". The docstring of the
module has a paragraph "Source: ...". The win rates are those of a table that `python -m experiments.strategies` makes.
"""

import csv
import inspect
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc, Interval
from wordpl.play.specs import StrategySpec, parse_spec

WIN_RATES_FILE = Path(__file__).with_name("data") / "strategies.csv"
_PARAMETER = re.compile(r"^- `(\w+)`: (.+?)(?=\n- |\n\n|\Z)", re.MULTILINE | re.DOTALL)
_SOURCE = re.compile(r"^Source: (.+?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class StrategyParameter:
    """A parameter of a strategy."""

    name: Annotated[str, Doc("Name of the parameter.")]
    default: Annotated[str | None, Doc("Its default, as a spec has it; null for one that must be given.")]
    meaning: Annotated[str, Doc("Its meaning, unit and range; empty if its class does not say.")]


@dataclass(frozen=True)
class PlayedBudget:
    """A budget at which a strategy was played, and its win rate."""

    spec: Annotated[str, Doc("The spec that was played.")]
    options: Annotated[str, Doc("The options of `wordpl score` that it was played with; empty for the contest's game.")]
    budget: Annotated[float, Doc("Mean budget of a game.")]
    trials: Annotated[int, Doc("Games played.")]
    win_rate: Annotated[float, Doc("Win rate by posterior probabilities.")]
    interval: Annotated[Interval, Doc("95% interval of the win rate.")]

    @property
    def command(self) -> str:
        """The command that plays it."""
        return f'wordpl score "{self.spec}" {self.options}'.rstrip()


@dataclass(frozen=True)
class StrategyDescription:
    """A strategy, for somebody who has not used it."""

    name: Annotated[str, Doc("Name of the strategy.")]
    call: Annotated[str, Doc("Name and parameters, with their defaults.")]
    account: Annotated[str, Doc("Its method, in paragraphs.")]
    parameters: Annotated[tuple[StrategyParameter, ...], Doc("Its parameters, in order.")]
    example: Annotated[str, Doc("A command that plays it.")]
    win_rates: Annotated[tuple[PlayedBudget, ...], Doc("Its win rates at three budgets; empty if it is not ours.")]
    source: Annotated[str, Doc("Its source: a paper, a repository or a module.")]


def describe_strategy(name: str) -> StrategyDescription:
    """Return what the strategy of this `name` is, of the library or of a file that imports wordpl.

    Raises `WordplError`, with the nearest name, for one that is not known.

    >>> describe_strategy("TwoGuess").call
    "TwoGuess(epsilon, first_guess='trace')"
    """
    spec = parse_spec(name)
    if not isinstance(spec, StrategySpec):
        raise WordplError(f"{name} imports no wordpl, so nothing is known of it")
    kind, name = spec.factory, spec.factory.__name__
    texts = [inspect.cleandoc(base.__doc__ or "") for base in reversed(kind.__mro__[:-1])]
    meanings = {found[1]: _line(found[2]) for text in texts for found in _PARAMETER.finditer(text)}
    parameters = tuple(
        StrategyParameter(p.name, None if p.default is p.empty else repr(p.default), meanings.get(p.name, ""))
        for p in inspect.signature(kind).parameters.values()
    )
    arguments = [p.name if p.default is None else f"{p.name}={p.default}" for p in parameters]
    account = _PARAMETER.sub("", inspect.getdoc(kind) or "")
    source = _SOURCE.search(sys.modules[kind.__module__].__doc__ or "")
    played = tuple(_played().get(name, ())) if kind.__module__.startswith("wordpl.library.") else ()
    needed = ", ".join(f"{p.name}=..." for p in parameters if p.default is None)
    return StrategyDescription(
        name=name,
        call=f"{name}({', '.join(arguments)})",
        account="\n\n".join(map(_line, filter(str.strip, account.split("\n\n")))),
        parameters=parameters,
        example=played[1].command if played else f'wordpl score "{name}({needed})"',
        win_rates=played,
        source=_line(source[1]) if source else kind.__module__,
    )


def _line(text: str) -> str:
    return " ".join(text.split())


@cache
def _played() -> dict[str, list[PlayedBudget]]:
    """The budgets at which each strategy of the library was played, by its name."""
    played: dict[str, list[PlayedBudget]] = {}
    with WIN_RATES_FILE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            budget, rate, low, high = (float(row[name]) for name in ("budget", "win_rate", "low", "high"))
            one = PlayedBudget(row["spec"], row["options"], budget, int(row["trials"]), rate, (low, high))
            played.setdefault(one.spec.partition("(")[0], []).append(one)
    return played
