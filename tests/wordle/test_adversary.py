"""The host that changes its answer: consistent, greedy, and no worse than the worst case."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import RULE, small_words, words_of
from tests.support.helpers import ORIGINAL, SMALL, list_of
from wordpl import WordplError, clue
from wordpl.wordle import HEURISTICS, Adversary, Heuristic, Tree, build_tree, optimal_tree

MIDDLE = list_of("middle", ORIGINAL.answers[::12], ORIGINAL.guesses[::60])


@given(small_words(), RULE, st.data())
def test_each_clue_is_that_of_the_largest_part(words, rule, data):
    host, left = Adversary(words, rule), list(words.answers)
    for guess in data.draw(st.lists(words_of(words.length) | st.sampled_from(words.guesses), max_size=6)):
        sizes = Counter(clue(guess, word, rule).code for word in left)
        given = host.clue(guess).code
        assert given == min(code for code in sizes if sizes[code] == max(sizes.values()))
        if given == words.n_clues - 1:
            assert left == [guess]  # it wins only when forced
        left = [word for word in left if clue(guess, word, rule).code == given]
        assert host.left == tuple(left)
        assert left


def walk(tree: Tree, host: Adversary) -> int:
    """Guesses that a tree takes against the adversary."""
    node, guesses, won = tree.root, 1, host.words.n_clues - 1
    while (code := host.clue(node.guess).code) != won:
        node, guesses = node.children[code], guesses + 1
    assert host.left == (node.guess,)
    return guesses


# Hard mode is ordinary Wordle's, so it goes with the counted rule alone.
@pytest.mark.parametrize(("rule", "hard"), [("counted", False), ("counted", True), ("letterwise", False)])
@pytest.mark.parametrize("name", HEURISTICS)
def test_a_tree_wins_within_its_worst_case(name, rule, hard):
    for words in (SMALL, MIDDLE):
        tree = build_tree(words, Heuristic(name, hard=hard), rule=rule)
        assert walk(tree, Adversary(words, rule)) <= tree.worst


def test_the_optimal_tree_guarantees_five_guesses_on_the_original_list():
    """Its worst case is the most of the answers replayed; the adversary, at its worst, cannot break it."""
    tree = optimal_tree(ORIGINAL, "salet")
    assert walk(tree, Adversary(ORIGINAL)) <= tree.worst == 5


def test_what_is_refused():
    with pytest.raises(WordplError, match="letters"):
        Adversary(SMALL).clue("cat")
    with pytest.raises(WordplError, match="'counted'"):
        Adversary(SMALL, "count")
