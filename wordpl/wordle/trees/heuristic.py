"""Trees built guess by guess, each the best by a published heuristic."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import boolean, instance, non_negative, set_fields, several
from wordpl.base.errors import MissingExtraError, WordplError, nearest
from wordpl.model.clues import Clue, clue_matrix
from wordpl.model.entropy import Floats, entropy
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList, as_words, letters_of
from wordpl.scoring.guess_scores import Indices, score_guesses, tied_guesses
from wordpl.wordle.rules import legal_after
from wordpl.wordle.trees.names import HEURISTICS, TIE_BREAK_GROUPS, TIE_BREAKS
from wordpl.wordle.trees.tree import Node, Tree, check_mode

_TIE = 1e-9


@dataclass(frozen=True)
class Heuristic:
    """A rule that chooses a guess: the best by `name`. Ties are broken by `tie_breaks` in turn, then by the alphabet.

    `name` is one of `HEURISTICS`. Raises `WordplError` for an unknown heuristic or tie-break, for a `priority` with a
    heuristic that minimizes, and for one that is negative or infinite.
    """

    name: str = "entropy"
    tie_breaks: tuple[str, ...] = ("answer",)
    answers_only: bool = False
    """Guess only answers that are still possible."""
    hard: bool = False
    """Keep to official hard mode."""
    priority: Mapping[str, float] | None = None
    """Factor on the score of each word, finite, from 0 up; 0 for missing words. Only for heuristics that maximize."""

    def __post_init__(self) -> None:
        if self.name not in HEURISTICS:
            raise WordplError(f"unknown heuristic {self.name!r}: {nearest(self.name, HEURISTICS)}")
        set_fields(self, tie_breaks=tuple(several("tie_breaks", self.tie_breaks)))
        for tie_break in self.tie_breaks:
            if tie_break not in TIE_BREAKS:
                raise WordplError(f"unknown tie-break {tie_break!r}: {nearest(tie_break, TIE_BREAKS)}")
        set_fields(self, **{name: boolean(name, getattr(self, name)) for name in ("answers_only", "hard")})
        for word, factor in (self.priority or {}).items():
            if math.isinf(non_negative(f"priority of {word}", factor)):
                raise WordplError(f"priority of {word} is infinite; a finite number from 0 up is expected")
        if self.priority is not None and HEURISTICS[self.name].sign < 0:
            raise WordplError(f"priorities are for heuristics that maximize a score; {self.name} minimizes")


def word_priority(words: WordList | str) -> Mapping[str, float]:
    """Return the Zipf frequency in English of each guess of `words`: 0 for an unknown word, up to about 7 (base-10 log
    per 10**9).

    It says how likely a word is to be chosen as an answer. It comes from the package `wordfreq` (extra `priority`).
    Raises `MissingExtraError` if that is not installed.
    """
    words = as_words(words)
    try:
        from wordfreq import zipf_frequency
    except ImportError:
        raise MissingExtraError("word priorities need", "priority") from None
    return {word: zipf_frequency(word, "en") for word in words.guesses}


def build_tree(
    words: WordList | str, heuristic: Heuristic | str, first: str | None = None, rule: str = "counted"
) -> Tree:
    """Build the decision tree of `heuristic`, a `Heuristic` or the name of one. `words` is a word list or the name of
    one; `rule` is `letterwise` or `counted`.

    `first` is the first guess; by default the heuristic chooses it, too.

    Raises `WordplError` if `first` is not in the word list, if `rule` is unknown, or for hard mode under the
    letterwise rule.
    """
    words = as_words(words)
    heuristic = Heuristic(heuristic) if isinstance(heuristic, str) else instance("heuristic", heuristic, Heuristic)
    if first is not None and first not in words.guess_index:
        raise WordplError(f"first word {first!r} is not in the word list {words.name}")
    builder = _Builder(words, heuristic, check_mode(rule, heuristic.hard))
    every = np.arange(len(words.answers)), np.arange(len(words.guesses))
    return Tree(builder.node(*every, None if first is None else words.guess_index[first]), rule)


class _Builder:
    def __init__(self, words: WordList, heuristic: Heuristic, rule: str) -> None:
        self.words, self.heuristic, self.rule = words, heuristic, rule
        self.clues = clue_matrix(words, rule)
        self.letters = letters_of(words.guesses)
        self.won = words.n_clues - 1
        priority = heuristic.priority
        self.priority = None if priority is None else np.array([priority.get(word, 0.0) for word in words.guesses])

    def node(self, left: Indices, allowed: Indices, chosen: int | None = None) -> Node:
        guess = self.best(left, allowed) if chosen is None else chosen
        codes = self.clues[guess, left]
        children = {}
        for code in np.unique(codes):
            if code != self.won:
                part = left[codes == code]
                after = allowed
                if self.heuristic.hard:
                    marks = Clue(int(code), self.words.length).marks
                    after = allowed[legal_after(self.letters[allowed], self.words.guesses[guess], marks)]
                children[int(code)] = self.node(part, after)
        return Node(self.words.guesses[guess], bool((codes == self.won).any()), children)

    def best(self, left: Indices, allowed: Indices) -> int:
        """The guess for these answers, among these guesses."""
        members = self.words.answers_as_guesses[left]
        if len(left) == 1 or self.heuristic.name == "greedy":
            return int(members[0 if self.priority is None else self.priority[members].argmax()])
        candidates = members if self.heuristic.answers_only or self.heuristic.name == "letters" else allowed
        criterion = HEURISTICS[self.heuristic.name].criterion
        prior = np.zeros(len(self.words.answers))
        prior[left] = 1.0
        belief = Posterior(self.words, self.rule, prior=prior)
        if criterion and self.priority is None:
            ties = tied_guesses(belief, math.inf, criterion, within=_TIE, guesses=candidates)
        else:
            scores = self.scores(belief, left, candidates)
            scores = scores if self.priority is None else scores * self.priority[candidates]
            ties = candidates[scores >= scores.max() - _TIE]
        for tie_break in self.heuristic.tie_breaks:
            if len(ties) > 1:
                keys = self.tie_keys(tie_break, left, ties)
                ties = ties[keys >= keys.max() - _TIE]
        if len(np.unique(self.clues[ties[0], left])) == 1:
            return int(members[0])  # nothing allowed splits these, so try one of them
        return int(ties[0])

    def scores(self, belief: Posterior, left: Indices, candidates: Indices) -> Floats:
        """Scores of candidates by the rule of the heuristic, of which more is better: [candidates]."""
        if self.heuristic.name == "letters":
            return self.letter_scores[candidates]
        if self.heuristic.name == "overlap":
            marks = self.marked[self.clues[candidates][:, left]]
            return entropy(np.stack([(marks == n).mean(axis=1) for n in range(self.words.length + 1)]), axis=0)
        criterion, sign, _ = HEURISTICS[self.heuristic.name]
        return sign * score_guesses(belief, math.inf, criterion, guesses=candidates)

    @cached_property
    def marked(self) -> NDArray[np.intp]:
        """Number of letters that each clue marks as in the word: [codes]."""
        codes = np.arange(self.words.n_clues)[:, np.newaxis]
        return np.asarray(np.count_nonzero(codes // 3 ** np.arange(self.words.length) % 3, axis=1))

    @cached_property
    def letter_scores(self) -> Floats:
        """The share of the list's words that have a letter, summed over the different letters of each guess; then, as
        a small part, the share that have it in the same place: [guesses]."""
        has, places = np.zeros(len(self.letters)), np.zeros(len(self.letters))
        for letter in np.unique(self.letters):
            at = self.letters == letter
            has += at.any(axis=1) * at.any(axis=1).mean()
            places += (at * at.mean(axis=0)).sum(axis=1)
        return has + 1e-6 * places

    def tie_keys(self, tie_break: str, left: Indices, ties: Indices) -> Floats:
        """A key for each of the tied guesses, of which more is better: [ties]."""
        members = self.words.answers_as_guesses[left]
        if tie_break == "all_absent":
            return np.asarray(-(self.clues[ties][:, left] == 0).sum(axis=1), dtype=np.float64)
        if tie_break == "answer":
            return np.isin(ties, members).astype(np.float64)
        answers = self.letters[members]
        if tie_break == "positional":  # how many letters of the answers left stand where the guess has the same
            return np.array([(answers == self.letters[guess]).sum() for guess in ties], dtype=np.float64)
        # Sum over the different letters of a guess of the entropy of whether the answer has it.
        total = np.zeros(len(ties))
        for i, guess in enumerate(ties):
            for letter in np.unique(self.letters[guess]):
                p = (answers == letter).any(axis=1).mean()
                total[i] += entropy(np.array([p, 1.0 - p]))
        return total


def tie_breaks(text: Sequence[str]) -> tuple[str, ...]:
    """Return the tie-breaks that `text` names; `published` stands for all of `TIE_BREAKS`, `none` for nothing."""
    return tuple(name for group in several("tie-breaks", text) for name in TIE_BREAK_GROUPS.get(group, (group,)))
