"""Play: games against this server, help beside the board, and what is said of a game when it is over."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Path

from wordpl.assistant.analysis import AnalyzedGame, analyze
from wordpl.assistant.session import Assistant, ChanceOf
from wordpl.model.clues import Clue, clue
from wordpl.play.referee import Game as Record
from wordpl.play.setting import History, Setting
from wordpl.records import Doc
from wordpl.scoring.guess_figures import GuessFigures
from wordpl.web.games import Game, GameOut, Move, Moves, NewGame, Played, Terms
from wordpl.web.models import Epsilon, Model
from wordpl.web.problems import FieldError
from wordpl.web.records import AdviceOut, RecordOut, advice, records
from wordpl.web.server import Here, WordLists

router = APIRouter(prefix="/api/play", tags=["play"])

GameId: TypeAlias = Annotated[str, Path(description="As the call that began it said")]


class MovesIn(Model):
    moves: Moves


class HelpIn(MovesIn):
    show: frozenset[Literal["answers", "bits", "guesses"]] = frozenset()
    epsilon: Annotated[Epsilon, Doc("Of the next ask, for the guesses")] = math.inf


class HelpOut(Model):
    """Help beside the board; what was not asked for is null."""

    best: Annotated[ChanceOf, Doc("The most probable answer")]
    answers: tuple[ChanceOf, ...] | None
    remaining: Annotated[int | None, Doc("Answers that are not ruled out; comes with the answers")]
    bits: Annotated[float | None, Doc("Entropy of the answer")]
    guesses: tuple[GuessFigures, ...] | None


class AdvicesOut(Model):
    """What the strategies of the records make of a game; empty if they were made for another one."""

    strategies: tuple[AdviceOut, ...]


class FalseMark(Model):
    place: Annotated[int, Doc("Place of the letter in the row, from 1")]
    letter: str
    shown: Annotated[str, Doc("The mark of the clue", (".", "i", "c"))]
    true: Annotated[str, Doc("What it should have been", (".", "i", "c"))]


class StoryRow(Model):
    """What a row has changed, told when the game is over. Chances are those after it."""

    spent: Annotated[float | None, Doc("The budget up to here, with this row; null but in WORDPL")]
    leader: Annotated[ChanceOf, Doc("The most probable answer")]
    answer_chance: float
    proposed_chance: Annotated[float | None, Doc("Of the word that was proposed; null if none was")]
    false_marks: tuple[FalseMark, ...]


@router.get("/records")
async def list_records(here: Here) -> tuple[RecordOut, ...]:
    """The budgets of the strategies that hold the contest's records, to compare one's own with."""
    return await here.pool.run(records)


@router.post("/games", status_code=201)
async def begin_game(new: NewGame, here: Here) -> GameOut:
    """Begin a game. Its id is the whole game: the server keeps nothing of it, and only the server can read the answer
    out of it."""

    def begun() -> GameOut:
        game = here.games.again(new.again) if new.again else here.games.start(new, here.word_lists.get(new.words))
        return _played(game, (), here.word_lists).out()

    return await here.pool.run(begun)


@router.post("/games/{game}")
async def play_game(game: GameId, body: MovesIn, here: Here) -> GameOut:
    """A game after these moves. The same moves always get the same clues."""
    return await here.pool.run(lambda: _played(here.games.get(game), body.moves, here.word_lists).out())


@router.post("/games/{game}/help")
async def help_with_game(game: GameId, body: HelpIn, here: Here) -> HelpOut:
    """The most probable answers, the bits left, and the best next guesses: those of them that are asked for."""

    def helped() -> HelpOut:
        played = _played(here.games.get(game), body.moves, here.word_lists)
        terms = played.game.terms
        epsilon = body.epsilon if terms.kind == "wordpl" else math.inf
        return _help(terms, played.record.history, epsilon, body.show, here.word_lists)

    return await here.pool.run(helped)


@lru_cache(maxsize=1000)
def _help(terms: Terms, rows: History, epsilon: float, show: frozenset[str], lists: WordLists) -> HelpOut:
    assistant = _assistant(terms, lists, epsilon)
    assistant.take(rows)
    chances = tuple(ChanceOf(word=word, chance=chance) for word, chance in assistant.answers(10))
    answers = "answers" in show
    return HelpOut(
        best=_leader(assistant),
        answers=chances if answers else None,
        remaining=assistant.remaining if answers else None,
        bits=assistant.entropy if "bits" in show else None,
        guesses=tuple(assistant.suggestions(5)) if "guesses" in show else None,
    )


@router.post("/games/{game}/analysis")
async def review_game(game: GameId, body: MovesIn, here: Here) -> AnalyzedGame:
    """Skill and luck of each turn, as `wordpl analyze` has them. 409 before the end."""
    return await here.pool.run(lambda: _analysis(here.games.get(game), body.moves, here.word_lists))


@lru_cache(maxsize=200)
def _analysis(game: Game, moves: tuple[Move, ...], lists: WordLists) -> AnalyzedGame:
    record, setting, hard = _finished(game, moves, lists), _setting(game.terms, lists), game.terms.hard
    words, rule, channel, format = setting.words, setting.rule, setting.channel, setting.format
    answer, rows = None if record.won else record.answer, record.history
    analysis = analyze(words, rows, rule, hard=hard, answer=answer, channel=channel, kernels=True, format=format)
    return analysis.record()


@router.post("/games/{game}/records")
async def compare_with_records(game: GameId, body: MovesIn, here: Here) -> AdvicesOut:
    """What the strategies of the records would have asked where the player was, and their own games. 409 before the
    end."""
    return await here.pool.run(lambda: _advices(here.games.get(game), body.moves, here.word_lists))


@lru_cache(maxsize=200)
def _advices(game: Game, moves: tuple[Move, ...], lists: WordLists) -> AdvicesOut:
    record = _finished(game, moves, lists)
    if game.terms.kind != "wordpl":
        return AdvicesOut(strategies=())
    setting = _setting(game.terms, lists)
    return AdvicesOut(strategies=tuple(advice(setting, game.noise_seed, record.answer, record.history)))


@router.post("/games/{game}/story")
async def tell_game(game: GameId, body: MovesIn, here: Here) -> tuple[StoryRow, ...]:
    """What each row has changed: who led after it, and what in it was false. 409 before the end."""
    return await here.pool.run(lambda: _story(here.games.get(game), body.moves, here.word_lists))


def _story(game: Game, moves: tuple[Move, ...], lists: WordLists) -> tuple[StoryRow, ...]:
    record, assistant = _finished(game, moves, lists), _assistant(game.terms, lists)
    story, wordpl = [], game.terms.kind == "wordpl"
    for number, turn in enumerate(record.history, start=1):
        assistant.take(record.history[:number])
        chances = dict(assistant.answers())
        shown, true = Clue(turn.clue, len(turn.guess)), clue(turn.guess, record.answer, assistant.rule)
        marks = enumerate(zip(turn.guess, str(shown), str(true), strict=True), start=1)
        row = StoryRow(
            spent=math.fsum(turn.epsilon for turn in assistant.turns) if wordpl else None,
            leader=_leader(assistant),
            answer_chance=chances[record.answer],
            proposed_chance=chances.get(record.proposed, 0.0) if wordpl and record.proposed else None,
            false_marks=tuple(FalseMark(place=k, letter=a, shown=b, true=c) for k, (a, b, c) in marks if b != c),
        )
        story.append(row)
    return tuple(story)


def _finished(game: Game, moves: tuple[Move, ...], lists: WordLists) -> Record:
    played = _played(game, moves, lists)
    if not played.over:
        raise FieldError("The game goes on; this is told when it is over.", "moves", 409)
    return played.record


def _played(game: Game, moves: tuple[Move, ...], lists: WordLists) -> Played:
    return game.play(moves, lists.get(game.terms.words))


def _assistant(terms: Terms, lists: WordLists, epsilon: float = math.inf) -> Assistant:
    setting = _setting(terms, lists)
    words, rule, channel, format = setting.words, setting.rule, setting.channel, setting.format
    return Assistant(words, rule, epsilon, hard=terms.hard, channel=channel, kernels=True, format=format)


def _leader(assistant: Assistant) -> ChanceOf:
    word, chance = assistant.belief.top
    return ChanceOf(word=word, chance=chance)


def _setting(terms: Terms, lists: WordLists) -> Setting:
    return terms.setting(lists.get(terms.words))
