"""Games of a player."""

import math
from collections import Counter

from hypothesis import strategies as st

from tests.support.generators import RULE, clues, ended, epsilons, small_words, words_of
from wordpl import CONTEST, Clue, RandomizedResponse, Setting, Turn, WordList, clue
from wordpl.wordle import Assistant, Tree, verify


def helped(words: WordList, *turns: Turn, rule: str = "counted", **options) -> Assistant:
    """An assistant that was told these turns."""
    setting = Setting(words, rule, options.pop("channel", RandomizedResponse), format=options.pop("format", CONTEST))
    assistant = Assistant(setting, **options)
    for told in turns:
        assistant.add(told)
    return assistant


@st.composite
def games(draw, noisy: bool = False):
    """A small list, a rule, and turns that are often true to some answer."""
    words, rule = draw(small_words()), draw(RULE)
    length, answer, turns = words.length, draw(st.sampled_from(words.answers)), []
    for guess in draw(st.lists(words_of(length) | st.sampled_from(words.guesses), max_size=4)):
        code = draw(st.sampled_from([clue(guess, answer, rule)]) | clues(length)).code
        turns.append(Turn(guess, draw(epsilons(zero=False)) if noisy else math.inf, code))
    return words, rule, ended(tuple(turns), length)


def slow_legal(word: str, turns, rule: str, hard: bool | str = True) -> bool:
    """Official hard mode, letter by letter, or extra hard mode."""
    for seen in turns:
        marks = Clue(seen.clue, len(word)).marks
        shown: Counter[str] = Counter()
        for letter, mark in zip(seen.guess, marks, strict=True):
            if rule == "counted":
                shown[letter] += mark > 0
            else:  # copies that are present are one letter of the answer, perhaps the correct one
                shown[letter] += mark == 2
        for k, mark in enumerate(marks):
            letter = seen.guess[k]
            if mark == 2 and word[k] != letter:
                return False
            if mark and word.count(letter) < max(1, shown[letter]):
                return False
            copies = [other for at, other in zip(seen.guess, marks, strict=True) if at == letter]
            if hard == "extra" and not any(copies) and letter in word:
                return False
    return True


def replayed(tree: Tree | None, words: WordList, hard: bool = False) -> tuple[int, int]:
    """Total and worst case of a tree, by replaying every answer; its own figures must agree."""
    assert tree is not None
    turns = verify(tree, words, hard=hard)
    total, worst = sum(turn * n for turn, n in turns.items()), max(turns)
    assert (tree.total, tree.worst, tree.distribution) == (total, worst, turns)
    return total, worst
