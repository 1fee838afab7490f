"""The row of a trial, from the referee to the store and to exports; and tables of rows, as statistics need them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from wordpl.base.displays import json_epsilon
from wordpl.base.json_types import Doc, InJson, JsonEpsilon
from wordpl.play.referee import Game, Verdict, chance
from wordpl.play.setting import Setting

VERDICTS = tuple(Verdict)
_VERDICTS = tuple(map(str, VERDICTS))


@dataclass(frozen=True)
class Column:
    """The form in which tables hold one value of each trial."""

    dtype: type[np.generic] | None = None
    """Its type in `RESULT`; None for the reason, which is kept beside."""
    texts: Sequence[str] = ()
    """The texts that codes in a table stand for."""
    is_word: bool = False
    """True if the codes are positions among the words of the table; -1 is None."""
    timing: bool = False
    """True if it measures time. Timings are not part of the results: exports leave them out unless asked."""
    compared: bool = False
    """True if two stores that are merged must agree about it."""
    name: str = ""

    def written(self, values: NDArray[Any], words: Sequence[str], nothing: str | None = None) -> NDArray[Any]:
        """[trials]: the values of a table with these `words` as rows have them, with `nothing` for no word."""
        texts = words if self.is_word else self.texts
        return np.array([*texts, nothing], dtype=object)[values] if texts else values


class Trial(NamedTuple):
    """The outcome of one trial. Its fields are the columns of the store and of exports, in order."""

    trial: Annotated[int, Column(np.int64), Doc("Number of the trial.")]
    answer: Annotated[str, Column(np.int32, is_word=True, compared=True), Doc("The answer.")]
    proposed: Annotated[
        str | None, Column(np.int32, is_word=True, compared=True), Doc("The proposed word; null for none.")
    ]
    """None for no proposal, and for a last guess of Wordle that is no answer."""
    verdict: Annotated[str, Column(np.int8, texts=_VERDICTS, compared=True), Doc("Verdict on the game.", _VERDICTS)]
    reason: Annotated[str, Column(), Doc("Why it was lost, if not by a wrong word.")]
    budget: Annotated[
        float,
        Column(np.float64, compared=True),
        InJson(json_epsilon, JsonEpsilon),
        Doc("Epsilon spent, won or lost."),
    ]
    asks: Annotated[int, Column(np.int32), Doc("Number of asks.")]
    turns: Annotated[int, Column(np.int32, compared=True), Doc("Number of guesses, counted as in ordinary Wordle.")]
    chance: Annotated[float, Column(np.float64), Doc("Posterior probability of the proposed word.")]
    """Posterior probability of the proposed answer, 0 for none; in the format of Wordle, that of the last guess, and 1
    for a game that was won before it."""
    seconds: Annotated[float, Column(np.float64, timing=True), Doc("Only with `--timings`.")]
    slowest: Annotated[float, Column(np.float64, timing=True), Doc("Only with `--timings`.")]
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


COLUMNS: tuple[Column, ...] = tuple(
    replace(get_args(hint)[1], name=name) for name, hint in get_type_hints(Trial, include_extras=True).items()
)

RESULT = np.dtype([(column.name, column.dtype) for column in COLUMNS if column.dtype is not None])
"""A row of a table. `answer` and `proposed` are positions among its words, `verdict` one in `VERDICTS`."""
_CODES = {verdict: code for code, verdict in enumerate(_VERDICTS)}

SHOWN = tuple(column for column in COLUMNS if column.name in ("verdict", "budget", "turns", "chance"))
"""The columns from which tables of many tasks and plots follow."""


def read_rows(rows: Sequence[Trial], words: dict[str, int]) -> tuple[NDArray[np.void], dict[int, str]]:
    """Rows as a table of `RESULT`, and their reasons by trial.

    `words` are those of the table, each with its code, and get those that are new."""
    table = np.empty(len(rows), RESULT)
    for column, values in zip(COLUMNS, zip(*rows, strict=True), strict=False):
        if column.is_word:
            table[column.name] = list(coded(values, words))
        elif column.texts:
            table[column.name] = [_CODES[value] for value in values]
        elif column.dtype is not None:
            table[column.name] = values
    return table, {row.trial: row.reason for row in rows if row.reason}


def coded(found: Iterable[str | None], words: dict[str, int]) -> Iterator[int]:
    """Yield the codes of words that were `found`; those that are new get one. -1 is None."""
    return (-1 if word is None else words.setdefault(word, len(words)) for word in found)
