"""Clue entropy as the published MaxClueEntropy estimates it: from answers that are drawn for every guess by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordpl.model.clues import clue_matrix
from wordpl.model.distance_channel import Channel
from wordpl.model.entropy import Floats, entropy, p_log2_p
from wordpl.model.posterior import Posterior
from wordpl.scoring.bounds import Indices, keep_and_flip, mark_kinds, noisy_marks
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
        self._belief, self._channel, self._noise = belief, channel, noise_of(channel)[0]
        self._drawn = tables(belief.probabilities), draws, rng.integers(2**64, dtype=np.uint64)

    def score(self, guesses: Indices) -> Floats:
        """Return the entropy of the noisy clues to the draws of each guess: [guesses]."""
        from wordpl.scoring.drawn_kernels import score_drawn

        words = self._belief.words
        arguments = clue_matrix(words, self._belief.rule), guesses, *self._drawn, self._noise, FLOOR, words.n_clues
        return run_kernel(score_drawn, *arguments, work=len(guesses) * self._drawn[1])

    def bounds(self, guesses: Indices) -> Floats | None:
        """Return upper bounds of these scores, from the marks one by one as in `bounds`; None where none are known."""
        from wordpl.scoring.drawn_kernels import BLOCKS, COLUMNS, bound_drawn, count_marks

        chances, draws = keep_and_flip(noisy_marks(self._channel)), self._drawn[1]
        if chances is None:
            return None
        kinds = mark_kinds(self._belief.words, self._belief.rule)
        size = COLUMNS * BLOCKS, 2 * int(kinds.of_guesses.max() + 1)
        counts = np.empty(size, np.uint8 if draws < 1_000 else np.uint32)
        count_marks(*kinds.cells, *self._drawn, counts)
        # What a mark adds to the entropy, for each number of draws that may have it.
        (keep, flip), shares = chances, np.linspace(0.0, 1.0, min(draws, 2**16) + 1)
        added = -p_log2_p(flip + (keep - flip) * shares)
        if draws >= len(shares):  # a number may lie between two of them
            added = np.maximum(added, np.append(added[1:], 0.0)) + 1e-8
        arguments = kinds.of_guesses, guesses, counts, *self._drawn[1:], added
        bounds = run_kernel(bound_drawn, *arguments, work=len(guesses))
        # -x log x of a sum is at most that of its parts together, so what is added to each clue counts by itself.
        return bounds + float(entropy(np.full(self._belief.words.n_clues, FLOOR)))
