"""Submissions: the attacks, honest ones, and what they may see."""

from pathlib import Path

import pytest

from tests.support.helpers import ORIGINAL, SMALL
from wordpl import Setting
from wordpl.contest import ContestRun, Limits, Submission, sandbox
from wordpl.contest.run import TrialPlayer, TrialQueue

ATTACKS = Path(__file__).parents[1] / "attacks"

SETTING = Setting(ORIGINAL)


def submission_of(code: str) -> Submission:
    return Submission("honest.py", {"honest.py": code.encode()}, "honest.py")


def table_of(code: str, limits: Limits | None = None, seed: int = 5) -> TrialPlayer:
    """A referee and a contestant in a sandbox."""
    return TrialPlayer(ContestRun(submission_of(code), SETTING, seed, limits or Limits(), sandbox.find()))


def come_singly(patch: pytest.MonkeyPatch) -> None:
    """Let each finished game come alone to whoever counts them; the number that comes at once depends on a clock."""
    whole = TrialQueue.__iter__
    patch.setattr(TrialQueue, "__iter__", lambda queue: ([game] for games in whole(queue) for game in games))


SUBMISSION = f"""
import random, sys
print("loading")


class Mine:
    def __init__(self, epsilon=9.0):
        self.epsilon = epsilon

    def first_move(self):
        self.asked = 0
        print("first")
        return random.choice({SMALL.guesses[:40]!r}), self.epsilon

    def next_move(self, guess, epsilon, clues):
        self.asked += 1
        print("seen", clues, file=sys.stderr)
        if self.asked == 3 and clues[0] == "c":
            raise RuntimeError("no idea")
        words = {SMALL.answers[:30]!r}
        return random.choice(words), 0 if self.asked == 3 else self.epsilon
"""
