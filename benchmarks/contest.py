"""The cost of the sandbox: a strategy that thinks for 1 ms a move plays in this process and in the sandbox by turns."""

from __future__ import annotations

from statistics import median
from time import perf_counter

import wordpl
from wordpl.contest import sandbox
from wordpl.contest.limits import Limits
from wordpl.contest.run import ContestRun, TrialPlayer
from wordpl.contest.submission import Submission

_MOVES = 4
_GAMES = 200
_THINKER = f"""
import time

class Thinker:
    def first_move(self):
        self.made = 0
        return self.move()

    def next_move(self, guess, epsilon, clues):
        return self.move()

    def move(self):
        until = time.perf_counter() + 1e-3
        while time.perf_counter() < until:
            pass
        self.made += 1
        return ("crate", 0) if self.made == {_MOVES} else ("salet", 10.0)
"""


class Timed:
    """A player that records the time from each move to the next: its own time, the referee's, and that between them."""

    def __init__(self, player: wordpl.Player) -> None:
        self.player = player
        self._times: list[float] = []

    def first_move(self) -> object:
        move = self.player.first_move()
        self._made = perf_counter()
        return move

    def next_move(self, guess: str, epsilon: float, clues: str) -> object:
        before = self._made
        move = self.player.next_move(guess, epsilon, clues)
        self._made = perf_counter()
        self._times.append(self._made - before)
        return move

    def least(self) -> float:
        """Return the least of the times in seconds: other work of the machine only adds to them."""
        return min(self._times)


def rows() -> list[list[str]]:
    try:
        launcher = sandbox.find()
    except sandbox.NoSandboxError as error:
        return [["a move of 1 ms in the sandbox, time grid included", str(error), "15%", ""]]
    setting = wordpl.Setting(wordpl.load_words("original"))
    names: dict[str, type[wordpl.Player]] = {}
    exec(_THINKER, names)  # noqa: S102 - the text above
    player, referee = names["Thinker"](), wordpl.Referee(setting, 1)
    submission = Submission("thinker.py", {"thinker.py": _THINKER.encode()}, "thinker.py")
    starts = []
    for _ in range(5):
        with TrialPlayer(ContestRun(submission, setting, 1, Limits(), launcher)) as table:
            begun = perf_counter()
            table.contestant.ready()
            starts.append(perf_counter() - begun)
    here, there = Timed(player), Timed(player)
    with TrialPlayer(ContestRun(submission, setting, 1, Limits(), launcher)) as table:
        table.contestant.ready()
        # They play by turns, so that other work of the machine slows both alike.
        for trial in range(_GAMES):
            referee.play(trial, here)
            there.player = table.contestant.player(trial)
            referee.play(trial, there)
    alone, apart = here.least(), there.least()
    cost, more = apart / alone - 1.0, 1e6 * (apart - alone)
    return [
        [
            "a move of 1 ms in the sandbox, time grid included",
            f"{more:.0f} µs more",
            "15%",
            f"{100 * cost:.1f}% more than in process",
        ],
        ["start of a contestant", f"{median(starts):.2f} s", "0.5 s", ""],
    ]
