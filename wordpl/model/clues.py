"""Clues: what a guess says about an answer, under both repeat rules.

A mark is 2 (correct), 1 (present elsewhere) or 0 (absent). A clue code is the marks read as a base-3
number, the first letter most significant, so 0 is all absent and 3**length - 1 all correct.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import RLock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import set_fields, whole_number
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError, nearest
from wordpl.base.sanitizing import html_text
from wordpl.model.entropy import Floats
from wordpl.model.names import NOTATIONS, RULES
from wordpl.model.words import MAX_LENGTH, MIN_LENGTH, WordList, as_words, capitals, fold_word, letters_of

Codes = NDArray[np.unsignedinteger[Any]]

# Each way to type a clue: what stands for a mark. Absent may be a point or a dash beside letters.
_TYPED: tuple[dict[str, int], ...] = (
    {"c": 2, "i": 1, ".": 0, "-": 0},
    {"2": 2, "1": 1, "0": 0},
    {"g": 2, "y": 1, "b": 0, "x": 0, ".": 0, "-": 0},
    {"🟩": 2, "🟨": 1, "⬛": 0, "⬜": 0},
    {"🟧": 2, "🟦": 1, "⬛": 0, "⬜": 0},  # the high-contrast colours
)
SQUARES = "🟩🟨🟧🟦⬛⬜"
# Other signs and the codes of chat exports that stand for the squares, as ◼ and :large_green_square:. Signs that nobody
# sees are left out: those that say how to draw the square before them, marks of direction, and spaces without width.
_UNSEEN = (
    "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff"
)
_SIGNS = str.maketrans("◼◾▪■◻◽▫□", "⬛⬛⬛⬛⬜⬜⬜⬜", _UNSEEN)
_CODES = dict(zip(("green", "yellow", "orange", "blue", "black", "white"), SQUARES, strict=True))
_CODE = re.compile(f":(?:large_)?({'|'.join(_CODES)})(?:_large|_medium|_small|_medium_small)?_square:", re.IGNORECASE)


def plain_squares(text: str) -> str:
    """Return a text with one sign for each colour of squares, in place of the codes of chats and of smaller squares."""
    return _CODE.sub(lambda code: _CODES[code[1].lower()], text).translate(_SIGNS)


def check_rule(rule: str) -> str:
    """Return `rule` if it is one of `RULES`. Raises `WordplError`, with the nearest rule, if it is not."""
    if rule not in RULES:
        raise WordplError(f"unknown repeat rule {rule!r}: {nearest(rule, RULES)}")
    return rule


@dataclass(frozen=True, slots=True)
class Clue:
    """The marks of one clue: `int(clue)` is its code, `str(clue)` the contest's letters, such as `..icc`.

    `length` is from 1 to 8, `code` from 0 to 3**length - 1. Other values raise `WordplError`. A clue equals the text
    that `str` gives. Comparing it with other text is an error, because that may be a clue in another notation.
    """

    code: int
    length: int = 5

    def __post_init__(self) -> None:
        length = whole_number("clue length", self.length, maximum=MAX_LENGTH)
        set_fields(self, length=length, code=whole_number("clue code", self.code, minimum=0, maximum=3**length - 1))

    @classmethod
    def parse(cls, text: str | int | Clue, length: int | None = None) -> Clue:
        """Read a clue from `text`: a `Clue`, its code, or text such as `..icc`, `00122`, `bbygg` or squares.

        The text is in one notation, in upper or lower case, with spaces or without. Squares may be written as in chats,
        such as `:large_green_square:`. With `length`, 3 to 8, the clue must have that many marks. Raises `WordplError`
        for any other text.
        """
        if isinstance(text, Clue):
            clue = text
        elif isinstance(text, str):
            clue = cls(*_parsed(text))
        else:
            try:
                return cls(operator.index(text), 5 if length is None else length)
            except TypeError:
                message = f"{text!r} is not a clue; text such as '..icc' or a whole number is expected"
                raise WordplError(message) from None
        if length is not None and clue.length != length:
            raise WordplError(f"clue {str(text)!r} has {counted(clue.length, 'mark')}, the words have {length} letters")
        return clue

    @property
    def marks(self) -> tuple[int, ...]:
        """The marks, first letter first."""
        return tuple(self.code // 3**k % 3 for k in reversed(range(self.length)))

    def show(self, notation: str = "ci.") -> str:
        """Return the clue in a `notation`: `ci.`, `210`, `gyb` or `emoji`. Raises `WordplError` for any other."""
        if notation not in NOTATIONS:
            raise WordplError(f"unknown notation {notation!r}: {nearest(notation, NOTATIONS)}")
        return "".join(NOTATIONS[notation][mark] for mark in self.marks)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            if len(other) != self.length or not set(other) <= set(NOTATIONS["ci."]):
                raise WordplError(f"{other[:40]!r} is no clue of {self.length} marks of c, i and .; use Clue.parse")
            return str(self) == other
        return isinstance(other, Clue) and (self.code, self.length) == (other.code, other.length)

    def __hash__(self) -> int:
        return hash(str(self))

    def __int__(self) -> int:
        return self.code

    __index__ = __int__

    def __str__(self) -> str:
        return self.show()

    def __repr__(self) -> str:
        return f"<Clue {self}>"

    def _repr_html_(self) -> str:
        return html_tiles(self.marks)


_TILES = (("#5f6368", ".", "absent"), ("#8a6d00", "i", "present"), ("#2e7d32", "c", "correct"))


def html_tiles(marks: Iterable[int], letters: str = "") -> str:
    """Return a clue as coloured tiles, each with its mark, and with the letter of the guess above it if given."""
    cells = []
    for place, mark in enumerate(marks):
        colour, sign, name = _TILES[mark]
        letter = f"{html_text(capitals(letters[place]))}<br>" if letters else ""
        cells.append(
            f'<span title="{name}" style="display:inline-block;min-width:1.6em;padding:.2em 0;margin:1px;'
            f"text-align:center;line-height:1.2;font-family:monospace;font-weight:bold;border-radius:3px;"
            f'background:{colour};color:#fff">{letter}{sign}</span>'
        )
    return f'<span style="white-space:nowrap">{"".join(cells)}</span>'


@lru_cache(maxsize=8192)
def _parsed(text: str) -> tuple[int, int]:
    typed = plain_squares(text.strip()).lower().replace(" ", "")
    marks = next((marks for marks in _TYPED if marks.keys() >= set(typed)), None)
    if marks is None:
        unknown = [character for character in typed if not any(character in marks for marks in _TYPED)]
        clue = f"clue {text[:40]!r}"
        wrong = f"{unknown[0]!r} in {clue} is not a mark" if unknown else f"{clue} mixes notations"
        raise WordplError(f"{wrong}; write c, i, . (or 2, 1, 0; or g, y, b; or 🟩🟨⬛)")
    length = len(typed)
    if not MIN_LENGTH <= length <= MAX_LENGTH:
        raise WordplError(
            f"clue {text[:40]!r} has {counted(length, 'mark')}; words have {MIN_LENGTH} to {MAX_LENGTH} letters"
        )
    return int("".join(str(marks[character]) for character in typed), 3), length


@lru_cache(maxsize=16)
def clue_strings(length: int) -> tuple[str, ...]:
    """Return every clue of `length` marks in the contest's letters, in order of code."""
    return tuple(str(Clue(code, length)) for code in range(3**length))


