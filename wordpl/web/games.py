"""The games that people play on the page. The server keeps the answers.

A game is its terms, a secret seed and what was played: nothing else is stored. Each move is made by the game's own
engine (`Referee` or `Wordle`), continued from there; so a game takes a few hundred bytes, and lives as long as the
server remembers it, whatever becomes of word lists in memory.
"""

from __future__ import annotations

import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from threading import Lock
from typing import Literal, TypeAlias

from wordpl.assistant.reading import read_word
from wordpl.assistant.share import share_text
from wordpl.assistant.wordle import FIBBLE_TURNS, Wordle
from wordpl.displays import counted
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_family
from wordpl.model.clues import clue
from wordpl.model.words import WordList
from wordpl.play.adversary import Adversary
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.play.moves import Answer, Ask, InvalidMoveError
from wordpl.play.referee import Game as Record
from wordpl.play.referee import OpenGame, Referee
from wordpl.play.seeds import Seeds
from wordpl.play.strategy import History, Setting
from wordpl.web.problems import FieldError, in_field

MOST_GAMES = 10_000
IDLE_SECONDS = 24 * 3600.0
MOST_ROWS = 50
"""Rows of a game that has no bound of its own."""

Kind: TypeAlias = Literal["wordpl", "wordle", "daily", "adversarial", "fibble"]
_WORDLE = ("wordle", "daily", "adversarial")


@dataclass(frozen=True)
class Terms:
    """What a game is played by."""

    kind: Kind
    words: str
    """The name of the list."""
    rule: str
    hard: bool = False
    lies: int = 1
    """False marks in each row of Fibble."""
    given: bool = False
    """Whether the first guess of Fibble is given, as on fibble.xyz."""
    day: date | None = None
    """The day of a word of the day."""

    def __post_init__(self) -> None:
        if self.hard and self.kind not in _WORDLE:
            raise FieldError("Hard mode belongs to ordinary Wordle; choose it, or leave hard mode out.", "hard")

    @property
    def refereed(self) -> bool:
        """Whether the referee plays it, which draws the answer and the noise."""
        return self.kind in ("wordpl", "fibble")

    @property
    def channel(self) -> ChannelFamily:
        """How clues come."""
        return channel_family(f"fibble:{self.lies}") if self.kind == "fibble" else RandomizedResponse

    @property
    def format(self) -> GameFormat:
        """What ends the game for the engine that plays it."""
        return GameFormat(FIBBLE_TURNS) if self.kind == "fibble" else CONTEST

    def setting(self, words: WordList) -> Setting:
        """What both sides know."""
        return Setting(words, self.rule, self.channel, self.kind != "wordpl", self.format)


@dataclass(frozen=True)
class Move:
    """A move for row number `row`, counted from 0. `word` is for an ask or a proposal, `epsilon` for a noisy ask."""

    row: int
    action: Literal["ask", "propose", "give_up"]
    word: str = ""
    epsilon: float | None = None


@dataclass(frozen=True)
class Result:
    """What is told when a game is over."""

    answer: str
    won: bool
    proposed: str | None
    gave_up: bool
    score: float
    """Budget of WORDPL or number of guesses; infinite if not won."""
    true_clues: tuple[str, ...]
    share: str


@dataclass(frozen=True)
class State:
    """A game as its player may see it."""

    id: str
    terms: Terms
    words: WordList
    rows: History
    max_rows: int | None
    result: Result | None
    """None while the game goes on."""


