"""What a strategy does after a history of noisy clues, what it wins there, and the sum of that over all histories.

With k clues the win rate is the sum over the 243**k noisy clue histories of the joint weight of the
proposed answer. A strategy that proposes the most probable answer after its last ask (`last_ask`)
needs the first k - 1 of them only, for the last sum is one (max, x) transform. Two such clues are 243
histories, three 59,049.

In the format of Wordle each guess may win: the win rate is the sum of the joint weights of all guesses, each with the
histories in which the game has come to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl.errors import WordplError, error_line
from wordpl.model.channel import make_channel
from wordpl.play.moves import Answer, Ask, InvalidMoveError, Move
from wordpl.play.printing import prints_to_stderr
from wordpl.play.referee import GameRules, chance
from wordpl.play.setting import History, Setting, Turn
from wordpl.play.sources import user_line
from wordpl.play.strategy import HistoryStrategy
from wordpl.scoring.guess_scores import score_guesses

Floats = NDArray[np.float64]

MAX_ASKS = 1000
"""Of one game; one with more is taken for a game without an end."""


def legal_move(strategy: HistoryStrategy, setting: Setting, history: History) -> Move:
    """Return the move of `strategy` after `history`.

    Raises `WordplError` if it is not legal, the strategy errs, or it asks once more after `MAX_ASKS` asks.
    """
    try:
        try:
            with prints_to_stderr():
                move = strategy.decide(setting, history)
        except WordplError:
            raise
        except Exception as error:
            told = error_line(error, where=user_line(error))
            raise WordplError(f"{strategy!r} errs after {len(history)} clues: {told}") from None
        move = GameRules(setting).legal(move, len(history))
    except InvalidMoveError as error:
        raise WordplError(f"{strategy!r} makes an illegal move after {len(history)} clues: {error}") from None
    if isinstance(move, Ask) and len(history) >= MAX_ASKS:
        raise WordplError(f"{strategy!r} still asks after {len(history):,} clues; a game has at most {MAX_ASKS:,} asks")
    return move


def count_histories(strategy: HistoryStrategy, setting: Setting) -> int:
    """Return how many histories there are to go through, judged by the likeliest path."""
    # That a game has no limit of epsilon does not say that its clues are true: see `Fibble`.
    if setting.noiseless and make_channel(setting.channel, math.inf, setting.words.length).exact:
        return len(setting.words.answers)
    if setting.format.guesses is not None:
        return int(setting.words.n_clues ** (setting.format.guesses - 1))
    history: History = ()
    while isinstance(move := legal_move(strategy, setting, history), Ask):
        if strategy.last_ask(setting, history):
            break
        history += (Turn(move.guess, move.epsilon, int(clue_chances(setting, history, move).argmax())),)
    return int(setting.words.n_clues ** len(history))


def clue_chances(setting: Setting, history: History, move: Ask) -> Floats:
    """Return P(noisy clue to `move` | history): [codes].

    In the format of Wordle it is the chance that the guess is wrong and gets this clue.
    """
    return setting.belief(history).clue_probabilities(move.guess, move.epsilon)


def win_chance(setting: Setting, history: History, move: Move) -> float:
    """Return P(win | history), 0 to 1, of a proposal, or of an ask followed by the most probable answer.

    In the format of Wordle, that is P(the guess is right | history).
    """
    if isinstance(move, Answer):
        return chance(setting, history, move.word)
    if setting.format.is_wordle:
        return chance(setting, history, move.guess)
    belief = setting.belief(history)
    guess = setting.words.guess_index[move.guess]
    return float(score_guesses(belief, move.epsilon, "expected_top", guesses=[guess])[0])


def spent(history: History, move: Move) -> float:
    """Return the total epsilon of a history and the move that follows it."""
    return math.fsum((*(turn.epsilon for turn in history), move.epsilon if isinstance(move, Ask) else 0.0))


@dataclass
class Total:
    """What is added up over histories: chances to win, their number, and the largest total epsilon."""

    win_rate: float = 0.0
    budget: float = 0.0
    histories: int = 0

    def add(self, other: Total) -> None:
        self.win_rate += other.win_rate
        self.budget = max(self.budget, other.budget)
        self.histories += other.histories


def walk(strategy: HistoryStrategy, setting: Setting, history: History, mass: float) -> Total:
    """Go through all games that begin with `history`, which has probability `mass`."""
    whole = Total()
    # Histories left to go through, and their sum, at each turn of the game: it may be longer than Python's stack.
    turns = [(iter([(history, mass)]), whole)]
    while turns:
        left, total = turns[-1]
        for history, mass in left:
            move = legal_move(strategy, setting, history)
            if isinstance(move, Ask) and not ends(strategy, setting, history):
                if setting.format.is_wordle:
                    total.add(Total(mass * win_chance(setting, history, move), spent(history, move), 1))
                turns.append((continued(setting, history, mass, move), Total()))
                break
            total.add(Total(mass * win_chance(setting, history, move), spent(history, move), 1))
        else:
            turns.pop()
            if turns:
                turns[-1][1].add(total)
    return whole


def ends(strategy: HistoryStrategy, setting: Setting, history: History) -> bool:
    """Return whether the chance to win after the ask that follows `history` is all that is left of the game."""
    if setting.format.is_wordle:
        return len(history) + 1 == setting.format.guesses
    return strategy.last_ask(setting, history)


def continued(setting: Setting, history: History, mass: float, move: Ask) -> Iterator[tuple[History, float]]:
    """Go through the histories with one turn more that can be, with their probabilities."""
    for code, share in enumerate(clue_chances(setting, history, move).tolist()):
        if share > 0:
            yield (*history, Turn(move.guess, move.epsilon, code)), mass * share
