"""Small games, played to every end."""

import itertools
from functools import cache

from tests.support.helpers import TINY, list_of
from wordpl import Setting, clue_matrix
from wordpl.limits import Policy, setting_identity

WORD = TINY.guesses[0]

MADE_FOR = setting_identity(Setting(TINY))

PLAIN = Policy(
    9.0, 2, {(): (WORD, 5.0), (0,): (TINY.guesses[3], 4.0), (242,): (TINY.guesses[4], 4.0)}, made_for=MADE_FOR
)

# Two and three letters over few, so that clues tell answers apart badly and well.
TWO = list_of("two", ("ab", "ba", "ac", "cb", "bd", "da", "cc"), ("ad", "dd", "bc"))

THREE = list_of("three", ("abc", "abd", "bad", "cab", "dab", "acd", "bcd", "ddd", "cba"), ("aab", "dcb"))


def optimum(words, lies: int, rule: str, guesses: int, first: str | None = None) -> float:
    """The best chance to win, by going through all guesses and all noisy clues."""
    clues, length = clue_matrix(words, rule), words.length
    marks = list(itertools.product(range(3), repeat=length))
    shown = {
        code: [c for c, other in enumerate(marks) if sum(a != b for a, b in zip(own, other, strict=True)) == lies]
        for code, own in enumerate(marks)
    }

    @cache
    def wins(possible: frozenset[int], left: int, only: str | None = None) -> float:
        if not possible or not left:
            return 0.0
        best = 0.0
        for g, guess in enumerate(words.guesses):
            if only not in (None, guess):
                continue
            others = {a for a in possible if words.answers[a] != guess}
            positions: dict[int, set[int]] = {}
            for a in others:
                for noisy in shown[int(clues[g, a])]:
                    positions.setdefault(noisy, set()).add(a)
            each = 1.0 / len(shown[0])
            after = sum(each * wins(frozenset(answers), left - 1) for answers in positions.values())
            best = max(best, len(possible) - len(others) + after)
        return best

    return wins(frozenset(range(len(words.answers))), guesses, first) / len(words.answers)
