"""`python -m wordpl.cli.warmup`: compile all kernels into numba's cache, so that no command waits for them.

Compiled code is kept for each kind of processor, where `wordpl.base.kept` says.
"""

from __future__ import annotations

import math
import random
import sys


def compile_kernels(length: int = 5) -> None:
    """Compile, or load from the cache, the kernels for words of `length` letters. Takes half a minute if none is there.

    Compiled code depends on the types of the arrays, which the length of the words decides, not on their number.
    """
    import wordpl
    from wordpl.simulation.warmup import prepare

    # The solver has its answer before it searches unless there are enough words.
    rng = random.Random(length)  # noqa: S311 - any words will do
    answers = tuple(sorted({"".join(rng.choices("abcde", k=length)) for _ in range(60)}))
    many, few = (wordpl.WordList("some", answers[:n], answers[:n]) for n in (60, 3))
    prepare(wordpl.Setting(few))
    prepare(wordpl.Setting(few, noiseless=True))
    belief = wordpl.Posterior(few)
    wordpl.score_guesses(belief, 5.0, draws=2, rng=0)
    wordpl.scoring.two_step_lookahead(belief, answers[0], 30.0, 35.0, budget_fraction=0.5, clue_probability=0.5)
    wordpl.limits.win_rate_bound(math.inf, few, rounds=2)
    lying = wordpl.Posterior(few, channel=wordpl.Fibble, right_ends=True)
    wordpl.scoring.expected_wins(lying, math.inf, [0.0, 1.0, 1.0, 1.0])
    wordpl.scoring.chances_in_three(lying, math.inf, [0])
    for hard in (False, True):
        for objective in ("total", "worst"):
            for first in (None, answers[0]):
                wordpl.wordle.solve_tree(many, first, objective=objective, hard=hard)


def compile_all() -> None:
    """Compile, or load, the kernels for words of five and of six letters, and say so."""
    print("compiling all kernels, which takes about a minute if they are not kept from before", file=sys.stderr)
    for length in (5, 6):
        compile_kernels(length)


if __name__ == "__main__":
    import typer

    typer.run(compile_all)
