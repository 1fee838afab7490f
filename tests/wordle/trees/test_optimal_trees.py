"""Trees that are kept: each is taken for what it was made from, by the code that made it."""

from tests.support.helpers import ORIGINAL, list_of
from wordpl import RULES, load_words
from wordpl.wordle import Heuristic, Solution, build_tree, optimal_tree
from wordpl.wordle.trees import optimal_trees
from wordpl.wordle.trees.optimal import solve

FAMILY = list_of("family", tuple(f"{letter}igh" for letter in "bdfklmnrstw"), ("bdfk", "lmnr", "stwb"))


def test_a_kept_tree_is_taken_by_the_version_that_made_it(tmp_path, monkeypatch):
    """A valid tree with a larger total stands for the one that was made."""
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    first = FAMILY.answers[0]
    worse = build_tree(FAMILY, Heuristic("greedy"), first)

    def total() -> int:
        return optimal_tree.__wrapped__(FAMILY, first).total

    assert total() < worse.total
    (kept,) = (tmp_path / "cache").glob("*.tree")
    worse.save(kept)
    assert total() == worse.total
    monkeypatch.setattr(optimal_trees, "kernel_folder", lambda: tmp_path / "of another version")
    assert total() < worse.total


def test_kept_trees_are_not_mixed_up(tmp_path, monkeypatch):
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        for words in (FAMILY, list_of("half", FAMILY.answers[::2], FAMILY.guesses)):
            for first in (*FAMILY.guesses[:2], None):
                for rule in RULES:
                    tree = optimal_tree.__wrapped__(words, first, rule)
                    assert (tree.answers, tree.rule) == (len(words.answers), rule)
                    assert first in (None, tree.root.guess)


def test_the_tree_that_ships_is_taken_for_its_list_opener_and_rule_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path))
    other = Solution(build_tree(FAMILY, Heuristic("greedy")), proven=True)
    monkeypatch.setattr(solve, "solve_tree", lambda *given, **more: other)
    own = (ORIGINAL, "salet", "counted")
    others = (load_words("nyt2022"), *own[1:]), (ORIGINAL, "crate", "counted"), (ORIGINAL, "salet", "letterwise")
    totals = [optimal_tree.__wrapped__(*given).total for given in (own, *others)]
    assert totals == [7920, *[other.tree.total] * 3]
