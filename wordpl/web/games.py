"""The games that people play on the page. The server keeps the answers.

A game is its terms, a secret seed and what was played: nothing else is stored. Each move is made by the game's own
engine (`Referee` or `Wordle`), continued from there; so a game takes a few hundred bytes, and lives as long as the
server remembers it, whatever becomes of word lists in memory.
"""

from __future__ import annotations

import math
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from threading import Lock
from typing import Annotated, Literal, NamedTuple, TypeAlias

from pydantic import Field

from wordpl.assistant.finished import share_text
from wordpl.assistant.reading import read_word
from wordpl.assistant.wordle import FIBBLE_TURNS, TURNS, Wordle
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_family
from wordpl.model.clues import clue
from wordpl.model.hard_mode import check_hard_mode
from wordpl.model.words import WordList
from wordpl.play.adversary import Adversary
from wordpl.play.formats import CONTEST, FIBBLE_FIRST_GUESS, GameFormat
from wordpl.play.moves import Answer, Ask, InvalidMoveError
from wordpl.play.referee import OpenGame, Referee
from wordpl.play.setting import History, Setting
from wordpl.records import Doc
from wordpl.storage.lru_cache import LruCache
from wordpl.text.displays import counted
from wordpl.web.models import Epsilon, Model, Rule, TurnOut, Word, WordsName
from wordpl.web.problems import FieldError, in_field
from wordpl.web.settings import MAX_LIES

MOST_GAMES = 10_000
IDLE_SECONDS = 24 * 3600.0
MOST_ROWS = 50
"""Rows of a game that has no bound of its own."""

Kind: TypeAlias = Literal["wordpl", "wordle", "daily", "adversarial", "fibble"]


class NewGame(Model):
    """What to play."""

    kind: Kind = "wordpl"
    words: WordsName = "original"
    rule: Annotated[Rule | None, Doc("By default letterwise in WORDPL and counted in every other game")] = None
    hard: bool = False
    lies: Annotated[int, Field(ge=1, le=MAX_LIES, description="False marks in each row of Fibble")] = 1
    given: Annotated[bool, Doc("Whether the first guess of Fibble is given, as on fibble.xyz")] = True

    def played_rule(self) -> Rule:
        """The repeat rule of the game."""
        return self.rule or ("letterwise" if self.kind == "wordpl" else "counted")

    def setting(self, words: WordList, begun: bool = True) -> Setting:
        """What both sides know; a game that is not begun may be given its first guess."""
        channel: ChannelFamily = RandomizedResponse
        format = CONTEST
        if self.kind == "fibble":
            channel = channel_family(f"fibble:{self.lies}")
            format = GameFormat(FIBBLE_TURNS, FIBBLE_FIRST_GUESS if self.given and not begun else None)
        return Setting(words, self.played_rule(), channel, self.kind != "wordpl", format)


class MoveIn(Model):
    """A move. Sent again it changes nothing, so a request that got no answer can be repeated."""

    row: Annotated[int, Field(ge=0, le=MOST_ROWS, description="The row it is for, which must be the next; from 0")]
    action: Literal["ask", "propose", "give_up"] = "ask"
    word: Annotated[Word | None, Doc("The word to ask or to propose")] = None
    epsilon: Annotated[Epsilon | None, Doc("What an ask in WORDPL spends; in other games none")] = None


class ResultOut(Model):
    """What is told when a game is over."""

    answer: str
    won: bool
    proposed: Annotated[str | None, Doc("The word proposed in WORDPL")]
    gave_up: bool
    score: Annotated[float | None, Doc("The budget spent in WORDPL, else the guesses; null, for infinity, if not won")]
    true_clues: Annotated[tuple[str, ...], Doc("The clue of each row before any mark was flipped")]
    share: Annotated[str, Doc("A text to show to others; it has none of the words")]


class GameOut(Model):
    """A game as its player may see it."""

    id: str
    kind: Kind
    words: str
    length: int
    letters: Annotated[str, Doc("The letters of the list's words")]
    rule: Rule
    hard: bool
    lies: int | None
    day: date | None
    max_rows: int | None
    rows: tuple[TurnOut, ...]
    spent: Annotated[float | None, Doc("The budget spent in WORDPL; in other games null")]
    result: Annotated[ResultOut | None, Doc("Null while the game goes on")]


class _Outcome(NamedTuple):
    answer: str
    won: bool
    over: bool


