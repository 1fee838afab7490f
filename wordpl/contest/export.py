"""Exports: a strategy as one file for the contest's repository, which needs numpy and nothing of ours."""

import dataclasses
import hashlib
import inspect
import itertools
import math
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from wordpl.base.checks import instance, several
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath, write_text
from wordpl.base.progress import Progress
from wordpl.contest.records import Credit
from wordpl.contest.submission import check_module_name
from wordpl.library import strategies
from wordpl.model.channel import RandomizedResponse
from wordpl.model.clues import Clue
from wordpl.play.moves import Ask
from wordpl.play.plan import SCORES, Plan
from wordpl.play.setting import Setting, Turn
from wordpl.play.specs import as_strategy, literal_call
from wordpl.play.strategy import HistoryStrategy, Strategy
from wordpl.simulation.known_budgets import WIN_RATES, known_frontier
from wordpl.simulation.statistics import chance_to_hold, win_rate_to_hold

_WIDTH = 110
_TAKEN = frozenset(
    ("BayesianGreedy", "BayesianRandom", "BayesianWordle", "D95", "G3", "MaxClueEntropy", "NGuess", "TwoGuess")
)
"""Classes that the contest's repository has."""
_IMPORTS = """from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
"""
_ABOVE_PLAYER = "# All below is copied into the file that is written.\n"
_PERCENTILES = {"Fifth": 5, "Median": 50, "NinetyFifth": 95}
_GAMES = 1001
"""Games of a run of the contest."""


class Exported(NamedTuple):
    """The `source` of a file with exported strategies, and what a game can spend."""

    source: str
    worst: float
    """Budget, the largest of all strategies in the file; infinite if there is no bound."""
    strategies: tuple[tuple[str, float], ...] = ()
    """Call and largest budget of each strategy, such as ("Median(budget=37.4)", 37.4)."""

    def to_paste(self, module: str, credit: Credit | None = None) -> str:
        """Return the lines for the contest's `evaluate.py` and its README, and what a pull request says, if the file is
        `strategies/MODULE.py` with the name `module`. `credit` names the author."""
        credit = credit or Credit()
        kinds = dict.fromkeys(call.partition("(")[0] for call, _ in self.strategies)
        author = credit.author or "AUTHOR"
        author = f"[{author}]({credit.link})" if credit.link else author
        lines = ["In evaluate.py:", "", f"from strategies.{module} import {', '.join(kinds)}", ""]
        lines += ["STRATEGIES_UNDER_TEST = [", *(f"    {call}," for call, _ in self.strategies), "]", ""]
        lines += ["In README.md, in the row of the percentile that it holds:", ""]
        files = f"strategies/{module}.py (the new file), evaluate.py and README.md"
        request = [f"The branch of the pull request changes {files}. Its text:", ""]
        request += [f"Add {', '.join(call for call, _ in self.strategies)}", ""]
        for call, budget in self.strategies:
            name = call.partition("(")[0]
            percentile = f"{_PERCENTILES[name]}th" if name in _PERCENTILES else "?"
            score = f"{budget:g}" if math.isfinite(budget) else "?"
            lines.append(f"| {percentile} percentile | [`{call}`][{module}] | {author} | {score} |")
            request.append(f"`{call}` spends {_spends(budget)}.")
            if name in _PERCENTILES:
                request.append(_chance(call, name, budget))
        return "\n".join([*lines, "", f"[{module}]: ./strategies/{module}.py", "", *request])


def _spends(worst: float) -> str:
    """The largest budget of a game, in words."""
    return f"at most {worst!r} a game" if math.isfinite(worst) else "until it is sure"


def _chance(call: str, name: str, budget: float) -> str:
    """The chance that a strategy reaches its percentile in a run, and the budget at which the chance is 90%."""
    q, known = _PERCENTILES[name] / 100, known_frontier()[name]
    rates, budgets = np.array([pair for pair in zip(WIN_RATES, known, strict=True) if math.isfinite(pair[1])]).T
    chance = chance_to_hold(q, _GAMES, float(np.interp(budget, budgets, rates)))
    likely = "less than 1%" if chance < 0.01 else "more than 99%" if chance > 0.99 else f"about {chance:.0%}"
    enough = float(np.interp(win_rate_to_hold(q, _GAMES, 0.9), rates, budgets))
    return (
        f"{call} reaches the {_PERCENTILES[name]}th percentile in {likely} of runs of {_GAMES:,} games;"
        f" it takes a budget of about {enough:.4g} to reach it in 90% of them."
    )


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
    player = Path(__file__).read_text("utf-8").rpartition(_ABOVE_PLAYER)[2].strip()
    head = _head(list(kinds), budgets, credit or Credit())
    source = "\n".join([head, _IMPORTS, player, *(_class(of_kind, setting) for of_kind in members)])
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
    lines = [f"{ascii(call)[1:-1]}: spends {_spends(worst)}." for call, worst in dict(budgets).items()]
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
        "certainty": min(plan.certainty, 2.0),
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


