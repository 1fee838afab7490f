"""Beside a game that was played: what the strategies that hold the contest's records make of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordpl.errors import WordplError
from wordpl.play.moves import Answer, Ask, Move
from wordpl.play.referee import Game, Referee
from wordpl.play.strategy import History, Setting
from wordpl.scoring.guess_scores import best_guess
from wordpl.search.policy import Policy
from wordpl.specs import parse_strategy

PERCENTILES = {"Fifth": 5, "Median": 50, "NinetyFifth": 95}
"""The percentile for which each strategy of the library was made."""


@dataclass(frozen=True)
class Advice:
    """What one of them makes of a game."""

    name: str
    budget: float
    moves: tuple[Move, ...]
    """What it would do before each row of the player, and after the last one."""
    own: Game
    """Its own game with the same answer and noise."""


def budgets() -> dict[str, float]:
    """The budget of each strategy, by its name."""
    return {name: _strategy(name).total for name in PERCENTILES}


def advice(setting: Setting, seed: int, trial: int, history: History) -> list[Advice]:
    """What each strategy makes of a game; none of those that were not made for its words, rule and channel."""
    found = []
    for name in PERCENTILES:
        record = _strategy(name)
        try:
            record.check(setting)
        except WordplError:
            continue
        referee = Referee(setting, seed, game_seconds=math.inf)
        player = record.players(setting)(referee.seeds.player(trial, record.player_name))
        moves = tuple(_move(record, setting, history[:asked]) for asked in range(len(history) + 1))
        found.append(Advice(name, record.total, moves, referee.play(trial, player)))
    return found


def _strategy(name: str) -> Any:
    return parse_strategy(f"{name}()")


def _move(record: Any, setting: Setting, history: History) -> Move:
    """The move after these turns, which need not be its own.

    Its table is for its own guesses. After others it spends as much of what is left as it usually does at that clue,
    on the guess that tells most; or, if that is the last clue, that most helps the proposal.
    """
    asked = len(history)
    if all(record.decide(setting, history[:k]) == Ask(turn.guess, turn.epsilon) for k, turn in enumerate(history)):
        own: Move = record.decide(setting, history)
        return own
    policy: Policy = record.policy
    belief = setting.belief(history)
    rest = record.total - math.fsum(turn.epsilon for turn in history)
    if asked >= policy.clues or rest <= 0:
        return Answer(belief.top[0])
    left = belief.truncate(policy.relative_cutoff)
    if asked == policy.clues - 1:
        return Ask(best_guess(left, rest, "expected_top"), rest)
    epsilon = rest * _share(policy, asked, belief.entropy)
    return Ask(best_guess(left, epsilon, "information_gain"), epsilon)


def _share(policy: Policy, asked: int, bits: float) -> float:
    """The part of the remaining budget that the next clue gets."""
    if policy.budget_fractions:
        return policy.budget_fraction(bits)
    spent = 0.0
    for depth in range(asked):
        spent += float(np.median([epsilon for path, (_, epsilon) in policy.moves.items() if len(path) == depth]))
    usual = float(np.median([epsilon for path, (_, epsilon) in policy.moves.items() if len(path) == asked]))
    return usual / (policy.budget - spent)