@dataclass(eq=False)
class Game:
    """One game. Its methods may be called by several threads at once."""

    id: str
    terms: NewGame
    day: date
    """When it was begun."""
    seed: int
    rows: History = ()
    end: MoveIn | None = None
    """The proposal, or the giving up, that ended it."""
    used: float = field(default_factory=time.monotonic)
    """When it was last asked for."""
    _lock: Lock = field(default_factory=Lock)

    def begin(self, words: WordList) -> None:
        """Make sure that the game can be played, and give the first guess if the terms say so."""
        with in_field("hard"):
            check_hard_mode(self.terms.hard, exact=not self._refereed)
        if self._refereed:
            with in_field("lies"):
                self.terms.setting(words)
            with in_field("given"):
                opened = self._opened(words)  # now, so that the first move does not wait for the clue matrix
            if self.terms.kind == "fibble" and self.terms.given:
                opened.take(Ask(words.answers[0], math.inf))  # what is given is played, whatever is asked
                self.rows = opened.game.history

    def move(self, move: MoveIn, words: WordList) -> GameOut:
        """Make a move, and return the game after it. The same move again returns the same, and changes nothing.

        Raises `FieldError`: with status 409 for a move that is not for the next row, or if the game is over; else for
        what is wrong with the word or epsilon, which then has made no row.
        """
        if move.word is None and move.action != "give_up":
            raise FieldError(f"Type a word of {words.length} letters.", "word")
        with self._lock:
            if move.row < len(self.rows) and move.action == "ask":
                turn = self.rows[move.row]
                if (turn.guess, turn.epsilon) == self._asked(move, words):
                    return self._state(words, move.row + 1)
            if move.row != len(self.rows):
                raise FieldError(f"The next row is number {len(self.rows)}; this move is for another.", "row", 409)
            if move != self.end and self._outcome(words).over:
                raise FieldError("The game is over.", "row", 409)
            if move.action == "ask":
                self._ask(move, words)
            elif move.action == "propose":
                self._propose(move, words)
            self.end = None if move.action == "ask" else move
            return self._state(words)

    def state(self, words: WordList) -> GameOut:
        """The game as it stands."""
        with self._lock:
            return self._state(words)

    @property
    def _refereed(self) -> bool:
        """Whether the referee plays it, which draws the answer and the noise."""
        return self.terms.kind in ("wordpl", "fibble")

    # Moves

    def _asked(self, move: MoveIn, words: WordList) -> tuple[str, float]:
        """The word and the epsilon of an ask."""
        word = _word(move, words)
        if self.terms.kind != "wordpl":
            if move.epsilon not in (None, math.inf):
                raise FieldError("The clues of this game have no epsilon; leave it out.", "epsilon")
            return word, math.inf
        if move.epsilon is None or math.isinf(move.epsilon):
            raise FieldError("Epsilon must be a number above 0 up to 1,000,000; it is what the clue costs.", "epsilon")
        return word, move.epsilon

    def _ask(self, move: MoveIn, words: WordList) -> None:
        word, epsilon = self._asked(move, words)
        if len(self.rows) >= MOST_ROWS:
            end = "propose the answer, or give up" if self.terms.kind == "wordpl" else "give up"
            raise FieldError(f"A game has at most {MOST_ROWS} rows; {end}.", "word")
        if self._refereed:
            opened = self._opened(words)
            opened.take(Ask(word, epsilon))
            self.rows = opened.game.history
            return
        game = self._wordle(words)
        with in_field("word"):
            game.guess(word)
        self.rows = game.turns

    def _propose(self, move: MoveIn, words: WordList) -> None:
        if self.terms.kind != "wordpl":
            raise FieldError("Every guess of this game is a proposal; ask it.", "action")
        word = _word(move, words)
        try:
            self._opened(words).take(Answer(word))
        except InvalidMoveError:
            raise FieldError(
                f"{word!r} can be asked, but is none of the answers; propose another word.", "word"
            ) from None

    # The engines

    def _opened(self, words: WordList) -> OpenGame:
        """The game so far, if the referee plays it."""
        return Referee(self.terms.setting(words, bool(self.rows)), self.seed, game_seconds=math.inf).open(0, self.rows)

    def _wordle(self, words: WordList) -> Wordle:
        """The game so far, if it is one of ordinary Wordle."""
        rule, hard = self.terms.played_rule(), self.terms.hard
        if self.terms.kind == "adversarial":
            game = Wordle(words, Adversary(words, rule).clue, rule, hard, max_turns=None)
        elif self.terms.kind == "daily":
            game = Wordle.of_the_day(words, self.day, rule, hard)
        else:
            game = Wordle.drawn(words, self.seed, rule=rule, hard=hard)
        for turn in self.rows:
            game.guess(turn.guess)
        return game

    # What is told

    def _outcome(self, words: WordList) -> _Outcome:
        ended = self.end is not None
        if self._refereed:
            answer = self._opened(words).game.answer
            if self.terms.kind == "wordpl":
                return _Outcome(answer, ended and self._proposed(words) == answer, ended)
            won = bool(self.rows) and self.rows[-1].guess == answer  # a clue may be all correct and false
            return _Outcome(answer, won, won or ended or len(self.rows) == FIBBLE_TURNS)
        game = self._wordle(words)
        if game.won:
            return _Outcome(game.turns[-1].guess, True, True)
        if game.answer is not None:
            return _Outcome(game.answer, False, ended or game.over)
        adversary = Adversary(words, self.terms.played_rule())
        for turn in self.rows:
            adversary.clue(turn.guess)
        return _Outcome(adversary.left[0], False, ended)

    def _proposed(self, words: WordList) -> str | None:
        return _word(self.end, words) if self.end is not None and self.end.action == "propose" else None

    def _state(self, words: WordList, rows: int | None = None) -> GameOut:
        """The game as it stands, or as it stood after its first `rows` rows, before it was ended."""
        terms, history, outcome = self.terms, self.rows[:rows], self._outcome(words)
        told = outcome.over and (rows is None or (rows == len(self.rows) and self.end is None))
        return GameOut(
            id=self.id,
            kind=terms.kind,
            words=terms.words,
            length=words.length,
            letters=_letters(words),
            rule=self.terms.played_rule(),
            hard=terms.hard,
            lies=terms.lies if terms.kind == "fibble" else None,
            day=self.day if terms.kind == "daily" else None,
            max_rows=self._max_rows,
            rows=tuple(map(TurnOut.of, history)),
            spent=_spent(history) if terms.kind == "wordpl" else None,
            result=self._result(words, outcome) if told else None,
        )

    @property
    def _max_rows(self) -> int | None:
        return {"wordle": TURNS, "daily": TURNS, "fibble": FIBBLE_TURNS}.get(self.terms.kind)

    def _result(self, words: WordList, outcome: _Outcome) -> ResultOut:
        score = _spent(self.rows) if self.terms.kind == "wordpl" else float(len(self.rows))
        return ResultOut(
            answer=outcome.answer,
            won=outcome.won,
            proposed=self._proposed(words),
            gave_up=self.end is not None and self.end.action == "give_up",
            score=score if outcome.won else None,
            true_clues=tuple(str(clue(turn.guess, outcome.answer, self.terms.played_rule())) for turn in self.rows),
            share=share_text(self._heading(words, outcome.won), self.rows),
        )

    def _heading(self, words: WordList, won: bool) -> str:
        """The first line of the share text."""
        terms, asked = self.terms, len(self.rows)
        if terms.kind == "wordpl":
            end = f"right with a budget of {_spent(self.rows):g}" if won else "not found"
            return f"WORDPL {words.name}, {self.terms.played_rule()}: {end}, {counted(asked, 'ask')}"
        name = {"adversarial": "Wordle, adversarial host,", "fibble": f"Fibble, {counted(terms.lies, 'lie', 'lies')},"}
        day = f" {self.day}" if terms.kind == "daily" else ""
        most = self._max_rows or MOST_ROWS
        score = f"{asked if won else 'X'}/{most}{'*' if terms.hard else ''}"
        return f"{name.get(terms.kind, 'Wordle')} {words.name}{day} {score}"


