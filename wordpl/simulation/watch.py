"""One game, move by move: what the strategy asked, the noisy and the true clue, and how probable the answers then
were."""

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ContextDecorator, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from time import thread_time
from typing import Annotated, Any, TypeAlias, cast

from typing_extensions import TypedDict, Unpack

from wordpl.base.checks import whole_number
from wordpl.base.displays import counted, cut, json_epsilon, line_of
from wordpl.base.json_types import Doc, InJson, JsonEpsilon, json_of
from wordpl.base.sanitizing import visible_lines
from wordpl.model.channel import channel_name
from wordpl.model.clues import clue_matrix, clue_strings
from wordpl.play.referee import Game, Referee
from wordpl.play.setting import Setting
from wordpl.play.strategy import Player, Strategy
from wordpl.simulation.statistics_table import GameTerms, PlayedTrial
from wordpl.simulation.tasks import Task, TaskTerms, as_task
from wordpl.simulation.trials import rehearse

_MOST_PRINTED = 2048
LAST_TRIAL = 2**64 - 1


class LikelyAnswer(TypedDict):
    """An answer and its probability."""

    word: Annotated[str, Doc("An answer.")]
    probability: Annotated[float, Doc("Its probability.")]


@dataclass(frozen=True)
class MoveRecord:
    """A move of a game that is watched, and the position after it."""

    kind: Annotated[str, Doc("`forfeit` lost the game without a proposal.", ("ask", "answer", "forfeit"))]
    word: Annotated[str | None, Doc("The word that was asked or proposed; null for a forfeit.")]
    epsilon: Annotated[
        float | None, InJson(json_epsilon, JsonEpsilon | None), Doc("Epsilon of an ask; otherwise null.")
    ]
    noisy_clue: Annotated[str | None, Doc("The clue that the player got; null unless the move is an ask.")]
    true_clue: Annotated[str | None, Doc("The clue before the noise.")]
    flipped: Annotated[tuple[int, ...], Doc("Positions of the marks that the channel changed, counted from 0.")]
    top: Annotated[
        tuple[tuple[str, float], ...],
        InJson(lambda top: [{"word": word, "probability": chance} for word, chance in top], list[LikelyAnswer]),
        Doc("The most probable answers after the move, by the referee's posterior."),
    ]
    bits: Annotated[float, Doc("Entropy of that posterior.")]
    printed: Annotated[str, Doc("Output of the strategy in that move, at most 2,048 letters.")]
    cpu_seconds: Annotated[float, Doc("CPU time of the move.")] = field(repr=False)


class WatchedGame(GameTerms, PlayedTrial):
    """A game, move by move."""

    prior_bits: Annotated[float, Doc("Entropy of the answer before the first move.")]
    printed: Annotated[str, Doc("Output of the strategy before its first move.")]
    moves: Annotated[list[MoveRecord], Doc("The moves in order.")]


@dataclass(frozen=True, repr=False)
class GameRecord:
    """One game, move by move: `strategy` is a spec, `setting` and `seed` are those of the task, `game` is the referee's
    record, and `moves` has one record for each move."""

    strategy: str
    setting: Setting
    seed: int
    game: Game
    prior_bits: float
    """Entropy of the answer before the first move."""
    printed: str
    """Text that the strategy printed before its first move."""
    moves: tuple[MoveRecord, ...]

    def summary(self) -> WatchedGame:
        """Return the game as plain JSON values (docs/reference/json.md); an infinite epsilon or budget is "inf"."""
        setting, game = self.setting, self.game
        record: dict[str, Any] = {"strategy": self.strategy, "words": setting.words.name, "rule": setting.rule}
        record |= {"channel": channel_name(setting.channel), "format": str(setting.format), "seed": str(self.seed)}
        record |= {name: getattr(game, name) for name in PlayedTrial.__annotations__}
        record |= {"verdict": str(game.verdict), "budget": json_epsilon(game.budget)}
        record |= {"prior_bits": self.prior_bits, "printed": self.printed, "moves": json_of(self.moves)}
        return cast(WatchedGame, record)

    def __repr__(self) -> str:
        game, asks = self.game, counted(sum(move.kind == "ask" for move in self.moves), "ask")
        ending = f"{game.verdict} after {asks}, proposed {game.proposed}, answer {game.answer}"
        return line_of(self, f"of {cut(self.strategy)}, trial {game.trial}: {ending}, budget {game.budget:g}")


