"""Exports: a strategy as one file for the contest's repository, which needs numpy and nothing of ours."""

import dataclasses
import inspect
import itertools
import math
import os
from collections.abc import Sequence
from contextlib import suppress
from importlib import resources
from typing import Any, NamedTuple

from wordpl.base.checks import instance, several
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath, write_text
from wordpl.base.progress import Progress
from wordpl.contest.ledger.entries import Credit
from wordpl.contest.submission import check_module_name
from wordpl.library import strategies
from wordpl.model.channel import RandomizedResponse
from wordpl.model.clues import Clue
from wordpl.play.moves import Ask
from wordpl.play.plan import SCORES, Plan
from wordpl.play.setting import Setting, Turn
from wordpl.play.specs import as_strategy, literal_call
from wordpl.play.strategy import HistoryStrategy, Strategy

_WIDTH = 110
_TAKEN = frozenset(
    ("BayesianGreedy", "BayesianRandom", "BayesianWordle", "D95", "G3", "MaxClueEntropy", "NGuess", "TwoGuess")
)
"""Classes that the contest's repository has."""
_PERCENTILES = {"Fifth": "5th", "Median": "50th", "NinetyFifth": "95th"}


class Exported(NamedTuple):
    """The `source` of a file with exported strategies, and what a game can spend."""

    source: str
    worst: float
    """Budget, the largest of all strategies in the file; infinite if there is no bound."""
    strategies: tuple[tuple[str, float], ...] = ()
    """Call and largest budget of each strategy, such as ("Median(budget=37.4)", 37.4)."""

    def to_paste(self, module: str, credit: Credit | None = None) -> str:
        """Return the lines for the contest's `evaluate.py` and its README, if the file is `strategies/MODULE.py` with
        the name `module`. `credit` names the author."""
        credit = credit or Credit()
        kinds = dict.fromkeys(call.partition("(")[0] for call, _ in self.strategies)
        author = credit.author or "AUTHOR"
        author = f"[{author}]({credit.link})" if credit.link else author
        lines = ["In evaluate.py:", "", f"from strategies.{module} import {', '.join(kinds)}", ""]
        lines += ["STRATEGIES_UNDER_TEST = [", *(f"    {call}," for call, _ in self.strategies), "]", ""]
        lines += ["In README.md, in the row of the percentile that it holds:", ""]
        for call, budget in self.strategies:
            percentile = _PERCENTILES.get(call.partition("(")[0], "?")
            score = f"{budget:g}" if math.isfinite(budget) else "?"
            lines.append(f"| {percentile} percentile | [`{call}`][{module}] | {author} | {score} |")
        return "\n".join([*lines, "", f"[{module}]: ./strategies/{module}.py"])


def export_strategy(
    strategy: Strategy | str | Sequence[Strategy | str],
    setting: Setting,
    tabled: int = 1,
    credit: Credit | None = None,
    progress: Progress | None = None,
) -> Exported:
    """Return one or several strategies as the source of one file with classes of the contest's two methods.

    - `strategy`: an object or a spec, or several
    - `setting`: the setting of the contest's repository
    - `tabled`: number of clues for which moves are computed here, 243**tabled of them
    - `credit`: name and link of the author
    - `progress`: called after each move that is computed here

    Strategies of one class become one class, whose constructor takes the parameters that are told in their calls;
    those of the first strategy are its defaults. A class that the contest's repository has already is called
    `Wordpl...`. Moves that take scores of guesses are computed here for the first clues; later moves are computed in
    the game. Raises `WordplError` for a strategy that cannot be exported, and for a setting that is not of the
    contest's kind.
    """
    instance("setting", setting, Setting)
    if (setting.words.length, setting.rule, setting.channel) != (5, "letterwise", RandomizedResponse):
        raise WordplError("only the contest's games are exported: five letters, rule letterwise, randomized response")
    kinds: dict[type[Strategy], list[Strategy]] = {}
    given = [strategy] if isinstance(strategy, (Strategy, str)) else several("strategy", strategy)
    for member in dict.fromkeys(map(as_strategy, given)):
        kinds.setdefault(type(member), []).append(member)
    if not kinds:
        raise WordplError("no strategy to export; name at least one")
    members = [_members(of_kind, setting, tabled, progress) for of_kind in kinds.values()]
    budgets = tuple((member.call, member.plan.worst) for of_kind in members for member in of_kind)
    if len(dict(budgets)) < len(budgets) or len({kind.__name__ for kind in kinds}) < len(kinds):
        raise WordplError("two of these strategies cannot be told apart in one file; export each to a file of its own")
    text = resources.files("wordpl.contest").joinpath("export_runtime.py").read_text("utf-8")
    runtime = text[text.index("from __future__") :].rstrip("\n")
    head = _head(list(kinds), budgets, credit or Credit())
    source = "\n".join([head, runtime, *(_class(of_kind, setting) for of_kind in members)])
    return Exported(source, max(worst for _, worst in budgets), budgets)


