"""What the sandbox costs: a strategy that thinks 1 ms a move, in this process and in the sandbox, turn by turn."""

from __future__ import annotations

from statistics import median
from time import perf_counter

import wordpl
from wordpl.contest import sandbox
from wordpl.contest.limits import Limits
from wordpl.contest.scoring import Table
from wordpl.contest.submission import Submission

_MOVES = 4
_GAMES = 400
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
        with Table(submission, setting, 1, Limits(), launcher) as table:
            begun = perf_counter()
            table.contestant.ready()
            starts.append(perf_counter() - begun)
    here, there = [], []
    with Table(submission, setting, 1, Limits(), launcher) as table:
        table.play(0)
        # By turns, so that whatever else the machine does falls on both.
        for trial in range(_GAMES):
            begun = perf_counter()
            referee.play(trial, player)
            middle = perf_counter()
            table.play(trial)
            here.append(middle - begun)
            there.append(perf_counter() - middle)
    # The quick ones, which nothing else has interrupted; on a busy machine these are few.
    alone, apart = sorted(here)[_GAMES // 20], sorted(there)[_GAMES // 20]
    cost, each = apart / alone - 1.0, 1e6 * (apart - alone) / _MOVES
    return [
        [
            "a move of 1 ms in the sandbox, time grid included",
            f"{each:.0f} µs more",
            "15%",
            f"{100 * cost:.1f}% more than in process",
        ],
        ["start of a contestant", f"{median(starts):.2f} s", "0.5 s", ""],
    ]
