"""The exact Bayesian posterior over answers, given noisy clues."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import boolean, fraction, non_negative, numbers, whole_number
from wordpl.base.displays import counted, html_table
from wordpl.base.errors import ContradictionError, WordplError
from wordpl.base.sanitizing import html_text
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_family, make_channel
from wordpl.model.clues import Clue, check_rule, clue_row
from wordpl.model.entropy import Floats, entropy
from wordpl.model.words import WordList, as_words, fold_word

if TYPE_CHECKING:
    import pandas as pd

_TIE = 1e-12  # sums of logarithms that differ by less are ties: their order would be that of rounding


class Posterior:
    """P(answer given the noisy clues so far), stored as log weights whose maximum is 0.

    `words` is a word list or the name of one, `rule` is `letterwise` or `counted`, and `channel` a channel family or
    its name.

    It starts with equal probabilities, or with `prior` ([answers], non-negative, of any scale, not all zero). `update`
    does not change it but returns a new one. A probability is exactly zero only if the channel can rule an answer out,
    for example at epsilon = inf. With `right_ends` a right guess ends the game, as in Wordle. Then an update also rules
    out its guess, because the game went on.

    Raises `WordplError` for an unknown rule, a channel that is not a family or has more lies than the words have
    letters, or an invalid prior.

    >>> import wordpl
    >>> belief = Posterior(wordpl.load_words("original")).update("crate", 12.3, "..icc")
    >>> belief
    <Posterior over 2315 answers: 7.340 bits, top baste 0.0501>
    """

    def __init__(
        self,
        words: WordList | str,
        rule: str = "letterwise",
        channel: ChannelFamily | str = RandomizedResponse,
        prior: Sequence[float] | Floats | None = None,
        right_ends: bool = False,
    ) -> None:
        words = as_words(words)
        self.words, self.rule, self.channel = words, check_rule(rule), channel_family(channel, words.length)
        self.right_ends = boolean("right_ends", right_ends)
        n = len(words.answers)
        self.log_weights: Floats = np.zeros(n) if prior is None else _log_prior(numbers("prior", prior), n)
        self.log_weights.flags.writeable = False

    def update(self, guess: str, epsilon: float, clue: Clue | str | int) -> Posterior:
        """Return the posterior after the noisy `clue` to `guess` at `epsilon` (0 to inf).

        `guess` may be any word of the right length. Raises `ContradictionError` if the clue leaves no possible
        answer, and `WordplError` for a clue, an epsilon or a guess that is not valid.
        """
        channel = make_channel(self.channel, non_negative("epsilon", epsilon), self.words.length)
        row = clue_row(guess, self.words, self.rule)
        clue = Clue.parse(clue, self.words.length)
        log_weights = channel.log_likelihood(clue.code).take(row)  # a user's channel may read codes alone
        with np.errstate(over="ignore"):  # at epsilons beyond all use: -inf then, which is as good as what it was
            log_weights += self.log_weights
        updated = self._with(log_weights, "no answer fits the clue {} to {!r} and the clues before it", clue, guess)
        return updated.without(guess) if self.right_ends else updated

    def without(self, word: str) -> Posterior:
        """Return the posterior if `word` is not the answer. Raises `ContradictionError` if no answer is left."""
        at = self.words.answer_index.get(fold_word(word))
        if at is None or self.log_weights[at] == -math.inf:
            return self
        log_weights = self.log_weights.copy()
        log_weights[at] = -math.inf
        return self._with(log_weights, "only {!r} fits the clues, and it is not the answer", word)

    def _with(self, log_weights: Floats, contradiction: str, *parts: object) -> Posterior:
        """Scale the weights and return their posterior; if all are 0, raise the `contradiction`, with `parts` in it."""
        top = log_weights.max()
        if top == -math.inf:
            raise ContradictionError(contradiction.format(*parts))
        log_weights -= top
        posterior = object.__new__(Posterior)
        posterior.words, posterior.rule, posterior.channel = self.words, self.rule, self.channel
        posterior.right_ends = self.right_ends
        log_weights.flags.writeable = False
        posterior.log_weights = log_weights
        return posterior

    def truncate(self, relative_cutoff: float) -> Posterior:
        """Return the posterior without the answers less probable than `relative_cutoff` times the most probable one.

        Use it as an approximation when you choose a guess, because improbable answers take most of the time. Raises
        `WordplError` unless the cutoff is from 0 to 1.
        """
        cutoff = fraction("relative cutoff", relative_cutoff)
        floor = math.log(cutoff) if cutoff > 0 else -math.inf
        return self._with(np.where(self.log_weights >= floor, self.log_weights, -math.inf), "")

    @cached_property
    def probabilities(self) -> Floats:
        """P(answer): [answers], in the order of `words.answers`; sums to 1."""
        weights = np.exp(self.log_weights)
        weights /= weights.sum()
        weights.flags.writeable = False
        return weights

    @property
    def entropy(self) -> float:
        """Entropy of the posterior in bits."""
        return float(entropy(self.probabilities))

    def clue_probabilities(self, guess: str, epsilon: float) -> Floats:
        """Return P(noisy clue to `guess` at `epsilon`): [3**length], in order of clue code; sums to 1.

        With `right_ends` it is P(the guess is wrong and gets this clue), and the sum is P(the guess is wrong). `guess`
        may be any word of the right length. Raises `WordplError` for another length, or an epsilon out of range.
        """
        channel = make_channel(self.channel, non_negative("epsilon", epsilon), self.words.length)
        row = clue_row(guess, self.words, self.rule)
        true = np.bincount(row, self.probabilities, self.words.n_clues)
        true[-1] *= not self.right_ends
        return channel.transform(true)

    def largest_by_clue(self, guess: str) -> Floats:
        """Return the largest P(answer) among the answers that give each true clue to `guess`, 0 if there is none.

        It is [3**length], in order of clue code. With `right_ends` it is 0 for the all-correct clue, which ends a game.
        `guess` may be any word of the right length. Raises `WordplError` for another length.
        """
        largest = np.zeros(self.words.n_clues)
        np.maximum.at(largest, clue_row(guess, self.words, self.rule), self.probabilities)
        largest[-1] *= not self.right_ends
        return largest

    @property
    def top(self) -> tuple[str, float]:
        """The most probable answer (on a tie, the first of the list) and its probability."""
        best = int((self.log_weights > -_TIE).argmax())
        return self.words.answers[best], float(self.probabilities[best])

    @property
    def possible(self) -> NDArray[np.intp]:
        """Indices of the answers that are not ruled out, in rising order."""
        return np.flatnonzero(self.log_weights > -math.inf)

    def likeliest(self, count: int | None = None) -> NDArray[np.intp]:
        """Return the indices of the possible answers by falling probability, `count` (from 1) or all; ties in order."""
        possible, count = self.possible, None if count is None else whole_number("count", count)
        return possible[(self.log_weights[possible] / -_TIE).round().argsort(kind="stable")][:count]

    def __repr__(self) -> str:
        word, probability = self.top
        return f"<Posterior over {len(self.possible)} answers: {self.entropy:.3f} bits, top {word} {probability:.4f}>"

    def most_probable(self, count: int = 10) -> pd.Series[float]:
        """Return the probabilities of the `count` most probable answers that are possible, 1 or more; ties in order."""
        import pandas as pd

        best = self.likeliest(whole_number("count", count))
        return pd.Series(self.probabilities[best], [self.words.answers[i] for i in best], name="probability")

    def _repr_html_(self) -> str:
        top = self.most_probable()
        bar = '<div style="width:{:.2f}em;height:.8em;background:#4477aa"></div>'
        rows = [(html_text(str(word)), f"{p:.4f}", bar.format(12 * p / top.iloc[0])) for word, p in top.items()]
        title = f"Posterior over {counted(len(self.possible), 'answer')} of {self.words.name}: {self.entropy:.3f} bits"
        return html_table(title, ("answer", "probability", ""), rows)


def _log_prior(prior: Floats, n: int) -> Floats:
    if prior.shape != (n,) or not (np.isfinite(prior).all() and prior.min() >= 0 < prior.max()):
        expected = f"a number from 0 up for each of the {n} answers, not all zero, is expected"
        raise WordplError(f"this prior, of shape {prior.shape}, is not allowed; {expected}")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(prior) - math.log(prior.max()))
