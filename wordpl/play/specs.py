"""Specs: strategies as text that a user types. The text is parsed as a literal and never evaluated.

`Name(parameter=value, ...)` is a strategy of the library. Values are literals, or `inf` for infinity.
`FILE.py:Name(...)`, `FILE.py` and a folder are a user's own strategies, which `wordpl.contest` reads.
"""

import ast
import inspect
import logging
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

from wordpl.base.checks import set_fields
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError, error_line, nearest, one_line
from wordpl.play import SPEC_READERS
from wordpl.play.strategy import Strategy

_LONGEST_SPEC = 1000
_LOG = logging.getLogger(__name__)


class Spec(Protocol):
    """A parsed spec, of a class of the library or of a file: it makes a strategy once no parameter is missing."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The values that the spec gives by name."""

    @property
    def open_parameters(self) -> Mapping[str, bool]:
        """The parameters that the strategy takes and the spec does not give -> whether it needs them."""

    def build(self, **extra: Any) -> Strategy:
        """Return the strategy, with `extra` parameters added."""


@dataclass(frozen=True)
class StrategySpec:
    """A parsed spec: a class, `factory`, and some of its `parameters`."""

    factory: type[Any]
    parameters: Mapping[str, Any]
    source: str = ""
    """For a strategy from a file: the file's name."""

    @property
    def open_parameters(self) -> dict[str, bool]:
        """The parameters that the strategy takes and the spec does not give, each with whether it is required."""
        return {name: required for name, required in self.accepted.items() if name not in self.parameters}

    @property
    def accepted(self) -> dict[str, bool]:
        """Parameter name -> whether it is required."""
        parameters = list(inspect.signature(self.factory).parameters.values())
        return {p.name: p.default is p.empty for p in parameters if p.kind is not p.VAR_KEYWORD}

    def build(self, **extra: Any) -> Strategy:
        """Return the strategy, with `extra` parameters added. Raises `WordplError` as `parse_strategy` does."""
        arguments = {**self.parameters, **extra}
        name = self.factory.__name__
        check_parameters(name, self.accepted, arguments, place=f"{self.source}:" if self.source else "")
        try:
            with redirect_stdout(sys.stderr):
                strategy: Strategy = self.factory(**arguments)
        except WordplError:
            raise
        except (Exception, SystemExit) as error:
            raise WordplError(f"{name} cannot be made: {error_line(error)}") from None
        if self.source:
            set_fields(strategy, _file=f"{self.source}:")  # strategies are frozen
        return strategy


def parse_strategy(text: str) -> Strategy:
    """Return the strategy that `text` describes, such as `Greedy(epsilon=10)` or `my_strategy.py:Mine()`.

    A strategy file that uses files of the contest's repository takes those of the clone that it is in, or else of the
    one that the environment variable WORDPL_CONTEST_FILES names.

    Raises `WordplError` for text that is not a spec, a file that cannot be read, an unknown strategy or parameter (the
    error suggests the nearest one), a missing parameter, and a value that the strategy refuses.

    >>> parse_strategy("TwoGuess(17.9)")
    TwoGuess(epsilon=17.9)
    """
    return parse_spec(text).build()


def parse_spec(text: str) -> Spec:
    """Parse `text` as a spec, which may lack parameters until it is built.

    Raises `WordplError` as `parse_strategy` does, except for missing parameters and refused values.
    """
    found: Iterator[Spec | None] = (read(text) for read in SPEC_READERS)
    return next(spec for spec in found if spec is not None)


def check_parameters(name: str, accepted: Mapping[str, bool], values: Mapping[str, Any], *, place: str = "") -> None:
    """Raise `WordplError` unless a class of this name takes the parameters that have values, and needs no others.

    `accepted` says of each parameter whether it is required; `place` stands before the name in what is to be written.
    """
    for parameter in values:
        if parameter not in accepted:
            hint = "" if place else _of_contest(parameter, values[parameter], accepted)
            raise WordplError(f"{name} has no parameter {parameter!r}: {hint or nearest(parameter, accepted)}")
    lacking = [parameter for parameter, required in accepted.items() if required and parameter not in values]
    if lacking:
        raise WordplError(f"{name} needs {', '.join(lacking)}: write {place}{_call(name, values, lacking)}")


def _of_contest(parameter: str, value: Any, accepted: Mapping[str, bool]) -> str:
    """The name here of a parameter of the contest's strategies, if a class takes it."""
    clues = f"n_guesses={max(value - 1, 1)}" if isinstance(value, int) else "n_guesses"
    here = {
        "G": f"{clues} here, which does not count the proposal",
        "epsilon_per_guess": f"epsilon={value!r} here",
        "hard_mode": f"guesses={'answers' if value else 'all'!r} here",
    }.get(parameter, "")
    known = here.partition(" ")[0].partition("=")[0] in accepted
    return f"{parameter}={value!r} of the contest is {here}" if known else ""


def _note_order(name: str, arguments: Sequence[Any]) -> None:
    """Say how a call was read that has an epsilon first, as the contest's NGuess has.

    Raises `WordplError` if its first number is no number of clues."""
    first, second = arguments[:2]  # the second counts the proposal in the contest's NGuess
    if not (isinstance(first, (int, float)) and isinstance(second, int) and 1 <= second <= 10):
        return
    here = f"NGuess({max(second - 1, 1)}, {first})" if name == "NGuess" else f"{name}({second}, {first})"
    if isinstance(first, float):
        raise WordplError(f"{name} takes the number of clues first; write {here} for {name}({first}, {second})")
    contest = (
        f"the contest writes epsilon first, and its {name}({first}, {second}) is {here} here"
        if name == "NGuess"
        else f"the contest reads it so, too; {second} clues at epsilon {first} are {here}"
    )
    if 10 < first <= 1000:  # more clues are refused
        _LOG.warning("%s(%s, %s): %s clues at epsilon %s; %s", name, first, second, first, second, contest)


