"""One game, move by move: what a strategy asked, what it was told, what was true, and what it could know then."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, cast

import numpy as np
from typing_extensions import TypedDict

from wordpl import clock
from wordpl.checks import whole_number
from wordpl.errors import one_line
from wordpl.model.channel import ChannelFamily, RandomizedResponse
from wordpl.model.clues import clue_matrix, clue_strings
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.play.printing import prints_kept
from wordpl.play.referee import GAME_SECONDS, Game, Referee, Verdict
from wordpl.play.setting import Setting
from wordpl.play.strategy import Player, Strategy
from wordpl.records import ChannelName, Doc, Format, JsonEpsilon, Rule, Seed, Spec, VerdictName, Words
from wordpl.simulation.sweep import make_task
from wordpl.simulation.tasks import channel_name
from wordpl.simulation.warmup import rehearse
from wordpl.text.displays import json_epsilon


class LikelyAnswer(TypedDict):
    """An answer and its probability."""

    word: Annotated[str, Doc("An answer.")]
    probability: Annotated[float, Doc("Its probability.")]


class WatchedMove(TypedDict):
    """A move of a game that is watched."""

    kind: Annotated[str, Doc("`forfeit` lost the game by anything but a wrong proposal.", ("ask", "answer", "forfeit"))]
    word: Annotated[str | None, Doc("What was asked or proposed; null for a forfeit.")]
    epsilon: Annotated[JsonEpsilon | None, Doc("Budget of an ask, else null.")]
    noisy_clue: Annotated[str | None, Doc("What the player was told; null but for an ask.")]
    true_clue: Annotated[str | None, Doc("The clue before the noise.")]
    flipped: Annotated[list[int], Doc("Places of the letters whose mark the channel changed, from 0.")]
    top: Annotated[list[LikelyAnswer], Doc("The most probable answers after the move, by the referee's posterior.")]
    bits: Annotated[float, Doc("Entropy of that posterior.")]
    printed: Annotated[str, Doc("What the strategy printed in that move, of which at most 2,048 bytes are kept.")]
    cpu_seconds: Annotated[float, Doc("CPU time of the move, without compilation.")]


class WatchedGame(TypedDict):
    """A game, move by move."""

    strategy: Spec
    words: Words
    rule: Rule
    channel: ChannelName
    format: Format
    seed: Seed
    trial: Annotated[int, Doc("Number of the trial.")]
    answer: Annotated[str, Doc("The answer.")]
    proposed: Annotated[str | None, Doc("The proposed word; null for none.")]
    verdict: VerdictName
    reason: Annotated[str, Doc("Why it was lost, if not by a wrong word.")]
    budget: Annotated[JsonEpsilon, Doc("Epsilon spent, won or lost.")]
    turns: Annotated[int, Doc("Guesses of an ordinary game.")]
    prior_bits: Annotated[float, Doc("Entropy of the answer before the first move.")]
    printed: Annotated[str, Doc("What the strategy printed before its first move.")]
    moves: Annotated[list[WatchedMove], Doc("The moves in order.")]
    differences: NotRequired[
        Annotated[list[str], Doc("Differences from the stored game; only with `--results` or `--ledger`.")]
    ]


@dataclass(frozen=True, repr=False)
class MoveRecord:
    """One move of a game, and what was known after it; `WatchedMove` says more of each field.

    `printed` is what the strategy printed while it decided, on stdout and stderr: the first 2,048 bytes, or the last
    ones of a submission.
    """

    word: str | None
    epsilon: float | None
    noisy_clue: str | None
    true_clue: str | None
    top: tuple[tuple[str, float], ...]
    bits: float
    printed: str
    cpu_seconds: float

    @property
    def kind(self) -> str:
        """`ask`, `answer`, or `forfeit` for a move that lost the game."""
        return "forfeit" if self.word is None else "answer" if self.epsilon is None else "ask"

    @property
    def flipped(self) -> tuple[int, ...]:
        """The letters whose mark the channel changed, counted from 0."""
        return tuple(
            i for i, (a, b) in enumerate(zip(self.noisy_clue or "", self.true_clue or "", strict=True)) if a != b
        )

    def record(self) -> WatchedMove:
        """Return the move as plain JSON values; an infinite epsilon is "inf"."""
        return {
            "kind": self.kind,
            "word": self.word,
            "epsilon": json_epsilon(self.epsilon),
            "noisy_clue": self.noisy_clue,
            "true_clue": self.true_clue,
            "flipped": list(self.flipped),
            "top": [{"word": word, "probability": probability} for word, probability in self.top],
            "bits": self.bits,
            "printed": self.printed,
            "cpu_seconds": self.cpu_seconds,
        }

    def __repr__(self) -> str:
        said = {
            "ask": f"asks {self.word} at {self.epsilon}: {self.noisy_clue}, true {self.true_clue}",
            "answer": f"proposes {self.word}",
            "forfeit": "forfeits",
        }
        best = ", ".join(f"{word} {probability:.4f}" for word, probability in self.top[:1])
        return f"<MoveRecord {said[self.kind]}; {self.bits:.3f} bits left, top {best}>"


@dataclass(frozen=True, repr=False)
class GameRecord:
    """One game, move by move, as `watch` saw it; `WatchedGame` says more of each field."""

    strategy: str
    words: str
    rule: str
    channel: str
    format: str
    trial: int
    answer: str
    proposed: str | None
    seed: int
    verdict: Verdict
    reason: str
    budget: float
    turns: int
    prior_bits: float
    printed: str
    moves: tuple[MoveRecord, ...]

    @property
    def won(self) -> bool:
        return self.verdict is Verdict.WIN

    @property
    def is_wordle(self) -> bool:
        """Whether the right guess ended the game, and guesses are its score."""
        return GameFormat.parse(self.format).is_wordle

    @property
    def score(self) -> float:
        """The budget, or in the format of Wordle the number of guesses, if the game was won; infinity if not."""
        if not self.won:
            return math.inf
        return float(self.turns) if self.is_wordle else self.budget

    def record(self) -> WatchedGame:
        """Return the game as plain JSON values (docs/reference/json.md); an infinite epsilon or budget is "inf"."""
        plain = {"verdict": str(self.verdict), "seed": str(self.seed), "budget": json_epsilon(self.budget)}
        return cast(WatchedGame, {**vars(self), **plain, "moves": [move.record() for move in self.moves]})

    def __repr__(self) -> str:
        asks = sum(move.kind == "ask" for move in self.moves)
        times = f"{asks} ask" if asks == 1 else f"{asks} asks"
        return (
            f"<GameRecord of {one_line(self.strategy, 80)}, trial {self.trial}: {self.verdict} after {times}, "
            f"proposed {self.proposed}, answer {self.answer}, budget {self.budget:g}>"
        )


def watch(
    strategy: Strategy,
    trial: int,
    seed: int = 1,
    *,
    words: WordList | str = "original",
    rule: str = "letterwise",
    channel: ChannelFamily | str = RandomizedResponse,
    format: GameFormat | str = CONTEST,
    game_seconds: float = GAME_SECONDS,
    top: int = 3,
) -> GameRecord:
    """Play one trial and return it move by move.

    It is the game that `evaluate`, or a sweep, plays as trial number `trial` with the same arguments: same answer, same
    noise, same moves. (An object of the contest's kind that remembers earlier games has not played them here.)
    `top` is how many of the most probable answers are kept after each move, 1 or more.

    Raises `WordplError` as `make_task` does, and for a trial that is not a whole number from 0 to 2**64 - 1.

    >>> import wordpl
    >>> game = wordpl.watch(wordpl.parse_strategy("TwoGuess(18)"), trial=0)
    >>> game
    <GameRecord of TwoGuess(epsilon=18.0), trial 0: LOSS after 1 ask, proposed bigot, answer boost, budget 18>
    >>> game.moves[0]
    <MoveRecord asks trace at 18.0: i...., true i....; 7.577 bits left, top bigot 0.0079>
    """
    top, trial = whole_number("top", top), check_trial(trial)
    task = make_task(strategy, seed, words=words, rule=rule, channel=channel, format=format, game_seconds=game_seconds)
    setting, referee = task.setting, Referee(task.setting, task.seed, task.game_seconds)
    with prints_kept() as before:
        make_player = strategy.players_within(setting, game_seconds)
    with prints_kept():
        rehearse(strategy, setting, make_player, task.game_seconds)
    seen: list[Observed] = []
    player = WatchedPlayer(make_player(referee.seeds.player(trial, strategy.player_name)), lambda: _observed(seen))
    game = referee.play(trial, player)
    return game_record(strategy.label, setting, task.seed, game, seen, before.text(), top)


def check_trial(trial: object) -> int:
    """Return `trial` as an `int`. Raises `WordplError` unless it is a whole number from 0 to 2**64 - 1."""
    return whole_number("trial", trial, minimum=0, maximum=2**64 - 1)


# Observing


@dataclass(frozen=True)
class Observed:
    """What one decision took."""

    printed: str
    cpu_seconds: float


class WatchedPlayer:
    """A player each of whose decisions is made in a context of `observing`."""

    def __init__(self, player: Player, observing: Callable[[], AbstractContextManager[None]]) -> None:
        self._player, self._observing = player, observing

    def first_move(self) -> Any:
        with self._observing():
            return self._player.first_move()

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        with self._observing():
            return self._player.next_move(guess, epsilon, clues)


@contextmanager
def _observed(seen: list[Observed]) -> Iterator[None]:
    with prints_kept() as kept:
        begun = clock.read().cpu
        try:
            yield
        finally:
            seen.append(Observed(kept.text(), clock.read().cpu - begun))


# What was seen, as a record


def game_record(
    strategy: str, setting: Setting, seed: int, game: Game, seen: Sequence[Observed], printed: str, top: int
) -> GameRecord:
    """The record of a finished game; `seen` has an entry for every move, `printed` what came before them."""
    answer = setting.words.answer_index[game.answer]
    strings, clues = clue_strings(setting.words.length), clue_matrix(setting.words, setting.rule)
    moves = []
    for i, observed in enumerate(seen):
        turns = game.history[: i + 1]
        if setting.format.is_wordle and any(turn.guess == game.answer for turn in turns):
            # The right guess ends a game of Wordle, so the posterior of games that go on excludes it.
            found: tuple[tuple[tuple[str, float], ...], float] = (((game.answer, 1.0),), 0.0)
        else:
            belief = setting.belief(turns)
            found = (_top(belief, top), belief.entropy)
        known = (*found, observed.printed, observed.cpu_seconds)
        if i < len(game.history):
            turn = turns[-1]
            true = int(clues[setting.words.guess_index[turn.guess], answer])
            moves.append(MoveRecord(turn.guess, turn.epsilon, strings[turn.clue], strings[true], *known))
        else:
            moves.append(MoveRecord(game.proposed, None, None, None, *known))
    return GameRecord(
        strategy=strategy,
        words=setting.words.name,
        rule=setting.rule,
        channel=channel_name(setting.channel),
        format=str(setting.format),
        seed=seed,
        trial=game.trial,
        answer=game.answer,
        proposed=game.proposed,
        verdict=game.verdict,
        reason=game.reason,
        budget=game.budget,
        turns=game.turns,
        prior_bits=setting.belief().entropy,
        printed=printed,
        moves=tuple(moves),
    )


def _top(belief: Posterior, top: int) -> tuple[tuple[str, float], ...]:
    probabilities = belief.probabilities
    best = np.argsort(-probabilities, kind="stable")[:top]
    return tuple((belief.words.answers[i], float(probabilities[i])) for i in best if probabilities[i] > 0.0)
