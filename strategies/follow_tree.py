"""FollowTree: an ordinary Wordle player with a decision tree.

Source: any tree; the optimal one is Alex Selby's finding (SALET, 7,920 guesses for 2,315 answers).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

from wordpl import (
    Ask,
    Epsilon,
    History,
    HistoryStrategy,
    Move,
    Plan,
    Setting,
    WordplError,
    checks,
    epsilon_at,
    schedule,
)
from wordpl.wordle import Tree, load_tree, optimal_tree, verify

from .common import file_digest, known_word, proposal, word


@dataclass(frozen=True, repr=False)
class FollowTree(HistoryStrategy):
    """Follows a decision tree of ordinary Wordle until a clue is all correct, or the tree has no entry for a clue.

    At epsilon = inf the rule of the game must be that of the tree, and the numbers of guesses are those of the tree. At
    a finite epsilon the strategy believes noisy clues, and proposes the most probable answer.

    - `file`: Tree file to play (`wordpl tree build --out` writes one). Without it, the optimal tree for `first_guess`,
      made under the rule of the game, is played.
    - `first_guess`: First guess of the optimal tree, a word; None takes the best one, which takes a minute to find.
    - `epsilon`: Budget of each clue, above 0; inf is no noise. A tuple has one for each clue, the last for all others.
    """

    file: str | None = None
    first_guess: str | None = "salet"
    epsilon: Epsilon = math.inf

    def __post_init__(self) -> None:
        if not isinstance(self.file, str | None):
            raise WordplError(f"file {self.file!r} is not the path of a tree; write FollowTree(epsilon={self.file!r})")
        word("first_guess", self.first_guess, optional=True)
        checks.set_fields(self, epsilon=schedule(self.epsilon))

    @property
    def content(self) -> str:
        """A hash of the file, whose content decides the moves."""
        return "" if self.file is None else file_digest(self.file, "tree")

    def check(self, setting: Setting) -> None:
        tree = self._tree(setting)
        if self.noiseless and tree.rule != setting.rule:
            raise WordplError(f"the tree was made under rule {tree.rule}; the game has {setting.rule}")
        verify(tree, setting.words)

    def exported(self, setting: Setting) -> Plan:
        moves: dict[tuple[int, ...], tuple[str, float | None]] = {}
        for path in self._tree(setting).paths():
            for k, (guess, _) in enumerate(path):
                moves[tuple(code for _, code in path[:k])] = guess, epsilon_at(self.epsilon, k)
        return Plan(moves=moves)

    def decide(self, setting: Setting, history: History) -> Move:
        path = tuple((turn.guess, turn.clue) for turn in history)
        won = bool(path) and path[-1][1] == setting.words.n_clues - 1
        guess = None if won else self._tree(setting).next_guess(path)
        if guess is None:
            return proposal(setting.belief(history))
        return Ask(guess, epsilon_at(self.epsilon, len(history)))

    def _tree(self, setting: Setting) -> Tree:
        if self.file is not None:
            return _load(self.file, file_digest(self.file, "tree"))
        return optimal_tree(setting.words, known_word(self, "first_guess", setting), setting.rule)


@lru_cache(maxsize=4)
def _load(file: str, digest: str) -> Tree:
    return load_tree(file)
