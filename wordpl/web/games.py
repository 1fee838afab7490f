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
from dataclasses import dataclass, replace
from datetime import date
from hashlib import blake2b
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from wordpl.assistant.finished import share_heading, share_text
from wordpl.assistant.reading import TurnRecord, read_word, turn_record
from wordpl.assistant.wordle import FIBBLE_TURNS, MOST_ROWS, TURNS, hard_mode_fault, seed_of_the_day, today
from wordpl.model.channel import channel_family
from wordpl.model.clues import clue
from wordpl.model.hard_mode import check_hard_mode
from wordpl.model.words import WordList
from wordpl.play import referee
from wordpl.play.adversary import Adversary
from wordpl.play.formats import FIBBLE_FIRST_GUESS, MAX_GUESSES, GameFormat
from wordpl.play.moves import Answer, Ask
from wordpl.play.seeds import Seeds
from wordpl.play.setting import History, Setting
from wordpl.records import Doc
from wordpl.web.models import MAX_EPSILON, Model, Rule, Word, WordsName
from wordpl.web.problems import FieldError, in_field
from wordpl.web.settings import MAX_LIES

NONCE, MAC = 8, 16
"""Bytes of the parts of an id."""

Kind: TypeAlias = Literal["wordpl", "wordle", "daily", "adversarial", "fibble"]


class Terms(Model):
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


class NewGame(Terms):
    again: Annotated[
        str | None,
        Doc("Id of a game whose answer and terms this one has, with new noise; the other fields are ignored"),
    ] = None


class SealedTerms(Terms):
    day: date | None = None


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
    terms: SealedTerms
    answer_seed: int
    noise_seed: int

    def play(self, moves: tuple[Move, ...], words: WordList) -> Played:
        """The game after these moves. Raises `FieldError` for the first of them that cannot be made."""
        terms, open_game, host = self.terms, self._open(words), Adversary(words, self.terms.played_rule)
        if terms.kind == "adversarial":
            open_game = replace(open_game, opponent=host)
        if terms.kind == "fibble" and terms.given:
            open_game.take(Ask(words.answers[0], math.inf))  # what is given is played, whatever is asked
        record, over, gave_up = open_game.game, False, False
        for move in moves:
            if over:
                raise FieldError("The game is over.", "moves")
            gave_up = move.action == "give_up"
            over = gave_up or open_game.take(self._legal(move, record.history, words)) is None
        if terms.kind == "adversarial":
            record.answer = host.left[0]  # any that fits all clues would do
        return Played(self, words, record, over, gave_up)

    def _open(self, words: WordList) -> referee.OpenGame:
        terms, setting = self.terms, self.terms.setting(words)
        if terms.kind != "wordpl":
            first = FIBBLE_FIRST_GUESS if terms.kind == "fibble" and terms.given else None
            setting = replace(setting, format=GameFormat(terms.max_rows or MAX_GUESSES, first))
        seed, trial = self.answer_seed, 0
        if terms.day is not None:
            seed, trial = seed_of_the_day(words, setting.rule), terms.day.toordinal()
        answer = words.answers[Seeds(seed).answer(trial, len(words.answers))]
        return referee.Referee(setting, self.noise_seed, game_seconds=math.inf).open(0, answer=answer)

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
            result=self._result() if self.over else None,
        )

    def _result(self) -> ResultOut:
        terms, record = self.game.terms, self.record
        rows, wordpl = record.history, terms.kind == "wordpl"
        heading = share_heading(
            terms.setting(self.words),
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

    def start(self, new: NewGame, words: WordList) -> Game:
        """Begin a game. Raises `WordplError` if it cannot be played with these words."""
        terms = SealedTerms(**new.model_dump(exclude={"again"}), day=today() if new.kind == "daily" else None)
        with in_field("hard"):
            check_hard_mode(terms.hard, exact=terms.kind not in ("wordpl", "fibble"))
        with in_field("lies"):
            terms.setting(words)
        game = self._game(secrets.token_bytes(2 * NONCE) + terms.model_dump_json(exclude_defaults=True).encode())
        with in_field("given"):
            game.play((), words)
        return game

    def again(self, id: str) -> Game:
        """Begin a game with the terms and the answer of another, and new noise. Raises `FieldError` as `get`."""
        content = self._content(self.get(id).id)
        return self._game(content[:NONCE] + secrets.token_bytes(NONCE) + content[2 * NONCE :])

    def get(self, id: str) -> Game:
        """Return the game of an id. Raises `FieldError` with status 404 for one that this server has not sealed."""
        try:
            content = self._content(id)
            if not hmac.compare_digest(self._id(content).encode(), id.encode()):
                raise ValueError
            return self._game(content)
        except ValueError:  # also what another version has sealed, with other terms
            raise FieldError("This server has no such game; begin a new one.", "game", 404) from None

    def _game(self, content: bytes) -> Game:
        answer, noise, terms = content[:NONCE], content[NONCE : 2 * NONCE], content[2 * NONCE :]
        seeds = (self._hash(b"answer", answer + terms), self._hash(b"noise", noise + terms))
        return Game(
            self._id(content), SealedTerms.model_validate_json(terms), *(int.from_bytes(seed, "big") for seed in seeds)
        )

    def _id(self, content: bytes) -> str:
        return urlsafe_b64encode(self._hash(b"id", content)[:MAC] + content).decode().rstrip("=")

    @staticmethod
    def _content(id: str) -> bytes:
        return urlsafe_b64decode(id + "=" * (-len(id) % 4))[MAC:]

    def _hash(self, purpose: bytes, content: bytes) -> bytes:
        return blake2b(content, key=self._key, digest_size=32, person=b"wordpl-" + purpose).digest()