def _call(name: str, values: Mapping[str, Any], lacking: Iterable[str]) -> str:
    """A call as somebody has to write it, with dots where a value is missing."""
    arguments = [*(f"{key}={value!r}" for key, value in values.items()), *(f"{key}=..." for key in lacking)]
    return f"{name}({', '.join(arguments)})"


def as_strategy(strategy: Strategy | str) -> Strategy:
    """Return the strategy, or the one that a spec stands for. Raises `WordplError` for anything else."""
    if isinstance(strategy, str):
        return parse_strategy(strategy)
    if isinstance(strategy, type) and issubclass(strategy, Strategy):
        required = [name for name, needed in StrategySpec(strategy, {}).accepted.items() if needed]
        raise WordplError(f"{strategy.__name__} is a class; call it: {_call(strategy.__name__, {}, required)}")
    if not isinstance(strategy, Strategy):
        raise WordplError(
            f"{type(strategy).__name__} is not a Strategy; subclass wordpl.Strategy or wrap it in wordpl.from_contest"
        )
    return strategy


def parse_named_spec(text: str, classes: Mapping[str, type[Strategy]], source: str = "") -> StrategySpec:
    """Return a parsed `Name(parameter=value, ...)`, which may lack parameters until it is built.

    `classes` are those that it can name, and `source` is the name of their file. Raises `WordplError` for text that is
    not a spec, and an unknown strategy or parameter (with the nearest valid one).
    """
    name, arguments, named = literal_call(text)
    if name not in classes:
        raise WordplError(f"unknown strategy {name!r}: {nearest(name, classes)}")
    values = named_arguments(name, list(inspect.signature(classes[name]).parameters), arguments, named)
    if name in ("NGuess", "MaxClueEntropy") and len(arguments) > 1 and not source:
        _note_order(name, arguments)
    return StrategySpec(classes[name], values, source)


def named_arguments(
    name: str, parameters: Sequence[str], arguments: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call by name. Raises `WordplError` for too many, and for one that is given twice."""
    if len(arguments) > len(parameters):
        raise WordplError(f"{name} takes at most {counted(len(parameters), 'parameter')}: {', '.join(parameters)}")
    values = dict(zip(parameters, arguments, strict=False))
    if repeats := values.keys() & named.keys():
        raise WordplError(f"parameter {min(repeats)!r} is given twice")
    return {**values, **named}


def strategy_classes(module: ModuleType) -> dict[str, type[Any]]:
    """The public strategy classes that a module defines, ours and the contest's kind, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and not inspect.isabstract(value)
        and not name.startswith("_")
        and (issubclass(value, Strategy) or (hasattr(value, "first_move") and hasattr(value, "next_move")))
    }


def literal_call(text: str) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """Name, arguments and named arguments of `Name` or `Name(value, parameter=value)`; literals only."""
    if len(text) > _LONGEST_SPEC:
        raise WordplError(f"a strategy spec has at most {_LONGEST_SPEC} characters, this has {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    call = ast.Call(tree, [], []) if isinstance(tree, ast.Name) else tree
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise WordplError(
            f"{one_line(text, 60)!r} is not a strategy; write Name(parameter=value, ...), as Greedy(epsilon=10)"
        )
    arguments = tuple(_literal(f"argument {i + 1}", node) for i, node in enumerate(call.args))
    named: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise WordplError("** is not allowed; write parameter=value")
        if keyword.arg in named:
            raise WordplError(f"parameter {keyword.arg!r} is given twice")
        named[keyword.arg] = _literal(keyword.arg, keyword.value)
    return call.func.id, arguments, named


class _Infinities(ast.NodeTransformer):
    def visit_Name(self, name: ast.Name) -> ast.expr:
        return ast.Constant(math.inf) if name.id in ("inf", "infinity") else name


def _literal(name: str, node: ast.expr) -> Any:
    """The value of a literal, `inf` allowed in it."""
    # The parser reads a number that is too large for a float as infinity.
    if any(isinstance(part, ast.Constant) and part.value == math.inf for part in ast.walk(node)):
        raise WordplError(f"the value of {name!r} has a number that is too large for a float")
    try:
        return ast.literal_eval(_Infinities().visit(node))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        if isinstance(node, ast.Name):
            quoted = f"{node.id!r}, with quotes,"
            raise WordplError(f"{name}: {node.id} is no number; write {quoted} if it is a text") from None
        raise WordplError(
            f"the value of {name!r} is not a literal; a number, inf, 'text', None, True, False or a tuple is expected"
        ) from None


def path_and_call(text: str) -> tuple[str, str]:
    """Return the path of a file or folder ("" for neither), and the call after it ("" for none)."""
    text = text.strip()
    if file := re.fullmatch(r"(.*?\.(?:py|ipynb))(?::(.*))?", text, re.DOTALL):
        return file[1], file[2] or ""
    place, _, call = text.partition(":")
    # A Path would raise an error for a name that no file can have.
    if "(" not in place and os.path.isfile(os.path.join(place, "strategy.py")):  # noqa: PTH113, PTH118
        return place, call
    return "", ""
