"""Clues that no answer fits: which of them may be wrong, and the words that fit best."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from typing_extensions import TypedDict

from wordpl.base.displays import counted
from wordpl.base.errors import ContradictionError
from wordpl.base.json_types import Doc
from wordpl.model.clues import clue_rows, differing_marks
from wordpl.model.words import WordList
from wordpl.play.setting import History, Setting
from wordpl.wordle.reading import write_turn
from wordpl.wordle.rules import impossible_clue


class Mend(TypedDict):
    clue: Annotated[int, Doc("Number of a clue.")]
    remaining: Annotated[int, Doc("Answers that fit all the others.")]


class Contradicted(TypedDict):
    """Clues that no answer fits."""

    clue: Annotated[int, Doc("Number of the first clue that leaves nothing, from 1.")]
    mends: Annotated[list[Mend], Doc("Clues that can be wrong alone.")]
    explanation: Annotated[str, Doc("The same in words.")]


@dataclass(frozen=True, slots=True)
class CloseWord:
    """A word that nearly fits the clues, or that fits them and is only among the guesses."""

    word: Annotated[str, Doc("A word that nearly fits.")]
    contradicted_marks: Annotated[int, Doc("Marks that would have to be wrong.")]
    answer: Annotated[bool, Doc("True if it is among the answers.")]


def explain(setting: Setting, turns: History) -> Contradicted:
    """Which clues contradict each other, and which of them can be wrong alone."""
    names = [f"clue {number} ({write_turn(turn)})" for number, turn in enumerate(turns, start=1)]
    at = next(k for k in range(len(turns)) if _left(setting, turns[: k + 1]) == 0)
    without = [(k, _left(setting, turns[:k] + turns[k + 1 :])) for k in range(len(turns))]
    mends = [(k, left) for k, left in without if left]
    explanation = f"{names[at]} rules everything out: no answer of {setting.words.name} fits it"
    explanation += " and the clues before it." if at else "."
    if impossible := impossible_clue(setting, turns):
        explanation = f"{impossible}."
    if len(turns) == 1:
        explanation += "" if impossible else " The clue is wrong, or the word is not in the list."
    elif mends:
        fits = (f"without {names[k]} {counted(n, 'answer')} fit{'s' if n == 1 else ''}" for k, n in mends)
        explanation += f" If a single clue is wrong: {'; '.join(fits)}."
    else:
        explanation += " More than one clue is wrong, or the word is not in the list."
    mendable: list[Mend] = [{"clue": k + 1, "remaining": left} for k, left in mends]
    return {"clue": at + 1, "mends": mendable, "explanation": explanation}


def _left(setting: Setting, turns: History) -> int:
    try:
        return len(setting.belief(turns).possible)
    except ContradictionError:
        return 0


def closest_words(setting: Setting, turns: History, lies: int, n: int) -> list[CloseWord]:
    """Guesses that fit the clues, then the answers with fewest contradicted marks: up to `n` of each.

    Marks are counted over the exact clues: those that are not what the word would give as the answer, or with so many
    `lies`, how many would be false too many or too few. Equals are in the order of the noisy clues.
    """
    words = setting.words
    every = WordList(f"all words of {words.name}", words.guesses, words.guesses)
    rows, wrong = clue_rows(every, setting.rule), np.zeros(len(words.guesses), dtype=np.intp)
    for turn in turns:
        if math.isinf(turn.epsilon):
            wrong += np.abs(differing_marks(turn.clue, words.length) - lies)[rows(turn.guess)]
    fits = np.flatnonzero(wrong == 0)
    noisy = Setting(words, setting.rule).belief(tuple(turn for turn in turns if math.isfinite(turn.epsilon)))
    if setting.format.right_ends:  # which a guess that was right would have ended
        guessed = {turn.guess for turn in turns}
        fits = np.array([i for i in fits if words.guesses[i] not in guessed], dtype=np.intp)
    at = wrong[words.answers_as_guesses]
    nearest = np.lexsort((-noisy.log_weights, at))[:n]
    fitting = [CloseWord(words.guesses[i], 0, words.guesses[i] in words.answer_index) for i in fits[:n]]
    return fitting + [CloseWord(words.answers[i], int(at[i]), True) for i in nearest]
