"""The games that people play on the page. The server keeps none of them: a game is its id, which the server seals.

The id holds the terms and two nonces, in the open. Answer and noise follow from them and from the server's key, so
nobody who lacks the key can work them out or make an id. The page sends all moves of a game each time, and the game's
own engine (`Referee`) makes them again: the same moves always get the same clues.
"""

from __future__ import annotations

import math
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from hashlib import blake2b
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, WithJsonSchema

from wordpl.base.defaults import FIBBLE_GUESSES, WORDLE_GUESSES
from wordpl.base.json_types import Doc
from wordpl.model.channel import channel_name
from wordpl.model.clues import clue
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList
from wordpl.play import referee
from wordpl.play.formats import FIBBLE_FIRST_GUESS, GameFormat
from wordpl.play.moves import Answer, Ask
from wordpl.play.seeds import Seeds
from wordpl.play.setting import History, Setting
from wordpl.web.models import MAX_EPSILON, GameIn, Model, Rule, Word, WordsName, channel_of, is_fixed
from wordpl.web.problems import FieldError, in_field
from wordpl.wordle.adversary import Adversary
from wordpl.wordle.finished import share_heading, share_text
from wordpl.wordle.reading import TurnRecord, read_word, turn_record, usual_words
from wordpl.wordle.rules import (
    MOST_ROWS,
    HardMode,
    belief_of_win,
    check_hard_mode,
    hard_mode_fault,
    seed_of_the_day,
    today,
)

NONCE, MAC = 8, 16
"""Bytes of the parts of an id."""

GameId: TypeAlias = Annotated[str, Field(max_length=400, description="As the call that began it said")]

Kind: TypeAlias = Literal["wordpl", "unlimited", "wordle", "daily", "adversarial", "fibble"]


class NewGame(GameIn):
    kind: Kind = "wordpl"
    words: Annotated[WordsName | None, Doc("Default: original in WORDPL, fibble in Fibble, else nyt2023")] = None  # type: ignore[assignment]
    hard: HardMode = False
    given: Annotated[bool, Doc("True if the first guess of Fibble is given, as on fibble.xyz")] = True
    again: Annotated[GameId | None, Doc("A game whose answer and terms, whatever else is sent, get new noise")] = None

    @property
    def priced(self) -> bool:
        """True if each clue costs an epsilon of its own."""
        return self.kind in ("wordpl", "unlimited")


class Terms(NewGame):
    """The terms as an id holds them. If their meaning changes, change the purpose of the hash of ids, too: an old id
    must not become another game."""

    words: WordsName
    day: date | None = None

    @property
    def max_rows(self) -> int | None:
        return {"wordle": WORDLE_GUESSES, "daily": WORDLE_GUESSES, "fibble": FIBBLE_GUESSES}.get(self.kind)

    @property
    def played_rule(self) -> Rule:
        return self.rule or ("letterwise" if self.priced else "counted")

    def setting(self, words: WordList) -> Setting:
        """The setting, which both sides know. Raises `FieldError` if it cannot be."""
        with in_field("hard"):
            check_hard_mode(self.hard, exact=not self.priced and self.kind != "fibble")
        channel = channel_of(self.channel or ("fibble" if self.kind == "fibble" else None), words)
        suited = "fibble" if is_fixed(channel) else "unlimited" if self.kind == "unlimited" else "wordpl"
        if self.channel and self.kind != suited:
            raise FieldError(f"The channel {self.channel} is for games of the kind {suited}.", "channel")
        rows = None if self.priced else self.max_rows or MOST_ROWS
        format = GameFormat(rows, unlimited=self.kind == "unlimited")
        return Setting(words, self.played_rule, channel, noiseless=not self.priced, format=format)


