"""Scores of guesses: how much a clue to each guess is worth, given a posterior.

Scores are exact, or with `draws` estimates from that many random answers. They are computed for all guesses at once by
transforms of the channel (see `kernels`).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import boolean, instance, non_negative, numbers, whole_number
from wordpl.base.defaults import BEST_GUESSES, RENYI_ORDER
from wordpl.base.errors import WordplError
from wordpl.model.channel import make_channel
from wordpl.model.clues import clues_in_blocks
from wordpl.model.distance_channel import Channel
from wordpl.model.entropy import Floats, p_log2_p
from wordpl.model.posterior import Posterior
from wordpl.scoring.bounds import TIE, contenders, falling, score_bounds, weights_of_guesses
from wordpl.scoring.criteria import CRITERIA, OwnCriterion, check_order, read_criterion
from wordpl.scoring.drawn_entropy import DrawnEntropy
from wordpl.scoring.last_guess import best_last_guess, symmetric_marks, top_candidates
from wordpl.scoring.noise import IDENTITY, Noise, noise_of
from wordpl.scoring.threads import run_kernel

Indices = NDArray[np.int64]

MAX_DRAWS = 10**9


def score_guesses(
    belief: Posterior,
    epsilon: float,
    criterion: str | OwnCriterion = "clue_entropy",
    draws: int | None = None,
    rng: np.random.Generator | int | None = None,
    *,
    order: float = RENYI_ORDER,
    separate_draws: bool = False,
    guesses: Sequence[int] | Indices | None = None,
) -> Floats:
    """Score each guess: how good a clue to it at `epsilon` (0 to inf) would be, if `belief` is the posterior so far.

    `criterion` is one of those below, or a function of your own that takes a belief, an epsilon and guesses (indices of
    `words.guesses`) and returns a score for each, of which more is better; `FILE.py:Name` names one in a file. `order`
    is used by `renyi` only.

    Returns a float64 array [guesses] in the order of `words.guesses`. With `guesses`, indices of `words.guesses`, only
    these are scored, and the result is in their order.

    In these criteria, C is the noisy clue and A the answer. `CRITERIA` says for each in which unit it is and whether
    more is better.

    - `clue_entropy`: H(C) in bits. Under a symmetric channel (`Channel.symmetric`) it ranks guesses in the same order
      as `information_gain`. Under any other channel it does not, and warns.
    - `information_gain`: H(C) - H(C|A) = H(A) - H(A|C) in bits, never negative.
    - `expected_top`: E[max P(A|C)], the probability of being right if this clue is the last one.
    - `renyi`: H_order(A) - H_order(A|C) in bits, with Arimoto's conditional entropy (1977), for orders 0.1 to 20 and
      inf. Order 1 is `information_gain`; order inf is log2 of the factor by which the top posterior is expected to
      grow.
    - `expected_remaining`: E[1 / sum of P(A|C)**2], the effective number of answers left; fewer are better. Without
      noise and from a uniform posterior it is the expected size of the part. From another posterior a clearer clue can
      raise it, because an unlikely clue may leave many answers that are equally likely.
    - `largest_part`, `parts`: size of the largest part (smaller is better) and number of parts, when the answers of
      positive probability are grouped by true clue. `epsilon` plays no role.

    Scores are right to 1e-12 bits, and those of `renyi` to 1e-14 / |order - 1| where that is more. Scores that are
    nearer to each other than 1e-12 are ties; below epsilon 3e-4 or so most guesses tie.

    With `draws`, a whole number from 1 to 10**9, scores are estimated from that many answers, which are drawn from the
    posterior with `rng` (a Generator, or a seed from 0 up). All guesses share the draws. With `separate_draws`, for
    `clue_entropy` only, each guess has its own draws, of which it shares 1 in 32 with another on average. Estimates of
    clue probabilities are unbiased, but the entropy computed from them is too low. For CRATE and a uniform posterior it
    is too low by 0.08 bits with 200 draws and 0.02 with 1,000 at epsilon 12.3, and by 0.36 and 0.09 at epsilon 25; for
    other good guesses by nearly as much (measured by `python -m benchmarks.plugin_bias`). The other criteria are those
    of the answers drawn: with 2,000 draws the expected top of CRATE at epsilon 12 is 0.071, which is exactly 0.029.

    If the right guess ends the game (`belief.right_ends`), "the guess is right" is one more value of C. So
    `expected_top` is the probability of a win with this guess or the next. `clue_entropy` then warns, too, unless there
    is no noise.

    Raises `WordplError` for an unknown criterion, an epsilon, order, number of draws or index out of range, and
    `separate_draws` without draws, with another criterion, or with noise in a game that the right guess ends.

    >>> import wordpl
    >>> words = wordpl.load_words()
    >>> scores = wordpl.score_guesses(wordpl.Posterior(words), epsilon=12.3)
    >>> scores.shape
    (12972,)
    """
    request = _Request(belief, epsilon, criterion, draws, rng, order, separate_draws)
    if criterion == "clue_entropy" and request.uneven:
        warnings.warn(
            f"{request.uneven}, so clue entropy does not rank guesses by information; use information_gain",
            stacklevel=2,
        )
    return request.score(chosen_guesses(guesses, len(belief.words.guesses)))


def best_guesses(
    belief: Posterior,
    epsilon: float,
    criterion: str | OwnCriterion = "clue_entropy",
    count: int = BEST_GUESSES,
    draws: int | None = None,
    rng: np.random.Generator | int | None = None,
    *,
    order: float = RENYI_ORDER,
    separate_draws: bool = False,
    guesses: Sequence[int] | Indices | None = None,
) -> list[tuple[str, float]]:
    """Return the `count` best guesses (1 or more) with their scores, the best first. Ties are in the order of the list.

    `belief`, `epsilon`, `criterion`, `draws`, `rng`, `order`, `separate_draws` and `guesses` are as in `score_guesses`,
    and so are the scores. For `clue_entropy`, `information_gain` and `renyi` of order 1, only guesses that can be among
    the best are scored, which is several times faster.

    Raises `WordplError` as `score_guesses` does, and for `clue_entropy` under a channel that is not symmetric.

    >>> import wordpl
    >>> belief = wordpl.Posterior(wordpl.load_words()).update("crate", 12.3, "..icc")
    >>> [word for word, _ in wordpl.best_guesses(belief, 12.3, count=3)]
    ['saute', 'taste', 'tasse']
    """
    count = whole_number("count", count)
    request = _Request(belief, epsilon, criterion, draws, rng, order, separate_draws)
    found, ranks = request.contenders(guesses, count)
    found = found[falling(ranks, count)]
    return [(belief.words.guesses[at], float(score)) for at, score in zip(found, request.score(found), strict=True)]


def best_guess(
    belief: Posterior,
    epsilon: float,
    criterion: str | OwnCriterion = "clue_entropy",
    draws: int | None = None,
    rng: np.random.Generator | int | None = None,
    *,
    order: float = RENYI_ORDER,
    separate_draws: bool = False,
    guesses: Sequence[int] | Indices | None = None,
) -> str:
    """Return the guess with the best score (on a tie, the first of the list).

    `belief`, `epsilon`, `criterion`, `draws`, `rng`, `order` and `separate_draws` are as in `score_guesses`.

    Raises `WordplError` as `best_guesses` does, and if `guesses` is empty.

    >>> import wordpl
    >>> belief = wordpl.Posterior(wordpl.load_words()).update("crate", 12.3, "..icc")
    >>> wordpl.best_guess(belief, 12.3, "expected_top")
    'whups'
    """
    request = _Request(belief, epsilon, criterion, draws, rng, order, separate_draws)
    if criterion == "expected_top" and draws is None and guesses is None and not belief.right_ends:
        last = best_last_guess(belief.probabilities, request.channel, belief.words, belief.rule)
        if last is not None:
            return belief.words.guesses[last.guess]
    found, ranks = request.contenders(guesses, 1)
    if not len(found):
        raise WordplError("there are no guesses to choose from")
    return belief.words.guesses[int(found[falling(ranks, 1)[0]])]


def tied_guesses(
    belief: Posterior,
    epsilon: float,
    criterion: str | OwnCriterion = "clue_entropy",
    *,
    within: float = 1e-9,
    guesses: Sequence[int] | Indices | None = None,
) -> Indices:
    """Return the guesses whose score is within `within` (0 or more) of the best one, as indices of `words.guesses`:
    in the order of the list, or of `guesses`.

    `belief`, `epsilon`, `criterion` and `guesses` are as in `score_guesses`.

    Raises `WordplError` as `best_guesses` does, and if `guesses` is empty.

    >>> import wordpl
    >>> words = wordpl.load_words()
    >>> [words.guesses[guess] for guess in wordpl.tied_guesses(wordpl.Posterior(words), 12.3, within=0.01)]
    ['roate', 'soare']
    """
    within = non_negative("within", within)
    found, ranks = _Request(belief, epsilon, criterion).contenders(guesses, 1, within)
    if not len(found):
        raise WordplError("there are no guesses to choose from")
    return np.asarray(found[ranks >= ranks.max() - within])


class _Request:
    """A request for scores of guesses: all that does not depend on the guess."""

    def __init__(
        self,
        belief: Posterior,
        epsilon: float,
        criterion: str | OwnCriterion,
        draws: int | None = None,
        rng: np.random.Generator | int | None = None,
        order: float = RENYI_ORDER,
        separate_draws: bool = False,
    ) -> None:
        instance("belief", belief, Posterior)
        self.channel = make_channel(belief.channel, non_negative("epsilon", epsilon), belief.words.length)
        self.belief, self.epsilon, self.order = belief, epsilon, check_order(order)
        self.criterion = criterion = read_criterion(criterion)
        if draws is not None and not isinstance(criterion, str):
            raise WordplError("a criterion of your own takes no draws; leave them out")
        if criterion == "renyi" and abs(self.order - 1.0) < 1e-9:
            self.criterion = "information_gain"
        self.weights = belief.probabilities
        self.separate = boolean("separate_draws", separate_draws)
        if self.separate and (draws is None or criterion != "clue_entropy"):
            raise WordplError("separate_draws needs a number of draws and the criterion clue_entropy")
        if draws is None:
            return
        self.draws = whole_number("draws", draws, maximum=MAX_DRAWS)
        if not (rng is None or isinstance(rng, np.random.Generator)):
            rng = whole_number("rng", rng, minimum=0)
        rng = np.random.default_rng(rng)
        if not self.separate:
            self.weights = rng.multinomial(self.draws, self.weights) / self.draws
        elif belief.right_ends and self.uneven:
            raise WordplError("separate draws of noisy clues are for games that the right guess does not end")
        else:
            self.drawn = DrawnEntropy(belief, self.channel, self.draws, rng)

    @property
    def uneven(self) -> str:
        """Why the noise entropy is not the same whatever the outcome; empty if it is. Most criteria do not ask."""
        if not self.channel.symmetric:
            return f"{self.channel!r} is not symmetric"
        if self.belief.right_ends and self.channel.noise_entropy[0] > 1e-9:
            return "a right guess is told without noise"
        return ""

    def score(self, guesses: Indices) -> Floats:
        """Scores of `guesses`. Raises `WordplError` if a criterion of one's own does not give a number for each."""
        if not isinstance(self.criterion, str):
            scores, n = numbers("scores", self.criterion(self.belief, self.epsilon, guesses)), len(guesses)
            if scores.shape != guesses.shape or np.isnan(scores).any():
                raise WordplError(f"the criterion gives scores of shape {scores.shape} for {n} guesses, or NaN")
            return scores
        if self.separate:
            return self.drawn.score(guesses)
        return _Scorer(self.belief, self.channel, guesses, self.weights).score(self.criterion, self.order)

    def contenders(
        self, guesses: Sequence[int] | Indices | None, count: int, within: float = 0.0
    ) -> tuple[Indices, Floats]:
        """`bounds.contenders` of the request: guesses, in the order given, and numbers of which more is better."""
        criterion, chosen = self.criterion, chosen_guesses(guesses, len(self.belief.words.guesses))
        if not isinstance(criterion, str):
            return chosen, self.score(chosen)
        if criterion == "clue_entropy" and self.uneven:
            raise WordplError(f"{self.uneven}; rank by information_gain, not clue_entropy")
        sign = 1.0 if CRITERIA[criterion].larger_is_better else -1.0
        bounds = None
        if self.separate:
            bounds = self.drawn.bounds(chosen)
        elif np.count_nonzero(self.weights) > 1:  # to score all for a single answer is faster
            bounds = score_bounds(self.belief, self.weights, self.channel, criterion, chosen)
        return contenders(bounds, chosen, lambda some: sign * self.score(some), count, within)


