"""`python -m tests.support.kernels`: compile all kernels for words of five and of six letters, before a clock runs; or
with `experiments` after it, those of the experiments."""

import itertools
import math
import random
import sys

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


def compile_experiments() -> None:
    """Compile, or load, the kernels of `experiments`."""
    from experiments.bounds import free_functions
    from experiments.bounds.converse import win_rate_bound
    from experiments.bounds.two_clues import TwoClues
    from experiments.quick_asks import quick_ask

    words = wordpl.WordList("few", ("abc", "bca", "cab"), ("abc", "bca", "cab"))
    quick_ask(wordpl.Posterior(words), [("abc", 2.0)], 5.0, every=1)
    for value in (TwoClues("abc", words).win_rate, TwoClues("abc", words).profile_bound):
        value(2.0, 2.0)
    free_functions.BOUND_CELLS = 128
    for rounds in (1, 2, None):
        win_rate_bound(4.0, words, rounds)


if __name__ == "__main__":
    if sys.argv[1:] == ["experiments"]:
        compile_experiments()
    else:
        for length in (5, 6):
            compile_kernels(length)
