"""Play: games against this server, help beside the board, and what is said of a game when it is over."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from wordpl.base.json_types import Doc
from wordpl.model.clues import Clue
from wordpl.model.posterior import Posterior
from wordpl.scoring.guess_statistics import GuessStatistics
from wordpl.scoring.proposal import ProposalAdvice, when_to_propose
from wordpl.web.games import GameId, GameOut, Moves, NewGame, proposed_answer
from wordpl.web.models import Epsilon, Model, Word
from wordpl.web.record_holders import AdviceOut, RecordHolder, advice, record_holders
from wordpl.web.server import Here
from wordpl.web.shared import shared
from wordpl.wordle.analysis import CERTAIN, Analysis, analyze
from wordpl.wordle.session import Assistant, ChanceOf

router = APIRouter(prefix="/api/play", tags=["play"])


class MovesIn(Model):
    """All moves of a game from its start. A first guess that is given is none of them."""

    moves: Moves


class HelpIn(MovesIn):
    show: Annotated[frozenset[Literal["answers", "bits", "guesses"]], Field(max_length=3)] = frozenset()
    epsilon: Annotated[Epsilon, Doc("Epsilon of the next ask, which ranks the guesses")] = math.inf


class WordIn(MovesIn):
    word: Annotated[Word, Doc("A word that may be proposed")]


class HelpOut(Model):
    """Help beside the board; what was not asked for is null."""

    bets: Annotated[tuple[ChanceOf, ...], Doc("The most probable answer now; in WORDPL, first those before each row")]
    advice: Annotated[ProposalAdvice | None, Doc("Whether to propose; null but in WORDPL after a row")]
    answers: tuple[ChanceOf, ...] | None
    remaining: Annotated[int | None, Doc("Answers that are not ruled out; comes with the answers")]
    bits: Annotated[float | None, Doc("Entropy of the answer")]
    guesses: tuple[GuessStatistics, ...] | None
    win_chances: Annotated[
        tuple[float, ...], Doc("With two rows left or one, to win by each of the guesses or the next; else empty")
    ]


class FalseMark(Model):
    place: Annotated[int, Doc("Place of the letter in the row, from 1")]
    letter: str
    shown: Annotated[str, Doc("The mark of the clue", (".", "i", "c"))]
    true: Annotated[str, Doc("The true mark", (".", "i", "c"))]


class StoryRow(Model):
    """The posterior after a row."""

    spent: Annotated[float | None, Doc("The budget of the rows up to here; null but in WORDPL")]
    leader: Annotated[ChanceOf, Doc("The most probable answer")]
    answer_before: Annotated[float, Doc("Probability of the answer before the row")]
    answer_chance: Annotated[float, Doc("Probability of the answer after it")]
    enough: Annotated[bool, Doc("True if no further ask was worth its price, or in other games if it was certain")]
    proposed_chance: Annotated[float | None, Doc("Probability of the proposed word; null if none was proposed")]
    false_marks: tuple[FalseMark, ...]


@router.get("/records")
async def list_records() -> tuple[RecordHolder, ...]:
    """The budgets of the library's strategies for the contest's percentiles, to compare one's own with."""
    return await _records()


_records = shared(record_holders)


@router.post("/games", status_code=201)
def begin_game(new: NewGame, here: Here) -> GameOut:
    """Begin a game. All of it is in its id, of which only the server can work out the answer; it keeps nothing."""
    return here.games.start(new).out()


@router.post("/games/{game}")
def play_game(game: GameId, body: MovesIn, here: Here) -> GameOut:
    """A game after these moves. The same moves always get the same clues."""
    return here.games.play(game, body.moves).out()