@dataclass
class Game:
    """One game. Its methods may be called by several threads at once."""

    id: str
    terms: Terms
    seed: int
    rows: History = ()
    end: Move | None = None
    """The proposal, or the giving up, that ended it."""
    used: float = 0.0
    """When it was last asked for, by the clock of `Games`."""
    _lock: Lock = field(default_factory=Lock)

    def begin(self, words: WordList) -> State:
        """Make sure that the game can be played, and give the first guess if the terms say so."""
        if self.terms.refereed:
            with in_field("lies"):
                opened = self._opened(words)  # now, so that the first move does not wait for the clue matrix
            if self.terms.given and len(words.answers) > 1:
                first = Seeds(self.seed).answer(1, len(words.answers))
                word = words.answers[first]
                opened.take(Ask(words.answers[first - 1] if word == opened.game.answer else word, math.inf))
                self.rows = opened.game.history
        return self.state(words)

    def move(self, move: Move, words: WordList) -> State:
        """Make a move, and return the game after it. The same move again returns the same, and changes nothing.

        Raises `FieldError`: with status 409 for a move that is not for the next row, or if the game is over; else for
        what is wrong with the word or epsilon, which then has made no row.
        """
        with self._lock:
            if move.row < len(self.rows) and move.action == "ask":
                turn = self.rows[move.row]
                if (turn.guess, turn.epsilon) == self._asked(move, words):
                    return self._state(words, move.row + 1, self._is_over(words) and self.end is None)
            if move.row != len(self.rows):
                raise FieldError(f"The next row is number {len(self.rows)}; this move is for another.", "row", 409)
            if self._is_over(words) and move != self.end:
                raise FieldError("The game is over.", "row", 409)
            if move.action == "ask":
                self._ask(move, words)
            elif move.action == "propose":
                self._propose(move, words)
            self.end = None if move.action == "ask" else move
            return self._state(words, len(self.rows), self._is_over(words))

    def state(self, words: WordList) -> State:
        """The game as it stands."""
        with self._lock:
            return self._state(words, len(self.rows), self._is_over(words))

    # Moves

    def _asked(self, move: Move, words: WordList) -> tuple[str, float]:
        """The word and the epsilon of an ask."""
        with in_field("word"):
            word = read_word(move.word, words)
        if self.terms.kind != "wordpl":
            if move.epsilon not in (None, math.inf):
                raise FieldError("The clues of this game have no epsilon; leave it out.", "epsilon")
            return word, math.inf
        if move.epsilon is None or math.isinf(move.epsilon):
            raise FieldError("Epsilon must be a number above 0 up to 1,000,000; it is what the clue costs.", "epsilon")
        return word, move.epsilon

    def _ask(self, move: Move, words: WordList) -> None:
        word, epsilon = self._asked(move, words)
        if len(self.rows) >= MOST_ROWS:
            end = "propose the answer, or give up" if self.terms.kind == "wordpl" else "give up"
            raise FieldError(f"A game has at most {MOST_ROWS} rows; {end}.", "word")
        if self.terms.refereed:
            opened = self._opened(words)
            opened.take(Ask(word, epsilon))
            self.rows = opened.game.history
            return
        game = self._wordle(words)
        with in_field("word"):
            game.guess(word)
        self.rows = game.turns

    def _propose(self, move: Move, words: WordList) -> None:
        if self.terms.kind != "wordpl":
            raise FieldError("Every guess of this game is a proposal; ask it.", "action")
        with in_field("word"):
            word = read_word(move.word, words)
        try:
            self._opened(words).take(Answer(word))
        except InvalidMoveError:
            raise FieldError(
                f"{word!r} can be asked, but is none of the answers; propose another word.", "word"
            ) from None

    # The engines

    def _opened(self, words: WordList) -> OpenGame:
        """The game so far, if the referee plays it."""
        return Referee(self.terms.setting(words), self.seed, game_seconds=math.inf).open(0, self.rows)

    def _wordle(self, words: WordList) -> Wordle:
        """The game so far, if it is one of ordinary Wordle."""
        terms = self.terms
        if terms.kind == "adversarial":
            game = Wordle(words, Adversary(words, terms.rule).clue, terms.rule, terms.hard, max_turns=None)
        elif terms.day is not None:
            game = Wordle.of_the_day(words, terms.day, terms.rule, terms.hard)
        else:
            game = Wordle.drawn(words, self.seed, rule=terms.rule, hard=terms.hard)
        for turn in self.rows:
            game.guess(turn.guess)
        return game

    # What is told

    def _is_over(self, words: WordList) -> bool:
        if self.end is not None or self.terms.kind == "wordpl":
            return self.end is not None
        if self.terms.kind == "fibble":
            return len(self.rows) == FIBBLE_TURNS or self._answer(words)[1]
        return self._wordle(words).over

    def _state(self, words: WordList, rows: int, over: bool) -> State:
        """The game after its first `rows` rows, with its result if that is asked for and these are all."""
        result = self._result(words) if over and rows == len(self.rows) else None
        return State(self.id, self.terms, words, self.rows[:rows], self._max_rows(words), result)

    def _max_rows(self, words: WordList) -> int | None:
        if self.terms.refereed:
            return FIBBLE_TURNS if self.terms.kind == "fibble" else None
        return self._wordle(words).max_turns

    def _result(self, words: WordList) -> Result:
        proposed = None
        if self.terms.kind == "wordpl":
            record = self._opened(words).game
            if self.end is not None and self.end.action == "propose":
                proposed = read_word(self.end.word, words)
            answer, won, score = record.answer, proposed == record.answer, record.budget
        else:
            answer, won = self._answer(words)
            score = float(len(self.rows))
        score = score if won else math.inf
        true = tuple(str(clue(turn.guess, answer, self.terms.rule)) for turn in self.rows)
        gave_up = self.end is not None and self.end.action == "give_up"
        share = share_text(self._heading(words, won), self.rows)
        return Result(answer, won, proposed, gave_up, score, true, share)

    def _answer(self, words: WordList) -> tuple[str, bool]:
        """The answer of a game of any kind but WORDPL, and whether it was found."""
        if self.terms.kind == "fibble":
            answer = self._opened(words).game.answer
            # A clue may be all correct and false.
            return answer, bool(self.rows) and self.rows[-1].guess == answer
        game = self._wordle(words)
        if game.won:
            return game.turns[-1].guess, True
        if game.answer is not None:
            return game.answer, False
        adversary = Adversary(words, self.terms.rule)
        for turn in self.rows:
            adversary.clue(turn.guess)
        return adversary.left[0], False

    def _heading(self, words: WordList, won: bool) -> str:
        """The first line of the share text."""
        terms, asked = self.terms, len(self.rows)
        if terms.kind == "wordpl":
            spent = Record(0, "", history=self.rows).budget
            told = f"right with a budget of {spent:g}" if won else "not found"
            return f"WORDPL {words.name}, {terms.rule}: {told}, {counted(asked, 'ask')}"
        name = {"adversarial": "Wordle, adversarial host,", "fibble": f"Fibble, {counted(terms.lies, 'lie', 'lies')},"}
        day = f" {terms.day}" if terms.day else ""
        most = self._max_rows(words) or MOST_ROWS
        score = f"{asked if won else 'X'}/{most}{'*' if terms.hard else ''}"
        return f"{name.get(terms.kind, 'Wordle')} {words.name}{day} {score}"