@dataclasses.dataclass(frozen=True)
class _Member:
    """A strategy of a class of the file."""

    name: str
    """Name of the class."""
    parameters: dict[str, str]
    """Name and value of each parameter of the constructor, as source."""
    plan: Plan

    @property
    def call(self) -> str:
        """The call that makes the strategy, which is also its name."""
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in self.parameters.items())})"


def _members(strategies: Sequence[Strategy], setting: Setting, tabled: int, progress: Progress | None) -> list[_Member]:
    """Strategies of one class, each with the parameters that any of their calls tells, and with the budget."""
    kind = type(strategies[0])
    plans = [_tabled(strategy, setting, tabled, progress) for strategy in strategies]
    names: dict[str, None] = {}
    for strategy in strategies:
        with suppress(WordplError):  # of values that are not all literals, and which no call tells
            names |= dict.fromkeys(literal_call(repr(strategy))[2])
    if isinstance(getattr(strategies[0], "budget", None), (int, float)):
        names["budget"] = None
    name = f"Wordpl{kind.__name__}" if kind.__name__ in _TAKEN else kind.__name__
    return [
        _Member(name, {parameter: _literal(getattr(strategy, parameter)) for parameter in names}, plan)
        for strategy, plan in zip(strategies, plans, strict=True)
    ]


