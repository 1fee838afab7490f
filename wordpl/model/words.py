"""Word lists: which words can be the answer, which can be guessed."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import instance
from wordpl.base.displays import counted, cut, line_of
from wordpl.base.errors import WordplError, nearest
from wordpl.base.files import StrPath, read_text
from wordpl.model.names import BUNDLED

_MAX_BYTES = 16 << 20
MIN_LENGTH, MAX_LENGTH = 3, 8


@dataclass(frozen=True, eq=False)
class WordList:
    """The words of a game: `answers` and `guesses`, each a sorted tuple. `name` says where they come from.

    Two lists are equal if their words are equal; the name is only shown.
    """

    name: str
    answers: tuple[str, ...]
    guesses: tuple[str, ...]

    @property
    def length(self) -> int:
        """Letters in each word."""
        return len(self.answers[0])

    @property
    def n_clues(self) -> int:
        """Number of clue codes, 3**length."""
        return int(3**self.length)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the words: the identity of the list."""
        text = "\n".join(self.answers) + "\n\n" + "\n".join(self.guesses) + "\n"
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def guess_index(self) -> dict[str, int]:
        """Position of each word in `guesses`."""
        return {word: i for i, word in enumerate(self.guesses)}

    @cached_property
    def answer_index(self) -> dict[str, int]:
        """Position of each word in `answers`."""
        return {word: i for i, word in enumerate(self.answers)}

    @cached_property
    def answers_as_guesses(self) -> NDArray[np.int64]:
        """Position in `guesses` of each answer: int64 [answers]."""
        return np.array([self.guess_index[word] for word in self.answers], dtype=np.int64)

    def with_every_guess(self) -> WordList:
        """Return a list in which every guess can also be the answer."""
        return WordList(f"{self.name}-every-guess", self.guesses, self.guesses)

    def with_answer(self, word: str) -> WordList:
        """Return a list with one more answer: `word` as `fold_word` gives it. It can be guessed, too."""
        answers, guesses = ({*words, word} for words in (self.answers, self.guesses))
        return WordList(self.name, tuple(sorted(answers)), tuple(sorted(guesses)))

    def with_letters(self, known: str = "", has: str = "", absent: str = "") -> WordList:
        """Return the list whose answers have these letters; all guesses stay.

        `known` has each letter whose place is known, and a point for every other place, as `..a.e`. `has` are letters
        of the answer in any place, twice if it has one twice; after a colon are places where a letter is not, as in
        `r:-4`, or `r:-4-2 st`. `absent` are letters that it does not have. Raises `WordplError` if a text has another
        length or other signs, a letter is both in the answer and absent, or no answer is left.
        """
        known, has, absent = (fold_word(text.strip()) for text in (known, has, absent))
        places = known.translate(dict.fromkeys(map(ord, "_-?"), ".")) or "." * self.length
        if len(places) != self.length or not places.replace(".", "a").isalpha():
            raise WordplError(f"{cut(known)!r} is not a pattern of {self.length} places; write ..a.e, . if unknown")
        absent = "".join(absent.replace(",", " ").split())
        parts_of_has = [part.partition(":-") for part in has.replace(",", " ").split()]
        elsewhere = [(part[0], number) for part in parts_of_has if part[1] for number in part[2].split("-")]
        wanted = Counter("".join(letter for letter, colon, _ in parts_of_has if not colon))
        for letter, _ in elsewhere:
            wanted |= Counter(letter)
        if not {number for _, number in elsewhere} <= set(map(str, range(1, self.length + 1))):
            raise WordplError(f"{cut(has)!r} has no place from 1 to {self.length}; write r:-4 for an r not in place 4")
        for text in filter(None, ("".join(wanted), absent)):
            if not text.isalpha():
                more = "" if text == absent else ", or r:-4 for an r that is not in place 4"
                raise WordplError(f"{cut(text)!r} has signs that are not letters; write them together, as stn{more}")
        if both := sorted({*places, *wanted} & {*absent}):
            raise WordplError(f"{both[0]!r} cannot be in the word and absent from it; leave it out in one place")
        letters = letters_of(self.answers)
        fits = ~np.isin(letters, list(map(ord, absent))).any(axis=1)
        for letter, n in wanted.items():
            fits &= (letters == ord(letter)).sum(axis=1) >= n
        for letter, number in elsewhere:
            fits &= ~np.isin(letters[:, int(number) - 1], list(map(ord, letter)))
        for place, letter in enumerate(places):
            fits &= letter == "." or letters[:, place] == ord(letter)
        parts = [known and places, has and f"with {has}", absent and f"without {absent}"]
        told = ", ".join(filter(None, parts))
        if not fits.any():
            raise WordplError(f"no answer of {self.name} fits {told}; check the letters and the word list")
        answers = tuple(self.answers[i] for i in np.flatnonzero(fits))
        return WordList(f"{self.name} ({told})", answers, self.guesses)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordList) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[object, ...]:
        # Bundled lists travel to workers by name.
        if self.name in BUNDLED and self is _bundled(self.name):
            return load_words, (self.name,)
        return WordList, (self.name, self.answers, self.guesses)

    def __repr__(self) -> str:
        return line_of(self, f"{cut(self.name)}: {len(self.answers)} answers, {len(self.guesses)} guesses")


