"""Move of a strategy after a history of noisy clues, its win rate there, and the sum of that over all histories.

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
from functools import lru_cache

import numpy as np

from wordpl.base.checks import instance, whole_number
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError, error_line
from wordpl.base.printing import prints_to_stderr
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_matrix
from wordpl.model.entropy import Floats
from wordpl.play.moves import Answer, Ask, InvalidMoveError, Move
from wordpl.play.referee import GameRules, chance, user_line
from wordpl.play.seeds import Seeds, check_seed
from wordpl.play.setting import History, Setting, Turn, total_budget
from wordpl.play.specs import as_strategy
from wordpl.play.strategy import HistoryStrategy
from wordpl.scoring.guess_scores import score_guesses
from wordpl.simulation.playing import computed_in_order

_BATCH = 50  # games per task of a worker
MAX_ASKS = 1000
"""Largest number in one game; one with more is taken for a game without an end."""
# Histories that are less probable are left out: millions of them change no digit of a win rate that is shown.
_RAREST = 1e-20


def legal_move(strategy: HistoryStrategy, setting: Setting, history: History) -> Move:
    """Return the move of `strategy` after `history`. Raises `WordplError` if it is not legal, the strategy errs, or it
    asks once more after `MAX_ASKS` asks."""
    try:
        with prints_to_stderr():
            move = strategy.decide(setting, history)
        move = GameRules(setting).legal(move, len(history))
    except InvalidMoveError as error:
        raise WordplError(
            f"{strategy.label} makes an illegal move after {counted(len(history), 'clue')}: {error}"
        ) from None
    except WordplError:
        raise
    except Exception as error:
        line = error_line(error, where=user_line(error))
        raise WordplError(f"{strategy.label} errs after {counted(len(history), 'clue')}: {line}") from None
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
    while isinstance(move := legal_move(strategy, setting, history), Ask):
        if strategy.last_ask(setting, history):
            break
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


@dataclass
class Total:
    """Sums over histories: chances to win, their number, and the largest total epsilon."""

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
            ask = move if isinstance(move, Ask) and not ends(strategy, setting, history) else None
            if ask is None or setting.format.is_wordle:
                total.add(Total(mass * win_chance(setting, history, move), spent(history, move), 1))
            if ask is not None:
                turns.append((continued(setting, history, mass, ask), Total()))
                break
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
    masses = mass * clue_chances(setting, history, move)
    for code in np.flatnonzero(masses > _RAREST).tolist():
        yield (*history, Turn(move.guess, move.epsilon, code)), float(masses[code])


# Single games, on answers and noise that all strategies share: for paired experiments


def play_games(
    strategy: HistoryStrategy | str, setting: Setting, start: int, stop: int, seed: int, jobs: int = 1
) -> Floats:
    """Return the win chance of `strategy` in each of the games from `start` to before `stop` of a `seed`, 0 to 1: [stop
    - start].

    `setting` has the words, rule, channel and format.

    Each game is drawn up to its last clue, and its win chance is the mean over that clue. The result does not depend on
    `jobs`. Raises `WordplError` for numbers of games below 0 or above 2**63 - 1, and for a seed out of range.
    """
    strategy = instance("strategy", as_strategy(strategy), HistoryStrategy)
    instance("setting", setting, Setting)
    start, stop = (whole_number(name, at, 0, 2**63 - 1) for name, at in (("start", start), ("stop", stop)))
    seed = check_seed(seed)
    bounds = range(start, stop, _BATCH)
    parts = computed_in_order(jobs, _batch, strategy, setting, ((at, min(at + _BATCH, stop), seed) for at in bounds))
    return np.concatenate([np.empty(0), *parts])


def _batch(strategy: HistoryStrategy, setting: Setting, start: int, stop: int, seed: int) -> Floats:
    name = repr(strategy)
    return np.array([_play_one(strategy, setting, name, Seeds(seed), trial) for trial in range(start, stop)])


def _play_one(strategy: HistoryStrategy, setting: Setting, name: str, seeds: Seeds, trial: int) -> float:
    words = setting.words
    answer = seeds.answer(trial, len(words.answers))
    clues = clue_matrix(words, setting.rule)
    history: History = ()
    while True:
        early = len(history) <= 1
        move = remembered_move(strategy, setting, history, name) if early else legal_move(strategy, setting, history)
        if not isinstance(move, Ask) or strategy.last_ask(setting, history):
            return win_chance(setting, history, move)
        channel = make_channel(setting.channel, move.epsilon, words.length)
        code = int(clues[words.guess_index[move.guess], answer])
        noisy = channel.sample(code, seeds.noise(trial, len(history), words.length))
        history = (*history, Turn(move.guess, move.epsilon, noisy))