@lru_cache(maxsize=16)
def _marks(length: int) -> NDArray[np.uint8]:
    """Return the marks of every clue code: uint8 [length, 3**length]."""
    codes = np.arange(3**length)
    return np.array([codes // 3**k % 3 for k in reversed(range(length))], dtype=np.uint8)


@lru_cache(maxsize=8192)
def differing_marks(code: int, length: int) -> NDArray[np.intp]:
    """Return the number of marks in which each clue code differs from `code`: [3**length]."""
    marks = _marks(length)
    return np.asarray((marks != marks[:, code, np.newaxis]).sum(axis=0, dtype=np.intp))


def clues_at_distance(length: int, lies: int) -> int:
    """Return how many clues differ from one in exactly `lies` of its `length` marks."""
    return math.comb(length, lies) << lies


def add_marks(code: int, other: int) -> int:
    """Return the code whose marks are those of two codes added, modulo 3."""
    total, weight = 0, 1
    while code or other:
        total += (code + other) % 3 * weight
        code, other, weight = code // 3, other // 3, 3 * weight
    return total


def by_distance(weights: NDArray[Any], length: int, farthest: int, combine: np.ufunc = np.add) -> list[Floats]:
    """Return, for each clue code, the sum of the weights of the codes at each distance from it, 0 to `farthest`.

    The distance is the number of marks that differ. Each sum is [3**length, n], as `weights` is. It takes `length`
    passes of a 3x3 matrix whose entries are polynomials in "false". `np.maximum` for `combine` gives the largest
    weight (from 0 up) in place of the sum.
    """
    # A pass treats the first mark of each code and puts it last.
    sums = [weights, *(np.zeros_like(weights) for _ in range(farthest))]
    for _ in range(length):
        marks = [of.reshape(3, -1, weights.shape[1]) for of in sums]
        changed = [combine(of[[1, 0, 0]], of[[2, 2, 1]]) for of in marks]
        passed = [marks[0], *(combine(true, false) for true, false in zip(marks[1:], changed[:-1], strict=True))]
        sums = [of.swapaxes(0, 1).reshape(weights.shape) for of in passed]
    return sums


def clue(guess: str, answer: str, rule: str = "letterwise") -> Clue:
    """Return the clue to `guess` for the answer `answer` under `rule`. Both may be any words of one length, 3 to 8.

    `letterwise` (the WORDPL contest) marks each letter alone. `counted` (ordinary Wordle) uses each letter of the
    answer for one mark only, first for correct marks, then for present marks from left to right. Raises `WordplError`
    if the lengths differ or are not allowed, or the rule is unknown.

    >>> str(clue("crate", "haste")), int(clue("crate", "haste"))
    ('..icc', 17)
    >>> str(clue("trees", "solve")), str(clue("trees", "solve", rule="counted"))
    ('..iii', '..i.i')
    """
    check_rule(rule)
    guess, answer = fold_word(guess), fold_word(answer)
    if len(guess) != len(answer):
        raise WordplError(f"guess {guess!r} has {counted(len(guess), 'letter')}, answer {answer!r} has {len(answer)}")
    whole_number("word length", len(guess), MIN_LENGTH, MAX_LENGTH)
    marks = [2 if g == a else 0 for g, a in zip(guess, answer, strict=True)]
    unused = [a for a, mark in zip(answer, marks, strict=True) if mark == 0]
    for k, letter in enumerate(guess):
        if marks[k] == 2:
            continue
        if rule == "letterwise":
            marks[k] = int(letter in answer)
        elif letter in unused:
            marks[k] = 1
            unused.remove(letter)
    return Clue(int("".join(map(str, marks)), 3), len(guess))


class ClueRows:
    """Clue codes of any guess against all answers of a list, a row at a time.

    For each position and letter it stores what that letter alone adds to the codes of all answers. A row is the sum of
    `length` such rows, unless the guess repeats a letter under the counted rule.
    """

    def __init__(self, words: WordList, rule: str) -> None:
        self.length, self.rule = words.length, check_rule(rule)
        self.dtype: type[np.unsignedinteger[Any]] = np.uint8 if words.length <= 5 else np.uint16
        self._letters = letters_of(words.answers).T.copy()
        self._weights = [3**k for k in reversed(range(words.length))]
        self.made = 0  # rows that `matrix` has made so far
        # A guess may have any letters that there are, and an alphabet has not so many rows.
        self._single = lru_cache(maxsize=1000)(self._alone)

    def __call__(self, guess: str) -> Codes:
        """Return the clue codes of `guess` for each answer: [answers]."""
        row: Codes = np.zeros(self._letters.shape[1], dtype=self.dtype)
        several = self.rule == "counted" and len(set(guess)) < len(guess)
        for k, letter in enumerate(guess):
            if not several or guess.count(letter) == 1:
                row += self._single(k, letter)
            elif guess.index(letter) == k:
                self._add_counted(row, letter, [place for place in range(k, self.length) if guess[place] == letter])
        return row

    def matrix(self, guesses: Sequence[str]) -> Codes:
        """Return the clue codes of `guesses` for each answer, read-only: [guesses, answers]."""
        self.made += len(guesses)
        matrix = np.empty((len(guesses), self._letters.shape[1]), self.dtype)
        for i, guess in enumerate(guesses):
            matrix[i] = self(guess)
        matrix.flags.writeable = False
        return matrix

    def _alone(self, k: int, letter: str) -> Codes:
        """Addition of `letter` at position `k` to every code, judged alone."""
        match = self._letters == ord(letter)
        row: Codes = (match.any(axis=0) + match[k].astype(self.dtype)) * self._weights[k]
        return row.astype(self.dtype)

    def _add_counted(self, row: Codes, letter: str, places: list[int]) -> None:
        """Add to every code what a letter at several places adds, counted."""
        match = self._letters == ord(letter)
        spare = match.sum(axis=0, dtype=np.int8) - match[places].sum(axis=0, dtype=np.int8)
        for k in places:
            present = ~match[k] & (spare > 0)
            spare -= present
            row += ((2 * match[k] + present) * self._weights[k]).astype(self.dtype)


clue_rows = lru_cache(maxsize=8)(ClueRows)
"""The `ClueRows` of a list and rule, made once. Call it with any guess of the right length."""


def clue_row(guess: str, words: WordList | str, rule: str = "letterwise") -> Codes:
    """Return the clue codes of `guess`, any word of the right length, for all answers: uint8 (uint16 from six letters)
    [answers].

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`.

    Raises `WordplError` for a guess of another length than the words, or an unknown rule.
    """
    words = as_words(words)
    guess = fold_word(guess)
    if len(guess) != words.length:
        raise WordplError(f"guess {guess!r} has {counted(len(guess), 'letter')}, the words have {words.length}")
    index, matrix = words.guess_index.get(guess), _matrices.get((words, rule))
    if index is not None and matrix is not None:
        row: Codes = matrix[index]
        return row
    return clue_rows(words, rule)(guess)


_Kept: TypeAlias = dict[tuple[WordList, str], NDArray[Any]]
_matrices: _Kept = {}
_packed: _Kept = {}
_making = RLock()
_MOST_BYTES = 1 << 28
"""The largest matrix that is made where parts of it do, and what the kept ones of a kind have together."""


def _kept(matrices: _Kept, key: tuple[WordList, str], make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """Return the matrix of `key`, and keep it; all others go if they would be too large together.

    One is made at a time, since each takes much room. Who wants one that is kept does not wait.
    """
    matrix = matrices.get(key)
    if matrix is None:
        with _making:
            matrix = matrices.get(key)
            if matrix is None:
                matrix = make()
                size = matrix.nbytes + sum(other.nbytes for other in matrices.values())
                if size > _MOST_BYTES or len(matrices) >= 256:
                    matrices.clear()
                matrices[key] = matrix
    return matrix


def clue_matrix(words: WordList | str, rule: str = "letterwise") -> Codes:
    """Return the clue codes of all guesses for all answers: uint8 (uint16 from six letters) [guesses, answers].

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`.

    The array is read-only. Matrices stay in memory, up to 256 MiB in all, or the last alone if it is larger. Raises
    `WordplError` if the rule is unknown.

    >>> import wordpl
    >>> matrix = wordpl.clue_matrix(wordpl.load_words("original"))
    >>> matrix.shape, matrix.dtype
    ((12972, 2315), dtype('uint8'))
    """
    words = as_words(words)
    return _kept(_matrices, (words, check_rule(rule)), lambda: clue_rows(words, rule).matrix(words.guesses))


def clues_in_blocks(words: WordList, rule: str, guesses: NDArray[np.intp]) -> Iterator[tuple[Codes, NDArray[np.intp]]]:
    """Return the clue codes of `guesses` as arrays [.., answers], each with the rows of its guesses.

    It is the clue matrix and `guesses`, or, if the matrix is too large to be kept, several parts of the guesses. The
    matrix is made once a quarter of all guesses has been asked for; until then, only the rows that are asked for are.
    """
    rows = clue_rows(words, rule)
    size = len(words.answers) * np.dtype(rows.dtype).itemsize
    few = (words, rule) not in _matrices and 4 * (rows.made + len(guesses)) < len(words.guesses)
    if not few and len(words.guesses) * size <= _MOST_BYTES:
        yield clue_matrix(words, rule), guesses
        return
    step = max(1, _MOST_BYTES // 4 // size)
    for start in range(0, max(len(guesses), 1), step):
        some = guesses[start : start + step]
        yield rows.matrix([words.guesses[guess] for guess in some]), np.arange(len(some))


def packed_clues(words: WordList, rule: str) -> NDArray[np.uint16]:
    """Return the transposed clue matrix with two bits for each mark: uint16 [answers, guesses].

    The exclusive or of two entries tells which marks differ. The array is read-only, and kept as the clue matrix is.
    """

    def make() -> NDArray[np.uint16]:
        clues = clue_matrix(words, rule)
        table = (4 ** np.arange(words.length)[::-1] @ _marks(words.length)).astype(np.uint16)
        packed = np.empty(clues.shape[::-1], np.uint16)
        for a, row in enumerate(packed):
            row[:] = table[clues[:, a]]
        packed.flags.writeable = False
        return packed

    return _kept(_packed, (words, rule), make)
