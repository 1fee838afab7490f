"""Rules of the games that people play, ordinary Wordle and Fibble: turns, hard mode, and how a game ends.

Official hard mode: correct letters stay where they are. A letter that was marked is used as often as it was marked.
Under the letterwise rule, several copies of a letter can be marked for one letter of the answer; so there a present
mark only asks for the letter to be used once. Extra hard mode also forbids letters that the answer does not have: those
of which no copy was marked (after C. Walker's "Wordle Extra Hard Mode", a script for the original page, 2022).
"""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import instance, whole_number
from wordpl.base.defaults import FIBBLE_GUESSES, WORDLE_GUESSES
from wordpl.base.displays import counted
from wordpl.base.errors import ContradictionError, RefusedValueError, WordplError
from wordpl.model.channel import ChannelFamily, channel_name, make_channel
from wordpl.model.clues import Clue, check_rule, clue, clue_row
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList, as_words, capitals, letters_of
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.play.seeds import stream
from wordpl.play.setting import History, Setting, Turn

MOST_ROWS = 50
"""Rows of a game that has no bound of its own."""
HardMode: TypeAlias = bool | Literal["extra"]
"""True for official hard mode, "extra" for extra hard mode."""


def seed_of_the_day(words: WordList | str, rule: str = "counted") -> int:
    """The root seed of all words of the day: a hash of the list `words` and of `rule`. Raises `WordplError` for another
    rule.

    The trial is the number of the day (`date.toordinal`). So anybody who has this package can work out the answer.
    """
    words = as_words(words)
    return stream(int(words.digest, 16), f"word of the day, {check_rule(rule)}")


def today() -> date:
    """The day of the word of the day, by UTC."""
    return datetime.now(UTC).date()


def player_format(text: str | None, channel: ChannelFamily, noisy: bool) -> GameFormat:
    """The end of a player's game and its number of rows.

    `text` is `wordle:N`, with N from 1 to 100 rows, or `contest` or `unlimited` for a game without a limit. If it is
    None, a game of WORDPL, whose clues are `noisy` at epsilons of their own, ends as in the contest; one with lies has
    9 rows, another 6.
    Raises `WordplError` for another text, rows where they do not go with the noise, and no limit where clues have lies.
    """
    name, fixed = channel_name(channel), getattr(channel, "row_epsilon", None) is not None
    lies = name.startswith("fibble") and name != "fibble:0"
    usual = CONTEST if noisy and not fixed else GameFormat(FIBBLE_GUESSES if lies else WORDLE_GUESSES)
    format = usual if text is None else GameFormat.parse(text)
    if fixed and not format.is_wordle:
        raise WordplError(f"all clues of channel {name} have one epsilon, as in Wordle; use --game wordle:N")
    if noisy and not fixed and format.is_wordle:
        raise WordplError("a clue of a Wordle game has no epsilon of its own; leave out the format or the epsilon")
    return format


def game_name(setting: Setting) -> str:
    """Return the name of a game of Wordle, with its lies."""
    lies = make_channel(setting.channel, setting.row_epsilon, setting.words.length).false_marks
    return f"Fibble, {counted(lies, 'lie')}" if lies else "Wordle"


def check_hard_mode(hard: HardMode, exact: bool) -> None:
    """Raise `WordplError` if `hard` is no such mode, and if one is wanted and clues are not all `exact`."""
    if hard not in (False, True, "extra"):
        raise RefusedValueError(f"hard = {hard!r} is not allowed", "True, False or 'extra'")
    if hard and not exact:
        raise WordplError("hard mode needs true clues, as in ordinary Wordle; leave it out")


class _Demands(NamedTuple):
    """What hard mode asks of each guess after a clue."""

    places: dict[int, str]
    """Place, from 0 -> letter."""
    counts: dict[str, int]
    """Letter -> how many of it at least."""
    absent: list[str]
    """Letters that are forbidden."""


