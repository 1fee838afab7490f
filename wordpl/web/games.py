"""The games that people play on the page. The server keeps the answers.

A game is its terms, a secret seed and what was played: nothing else is stored. Each move is made by the game's own
engine (`Referee` or `Wordle`), continued from there; so a game takes a few hundred bytes, and lives as long as the
server remembers it, whatever becomes of word lists in memory.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass, field, replace
from datetime import date
from threading import Lock
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from wordpl.assistant.finished import share_heading, share_text
from wordpl.assistant.reading import TurnRecord, read_word, turn_record
from wordpl.assistant.wordle import FIBBLE_TURNS, MOST_ROWS, TURNS, hard_mode_fault, seed_of_the_day, today
from wordpl.model.channel import channel_family
from wordpl.model.clues import clue
from wordpl.model.hard_mode import check_hard_mode
from wordpl.model.words import WordList
from wordpl.play.adversary import Adversary
from wordpl.play.formats import FIBBLE_FIRST_GUESS, MAX_GUESSES, GameFormat
from wordpl.play.moves import Ask
from wordpl.play.referee import OpenGame, Referee
from wordpl.play.setting import History, Setting
from wordpl.records import Doc
from wordpl.storage.lru_cache import LruCache
from wordpl.web.models import Epsilon, Model, Rule, Word, WordsName
from wordpl.web.problems import FieldError, in_field
from wordpl.web.settings import MAX_LIES

MOST_GAMES = 10_000

Kind: TypeAlias = Literal["wordpl", "wordle", "daily", "adversarial", "fibble"]


class NewGame(Model):
    kind: Kind = "wordpl"
    words: WordsName = "original"
    rule: Annotated[Rule | None, Doc("By default letterwise in WORDPL and counted in every other game")] = None
    hard: bool = False
    lies: Annotated[int, Field(ge=1, le=MAX_LIES, description="False marks in each row of Fibble")] = 1
    given: Annotated[bool, Doc("Whether the first guess of Fibble is given, as on fibble.xyz")] = True

    @property
    def max_rows(self) -> int | None:
        return {"wordle": TURNS, "daily": TURNS, "fibble": FIBBLE_TURNS}.get(self.kind)

    @property
    def played_rule(self) -> Rule:
        return self.rule or ("letterwise" if self.kind == "wordpl" else "counted")

    def setting(self, words: WordList) -> Setting:
        """What both sides know, for help in the game and what is said of it."""
        if self.kind == "fibble":
            family, format = channel_family(f"fibble:{self.lies}"), GameFormat(FIBBLE_TURNS)
            return Setting(words, self.played_rule, family, format=format)
        return Setting(words, self.played_rule, noiseless=self.kind != "wordpl")


class MoveIn(Model):
    """A move. Sent again it changes nothing, so a request that got no answer can be repeated."""

    row: Annotated[int, Field(ge=0, le=MOST_ROWS, description="The row it is for, which must be the next; from 0")]
    action: Literal["ask", "propose", "give_up"] = "ask"
    word: Annotated[Word | None, Doc("The word to ask or to propose")] = None
    epsilon: Annotated[Epsilon | None, Doc("What an ask in WORDPL spends; in other games none")] = None


class ResultOut(Model):
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
    rows: list[TurnRecord]
    spent: Annotated[float | None, Doc("The budget spent in WORDPL; in other games null")]
    result: Annotated[ResultOut | None, Doc("Null while the game goes on")]


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
    _lock: Lock = field(default_factory=Lock)

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
                if Ask(turn.guess, turn.epsilon) == self._ask_of(move, words):
                    return self._state(words, move.row + 1)
            if move.row != len(self.rows):
                raise FieldError(f"The next row is number {len(self.rows)}; this move is for another.", "row", 409)
            if move != self.end and self._outcome(words)[2]:
                raise FieldError("The game is over.", "row", 409)
            if move.action == "ask":
                self._ask(move, words)
                return self._state(words)
            if move.action == "propose" and self.terms.kind != "wordpl":
                raise FieldError("Every guess of this game is a proposal; ask it.", "action")
            if move.action == "propose" and (word := _word(move, words)) not in words.answer_index:
                message = f"{word!r} can be asked, but is none of the answers; propose another word."
                raise FieldError(message, "word")
            self.end = move
            return self._state(words)

    def state(self, words: WordList) -> GameOut:
        with self._lock:
            return self._state(words)

    def _ask_of(self, move: MoveIn, words: WordList) -> Ask:
        word = _word(move, words)
        if self.terms.kind != "wordpl":
            if move.epsilon not in (None, math.inf):
                raise FieldError("The clues of this game have no epsilon; leave it out.", "epsilon")
            return Ask(word, math.inf)
        if move.epsilon is None or math.isinf(move.epsilon):
            raise FieldError("Epsilon must be a number above 0 up to 1,000,000; it is what the clue costs.", "epsilon")
        return Ask(word, move.epsilon)

    def _ask(self, move: MoveIn, words: WordList) -> None:
        ask = self._ask_of(move, words)
        if len(self.rows) >= MOST_ROWS:
            end = "propose the answer, or give up" if self.terms.kind == "wordpl" else "give up"
            raise FieldError(f"A game has at most {MOST_ROWS} rows; {end}.", "word")
        fault = hard_mode_fault(ask.guess, self.rows, self.terms.played_rule) if self.terms.hard else ""
        if fault:
            raise FieldError(f"hard mode: {fault}", "word")
        open_game = self.opened(words)
        open_game.take(ask)
        self.rows = open_game.game.history

    def opened(self, words: WordList) -> OpenGame:
        """The game so far, with its answer: of those that fit all clues, any that the adversarial host has left."""
        terms, setting = self.terms, self.terms.setting(words)
        if terms.kind != "wordpl":
            fixed_first = terms.kind == "fibble" and terms.given and not self.rows
            format = GameFormat(terms.max_rows or MAX_GUESSES, FIBBLE_FIRST_GUESS if fixed_first else None)
            setting = replace(setting, format=format)
        seed, trial = self.seed, 0
        if terms.kind == "daily":
            seed, trial = seed_of_the_day(words, setting.rule), self.day.toordinal()
        open_game = Referee(setting, seed, game_seconds=math.inf).open(trial, self.rows)
        if terms.kind == "adversarial":
            host = Adversary(words, setting.rule)
            for turn in self.rows:
                host.clue(turn.guess)
            open_game.game.answer = host.left[0]
            return replace(open_game, opponent=host)
        return open_game

    def _outcome(self, words: WordList) -> tuple[str, bool, bool]:
        """The answer, whether it was guessed or proposed, and whether the game is over."""
        answer, last = self.opened(words).game.answer, self._proposed(words)
        if self.terms.kind == "wordpl":
            return answer, last == answer, self.end is not None
        won = bool(self.rows) and self.rows[-1].guess == answer  # a clue may be all correct and false
        return answer, won, won or self.end is not None or len(self.rows) == self.terms.max_rows

    def _proposed(self, words: WordList) -> str | None:
        return _word(self.end, words) if self.end is not None and self.end.action == "propose" else None

    def _state(self, words: WordList, rows: int | None = None) -> GameOut:
        """The game as it stands, or as it stood after its first `rows` rows, before it was ended."""
        terms, history, (answer, won, over) = self.terms, self.rows[:rows], self._outcome(words)
        shows_result = over and (rows is None or (rows == len(self.rows) and self.end is None))
        return GameOut(
            id=self.id,
            kind=terms.kind,
            words=terms.words,
            length=words.length,
            letters="".join(sorted(set("".join(words.guesses)))),
            rule=terms.played_rule,
            hard=terms.hard,
            lies=terms.lies if terms.kind == "fibble" else None,
            day=self.day if terms.kind == "daily" else None,
            max_rows=terms.max_rows,
            rows=list(map(turn_record, history)),
            spent=_spent(history) if terms.kind == "wordpl" else None,
            result=self._result(words, answer, won) if shows_result else None,
        )

    def _result(self, words: WordList, answer: str, won: bool) -> ResultOut:
        terms = self.terms
        wordpl = terms.kind == "wordpl"
        heading = share_heading(
            terms.setting(words),
            self.rows,
            won,
            None if wordpl else terms.max_rows or MOST_ROWS,
            day=self.day if terms.kind == "daily" else None,
            hard=terms.hard,
            adversarial=terms.kind == "adversarial",
        )
        score = _spent(self.rows) if wordpl else float(len(self.rows))
        return ResultOut(
            answer=answer,
            won=won,
            proposed=self._proposed(words),
            gave_up=self.end is not None and self.end.action == "give_up",
            score=score if won else None,
            true_clues=tuple(str(clue(turn.guess, answer, terms.played_rule)) for turn in self.rows),
            share=share_text(heading, self.rows),
        )


def _word(move: MoveIn, words: WordList) -> str:
    with in_field("word"):
        return read_word(move.word or "", words)


def _spent(history: History) -> float:
    return math.fsum(turn.epsilon for turn in history)


class Games:
    """The games of a server, by their ids, which nobody can guess. The one used least recently goes first."""

    def __init__(self) -> None:
        self._games: LruCache[str, Game] = LruCache(MOST_GAMES)

    def start(self, terms: NewGame, words: WordList) -> Game:
        """Begin a game. Raises `WordplError` if it cannot be played with these words."""
        game = Game(secrets.token_urlsafe(16), terms, today(), secrets.randbits(256))
        with in_field("hard"):
            check_hard_mode(terms.hard, exact=terms.kind not in ("wordpl", "fibble"))
        with in_field("lies"):
            terms.setting(words)
        with in_field("given"):
            open_game = game.opened(words)  # now, so that the first move does not wait for the clue matrix
        if terms.kind == "fibble" and terms.given:
            open_game.take(Ask(words.answers[0], math.inf))  # what is given is played, whatever is asked
            game.rows = open_game.game.history
        self._games.put(game.id, game)
        return game

    def get(self, id: str) -> Game:
        """Return a game. Raises `FieldError` with status 404 for one that is not here, or no more."""
        game = self._games.get(id)
        if game is None:
            raise FieldError("The server has no such game any more; begin a new one.", "game", 404)
        return game
