"""The tree verifier: replays every answer. Shares nothing with the builders but the clue function.

Hard mode is that of a player's game, word by word.
"""

import math
from collections import Counter

from wordpl.base.checks import boolean, instance
from wordpl.base.errors import WordplError
from wordpl.model.clues import clue
from wordpl.model.words import WordList, as_words
from wordpl.play.setting import History, Turn
from wordpl.wordle.rules import hard_mode_fault
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
            f"the tree has {tree.answers} paths, {words.name} has {len(words.answers)} answers: it is for another list"
        )
    return dict(sorted(turns.items()))


def _replay(tree: Tree, answer: str, guesses: set[str], hard: bool) -> int:
    """The turn on which the tree finds an answer."""
    node = tree.root
    seen: History = ()
    while True:
        if node.guess not in guesses:
            raise WordplError(f"the tree guesses {node.guess!r} for answer {answer!r}, which is not in the list")
        if hard and (fault := hard_mode_fault(node.guess, seen)):
            raise WordplError(f"the tree guesses {node.guess!r} for answer {answer!r}, against hard mode: {fault}")
        reply = clue(node.guess, answer, tree.rule)
        seen += (Turn(node.guess, math.inf, reply.code),)
        if node.guess == answer:
            if not node.wins:
                raise WordplError(f"the tree has no path to the answer {answer!r}")
            return len(seen)
        if reply.code not in node.children:
            raise WordplError(f"the tree misses the answer {answer!r}: after {node.guess} {reply} it has no guess")
        node = node.children[reply.code]
