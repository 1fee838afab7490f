"""Renyi: each guess is chosen by Rényi information of its own order.

A strategy that spends a fixed budget wants the most probable answer at the end to be as probable as possible. For the
last clue, order infinity is exactly this criterion. If many clues follow, information gain (order 1) is best, and
otherwise an order in between.

Source: our own work; the orders are those of S. Arimoto, Information measures and capacity of order alpha, 1977.
"""

import math
from dataclasses import dataclass

from wordpl import History, Plan, Posterior, Round, Setting, WordplError, as_tuple, best_guess, checks, schedule

from .common import ALL_BUT_CERTAIN, AskThenPropose, Rng, word


@dataclass(frozen=True, repr=False)
class Renyi(AskThenPropose):
    """Asks for one clue at each of `epsilon`, then proposes the most probable answer. All words are candidates.

    It proposes an answer sooner if its probability is 1 in double precision.

    - `epsilon`: Budget of each clue, above 0, as a tuple.
    - `orders`: Rényi order of each clue, 0.1 to 20 or inf: 1 chooses the guess that tells most, and inf the
      best guess if no clue follows. None is 1, and inf for the last clue.
    - `first_guess`: First word to ask; None chooses it by its order.
    """

    epsilon: tuple[float, ...]
    orders: tuple[float, ...] | None = None
    first_guess: str | None = "trace"

    def __post_init__(self) -> None:
        checks.set_fields(self, epsilon=as_tuple(schedule(self.epsilon)))
        word("first_guess", self.first_guess, optional=True)
        if self.orders is not None:
            if not isinstance(self.orders, (tuple, list)):
                raise WordplError(
                    f"orders {self.orders!r} is not allowed; one order for each clue, as (1, inf), is expected"
                )
            checks.set_fields(self, orders=as_tuple(schedule(self.orders, len(self.epsilon))))
            for order in self._orders:
                if not (0.1 <= order <= 20 or order == math.inf):
                    raise WordplError(f"order {order} is not allowed; 0.1 to 20, or inf, is expected")

    @property
    def _orders(self) -> tuple[float, ...]:
        return self.orders or (1.0,) * (len(self.epsilon) - 1) + (math.inf,)

    @property
    def asks(self) -> int:
        return len(self.epsilon)

    def exported(self, setting: Setting) -> Plan:
        rounds = zip(self.epsilon, self._orders, strict=True)
        return Plan(
            tuple(Round.of_order(order, epsilon=epsilon) for epsilon, order in rounds), certainty=ALL_BUT_CERTAIN
        )

    def choose(self, setting: Setting, history: History, belief: Posterior, rng: Rng) -> str:
        return by_order(belief, self.epsilon[len(history)], self._orders[len(history)])


def by_order(belief: Posterior, epsilon: float, order: float) -> str:
    """The guess of the largest Renyi information of that order, the first in the list on a tie."""
    if order == math.inf:
        return best_guess(belief, epsilon, "expected_top")
    return best_guess(belief, epsilon, "renyi", order=order)
