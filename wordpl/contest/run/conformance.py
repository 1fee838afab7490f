"""The conformance test: what a strategy must do to be scored.

`check_strategy` plays in this process; `wordpl check FILE` does the same with a submission in the sandbox.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from wordpl import clock
from wordpl.contest.limits import Limits
from wordpl.model.channel import ChannelFamily, RandomizedResponse
from wordpl.model.words import WordList
from wordpl.play.referee import Game, Referee, Verdict
from wordpl.play.setting import Setting
from wordpl.play.strategy import Player, Strategy
from wordpl.progress import Progress
from wordpl.simulation.sweep import make_task
from wordpl.text.displays import counted, line_of

_ADVICE = {
    Verdict.INVALID: "return (word, epsilon): a word of valid.txt, in lower case, and a finite epsilon above 0 to ask;"
    " a word of answers.txt and epsilon 0 to propose it",
    Verdict.TIMEOUT: "compute what all games share when the strategy is made, outside the clock, and less in each move",
    Verdict.CRASH: "mend the error",
    Verdict.MEMORY: "keep less",
    Verdict.PROTOCOL: "return moves from first_move and next_move, and leave open files that are not yours alone",
}


ROUNDS = 5
"""Rounds of games in a test: with the noise asked for, with none, with nothing else; again; and after a new start."""


@dataclass(frozen=True)
class Finding:
    """The result of one check: its name, whether it passed, and what was seen or has to be changed."""

    check: str
    passed: bool
    message: str

    def __repr__(self) -> str:
        return line_of(self, f"{'ok' if self.passed else 'FAIL'} {self.check}: {self.message}")


class Subject(Protocol):
    """A strategy under test."""

    def player(self, seed: int) -> Player:
        """Return a player for one game."""

    def restart(self) -> None:
        """Forget everything: the next player is of a strategy made anew."""

    def game_cpu(self) -> float:
        """Return the CPU seconds of the game that was just played."""


_HERE = Limits(game_seconds=math.inf, move_seconds=math.inf, asks=1000, min_epsilon=sys.float_info.min)
"""Limits in this process, which bounds little beyond the CPU time of a game."""


def check_strategy(
    strategy: Strategy,
    *,
    words: WordList | str = "original",
    rule: str = "letterwise",
    seed: int = 1,
    games: int = 5,
) -> list[Finding]:
    """Put a strategy through the conformance test in this process; it conforms if every finding has passed.

    Plays `games` games in each of five rounds. Raises `WordplError` for words, a rule or a seed that is not allowed.
    """
    setting = make_task(strategy, seed, words=words, rule=rule).setting
    return examine(_InProcess(strategy, setting), setting, _HERE, seed=seed, games=games)


def examine(
    subject: Subject,
    setting: Setting,
    limits: Limits,
    *,
    seed: int = 1,
    games: int = 5,
    progress: Progress | None = None,
) -> list[Finding]:
    """Return the findings on a subject: `games` games at each noise level, then again, then after a new start."""
    # A noise that is not what was paid for: clues can be perfect by luck, or say nothing at all.
    noises: dict[str, ChannelFamily] = {"the noise asked for": setting.channel}
    if setting.channel is RandomizedResponse and not setting.noiseless:
        noises["clues without noise"] = lambda epsilon, length: RandomizedResponse(math.inf, length)
        noises["clues of pure noise"] = lambda epsilon, length: RandomizedResponse(1e-9, length)
    played: list[tuple[Game, float]] = []

    def play(trials: Iterable[int], round_name: str, channel: ChannelFamily = setting.channel) -> dict[int, Game]:
        referee = Referee(
            dataclasses.replace(setting, channel=channel), seed, limits.cpu_seconds, limits.asks, limits.min_epsilon
        )
        found = {}
        for trial in trials:
            found[trial] = referee.play(trial, subject.player(referee.seeds.player(trial, "check")))
            played.append((found[trial], subject.game_cpu()))
            if progress is not None:
                progress(round_name, 1, len(played), (len(noises) + 2) * games)
        return found

    rounds = {name: play(range(games), name, channel) for name, channel in noises.items()}
    first = rounds["the noise asked for"]
    again = play(reversed(range(games)), "the same games again")
    subject.restart()
    anew = play(range(games), "the same games after a new start")
    return [
        *(_legal(name, some.values()) for name, some in rounds.items()),
        _same(
            "resets between games",
            first,
            again,
            "a game played again, after others, went differently: set all state of a game anew in first_move",
        ),
        _same(
            "same moves for same clues and seed",
            first,
            anew,
            "after a new start it played differently: draw from random or numpy.random, which are seeded for each game,"
            " or from the seed that players() is given, and from nothing else",
        ),
        *_times(played, (0, len(played) - games), limits),
    ]


def _legal(name: str, games: Iterable[Game]) -> Finding:
    games = list(games)
    check = f"plays legal moves, {name}"
    lost = [game for game in games if game.verdict not in (Verdict.WIN, Verdict.LOSS)]
    if lost:
        game = lost[0]
        return Finding(check, False, f"{game.verdict} after {len(game.history)} asks: {game.reason}; to change: "
                       f"{_ADVICE[game.verdict]}")  # fmt: skip
    budgets = [game.budget for game in games]
    return Finding(check, True, f"budgets {min(budgets):.4g} to {max(budgets):.4g}")


def _same(check: str, one: dict[int, Game], other: dict[int, Game], advice: str) -> Finding:
    for trial, game in sorted(one.items()):
        again = other[trial]
        if (game.history, game.proposed, game.verdict) != (again.history, again.proposed, again.verdict):
            return Finding(check, False, f"{advice} (trial {trial})")
    return Finding(check, True, counted(len(one), "game"))


def _times(played: Sequence[tuple[Game, float]], warm_ups: Collection[int], limits: Limits) -> list[Finding]:
    """Whether moves and games, given with their CPU seconds, take at most half of what they may.

    The games at `warm_ups`, the first ones after a start, are only told: code that is compiled in the first move slows
    one game in a thousand. A game is judged by its CPU time, as in a ranking, because wall clock also depends on what
    else the machine does. Wall clock only shows a player that sleeps or waits.
    """
    usual = [one for i, one in enumerate(played) if i not in warm_ups]
    move = max(game.slowest for game, _ in usual)
    wall, cpu = max(game.seconds for game, _ in usual), max(cpu for _, cpu in usual)
    first = max(played[i][1] for i in warm_ups)
    warm_up = f"; the first game after a start, {first:.3g} s of CPU" if first > cpu else ""
    advice = ""
    if cpu > limits.cpu_seconds / 2:
        advice = f"; that is more than half of what a game may take ({limits.cpu_seconds:g} s of CPU)"
    elif wall > limits.game_seconds / 2:
        advice = f"; that is more than half of what a game may take ({limits.game_seconds:g} s)"
    return [
        Finding("time per move", move <= limits.move_seconds / 2, f"slowest {move:.3g} s"),
        Finding("time per game", not advice, f"longest {cpu:.3g} s of CPU, {wall:.3g} s in all{warm_up}{advice}"),
    ]


class _InProcess:
    """A strategy of ours in this process."""

    def __init__(self, strategy: Strategy, setting: Setting) -> None:
        self._strategy, self._setting = strategy, setting
        self._begun = 0.0
        self.restart()

    def player(self, seed: int) -> Player:
        self._begun = clock.read().cpu
        return self._players(seed)

    def restart(self) -> None:
        self._players = self._strategy.players(self._setting)

    def game_cpu(self) -> float:
        return clock.read().cpu - self._begun
