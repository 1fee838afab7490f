"""The bias of the Monte Carlo clue entropy: mean shortfall over many samples, and its standard error.

`python -m benchmarks.plugin_bias`; the docstring of `wordpl.score_guesses` quotes it.
"""

from __future__ import annotations

import numpy as np
import typer

import wordpl

REPEATS = 400


def main() -> None:
    words = wordpl.load_words("original")
    belief = wordpl.Posterior(words)
    openers = [words.guess_index[word] for word in ("crate", "salet", "soare")]
    print(f"{'epsilon':>8} {'draws':>6}  shortfall in bits of crate, salet, soare (standard error)")
    for epsilon in (12.3, 25.0, float("inf")):
        exact = wordpl.score_guesses(belief, epsilon, guesses=openers)
        for draws in (200, 1000):
            rng = np.random.default_rng(1)
            short = np.array(
                [
                    exact - wordpl.score_guesses(belief, epsilon, draws=draws, rng=rng, guesses=openers)
                    for _ in range(REPEATS)
                ]
            )
            error = short.std(axis=0).max() / REPEATS**0.5
            print(f"{epsilon:8g} {draws:6d}  {'  '.join(f'{x:.4f}' for x in short.mean(axis=0))}  ({error:.4f})")


if __name__ == "__main__":
    typer.run(main)
