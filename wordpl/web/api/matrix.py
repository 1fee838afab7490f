"""The clue matrix, a tile at a time."""

from __future__ import annotations

import hashlib
from enum import IntEnum
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

import numpy as np
from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

import wordpl
from wordpl.base.json_types import Doc
from wordpl.model.entropy import entropy
from wordpl.model.words import WordList
from wordpl.web.models import Model, Rule, Word, WordsName
from wordpl.web.problems import FieldError, in_field
from wordpl.web.server import Here
from wordpl.wordle.ranking import Indices, counts_by_clue
from wordpl.wordle.reading import read_word

router = APIRouter(prefix="/api/matrix", tags=["explore"])

Order = Literal["word", "entropy"]
Block = Annotated[int, Query(ge=0, le=1_000_000, description="Number of a block, from 0")]


_DIGITS = 9
"""Decimals; entropies that agree to so many are ties."""


class Size(IntEnum):
    """Rows, and columns, of a tile."""

    SMALL = 128
    LARGE = 512


class Matrix(NamedTuple):
    """A matrix whose rows and columns are in order; `version` changes with all that determines what is in a tile."""

    words: WordList
    rule: Rule
    version: str
    rows: Indices
    columns: Indices


def order_words(words: WordList, axis: str, by: str, rule: str) -> Indices:
    """Return the rows or the columns of the clue matrix in an order: the indices of the words of `axis`.

    - `words`: the word list.
    - `axis`: `guesses` or `answers`.
    - `by`: `word`, as in the list, or `entropy`, that of the exact clue if all words of the other axis are equally
      likely, the largest first; ties go in the order of the list.
    - `rule`: `letterwise` or `counted`.
    """
    if by == "word":
        return np.arange(len(words.guesses if axis == "guesses" else words.answers))
    codes = wordpl.clue_matrix(words, rule)
    codes = codes if axis == "guesses" else codes.T
    rows, columns = (np.arange(size) for size in codes.shape)
    blocks = counts_by_clue(codes, words.n_clues, rows, columns)
    bits = np.concatenate([entropy(counts / len(columns), axis=1) for counts in blocks])
    return np.argsort(-bits.round(_DIGITS), kind="stable")


@lru_cache(maxsize=32)
def _matrix(words: WordList, rule: Rule, guess_order: str, answer_order: str) -> Matrix:
    parts = (wordpl.__version__, words.digest, rule, guess_order, answer_order)
    version = hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]
    rows = order_words(words, "guesses", guess_order, rule)
    return Matrix(words, rule, version, rows, order_words(words, "answers", answer_order, rule))


def _ordered(
    here: Here,
    words: WordsName,
    rule: Rule = "letterwise",
    guess_order: Annotated[Order, Query(description="Order of the rows")] = "word",
    answer_order: Annotated[Order, Query(description="Order of the columns")] = "word",
) -> Matrix:
    return _matrix(here.word_lists.get(words), rule, guess_order, answer_order)


InOrder = Annotated[Matrix, Depends(_ordered)]


class MatrixOrder(Model):
    version: Annotated[str, Doc("Given to `tile`, it makes the tile one that never changes")]
    length: int
    guesses: Annotated[int, Doc("Number of rows")]
    answers: Annotated[int, Doc("Number of columns")]
    bytes_per_code: Literal[1, 2]


class MatrixPlace(Model):
    word: str
    row: int
    column: Annotated[int | None, Doc("Null for a word that cannot be the answer")]


@router.get("/{words}/order")
def read_matrix_order(matrix: InOrder) -> MatrixOrder:
    """The size of a matrix; puts its rows and columns in order."""
    length, guesses, answers = matrix.words.length, len(matrix.rows), len(matrix.columns)
    size: Literal[1, 2] = 1 if length <= 5 else 2
    return MatrixOrder(version=matrix.version, length=length, guesses=guesses, answers=answers, bytes_per_code=size)


@router.get("/{words}/tile", response_class=Response, responses={200: {"content": {"application/octet-stream": {}}}})
def read_matrix_tile(
    matrix: InOrder,
    row: Block,
    column: Block,
    size: Size = Size.SMALL,
    version: Annotated[str | None, Query(max_length=16, description="As `order` gave it")] = None,
) -> Response:
    """A block of `size` rows and columns (fewer at the end of the matrix).

    First the clue codes, row by row: a byte each, from six letters two bytes, the lower one first. Then, in UTF-8, the
    guesses of the rows with spaces between them, a line feed, and the answers of the columns.
    """
    if version not in (None, matrix.version):
        raise FieldError("This is not the version of the matrix that is here; ask for its order again.", "version", 409)
    body = _tile(matrix, row * size, column * size, size)
    headers = {"Cache-Control": "no-cache" if version is None else "public, max-age=31536000, immutable"}
    return Response(body, media_type="application/octet-stream", headers=headers)


def _tile(matrix: Matrix, top: int, left: int, size: int) -> bytes:
    words, rows, columns = matrix.words, matrix.rows[top : top + size], matrix.columns[left : left + size]
    for name, block, ends in (("row", rows, len(words.guesses)), ("column", columns, len(words.answers))):
        if not len(block):
            raise FieldError(f"There is no such {name}; the last one is {(ends - 1) // size}.", name)
    codes = wordpl.clue_matrix(words, matrix.rule)[np.ix_(rows, columns)]
    guesses = " ".join(words.guesses[i] for i in rows)
    answers = " ".join(words.answers[i] for i in columns)
    return codes.astype(codes.dtype.newbyteorder("<")).tobytes() + f"{guesses}\n{answers}".encode()


@router.get("/{words}/find")
def find_in_matrix(matrix: InOrder, word: Annotated[Word, Query()]) -> MatrixPlace:
    """The row of a guess, and the column of an answer."""
    with in_field("word"):
        word = read_word(word, matrix.words)
    row = np.flatnonzero(matrix.rows == matrix.words.guess_index[word])[0]
    answer = matrix.words.answer_index.get(word)
    column = None if answer is None else int(np.flatnonzero(matrix.columns == answer)[0])
    return MatrixPlace(word=word, row=int(row), column=column)
