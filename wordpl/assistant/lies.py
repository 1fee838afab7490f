"""Games whose clues may be false, or that the right guess ends: which marks are false, and where the game is over."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from wordpl.checks import whole_number
from wordpl.errors import ContradictionError, WordplError
from wordpl.model.channel import make_channel
from wordpl.model.clues import Clue, clue, clue_row
from wordpl.model.posterior import Posterior
from wordpl.play.setting import History, Setting, Turn

Floats = NDArray[np.float64]


def false_mark_chances(belief: Posterior, turn: Turn) -> Floats:
    """Return for each mark of a clue the probability that it is false: [length], from 0 to 1, first letter first.

    A mark is false if it differs from that of the true clue. `belief` is the posterior after all turns of the game;
    `turn` is one of them. Raises `WordplError` for a guess of another length, and a code that is not of a clue.

    >>> import wordpl
    >>> setting = wordpl.Setting(wordpl.load_words(), "counted", wordpl.Fibble, format=wordpl.GameFormat(9))
    >>> turns = (wordpl.Turn("crate", float("inf"), 17), wordpl.Turn("basil", float("inf"), 84))
    >>> false_mark_chances(setting.belief(turns), turns[0]).tolist()
    [0.0, 0.0, 0.75, 0.25, 0.0]
    """
    words = belief.words
    code = whole_number("clue", turn.clue, minimum=0, maximum=words.n_clues - 1)
    # The chance of each true clue, then of each mark of it that is not the one shown.
    true = np.bincount(clue_row(turn.guess, words, belief.rule), belief.probabilities, words.n_clues)
    marks = np.arange(words.n_clues)[:, np.newaxis] // 3 ** np.arange(words.length)[::-1] % 3
    return np.asarray(true @ (marks != marks[code]))


def winning_guess(setting: Setting, turns: History) -> str | None:
    """The guess that has won a game of Wordle, as people mean it; None if none has.

    It is that of the last row if its clue is all correct and the rows before can have come from it as the answer. It
    need not be in the list: hosts differ.
    """
    if not turns or turns[-1].clue != setting.words.n_clues - 1:
        return None
    word = turns[-1].guess
    for turn in turns[:-1]:
        channel = make_channel(setting.channel, turn.epsilon, setting.words.length)
        true = clue(turn.guess, word, setting.rule).code
        if turn.guess == word or channel.log_likelihood(turn.clue)[true] == -math.inf:
            return None
    return word


def belief_of_win(setting: Setting, word: str) -> Posterior:
    """The posterior of a game that `word` has won. Raises `ContradictionError` if it is not among the answers."""
    at = setting.words.answer_index.get(word)
    if at is None:
        raise ContradictionError(f"{word!r} is not among the answers of {setting.words.name}")
    prior = np.zeros(len(setting.words.answers))
    prior[at] = 1.0
    return Posterior(setting.words, setting.rule, setting.channel, prior, right_ends=True)


def all_exact(setting: Setting, epsilons: Iterable[float]) -> bool:
    """Whether clues at these epsilons are true for certain."""
    return all(map(math.isinf, epsilons)) and make_channel(setting.channel, math.inf, setting.words.length).exact


def check_end(setting: Setting, turns: History) -> None:
    """Raise `WordplError` if an ordinary game goes on after the right word."""
    for number, turn in enumerate(turns[:-1], start=1):
        if turn.clue == setting.words.n_clues - 1 and all_exact(setting, (turn.epsilon for turn in turns)):
            raise WordplError(f"guess {number} is the answer, the game ends there; leave out what comes after it")


def check_rows(setting: Setting, turns: History) -> History:
    """`turns` if a game of Wordle can have them; else a `WordplError`."""
    most, epsilon = setting.format.guesses, setting.row_epsilon
    if most is not None and len(turns) > most:
        raise WordplError(
            f"there are {len(turns)} rows, and the game has {most}; --format wordle:N is for another game"
        )
    for number, turn in enumerate(turns, start=1):
        if turn.epsilon != epsilon:
            of_clue = f"{turn.guess}={Clue(turn.clue, len(turn.guess))}"
            raise WordplError(
                f"clue {number} ({of_clue}) is at epsilon {turn.epsilon:g}; every row of this game is at {epsilon:g}"
            )
    return turns
