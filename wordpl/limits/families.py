"""Families of strategies: ways to turn a budget into a strategy, whose win rates the frontier compares."""

import math
from dataclasses import dataclass

from wordpl.base.defaults import FRONTIER_ERROR


@dataclass(frozen=True)
class Family:
    """Strategies of one kind: a spec, and how a budget is divided between its clues."""

    name: str
    """Name in tables and pictures."""
    spec: str
    """`{0}`, `{1}` … stand for the epsilons of the clues, `{budget}` for the whole."""
    weights: tuple[float, ...]
    """The budget is divided between the clues in proportion to these."""
    budgets: tuple[float, ...]
    """The budgets at which it is measured."""
    standard_error: float = FRONTIER_ERROR
    """Standard error of its estimates, at most."""

    def at(self, budget: float) -> str:
        """Return the spec at `budget`, a total epsilon."""
        total = math.fsum(self.weights)
        return self.spec.format(*(repr(budget * weight / total) for weight in self.weights), budget=repr(budget))


def _renyi(clues: int, weights: tuple[float, ...], budgets: tuple[float, ...], more: str = "") -> Family:
    epsilons = "".join(f"{{{i}}}," for i in range(len(weights)))
    name = f"{clues} clue" + ("s" if clues > 1 else "")
    return Family(name, f"Renyi(epsilon=({epsilons}){more})", weights, budgets)


FAMILIES = (
    _renyi(1, (1.0,), (4, 12, 30, 60), ",first_guess=None"),
    _renyi(2, (0.7, 0.3), (5, 7, 9, 11, 13, 14.3, 16, 18)),
    _renyi(2, (0.55, 0.45), (16, 18, 21, 25, 30, 36, 44, 55, 70, 100)),
    _renyi(3, (0.35, 0.383, 0.267), (12, 16, 20, 24, 28, 32, 36, 42, 50, 60, 80), ",orders=(1,1.5,inf)"),
    _renyi(4, (0.269, 0.269, 0.254, 0.208), (28, 40, 50, 58, 67, 76, 90, 115)),
    _renyi(5, (0.22, 0.22, 0.21, 0.18, 0.17), (45, 60, 75, 95)),
    Family("TwoGuess", "TwoGuess(epsilon={budget})", (1.0,), (4, 12, 30, 60)),
    *(
        Family("NGuess", f"NGuess(n_guesses={n},epsilon={{0}})", (1.0,) * n, budgets)
        for n, budgets in ((2, (6, 15.6, 34)), (3, (26, 36, 50, 80)), (4, (72, 110)))
    ),
    *(
        Family("MaxClueEntropy", f"MaxClueEntropy(n_guesses={n},epsilon={{0}},monte_carlo=200)", (1.0,) * n, budgets)
        for n, budgets in ((2, (10, 15.6, 22)), (3, (28, 39, 55, 75, 96)), (4, (72, 100)))
    ),
    Family("G3", "G3(epsilon1={0},epsilon2={1})", (9.3, 5.3), (8, 14.6, 25)),
    *(
        Family("D95", "D95(epsilon={0})", (1.0,) * 3, budgets, error)
        for budgets, error in (
            ((24, 36.7), FRONTIER_ERROR), ((36.7, 37.7), 0.0005), ((37.7, 58), FRONTIER_ERROR),
            ((60, 74.5), FRONTIER_ERROR), ((74.5, 79.5), 0.0006), ((79.5, 95), FRONTIER_ERROR),
        )
    ),
    Family("Fifth", "Fifth(budget={budget})", (1.0,), (12, 14.32, 18)),
    *(
        Family("Median", "Median(budget={budget})", (1.0,), budgets, error)
        for budgets, error in (((34, 36.2), FRONTIER_ERROR), ((36.2, 37.1), 0.0005), ((37.1, 38), FRONTIER_ERROR))
    ),
    *(
        Family("NinetyFifth", "NinetyFifth(budget={budget})", (1.0,), budgets, error)
        for budgets, error in (
            ((68.0,), 0.0001), ((61, 68.0), FRONTIER_ERROR), ((68.0, 70.5), 0.0006), ((70.5, 77), FRONTIER_ERROR),
        )
    ),
)  # fmt: skip
"""The default families: ours by number of clues, the published strategies, the records."""
