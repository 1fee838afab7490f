"""Play: games against this server, help beside the board, and what is said of a game when it is over."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable
from dataclasses import asdict
from datetime import date
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from fastapi import APIRouter, Path, Query
from pydantic import Field

from wordpl.assistant.analysis import analyze
from wordpl.assistant.reading import usual_rule
from wordpl.assistant.session import Assistant
from wordpl.displays import json_epsilon
from wordpl.model.clues import Clue, clue
from wordpl.model.words import WordList
from wordpl.play.moves import Answer
from wordpl.play.moves import Move as StrategyMove
from wordpl.play.referee import Game as Record
from wordpl.play.strategy import History, Turn
from wordpl.storage.lru_cache import LruCache
from wordpl.web import records
from wordpl.web.api.analyze import AnalyzedGame
from wordpl.web.api.coach import ChanceOf, Figures
from wordpl.web.games import MOST_ROWS, Game, Kind, Move, State, Terms
from wordpl.web.models import Epsilon, Model, Rule, TurnOut, Word, WordsName
from wordpl.web.problems import FieldError
from wordpl.web.server import Here, Server
from wordpl.web.settings import MAX_LIES

router = APIRouter(prefix="/api/play", tags=["play"])

GameId: TypeAlias = Annotated[str, Path(min_length=1, max_length=64, description="As the call that began it said")]
Made = TypeVar("Made")

# What took long to work out, by what it is about.
_made: LruCache[Hashable, Any] = LruCache(1000)

_ANSWERS = 10
_GUESSES = 5


class NewGame(Model):
    """What to play."""

    kind: Kind = "wordpl"
    words: WordsName = "original"
    rule: Annotated[
        Rule | None, Field(description="By default letterwise in WORDPL and counted in every other game")
    ] = None
    hard: bool = False
    lies: Annotated[int, Field(ge=1, le=MAX_LIES, description="False marks in each row of Fibble")] = 1
    given: Annotated[bool, Field(description="Whether the first guess of Fibble is given, as on fibble.xyz")] = True


class MoveIn(Model):
    """A move. Sent again it changes nothing, so a request that got no answer can be repeated."""

    row: Annotated[int, Field(ge=0, le=MOST_ROWS, description="The row it is for, which must be the next; from 0")]
    action: Literal["ask", "propose", "give_up"] = "ask"
    word: Annotated[Word | None, Field(description="The word to ask or to propose")] = None
    epsilon: Annotated[Epsilon | None, Field(description="What an ask in WORDPL spends; in other games none")] = None


class ResultOut(Model):
    """What is told when a game is over."""

    answer: str
    won: bool
    proposed: Annotated[str | None, Field(description="The word proposed in WORDPL")]
    gave_up: bool
    score: Annotated[
        float | None, Field(description="The budget spent in WORDPL, else the guesses; null, for infinity, if not won")
    ]
    true_clues: Annotated[tuple[str, ...], Field(description="The clue of each row before any mark was flipped")]
    share: Annotated[str, Field(description="A text to show to others; it has none of the words")]


class GameOut(Model):
    """A game as its player may see it."""

    id: str
    kind: Kind
    words: str
    length: int
    letters: Annotated[str, Field(description="The letters of the list's words")]
    rule: Rule
    hard: bool
    lies: int | None
    day: date | None
    max_rows: int | None
    rows: tuple[TurnOut, ...]
    spent: Annotated[float | None, Field(description="The budget spent in WORDPL; in other games null")]
    result: Annotated[ResultOut | None, Field(description="Null while the game goes on")]


class HelpOut(Model):
    """Help beside the board; what was not asked for is null."""

    answers: tuple[ChanceOf, ...] | None
    remaining: Annotated[int | None, Field(description="Answers that are not ruled out; comes with the answers")]
    bits: Annotated[float | None, Field(description="Entropy of the answer")]
    guesses: tuple[Figures, ...] | None


class RecordOut(Model):
    """A strategy that holds one of the contest's records."""

    name: str
    percentile: int
    budget: float


