"""A finished game as players have it: guesses with clues, guesses with the answer, or the text that is shared of it.

A share text is lines of coloured squares; what else stands in it is passed over. A row may begin with its guess, and
`@13` after a row is the epsilon of a noisy clue. In a game of WORDPL the guess after the last clue is the proposal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from wordpl.assistant.reading import (
    check_word,
    did_you_mean,
    is_noisy,
    read_any_word,
    read_epsilon,
    read_turns,
    written_epsilon,
)
from wordpl.assistant.wordle import game_name
from wordpl.checks import clue_epsilon
from wordpl.errors import WordplError
from wordpl.model.channel import RandomizedResponse, channel_name
from wordpl.model.clues import Clue, clue
from wordpl.model.words import WordList
from wordpl.play.setting import History, Setting, Turn
from wordpl.text.displays import counted

_ROW = re.compile(
    r"(?:(?<!\w)(?P<word>[^\W\d_]{1,8}!?)[\s=]{1,5})?(?P<marks>[⬛⬜🟨🟦🟩🟧]+)(?:\s{0,5}@\s{0,5}(?P<epsilon>\S+))?"
)
_END = re.compile(r"^WORDPL .*: (?:(?P<right>right with)|not found)", re.MULTILINE)
_STAR = re.compile(r"[\dX]/\d+\*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finished:
    """What is known of a game that is over."""

    turns: History
    hard: bool
    """Whether its share text says that it was played in hard mode."""
    answer: str | None
    proposed: str | None = None
    right: bool | None = None
    """Whether the proposal was right, if the share text says so."""


def read_finished(
    game: Sequence[str],
    words: WordList,
    rule: str = "counted",
    *,
    answer: str | None = None,
    share: str | None = None,
    epsilon: float = math.inf,
    lies: bool = False,
) -> Finished:
    """The game of guesses with their clues (`crate=..c..`), or of guesses alone with the answer or a share text.

    `epsilon` is that of clues that name none; `lies` says that they have false marks, as in Fibble. An answer beside
    clues is for a game that was lost. Raises `WordplError` if the clues are missing, given twice, or cannot follow from
    the answer because they may be false.
    """
    known = None if answer is None else read_answer(answer, words)
    if not are_words(game):
        if share is not None:
            raise WordplError("the clues are given twice; leave out the share text, or the clues")
        return Finished(read_turns(game, words, epsilon), False, known)
    guesses = [read_any_word(text, words) for text in game]
    if share is not None:
        end = _END.search(share)
        right = end and bool(end["right"])
        proposed = known if right else None
        if end and len(guesses) == len(_rows(share)) + 1:
            proposed = guesses.pop()
        turns = turns_from_share(guesses, share, words, epsilon)
        return Finished(turns, share_is_hard(share), known or (proposed if right else None), proposed, right)
    if known is None:
        raise WordplError("the clues are missing; give them as crate=..c.., or give the answer or the share text")
    if lies or epsilon != math.inf:
        raise WordplError(
            "clues that may be false do not follow from the answer; give them as crate=..c.. or as a share text"
        )
    return Finished(turns_from_answer(guesses, known, words, rule), False, known)


def read_pasted(
    text: str,
    words: WordList,
    rule: str = "counted",
    *,
    guesses: str = "",
    answer: str | None = None,
    epsilon: float = math.inf,
    lies: bool = False,
) -> Finished:
    """The game of a text in which a player has pasted what they have, in any of the forms of `read_finished`.

    `guesses` are those of a share text, if its rows do not begin with them.
    """
    rows = _rows(text)
    if not rows:
        items = _items(f"{text}\n{guesses}", words)
        proposes = is_noisy(items, epsilon) and are_words(items[-1:]) and not are_words(items)
        proposed = read_any_word(items.pop(), words) if proposes else None
        finished = read_finished(items, words, rule, answer=answer, epsilon=epsilon, lies=lies)
        return replace(finished, proposed=proposed)
    game = _items(guesses, words) or [row["word"] for row in rows if row["word"]]
    if not game:
        raise WordplError("the share text has only squares; give the guesses, too")
    return read_finished(game, words, rule, answer=answer, share=text, epsilon=epsilon)


def pasted_is_noisy(text: str, guesses: str = "", epsilon: float = math.inf) -> bool:
    """Whether a clue of what `read_pasted` takes has an epsilon, which is not that of an exact clue."""
    rows = guesses if _rows(text) else f"{text}\n{guesses}"
    return share_is_noisy(text) or is_noisy(_tokens(rows), epsilon)


def are_words(game: Sequence[str]) -> bool:
    """Whether a game is given as guesses alone, without clues."""
    return all(text.removesuffix("!").isalpha() for text in game)


def read_answer(text: str, words: WordList) -> str:
    """An answer of the list. Raises `WordplError` for anything else, with the words that were perhaps meant."""
    word = check_word(text, words.length)
    if word not in words.answer_index:
        hint = did_you_mean(word, words) or "; use the word list of the host"
        raise WordplError(f"{word!r} is not among the answers of {words.name}{hint}")
    return word


def turns_from_answer(guesses: Iterable[str], answer: str, words: WordList, rule: str = "counted") -> History:
    """The turns of an ordinary game whose answer is known."""
    word = read_answer(answer, words)
    return tuple(Turn(guess, math.inf, clue(guess, word, rule).code) for guess in guesses)


def turns_from_share(guesses: Sequence[str], text: str, words: WordList, epsilon: float = math.inf) -> History:
    """The turns of a game from the text its host shares; `epsilon` is that of rows without their own."""
    rows = _rows(text)
    if not rows:
        raise WordplError("the share text has no row of squares, as ⬛🟨⬛⬛🟩")
    if len(rows) != len(guesses):
        raise WordplError(f"the share text has {len(rows)} rows of squares for {len(guesses)} guesses")
    own = clue_epsilon("epsilon", epsilon)
    epsilons = [own if row["epsilon"] is None else read_epsilon(row["epsilon"]) for row in rows]
    codes = [Clue.parse(row["marks"], words.length).code for row in rows]
    return tuple(map(Turn, guesses, epsilons, codes))


def share_is_hard(text: str) -> bool:
    """Whether a share text has the star of hard mode after its number of guesses, as in `Wordle 1,234 3/6*`."""
    return _STAR.search(text) is not None


def share_is_noisy(text: str) -> bool:
    """Whether a row of a share text has an epsilon, which is not that of an exact clue."""
    return is_noisy([f"@{row['epsilon']}" for row in _rows(text) if row["epsilon"]], math.inf)


def _rows(text: str) -> list[re.Match[str]]:
    """The rows of squares, at most one of each line."""
    return [row for line in text.replace("\ufe0f", "").splitlines() if (row := _ROW.search(line))]


def _items(text: str, words: WordList) -> list[str]:
    """The guesses, or guesses with clues, of a text in which they stand apart by spaces, commas or lines."""
    items: list[str] = []
    for token in _tokens(text):
        if items and are_words(items[-1:]) and _is_clue(token, words):
            items[-1] += f"={token}"
        else:
            items.append(token)
    return items


def _tokens(text: str) -> list[str]:
    """What stands apart in a text; signs belong to what is on both sides."""
    line = " ".join(text.replace(",", " ").split())
    return re.sub(" ?([=@]) ?", r"\1", line).split()


def _is_clue(token: str, words: WordList) -> bool:
    marks = token.partition("@")[0]
    if not are_words([marks]):
        return "=" not in marks
    try:
        Clue.parse(marks, words.length)
    except WordplError:
        return False
    return marks.lower() not in words.guess_index


def share_heading(
    setting: Setting,
    turns: History,
    won: bool,
    rows: int | None,
    *,
    day: date | None = None,
    hard: bool = False,
    adversarial: bool = False,
) -> str:
    """The first line of the share text of a game of so many rows, or of one of WORDPL, which has None."""
    words = setting.words.name
    if rows is None:
        end = f"right with a budget of {math.fsum(turn.epsilon for turn in turns):g}" if won else "not found"
        noise = "" if setting.channel is RandomizedResponse else f", {channel_name(setting.channel)}"
        return f"WORDPL {words}, {setting.rule}{noise}: {end}, {counted(len(turns), 'ask')}"
    name = game_name(setting) + (", adversarial host" if adversarial else "")
    parts = [name if name == "Wordle" else f"{name},", words, *([str(day)] if day else [])]
    return f"{' '.join(parts)} {len(turns) if won else 'X'}/{rows}{'*' if hard else ''}"


def share_text(heading: str, turns: History) -> str:
    """Return `heading`, an empty line, and a line of squares for each turn, with its epsilon if that is finite.

    `turns_from_share` reads it. The star of hard mode stands in the heading, as in `Wordle 4/6*`.

    >>> from wordpl import Turn
    >>> print(share_text("WORDPL, 13", (Turn("crate", 13.0, 17),)))
    WORDPL, 13
    <BLANKLINE>
    ⬛⬛🟨🟩🟩 @13
    """
    rows = [f"{Clue(turn.clue, len(turn.guess)).show('emoji')} {written_epsilon(turn)}".rstrip() for turn in turns]
    return "\n".join([heading, "", *rows])
