"""Slow and obvious versions of what the package computes, sharing no code with it.

A clue is a tuple of marks here (2 correct, 1 present, 0 absent), a channel is a function
`noise(noisy, true)` of two clues, and everything is enumerated. Probabilities are floats, or numbers of mpmath for
scores in its precision.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import mpmath

mpmath.mp.dps = 50

Marks = tuple[int, ...]
NoiseFunction = Callable[[Marks, Marks], float]
Table = list[list[float]]


def clue_marks(guess: str, answer: str, rule: str) -> Marks:
    """The marks of a guess, each place judged by counting."""
    marks = []
    for k, letter in enumerate(guess):
        if answer[k] == letter:
            marks.append(2)
        elif rule == "letterwise":
            marks.append(1 if letter in answer else 0)
        else:
            to_give = sum(a == letter != g for g, a in zip(guess, answer, strict=True))
            given = sum(g == letter != a for g, a in zip(guess[:k], answer[:k], strict=True))
            marks.append(1 if given < to_give else 0)
    return tuple(marks)


def code_of(marks: Marks) -> int:
    """The marks read as a number in base 3."""
    return int("".join(map(str, marks)), 3)


@cache
def all_marks(length: int) -> list[Marks]:
    """Every clue, in order of code."""
    return list(itertools.product(range(3), repeat=length))


def keep_and_flip(epsilon: float, length: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """P(a mark is kept) and P(it becomes one given other mark), to 50 digits."""
    if epsilon == math.inf:
        return mpmath.mpf(1), mpmath.mpf(0)
    raised = mpmath.exp(mpmath.mpf(epsilon) / length)
    return raised / (2 + raised), 1 / (2 + raised)


def differences(one: Marks, other: Marks) -> int:
    """In how many places two clues differ."""
    return sum(a != b for a, b in zip(one, other, strict=True))


def randomized_response(epsilon: float, length: int, exact: bool = False) -> Callable[[Marks, Marks], mpmath.mpf]:
    """The contest's channel, in floats or (`exact`) to 50 digits."""
    keep, flip = keep_and_flip(epsilon, length)
    levels = [keep ** (length - wrong) * flip**wrong for wrong in range(length + 1)]
    if not exact:
        levels = [float(level) for level in levels]
    return lambda noisy, true: levels[differences(noisy, true)]


def fibble(length: int, lies: int = 1) -> NoiseFunction:
    """Exactly so many marks are lies."""
    share = 1 / sum(differences(noisy, (0,) * length) == lies for noisy in all_marks(length))
    return lambda noisy, true: share if differences(noisy, true) == lies else 0.0


def from_matrix(matrix: Sequence[Sequence[float]]) -> NoiseFunction:
    """A channel given as P(noisy, true), both in order of code."""
    return lambda noisy, true: matrix[code_of(noisy)][code_of(true)]


def bayes(
    answers: Sequence[str], rule: str, history: Iterable[tuple[str, float, Marks]], prior: Sequence[float] | None = None
) -> list[mpmath.mpf] | None:
    """P(answer given the noisy clues) by plain products; None if no answer is possible."""
    weights = [mpmath.mpf(weight) for weight in (prior if prior is not None else [1] * len(answers))]
    for guess, epsilon, noisy in history:
        noise = randomized_response(epsilon, len(guess), exact=True)
        weights = [w * noise(noisy, clue_marks(guess, a, rule)) for w, a in zip(weights, answers, strict=True)]
    total = mpmath.fsum(weights)
    return [weight / total for weight in weights] if total > 0 else None


def slack(history: Iterable[tuple[str, float, object]]) -> float:
    """What rounding of the exponents may cost a posterior: a few units in the last place of the largest."""
    return 1e-13 + 1e-15 * sum(epsilon for _, epsilon, _ in history if epsilon < math.inf)


def _sum(values: Iterable[Any]) -> Any:
    summed = list(values)
    return mpmath.fsum(summed) if summed and isinstance(summed[0], mpmath.mpf) else math.fsum(summed)


def _log2(value: Any) -> Any:
    return mpmath.log(value, 2) if isinstance(value, mpmath.mpf) else math.log2(value)


def joint_table(
    answers: Sequence[str],
    rule: str,
    probabilities: Sequence[float],
    guess: str,
    noise: NoiseFunction,
    right_ends: bool = False,
) -> Table:
    """P(noisy clue, answer): one row for each noisy clue; and one for a right guess, if it ends the game."""
    true = [clue_marks(guess, answer, rule) for answer in answers]
    won = [p * (right_ends and answer == guess) for p, answer in zip(probabilities, answers, strict=True)]
    left = [p - win for p, win in zip(probabilities, won, strict=True)]
    rows = [[p * noise(noisy, t) for p, t in zip(left, true, strict=True)] for noisy in all_marks(len(guess))]
    return [*rows, won] if right_ends else rows


def entropy(probabilities: Iterable[float]) -> float:
    """In bits."""
    return -_sum(p * _log2(p) for p in probabilities if p > 0)


def posteriors(table: Table) -> list[tuple[float, list[float]]]:
    """P(clue) and P(answer given the clue), for each clue that can be seen."""
    totals = [(_sum(row), row) for row in table]
    return [(total, [joint / total for joint in row]) for total, row in totals if total > 0]


def clue_entropy(table: Table) -> float:
    return entropy(_sum(row) for row in table)


def information_gain(table: Table) -> float:
    before = entropy(_sum(column) for column in zip(*table, strict=True))
    return before - _sum(total * entropy(after) for total, after in posteriors(table))


def expected_top(table: Table) -> float:
    return _sum(total * max(after) for total, after in posteriors(table))


def expected_remaining(table: Table) -> float:
    return _sum(total / _sum(p * p for p in after) for total, after in posteriors(table))


def _norm(probabilities: Iterable[float], order: float) -> float:
    if order == math.inf:
        return max(probabilities)
    return _sum(p**order for p in probabilities) ** (1 / order)


def renyi(table: Table, order: float) -> float:
    """Arimoto's H(A) - H(A|C), each order/(1-order) log2 of an (expected) norm."""
    if order == 1:
        return information_gain(table)
    factor = -1.0 if order == math.inf else order / (1 - order)
    before = _norm([_sum(column) for column in zip(*table, strict=True)], order)
    after = _sum(total * _norm(after, order) for total, after in posteriors(table))
    return factor * (_log2(before) - _log2(after))


def part_sizes(answers: Sequence[str], rule: str, probabilities: Sequence[float], guess: str) -> Counter[Marks]:
    """How many possible answers give each true clue."""
    return Counter(clue_marks(guess, a, rule) for a, p in zip(answers, probabilities, strict=True) if p > 0)


def score(
    criterion: str,
    answers: Sequence[str],
    rule: str,
    probabilities: Sequence[float],
    guess: str,
    noise: NoiseFunction,
    order: float = 2.0,
    right_ends: bool = False,
) -> float:
    """The score of one guess."""
    if criterion in ("parts", "largest_part"):
        sizes = part_sizes(answers, rule, probabilities, guess)
        return len(sizes) if criterion == "parts" else max(sizes.values())
    table = joint_table(answers, rule, probabilities, guess, noise, right_ends)
    return renyi(table, order) if criterion == "renyi" else globals()[criterion](table)
