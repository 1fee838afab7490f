"""Beside a game that was played: what our strategies for the percentiles of the contest make of it."""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np

from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc
from wordpl.limits.policy import Policy
from wordpl.model.clues import clue
from wordpl.play.moves import Answer, Ask, Move
from wordpl.play.referee import Referee
from wordpl.play.setting import History, Setting
from wordpl.play.specs import parse_strategy
from wordpl.scoring.guess_scores import best_guess
from wordpl.web.models import Model
from wordpl.wordle.reading import TurnRecord, turn_record


class RecordHolder(Model):
    """A strategy of the library for one percentile of the contest."""

    name: str
    percentile: int
    budget: float


class StrategyMoveOut(Model):
    action: Literal["ask", "propose"]
    word: str
    epsilon: Annotated[float | None, Doc("Null for a proposal")]


class OwnRow(TurnRecord):
    true_clue: str


class AdviceOut(RecordHolder):
    """The moves of a record holder in a game that is over, and its own game."""

    moves: Annotated[tuple[StrategyMoveOut, ...], Doc("Its moves before each row, and after the last")]
    rows: Annotated[list[OwnRow], Doc("Its own game with the same answer and noise")]
    proposed: str | None
    won: bool
    spent: float


PERCENTILES = {"Fifth": 5, "Median": 50, "NinetyFifth": 95}
"""The percentile for which each strategy of the library was made."""


@cache
def record_holders() -> tuple[RecordHolder, ...]:
    """The strategies of the library for the percentiles of the contest."""
    return tuple(RecordHolder(name=name, percentile=q, budget=_strategy(name).total) for name, q in PERCENTILES.items())


def advice(setting: Setting, seed: int, answer: str, history: History) -> list[AdviceOut]:
    """Advice of the record holders that were made for this setting, in a game with that answer and the noise of trial 0
    under a seed."""
    advised = []
    for holder in record_holders():
        strategy = _strategy(holder.name)
        try:
            strategy.check(setting)
        except WordplError:
            continue
        referee = Referee(setting, seed)
        open_game, rule = referee.open(0, answer=answer), setting.rule
        open_game.play(strategy.players(setting)(referee.seeds.player(0, strategy.player_name)))
        game = open_game.game
        advised.append(
            AdviceOut(
                **dict(holder),
                moves=tuple(_move_out(_move(strategy, setting, history[:asks])) for asks in range(len(history) + 1)),
                rows=[{**turn_record(t), "true_clue": str(clue(t.guess, game.answer, rule))} for t in game.history],
                proposed=game.proposed,
                won=game.won,
                spent=game.budget,
            )
        )
    return advised


def _move_out(move: Move) -> StrategyMoveOut:
    if isinstance(move, Answer):
        return StrategyMoveOut(action="propose", word=move.word, epsilon=None)
    return StrategyMoveOut(action="ask", word=move.guess, epsilon=move.epsilon)


def _strategy(name: str) -> Any:
    return parse_strategy(f"{name}()")


def _move(strategy: Any, setting: Setting, history: History) -> Move:
    """The move after these turns, which need not be its own.

    Its table is for its own guesses. After others it spends as much of what is left as it usually does at that clue,
    on the guess that tells most; or, if that is the last clue, that most helps the proposal.
    """
    asks = len(history)
    if all(strategy.decide(setting, history[:k]) == Ask(turn.guess, turn.epsilon) for k, turn in enumerate(history)):
        move: Move = strategy.decide(setting, history)
        return move
    policy: Policy = strategy.policy
    belief = setting.belief(history)
    rest = strategy.total - math.fsum(turn.epsilon for turn in history)
    if asks >= policy.clues or rest <= 0:
        return Answer(belief.top[0])
    core = belief.truncate(policy.relative_cutoff)
    if asks == policy.clues - 1:
        return Ask(best_guess(core, rest, "expected_top"), rest)
    epsilon = rest * _share(policy, asks, belief.entropy)
    return Ask(best_guess(core, epsilon, "information_gain"), epsilon)


def _share(policy: Policy, asks: int, bits: float) -> float:
    """The part of the remaining budget that the next clue gets."""
    if policy.budget_fractions:
        return policy.budget_fraction(bits)
    usual = [
        float(np.median([epsilon for path, (_, epsilon) in policy.moves.items() if len(path) == depth]))
        for depth in range(asks + 1)
    ]
    return usual[-1] / (policy.budget - sum(usual[:-1]))
