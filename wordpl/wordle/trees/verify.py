"""The tree verifier: replays every answer. Shares nothing with the builders but the clue function."""

from __future__ import annotations

from collections import Counter

from wordpl.base.checks import boolean, instance
from wordpl.base.errors import WordplError
from wordpl.model.clues import clue
from wordpl.model.words import WordList, as_words
from wordpl.wordle.trees.tree import Tree


def verify(tree: Tree, words: WordList | str, *, hard: bool = False) -> dict[int, int]:
    """Replay every answer of `words` in `tree` and return how many are found on each turn, as {turn: answers}.

    Raises `WordplError` that names the first fault: an answer that is not found, a guess that is not in the list, a
    path that no answer takes or, with `hard`, a guess that hard mode forbids.
    """
    tree, words = instance("tree", tree, Tree), as_words(words)
    hard = boolean("hard", hard)
    if tree.length != words.length:
        raise WordplError(f"the tree is for words of {tree.length} letters, {words.name} has {words.length}")
    guesses = set(words.guesses)
    turns = Counter(_replay(tree, answer, guesses, hard) for answer in words.answers)
    if tree.answers != len(words.answers):
        raise WordplError(
            f"the tree has {tree.answers} paths, {words.name} has {len(words.answers)} answers: it was not made for it"
        )
    return dict(sorted(turns.items()))


def _replay(tree: Tree, answer: str, guesses: set[str], hard: bool) -> int:
    """The turn on which the tree finds an answer."""
    node = tree.root
    seen: list[tuple[str, tuple[int, ...]]] = []
    while True:
        if node.guess not in guesses:
            raise WordplError(f"the tree guesses {node.guess!r} for answer {answer!r}, which is not in the list")
        if hard:
            for guess, code in seen:
                _check_hard(node.guess, guess, code, answer)
        reply = clue(node.guess, answer, tree.rule)
        seen.append((node.guess, reply.marks))
        if node.guess == answer:
            if not node.wins:
                raise WordplError(f"the tree has no path to the answer {answer!r}")
            return len(seen)
        if reply.code not in node.children:
            raise WordplError(f"the tree misses the answer {answer!r}: after {node.guess} {reply} it has no guess")
        node = node.children[reply.code]


def _check_hard(guess: str, earlier: str, marks: tuple[int, ...], answer: str) -> None:
    """Official hard mode: correct letters stay, and marked letters are used as often as they were marked."""
    for k, mark in enumerate(marks):
        fits = mark != 2 or guess[k] == earlier[k]
        count = sum(1 for j, m in enumerate(marks) if m and earlier[j] == earlier[k])
        if not fits or (mark and guess.count(earlier[k]) < count):
            raise WordplError(
                f"the tree guesses {guess!r} for answer {answer!r}, which hard mode forbids after {earlier!r}"
            )
