"""The contest's three own strategies: an exact posterior, and three ways to pick the next guess.

All three stop and propose the most probable answer once its probability exceeds `certainty`.

Source: the WORDPL contest repository, by Damien Desfontaines (TedTed).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from wordpl import (
    Ask,
    Clue,
    Epsilon,
    History,
    Move,
    PlayerMaker,
    Posterior,
    Setting,
    Strategy,
    WordList,
    checks,
    epsilon_at,
    schedule,
)

from .common import MovePlayer, check_jitter, proposal


@dataclass(frozen=True, repr=False)
class _Bayesian(Strategy):
    """Keeps the exact posterior, and proposes the most probable answer once it is certain enough.

    - `epsilon`: Budget of each clue, above 0; inf is no noise. A tuple has one for each clue, the last for all others.
    - `certainty`: Probability above which the most probable answer is proposed, 0 to 1.
    """

    epsilon: Epsilon
    certainty: float
    jitter: ClassVar = 0.1
    """Each epsilon is multiplied by a random factor that differs from 1 by at most this."""

    def __post_init__(self) -> None:
        checks.set_fields(self, certainty=checks.fraction("certainty", self.certainty), epsilon=schedule(self.epsilon))

    def check(self, setting: Setting) -> None:
        check_jitter(self, self.jitter, setting)

    def players(self, setting: Setting) -> PlayerMaker:
        return lambda seed: MovePlayer(partial(self._move, setting, np.random.default_rng(seed)))

    def _move(self, setting: Setting, rng: np.random.Generator, history: History) -> Move:
        belief = setting.belief(history)
        if history and belief.top[1] > min(self.certainty, 1 - 1e-12):
            return proposal(belief)
        guess, epsilon = self._guess(setting, rng, history, belief), epsilon_at(self.epsilon, len(history))
        return Ask(guess, epsilon * rng.uniform(1.0 - self.jitter, 1.0 + self.jitter) if self.jitter else epsilon)

    @abstractmethod
    def _guess(self, setting: Setting, rng: np.random.Generator, history: History, belief: Posterior) -> str:
        """Return the word to ask next."""


class BayesianRandom(_Bayesian):
    """Asks random words, each at the given epsilon, until one answer is more probable than `certainty`."""

    jitter = 0.0

    def _guess(self, setting: Setting, rng: np.random.Generator, history: History, belief: Posterior) -> str:
        return setting.words.guesses[rng.integers(len(setting.words.guesses))]


class BayesianGreedy(_Bayesian):
    """Asks random answers, probable ones more often and none twice, until one is more probable than `certainty`.

    Each epsilon is multiplied by a random factor from 0.9 to 1.1, as published.
    """

    def _guess(self, setting: Setting, rng: np.random.Generator, history: History, belief: Posterior) -> str:
        weights, index = belief.probabilities.copy(), setting.words.answer_index
        weights[[index[turn.guess] for turn in history if turn.guess in index]] = 0.0
        if weights.sum() == 0.0:
            weights = belief.probabilities
        return setting.words.answers[rng.choice(len(weights), p=weights / weights.sum())]


class BayesianWordle(BayesianGreedy):
    """Asks what an ordinary Wordle solver suggests, as if clues were true, until one answer exceeds `certainty`.

    The solver is the letter-frequency solver that the contest took from Josh Stephenson's Wordle-Solver. It guesses the
    remaining answer whose letters are the most common in their places. With 3 to 49 answers left, it takes the guess
    with the most of their untried letters. When the clues contradict each other, it continues as `BayesianGreedy`. Each
    epsilon is multiplied by a random factor from 0.9 to 1.1, as published. Unlike the published code, it remembers a
    repeated letter that is present at its own place.
    """

    def _guess(self, setting: Setting, rng: np.random.Generator, history: History, belief: Posterior) -> str:
        words, letters = setting.words, letter_table(setting.words)
        fits = np.ones(len(words.answers), dtype=bool)
        for turn in history:
            fits &= letters.fitting(turn.guess, Clue(turn.clue, words.length).marks)
        fits[[words.answer_index[turn.guess] for turn in history if turn.guess in words.answer_index]] = False
        left = np.flatnonzero(fits)
        if not len(left):
            return super()._guess(setting, rng, history, belief)
        if 2 < len(left) < 50:
            splitting = letters.splitting(left, {letter for turn in history for letter in turn.guess})
            if splitting is not None:
                return splitting
        return words.answers[int(left[letters.guess_scores[words.answers_as_guesses[left]].argmax()])]


class LetterTable:
    """Which letters stand where in the words of a list, and how common that is among the answers."""

    def __init__(self, words: WordList) -> None:
        self.words = words
        self.alphabet = sorted(set("".join(words.guesses)))
        index = {letter: i for i, letter in enumerate(self.alphabet)}
        self._guesses = np.array([[index[letter] for letter in word] for word in words.guesses])
        self._answers = self._guesses[words.answers_as_guesses]
        self._index = index

    @cached_property
    def _guess_has(self) -> NDArray[np.bool_]:
        """[guesses, alphabet]."""
        return np.asarray((self._guesses[:, :, np.newaxis] == np.arange(len(self.alphabet))).any(axis=1))

    @cached_property
    def guess_scores(self) -> NDArray[np.int64]:
        """For each guess, how many answers have its letters in their places, a repeated one counted once."""
        places = np.array(
            [np.bincount(self._answers[:, k], minlength=len(self.alphabet)) for k in range(self.words.length)]
        )
        common = np.zeros((len(self._guesses), len(self.alphabet)), dtype=np.int64)
        rows = np.arange(len(self._guesses))
        for k in range(self.words.length):
            letters = self._guesses[:, k]
            common[rows, letters] = np.maximum(common[rows, letters], places[k, letters])
        return np.asarray(common.sum(axis=1))

    def fitting(self, guess: str, marks: tuple[int, ...]) -> NDArray[np.bool_]:
        """Which answers fit a clue whose letters are judged alone, a mark proving its letter present: [answers]."""
        fits = np.ones(len(self._answers), dtype=bool)
        shown = {letter for letter, mark in zip(guess, marks, strict=True) if mark}
        for k, (letter, mark) in enumerate(zip(guess, marks, strict=True)):
            here = self._answers[:, k] == self._index[letter]
            has = (self._answers == self._index[letter]).any(axis=1)
            if mark == 2:
                fits &= here
            elif mark == 1:
                fits &= has & ~here
            elif letter not in shown:
                fits &= ~has
        return fits

    def splitting(self, left: NDArray[np.intp], tried: set[str]) -> str | None:
        """The guess whose untried letters are commonest among the answers left; None if no letter is untried."""
        counts = self._guess_has[self.words.answers_as_guesses[left]].sum(axis=0)
        counts[[self._index[letter] for letter in tried]] = 0
        if not counts.any():
            return None
        held = self._guess_has @ counts
        best = np.flatnonzero(held == held.max())
        return self.words.guesses[int(best[self.guess_scores[best].argmax()])]


letter_table = lru_cache(maxsize=4)(LetterTable)
"""The letter table of a list, made once."""
