"""Formats: what ends a game, and what it costs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wordpl.base.checks import boolean, set_fields, whole_number
from wordpl.base.errors import WordplError, one_line

MAX_GUESSES = 100
FIBBLE_FIRST_GUESS = "fibble"
"""The `first_guess` of games as on fibble.xyz: drawn evenly from the answers whose true clue has an absent mark."""
_EVERY_ANSWER = " (every answer)"


@dataclass(frozen=True)
class GameFormat:
    """The end of a game and its cost: as in the contest, in Wordle, or in the game of games.oblivious.com.

    In the contest, a player may ask as often as they like, and ends the game with one proposal; the score is the
    budget. In Wordle, each guess is also a proposal. The game ends with the right guess or with the last of `guesses`
    (1 to 100), and the score is the number of guesses used. There you can fix the first guess (`first_guess`), which is
    then played whatever the player moves. If it is `fibble`, it is drawn for each game as on fibble.xyz, with equal
    probabilities from the answers whose true clue has an absent mark.

    In an `unlimited` game, too, each guess is also a proposal. Only the right guess ends it, and the score is the
    budget, with the epsilon of that guess. A proposal is a guess at epsilon 0. So this game is for people: a program
    would ask every word at epsilon 0. In every format, the score of a lost game is infinite.

    Raises `WordplError` for a number of guesses out of range or in an unlimited game, and for a first guess that is not
    a word of letters or comes without a number of guesses.

    >>> str(GameFormat(8, first_guess="crane")), GameFormat.parse("wordle:8").guesses
    ('wordle:8:crane', 8)
    """

    guesses: int | None = None
    """The number of guesses in a game of Wordle; None for the other formats."""
    first_guess: str | None = None
    unlimited: bool = False
    every_answer: bool = False
    """True if the answers of trials are not drawn: trial i has answer number i of the list, which begins again after
    its end."""

    def __post_init__(self) -> None:
        set_fields(self, **{name: boolean(name, getattr(self, name)) for name in ("unlimited", "every_answer")})
        if self.guesses is not None:
            if self.unlimited:
                raise WordplError(f"an unlimited game has no number of guesses; leave out {self.guesses}")
            set_fields(self, guesses=whole_number("guesses", self.guesses, maximum=MAX_GUESSES))
        word = self.first_guess
        if word is None:
            return
        if self.guesses is None:
            raise WordplError("a first guess is for games of Wordle, such as wordle:6")
        from wordpl.model.words import fold_word  # with numpy, for which completion must not wait

        if not (isinstance(word, str) and fold_word(word).isalpha()):
            raise WordplError(f"first guess {one_line(repr(word), 60)} is not a word of letters")
        set_fields(self, first_guess=fold_word(word))

    @classmethod
    def parse(cls, text: GameFormat | str) -> GameFormat:
        """Return the format that `text` stands for: `contest`, `wordle:N`, `wordle:N:WORD` or `unlimited`, each
        with ` (every answer)` after it if answers are not drawn. Raises `WordplError` for another text."""
        if isinstance(text, GameFormat):
            return text
        game = text.removesuffix(_EVERY_ANSWER) if isinstance(text, str) else ""
        match = re.fullmatch(r"contest|unlimited|wordle:([0-9]{1,3})(?::([^:]*))?", game)
        if match is None:
            expected = "write contest, unlimited, wordle:N with N from 1 to 100 guesses, or wordle:N:WORD"
            raise WordplError(f"{one_line(repr(text), 60)} is not a game; {expected}")
        guesses = int(match[1]) if match[1] else None
        return cls(guesses, match[2], unlimited=game == "unlimited", every_answer=game != text)

    def for_strategies(self) -> GameFormat:
        """Return this format. Raises `WordplError` for an unlimited game, which strategies do not play."""
        if self.unlimited:
            raise WordplError(
                "unlimited games are for people, since a strategy would ask every word at epsilon 0; use contest or"
                " wordle:N"
            )
        return self

    @property
    def is_wordle(self) -> bool:
        """True if the score is the number of guesses, as in Wordle."""
        return self.guesses is not None

    @property
    def right_ends(self) -> bool:
        """True if every guess is also a proposal."""
        return self.unlimited or self.is_wordle

    def __str__(self) -> str:
        usual = "unlimited" if self.unlimited else "contest"
        parts = (usual,) if self.guesses is None else ("wordle", str(self.guesses), self.first_guess)
        return ":".join(part for part in parts if part) + (_EVERY_ANSWER if self.every_answer else "")


CONTEST = GameFormat()
"""The format of the contest."""