def chosen_guesses(guesses: Sequence[int] | Indices | None, n: int) -> Indices:
    """Indices of the guesses to score; checked, for the kernels would read past the end of the matrix."""
    if guesses is None:
        return np.arange(n)
    try:
        chosen = np.asarray(guesses)
    except ValueError:  # lists of different lengths
        chosen = np.empty((0, 0))
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
        raise WordplError("guesses must be a list of indices of words.guesses")
    if chosen.size and not (chosen.min() >= 0 and chosen.max() < n):
        raise WordplError(f"guesses has indices that are not in 0..{n - 1}")
    return chosen.astype(np.int64, copy=False)


class _Scorer:
    """One request: the kernels' arguments, and the work split over the threads at hand."""

    def __init__(self, belief: Posterior, channel: Channel, guesses: Indices, weights: Floats) -> None:
        from wordpl.scoring import kernels  # numba takes longer to load than all else together

        self.belief, self.kernels, words = belief, kernels, belief.words
        self.channel, self.guesses, self.codes = channel, guesses, words.n_clues
        self.right_ends = belief.right_ends
        # P(the guess is right) where that ends the game. The kernels leave it out: it is one more outcome.
        self.wins = np.zeros(len(guesses))
        if belief.right_ends:
            self.wins = weights_of_guesses(words, weights)[guesses]
        self.of_answers, self.support = weights, np.flatnonzero(weights)
        self.weights = weights[self.support]

    def score(self, criterion: str, order: float) -> Floats:
        scores: Floats = self.renyi(order) if criterion == "renyi" else getattr(self, criterion)()
        return scores

    def _run(self, kernel: Callable[..., None], *arguments: Any) -> Floats:
        """Run `kernel(clues, guesses, support, *arguments, out)` over all guesses."""
        blocks = []
        for clues, guesses in clues_in_blocks(self.belief.words, self.belief.rule, self.guesses):
            work = len(guesses) * len(self.support)
            blocks.append(run_kernel(kernel, clues, guesses, self.support, *arguments, work=work))
        return np.concatenate(blocks)

    def _measure(self, kind: int, weights: Floats, *noises: Noise, **measure: Any) -> Floats:
        """Run the kernel of all criteria. `noises` are the channel and that of the squares, if it differs."""
        noises = noises[0], noises[-1]
        return self._run(self.kernels.score, weights, noises, self.codes, self.kernels.Measure(kind, **measure))

    def _noise(self, power: float = 1.0) -> Any:
        return noise_of(self.channel, power, self.right_ends)

    def clue_entropy(self) -> Floats:
        bits = self._measure(self.kernels.ENTROPY, self.weights, self._noise()[0]) - p_log2_p(self.wins)
        return self._told(bits) if self.channel.exact else bits

    def information_gain(self) -> Floats:
        noise_entropy = self.channel.noise_entropy
        if self.channel.symmetric:
            noise = noise_entropy[0] * (1.0 - self.wins)
        else:
            if self.right_ends:
                noise_entropy = np.append(noise_entropy[:-1], 0.0)
            noise = self._run(self.kernels.score_mean, self.weights, noise_entropy)
        return self._told(self.clue_entropy() - noise)

    def _told(self, bits: Floats) -> Floats:
        """Return `bits` but for rounding: never below 0, and 0 where all answers have the same true clue."""
        bits = np.maximum(bits, 0.0)
        near = np.flatnonzero((bits > 0.0) & (bits < TIE))
        if len(near):
            parts = _Scorer(self.belief, self.channel, self.guesses[near], self.of_answers).parts()
            bits[near[parts == 1.0]] = 0.0
        return np.asarray(bits)

    def expected_top(self) -> Floats:
        marks = symmetric_marks(self.channel)
        if marks is not None and not self.right_ends:
            # Answers that cannot come out on top change nothing. (If a right guess ends the game, they can.)
            candidates = np.sort(top_candidates(self.weights, marks.odds(self.channel.length)))
            self.support, self.weights = self.support[candidates], self.weights[candidates]
        return self._measure(self.kernels.TOP, self.weights, self._noise()[0]) + self.wins

    def renyi(self, order: float) -> Floats:
        top = self.weights.max()
        if order == math.inf:
            return self._told(np.log2(self.expected_top() / top))
        powers = (self.weights / top) ** order
        noise, factor = self._noise(order)
        sums = self._measure(self.kernels.POWER, powers, noise, number=1.0 / order) * factor + self.wins / top
        gain = order / (order - 1.0) * (np.log2(sums) - math.log2(powers.sum()) / order)
        return self._told(gain)

    def expected_remaining(self) -> Floats:
        noise, (squared, factor) = self._noise()[0], self._noise(2.0)
        squares = self.weights**2 * factor**2
        return self._measure(self.kernels.EFFECTIVE, self.weights, noise, squared, values=squares) + self.wins

    def largest_part(self) -> Floats:
        return self._of_true_clues(self.kernels.LARGEST)

    def parts(self) -> Floats:
        return self._of_true_clues(self.kernels.PARTS)

    def _of_true_clues(self, kind: int) -> Floats:
        if self.of_answers is self.belief.probabilities:  # some of possible answers may be too small for a float
            self.support = self.belief.possible
        exact = self._noise()[0]._replace(kind=IDENTITY, right_ends=False)
        return self._measure(kind, np.ones(len(self.support)), exact)
