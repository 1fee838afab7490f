"""Play: games against this server, help beside the board, and what is said of a game when it is over."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Path, Query

from wordpl.assistant.analysis import AnalyzedGame, analyze
from wordpl.assistant.session import Assistant, ChanceOf
from wordpl.model.words import WordList
from wordpl.play.setting import History, Setting
from wordpl.records import Doc
from wordpl.scoring.guess_figures import GuessFigures
from wordpl.web.games import Game, GameOut, MoveIn, NewGame, ResultOut
from wordpl.web.models import Epsilon, Model
from wordpl.web.problems import FieldError
from wordpl.web.records import AdviceOut, RecordOut, advice, records
from wordpl.web.server import Here, Server, WordLists

router = APIRouter(prefix="/api/play", tags=["play"])

GameId: TypeAlias = Annotated[str, Path(min_length=1, max_length=64, description="As the call that began it said")]


class HelpOut(Model):
    """Help beside the board; what was not asked for is null."""

    answers: tuple[ChanceOf, ...] | None
    remaining: Annotated[int | None, Doc("Answers that are not ruled out; comes with the answers")]
    bits: Annotated[float | None, Doc("Entropy of the answer")]
    guesses: tuple[GuessFigures, ...] | None


class AdvicesOut(Model):
    """What the strategies of the records make of a game; empty if they were made for another one."""

    strategies: tuple[AdviceOut, ...]


@router.get("/records")
async def list_records(here: Here) -> tuple[RecordOut, ...]:
    """The budgets of the strategies that hold the contest's records, to compare one's own with."""
    return await here.pool.run(records)


@router.post("/games", status_code=201)
async def begin_game(new: NewGame, here: Here) -> GameOut:
    """Begin a game. The server keeps the answer until the game is over."""
    words = here.word_lists.get(new.words)
    return await here.pool.run(lambda: here.games.start(new, words).state(words))


@router.get("/games/{game}")
async def read_game(game: GameId, here: Here) -> GameOut:
    """A game as it stands."""
    session, words = _game(game, here)
    return await here.pool.run(session.state, words)


@router.post("/games/{game}/moves")
async def make_move(game: GameId, move: MoveIn, here: Here) -> GameOut:
    """Ask for a clue, propose the answer, or give up; returns the game after it. 409 if it is not the next move."""
    session, words = _game(game, here)
    return await here.pool.run(session.move, move, words)


def _game(game: str, here: Server) -> tuple[Game, WordList]:
    session = here.games.get(game)
    return session, here.word_lists.get(session.terms.words)


@router.get("/games/{game}/help")
async def help_with_game(
    game: GameId,
    here: Here,
    show: Annotated[list[Literal["answers", "bits", "guesses"]], Query(max_length=3)],
    epsilon: Annotated[Epsilon, Query(description="Of the next ask, for the guesses")] = math.inf,
) -> HelpOut:
    """The most probable answers, the bits left, and the best next guesses: those of them that are asked for."""
    session = here.games.get(game)
    ask_epsilon = epsilon if session.terms.kind == "wordpl" else math.inf
    return await here.pool.run(_help, session.terms, session.rows, ask_epsilon, frozenset(show), here.word_lists)


@lru_cache(maxsize=1000)
def _help(terms: NewGame, rows: History, epsilon: float, show: frozenset[str], lists: WordLists) -> HelpOut:
    setting, answers = terms.setting(lists.get(terms.words)), "answers" in show
    words, rule, channel, format = setting.words, setting.rule, setting.channel, setting.format
    assistant = Assistant(words, rule, epsilon, hard=terms.hard, channel=channel, kernels=True, format=format)
    assistant.take(rows)
    chances = tuple(ChanceOf(word=word, chance=chance) for word, chance in assistant.answers(10))
    return HelpOut(
        answers=chances if answers else None,
        remaining=assistant.remaining if answers else None,
        bits=assistant.entropy if "bits" in show else None,
        guesses=tuple(assistant.suggestions(5)) if "guesses" in show else None,
    )


@router.get("/games/{game}/analysis")
async def review_game(game: GameId, here: Here) -> AnalyzedGame:
    """Skill and luck of each turn, as `wordpl analyze` has them. 409 before the end, 404 without a row."""
    return await here.pool.run(_analysis, here.games.get(game), here.word_lists)


@lru_cache(maxsize=200)
def _analysis(game: Game, lists: WordLists) -> AnalyzedGame:
    setting, result = _finished(game, lists)
    if not game.rows:
        raise FieldError("There is no guess to analyze.", "game", 404)
    words, rule, channel, format = setting.words, setting.rule, setting.channel, setting.format
    answer, hard = None if result.won else result.answer, game.terms.hard
    analysis = analyze(words, game.rows, rule, hard=hard, answer=answer, channel=channel, kernels=True, format=format)
    return analysis.record()


@router.get("/games/{game}/records")
async def compare_with_records(game: GameId, here: Here) -> AdvicesOut:
    """What the strategies of the records would have asked where the player was, and their own games. 409 before the
    end."""
    return await here.pool.run(_advices, here.games.get(game), here.word_lists)


@lru_cache(maxsize=200)
def _advices(game: Game, lists: WordLists) -> AdvicesOut:
    setting, _ = _finished(game, lists)
    if game.terms.kind != "wordpl":
        return AdvicesOut(strategies=())
    return AdvicesOut(strategies=tuple(advice(setting, game.seed, 0, game.rows)))


def _finished(game: Game, lists: WordLists) -> tuple[Setting, ResultOut]:
    words = lists.get(game.terms.words)
    result = game.state(words).result
    if result is None:
        raise FieldError("The game goes on; this is told when it is over.", "game", 409)
    return game.terms.setting(words), result
