"""Play: games against this server, help beside the board, and what is said of a game when it is over."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Path

from wordpl.assistant.analysis import AnalyzedGame, analyze
from wordpl.assistant.session import Assistant, ChanceOf
from wordpl.model.clues import Clue
from wordpl.records import Doc
from wordpl.scoring.guess_figures import GuessFigures
from wordpl.web.games import Game, GameOut, Moves, NewGame, Played
from wordpl.web.models import Epsilon, Model
from wordpl.web.problems import FieldError
from wordpl.web.records import AdviceOut, RecordOut, advice, records
from wordpl.web.server import Here, Server

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
    """What was known after a row."""

    spent: Annotated[float | None, Doc("The budget of the rows up to here; null but in WORDPL")]
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
    """Begin a game. All of it is in its id, of which only the server can work out the answer; it keeps nothing."""

    return await here.pool.run(lambda: _played(here, here.games.start(new), MovesIn(moves=())).out())


@router.post("/games/{game}")
async def play_game(game: GameId, body: MovesIn, here: Here) -> GameOut:
    """A game after these moves. The same moves always get the same clues."""
    return await here.pool.run(lambda: _played(here, here.games.get(game), body).out())


@router.post("/games/{game}/help")
async def help_with_game(game: GameId, body: HelpIn, here: Here) -> HelpOut:
    """The most probable answer; and more answers, the bits left, and the best next guesses, if they are asked for."""
    return await here.pool.run(lambda: _help(_played(here, here.games.get(game), body), body))


def _help(played: Played, asked: HelpIn) -> HelpOut:
    assistant = _assistant(played, asked.epsilon if played.game.terms.kind == "wordpl" else math.inf)
    assistant.take(played.record.history)
    answers = "answers" in asked.show
    return HelpOut(
        best=_leader(assistant),
        answers=tuple(ChanceOf(word=word, chance=p) for word, p in assistant.answers(10)) if answers else None,
        remaining=assistant.remaining if answers else None,
        bits=assistant.entropy if "bits" in asked.show else None,
        guesses=tuple(assistant.suggestions(5)) if "guesses" in asked.show else None,
    )


@router.post("/games/{game}/analysis")
async def review_game(game: GameId, body: MovesIn, here: Here) -> AnalyzedGame:
    """Skill and luck of each turn, as `wordpl analyze` has them. 409 before the end."""
    return await here.pool.run(lambda: _analysis(_finished(here, game, body)))


def _analysis(played: Played) -> AnalyzedGame:
    setting, record, hard = played.setting, played.record, played.game.terms.hard
    words, rule, channel, format = setting.words, setting.rule, setting.channel, setting.format
    answer, rows = None if record.won else record.answer, record.history
    analysis = analyze(words, rows, rule, hard=hard, answer=answer, channel=channel, kernels=True, format=format)
    return analysis.record()


@router.post("/games/{game}/records")
async def compare_with_records(game: GameId, body: MovesIn, here: Here) -> AdvicesOut:
    """What the strategies of the records would have asked where the player was, and their own games. 409 before the
    end."""
    return await here.pool.run(lambda: _advices(_finished(here, game, body)))


def _advices(played: Played) -> AdvicesOut:
    if played.game.terms.kind != "wordpl":
        return AdvicesOut(strategies=())
    record = played.record
    return AdvicesOut(strategies=tuple(advice(played.setting, played.game.noise_seed, record.answer, record.history)))


@router.post("/games/{game}/story")
async def tell_game(game: GameId, body: MovesIn, here: Here) -> tuple[StoryRow, ...]:
    """What was known after each row, and what in it was false. 409 before the end."""
    return await here.pool.run(lambda: _story(_finished(here, game, body)))


def _story(played: Played) -> tuple[StoryRow, ...]:
    record, result, assistant, story = played.record, played.result(), _assistant(played), []
    for turn, true in zip(record.history, result.true_clues, strict=True):
        assistant.take((*assistant.turns, turn))
        chances = dict(assistant.answers())
        marks = enumerate(zip(turn.guess, str(Clue(turn.clue, len(true))), true, strict=True), start=1)
        row = StoryRow(
            spent=math.fsum(turn.epsilon for turn in assistant.turns) if played.game.terms.kind == "wordpl" else None,
            leader=_leader(assistant),
            answer_chance=chances[record.answer],
            proposed_chance=chances[result.proposed] if result.proposed else None,
            false_marks=tuple(FalseMark(place=k, letter=a, shown=b, true=c) for k, (a, b, c) in marks if b != c),
        )
        story.append(row)
    return tuple(story)


def _finished(here: Server, id: str, body: MovesIn) -> Played:
    played = _played(here, here.games.get(id), body)
    if not played.over:
        raise FieldError("The game goes on; this is told when it is over.", "moves", 409)
    return played


def _played(here: Server, game: Game, body: MovesIn) -> Played:
    return game.play(body.moves, here.word_lists.get(game.terms.words))


def _assistant(played: Played, epsilon: float = math.inf) -> Assistant:
    setting, hard = played.setting, played.game.terms.hard
    words, rule, channel, format = setting.words, setting.rule, setting.channel, setting.format
    return Assistant(words, rule, epsilon, hard=hard, channel=channel, kernels=True, format=format)


def _leader(assistant: Assistant) -> ChanceOf:
    word, chance = assistant.belief.top
    return ChanceOf(word=word, chance=chance)
