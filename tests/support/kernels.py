"""`python -m tests.support.kernels`: compile all kernels for words of five and of six letters, before a clock runs."""

import itertools
import math
import random

import wordpl
from wordpl.scoring.warmup import prepare


def compile_kernels(length: int = 5) -> None:
    """Compile, or load, the kernels for words of `length` letters, on whose number they do not depend."""
    rng = random.Random(length)
    answers = tuple(sorted({"".join(rng.choices("abcde", k=length)) for _ in range(60)}))
    # The solver has its answer before it searches unless there are enough words.
    many, few = (wordpl.WordList("some", answers[:n], answers[:n]) for n in (60, 3))
    for noiseless in (False, True):
        prepare(wordpl.Posterior(few), noiseless)
    lying = wordpl.Posterior(few, channel=wordpl.Fibble, right_ends=True)
    wordpl.scoring.expected_wins(lying, math.inf, [0.0, 1.0, 1.0, 1.0])
    wordpl.scoring.chances_in_three(lying, math.inf, [0])
    for hard, objective, first in itertools.product((False, True), ("total", "worst"), (None, answers[0])):
        wordpl.wordle.solve_tree(many, first, objective=objective, hard=hard)


if __name__ == "__main__":
    for length in (5, 6):
        compile_kernels(length)