def _demands(guess: str, marks: Sequence[int], rule: str, hard: HardMode) -> _Demands:
    marked, counts = list(zip(guess, marks, strict=True)), {}
    for letter in dict.fromkeys(letter for letter, mark in marked if mark):
        # Under the letterwise rule all copies are marked for one letter of the answer.
        correct, present = marked.count((letter, 2)), marked.count((letter, 1))
        counts[letter] = correct + present if rule == "counted" else max(correct, 1)
    places = {place: letter for place, (letter, mark) in enumerate(marked) if mark == 2}
    return _Demands(places, counts, [letter for letter in guess if hard == "extra" and letter not in counts])


def legal_after(
    letters: NDArray[np.uint32], guess: str, marks: Sequence[int], rule: str = "counted", hard: HardMode = True
) -> NDArray[np.bool_]:
    """Return which words, given by their `letters` [words, length], hard mode allows after a clue: bool [words]."""
    demands = _demands(guess, marks, rule, hard)
    legal = np.ones(len(letters), dtype=bool)
    for place, letter in demands.places.items():
        legal &= letters[:, place] == ord(letter)
    for letter, needed in demands.counts.items():
        legal &= (letters == ord(letter)).sum(axis=1) >= needed
    for letter in demands.absent:
        legal &= (letters != ord(letter)).all(axis=1)
    return legal


def legal_guesses(words: Sequence[str], rule: str, turns: History, hard: HardMode = True) -> NDArray[np.bool_]:
    """Which words may be guessed after these turns: [words]. All, unless the mode is `hard`."""
    letters = letters_of(words)
    legal = np.ones(len(words), dtype=bool)
    for turn in turns if hard else ():
        legal &= legal_after(letters, turn.guess, Clue(turn.clue, len(turn.guess)).marks, rule, hard)
    return legal


def hard_mode_fault(word: str, turns: History, rule: str = "counted", hard: HardMode = True) -> str:
    """Return why hard mode forbids `word` after these turns; empty if it allows it, or if the mode is not `hard`."""
    for turn in turns if hard else ():
        demands = _demands(turn.guess, Clue(turn.clue, len(turn.guess)).marks, rule, hard)
        for place, letter in demands.places.items():
            if word[place] != letter:
                return f"letter {place + 1} must be {capitals(letter)}"
        for letter, needed in demands.counts.items():
            if word.count(letter) < needed:
                return f"the guess must contain {capitals(letter)}" + (f" {needed} times" if needed > 1 else "")
        for letter in demands.absent:
            if letter in word:
                return f"the guess must not contain {capitals(letter)}"
    return ""


def clue_fault(guess: str, marks: Clue, rule: str = "counted") -> str:
    """Why no word whatever gives these true marks to `guess` under the rule; empty if some word does."""
    marked = list(zip(guess, marks.marks, strict=True))
    for letter in dict.fromkeys(guess):
        own = [mark for other, mark in marked if other == letter]
        others = sum(other != letter for other, mark in marked if mark != 2)
        if rule == "letterwise" and 0 in own and any(own):
            return f"the letterwise rule marks all copies of {capitals(letter)} or none of them"
        present = [mark for mark in own if mark != 2]
        if rule == "counted" and present != sorted(present, reverse=True):
            upper = capitals(letter)
            return f"the counted rule marks repeated letters from left to right, so the first {upper} is marked first"
        elsewhere = present.count(1) if rule == "counted" else int(1 in own and 2 not in own)
        if elsewhere > others:
            return f"{capitals(letter)} is marked as elsewhere in the word, but no other place is left for it"
    return ""


def impossible_clue(setting: Setting, turns: History) -> str:
    """Which clue no word gives, and why, as `clue 1 (crate=cccci) is impossible: ...`; empty if there is none."""
    for number, turn in enumerate(turns, start=1):
        marks = Clue(turn.clue, setting.words.length)
        if all_exact(setting, [turn.epsilon]) and (fault := clue_fault(turn.guess, marks, setting.rule)):
            return f"clue {number} ({turn.guess}={marks}) is impossible: {fault}"
    return ""


