"""NGuess: an ordinary Wordle player that does not know of the noise.

Source: the WORDPL contest repository, by marcpare, there with the optimal SALET tree.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wordpl import (
    RULES,
    ContradictionError,
    Epsilon,
    History,
    Plan,
    PlayerMaker,
    Posterior,
    Round,
    Setting,
    WordList,
    checks,
    clue_row,
    epsilon_at,
    schedule,
    tied_guesses,
)
from wordpl.wordle import optimal_tree

from .common import ALL_BUT_CERTAIN, AskThenPropose, Rng, known_word, one_of, word


@dataclass(frozen=True, repr=False)
class NGuess(AskThenPropose):
    """Follows a decision tree of ordinary Wordle for `n_guesses` asks, then proposes the most probable answer.

    It believes each noisy clue and follows the tree. The proposal is the answer with the fewest contradicted marks,
    each weighted by its budget; this is the most probable answer. It comes sooner if its probability is 1 in double
    precision. Clues that fit each other are more likely to be true, so this strategy does well if it is enough to win
    one game in twenty.

    - `n_guesses`: Number of clues, 1 to 1,000.
    - `epsilon`: Budget of each clue, above 0; inf is no noise. A tuple has one for each clue.
    - `first_guess`: First word to ask; None chooses it as the tree does.
    - `fallback`: Word to ask where the tree has no entry.
    - `tree`: "optimal" is the tree with the smallest total for `first_guess`. "entropy" always guesses the word whose
      noiseless clue has the largest entropy over the answers left, and on a tie one of these answers.
    - `tree_rule`: Repeat rule under which the tree is made, whatever the rule of the game: "counted", as in ordinary
      Wordle, or "letterwise".
    """

    n_guesses: int
    epsilon: Epsilon
    first_guess: str | None = "salet"
    fallback: str = "crust"
    tree: str = "optimal"
    tree_rule: str = "counted"

    def __post_init__(self) -> None:
        checks.set_fields(self, n_guesses=checks.whole_number("n_guesses", self.n_guesses))
        word("first_guess", self.first_guess, optional=True)
        word("fallback", self.fallback)
        one_of("tree", self.tree, ("optimal", "entropy"))
        one_of("tree_rule", self.tree_rule, RULES)
        checks.set_fields(self, epsilon=schedule(self.epsilon, self.n_guesses))

    def check(self, setting: Setting) -> None:
        super().check(setting)
        known_word(self, "fallback", setting)

    def players(self, setting: Setting) -> PlayerMaker:
        self._tree_guess(setting, ())  # finds the tree, or loads the kernels, before a game's clock runs
        return super().players(setting)

    @property
    def asks(self) -> int:
        return self.n_guesses

    def exported(self, setting: Setting) -> Plan:
        fallback = self._fallback(setting)
        rounds = tuple(Round("word", epsilon_at(self.epsilon, k), word=fallback) for k in range(self.n_guesses))
        moves = dict(self._moves(setting, (), np.arange(len(setting.words.answers))))
        return Plan(rounds, moves, certainty=ALL_BUT_CERTAIN)

    def _moves(
        self, setting: Setting, path: tuple[tuple[str, int], ...], left: NDArray[np.intp]
    ) -> Iterator[tuple[tuple[int, ...], tuple[str, float]]]:
        """The moves of the tree down to the last ask, by clue path; `left` fit the clues so far."""
        guess = self._tree_guess(setting, path) if len(path) < self.n_guesses else None
        if guess is None:
            return
        yield tuple(code for _, code in path), (guess, epsilon_at(self.epsilon, len(path)))
        codes = clue_row(guess, setting.words, self.tree_rule)[left]
        for code in np.unique(codes).tolist():
            yield from self._moves(setting, (*path, (guess, code)), left[codes == code])

    def choose(self, setting: Setting, history: History, belief: Posterior, rng: Rng) -> str:
        guess = self._tree_guess(setting, tuple((turn.guess, turn.clue) for turn in history))
        return guess or self._fallback(setting)

    def _fallback(self, setting: Setting) -> str:
        return known_word(self, "fallback", setting) or setting.words.guesses[0]

    def _tree_guess(self, setting: Setting, path: tuple[tuple[str, int], ...]) -> str | None:
        first = known_word(self, "first_guess", setting)
        if self.tree == "optimal":
            return optimal_tree(setting.words, first, self.tree_rule).next_guess(path)
        return first if first and not path else entropy_guess(setting.words, self.tree_rule, path)


@lru_cache(maxsize=20_000)
def entropy_guess(words: WordList, rule: str, path: tuple[tuple[str, int], ...]) -> str | None:
    """The greedy-entropy guess after these noiseless clues, or None if they fit no answer or name it."""
    belief = Posterior(words, rule)
    for guess, clue in path:
        if clue == words.n_clues - 1:
            return None
        try:
            belief = belief.update(guess, math.inf, clue)
        except ContradictionError:
            return None
    left = belief.possible
    if len(left) <= 2:
        return words.answers[int(left[0])]
    ties = tied_guesses(belief, math.inf)
    ties_left = np.intersect1d(ties, words.answers_as_guesses[left])
    return words.guesses[int((ties_left if len(ties_left) else ties)[0])]
