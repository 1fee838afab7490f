"""The criteria by which a guess is scored. In a file of their own, so that naming them loads no kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from wordpl.base.checks import is_in_file, number
from wordpl.base.errors import WordplError, nearest, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from wordpl.model.posterior import Posterior


@dataclass(frozen=True)
class Criterion:
    """One way to score a guess."""

    unit: str
    larger_is_better: bool
    account: str


CRITERIA = {
    "clue_entropy": Criterion("bits", True, "entropy of the noisy clue"),
    "information_gain": Criterion("bits", True, "expected fall of the entropy of the posterior"),
    "expected_top": Criterion("probability", True, "expected top posterior after the clue"),
    "renyi": Criterion("bits", True, "Arimoto's mutual information of order `order`"),
    "expected_remaining": Criterion("answers", False, "expected effective number of answers after the clue"),
    "largest_part": Criterion("answers", False, "possible answers that share the commonest true clue"),
    "parts": Criterion("parts", True, "number of different true clues of the possible answers"),
}

# Between these orders, a joint weight lost to underflow is below 1e-308**(1/20) = 4e-16 of the largest.
MIN_ORDER, MAX_ORDER = 0.1, 20.0


OwnCriterion: TypeAlias = Callable[["Posterior", float, "NDArray[Any]"], "ArrayLike"]
"""A criterion of one's own: (belief, epsilon, guesses) -> a score for each of `guesses`, which are indices of
`words.guesses`. More is better."""


def read_criterion(criterion: str | OwnCriterion) -> str | OwnCriterion:
    """Return a name of `CRITERIA`, or the function that `criterion` is or that `FILE.py:Name` names; a class is called.

    Raises `WordplError` for anything else."""
    own: object = criterion
    if isinstance(criterion, str):
        if not is_in_file(criterion):
            return check_criterion(criterion)
        from wordpl.base.user_files import load_named  # which a name does not need

        own = load_named(criterion)
    if isinstance(own, type):
        own = own()
    if not callable(own):
        raise WordplError(f"criterion {shown(own)} is no name of a criterion and no function")
    return own


def check_criterion(criterion: str) -> str:
    """Return `criterion` if guesses can be ranked by it. Raises `WordplError`, with the nearest one, if not."""
    if criterion not in CRITERIA:
        raise WordplError(f"unknown criterion {criterion!r}: {nearest(criterion, CRITERIA)}")
    return criterion


def check_order(order: object) -> float:
    """Return a Renyi order as a float. Raises `WordplError` unless it is from 0.1 to 20, or inf."""
    value = number("order", order)
    if not (MIN_ORDER <= value <= MAX_ORDER or value == math.inf):
        raise WordplError(f"order {value} is not allowed; {MIN_ORDER} to {MAX_ORDER:g}, or inf, is expected")
    return value
