"""The games that people play on the page. The server keeps none of them: a game is its id, which the server seals.

The id holds the terms and two nonces, in the open. Answer and noise follow from them and from the server's key, so
nobody who lacks the key can work them out or make an id. The page sends all moves of a game each time, and the game's
own engine (`Referee`) makes them again: the same moves always get the same clues.
"""

from __future__ import annotations

import hmac
import math
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from hashlib import blake2b
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from wordpl.assistant.finished import share_heading, share_text
from wordpl.assistant.reading import TurnRecord, read_word, turn_record
from wordpl.assistant.wordle import FIBBLE_TURNS, MOST_ROWS, TURNS, hard_mode_fault, seed_of_the_day, today
from wordpl.model.clues import clue
from wordpl.model.hard_mode import check_hard_mode
from wordpl.model.words import WordList
from wordpl.play import referee
from wordpl.play.adversary import Adversary
from wordpl.play.formats import CONTEST, FIBBLE_FIRST_GUESS, MAX_GUESSES, GameFormat
from wordpl.play.moves import Answer, Ask
from wordpl.play.seeds import Seeds
from wordpl.play.setting import History, Setting
from wordpl.records import Doc
from wordpl.web.models import MAX_EPSILON, Model, Rule, Word, WordsName, fibble_channel
from wordpl.web.problems import FieldError, in_field
from wordpl.web.settings import MAX_LIES

NONCE, MAC = 8, 16
"""Bytes of the parts of an id."""

Kind: TypeAlias = Literal["wordpl", "wordle", "daily", "adversarial", "fibble"]


class NewGame(Model):
    kind: Kind = "wordpl"
    words: WordsName = "original"
    rule: Annotated[Rule | None, Doc("By default letterwise in WORDPL and counted in every other game")] = None
    hard: bool = False
    lies: Annotated[int, Field(ge=1, le=MAX_LIES, description="False marks in each row of Fibble")] = 1
    given: Annotated[bool, Doc("Whether the first guess of Fibble is given, as on fibble.xyz")] = True
    again: Annotated[str | None, Doc("Id of a game: its answer and terms, whatever else is sent, new noise")] = None


class Terms(NewGame):
    """The terms as they are in an id. If what they mean changes, so must the hash of ids, for nobody to play another
    game than was begun."""

    day: date | None = None

    @property
    def max_rows(self) -> int | None:
        return {"wordle": TURNS, "daily": TURNS, "fibble": FIBBLE_TURNS}.get(self.kind)

    @property
    def played_rule(self) -> Rule:
        return self.rule or ("letterwise" if self.kind == "wordpl" else "counted")

    def setting(self, words: WordList) -> Setting:
        """What both sides know, for help in the game and what is said of it. Raises `FieldError` if it cannot be."""
        lies = self.lies if self.kind == "fibble" else None
        with in_field("hard"):
            check_hard_mode(self.hard, exact=self.kind not in ("wordpl", "fibble"))
        channel, format = fibble_channel(lies, words, False), GameFormat(FIBBLE_TURNS) if lies else CONTEST
        return Setting(words, self.played_rule, channel, noiseless=self.kind != "wordpl", format=format)


class Move(Model):
    action: Literal["ask", "propose", "give_up"] = "ask"
    word: Annotated[Word | None, Doc("The word to ask or to propose")] = None
    epsilon: Annotated[float | None, Doc("What an ask in WORDPL spends, up to 1e6; in other games null")] = None


Moves: TypeAlias = Annotated[
    tuple[Move, ...],
    Field(
        max_length=MOST_ROWS + 1, description="All moves from the start; a first guess that is given is none of them"
    ),
]


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


