"""Figures of one guess, in plain numpy: a player waits for them, and to load the compiled kernels takes longer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from wordpl.base.checks import instance, non_negative
from wordpl.base.displays import line_of
from wordpl.base.json_types import Doc
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_row
from wordpl.model.entropy import entropy
from wordpl.model.posterior import Posterior
from wordpl.model.words import fold_word
from wordpl.scoring.faint import faint


@dataclass(frozen=True, slots=True)
class GuessFigures:
    """What a clue to a guess is expected to tell, given a posterior."""

    word: Annotated[str, Doc("The guess.")]
    bits: Annotated[float, Doc("Information gain: the expected fall of the entropy of the posterior, in bits.")]
    clue_entropy: Annotated[float, Doc("Entropy of the clue in bits; the same as `bits` when there is no noise.")]
    expected_remaining: Annotated[float, Doc("Expected effective number of answers after the clue.")]
    chance: Annotated[float, Doc("Probability that the word is the answer.")]
    parts: Annotated[int, Doc("Number of different true clues of the possible answers.")]
    largest_part: Annotated[int, Doc("Possible answers that share the commonest true clue.")]

    def __repr__(self) -> str:
        figures = f"{self.bits:.4f} bits, {self.expected_remaining:.2f} expected remaining, chance {self.chance:.4g}"
        return line_of(self, f"{self.word}: {figures}")


def figures_of(belief: Posterior, epsilon: float, word: str) -> GuessFigures:
    """Return the figures of `word`, in the list or not, asked at `epsilon` (0 to inf)."""
    words, p = belief.words, belief.probabilities
    channel = make_channel(belief.channel, epsilon, words.length)
    row = clue_row(word, words, belief.rule)
    true, squared = (np.bincount(row, weights, words.n_clues) for weights in (p, p * p))
    win = 0.0
    if belief.right_ends:  # to win is one more outcome, in place of the all-correct clue
        win, true[-1], squared[-1] = float(true[-1]), 0.0, 0.0
    noisy, squares = channel.transform(true), channel.transform(squared, power=2)
    if (clue := faint(channel)) is not None:
        outcome = clue.entropy_and_information(np.array([win]), clue.deficits(true[:, np.newaxis]))
        clue_entropy, bits = (float(figure[0]) for figure in outcome)
    else:
        clue_entropy = float(entropy(noisy) + entropy(np.array([win])))
        bits = max(clue_entropy - float(channel.noise_entropy @ true), 0.0)  # below 0 only by rounding
    sizes = np.bincount(row[belief.possible])
    parts = int(np.count_nonzero(sizes))
    if parts == 1:  # the true clue is known: exactly, and not but for a rounding of the probabilities
        clue_entropy, bits = 0.0 if win else float(channel.noise_entropy[sizes.argmax()]), 0.0
    index = words.answer_index.get(word)
    return GuessFigures(
        word=word,
        bits=bits,
        clue_entropy=clue_entropy,
        # P(c) / (sum of P(a|c)**2), summed over clues; the inner sum is squares / P(c)**2.
        expected_remaining=win
        + float((noisy * np.divide(noisy**2, squares, np.zeros_like(noisy), where=squares > 0)).sum()),
        chance=0.0 if index is None else float(p[index]),
        parts=parts,
        largest_part=int(sizes.max()),
    )


def score_word(belief: Posterior, epsilon: float, word: str) -> dict[str, float]:
    """Return the score of `word` by each criterion except `renyi`, for a clue at `epsilon` (0 to inf).

    `belief` is the posterior so far. The word need not be in the list. The scores are the same as those of
    `score_guesses`, up to rounding. They are computed in plain numpy, so you do not wait for the compiled kernels.

    Raises `WordplError` for an epsilon out of range, and for a word of another length.

    >>> import wordpl
    >>> scores = wordpl.score_word(wordpl.Posterior(wordpl.load_words()), 12.3, "crate")
    >>> round(scores["clue_entropy"], 3), round(scores["expected_top"], 5)
    (6.746, 0.03057)
    """
    instance("belief", belief, Posterior)
    figures = figures_of(belief, non_negative("epsilon", epsilon), word)
    return {
        "clue_entropy": figures.clue_entropy,
        "information_gain": figures.bits,
        "expected_top": _expected_top(belief, epsilon, word),
        "expected_remaining": figures.expected_remaining,
        "largest_part": float(figures.largest_part),
        "parts": float(figures.parts),
    }


def _expected_top(belief: Posterior, epsilon: float, word: str) -> float:
    """Sum over noisy clues of the largest joint weight: the channel with (max, x) in place of (+, x)."""
    channel = make_channel(belief.channel, epsilon, belief.words.length)
    index = belief.words.answer_index.get(fold_word(word))
    win = float(belief.probabilities[index]) if belief.right_ends and index is not None else 0.0
    return win + float(channel.transform(belief.largest_by_clue(word), largest=True).sum())
