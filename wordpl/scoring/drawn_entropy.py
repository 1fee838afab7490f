"""Clue entropy as the published MaxClueEntropy estimates it: from answers that are drawn for every guess by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordpl.model.clues import clue_matrix
from wordpl.model.distance_channel import Channel
from wordpl.model.entropy import Floats, entropy
from wordpl.model.posterior import Posterior
from wordpl.scoring.bounds import Indices, mark_kinds, noisy_marks
from wordpl.scoring.noise import noise_of
from wordpl.scoring.threads import run_kernel

FLOOR = 1e-10
"""What the published strategy adds to the probability of each clue before it takes the logarithm."""


def tables(weights: Floats) -> tuple[Floats, NDArray[np.uint32]]:
    """Tables for drawing answers by `weights` [n]: where each ends from 0 to 1, and the answer at each multiple of 1/n.

    A random number from 0 to 1 draws the first answer that ends above it, which is near that at the multiple before
    (Chen and Asau 1974).
    """
    ends = weights.cumsum()
    ends /= ends[-1]
    return ends, np.bincount((ends * len(ends)).astype(np.intp) + 1).cumsum().astype(np.uint32)


class DrawnEntropy:
    """The draws of all guesses from a posterior, and the entropies of the clues to them."""

    def __init__(self, belief: Posterior, channel: Channel, draws: int, rng: np.random.Generator) -> None:
        self._belief, self._channel = belief, channel
        self._drawn = tables(belief.probabilities), draws, rng.integers(2**64, dtype=np.uint64)

    def score(self, guesses: Indices) -> Floats:
        """Return the entropy of the noisy clues to the draws of each guess: [guesses]."""
        from wordpl.scoring.drawn_kernels import score_drawn

        words, noise = self._belief.words, noise_of(self._channel)[0]
        arguments = clue_matrix(words, self._belief.rule), guesses, *self._drawn, noise, FLOOR, words.n_clues
        return run_kernel(score_drawn, *arguments, work=len(guesses) * self._drawn[1])

    def bounds(self, guesses: Indices) -> Floats | None:
        """Return upper bounds of these scores, from the marks one by one as in `bounds`; None where none are known."""
        from wordpl.scoring.drawn_kernels import BLOCKS, COLUMNS, bound_drawn, count_marks

        marks = noisy_marks(self._channel)
        if marks is None:
            return None
        kinds = mark_kinds(self._belief.words, self._belief.rule)
        counts = np.empty((COLUMNS * BLOCKS, 2 * int(kinds.of_guesses.max() + 1)), dtype=np.int32)
        count_marks(*kinds.cells, *self._drawn, counts)
        arguments = kinds.of_guesses, guesses, counts, *self._drawn[1:], marks
        bounds = run_kernel(bound_drawn, *arguments, work=len(guesses))
        # -x log x of a sum is at most that of its parts together, so what is added to each clue counts by itself.
        return bounds + float(entropy(np.full(self._belief.words.n_clues, FLOOR)))