@router.post("/games/{game}/help")
def help_with_game(game: GameId, body: HelpIn, here: Here) -> HelpOut:
    """The most probable answer; and more answers, the bits left, and the best next guesses, if they are asked for."""
    played = here.games.play(game, body.moves)
    setting, hard, rows = played.setting, played.terms.hard, played.record.history
    noisy, answers = played.terms.priced, "answers" in body.show
    epsilon = body.epsilon if noisy else math.inf
    assistant = Assistant(setting, epsilon, hard=hard, kernels=here.compiled)
    assistant.take(rows, goes_on=not played.record.won)
    guesses = assistant.suggestions(5) if "guesses" in body.show else []
    before = [played.belief(rows[:asks]) for asks in range(len(rows))] if noisy else []
    return HelpOut(
        bets=tuple(map(_leader, [*before, assistant.belief])),
        advice=assistant.advice if rows and here.compiled else None,
        answers=tuple(ChanceOf(word=word, chance=p) for word, p in assistant.answers(10)) if answers else None,
        remaining=assistant.remaining if answers else None,
        bits=assistant.entropy if "bits" in body.show else None,
        guesses=tuple(guesses) if "guesses" in body.show else None,
        win_chances=tuple(assistant.win_chances(guesses)),
    )


def _leader(belief: Posterior) -> ChanceOf:
    word, chance = belief.top
    return ChanceOf(word=word, chance=chance)


@router.post("/games/{game}/chance")
def find_chance(game: GameId, body: WordIn, here: Here) -> ChanceOf:
    """The probability that a word is the answer, before it is proposed."""
    played = here.games.play(game, body.moves)
    word, belief = proposed_answer(body.word, played.setting.words), played.belief(played.record.history)
    return ChanceOf(word=word, chance=float(belief.probabilities[belief.words.answer_index[word]]))


@router.post("/games/{game}/analysis")
def review_game(game: GameId, body: MovesIn, here: Here) -> Analysis:
    """Skill and luck of each turn, as `wordpl analyze` has them. 409 before the end."""
    played = here.games.play(game, body.moves)
    result, rows, hard = played.result(), played.record.history, played.terms.hard
    known = (result.won and not result.proposed) or played.terms.kind == "adversarial"  # by its clues, or not at all
    answer = None if known else result.answer
    return analyze(played.setting, rows, hard=hard, answer=answer, proposed=result.proposed, kernels=here.compiled)


@router.post("/games/{game}/records")
def compare_with_records(game: GameId, body: MovesIn, here: Here) -> list[AdviceOut]:
    """Moves of the record holders where the player was, and their own games; none for other settings.
    409 before the end, 503 while the server still compiles."""
    played = here.games.play(game, body.moves)
    result, noisy = played.result(), played.terms.kind == "wordpl"
    if noisy:
        here.ready()
    return advice(played.setting, played.noise_seed, result.answer, played.record.history) if noisy else []


@router.post("/games/{game}/story")
def tell_game(game: GameId, body: MovesIn, here: Here) -> tuple[StoryRow, ...]:
    """The posterior after each row, and its false marks.
    409 before the end, in WORDPL 503 while the server still compiles."""
    played, story = here.games.play(game, body.moves), []
    result, rows, proposes = played.result(), played.record.history, played.terms.kind == "wordpl"
    if proposes:
        here.ready()
    before = 1.0 / len(played.setting.words.answers)
    for number, (turn, true) in enumerate(zip(rows, result.true_clues, strict=True), start=1):
        belief, spent = played.belief(rows[:number]), math.fsum(turn.epsilon for turn in rows[:number])
        chances = dict(zip(belief.words.answers, belief.probabilities.tolist(), strict=True))
        marks = enumerate(zip(turn.guess, str(Clue(turn.clue, len(true))), true, strict=True), start=1)
        leader = _leader(belief)
        row = StoryRow(
            spent=spent if played.terms.priced else None,
            leader=leader,
            enough=when_to_propose(belief).guess is None if proposes else leader["chance"] >= CERTAIN,
            answer_before=before,
            answer_chance=chances[result.answer],
            proposed_chance=chances[result.proposed] if result.proposed else None,
            false_marks=tuple(FalseMark(place=k, letter=a, shown=b, true=c) for k, (a, b, c) in marks if b != c),
        )
        story.append(row)
        before = row.answer_chance
    return tuple(story)