# The player of an exported strategy. It needs numpy alone. Its scores differ from those of `wordpl` by a constant; the
# lists are sorted before use, and scores tie as they do there.
# All below is copied into the file that is written.

_CODES = 3**5  # a clue is five marks: absent, elsewhere, correct; the first is the most significant digit
_MARKS = {".": 0, "i": 1, "c": 2}
_DIGITS = np.arange(_CODES)[:, None] // 3 ** np.arange(4, -1, -1) % 3
_TIE = 1e-12  # scores, or logarithms of weights, that are nearer to each other are ties, as in WORDPL itself
_BLOCK = 512  # guesses at a time, so that their tables stay in the processor's cache


class _Words:
    """The lists in the current directory, sorted, and what each letter of a guess says about each answer."""

    def __init__(self, made_for: str, name: str) -> None:
        try:
            self.answers = sorted(Path("answers.txt").read_text().split())
            self.guesses = sorted(set(Path("valid.txt").read_text().split()))
        except OSError as error:
            raise ValueError(f"{name} cannot read {error.filename} in this directory: {error.strerror}") from None
        text = "\n".join(self.answers) + "\n\n" + "\n".join(self.guesses) + "\n"
        if hashlib.sha256(text.encode()).hexdigest() != made_for:
            raise ValueError(
                f"{name} was made for other words than those of answers.txt ({len(self.answers)}) and valid.txt"
                f" ({len(self.guesses)}) in this directory; export it anew for these"
            )
        self.letters = _letters(self.guesses)
        index = {word: i for i, word in enumerate(self.guesses)}
        self.answers_as_guesses = np.array([index[word] for word in self.answers])
        letters = _letters(self.answers)
        alphabet = np.arange(26)[:, None, None]
        present = (letters == alphabet).any(axis=1).astype(np.uint8)
        # [place, letter, answer]: what it adds to the clue's code.
        self.adds = np.stack(
            [((present + (letters[k] == alphabet[:, 0])) * 3 ** (4 - k)).astype(np.uint8) for k in range(5)]
        )

    def clues(self, guesses: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """Clue codes: uint8 [answers, guesses]."""
        codes = np.zeros((len(answers), len(guesses)), np.uint8)
        for k in range(5):
            codes += self.adds[k][:, answers].T.take(self.letters[k, guesses], axis=1)
        return codes

    def row(self, guess: str) -> np.ndarray:
        """Clue codes of one word against all answers: uint8 [answers]."""
        return sum((self.adds[k, ord(letter) - 97] for k, letter in enumerate(guess)), np.zeros((), np.uint8))


def _letters(words: list[str]) -> np.ndarray:
    return np.frombuffer("".join(words).encode(), np.uint8).reshape(-1, 5).T.astype(np.intp) - 97


def _log_likelihood(clue: str, epsilon: float) -> np.ndarray:
    """log P(this noisy clue given each true one): [243]."""
    wrong = (np.array([_MARKS[mark] for mark in clue]) != _DIGITS).sum(axis=1)
    return np.asarray(-5 * math.log1p(2.0 * math.exp(-epsilon / 5)) - wrong * (epsilon / 5))


class _Scores:
    """The scores of guesses against weights of answers, for a clue at `epsilon`.

    `by` is `clue_entropy`, `information_gain`, `renyi` (Arimoto's mutual information of `order`) or
    `expected_top` (the chance to be right if this clue is the last).
    """

    def __init__(self, words: _Words, weights: np.ndarray, epsilon: float, by: str, order: float) -> None:
        self.words, self.by, self.order = words, by, order
        self.support = np.flatnonzero(weights)
        self.weights = weights[self.support]
        # P(a mark is kept), P(it becomes one given other mark).
        shrink = math.exp(-epsilon / 5)
        self.keep = 1.0 / (1.0 + 2.0 * shrink)
        self.flip = shrink * self.keep
        if by == "renyi" and abs(order - 1.0) < 1e-9:
            self.by = "information_gain"
        elif by == "renyi":
            self.weights = (self.weights / weights.max()) ** order
            self.keep, self.flip = self.keep**order, self.flip**order

    def best(self, guesses: np.ndarray) -> int:
        """The guess with the best score, the first of them on a tie."""
        blocks = [guesses[start : start + _BLOCK] for start in range(0, len(guesses), _BLOCK)]
        scores = np.concatenate([self.scores(self.noisy(self.tables(block))) for block in blocks])
        return int(guesses[(scores >= scores.max() - _TIE).argmax()])

    def tables(self, guesses: np.ndarray) -> np.ndarray:
        """Sum (for `expected_top` the largest) of the weights by true clue: [guesses, 243]."""
        bins = self.words.clues(guesses, self.support) + np.arange(len(guesses)) * _CODES
        size = len(guesses) * _CODES
        if self.by == "expected_top":
            flat = np.zeros(size)
            for k in np.argsort(self.weights):
                flat[bins[k]] = self.weights[k]  # the heaviest comes last, and stays
        else:
            flat = np.bincount(bins.ravel(), np.repeat(self.weights, len(guesses)), size).astype(float)
        return flat.reshape(-1, _CODES)

    def noisy(self, tables: np.ndarray) -> np.ndarray:
        """The same by noisy clue: [243, guesses]. One mark after the other, the last first."""
        keep, flip, table = self.keep, self.flip, tables.T
        for k in range(5):
            marks = table.reshape(81 // 3**k, 3, 3**k, -1)
            if self.by == "expected_top":
                table = np.maximum(keep * marks, flip * marks.max(axis=1, keepdims=True))
            else:
                table = (keep - flip) * marks + flip * marks.sum(axis=1, keepdims=True)
        return table.reshape(_CODES, -1)

    def scores(self, table: np.ndarray) -> np.ndarray:
        """The score but for a constant, of tables by noisy clue [243, guesses]: [guesses]."""
        if self.by == "expected_top":
            return np.asarray(table.sum(axis=0))
        if self.by == "renyi":
            bits = np.log2((table ** (1.0 / self.order)).sum(axis=0))
            return np.asarray(self.order / (self.order - 1.0) * bits)
        return np.asarray(-(table * np.log2(np.maximum(table, 1e-300))).sum(axis=0))


class _Exported:
    """Plays a plan and its table of first moves (see `wordpl.play.plan`). One object plays all games, one by one."""

    plans: ClassVar[list[dict[str, Any]]]

    def __init__(self, **parameters: object) -> None:
        plan = next((plan for plan in self.plans if plan["parameters"] == parameters), None)
        if plan is None:
            call = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
            there = ", ".join(plan["name"] for plan in self.plans)
            raise ValueError(f"{type(self).__name__}({call}) is not in this file, which has {there}")
        self.plan = plan
        self._words = _Words(self.plan["words"], self.plan["name"])

    def __str__(self) -> str:
        return str(self.plan["name"])

    def first_move(self) -> tuple[str, float]:
        """The first word to ask, and the budget for its clue."""
        self._clues: list[str] = []
        self._spent = 0.0
        self._log = np.zeros(len(self._words.answers))
        return self._move()

    def next_move(self, guess: str, epsilon: float, clues: str) -> tuple[str, float]:
        """The next word to ask and its budget; after enough clues the proposal and 0."""
        self._clues.append(clues)
        self._spent += epsilon
        log = _log_likelihood(clues, epsilon).take(self._words.row(guess)) + self._log
        self._log = log - log.max()
        return self._move()

    def _move(self) -> tuple[str, float]:
        asked, rounds = len(self._clues), self.plan["rounds"]
        if self._likeliest(self._log)[1] > self.plan["certainty"]:
            return self._likeliest(self._log)[0], 0
        found = self.plan["moves"].get(" ".join(self._clues))
        if found is not None:
            return found[0], self._rest() if found[1] is None else found[1]
        if asked < len(rounds):
            return self._ask(rounds[asked])
        if rounds and self.plan["endless"]:
            return self._ask(rounds[-1])
        return self._likeliest(self._log)[0], 0

    def _ask(self, round: dict[str, Any]) -> tuple[str, float]:
        """The move of a round that is not in the table."""
        log, cutoff = self._log, round["relative_cutoff"]
        if cutoff:
            log = np.where(log >= math.log(cutoff), log, -math.inf)
        epsilon = round["epsilon"]
        if epsilon is None:
            epsilon = self._rest()
            if round["budget_fractions"]:
                bits, fractions = np.array(round["budget_fractions"]).T
                epsilon *= float(np.interp(_entropy(log), bits, fractions))
        if round["by"] == "word":
            return round["word"], epsilon
        if round["by"] == "likeliest":
            return self._likeliest(log)[0], epsilon
        words = self._words
        candidates = words.answers_as_guesses if round["answers_only"] else np.arange(len(words.guesses))
        scores = _Scores(words, _probabilities(log), epsilon, round["by"], round["order"])
        return words.guesses[scores.best(candidates)], epsilon

    def _rest(self) -> float:
        return float(self.plan["budget"] - self._spent)

    def _likeliest(self, log: np.ndarray) -> tuple[str, float]:
        best = int((log > -_TIE).argmax())
        return self._words.answers[best], float(_probabilities(log)[best])


def _probabilities(log: np.ndarray) -> np.ndarray:
    weights = np.exp(log)
    return np.asarray(weights / weights.sum())


def _entropy(log: np.ndarray) -> float:
    p = _probabilities(log)
    return float(0.0 - (p * np.log2(p, where=p > 0, out=np.zeros_like(p))).sum())
