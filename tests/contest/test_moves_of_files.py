"""What a file's moves may be: the same in `score` with a sandbox and without, and for the referee."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import ORIGINAL
from wordpl.contest.cage import sandbox
from wordpl.contest.cage.sandbox import Launcher, Trusted
from wordpl.contest.entrant.submission import load_submission
from wordpl.contest.limits import Limits
from wordpl.contest.run.entry_run import ContestRun, Table
from wordpl.contest.run.file_strategy import parse_file_spec
from wordpl.play.referee import Game, Referee
from wordpl.play.setting import Setting

SETTING = Setting(ORIGINAL)
CODE = """
from decimal import Decimal
from fractions import Fraction
import math
import numpy as np

MOVES = [{moves}]

class Moves:
    at = -1

    def first_move(self):
        self.at += 1
        return MOVES[self.at]

    def next_move(self, guess, epsilon, clues):
        return ["abhor", -1]
"""
# A first move, and what comes of it: the epsilon asked, None for a proposal, or the reason why it is refused.
MOVES: dict[str, float | str | None] = {
    '("trace", 18.0)': 18.0,
    '["trace", 18.0]': 18.0,
    '("trace", Fraction(18))': 18.0,
    '("trace", Fraction(21, 2))': 10.5,
    '("trace", Decimal(18))': 18.0,
    '("trace", np.array(18.0))': 18.0,
    '("trace", np.float32(18))': 18.0,
    '("trace", 0)': None,
    '("trace", -1)': None,
    '("trace", -math.inf)': None,
    '("trace", True)': "epsilon True is not a number",
    '("trace", "18")': "epsilon '18' is not a number",
    '("trace", None)': "epsilon None is not a number",
    '("trace", 1j)': "epsilon 1j is complex",
    '("trace", np.array([18.0]))': "epsilon array([18.]) is not a number",
    '("trace", math.nan)': "epsilon is NaN",
    '("trace", math.inf)': "epsilon inf is not allowed in a game with a finite budget",
    '("trace", 10**400)': "epsilon is too large for a float",
    '("trace", 1e-9)': "asked with epsilon 1e-09; the smallest is 0.001",
    '("TRACE", 18)': "guess 'TRACE' is not in the list of guesses",
    '("abhor\\n", 0)': "proposed 'abhor\\n' is not in the list of answers",
    '(len, 0)': "proposed <built-in function len> is not in the list of answers",
    '(lambda: 1, 0)': "proposed <function <lambda>> is not in the list of answers",
    '("trace", 18.0, 1)': "move ('trace', 18.0, 1) is neither Ask, Answer nor a pair (word, epsilon)",
    "None": "move None is neither Ask, Answer nor a pair (word, epsilon)",
}  # fmt: skip


def scored(path: Path) -> list[Game]:
    player_for = parse_file_spec(str(path), "").build().players(SETTING)
    referee = Referee(SETTING, 1)
    return [referee.play(trial, player_for(trial)) for trial in range(len(MOVES))]


def tried(path: Path, launcher: Launcher) -> list[Game]:
    with Table(ContestRun(load_submission(str(path)), SETTING, 1, Limits(), launcher)) as table:
        return [table.play(trial).game for trial in range(len(MOVES))]


@pytest.mark.heavy
@pytest.mark.parametrize("way", ["score", "trusted", "sandbox"])
def test_the_table_of_moves(way: str, tmp_path: Path) -> None:
    path = tmp_path / "moves.py"
    path.write_text(CODE.format(moves=", ".join(MOVES)))
    games = scored(path) if way == "score" else tried(path, sandbox.find() if way == "sandbox" else Trusted())
    for (move, expected), game in zip(MOVES.items(), games, strict=True):
        if isinstance(expected, str):
            assert (game.verdict, game.reason) == ("INVALID", expected), move
        else:
            asked = [turn.epsilon for turn in game.history]
            assert (game.reason, asked) == ("", [] if expected is None else [expected]), move
            assert game.proposed == ("trace" if expected is None else "abhor")


def test_the_table_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/contest.md").read_text()
    for text in ('["trace", 18.0]', "Fraction(18)", "Decimal(18)", "np.array(18.0)", "`-1`", "10**400", "1e-9"):
        assert text in page