def _literal(value: Any) -> str:
    """A value as source that needs no import."""
    if isinstance(value, tuple):
        inner = ", ".join(map(_literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return "float('inf')" if value == math.inf else repr(value)


def can_be_exported(kind: type[Strategy]) -> bool:
    """Return whether strategies of this class say how they are exported."""
    return issubclass(kind, HistoryStrategy) and kind.exported is not HistoryStrategy.exported


def check_target(path: StrPath, force: bool = False) -> None:
    """Raise `WordplError` if `path` is no name for a module, or, unless `force`, is there already."""
    check_module_name(str(path))
    if os.path.lexists(path) and not force:
        raise WordplError(f"{str(path)!r} exists already; add --force to overwrite it")


def write_export(exported: Exported, path: StrPath, force: bool = False) -> None:
    """Write `exported` to the file `path`; `force` overwrites another. Raises `WordplError` if that fails."""
    check_target(path, force)
    write_text(path, exported.source, must_be_new=not force)


def _tabled(strategy: Strategy, setting: Setting, depth: int, progress: Progress | None) -> Plan:
    """The strategy's plan with its first move, and those after up to `depth` clues that take scores, in the table."""
    if strategy.noiseless:
        raise WordplError(f"{strategy.label} plays without noise, which the contest does not have")
    if not (isinstance(strategy, HistoryStrategy) and can_be_exported(type(strategy))):
        names = ", ".join(name for name, kind in strategies().items() if can_be_exported(kind))
        raise WordplError(f"{type(strategy).__name__} cannot be exported; these can: {names}")
    strategy.check(setting)
    plan = strategy.exported(setting)
    moves = dict(plan.moves)
    for clues in range(min(depth, len(plan.rounds) - 1) + 1 if plan.rounds else 1):
        if clues and plan.rounds[clues].by not in SCORES:
            continue
        for count, path in enumerate(itertools.product(range(setting.words.n_clues), repeat=clues), 1):
            if progress is not None:
                progress(strategy, 1, count, setting.words.n_clues**clues)
            if path not in moves:
                # Every move on the way is in the table, with its epsilon.
                asks = [(*moves[path[:k]], code) for k, code in enumerate(path)]
                history = tuple(Turn(guess, epsilon or 0.0, code) for guess, epsilon, code in asks)
                move = strategy.decide(setting, history)
                if isinstance(move, Ask):
                    moves[path] = move.guess, move.epsilon
    return dataclasses.replace(plan, moves=moves)


def _head(kinds: Sequence[type[Strategy]], budgets: Sequence[tuple[str, float]], credit: Credit) -> str:
    """Comments that say what the file is, whose, and how its strategies play."""
    spends = {call: f"at most {worst!r} a game" if worst < math.inf else "until it is sure" for call, worst in budgets}
    lines = [f"{ascii(call)[1:-1]}: spends {how_much}." for call, how_much in spends.items()]
    if credit.author:
        lines.append(f"Author: {credit.author}{f' <{credit.link}>' if credit.link else ''}")
    holder = f"{credit.author} and the WORDPL authors" if credit.author else "the WORDPL authors"
    lines += [f"Licence: MIT, as this repository. Copyright (c) 2026 {holder}.", "SPDX-License-Identifier: MIT", ""]
    for kind, name in zip(kinds, dict.fromkeys(call.partition("(")[0] for call, _ in budgets), strict=True):
        text = (inspect.getdoc(kind) or "").splitlines()
        lines += [f"{name}:", *(ascii(line)[1:-1] if not line.isascii() else line for line in text), ""]
    lines += [
        "After each clue the posterior of every answer is computed by Bayes' rule, and at the end the likeliest answer",
        "is proposed. The tables are moves that were worked out beforehand; all others are worked out in the game.",
        "",
        "Made by `wordpl contest export`; needs numpy, and answers.txt and valid.txt in the current directory.",
    ]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _class(of_kind: Sequence[_Member], setting: Setting) -> str:
    """A class that plays strategies of one class, with their plans and tables."""
    first = of_kind[0]
    lines = ["", "", f"class {first.name}(_Exported):"]
    lines += [f'    """Plays {", ".join(member.call for member in of_kind)}."""', ""]
    lines += ["    plans: ClassVar[list[dict[str, Any]]] = [", *(_plan(member, setting) for member in of_kind), "    ]"]
    if first.parameters:
        defaults = "".join(f", {name}={value}" for name, value in first.parameters.items())
        arguments = ", ".join(f"{name}={name}" for name in first.parameters)
        lines += ["", f"    def __init__(self{defaults}):", f"        super().__init__({arguments})"]
    return "\n".join([*lines, ""])


def _plan(member: _Member, setting: Setting) -> str:
    plan = member.plan
    fields = {
        "name": member.call,
        "words": setting.words.digest,
        "budget": plan.budget,
        "certainty": min(plan.certainty, 1 - 1e-12) if plan.certainty < math.inf else 2.0,
        "endless": plan.endless,
    }
    parameters = ", ".join(f"{name!r}: {value}" for name, value in member.parameters.items())
    lines = ["        {", f"            'parameters': {{{parameters}}},"]
    lines += [f"            {key!r}: {value!r}," for key, value in fields.items()]
    lines += ["            'rounds': ["]
    lines += [f"                {dataclasses.asdict(round)!r}," for round in plan.rounds]
    lines += ["            ],", "            'moves': {"]
    entries = (
        f"{' '.join(str(Clue(code)) for code in path)!r}: {move!r},"
        for path, move in sorted(plan.moves.items(), key=lambda item: (len(item[0]), item[0]))
    )
    line = " " * 15
    for entry in entries:
        if len(line) + len(entry) >= _WIDTH:
            lines.append(line)
            line = " " * 15
        line += f" {entry}"
    return "\n".join([*lines, line.rstrip(), "            },", "        },"])
