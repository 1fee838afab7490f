"""Heuristic trees against slow reference code: at every node, the guess is the one the reference picks."""

import math
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.helpers import SIX, TINY, list_of
from tests.support.oracles import Marks, clue_marks, code_of, entropy
from tests.support.refusals import refusal
from tests.wordle.trees.brute import obeys, random_words
from wordpl import WordList
from wordpl.wordle import HEURISTICS, PUBLISHED_TIE_BREAKS, Heuristic, build_tree, tie_breaks, verify, word_priority
from wordpl.wordle.trees.tree import Node

RULES = pytest.mark.parametrize("rule", ["counted", "letterwise"])
NAMES = pytest.mark.parametrize("name", HEURISTICS)
LISTS = pytest.mark.parametrize("words", [*map(random_words, range(2)), SIX, TINY], ids=lambda words: words.name)


class Slow:
    """What each heuristic and tie-break is, said plainly. More is better throughout."""

    def __init__(self, words: WordList, rule: str, heuristic: Heuristic) -> None:
        self.words, self.rule, self.heuristic = words.guesses, rule, heuristic

    def sizes(self, guess: str, left: list[str]) -> Counter[Marks]:
        return Counter(clue_marks(guess, answer, self.rule) for answer in left)

    def score(self, guess: str, left: list[str]) -> float:
        sizes = list(self.sizes(guess, left).values())
        marked = Counter(sum(mark > 0 for mark in clue_marks(guess, answer, self.rule)) for answer in left)
        has = sum(letter in word for letter in set(guess) for word in self.words)
        places = sum(guess[k] == word[k] for word in self.words for k in range(len(guess)))
        score = {
            "letters": (has + 1e-6 * places) / len(self.words),
            "overlap": entropy([n / len(left) for n in marked.values()]),
            "entropy": entropy([n / len(left) for n in sizes]),
            "expected_size": -sum(n * n for n in sizes) / len(left),
            "parts": len(sizes),
            "minimax": -max(sizes),
        }[self.heuristic.name]
        return score * (self.heuristic.priority.get(guess, 0.0) if self.heuristic.priority is not None else 1.0)

    def tie_break(self, name: str, guess: str, left: list[str]) -> float:
        match name:
            case "all_absent":
                return -self.sizes(guess, left)[(0,) * len(guess)]
            case "answer":
                return guess in left
            case "letter_entropy":
                shares = [sum(letter in answer for answer in left) / len(left) for letter in sorted(set(guess))]
                return math.fsum(entropy([p, 1 - p]) for p in shares)
            case "positional":
                return sum(answer[k] == letter for answer in left for k, letter in enumerate(guess))
        raise AssertionError(name)

    def choice(self, left: list[str], allowed: list[str]) -> str:
        weight = self.heuristic.priority
        if len(left) == 1:
            return left[0]
        if self.heuristic.name == "greedy":
            return left[0] if weight is None else max(left, key=lambda word: weight.get(word, 0.0))
        best = left if self.heuristic.answers_only or self.heuristic.name == "letters" else allowed
        for key in (self.score, *(lambda g, a, n=name: self.tie_break(n, g, a) for name in self.heuristic.tie_breaks)):
            keys = {guess: key(guess, left) for guess in best}
            top = max(keys.values())
            best = [guess for guess in best if keys[guess] >= top - 1e-9]
        if len(self.sizes(best[0], left)) == 1:
            assert (
                weight is not None
                or self.heuristic.name == "overlap"
                or all(len(self.sizes(guess, left)) == 1 for guess in allowed)
            )
            return left[0]
        return best[0]


