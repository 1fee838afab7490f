"""Move of a strategy after a history of noisy clues, its win rate there, and the sum of that over all histories.

With k clues the win rate is the sum over the 243**k noisy clue histories of the joint weight of the
proposed answer. A strategy that proposes the most probable answer after its last ask (`last_ask`)
needs the first k - 1 of them only, for the last sum is one (max, x) transform. Two such clues are 243
histories, three 59,049.

In the format of Wordle each guess may win: the win rate is the sum of the joint weights of all guesses, each with the
histories in which the game has come to it.
"""

import math
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import lru_cache

import numpy as np

from wordpl.base.displays import counted
from wordpl.base.errors import WordplError, error_line
from wordpl.model.channel import make_channel
from wordpl.model.entropy import Floats
from wordpl.play.moves import Answer, Ask, InvalidMoveError, Move
from wordpl.play.referee import GameRules, chance, user_line
from wordpl.play.setting import History, Setting, Turn, total_budget
from wordpl.play.strategy import HistoryStrategy
from wordpl.scoring.guess_scores import score_guesses

MAX_ASKS = 1000
"""Largest number in one game; one with more is taken for a game without an end."""
# Histories that are less probable are left out: millions of them change no digit of a win rate that is shown.
_RAREST = 1e-20


def legal_move(strategy: HistoryStrategy, setting: Setting, history: History) -> Move:
    """Return the move of `strategy` after `history`. Raises `WordplError` if it is not legal, the strategy errs, or it
    asks once more after `MAX_ASKS` asks."""
    after = counted(len(history), "clue")
    try:
        with redirect_stdout(sys.stderr):
            move = strategy.decide(setting, history)
        move = GameRules(setting).legal(move, len(history))
    except InvalidMoveError as error:
        raise WordplError(f"{strategy.label} makes an illegal move after {after}: {error}") from None
    except WordplError:
        raise
    except Exception as error:
        line = error_line(error, where=user_line(error))
        raise WordplError(f"{strategy.label} fails after {after}: {line}") from None
    if isinstance(move, Ask) and len(history) >= MAX_ASKS:
        raise WordplError(f"{strategy.label} still asks after {len(history):,} clues; a game has at most {MAX_ASKS:,}")
    return move


@lru_cache(maxsize=1_000)
def remembered_move(strategy: HistoryStrategy, setting: Setting, history: History, name: str) -> Move:
    """Return `legal_move` of the strategy of this `repr`, which its equals need not share. Many games meet the same
    first histories, and all calls in a process share their moves."""
    return legal_move(strategy, setting, history)


def count_histories(strategy: HistoryStrategy, setting: Setting) -> int:
    """Return how many histories there are to go through, judged by the likeliest path."""
    # That a game has no limit of epsilon does not say that its clues are true: see `Fibble`.
    if setting.noiseless and make_channel(setting.channel, math.inf, setting.words.length).exact:
        return len(setting.words.answers)
    if setting.format.guesses is not None:
        return int(setting.words.n_clues ** (setting.format.guesses - 1))
    history: History = ()
    number = 1
    while isinstance(move := legal_move(strategy, setting, history), Ask) and not strategy.last_ask(setting, history):
        chances = clue_chances(setting, history, move)
        number *= int(np.count_nonzero(chances > _RAREST))
        history += (Turn(move.guess, move.epsilon, int(chances.argmax())),)
    return number


def clue_chances(setting: Setting, history: History, move: Ask) -> Floats:
    """Return P(noisy clue to `move` | history), and in the format of Wordle that the guess is wrong: [codes]."""
    return setting.belief(history).clue_probabilities(move.guess, move.epsilon)


def win_chance(setting: Setting, history: History, move: Move) -> float:
    """Return P(win | history), 0 to 1, of a proposal, or of an ask followed by the most probable answer.

    In the format of Wordle, that is P(the guess is right | history).
    """
    if isinstance(move, Answer) or setting.format.is_wordle:
        return chance(setting, history, move.word if isinstance(move, Answer) else move.guess)
    belief = setting.belief(history)
    guess = setting.words.guess_index[move.guess]
    return float(score_guesses(belief, move.epsilon, "expected_top", guesses=[guess])[0])


def spent(history: History, move: Move) -> float:
    """Return the total epsilon of a history and the move that follows it."""
    return total_budget((*(turn.epsilon for turn in history), move.epsilon if isinstance(move, Ask) else 0.0))


def walk(strategy: HistoryStrategy, setting: Setting, history: History, mass: float) -> tuple[float, float, int]:
    """Go through all games that begin with `history`, which has probability `mass`: return the probability that one is
    played and won, their largest total epsilon, and their number."""
    shares, largest, left = [], 0.0, [(history, mass)]
    while left:
        history, mass = left.pop()
        move = legal_move(strategy, setting, history)
        ask = move if isinstance(move, Ask) and not ends(strategy, setting, history) else None
        if ask is None or setting.format.is_wordle:
            shares.append(mass * win_chance(setting, history, move))
            largest = max(largest, spent(history, move))
        if ask is not None:
            left += continued(setting, history, mass, ask)
    return math.fsum(shares), largest, len(shares)


def ends(strategy: HistoryStrategy, setting: Setting, history: History) -> bool:
    """Return whether the chance to win after the ask that follows `history` is all that is left of the game."""
    if setting.format.is_wordle:
        return len(history) + 1 == setting.format.guesses
    return strategy.last_ask(setting, history)


def continued(setting: Setting, history: History, mass: float, move: Ask) -> Iterator[tuple[History, float]]:
    """Go through the histories with one turn more that can be, with their probabilities."""
    masses = mass * clue_chances(setting, history, move)
    for code in np.flatnonzero(masses > _RAREST).tolist():
        yield (*history, Turn(move.guess, move.epsilon, code)), float(masses[code])