def _word(move: MoveIn, words: WordList) -> str:
    with in_field("word"):
        return read_word(move.word or "", words)


def _spent(history: History) -> float:
    return math.fsum(turn.epsilon for turn in history)


@lru_cache(maxsize=16)
def _letters(words: WordList) -> str:
    return "".join(sorted({letter for word in words.guesses for letter in word}))


def today() -> date:
    """The day of the word of the day, by UTC."""
    return datetime.now(UTC).date()


class Games:
    """The games of a server, by their ids, which nobody can guess. The one used least recently goes first."""

    def __init__(self) -> None:
        self._games: LruCache[str, Game] = LruCache(MOST_GAMES)

    def start(self, terms: NewGame, words: WordList) -> Game:
        """Begin a game. Raises `WordplError` if it cannot be played with these words."""
        game = Game(secrets.token_urlsafe(16), terms, today(), secrets.randbits(256))
        game.begin(words)
        self._games.put(game.id, game)
        return game

    def get(self, id: str) -> Game:
        """Return a game. Raises `FieldError` with status 404 for one that is not here, or no more."""
        game, now = self._games.get(id), time.monotonic()
        if game is None or now - game.used > IDLE_SECONDS:
            raise FieldError("The server has no such game any more; begin a new one.", "game", 404)
        game.used = now
        return game
