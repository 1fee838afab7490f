"""Readers of typed words, clues and turns, the same in all commands; `docs/how-to/wordle.md` has the rules."""

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Annotated

from typing_extensions import TypedDict

from wordpl.base.checks import clue_epsilon, turn_epsilon, typed
from wordpl.base.displays import counted, cut, json_epsilon
from wordpl.base.errors import WordplError, closest
from wordpl.base.json_types import Doc, JsonEpsilon
from wordpl.model.clues import Clue
from wordpl.model.names import CURRENT
from wordpl.model.words import MAX_LENGTH, MIN_LENGTH, WordList, as_words, fold_word
from wordpl.play.setting import History, Turn

_TURN = re.compile(r"(?P<word>[^ =@]+)(?: ?= ?| )(?P<clue>[^=@]*[^=@ ])(?: ?(?P<at>@)(?P<epsilon>.*))?")


def read_turn(text: str, words: WordList | str, epsilon: float = math.inf) -> Turn:
    """The turn that `text` means, such as `crate ..c..`, `crate=..c..` or `crate=..c..@13`; `epsilon` is that of a clue
    that names none. `words` is a word list or the name of one.

    Raises `WordplError` for anything else, and for a word that is not in the word list unless `!` comes after it.
    """
    words = as_words(words)
    parts = _TURN.fullmatch(" ".join(text.split()))
    if parts is None:
        raise WordplError(f"{_cut(text.strip())} is not a guess with its clue; write crate ..c.. or crate=..c..@13")
    word = read_any_word(parts["word"], words)
    marks = Clue.parse(parts["clue"], words.length)
    return Turn(word, read_epsilon(parts["epsilon"]) if parts["at"] else clue_epsilon("epsilon", epsilon), marks.code)


def write_turn(turn: Turn) -> str:
    """A turn as it is typed: `crate=..c..`, or `crate=..c..@13`."""
    return f"{turn.guess}={Clue(turn.clue, len(turn.guess))}{written_epsilon(turn)}"


def written_epsilon(turn: Turn) -> str:
    """`@13`, with all digits that the epsilon of a turn needs to be read back as it is; empty without noise."""
    return "" if math.isinf(turn.epsilon) else f"@{turn.epsilon!r}".removesuffix(".0")


class TurnRecord(TypedDict):
    guess: Annotated[str, Doc("The guess.")]
    clue: Annotated[str, Doc("Its clue.")]
    epsilon: Annotated[JsonEpsilon, Doc("Its budget.")]


def turn_record(turn: Turn) -> TurnRecord:
    """A turn as plain JSON values, its clue in the contest's notation."""
    clue = str(Clue(turn.clue, len(turn.guess)))
    return {"guess": turn.guess, "clue": clue, "epsilon": json_epsilon(turn.epsilon)}


def read_turns(texts: Sequence[str], words: WordList, epsilon: float = math.inf) -> History:
    """The turns of a command's arguments, of which `crate ..c..` may be one or two."""
    turns: list[str] = []
    rest = iter(texts)
    for text in rest:
        whole = re.search(r"[\s=@]", text.strip())
        turns.append(text if whole else f"{text} {next(rest, '')}")
    return tuple(read_turn(text, words, epsilon) for text in turns)


def usual_words(noisy: bool, lies: bool = False) -> str:
    """The bundled list of a game: the contest's in WORDPL, that of fibble.xyz in Fibble, which has lies, and the
    newspaper's current one in ordinary Wordle, for all purposes: help, analysis, games, and the word of the day."""
    return "original" if noisy else "fibble" if lies else CURRENT


def usual_rule(noisy: bool) -> str:
    """The repeat rule of the game: that of WORDPL where clues are noisy, else that of ordinary Wordle."""
    return "letterwise" if noisy else "counted"


def read_epsilon(text: str, check: Callable[[str, object], float] = turn_epsilon) -> float:
    """The epsilon of a row: a number from 0 to 1e6, or inf, unless another `check` decides."""
    given = text.strip()
    if not given:
        raise WordplError("there is no number after @; write the epsilon as crate=..c..@13, or leave out the @")
    return check("epsilon", math.inf if given == "∞" else typed(given)) + 0.0  # which makes 0 of -0


def read_word(text: str, words: WordList) -> str:
    """A guess of the list. Raises `WordplError` for anything else, with the words that were perhaps meant."""
    word = fold_word(text.strip())
    if word in words.guess_index:
        return word
    hint = did_you_mean(word, words) or "; give another word"
    try:
        check_word(word, words.length)
    except WordplError as error:
        raise WordplError(f"{error}{hint}") from None
    raise WordplError(f"{word!r} is not in the word list {words.name}{hint}")


def read_any_word(text: str, words: WordList) -> str:
    """A guess of the list, or with `!` after it any word of that length."""
    if text.strip().endswith("!"):
        return check_word(text.strip()[:-1], words.length)
    word = fold_word(text.strip())
    if word in words.guess_index or not word.isalpha() or len(word) != words.length:
        return read_word(text, words)
    hint = did_you_mean(word, words)
    for letter in sorted(set(word).difference(*words.guesses)):  # it may look like one of theirs
        name = unicodedata.name(letter, "without a name")
        raise WordplError(f"{word!r} has {letter!r} ({name}), which no word of {words.name} has{hint}")
    advice = f"{hint or ';'} write {word}! if your site takes it"
    raise WordplError(f"{word!r} is not in the word list {words.name}{advice}")


def check_word(text: str, length: int | None = None) -> str:
    """A word as lists have it, if it has that many letters; it need not be in any list."""
    word = fold_word(text.strip())
    if not word.isalpha():
        raise WordplError(f"{_cut(word)} has characters that are not letters")
    letters = counted(len(word), "letter")
    if length is None and not MIN_LENGTH <= len(word) <= MAX_LENGTH:
        raise WordplError(f"{_cut(word)} has {letters}; words have {MIN_LENGTH} to {MAX_LENGTH} letters")
    if length is not None and len(word) != length:
        raise WordplError(f"{_cut(word)} has {letters}, the words have {length}")
    return word


def did_you_mean(word: str, words: WordList) -> str:
    """`"; did you mean 'crate'?"` with up to three words of the list that are a slip away, or near; else nothing."""
    slips = [near for near in words.guesses if _is_slip(word, near)]
    answers = [near for near in slips if near in words.answer_index]
    near = (answers or slips)[:3] or list(filter(None, [closest(word, words.answers)]))
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def _is_slip(word: str, meant: str) -> bool:
    """Return whether one slip makes `word` of `meant`: two letters swapped, one wrong, missing or too many."""
    same = next((k for k, (a, b) in enumerate(zip(word, meant, strict=False)) if a != b), min(len(word), len(meant)))
    word, meant = word[same:], meant[same:]
    return word[1:] in (meant, meant[1:]) or word == meant[1:] or word[1::-1] + word[2:] == meant


def _cut(text: str) -> str:
    return repr(cut(text, 41))
