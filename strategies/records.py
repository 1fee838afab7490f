"""Fifth, Median, NinetyFifth: the smallest budgets we know for the three percentiles of the contest.

Each spends a fixed budget and makes the most probable answer at the end as probable as possible. Its moves come from a
table that was found by search (`python -m experiments.records`). `channel` chooses a table for another way to make
clues noisy, with the smallest budgets we know there.

Source: our own work; docs/records.md and docs/mechanisms.md explain how the moves were found. These strategies beat the
contest's records of 2025: two clues at 9.3 and 5.3 with TRACE, three at 12.3 and three at 25.0 with SALET.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from operator import add
from pathlib import Path
from typing import ClassVar

from wordpl import Ask, History, HistoryStrategy, Move, Plan, Setting, WordplError, channel_family, channel_name, checks
from wordpl.limits import Policy, load_policy

from .common import file_digest, proposal, word
from .renyi import by_order

LETTERWISE = "randomized_response"


class _Tabled(HistoryStrategy):
    """Plays a policy: from its table, and after the table ends as the policy's `budget_fractions` and `order` say."""

    budget: float | None
    digest: str
    """Hash of the policy's file, whose content decides the moves."""

    def __post_init__(self) -> None:
        if self.budget is not None:
            checks.set_fields(self, budget=checks.finite_positive("budget", self.budget))

    @property
    @abstractmethod
    def policy(self) -> Policy:
        """The policy that is played."""

    @property
    def content(self) -> str:
        # Results of another table must not be taken for those of this one.
        return self.digest

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
        # Not sum(): from Python 3.12 on, it rounds otherwise.
        rest = self.total - reduce(add, (turn.epsilon for turn in history), 0.0)
        last = asked == policy.clues - 1
        move = policy.moves.get(tuple(turn.clue for turn in history))
        if move is not None:
            guess, epsilon = move
            return Ask(guess, rest if last else epsilon * self.total / policy.budget)
        belief = setting.belief(history).truncate(policy.relative_cutoff)
        if last:
            return Ask(by_order(belief, rest, math.inf), rest)
        epsilon = rest * policy.budget_fraction(belief.entropy)
        return Ask(by_order(belief, epsilon, policy.order), epsilon)


@dataclass(frozen=True, repr=False)
class FromTable(_Tabled):
    """Plays the table of moves in a file, made by `python -m experiments.records` or by hand.

    - `path`: The file (.json).
    - `budget`: Budget of a game, above 0; it multiplies all epsilons of the table. None is the budget for
      which it was made.
    """

    path: str
    budget: float | None = None
    digest: str = field(default="", init=False, repr=False)

    def __post_init__(self) -> None:
        word("path", self.path)
        super().__post_init__()
        checks.set_fields(self, digest=file_digest(self.path, "policy"))
        _table(self.path, self.digest)

    @property
    def policy(self) -> Policy:
        return _table(self.path, self.digest)


@dataclass(frozen=True, repr=False)
class _Record(_Tabled):
    """Plays a policy that comes with the library, made for the clues of `channel`.

    - `budget`: Budget of a game, above 0; it scales all epsilons of the policy. None is that of the record.
    - `channel`: Channel of the clues, by its name; the library has policies for "randomized_response" and a few others.
    """

    file: ClassVar[str]
    """The policy for the contest's channel. That for another has its name at the end."""
    budgets: ClassVar[Mapping[str, float]]
    """The budget of the record by channel."""
    budget: float | None = field(
        default=None, metadata={"shown": lambda record: record.budget != record.budgets[record.channel]}
    )
    channel: str = LETTERWISE

    def __post_init__(self) -> None:
        channel = channel_name(channel_family(self.channel))
        if channel not in self.budgets:
            tables = ", ".join(self.budgets)
            raise WordplError(f"{type(self).__name__} has no table for channel {channel}; it has one for {tables}")
        checks.set_fields(self, channel=channel)
        if self.budget is None:
            checks.set_fields(self, budget=self.budgets[channel])
        super().__post_init__()

    @property
    def digest(self) -> str:  # type: ignore[override]
        return _bundled(self._name)[1]

    @property
    def policy(self) -> Policy:
        return _bundled(self._name)[0]

    @property
    def _name(self) -> str:
        return self.file if self.channel == LETTERWISE else f"{self.file}_{self.channel.replace(':', '_')}"


class Fifth(_Record):
    """Our record at the 5th percentile: TRACE, then the guess that makes the proposal as probable as possible.

    It asks for two clues, because a small budget tells most if it is spent on few clues. With `whole_clue` it asks for
    one.
    """

    file: ClassVar = "fifth"
    budgets: ClassVar = {LETTERWISE: 14.32, "whole_clue": 6.704, "ball:1": 7.43}


class Median(_Record):
    """Our record at the 50th percentile: three clues, the second chosen by looking ahead to the best third.

    With `whole_clue` it asks for two.
    """

    file: ClassVar = "median"
    budgets: ClassVar = {LETTERWISE: 36.3, "whole_clue": 15.56}


class NinetyFifth(_Record):
    """Our record at the 95th percentile: four clues, the second and often the third chosen by looking ahead.

    With `whole_clue` it asks for three.
    """

    file: ClassVar = "ninety_fifth"
    budgets: ClassVar = {LETTERWISE: 68.2, "whole_clue": 27.4}


@lru_cache(maxsize=8)
def _table(path: str, digest: str) -> Policy:
    """Return the policy in a file with this hash, so that a worker plays the policy that its parent has named."""
    if file_digest(path, "policy") != digest:
        raise WordplError(f"the policy {path} has changed since it was named")
    return load_policy(Path(path))


@lru_cache(maxsize=16)
def _bundled(name: str) -> tuple[Policy, str]:
    """A policy of the library, and its hash."""
    path = Path(__file__).with_name("policies") / f"{name}.json"
    return load_policy(path), file_digest(str(path), "policy")