def fold_word(text: str) -> str:
    """Return a word as lists and clues have it, in lower case; this one function decides which letters are the same.

    The text is in Unicode's form NFC, but for Korean letters (U+1100 on), which are not joined. Each letter becomes its
    lower case, wherever it stands: Σ, σ and ς are one letter. One whose lower case is not one letter stays, as İ does.
    The page has the same rule; `tests/model/folded_words.json` has the cases that both are tested with.

    >>> fold_word("ΛΟΓΟΣ"), fold_word("İZMİR")
    ('λογοσ', 'İzmİr')
    """
    if text.isascii():
        return text.lower()
    lowered = "".join(lower if len(lower := letter.lower()) == 1 else letter for letter in _composed(text))
    return _composed(lowered.replace("ς", "σ"))


def _composed(text: str) -> str:
    return re.sub("[^\u1100-\u11ff]+", lambda run: unicodedata.normalize("NFC", run[0]), text)


def capitals(word: str) -> str:
    """Return a folded `word` in capitals. A letter stays whose capital is not one letter, or is that of another, as ß.

    >>> capitals("größe")
    'GRÖßE'
    """
    pairs = [(letter, letter.upper()) for letter in word]
    return "".join(upper if len(upper) == 1 and fold_word(upper) == letter else letter for letter, upper in pairs)


def letters_of(words: Sequence[str]) -> NDArray[np.uint32]:
    """Return the code points of words of one length: uint32 [words, length]."""
    length = len(words[0])
    return np.array(words, dtype=f"U{length}").view(np.uint32).reshape(len(words), length)


def load_words(name: str | None = None, *, answers: StrPath | None = None, guesses: StrPath | None = None) -> WordList:
    """Load a bundled word list by its `name` (default `original`), or `answers` and `guesses` from text files with one
    word per line.

    Without `guesses`, only the answers can be guessed. Words are changed to lower case and sorted; blank lines are
    skipped. Raises `WordplError` for an unknown name. Raises it with the file, the line and the word if a list is
    empty, is not UTF-8, has words of different lengths, duplicates or non-letters, or if an answer is not a guess.

    >>> load_words("original")
    <WordList original: 2315 answers, 12972 guesses>
    """
    if answers is None and guesses is None:
        return _bundled("original" if name is None else name)
    if name is not None:
        raise WordplError("give either the name of a bundled list or files, not both")
    if answers is None:
        raise WordplError(f"guesses file {str(guesses)!r} was given without an answers file")
    paths = [Path(path) for path in (answers, guesses) if path is not None]
    texts = [read_text(path, "word list", _MAX_BYTES) for path in paths]
    return words_from_text("+".join(path.stem for path in paths), *texts, places=[str(path) for path in paths])


def as_words(words: WordList | str) -> WordList:
    """Return the word list, or the bundled one of that name. Raises `WordplError` for anything else."""
    return load_words(words) if isinstance(words, str) else instance("words", words, WordList)


@cache
def _bundled(name: str) -> WordList:
    if name not in BUNDLED:
        raise WordplError(f"unknown word list {name!r}: {nearest(name, BUNDLED)}")
    data = Path(__file__).with_name("data")
    answers, guesses = ((data / file).read_text("utf-8").split() for file in BUNDLED[name][:2])
    return WordList(name, tuple(answers), tuple(guesses))


def words_from_text(
    name: str, answers: str, guesses: str | None = None, *, places: Sequence[str] = ("answers", "guesses")
) -> WordList:
    """Return a word list from texts with one word per line; without `guesses`, only the answers can be guessed.

    The rules, and the errors, are those of the files of `load_words`. `places` are what errors call the texts.
    """
    of_answers, of_guesses = places[0], places[-1]
    answer_lines = _checked(of_answers, answers)
    guess_lines = answer_lines if guesses is None else _checked(of_guesses, guesses)
    for word, line in answer_lines.items():
        if word not in guess_lines:
            raise WordplError(f"{of_answers}, line {line}: answer {word!r} is not in {of_guesses}; join both lists")
    return WordList(name, tuple(sorted(answer_lines)), tuple(sorted(guess_lines)))


def _checked(source: str, text: str) -> dict[str, int]:
    """The words of a text, each with the number of its line."""
    words: dict[str, int] = {}
    length = 0
    for number, raw in enumerate(text.split("\n"), start=1):
        word = fold_word(raw.strip())
        if not word:
            continue
        where = f"{source}, line {number}: {cut(word, 41)!r}"
        if not word.isalpha():
            raise WordplError(f"{where} has characters that are not letters; one word per line is expected")
        if not MIN_LENGTH <= len(word) <= MAX_LENGTH:
            raise WordplError(
                f"{where} has {counted(len(word), 'letter')}; words have {MIN_LENGTH} to {MAX_LENGTH} letters"
            )
        length = length or len(word)
        if len(word) != length:
            raise WordplError(f"{where} has {counted(len(word), 'letter')}, the words above have {length}")
        if word in words:
            raise WordplError(f"{where} is a duplicate of line {words[word]}")
        words[word] = number
    if not words:
        raise WordplError(f"{source}: no words in it; one word per line is expected")
    return words
