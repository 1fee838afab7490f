"""Exports: a strategy as one file for the contest's repository, which needs numpy and nothing of ours."""

from __future__ import annotations

import dataclasses
import itertools
import keyword
import math
import os
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from wordpl.displays import line_of
from wordpl.errors import WordplError
from wordpl.model.channel import RandomizedResponse
from wordpl.model.clues import Clue
from wordpl.play.moves import Ask
from wordpl.play.plan import SCORES, Plan
from wordpl.play.strategy import History, HistoryStrategy, Setting, Strategy, Turn
from wordpl.progress import Progress
from wordpl.storage.files import write_text

_WIDTH = 110


class Exported(NamedTuple):
    """The source of an exported strategy, and what a game of it can spend."""

    source: str
    worst: float
    """Budget; infinite if there is no bound."""

    def __repr__(self) -> str:
        return line_of(self, f"of {len(self.source)} characters, budget at most {self.worst:g}")


def export_strategy(
    strategy: Strategy, setting: Setting, tabled: int = 1, progress: Progress | None = None
) -> Exported:
    """`strategy` as the source of one file with a class of the contest's two methods.

    Moves that take scores of guesses are computed here and tabled for the first `tabled` clues (243**tabled
    of them), at play after that. `progress` is called after each of them. Raises `WordplError` for a strategy that
    cannot be exported, and for a setting that is not of the contest's kind: five letters, letterwise clues, randomized
    response.
    """
    if (setting.words.length, setting.rule, setting.channel) != (5, "letterwise", RandomizedResponse):
        raise WordplError("only the contest's games are exported: five letters, rule letterwise, randomized response")
    if strategy.noiseless:
        raise WordplError(f"{strategy!r} plays without noise, which the contest does not have")
    if not (isinstance(strategy, HistoryStrategy) and can_be_exported(type(strategy))):
        raise WordplError(f"{type(strategy).__name__} cannot be exported; these can: {', '.join(exportable())}")
    strategy.check(setting)
    plan = _tabled(strategy, setting, tabled, progress)
    text = resources.files("wordpl.contest").joinpath("export_runtime.py").read_text("utf-8")
    runtime = text[text.index("from __future__") :]
    return Exported("\n".join([_head(strategy, plan), runtime, *_tail(strategy, setting, plan)]), plan.worst)


def can_be_exported(kind: type[Strategy]) -> bool:
    """Whether strategies of this class say how they are exported."""
    return issubclass(kind, HistoryStrategy) and kind.exported is not HistoryStrategy.exported


def exportable() -> list[str]:
    """Names of the strategies of the installed packages that can be exported."""
    from wordpl.play.specs import strategies

    return [name for name, kind in strategies().items() if can_be_exported(kind)]


def check_target(path: Path, force: bool = False) -> None:
    """Raise `WordplError` if `path` is no name for a module, or, unless `force`, is there already."""
    if path.suffix != ".py" or not path.stem.isidentifier() or keyword.iskeyword(path.stem):
        raise WordplError(f"{str(path)!r} is not a name for a Python module; one such as my_strategy.py is expected")
    if os.path.lexists(path) and not force:
        raise WordplError(f"{str(path)!r} is there already; --force writes over it")


def write_export(exported: Exported, path: Path, force: bool = False) -> None:
    """Write the file; over another only with `force`. Raises `WordplError` if it cannot be written."""
    check_target(path, force)
    write_text(path, exported.source, must_be_new=not force)


def _tabled(strategy: HistoryStrategy, setting: Setting, depth: int, progress: Progress | None) -> Plan:
    """The strategy's plan with its first move, and those after up to `depth` clues that take scores, in the table."""
    plan = strategy.exported(setting)
    moves = dict(plan.moves)
    for clues in range(min(depth, len(plan.rounds) - 1) + 1 if plan.rounds else 1):
        if clues and plan.rounds[clues].by not in SCORES:
            continue
        for done, path in enumerate(itertools.product(range(setting.words.n_clues), repeat=clues), 1):
            if progress is not None:
                progress(strategy, 1, done, setting.words.n_clues**clues)
            if path not in moves:
                move = strategy.decide(setting, _history(moves, path))
                if isinstance(move, Ask):
                    moves[path] = move.guess, move.epsilon
    return dataclasses.replace(plan, moves=moves)


def _history(moves: dict[tuple[int, ...], tuple[str, float | None]], path: tuple[int, ...]) -> History:
    """The turns that lead to `path`; every move on the way is in the table, with its epsilon."""
    turns = []
    for k, code in enumerate(path):
        guess, epsilon = moves[path[:k]]
        turns.append(Turn(guess, epsilon or 0.0, code))
    return tuple(turns)


def _head(strategy: Strategy, plan: Plan) -> str:
    name = type(strategy).__name__
    spec = ascii(repr(strategy))[1:-1]
    spends = f"Spends at most {plan.worst!r} a game." if plan.worst < math.inf else "Spends until it is sure."
    return f"""# {spec}
# {spends} Made by `wordpl export`; needs numpy, and answers.txt and valid.txt
# in the current directory. In evaluate.py: import {name} from this file, and test {name}().
"""


def _tail(strategy: Strategy, setting: Setting, plan: Plan) -> list[str]:
    """The class that plays, with its plan and its table."""
    fields = {
        "name": repr(strategy),
        "words": setting.words.digest,
        "budget": plan.budget,
        "certainty": min(plan.certainty, 1 - 1e-12) if plan.certainty < math.inf else 2.0,
        "endless": plan.endless,
    }
    lines = ["", f"class {type(strategy).__name__}(_Exported):", "    plan = {"]
    lines += [f"        {key!r}: {value!r}," for key, value in fields.items()]
    lines += ["        'rounds': ["]
    lines += [f"            {dataclasses.asdict(round)!r}," for round in plan.rounds]
    lines += ["        ],", "    }", "    moves = {"]
    entries = (
        f"{' '.join(str(Clue(code)) for code in path)!r}: {move!r},"
        for path, move in sorted(plan.moves.items(), key=lambda item: (len(item[0]), item[0]))
    )
    line = "       "
    for entry in entries:
        if len(line) + len(entry) >= _WIDTH:
            lines.append(line)
            line = "       "
        line += f" {entry}"
    return [*lines, line, "    }", ""]