class Games:
    """The games of a server, by their ids, which nobody can guess. The one used least recently goes first."""

    def __init__(
        self,
        most: int = MOST_GAMES,
        idle_seconds: float = IDLE_SECONDS,
        now: Callable[[], float] = time.monotonic,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self._most, self._idle, self._now, self._today = most, idle_seconds, now, today
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._games)

    def today(self) -> date:
        """The day of the word of the day, by UTC."""
        return self._today()

    def start(self, terms: Terms, words: WordList) -> State:
        """Begin a game. Raises `WordplError` if it cannot be played with these words."""
        game = Game(secrets.token_urlsafe(16), terms, secrets.randbits(256), used=self._now())
        state = game.begin(words)
        with self._lock:
            self._games[game.id] = game
            self._let_go()
        return state

    def get(self, id: str) -> Game:
        """Return a game. Raises `FieldError` with status 404 for one that is not here, or no more."""
        with self._lock:
            self._let_go()
            game = self._games.get(id)
            if game is None:
                raise FieldError("The server has no such game any more; begin a new one.", "game", 404)
            game.used = self._now()
            self._games.move_to_end(id)
            return game

    def _let_go(self) -> None:
        while self._games:
            oldest = next(iter(self._games.values()))
            if len(self._games) <= self._most and self._now() - oldest.used <= self._idle:
                return
            del self._games[oldest.id]
