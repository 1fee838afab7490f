"""The verifier: it passes good trees, and names the first word at fault of bad ones."""

from dataclasses import replace

import pytest

from tests.support.helpers import SIX, list_of
from tests.support.refusals import refusal
from wordpl import WordplError, clue
from wordpl.wordle import Heuristic, Tree, build_tree, verify
from wordpl.wordle.trees.tree import Node

WORDS = list_of("w", ("crane", "slate", "trace", "crate"), ("salet", "nymph"))
GOOD = build_tree(WORDS, Heuristic(), first="crane")


def broken(word: str, **fields) -> Tree:
    """The good tree with other fields where `word` is guessed."""

    def changed(node: Node) -> Node:
        node = replace(node, children={code: changed(child) for code, child in node.children.items()})
        return replace(node, **fields) if node.guess == word else node

    return Tree(changed(GOOD.root), GOOD.rule)


UNUSED = {int(clue("crane", "nymph", "counted")): Node("nymph", True)}
SWAPPED = dict(zip(GOOD.root.children, reversed(GOOD.root.children.values()), strict=True))


@pytest.mark.parametrize(
    ("guess", "fields", "said"),
    [
        ("crane", {"children": {}}, "misses the answer 'crate': after crane ccc.c it has no guess"),
        ("slate", {"wins": False}, "has no path to the answer 'slate'"),
        ("slate", {"guess": "zzzzz"}, "guesses 'zzzzz' for answer 'slate', which is not in the list"),
        ("crane", {"children": GOOD.root.children | UNUSED}, "has 5 paths, w has 4 answers"),
        ("crane", {"children": SWAPPED}, r"'crate'|'slate'|'trace'"),
    ],
)
def test_what_is_wrong_with_a_tree_is_named(guess, fields, said):
    with pytest.raises(WordplError, match=said):
        verify(broken(guess, **fields), WORDS)


def test_a_list_the_tree_was_not_made_for():
    assert "for words of 5 letters, six has 6" in refusal(verify, GOOD, SIX)
    fewer = list_of("fewer", WORDS.answers[:3], WORDS.guesses)
    assert "has 4 paths, fewer has 3 answers: it is for another list" in refusal(verify, GOOD, fewer)
    assert "the answer 'nymph'" in refusal(verify, GOOD, list_of("more", (*WORDS.answers, "nymph"), WORDS.guesses))
    with pytest.raises(WordplError, match=r"guesses 'crane' for answer .* not in the list"):
        verify(GOOD, list_of("other", ("slate", "trace"), ("nymph",)))


def chain(*guesses: str, answer: str) -> Tree:
    """A tree that finds one answer by these guesses."""
    node = Node(answer, True)
    for guess in reversed(guesses):
        node = Node(guess, False, {int(clue(guess, answer, "counted")): node})
    return Tree(node)


def test_a_guess_against_hard_mode_is_named():
    """`tests/wordle/test_session.py` has what hard mode allows."""
    words = list_of("repeats", ("geese",), ("edges", "eerie", "geode"))
    assert verify(chain("edges", answer="geese"), words, hard=True) == {2: 1}
    tree = chain("eerie", "geode", answer="geese")
    assert verify(tree, words) == {3: 1}
    with pytest.raises(WordplError, match=r"'geode' for answer 'geese', against hard mode: .* contain E 3 times"):
        verify(tree, words, hard=True)
