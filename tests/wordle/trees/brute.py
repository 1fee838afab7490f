"""The optimum by plain recursion over sets of answers: slow and obvious. Shares no code with the package."""

import math
import random
from collections import defaultdict
from functools import cache

from tests.support.helpers import ORIGINAL, list_of
from tests.support.oracles import Marks, clue_marks
from wordpl import WordList


def obeys(word: str, guess: str, marks: Marks) -> bool:
    """Official hard mode: correct letters stay, and shown letters are used as often as they were shown."""
    if any(mark == 2 and word[k] != guess[k] for k, mark in enumerate(marks)):
        return False
    shown = [letter for letter, mark in zip(guess, marks, strict=True) if mark]
    return all(word.count(letter) >= shown.count(letter) for letter in shown)


class Brute:
    """Least totals of a list; infinite where no tree keeps to the depth."""

    def __init__(self, words: WordList, rule: str = "counted", hard: bool = False) -> None:
        self.words, self.hard = words, hard
        self.marks = cache(lambda guess, answer: clue_marks(guess, answer, rule))
        self.least = cache(self._least)

    def opener(self, guess: str, depth: int) -> float:
        """Least total of the trees that start with a guess and take no more than `depth`."""
        return self._after(guess, frozenset(self.words.answers), frozenset(self.words.guesses), depth)

    def best(self, depth: int) -> float:
        """Least total of all trees that take no more than `depth`."""
        return min(self.opener(guess, depth) for guess in self.words.guesses)

    def least_worst(self) -> int:
        """The least worst case."""
        return next(depth for depth in range(1, 99) if self.best(depth) < math.inf)

    @property
    def enough(self) -> int:
        """A depth that rules out no tree worth having."""
        return len(self.words.answers) + 1

    def _parts(self, guess: str, left: frozenset[str]) -> dict[Marks, set[str]]:
        parts = defaultdict(set)
        for answer in left:
            parts[self.marks(guess, answer)].add(answer)
        return parts

    def _least(self, left: frozenset[str], allowed: frozenset[str], depth: int) -> float:
        if depth == 0:
            return math.inf
        # A guess that tells nothing is never worth it below the root, and would go on for ever.
        useful = [guess for guess in sorted(allowed) if len(left) == 1 or len(self._parts(guess, left)) > 1]
        return min(self._after(guess, left, allowed, depth) for guess in useful if len(left) > 1 or guess in left)

    def _after(self, guess: str, left: frozenset[str], allowed: frozenset[str], depth: int) -> float:
        total = float(len(left))
        for marks, part in self._parts(guess, left).items():
            if part == {guess}:
                continue
            legal = frozenset(word for word in allowed if obeys(word, guess, marks)) if self.hard else allowed
            total += self.least(frozenset(part), legal, depth - 1)
        return total


def random_words(seed: int, most: int = 9) -> WordList:
    """A list over a tiny alphabet, so that clues collide and families abound; words of 3 to 6 letters."""
    rng = random.Random(seed)
    length = rng.choice([3, 4, 5, 6])
    alphabet = "abcde"[: rng.choice([3, 4, 5] if length < 5 else [2, 3, 4])]
    size = min(rng.randint(12, 20), len(alphabet) ** length)
    pool: set[str] = set()
    while len(pool) < size:
        pool.add("".join(rng.choice(alphabet) for _ in range(length)))
    guesses = sorted(pool)
    answers = rng.sample(guesses, rng.randint(5, min(most, size)))
    return WordList(f"random{seed}", tuple(sorted(answers)), tuple(guesses))


def large_words(seed: int) -> WordList:
    """More answers than are searched after a count of all columns, and a guess that tells nothing."""
    rng = random.Random(seed)
    return list_of("large", tuple(rng.sample(ORIGINAL.answers, 14)), (*rng.sample(ORIGINAL.guesses, 12), "qqqqq"))


def weak_words(seed: int, n: int = 13) -> WordList:
    """Words of which no guess tells much, so that cheap bounds settle little; and a guess that tells nothing."""
    rng = random.Random(seed)
    every = [first + second + "g" for first in "bdfkl" for second in "aeou"]
    return list_of("weak", tuple(rng.sample(every, n)), ("".join(rng.sample("bdfklaeouz", 3)), "qqq"))