class StrategyMoveOut(Model):
    """A move of a strategy."""

    action: Literal["ask", "propose"]
    word: str
    epsilon: Annotated[float | None, Field(description="Null for a proposal")]


class OwnRow(TurnOut):
    """A row of a strategy's own game."""

    true_clue: str


class AdviceOut(RecordOut):
    """What such a strategy makes of a game that is over."""

    moves: Annotated[
        tuple[StrategyMoveOut, ...], Field(description="What it would have done before each row, and after the last")
    ]
    rows: Annotated[tuple[OwnRow, ...], Field(description="Its own game with the same answer and noise")]
    proposed: str | None
    won: bool
    spent: float


class AdvicesOut(Model):
    """What the strategies of the records make of a game; empty if they were made for another one."""

    strategies: tuple[AdviceOut, ...]


# Playing


@router.get("/records")
async def list_records(here: Here) -> tuple[RecordOut, ...]:
    """The budgets of the strategies that hold the contest's records, to compare one's own with."""
    budgets = await here.pool.run(_kept, ("budgets",), records.budgets)
    return tuple(
        RecordOut(name=name, percentile=records.PERCENTILES[name], budget=budget) for name, budget in budgets.items()
    )


@router.post("/games", status_code=201)
async def begin_game(new: NewGame, here: Here) -> GameOut:
    """Begin a game. The server keeps the answer until the game is over."""
    fibble = new.kind == "fibble"
    terms = Terms(
        new.kind,
        new.words,
        new.rule or usual_rule(new.kind == "wordpl"),
        hard=new.hard,
        lies=new.lies if fibble else 1,
        given=new.given and fibble,
        day=here.games.today() if new.kind == "daily" else None,
    )
    words = here.word_lists.get(new.words)
    return await here.pool.run(lambda: _game(here.games.start(terms, words)))


@router.get("/games/{game}")
async def read_game(game: GameId, here: Here) -> GameOut:
    """A game as it stands."""
    found, words = _found(game, here)
    return await here.pool.run(lambda: _game(found.state(words)))


@router.post("/games/{game}/moves")
async def make_move(game: GameId, given: MoveIn, here: Here) -> GameOut:
    """Ask for a clue, propose the answer, or give up; returns the game after it. 409 if it is not the next move."""
    found, words = _found(game, here)
    if given.word is None and given.action != "give_up":
        raise FieldError(f"Type a word of {words.length} letters.", "word")
    move = Move(given.row, given.action, given.word or "", given.epsilon)
    return await here.pool.run(lambda: _game(found.move(move, words)))


# Help


@router.get("/games/{game}/help")
async def help_with_game(
    game: GameId,
    here: Here,
    show: Annotated[list[Literal["answers", "bits", "guesses"]], Query(max_length=3)],
    epsilon: Annotated[Epsilon, Query(description="Of the next ask, for the guesses")] = math.inf,
) -> HelpOut:
    """The most probable answers, the bits left, and the best next guesses: those of them that are asked for."""
    found, words = _found(game, here)
    rows, at = found.rows, epsilon if found.terms.kind == "wordpl" else math.inf
    key = ("help", words.digest, found.terms, rows, at, tuple(sorted(set(show))))
    return await here.pool.run(_kept, key, lambda: _help(found.terms, words, rows, at, show))


def _help(terms: Terms, words: WordList, rows: History, epsilon: float, show: Collection[str]) -> HelpOut:
    assistant = Assistant(
        words, terms.rule, epsilon, hard=terms.hard, channel=terms.channel, kernels=True, format=terms.format
    )
    assistant.take(rows)
    answers = guesses = None
    if "answers" in show:
        answers = tuple(ChanceOf(word=word, chance=chance) for word, chance in assistant.answers(_ANSWERS))
    if "guesses" in show:
        guesses = tuple(Figures(**asdict(figures)) for figures in assistant.suggestions(_GUESSES))
    return HelpOut(
        answers=answers,
        remaining=assistant.remaining if answers is not None else None,
        bits=assistant.entropy if "bits" in show else None,
        guesses=guesses,
    )


# After the end