def nodes(
    node: Node, left: list[str], allowed: list[str], rule: str, hard: bool
) -> Iterator[tuple[Node, list[str], list[str]]]:
    """Every node, with the answers that are left and the guesses allowed there."""
    yield node, left, allowed
    groups: dict[Marks, list[str]] = {}
    for answer in left:
        groups.setdefault(clue_marks(node.guess, answer, rule), []).append(answer)
    rest = {marks: part for marks, part in groups.items() if part != [node.guess]}
    assert node.children.keys() == {code_of(marks) for marks in rest}
    assert node.wins == (len(rest) < len(groups))
    for marks, part in rest.items():
        after = [word for word in allowed if obeys(word, node.guess, marks)] if hard else allowed
        yield from nodes(node.children[code_of(marks)], part, after, rule, hard)


def assert_by_the_book(words: WordList, heuristic: Heuristic, rule: str, first: str | None = None) -> None:
    tree, slow = build_tree(words, heuristic, first, rule), Slow(words, rule, heuristic)
    verify(tree, words, hard=heuristic.hard)
    walk = nodes(tree.root, list(words.answers), list(words.guesses), rule, heuristic.hard)
    for i, (node, left, allowed) in enumerate(walk):
        expected = first if i == 0 and first is not None else slow.choice(left, allowed)
        assert node.guess == expected, left


@LISTS
@RULES
@NAMES
def test_every_guess_is_the_references(name, rule, words):
    alone = [*zip(PUBLISHED_TIE_BREAKS)] if name in ("parts", "minimax") and rule == "counted" else []
    for some in (("answer",), (), PUBLISHED_TIE_BREAKS, *alone):
        assert_by_the_book(words, Heuristic(name, tie_breaks=some), rule)


@LISTS
@NAMES
def test_answers_only_hard_mode_and_a_first_word(name, words):
    heuristic = Heuristic(name, answers_only=True)
    walk = nodes(build_tree(words, heuristic).root, list(words.answers), [], "counted", False)
    assert all(node.guess in left for node, left, _ in walk)
    for hard, only in ((False, True), (True, False), (True, True)):
        assert_by_the_book(words, Heuristic(name, hard=hard, answers_only=only), "counted")
    for first in (words.guesses[0], words.guesses[-1], words.answers[0]):
        for hard, rule in ((False, "counted"), (False, "letterwise"), (True, "counted")):
            assert_by_the_book(words, Heuristic(name, hard=hard), rule, first)


@LISTS
@pytest.mark.parametrize("name", ["entropy", "parts", "greedy"])
def test_priorities(name, words):
    weights = {word: 1.0 + (7 * i) % 5 for i, word in enumerate(words.guesses)}
    assert_by_the_book(words, Heuristic(name, priority=weights), "counted")
    favourite = words.guesses[2]
    assert_by_the_book(words, Heuristic(name, priority=weights | {favourite: 1e6}), "counted")
    some = {word: weight for word, weight in weights.items() if word in words.answers}
    assert_by_the_book(words, Heuristic(name, priority=some), "counted")  # the others weigh nothing


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Heuristic("entrpy"), "unknown heuristic 'entrpy'"),
        (lambda: Heuristic(tie_breaks=("answr",)), "unknown tie-break 'answr'"),
        (lambda: Heuristic(priority={"crate": math.inf}), "priority of crate is infinite"),
        (lambda: Heuristic("minimax", priority={}), "minimax minimizes"),
        (lambda: build_tree(TINY, Heuristic(hard=True), rule="letterwise"), "needs rule counted"),
    ],
)
def test_heuristics_and_trees_that_are_not(make, said):
    assert said in refusal(make)
    assert tie_breaks(["published"]) == ("all_absent", "answer", "letter_entropy", "positional")
    assert tie_breaks(["none"]) == () and tie_breaks(["answer", "positional"]) == ("answer", "positional")


@pytest.mark.heavy
def test_word_priority_is_wordfreqs_zipf_frequency(monkeypatch):
    from wordfreq import zipf_frequency

    words = list_of("common", ("house", "water"), ("crwth", "zzzyx"))
    found = word_priority(words)
    assert found == {word: zipf_frequency(word, "en") for word in words.guesses}
    assert found["zzzyx"] == 0.0 < found["house"] <= 8
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    assert "pip install '.[priority]'" in refusal(word_priority, SIX)
