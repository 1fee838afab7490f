"""The best guess for the last clue before the proposal, found without scoring every guess in full.

The probability of being right after a clue is the sum over noisy clues of the largest joint weight. An answer
lighter than e^-epsilon times the heaviest can never become the most probable one, because the clue is
epsilon-differentially private, so it is left out. A bound rules out nearly all guesses. Neither changes the result.

The bounds look at the heaviest answers only, as many as leave the rest little to add. A few of them are looked at two
by two, and many are filled in as for a score, in single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import fraction, instance, numbers
from wordpl.base.errors import WordplError
from wordpl.model.clues import clue_matrix, clues_at_distance, differing_marks, packed_clues
from wordpl.model.distance_channel import Channel, DistanceChannel
from wordpl.model.entropy import Floats
from wordpl.model.words import WordList, as_words
from wordpl.scoring.bounds import TIE, Indices, contenders, falling, keep_and_flip
from wordpl.scoring.noise import noise_of

if TYPE_CHECKING:
    from wordpl.scoring.last_guess_kernels import ClueTables

# Beyond what rounding in single precision can do to a sum of 243 (3**6: 729) non-negative terms.
_SLACK = 1e-4
# The most that the answers which a bound leaves out can add, as a share of what all can add to the heaviest one: in the
# first bounds, and in those for the guesses that these leave.
_REST, _FURTHER_REST = 0.125, 0.03
# At most so many answers are looked at two by two, each beside so many heavier ones; of more, at least so many are
# filled in.
_PAIRED, _RIVALS, MIN_SHOWN = 80, 3, 64
# Two bits a mark: a table over pairs of clues has 4**length entries.
MAX_MARKS = 6


class LastGuess(NamedTuple):
    """A guess for the last clue, and what it is worth."""

    guess: int
    """Index into `words.guesses`: the first of the best."""
    value: float
    """Sum over noisy clues of the largest joint weight; of a posterior, the chance to be right."""


class SymmetricMarks(NamedTuple):
    """A channel that is the ternary symmetric channel for each mark."""

    keep: float
    """P(a mark is kept)."""
    flip: float
    """P(a mark becomes one given other mark)."""

    def odds(self, length: int) -> float:
        """Return the smallest likelihood of a noisy clue of so many marks as a share of the largest, 0 to 1."""
        return (self.flip / self.keep) ** length


def symmetric_marks(channel: Channel) -> SymmetricMarks | None:
    """Return the channel as `SymmetricMarks`; None if it is not one, or keeps a mark less often than it flips it."""
    chances = keep_and_flip(channel.mark_matrix)
    return SymmetricMarks(*chances) if chances and chances[0] >= chances[1] else None


class TwoLevels(NamedTuple):
    """A channel whose noisy clues have two probabilities, both above 0, by their distance from the true clue."""

    likely: NDArray[np.uint64]
    """The noisy clues of the higher one, for each true clue: the bits of [codes, n]."""
    high: float
    low: float


def two_levels(channel: Channel) -> TwoLevels | None:
    """Return the channel as `TwoLevels`; None if it is not one."""
    if not isinstance(channel, DistanceChannel) or len(values := np.unique(channel.levels)) != 2 or not values[0]:
        return None
    low, high = values.tolist()
    distances = tuple(np.flatnonzero(channel.levels == high).tolist())
    return TwoLevels(clues_at(channel.length, distances), high, low)


@lru_cache(maxsize=64)
def clues_at(length: int, distances: tuple[int, ...]) -> NDArray[np.uint64]:
    """The clues that differ from each clue in one of these numbers of marks, as bits from the lowest up: [codes, n]."""
    codes = 3**length
    rows = [np.isin(differing_marks(code, length), distances) for code in range(codes)]
    bits = np.packbits(np.pad(rows, ((0, 0), (0, -codes % 64))), axis=1, bitorder="little")
    return bits.view("<u8").astype(np.uint64)


def top_candidates(weights: Floats, odds: float, relative_cutoff: float = 0.0) -> NDArray[np.int64]:
    """Return the indices of the answers that can be the most probable one after one more clue, heaviest first.

    `odds` is the smallest likelihood of the clue as a share of the largest. Answers lighter than `relative_cutoff`
    times the heaviest are left out too; above 0 the result is not exact.
    """
    top = float(weights.max())
    # A little less than the exact ratio, so that rounding drops nothing that ties.
    ratio = odds * (1.0 - 1e-9)
    candidates = np.flatnonzero((weights >= top * max(ratio, relative_cutoff)) & (weights > 0))
    return np.asarray(candidates[np.argsort(-weights[candidates], kind="stable")], dtype=np.int64)


def best_last_guess(
    weights: Floats, channel: Channel, words: WordList | str, rule: str, relative_cutoff: float = 0.0
) -> LastGuess | None:
    """Return the best guess for the last clue before the proposal, among all guesses.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`.

    It is the guess with the largest expected top weight after a clue through `channel`: the same as the best by
    `score_guesses(…, criterion="expected_top")`, but found several times faster. `weights` [answers] are finite,
    non-negative and of any scale. The choice ignores answers that are lighter than `relative_cutoff` (0 to 1) times the
    heaviest; the value of the chosen guess includes all answers.

    Use it only if a right guess does not end the game: a posterior with `right_ends` has other scores.

    Returns None for a channel that is neither symmetric in each mark nor of two levels (`TwoLevels`). For the former,
    it also returns None for words of more than `MAX_MARKS` letters. Raises `WordplError` if the weights have the wrong
    shape, are negative or not finite, or are all zero, for a cutoff that is not from 0 to 1, and for an unknown rule.
    """
    from wordpl.scoring.kernels import TOP, Measure, score
    from wordpl.scoring.last_guess_kernels import score_two_levels

    channel, words = instance("channel", channel, Channel), as_words(words)
    relative_cutoff = fraction("relative cutoff", relative_cutoff)
    marks = symmetric_marks(channel) if words.length <= MAX_MARKS else None
    levels = None if marks else two_levels(channel)
    if marks is not None:
        odds = marks.odds(words.length)
    elif levels is not None:
        odds = levels.low / levels.high
    else:
        return None
    weights = numbers("weights", weights)
    if weights.shape != (len(words.answers),) or not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise WordplError(f"one weight from 0 up for each of the {len(words.answers)} answers is expected")
    if not weights.any():
        raise WordplError("the weights are all zero; one above 0 is expected")
    support = top_candidates(weights, odds, relative_cutoff)
    clues, codes, (noise, _) = clue_matrix(words, rule), words.n_clues, noise_of(channel)
    top, total = float(weights[support[0]]), float(weights.sum())

    def values(guesses: Indices, answers: Indices) -> Floats:
        found = np.empty(len(guesses))
        score(clues, guesses, answers, weights[answers], (noise, noise), codes, Measure(TOP), found)
        return found

    if marks is not None:
        bounds = TopBounds(support, weights[support] / total, marks, clue_tables(words, rule))
        first = bounds.first()
        # If no bound is above the heaviest answer, no guess tells anything, and the first is the best. With a cutoff,
        # the answers that it leaves out may still tell guesses apart.
        near = np.arange(len(words.guesses) if relative_cutoff else 1)
        if first.max() > top / total + TIE:
            slack = _SLACK * float(first.max()) if relative_cutoff else 0.0
            every, score_some = np.arange(len(first)), lambda some: values(some, support) / total
            near, scores = contenders(first, every, score_some, 1, slack, bounds.tighter)
            near = near[scores >= scores.max() * (1.0 - _SLACK)]
    elif levels is not None:
        # Gains of a clue in the sum of the largest joint weights, over one that tells nothing.
        tie, gains = TIE * total / top, np.empty(len(words.guesses))
        each = weights[support] / top * levels.high - levels.low
        some = int(np.count_nonzero(each > 1e-15 * levels.low))  # the rest is no gain, but for rounding
        score_two_levels(clues, levels.likely, codes, support[:some], each[:some], 2.0 * tie, gains)
        near = np.flatnonzero(gains >= gains.max() - tie)[:1]  # thousands may tie, too many to be scored again
    found = values(near, top_candidates(weights, odds) if relative_cutoff else support)
    best = int(falling(found / total, 1)[0])
    return LastGuess(int(near[best]), float(found[best]))


class TopBounds:
    """Upper bounds of the sums of the largest joint weights, from the heaviest answers and what the rest can add.

    `weights` [n] are those of the answers `support`, and fall.
    """

    def __init__(self, support: Indices, weights: Floats, marks: SymmetricMarks, tables: ClueTables) -> None:
        self._support, self._weights, self._marks, self._tables = support, weights, marks, tables
        length, apart = tables.length, np.arange(tables.length + 1)
        clues = [clues_at_distance(length, distance) for distance in range(length + 1)]
        heaviest = weights[0] * marks.keep ** (length - apart) * marks.flip**apart
        # What an answer can add to the heaviest one, if it had each of the clues.
        most = np.maximum(weights[:, np.newaxis] * marks.keep**length - heaviest, 0.0) @ clues
        self._most = np.append(most, 0.0)
        # What the answers from each on can add together, beside that.
        self._sums = np.append(np.minimum(most, weights)[::-1].cumsum()[::-1], 0.0)
        self._rest = np.minimum(self._most, self._sums)

    def first(self) -> Floats:
        """Return bounds of all guesses: [guesses]."""
        from wordpl.scoring.last_guess_kernels import Weighted, bound_by_pairs

        shown, guesses = self._shown(_REST), self._tables.packed.shape[1]
        if shown > _PAIRED:
            # A third more, as often the next weight is much smaller.
            return self._by_heaviest(np.arange(guesses), shown * 4 // 3)
        answers, added = Weighted(self._support[:shown], self._weights[:shown]), np.empty(guesses, np.float32)
        powers = np.power.outer(self._marks, np.arange(self._tables.length + 1))
        bound_by_pairs(self._tables, answers, powers, _RIVALS, added)
        return np.asarray(self._weights[0] + self._rest[shown] + added * (1.0 + _SLACK))

    @property
    def tighter(self) -> list[Callable[[Indices], Floats]]:
        """Functions that return bounds nearer to the scores, of some guesses in rising order: [guesses]."""
        answers = sorted({max(self._shown(rest), MIN_SHOWN) for rest in (_REST, _FURTHER_REST)})
        return [partial(self._by_heaviest, shown=shown) for shown in answers]

    def _shown(self, rest: float) -> int:
        """The number of answers that leave at most this share of what all others can add to the heaviest one."""
        return 1 + int(np.count_nonzero(self._rest[1:] > rest * self._rest[1]))

    def _by_heaviest(self, guesses: Indices, shown: int) -> Floats:
        """Bounds from so many answers."""
        from wordpl.scoring.last_guess_kernels import Weighted, bound_by_heaviest

        shown = min(shown, len(self._support))
        answers = Weighted(self._support[:shown], self._weights[:shown].astype(np.float32))
        # The others either count for every clue, as if the heaviest had it, or each by itself.
        alike = self._most[shown] < self._sums[shown]
        others, added = (self._weights[shown], 0.0) if alike else (0.0, self._sums[shown])
        marks, bounds = (np.float32(self._marks.keep), np.float32(self._marks.flip)), np.empty(len(guesses), np.float32)
        bound_by_heaviest(self._tables, guesses, answers, np.float32(others), marks, bounds)
        return np.asarray(added + bounds * np.float64(1.0 + _SLACK))


def clue_tables(words: WordList, rule: str) -> ClueTables:
    """Return the `ClueTables` of a word list."""
    from wordpl.scoring.last_guess_kernels import ClueTables

    return ClueTables(packed_clues(words, rule), _of_packed(words.length), words.length, words.n_clues)


@lru_cache(maxsize=4)
def _of_packed(length: int) -> NDArray[np.uint16]:
    """The code of a clue of two bits a mark, any if bits stand for no mark: [4**length]."""
    codes = sum((np.arange(4**length) >> 2 * k & 3) % 3 * 3**k for k in range(length))
    return np.asarray(codes, dtype=np.uint16)
