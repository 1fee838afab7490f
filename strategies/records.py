"""Fifth, Median, NinetyFifth: the smallest budgets we know for the three percentiles of the contest.

A fixed budget, all of it spent, for the largest expected top posterior in the end. The moves were found
by search (`python -m experiments.records`) and are played from a table.

Source: ours; docs/records.md says how they were found. They beat the contest's records of 2025: two clues at 9.3
and 5.3 with TRACE, three at 12.3 and three at 25.0 with SALET.
"""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path

from strategies.common import proposal, word
from strategies.renyi import by_order
from wordpl import Ask, HistoryStrategy, Move, Plan, Policy, Setting, WordplError, best_guess, load_policy
from wordpl.strategy import History


class _Tabled(HistoryStrategy):
    """Plays a policy: from its table, and after the table ends as the policy's `share` and `order` say."""

    budget: float | None

    @property
    @abstractmethod
    def policy(self) -> Policy:
        """The policy that is played."""

    @property
    def total(self) -> float:
        """The budget of a game."""
        return self.policy.budget if self.budget is None else self.budget

    def check(self, setting: Setting) -> None:
        self.policy.check(setting)

    def last_ask(self, setting: Setting, history: History) -> bool:
        return len(history) == self.policy.clues - 1

    def exported(self, setting: Setting) -> Plan:
        return self.policy.plan(self.total)

    def decide(self, setting: Setting, history: History) -> Move:
        policy, asked = self.policy, len(history)
        if asked == policy.clues:
            return proposal(setting.belief(history))
        rest = self.total - sum(turn.epsilon for turn in history)
        last = asked == policy.clues - 1
        found = policy.moves.get(tuple(turn.clue for turn in history))
        if found is not None:
            return Ask(found[0], rest if last else found[1] * self.total / policy.budget)
        belief = setting.belief(history).trimmed(policy.least)
        if last:
            return Ask(best_guess(belief, rest, "expected_top"), rest)
        epsilon = rest * policy.part_of_rest(belief.entropy)
        return Ask(by_order(belief, epsilon, policy.order), epsilon)


@dataclass(frozen=True, repr=False)
class FromTable(_Tabled):
    """Plays the policy in the file `path`, made by `python -m experiments.records` or by hand.

    `budget` scales all its epsilons, to play it a little above or below the budget it was made for.
    """

    path: str
    budget: float | None = None
    digest: str = field(default="", init=False, repr=False)
    """Hash of the file, for its content decides the moves."""

    def __post_init__(self) -> None:
        word("path", self.path)
        _check_budget(self.budget)
        object.__setattr__(self, "digest", _digest(self.path))
        _table(self.path, self.digest)

    @property
    def identity(self) -> str:
        return f"{super().identity}@{self.digest}"

    @property
    def policy(self) -> Policy:
        return _table(self.path, self.digest)


@dataclass(frozen=True, repr=False)
class Fifth(_Tabled):
    """The 5th percentile: TRACE, then the guess that most helps the proposal, at the split that serves best.

    Two clues, for with so little to spend only two concentrated ones tell enough.
    """

    budget: float = 14.32

    def __post_init__(self) -> None:
        _check_budget(self.budget)

    @property
    def policy(self) -> Policy:
        return _bundled("fifth")


@dataclass(frozen=True, repr=False)
class Median(_Tabled):
    """The 50th percentile: three clues, the second chosen by looking ahead to the best third."""

    budget: float = 36.3

    def __post_init__(self) -> None:
        _check_budget(self.budget)

    @property
    def policy(self) -> Policy:
        return _bundled("median")


@dataclass(frozen=True, repr=False)
class NinetyFifth(_Tabled):
    """The 95th percentile: four clues, the third given the more of the rest the surer the answer is."""

    budget: float = 69.5

    def __post_init__(self) -> None:
        _check_budget(self.budget)

    @property
    def policy(self) -> Policy:
        return _bundled("ninety_fifth")


def _digest(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise WordplError(f"the policy {path} cannot be read: {error.strerror}") from None


@lru_cache(maxsize=8)
def _table(path: str, digest: str) -> Policy:
    """The policy in a file that has this hash: a worker must not play another than its parent has named."""
    if _digest(path) != digest:
        raise WordplError(f"the policy {path} has changed since it was named")
    return load_policy(Path(path))


@lru_cache(maxsize=4)
def _bundled(name: str) -> Policy:
    with resources.as_file(resources.files("strategies") / "policies" / f"{name}.json") as path:
        return load_policy(path)


def _check_budget(budget: object) -> None:
    number = isinstance(budget, (int, float)) and not isinstance(budget, bool)
    if budget is not None and not (number and 0 < budget < math.inf):  # type: ignore[operator]
        raise WordplError(f"budget {budget!r} is not allowed; a positive number is expected")