Spend: TypeAlias = Annotated[float, WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": MAX_EPSILON})]


class Move(Model):
    action: Literal["ask", "propose", "give_up"] = "ask"
    word: Annotated[Word | None, Doc("The word to ask or to propose")] = None
    # Not an `Epsilon`: a fault is found as the move is made, so that it has the field `epsilon`.
    epsilon: Annotated[Spend | None, Doc("Epsilon of an ask in WORDPL, unlimited or not; null in other games")] = None


Moves: TypeAlias = Annotated[tuple[Move, ...], Field(max_length=MOST_ROWS + 1)]


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
    hard: HardMode
    channel: Annotated[str | None, Doc("Channel in WORDPL and Fibble; null in other games, whose clues are true")]
    day: date | None
    max_rows: int | None
    rows: list[TurnRecord]
    spent: Annotated[float | None, Doc("The budget spent in WORDPL; in other games null")]
    result: Annotated[ResultOut | None, Doc("Null while the game goes on")]


@dataclass(frozen=True)
class SealedGame:
    """A game after some moves."""

    id: str
    terms: Terms
    setting: Setting
    noise_seed: int
    record: referee.Game
    over: bool
    gave_up: bool

    def out(self) -> GameOut:
        terms, words, record = self.terms, self.setting.words, self.record
        return GameOut(
            id=self.id,
            kind=terms.kind,
            words=terms.words,
            length=words.length,
            letters="".join(sorted(set("".join(words.guesses)))),
            rule=terms.played_rule,
            hard=terms.hard,
            channel=channel_name(self.setting.channel) if terms.priced or terms.kind == "fibble" else None,
            day=terms.day,
            max_rows=terms.max_rows,
            rows=list(map(turn_record, record.history)),
            spent=record.budget if terms.priced else None,
            result=self.result() if self.over else None,
        )

    def belief(self, rows: History) -> Posterior:
        """The posterior after the first rows of the game. An all-correct clue that did not end it may be false."""
        won = self.record.won and rows == self.record.history and self.setting.format.right_ends
        return belief_of_win(self.setting, self.record.answer) if won else self.setting.belief(rows)

    def result(self) -> ResultOut:
        """The result. Raises `FieldError` with status 409 while it goes on."""
        if not self.over:
            raise FieldError("The game goes on; this is told when it is over.", "moves", 409)
        terms, record, rows = self.terms, self.record, self.record.history
        heading = share_heading(
            self.setting,
            rows,
            record.won,
            self.setting.format.guesses,
            day=terms.day,
            hard=terms.hard,
            adversarial=terms.kind == "adversarial",
        )
        return ResultOut(
            answer=record.answer,
            won=record.won,
            proposed=record.proposed if terms.kind == "wordpl" else None,
            gave_up=self.gave_up,
            score=record.score if record.won else None,
            true_clues=tuple(str(clue(turn.guess, record.answer, terms.played_rule)) for turn in rows),
            share=share_text(heading, rows),
        )


class SealedGames:
    """Makes games, and plays them, with the secret key of the server and its word lists by name."""

    def __init__(self, key: bytes, words: Callable[[str], WordList]) -> None:
        self._key, self._words = key, words

    def start(self, new: NewGame) -> SealedGame:
        """Begin a game. Raises `FieldError` for one that cannot be, and as `play` does."""
        if new.again is not None:
            content = self._content(new.again)
            return self._play(content[:NONCE] + secrets.token_bytes(NONCE) + content[2 * NONCE :], ())
        words = new.words or usual_words(new.priced, new.kind == "fibble")
        terms = Terms(**new.model_dump() | {"words": words}, day=today() if new.kind == "daily" else None)
        return self._play(secrets.token_bytes(2 * NONCE) + terms.model_dump_json(exclude_defaults=True).encode(), ())

    def play(self, id: str, moves: Moves) -> SealedGame:
        """Return a game after these moves. Raises `FieldError` for a move that cannot be, and with status 404 for an id
        that this server has not sealed, and for words that it does not have any more."""
        return self._play(self._content(id), moves)

    def _play(self, content: bytes, moves: Moves) -> SealedGame:
        terms = _terms(content)
        words = self._words(terms.words)
        setting, given = terms.setting(words), terms.kind == "fibble" and terms.given
        seed, trial = self._seed(b"answer", content[:NONCE] + content[2 * NONCE :]), 0
        if terms.day:
            seed, trial = seed_of_the_day(words, setting.rule), terms.day.toordinal()
        answer = words.answers[Seeds(seed).answer(trial, len(words.answers))]
        noise_seed, played = self._seed(b"noise", content[NONCE:]), setting
        if not terms.priced:
            first_guess = FIBBLE_FIRST_GUESS if given else None
            played = replace(setting, format=replace(setting.format, first_guess=first_guess))
        with in_field("given"):
            open_game = referee.Referee(played, noise_seed).open(0, answer=answer)
        host = Adversary(words, setting.rule) if terms.kind == "adversarial" else None
        open_game = replace(open_game, opponent=host or open_game.opponent)
        if given:
            open_game.take(Ask(words.answers[0], setting.row_epsilon))  # the given word is played, whatever is asked
        record, over, gave_up = open_game.game, False, False
        for move in moves:
            if over:
                raise FieldError("The game is over.", "moves")
            gave_up = move.action == "give_up"
            over = gave_up or open_game.take(_legal(move, record.history, setting, terms)) is None
        if host:
            record.answer = host.left[0]  # any that fits all clues would do
        return SealedGame(self._id(content), terms, setting, noise_seed, record, over, gave_up)

    def _content(self, id: str) -> bytes:
        with suppress(ValueError):
            content = urlsafe_b64decode(id + "=" * (-len(id) % 4))[MAC:]
            if self._id(content) == id:
                return content
        raise FieldError("This server has no such game; begin a new one.", "game", 404)

    def _id(self, content: bytes) -> str:
        return urlsafe_b64encode(self._hash(b"game", content)[:MAC] + content).decode().rstrip("=")

    def _seed(self, purpose: bytes, content: bytes) -> int:
        return int.from_bytes(self._hash(purpose, content))

    def _hash(self, purpose: bytes, content: bytes) -> bytes:
        return blake2b(content, key=self._key, digest_size=32, person=b"wordpl-" + purpose).digest()


def _terms(content: bytes) -> Terms:
    return Terms.model_validate_json(content[2 * NONCE :])


def proposed_answer(typed: str, words: WordList) -> str:
    """Return the answer that a proposal names. Raises `FieldError` for a word that cannot be proposed."""
    with in_field("word"):
        word = read_word(typed, words)
    if word not in words.answer_index:
        raise FieldError(f"{word!r} can be asked, but is none of the answers; propose another word.", "word")
    return word


def _legal(move: Move, rows: History, setting: Setting, terms: Terms) -> Ask | Answer:
    priced, proposes, words = terms.priced, terms.kind == "wordpl", setting.words
    if move.word is None:
        raise FieldError(f"Type a word of {words.length} letters.", "word")
    if move.action == "propose" and not proposes:
        raise FieldError("Every guess of this game is a proposal; ask it.", "moves")
    if move.action == "propose":
        return Answer(proposed_answer(move.word, words))
    with in_field("word"):
        word = read_word(move.word, words)
    if not priced and move.epsilon not in (None, math.inf):
        raise FieldError("The clues of this game have no epsilon; leave it out.", "epsilon")
    if priced and not (move.epsilon is not None and 0 < move.epsilon <= MAX_EPSILON):
        raise FieldError("Epsilon must be a number above 0 up to 1,000,000; it is what the clue costs.", "epsilon")
    if len(rows) >= MOST_ROWS:
        end = "propose the answer, or give up" if proposes else "give up"
        raise FieldError(f"A game has at most {MOST_ROWS} rows; {end}.", "word")
    if fault := hard_mode_fault(word, rows, terms.played_rule, terms.hard):
        raise FieldError(f"hard mode: {fault}", "word")
    return Ask(word, (priced and move.epsilon) or setting.row_epsilon)
