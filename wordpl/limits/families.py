"""Families of strategies: ways to turn a budget into a strategy, whose win rates the frontier compares."""

import math
from dataclasses import dataclass


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

    def at(self, budget: float) -> str:
        """Return the spec at `budget`, a total epsilon."""
        total = math.fsum(self.weights)
        return self.spec.format(*(repr(budget * weight / total) for weight in self.weights), budget=repr(budget))


def _renyi(clues: int, weights: tuple[float, ...], budgets: tuple[float, ...], more: str = "") -> Family:
    epsilons = "".join(f"{{{i}}}," for i in range(len(weights)))
    name = f"{clues} clue" + ("s" if clues > 1 else "")
    return Family(name, f"Renyi(epsilon=({epsilons}){more})", weights, budgets)


FAMILIES = (
    _renyi(1, (1.0,), (2, 4, 6, 7, 8, 10, 12, 14, 16, 18, 20, 25, 30, 40, 60), ",first_guess=None"),
    _renyi(2, (0.7, 0.3), (5, 7, 9, 11, 13, 14.3, 16, 18, 21, 25)),
    _renyi(2, (0.55, 0.45), (16, 18, 21, 25, 30, 36, 44, 55, 70, 100)),
    _renyi(3, (0.35, 0.383, 0.267), (12, 16, 20, 24, 28, 32, 36, 42, 50, 60, 80), ",orders=(1,1.5,inf)"),
    _renyi(4, (0.269, 0.269, 0.254, 0.208), (28, 40, 50, 58, 67, 76, 90, 115)),
    _renyi(5, (0.22, 0.22, 0.21, 0.18, 0.17), (45, 60, 75, 95)),
    Family("TwoGuess", "TwoGuess(epsilon={budget})", (1.0,), (4, 6, 8, 10, 12, 14, 17.9, 22, 30, 50)),
    *(
        Family("NGuess", f"NGuess(n_guesses={n},epsilon={{0}})", (1.0,) * n, budgets)
        for n, budgets in ((2, (6, 10, 15.6, 22, 34)), (3, (26, 36, 50, 80)), (4, (72, 110)))
    ),
    *(
        Family("MaxClueEntropy", f"MaxClueEntropy(n_guesses={n},epsilon={{0}},monte_carlo=200)", (1.0,) * n, budgets)
        for n, budgets in ((2, (10, 15.6, 22)), (3, (28, 39, 55, 75, 96)), (4, (72, 100)))
    ),
    Family("Fifth", "Fifth(budget={budget})", (1.0,), (13.5, 14.32, 15.0)),
    Family("Median", "Median(budget={budget})", (1.0,), (34.0, 38.0)),
    Family("NinetyFifth", "NinetyFifth(budget={budget})", (1.0,), (66.0, 68.2, 71.0)),
)
"""The default families: ours by number of clues, the published strategies, the records."""
