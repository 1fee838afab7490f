"""The row of a trial, from the referee to the store and to exports; and tables of rows, as statistics need them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple, TypeAlias, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from wordpl.base.columns import ColumnsOnDisk
from wordpl.play.referee import Game, Verdict, chance
from wordpl.play.setting import Setting

VERDICTS = tuple(Verdict)


@dataclass(frozen=True)
class Column:
    """How tables hold one value of each trial."""

    dtype: type[np.generic] | None = None
    """Its type in `RESULT`; None for the reason, which is kept beside."""
    texts: Sequence[str] = ()
    """The texts that codes in a table stand for."""
    is_answer: bool = False
    """Whether the codes are positions among the answers; -1 is None."""
    timing: bool = False
    """Whether it measures time. Timings are not part of the results: exports leave them out unless asked."""
    compared: bool = False
    """Whether two stores that are merged must agree about it."""
    name: str = ""

    def written(self, values: NDArray[Any], answers: Sequence[str], nothing: str | None = None) -> NDArray[Any]:
        """[trials]: the values of a table as rows have them, with `nothing` for no answer."""
        texts = answers if self.is_answer else self.texts
        return np.array([*texts, nothing], dtype=object)[values] if texts else values


class Trial(NamedTuple):
    """What came of one trial. Its fields are the columns of the store and of exports, in order."""

    trial: Annotated[int, Column(np.int64)]
    answer: Annotated[str, Column(np.int32, is_answer=True, compared=True)]
    proposed: Annotated[str | None, Column(np.int32, is_answer=True, compared=True)]
    """None for no proposal, and for a last guess of Wordle that is no answer."""
    verdict: Annotated[str, Column(np.int8, texts=tuple(map(str, VERDICTS)), compared=True)]
    reason: Annotated[str, Column()]
    """Why it was lost by anything but a wrong proposal; else empty."""
    budget: Annotated[float, Column(np.float64, compared=True)]
    """Epsilon spent, won or lost."""
    asks: Annotated[int, Column(np.int32)]
    turns: Annotated[int, Column(np.int32, compared=True)]
    """Guesses of an ordinary game."""
    chance: Annotated[float, Column(np.float64)]
    """Posterior probability of the proposed answer, 0 for none; in the format of Wordle, that of the last guess, and 1
    for a game that was won before it."""
    seconds: Annotated[float, Column(np.float64, timing=True)]
    slowest: Annotated[float, Column(np.float64, timing=True)]
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

STORED_COLUMNS = tuple(column for column in COLUMNS if not column.is_answer)
"""The columns that can be read without the word list."""


def dtype_of(columns: Iterable[Column]) -> np.dtype[np.void]:
    """What a table has of these columns."""
    return np.dtype([(column.name, column.dtype) for column in columns if column.dtype is not None])


RESULT = dtype_of(COLUMNS)
"""A row of a table. `answer` and `proposed` are positions among the answers, `verdict` one in `VERDICTS`."""

Trials: TypeAlias = NDArray[np.void] | ColumnsOnDisk
"""A table of trials of one task, with columns of `RESULT`. Both kinds are read by column and by length."""

_ROWS_AT_ONCE = 1000
_MOST_IN_MEMORY = 1_000_000
"""Stored trials of a task that are held in memory, 57 bytes each; those of a larger one are held on disk."""


def read_rows(
    rows: Iterable[Sequence[Any]],
    most: int,
    columns: Sequence[Column] = COLUMNS,
    answers: Sequence[str] = (),
    *,
    summed: bool = False,
) -> tuple[Trials, dict[int, str], int]:
    """Rows as a table, with a field for each of `columns`; their reasons; and if wanted their sum.

    Each row has a value for each of `columns`, the trial first and the reason somewhere. More than a million, by
    `most`, are held on disk. `answers` are for columns that hold answers. The sum is for `STORED_COLUMNS`."""
    texts = {column.name: answers if column.is_answer else column.texts for column in columns}
    codes = {name: dict(zip([None, *t], range(-1, len(t)), strict=True)) for name, t in texts.items() if t}
    dtype = dtype_of(columns)
    reasons: dict[int, str] = {}
    total = 0
    parts = [np.empty(0, dtype)]
    table = ColumnsOnDisk(dtype) if most > _MOST_IN_MEMORY else None
    for chunk in chunks(rows):
        part = np.empty(len(chunk), dtype)
        by_column = list(zip(*chunk, strict=True))
        new_reasons: dict[int, str] = {}
        for column, values in zip(columns, by_column, strict=True):
            if column.dtype is None:
                new_reasons = {trial: reason for trial, reason in zip(by_column[0], values, strict=True) if reason}
            elif code := codes.get(column.name):
                part[column.name] = [code[value] for value in values]
            else:
                part[column.name] = np.array(values, column.dtype)
        total += figures_sum(part, new_reasons) if summed else 0
        reasons |= new_reasons
        if table is None:
            parts.append(part)
        else:
            table.append(part)
    return (np.concatenate(parts) if table is None else table), reasons, total % MODULUS


def row_sums(rows: Sequence[Sequence[Any]]) -> tuple[int, int]:
    """The sums of trials from the store, each with a value for each of `COLUMNS`: of figures, and of words."""
    by_column = dict(zip((column.name for column in COLUMNS), zip(*rows, strict=True), strict=True))
    figures = zip(*(by_column[column.name] for column in STORED_COLUMNS), strict=True)
    words = _words_sum(by_column["trial"], by_column["answer"], by_column["proposed"])
    return read_rows(figures, len(rows), STORED_COLUMNS, summed=True)[2], words


def chunks(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    """Rows in lists of at most so many as NumPy is fast with."""
    left = iter(rows)
    while chunk := list(itertools.islice(left, _ROWS_AT_ONCE)):
        yield chunk


# Sums by which a results file notices damage. Every row has a number of 63 bits, which is another one if any one of its
# cells is. A file keeps the sums of these numbers, and changes them in the transaction that changes the rows.

MODULUS = 1 << 63
_ODD, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
_LONGEST_WORD = 8


def row_digest(cells: Iterable[Any]) -> int:
    """The number of a row of cells that JSON can hold."""
    return int.from_bytes(blake2b(json.dumps([*cells]).encode(), digest_size=8).digest()) % MODULUS


def figures_sum(trials: NDArray[np.void], reasons: Mapping[int, str]) -> int:
    """The sum of trials [n], over all their columns but those of words, and of the `reasons` that there are."""
    mixed = np.zeros(len(trials), np.uint64)
    for name in trials.dtype.names or ():
        column = trials[name]
        # Of 0.0 and -0.0, SQLite keeps one.
        bits = column + 0.0 if column.dtype.kind == "f" else column.astype(np.int64)
        mixed = _mixed(mixed, bits.view(np.uint64))
    return (int(mixed.sum()) + sum(map(row_digest, reasons.items()))) % MODULUS


def _words_sum(trials: Sequence[int], answers: Sequence[str], proposed: Sequence[str | None]) -> int:
    """The sum of trials, by number, over their columns of words."""
    mixed = np.array(trials, np.int64).view(np.uint64)
    for words in (answers, [word or "" for word in proposed]):
        letters = np.array(words, f"U{_LONGEST_WORD}").view(np.uint64).reshape(len(mixed), -1)
        for pair in letters.T:
            mixed = _mixed(mixed, pair)
    return int(mixed.sum()) % MODULUS


def _mixed(mixed: NDArray[np.uint64], column: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The numbers of rows with one more column. One to one in each of both, so no change of one cell is lost."""
    mixed = (mixed ^ column) * _ODD
    return mixed ^ (mixed >> _SHIFT)
