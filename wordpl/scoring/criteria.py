"""The criteria by which a guess is scored. In a file of their own, so that naming them loads no kernels."""

from dataclasses import dataclass

from wordpl.base.errors import WordplError, nearest


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


def check_criterion(criterion: str) -> str:
    """Return `criterion` if guesses can be ranked by it. Raises `WordplError`, with the nearest one, if not."""
    if criterion not in CRITERIA:
        raise WordplError(f"unknown criterion {criterion!r}: {nearest(criterion, CRITERIA)}")
    return criterion