@router.get("/games/{game}/analysis")
async def review_game(game: GameId, here: Here) -> AnalyzedGame:
    """Skill and luck of each turn, as `wordpl analyze` has them. 409 before the end, 404 without a row."""
    found, words = _found(game, here)
    state = await here.pool.run(_finished, found, words)
    if not state.rows:
        raise FieldError("There is no guess to analyze.", "game", 404)
    key = ("analysis", found.id, words.digest)
    return await here.pool.run(_kept, key, lambda: _analysis(state))


def _analysis(state: State) -> AnalyzedGame:
    terms, result = state.terms, state.result
    answer = result.answer if result is not None and not result.won else None
    found = analyze(
        state.words,
        state.rows,
        terms.rule,
        hard=terms.hard,
        answer=answer,
        channel=terms.channel,
        kernels=True,
        format=terms.format,
    )
    return AnalyzedGame.model_validate({"words": terms.words, "rule": terms.rule} | found.record())


@router.get("/games/{game}/records")
async def compare_with_records(game: GameId, here: Here) -> AdvicesOut:
    """What the strategies of the records would have asked where the player was, and their own games. 409 before the
    end."""
    found, words = _found(game, here)
    state = await here.pool.run(_finished, found, words)
    if state.terms.kind != "wordpl":
        return AdvicesOut(strategies=())
    key = ("records", found.id, words.digest)
    return await here.pool.run(_kept, key, lambda: _advices(state, found.seed))


def _advices(state: State, seed: int) -> AdvicesOut:
    setting = state.terms.setting(state.words)
    return AdvicesOut(
        strategies=tuple(
            AdviceOut(
                name=one.name,
                percentile=records.PERCENTILES[one.name],
                budget=one.budget,
                moves=tuple(map(_strategy_move, one.moves)),
                rows=_own_rows(one.own, state.terms.rule),
                proposed=one.own.proposed,
                won=one.own.won,
                spent=one.own.budget,
            )
            for one in records.advice(setting, seed, 0, state.rows)
        )
    )


def _strategy_move(move: StrategyMove) -> StrategyMoveOut:
    if isinstance(move, Answer):
        return StrategyMoveOut(action="propose", word=move.word, epsilon=None)
    return StrategyMoveOut(action="ask", word=move.guess, epsilon=move.epsilon)


def _own_rows(game: Record, rule: str) -> tuple[OwnRow, ...]:
    return tuple(OwnRow(**_turn(turn), true_clue=str(clue(turn.guess, game.answer, rule))) for turn in game.history)


# What several of them do


def _found(game: str, here: Server) -> tuple[Game, WordList]:
    found = here.games.get(game)
    return found, here.word_lists.get(found.terms.words)


def _finished(game: Game, words: WordList) -> State:
    state = game.state(words)
    if state.result is None:
        raise FieldError("The game goes on; this is told when it is over.", "game", 409)
    return state


def _kept(key: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` returned for this key, if it is among what was made last."""
    found: Made = _made.get_or_make(key, make, once=False)
    return found


def _game(state: State) -> GameOut:
    terms, result = state.terms, state.result
    spent = Record(0, "", history=state.rows).budget
    return GameOut(
        id=state.id,
        kind=terms.kind,
        words=terms.words,
        length=state.words.length,
        letters=_letters(state.words),
        rule=terms.rule,  # type: ignore[arg-type]  # which pydantic checks
        hard=terms.hard,
        lies=terms.lies if terms.kind == "fibble" else None,
        day=terms.day,
        max_rows=state.max_rows,
        rows=tuple(TurnOut(**_turn(turn)) for turn in state.rows),
        spent=spent if terms.kind == "wordpl" else None,
        result=None if result is None else ResultOut(**vars(result) | {"score": _finite(result.score)}),
    )


@lru_cache(maxsize=16)
def _letters(words: WordList) -> str:
    return "".join(sorted({letter for word in words.guesses for letter in word}))


def _finite(number: float) -> float | None:
    return None if math.isinf(number) else number


def _turn(turn: Turn) -> dict[str, Any]:
    return {"guess": turn.guess, "clue": str(Clue(turn.clue, len(turn.guess))), "epsilon": json_epsilon(turn.epsilon)}
