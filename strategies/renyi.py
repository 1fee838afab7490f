"""Renyi: each guess is chosen by Rényi information of its own order.

A strategy that spends a fixed budget wants the most probable answer at the end to be as probable as possible. For the
last clue, order infinity is exactly this criterion. If many clues follow, information gain (order 1) is best, and
otherwise an order in between.

Source: our own work; the orders are those of S. Arimoto, Information measures and capacity of order alpha, 1977.
"""

import math
from dataclasses import dataclass

import numpy as np

from wordpl import (
    Ask,
    Epsilon,
    History,
    HistoryStrategy,
    Move,
    Plan,
    Posterior,
    Round,
    Setting,
    WordplError,
    as_tuple,
    best_guess,
    checks,
    schedule,
)

from .common import ALL_BUT_CERTAIN, certain, known_word, proposal, word


@dataclass(frozen=True, repr=False)
class Renyi(HistoryStrategy):
    """Asks for one clue at each of `epsilon`, then proposes the most probable answer. All words are candidates.

    It proposes an answer sooner if its probability is 1 in double precision.

    - `epsilon`: Budget of each clue, above 0, as a tuple.
    - `orders`: Rényi order of each clue, 0.1 to 20 or inf: 1 chooses the guess that tells most, and inf the
      best guess if no clue follows. None is 1, and inf for the last clue.
    - `first_guess`: First word to ask; None chooses it by its order.
    """

    epsilon: Epsilon
    orders: tuple[float, ...] | None = None
    first_guess: str | None = "trace"

    def __post_init__(self) -> None:
        epsilon = schedule(self.epsilon)
        checks.set_fields(self, epsilon=as_tuple(epsilon))
        word("first_guess", self.first_guess, optional=True)
        if self.orders is not None:
            if not isinstance(self.orders, (tuple, list)):
                raise WordplError(
                    f"orders {self.orders!r} is not allowed; one order for each clue, as (1, inf), is expected"
                )
            orders = schedule(self.orders, len(self.schedule))
            checks.set_fields(self, orders=as_tuple(orders))
            for order in self._orders:
                if not (0.1 <= order <= 20 or order == math.inf):
                    raise WordplError(f"order {order} is not allowed; 0.1 to 20, or inf, is expected")

    @property
    def schedule(self) -> tuple[float, ...]:
        """The budget of each clue."""
        return as_tuple(self.epsilon)

    @property
    def _orders(self) -> tuple[float, ...]:
        return self.orders or (1.0,) * (len(self.schedule) - 1) + (math.inf,)

    def check(self, setting: Setting) -> None:
        known_word(self, "first_guess", setting)

    def last_ask(self, setting: Setting, history: History) -> bool:
        return len(history) == len(self.schedule) - 1

    def exported(self, setting: Setting) -> Plan:
        rounds = zip(self.schedule, self._orders, strict=True)
        return Plan(
            tuple(Round.of_order(order, epsilon=epsilon) for epsilon, order in rounds), certainty=ALL_BUT_CERTAIN
        )

    def decide(self, setting: Setting, history: History) -> Move:
        asked = len(history)
        belief = setting.belief(history)
        if asked >= len(self.schedule):  # a game of Wordle goes on after a proposal
            return proposal(belief)
        if answer := certain(belief):
            return answer
        guess = None if asked else known_word(self, "first_guess", setting)
        return Ask(guess or by_order(belief, self.schedule[asked], self._orders[asked]), self.schedule[asked])


def by_order(belief: Posterior, epsilon: float, order: float) -> str:
    """The guess of the largest Renyi information of that order, the first in the list on a tie."""
    if np.isinf(order):
        return best_guess(belief, epsilon, "expected_top")
    return best_guess(belief, epsilon, "renyi", order=order)
