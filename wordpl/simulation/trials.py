"""The row of a trial, from the referee to the store and to exports; and tables of rows, as statistics need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from wordpl.base.displays import json_epsilon
from wordpl.base.json_types import Doc, InJson, JsonEpsilon
from wordpl.play.referee import Game, Verdict, chance
from wordpl.play.setting import Setting


class Trial(NamedTuple):
    """The outcome of one trial. Its fields are the columns of the store, of tables and of exports, in order."""

    trial: Annotated[int, Doc("Number of the trial.")]
    answer: Annotated[str, Doc("The answer.")]
    proposed: Annotated[str | None, Doc("The proposed word; null for none.")]
    """None for no proposal, and for a last guess of Wordle that is no answer."""
    verdict: Annotated[str, Doc("Verdict on the game.", tuple(map(str, Verdict)))]
    reason: Annotated[str, Doc("Why it was lost, if not by a wrong word.")]
    budget: Annotated[float, InJson(json_epsilon, JsonEpsilon), Doc("Epsilon spent, won or lost.")]
    asks: Annotated[int, Doc("Number of asks.")]
    turns: Annotated[int, Doc("Number of guesses, counted as in ordinary Wordle.")]
    chance: Annotated[float, Doc("Posterior probability of the proposed word.")]
    """Posterior probability of the proposed answer, 0 for none; in the format of Wordle, that of the last guess, and 1
    for a game that was won before it."""
    seconds: Annotated[float, Doc("Only with `--timings`.")]
    slowest: Annotated[float, Doc("Only with `--timings`.")]
    """Seconds of all moves, and of the slowest one."""

    @classmethod
    def of(cls, setting: Setting, game: Game) -> Trial:
        """The row of a finished game."""
        history = game.history
        proposed = game.proposed if game.proposed in setting.words.answer_index else None
        likely = 0.0
        if game.proposed is not None:
            if not setting.format.is_wordle:
                likely = chance(setting, history, game.proposed)
            # Only the last guess was a matter of chance: what comes before it has been won or not.
            elif len(history) == setting.format.guesses:
                likely = chance(setting, history[:-1], game.proposed)
            else:
                likely = 1.0
        result = (game.trial, game.answer, proposed, game.verdict.value, game.reason, game.budget)
        return cls(*result, len(history), game.turns, likely, game.seconds, game.slowest)


COLUMNS = Trial._fields
TIMINGS = ("seconds", "slowest")
"""Columns that measure time. They are not part of the results: exports leave them out unless asked."""
COMPARED = ("answer", "proposed", "verdict", "budget", "turns")
"""Columns about which two stores that are merged must agree."""
SHOWN = ("verdict", "reason", "budget", "turns", "chance")
"""The columns from which tables of many tasks and plots follow."""
_TYPES = {"trial": np.int64, int: np.int32, float: np.float64}
RESULT = np.dtype([(name, _TYPES.get(name, _TYPES.get(kind, object))) for name, kind in get_type_hints(Trial).items()])
"""A row of a table."""


def table_of(rows: Iterable[tuple[Any, ...]], columns: Sequence[str] = COLUMNS) -> NDArray[np.void]:
    """Return rows that have these columns as a table."""
    return np.fromiter(rows, [(name, RESULT[name]) for name in columns])