def false_mark_chances(belief: Posterior, turn: Turn) -> NDArray[np.float64]:
    """Return for each mark of a clue the probability that it differs from that of the true clue: [length], from 0 to 1.

    `belief` is the posterior after all turns of the game; `turn` is one of them. Raises `WordplError` for a guess of
    another length, and a code that is not of a clue.

    >>> import wordpl
    >>> setting = wordpl.Setting(wordpl.load_words(), "counted", wordpl.Fibble, format=wordpl.GameFormat(9))
    >>> turns = (wordpl.Turn("crate", float("inf"), 17), wordpl.Turn("basil", float("inf"), 84))
    >>> false_mark_chances(setting.belief(turns), turns[0]).tolist()
    [0.0, 0.0, 0.75, 0.25, 0.0]
    """
    instance("belief", belief, Posterior)
    words = belief.words
    code = whole_number("clue", turn.clue, minimum=0, maximum=words.n_clues - 1)
    # The chance of each true clue, then of each mark of it that is not the one shown.
    true = np.bincount(clue_row(turn.guess, words, belief.rule), belief.probabilities, words.n_clues)
    marks = np.arange(words.n_clues)[:, np.newaxis] // 3 ** np.arange(words.length)[::-1] % 3
    return np.asarray(true @ (marks != marks[code]))


def winning_guess(setting: Setting, turns: History) -> str | None:
    """The guess that won a game of Wordle; None if none did.

    It is the last one if its clue is all correct and the clues before it fit it as the answer. It need not be in the
    list, because sites differ.
    """
    if not turns or turns[-1].clue != setting.words.n_clues - 1:
        return None
    word = turns[-1].guess
    for turn in turns[:-1]:
        channel = make_channel(setting.channel, turn.epsilon, setting.words.length)
        true = clue(turn.guess, word, setting.rule).code
        if turn.guess == word or channel.log_likelihood(turn.clue)[true] == -math.inf:
            return None
    return word


def belief_of_win(setting: Setting, word: str) -> Posterior:
    """The posterior of a game that `word` has won. Raises `ContradictionError` if it is not among the answers."""
    at = setting.words.answer_index.get(word)
    if at is None:
        raise ContradictionError(f"{word!r} is not among the answers of {setting.words.name}")
    prior = np.zeros(len(setting.words.answers))
    prior[at] = 1.0
    return Posterior(setting.words, setting.rule, setting.channel, prior, right_ends=True)


def all_exact(setting: Setting, epsilons: Iterable[float]) -> bool:
    """Return whether clues at these epsilons are true for certain."""
    return all(map(math.isinf, epsilons)) and make_channel(setting.channel, math.inf, setting.words.length).exact


def check_rows(format: GameFormat, turns: History) -> None:
    """Raise `WordplError` if there are more turns than the game has rows."""
    most = format.guesses
    if most is not None and len(turns) > most:
        other = f"wordle:{len(turns)} is a game of more rows, contest one without a limit"
        raise WordplError(f"there are {len(turns)} rows, and the game has {most}; {other}")


def check_turns(setting: Setting, turns: History, hard: HardMode, exact: bool) -> None:
    """Raise `WordplError` for turns that no game has: too many rows, or rows at another epsilon than the channel's,
    or a turn after the right word where clues are `exact`; in `hard` mode also for noisy clues and a guess against it.
    """
    check_hard_mode(hard, exact)
    check_rows(setting.format, turns)
    most, epsilon = setting.format.guesses, setting.row_epsilon
    for number, turn in enumerate(turns, start=1):
        if most is not None and turn.epsilon != epsilon:
            own = f"clue {number} ({turn.guess}) is at epsilon {turn.epsilon:g}, and all of this game at {epsilon:g}"
            other = "; --game contest is for clues with an epsilon of their own" if math.isinf(epsilon) else ""
            raise WordplError(own + other)
        if exact and turn.clue == setting.words.n_clues - 1 and number < len(turns):
            raise WordplError(f"guess {number} ({turn.guess}) is the answer, so the game ended there; drop the rest")
        if fault := hard_mode_fault(turn.guess, turns[: number - 1], setting.rule, hard):
            raise WordplError(f"guess {number} ({turn.guess}) breaks hard mode: {fault}; check guesses and clues")
