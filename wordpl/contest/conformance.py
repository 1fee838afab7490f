"""What a strategy must do to be scored, as a test that anyone can run on their own.

`check_strategy` plays in this process; `wordpl check FILE` does the same with a submission in the sandbox.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from wordpl.model.channel import Channel, ChannelFamily, RandomizedResponse
from wordpl.model.words import WordList
from wordpl.play.referee import GAME_SECONDS, Game, Referee, Verdict
from wordpl.play.strategy import Player, Setting, Strategy
from wordpl.simulation.sweep import make_task

_ADVICE = {
    Verdict.INVALID: "return (word, epsilon): a word of valid.txt, in lower case, and a finite epsilon above 0 to ask;"
    " a word of answers.txt and epsilon 0 to propose it",
    Verdict.TIMEOUT: "compute what all games share when the strategy is made, outside the clock, and less in each move",
    Verdict.CRASH: "mend the error",
    Verdict.MEMORY: "keep less",
    Verdict.PROTOCOL: "return moves from first_move and next_move, and leave open files that are not yours alone",
}


@dataclass(frozen=True)
class Finding:
    """The result of one check: its name, whether it passed, and what was seen or has to be changed."""

    check: str
    passed: bool
    message: str


class Subject(Protocol):
    """A strategy under test."""

    def player(self, seed: int) -> Player:
        """A player for one game."""

    def restart(self) -> None:
        """Forget everything: the next player is of a strategy made anew."""


def check_strategy(
    strategy: Strategy,
    *,
    words: WordList | str = "original",
    rule: str = "letterwise",
    seed: int = 1,
    games: int = 5,
) -> list[Finding]:
    """Put a strategy through the conformance test, in this process; it conforms if every finding has passed."""
    setting = make_task(strategy, seed, words=words, rule=rule).setting
    return examine(_InProcess(strategy, setting), setting, seed=seed, games=games)


def examine(
    subject: Subject,
    setting: Setting,
    *,
    seed: int = 1,
    games: int = 5,
    game_seconds: float = GAME_SECONDS,
    most_asks: int = 1000,
    min_epsilon: float = 0.0,
) -> list[Finding]:
    """The findings on a subject: `games` games at each of several noise levels, then again, then from anew."""
    # A noise that is not what was paid for: clues can be perfect by luck, or say nothing at all.
    noises: dict[str, ChannelFamily] = {"the noise asked for": setting.channel}
    if setting.channel is RandomizedResponse and not setting.noiseless:
        noises |= {"clues without noise": _no_noise, "clues of pure noise": _pure_noise}
    found: list[Finding] = []
    played: list[Game] = []
    for name, channel in noises.items():
        referee = Referee(dataclasses.replace(setting, channel=channel), seed, game_seconds, most_asks, min_epsilon)
        some = [_play(subject, referee, trial) for trial in range(games)]
        played += some
        found.append(_legal(name, some))
    referee = Referee(setting, seed, game_seconds, most_asks, min_epsilon)
    first = {game.trial: game for game in played[:games]}
    again = {trial: _play(subject, referee, trial) for trial in reversed(range(games))}
    found.append(
        _same(
            "resets between games",
            first,
            again,
            "a game played again, after others, went differently: set all state of a game anew in first_move",
        )
    )
    subject.restart()
    anew = {trial: _play(subject, referee, trial) for trial in range(games)}
    found.append(
        _same(
            "same moves for same clues and seed",
            first,
            anew,
            "made anew, it played differently: draw from random or numpy.random, which are seeded for each game,"
            " or from the seed that players() is given, and from nothing else",
        )
    )
    played += [*again.values(), *anew.values()]
    return [*found, *_times(played, game_seconds)]


def _play(subject: Subject, referee: Referee, trial: int) -> Game:
    return referee.play(trial, subject.player(referee.seeds.player(trial, "check")))


def _legal(name: str, games: Iterable[Game]) -> Finding:
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
        if (game.history, game.proposed, game.verdict) != (
            other[trial].history,
            other[trial].proposed,
            other[trial].verdict,
        ):
            return Finding(check, False, f"{advice} (trial {trial})")
    return Finding(check, True, f"{len(one)} games")


def _times(games: Iterable[Game], game_seconds: float) -> list[Finding]:
    slowest = max(game.slowest for game in games)
    longest = max(game.seconds for game in games)
    enough = longest <= game_seconds / 2
    advice = "" if enough else f"; that is more than half of what a game may take ({game_seconds:g} s)"
    return [
        Finding("time per move", enough, f"slowest {slowest:.3g} s"),
        Finding("time per game", enough, f"longest {longest:.3g} s{advice}"),
    ]


def _no_noise(epsilon: float, length: int) -> Channel:
    return RandomizedResponse(math.inf, length)


def _pure_noise(epsilon: float, length: int) -> Channel:
    return RandomizedResponse(1e-9, length)


class _InProcess:
    """A strategy of ours in this process."""

    def __init__(self, strategy: Strategy, setting: Setting) -> None:
        self._strategy, self._setting = strategy, setting
        self._players = strategy.players(setting)

    def player(self, seed: int) -> Player:
        return self._players(seed)

    def restart(self) -> None:
        self._players = self._strategy.players(self._setting)