def watch(
    strategy: Strategy | str | Task, trial: int, seed: int | None = None, *, top: int = 3, **terms: Unpack[TaskTerms]
) -> GameRecord:
    """Play trial number `trial` of `strategy` and return it move by move.

    `evaluate` plays the same game with the same `seed`, by default 1, and `terms`. (A contest class that remembers
    earlier games has not played them here.) `top` is the number of most probable answers to record after each move, 1
    or more.

    Raises `WordplError` as `make_task` does, and for a trial that is not a whole number from 0 to 2**64 - 1.

    >>> import wordpl
    >>> game = wordpl.watch("TwoGuess(18)", trial=0)
    >>> game
    <GameRecord of TwoGuess(epsilon=18.0), trial 0: LOSS after 1 ask, proposed bigot, answer boost, budget 18>
    >>> game.moves[0].word, game.moves[0].noisy_clue, game.moves[0].true_clue, round(game.moves[0].bits, 3)
    ('trace', 'i....', 'i....', 7.577)
    """
    top, trial = whole_number("top", top), whole_number("trial", trial, 0, LAST_TRIAL)
    return next(watch_games(as_task(strategy, seed, terms, "watch"), [trial], top))


def watch_games(task: Task, trials: Iterable[int], top: int) -> Iterator[GameRecord]:
    """Play these trials of `task`, whose strategy is started once, and yield each move by move as `watch` does."""
    strategy, setting = task.strategy, task.setting
    referee = Referee(setting, task.seed)
    with _prints_kept() as before:
        make_player = strategy.players(setting)
    with _prints_kept():
        rehearse(strategy, setting, make_player)
    printed = _text(before)
    for trial in trials:
        seen: list[Observed] = []
        player = make_player(referee.seeds.player(trial, strategy.player_name))
        game = referee.play(trial, WatchedPlayer(player, _observed(seen)))
        yield game_record(strategy.label, setting, task.seed, game, seen, printed, top)
        printed = ""


Observed: TypeAlias = tuple[str, float]
"""Text that a player printed in one decision, and its CPU seconds."""


class WatchedPlayer:
    """A player each of whose decisions is made in a context."""

    def __init__(self, player: Player, context: ContextDecorator) -> None:
        self.first_move = context(lambda: player.first_move())
        self.next_move = context(lambda *turn: player.next_move(*turn))


@contextmanager
def _prints_kept() -> Iterator[io.BytesIO]:
    """Keep what is printed in the block, in place of showing it."""
    sink = io.BytesIO()
    stream = io.TextIOWrapper(sink, "utf-8", "backslashreplace", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        yield sink
    stream.detach()


def _text(sink: io.BytesIO) -> str:
    return cut(visible_lines(sink.getvalue().decode("utf-8", "replace").strip("\r\n")), _MOST_PRINTED)


@contextmanager
def _observed(seen: list[Observed]) -> Iterator[None]:
    with _prints_kept() as sink:
        start = thread_time()
        try:
            yield
        finally:
            seen.append((_text(sink), thread_time() - start))


def game_record(
    strategy: str, setting: Setting, seed: int, game: Game, seen: Sequence[Observed], printed: str, top: int
) -> GameRecord:
    """The record of a finished game; `seen` has an entry for every move, `printed` what came before them."""
    answer = setting.words.answer_index[game.answer]
    strings, clues = clue_strings(setting.words.length), clue_matrix(setting.words, setting.rule)
    moves = []
    for i, observed in enumerate(seen):
        turns = game.history[: i + 1]
        # The right guess ends a game of Wordle, so the posterior of games that go on excludes it.
        best: tuple[tuple[str, float], ...] = ((game.answer, 1.0),)
        bits = 0.0
        if not (setting.format.is_wordle and any(turn.guess == game.answer for turn in turns)):
            belief = setting.belief(turns)
            pairs = ((setting.words.answers[k], float(belief.probabilities[k])) for k in belief.likeliest(top))
            best, bits = tuple(pairs), belief.entropy
        if i < len(game.history):
            turn = turns[-1]
            noisy, true = strings[turn.clue], strings[clues[setting.words.guess_index[turn.guess], answer]]
            flipped = tuple(at for at, marks in enumerate(zip(noisy, true, strict=True)) if marks[0] != marks[1])
            move = MoveRecord("ask", turn.guess, turn.epsilon, noisy, true, flipped, best, bits, *observed)
        else:
            kind = "forfeit" if game.proposed is None else "answer"
            move = MoveRecord(kind, game.proposed, None, None, None, (), best, bits, *observed)
        moves.append(move)
    return GameRecord(strategy, setting, seed, game, setting.belief().entropy, printed, tuple(moves))
