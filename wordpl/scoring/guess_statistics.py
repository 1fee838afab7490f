"""Statistics of one guess, in plain numpy: a player waits for them, and to load the compiled kernels takes longer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from wordpl.base.checks import instance, non_negative, several, whole_number
from wordpl.base.defaults import RENYI_ORDER
from wordpl.base.displays import line_of
from wordpl.base.errors import WordplError, one_line
from wordpl.base.json_types import Doc
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_row
from wordpl.model.entropy import entropy
from wordpl.model.posterior import Posterior
from wordpl.model.words import fold_word
from wordpl.scoring.bounds import falling
from wordpl.scoring.criteria import CRITERIA, OwnCriterion, read_criterion

if TYPE_CHECKING:
    import pandas as pd

_ALWAYS = ("clue_entropy", "information_gain", "expected_top", "expected_remaining")
"""Criteria whose scores are shown whatever guesses are ranked by."""


@dataclass(frozen=True, slots=True)
class GuessStatistics:
    """Expected results of a clue to a guess, given a posterior."""

    word: Annotated[str, Doc("The guess.")]
    bits: Annotated[float, Doc("Information gain: the expected fall of the entropy of the posterior, in bits.")]
    clue_entropy: Annotated[float, Doc("Entropy of the clue in bits; the same as `bits` when there is no noise.")]
    expected_remaining: Annotated[float, Doc("Expected effective number of answers after the clue.")]
    chance: Annotated[float, Doc("Probability that the word is the answer.")]
    parts: Annotated[int, Doc("Number of different true clues of the possible answers.")]
    largest_part: Annotated[int, Doc("Possible answers that share the commonest true clue.")]

    def __repr__(self) -> str:
        told = f"{self.bits:.4f} bits, {self.expected_remaining:.2f} expected remaining, chance {self.chance:.4g}"
        return line_of(self, f"{self.word}: {told}")


def statistics_of(belief: Posterior, epsilon: float, word: str) -> GuessStatistics:
    """Return the statistics of `word`, in the list or not, asked at `epsilon` (0 to inf)."""
    words, p = belief.words, belief.probabilities
    channel = make_channel(belief.channel, epsilon, words.length)
    row = clue_row(word, words, belief.rule)
    true, squared = (np.bincount(row, weights, words.n_clues) for weights in (p, p * p))
    win = 0.0
    if belief.right_ends:  # to win is one more outcome, in place of the all-correct clue
        win, true[-1], squared[-1] = float(true[-1]), 0.0, 0.0
    noisy, squares = channel.transform(true), channel.transform(squared, power=2)
    clue_entropy = float(entropy(noisy) + entropy(np.array([win])))
    bits = max(clue_entropy - float(channel.noise_entropy @ true), 0.0)  # below 0 only by rounding
    sizes = np.bincount(row[belief.possible])
    parts = int(np.count_nonzero(sizes))
    if parts == 1:  # the true clue is known: exactly, and not but for a rounding of the probabilities
        clue_entropy, bits = 0.0 if win else float(channel.noise_entropy[sizes.argmax()]), 0.0
    index = words.answer_index.get(fold_word(word))
    return GuessStatistics(
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
    statistics = statistics_of(belief, non_negative("epsilon", epsilon), word)
    channel = make_channel(belief.channel, epsilon, belief.words.length)
    won = statistics.chance if belief.right_ends else 0.0
    return {
        "clue_entropy": statistics.clue_entropy,
        "information_gain": statistics.bits,
        "expected_top": won + float(channel.transform(belief.largest_by_clue(word), largest=True).sum()),
        "expected_remaining": statistics.expected_remaining,
        "largest_part": float(statistics.largest_part),
        "parts": float(statistics.parts),
    }


def rank_guesses(
    belief: Posterior,
    epsilons: Iterable[float],
    criterion: str | OwnCriterion = "clue_entropy",
    count: int | None = None,
    *,
    order: float = RENYI_ORDER,
    guesses: Iterable[str] = (),
) -> pd.DataFrame:
    """Rank guesses under `belief` at each of `epsilons` (0 to inf): the `count` best by a `criterion` of `CRITERIA`,
    or of your own as in `score_guesses`.

    The frame has a row for each epsilon and guess, the best of an epsilon first: word, epsilon, odds (the largest
    factor by which a clue can change the odds of two answers; inf above e^700), the criterion, and always
    clue_entropy, information_gain, expected_top and expected_remaining; `CRITERIA` has their units. `guesses` are the
    words to rank, by default all that can be guessed; by default `count` is the number of these words, or 10. `order`
    is that of the criterion renyi. Raises `WordplError` as `best_guesses` does, and for a word that cannot be guessed.

    >>> import wordpl
    >>> frame = wordpl.scoring.rank_guesses(wordpl.Posterior(wordpl.load_words()), [6, 12], guesses=["crate", "salet"])
    >>> frame["word"].tolist(), frame["clue_entropy"].round(3).tolist()
    (['crate', 'salet', 'crate', 'salet'], [7.566, 7.566, 6.783, 6.782])
    """
    import pandas as pd

    instance("belief", belief, Posterior)
    grid = [non_negative("epsilon", epsilon) for epsilon in several("epsilons", epsilons)]
    words = [_guess(word, belief) for word in several("guesses", guesses)]
    count = whole_number("count", len(words) or 10 if count is None else count)
    own = read_criterion(criterion)
    name = own if isinstance(own, str) else getattr(own, "__name__", type(own).__name__)
    names = [*({name} - {*_ALWAYS}), *_ALWAYS]
    rows = []
    for epsilon in grid:
        if words and own in _ALWAYS:  # a few words do not wait for the kernels
            found = [(word, score_word(belief, epsilon, word)) for word in words]
            sign = 1.0 if CRITERIA[name].larger_is_better else -1.0
            order_of = falling(np.array([sign * scores[name] for _, scores in found]), count)
            found = [found[at] for at in order_of]
        else:
            from wordpl.scoring.guess_scores import best_guesses

            some = [belief.words.guess_index[word] for word in words] or None
            best = best_guesses(belief, epsilon, own, count, order=order, guesses=some)
            # The scores of one word are exact where there is nothing to learn.
            found = [(word, {name: score} | score_word(belief, epsilon, word)) for word, score in best]
        odds = make_channel(belief.channel, epsilon, belief.words.length).odds
        rows += [(word, epsilon, odds, *(scores[name] for name in names)) for word, scores in found[:count]]
    return pd.DataFrame(rows, columns=["word", "epsilon", "odds", *names])


def _guess(word: object, belief: Posterior) -> str:
    if not isinstance(word, str) or fold_word(word) not in belief.words.guess_index:
        raise WordplError(f"{one_line(repr(word), 40)} is not in the word list {belief.words.name}")
    return fold_word(word)