@dataclass(frozen=True)
class Game:
    """A game before its first move: all that its id stands for."""

    id: str
    terms: Terms
    answer_seed: int
    noise_seed: int

    def play(self, moves: tuple[Move, ...], words: WordList) -> Played:
        """The game after these moves. Raises `FieldError` for terms and moves that cannot be."""
        terms, setting = self.terms, self.terms.setting(words)
        given = terms.kind == "fibble" and terms.given
        if terms.kind != "wordpl":
            format = GameFormat(terms.max_rows or MAX_GUESSES, FIBBLE_FIRST_GUESS if given else None)
            setting = replace(setting, format=format)
        with in_field("given"):
            open_game = referee.Referee(setting, self.noise_seed, math.inf).open(0, answer=self._answer(words))
        host = Adversary(words, terms.played_rule) if terms.kind == "adversarial" else None
        open_game = replace(open_game, opponent=host or open_game.opponent)
        if given:
            open_game.take(Ask(words.answers[0], math.inf))  # the given word is played, whatever is asked
        record, over, gave_up = open_game.game, False, False
        for move in moves:
            if over:
                raise FieldError("The game is over.", "moves")
            gave_up = move.action == "give_up"
            over = gave_up or open_game.take(self._legal(move, record.history, words)) is None
        if host:
            record.answer = host.left[0]  # any that fits all clues would do
        return Played(self, words, record, over, gave_up)

    def _answer(self, words: WordList) -> str:
        seed, trial = self.answer_seed, 0
        if self.terms.day:
            seed, trial = seed_of_the_day(words, self.terms.played_rule), self.terms.day.toordinal()
        return words.answers[Seeds(seed).answer(trial, len(words.answers))]

    def _legal(self, move: Move, rows: History, words: WordList) -> Ask | Answer:
        wordpl = self.terms.kind == "wordpl"
        if move.word is None:
            raise FieldError(f"Type a word of {words.length} letters.", "word")
        if move.action == "propose" and not wordpl:
            raise FieldError("Every guess of this game is a proposal; ask it.", "moves")
        with in_field("word"):
            word = read_word(move.word, words)
        if move.action == "propose":
            if word not in words.answer_index:
                message = f"{word!r} can be asked, but is none of the answers; propose another word."
                raise FieldError(message, "word")
            return Answer(word)
        if not wordpl and move.epsilon not in (None, math.inf):
            raise FieldError("The clues of this game have no epsilon; leave it out.", "epsilon")
        if wordpl and not (move.epsilon is not None and 0 < move.epsilon <= MAX_EPSILON):
            raise FieldError("Epsilon must be a number above 0 up to 1,000,000; it is what the clue costs.", "epsilon")
        if len(rows) >= MOST_ROWS:
            end = "propose the answer, or give up" if wordpl else "give up"
            raise FieldError(f"A game has at most {MOST_ROWS} rows; {end}.", "word")
        fault = hard_mode_fault(word, rows, self.terms.played_rule) if self.terms.hard else ""
        if fault:
            raise FieldError(f"hard mode: {fault}", "word")
        return Ask(word, move.epsilon or math.inf)


@dataclass(frozen=True)
class Played:
    """A game after some moves."""

    game: Game
    words: WordList
    record: referee.Game
    over: bool
    gave_up: bool

    @property
    def setting(self) -> Setting:
        return self.game.terms.setting(self.words)

    def out(self) -> GameOut:
        terms, words, record = self.game.terms, self.words, self.record
        return GameOut(
            id=self.game.id,
            kind=terms.kind,
            words=terms.words,
            length=words.length,
            letters="".join(sorted(set("".join(words.guesses)))),
            rule=terms.played_rule,
            hard=terms.hard,
            lies=terms.lies if terms.kind == "fibble" else None,
            day=terms.day,
            max_rows=terms.max_rows,
            rows=list(map(turn_record, record.history)),
            spent=record.budget if terms.kind == "wordpl" else None,
            result=self.result() if self.over else None,
        )

    def result(self) -> ResultOut:
        terms, record = self.game.terms, self.record
        rows, wordpl = record.history, terms.kind == "wordpl"
        heading = share_heading(
            self.setting,
            rows,
            record.won,
            None if wordpl else terms.max_rows or MOST_ROWS,
            day=terms.day,
            hard=terms.hard,
            adversarial=terms.kind == "adversarial",
        )
        return ResultOut(
            answer=record.answer,
            won=record.won,
            proposed=record.proposed if wordpl else None,
            gave_up=self.gave_up,
            score=record.score if record.won else None,
            true_clues=tuple(str(clue(turn.guess, record.answer, terms.played_rule)) for turn in rows),
            share=share_text(heading, rows),
        )


class Games:
    """Makes the ids of games, and reads them, with the secret key of the server."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def start(self, new: NewGame) -> Game:
        """Begin a game. Raises `FieldError` with status 404 if it is to be as one that this server has not sealed."""
        if new.again is not None:
            content = self._content(new.again)
            return self._game(content[:NONCE] + secrets.token_bytes(NONCE) + content[2 * NONCE :])
        terms = Terms(**new.model_dump(), day=today() if new.kind == "daily" else None)
        return self._game(secrets.token_bytes(2 * NONCE) + terms.model_dump_json(exclude_defaults=True).encode())

    def get(self, id: str) -> Game:
        """Return the game of an id. Raises `FieldError` with status 404 for one that this server has not sealed."""
        return self._game(self._content(id))

    def _game(self, content: bytes) -> Game:
        answer, noise, terms = content[:NONCE], content[NONCE : 2 * NONCE], content[2 * NONCE :]
        seeds = (self._hash(b"answer", answer + terms), self._hash(b"noise", noise + terms))
        return Game(self._id(content), Terms.model_validate_json(terms), *(int.from_bytes(seed) for seed in seeds))

    def _id(self, content: bytes) -> str:
        return urlsafe_b64encode(self._hash(b"id", content)[:MAC] + content).decode().rstrip("=")

    def _content(self, id: str) -> bytes:
        with suppress(ValueError):
            content = urlsafe_b64decode(id + "=" * (-len(id) % 4))[MAC:]
            if hmac.compare_digest(self._id(content).encode(), id.encode()):
                return content
        raise FieldError("This server has no such game; begin a new one.", "game", 404)

    def _hash(self, purpose: bytes, content: bytes) -> bytes:
        return blake2b(content, key=self._key, digest_size=32, person=b"wordpl-" + purpose).digest()
