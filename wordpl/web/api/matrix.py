"""The clue matrix, a tile at a time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.responses import Response

import wordpl
from wordpl.assistant.reading import read_word
from wordpl.model.clues import MATRIX_VERSION
from wordpl.model.words import WordList
from wordpl.web.models import Model, Rule, Word, WordsName
from wordpl.web.problems import FieldError, in_field
from wordpl.web.server import Here

router = APIRouter(prefix="/api/matrix", tags=["explore"])

Order = Literal["word", "entropy", "similarity"]
Block = Annotated[int, Query(ge=0, le=1_000_000, description="Number of a block, from 0")]


class Size(IntEnum):
    """Rows, and columns, of a tile."""

    SMALL = 128
    LARGE = 512


_FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class View:
    """Which matrix, and in what order its rows and columns are."""

    words: WordList
    rule: Rule
    guess_order: Order
    answer_order: Order

    @property
    def version(self) -> str:
        """Changes with everything that determines what is in a tile."""
        parts = (wordpl.__version__, MATRIX_VERSION, self.words.digest, self.rule, self.guess_order, self.answer_order)
        return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:16]

    def rows(self) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        return wordpl.order_guesses(self.words, self.guess_order, self.rule)

    def columns(self) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        return wordpl.order_answers(self.words, self.answer_order, self.rule)


async def _view(
    here: Here,
    words: WordsName,
    rule: Rule = "letterwise",
    guess_order: Annotated[Order, Query(description="Order of the rows")] = "word",
    answer_order: Annotated[Order, Query(description="Order of the columns")] = "word",
) -> View:
    return View(here.word_lists.get(words), rule, guess_order, answer_order)


Viewed = Annotated[View, Depends(_view)]


class MatrixOrder(Model):
    """A clue matrix in an order."""

    version: Annotated[str, Field(description="Given to `tile`, it makes the tile one that never changes")]
    length: int
    guesses: Annotated[int, Field(description="Number of rows")]
    answers: Annotated[int, Field(description="Number of columns")]
    bytes_per_code: Literal[1, 2]


class Place(Model):
    """Where a word is in a matrix that is in an order."""

    word: str
    row: int
    column: Annotated[int | None, Field(description="Null for a word that cannot be the answer")]


@router.get("/{words}/order")
async def read_matrix_order(view: Viewed, here: Here) -> MatrixOrder:
    """The size of a matrix; puts its rows and columns in order."""

    def work() -> MatrixOrder:
        rows, columns = len(view.rows()), len(view.columns())
        return MatrixOrder(
            version=view.version,
            length=view.words.length,
            guesses=rows,
            answers=columns,
            bytes_per_code=1 if view.words.length <= 5 else 2,
        )

    return await here.pool.run(work)


@router.get(
    "/{words}/tile",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The tile"}},
)
async def read_matrix_tile(
    view: Viewed,
    here: Here,
    row: Block,
    column: Block,
    size: Size = Size.SMALL,
    version: Annotated[str | None, Query(max_length=16, description="As `order` gave it")] = None,
) -> Response:
    """A block of `size` rows and columns (fewer at the end of the matrix).

    First the clue codes, row by row: a byte each, from six letters two bytes, the lower one first. Then, in UTF-8, the
    guesses of the rows with spaces between them, a line feed, and the answers of the columns.
    """
    if version not in (None, view.version):
        raise FieldError("This is not the version of the matrix that is here; ask for its order again.", "version", 409)
    body = await here.pool.run(_tile, view, row * size, column * size, size)
    headers = {"Cache-Control": "no-cache" if version is None else _FOR_EVER}
    return Response(body, media_type="application/octet-stream", headers=headers)


def _tile(view: View, top: int, left: int, size: int) -> bytes:
    rows, columns = view.rows()[top : top + size], view.columns()[left : left + size]
    for name, block, ends in (("row", rows, len(view.words.guesses)), ("column", columns, len(view.words.answers))):
        if not len(block):
            raise FieldError(f"There is no such {name}; the last one is {(ends - 1) // size}.", name)
    codes = wordpl.clue_matrix(view.words, view.rule)[np.ix_(rows, columns)]
    guesses = " ".join(view.words.guesses[i] for i in rows)
    answers = " ".join(view.words.answers[i] for i in columns)
    return codes.astype(codes.dtype.newbyteorder("<")).tobytes() + f"{guesses}\n{answers}".encode()


@router.get("/{words}/find")
async def find_in_matrix(view: Viewed, here: Here, word: Annotated[Word, Query()]) -> Place:
    """The row of a guess, and the column of an answer."""

    def work() -> Place:
        with in_field("word"):
            found = read_word(word, view.words)
        answer = view.words.answer_index.get(found)
        return Place(
            word=found,
            row=int(np.flatnonzero(view.rows() == view.words.guess_index[found])[0]),
            column=None if answer is None else int(np.flatnonzero(view.columns() == answer)[0]),
        )

    return await here.pool.run(work)
