"""The styles of honest strategies, and what comes of their moves in the sandbox."""

from pathlib import Path

import pytest

import wordpl
from tests.cli.conftest import Cli
from tests.support.helpers import ORIGINAL, SMALL
from tests.support.ledgers import started
from wordpl import Setting, parse_spec
from wordpl.contest import ContestRun, Launcher, Ledger, Limits, Trusted, evaluate_submission, load_submission, sandbox
from wordpl.contest.run import TrialPlayer

pytestmark = pytest.mark.heavy

SETTING = Setting(SMALL)
WORD = SMALL.answers[0]
MOVES = f"""
    def first_move(self): return {WORD!r}, 5.0
    def next_move(self, guess, epsilon, clues): return {WORD!r}, 0
"""
FUNCTIONS = MOVES.replace("\n    ", "\n").replace("self, ", "").replace("self", "")
CLOSURE = f"""
class Closure:
    def __init__(self):
        self.first_move = lambda: ({WORD!r}, 5.0)
        self.next_move = lambda guess, epsilon, clues: ({WORD!r}, 0)
"""
ABSTRACT = f"""
from abc import ABC, abstractmethod
class Strat(ABC):
    @abstractmethod
    def first_move(self): ...
    @abstractmethod
    def next_move(self, guess, epsilon, clues): ...
class Real(Strat):{MOVES}
"""
PLAYED = {
    "an abstract base": ABSTRACT,
    "a base of its own": f"class _Base:{MOVES}\nclass Mine(_Base): ...\n",
    "a helper with a base from elsewhere": "import collections\nclass Seen(collections.UserDict): ...\n"
    f"class Mine:{MOVES}",
    "attrs": f"import attrs\n@attrs.define\nclass At:\n    epsilon: float = 10.0\n{MOVES}",
    "pydantic": f"import pydantic\nclass At(pydantic.BaseModel):\n    epsilon: float = 10.0\n{MOVES}",
    "a ready object": f"from types import SimpleNamespace\n{FUNCTIONS}\n"
    "strategy = SimpleNamespace(first_move=first_move, next_move=next_move)",
    "methods made in __init__": f"{CLOSURE}\nstrategy = Closure()",
    "a folder with a module and data": "from pathlib import Path\nimport words\nfrom strategies.words import WORD\n"
    "from .words import WORD as OURS\nassert OURS == WORD == words.WORD\n"
    "assert (Path(__file__).parent / 'data' / 'words.txt').read_text() == WORD\n"
    f"class Mine:{MOVES}".replace(repr(WORD), "open('data/words.txt').read()"),
}  # fmt: skip


def played(path: Path, call: str = "", launcher: Launcher | None = None) -> list[wordpl.Evaluation]:
    """Two games as `score` plays them, and as the contest does, without a sandbox or in one."""
    scored = wordpl.evaluate(parse_spec(f"{path}{call}").build(), words=SMALL, trials=2)
    run = ContestRun(load_submission(f"{path}{call}"), SETTING, 1, Limits(), launcher or Trusted())
    return [scored, evaluate_submission(run, 2)]


@pytest.mark.parametrize("style", PLAYED)
def test_styles_that_play(style: str, cli: Cli, tmp_path: Path) -> None:
    """In `score`, in `score --sandbox`, and in `contest submit`, with two contestants at once."""
    path = tmp_path / "mine.py"
    if style.startswith("a folder"):
        path = tmp_path / "mine"
        (path / "data").mkdir(parents=True)
        (path / "words.py").write_text("WORD = open('data/words.txt').read()")
        (path / "data/words.txt").write_text(WORD)
        (path / "strategy.py").write_text(PLAYED[style])
    else:
        path.write_text(PLAYED[style])
    for evaluation in played(path, launcher=sandbox.find()):
        assert (evaluation.errors, evaluation.reasons) == (0, {})
        assert evaluation.frame.budget.tolist() == [5.0, 5.0]
    started(tmp_path / "contest.sqlite", 12).close()
    run = cli("contest", "submit", str(path), "--name", "Ours", "--ledger", "contest.sqlite", "--jobs", "2")
    assert run.code == 0, run.err
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        (entry,) = ledger.entries()
        assert {(game.reason, game.budget) for game in ledger.games(entry, "provisional")} == {("", 5.0)}


TABLE_PLAYER = """
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
TABLE: dict[str, float | str | None] = {
    '["trace", Fraction(21, 2)]': 10.5,
    '("trace", np.array(18.0))': 18.0,
    '("trace", -math.inf)': None,
    '("trace", True)': "epsilon True is not a number",
    '("trace", math.inf)': "epsilon inf is not allowed in a game with a finite budget",
    '("trace", 10**400)': "epsilon is too large for a float",
    '("trace", 1e-9)': "asked with epsilon 1e-09; the smallest is 0.001",
    '("TRACE", 18)': "guess 'TRACE' is not in the list of guesses",
    '("abhor\\n", 0)': "proposed 'abhor\\n' is not in the list of answers",
    "None": "move None is neither Ask, Answer nor a pair (word, epsilon)",
}


def test_moves_and_what_is_said_of_them_come_out_of_the_sandbox(tmp_path: Path) -> None:
    """`tests/play/test_moves.py` has all kinds of moves."""
    path = tmp_path / "moves.py"
    path.write_text(TABLE_PLAYER.format(moves=", ".join(TABLE)))
    run = ContestRun(load_submission(str(path)), Setting(ORIGINAL), 1, Limits(), sandbox.find())
    with TrialPlayer(run) as table:
        games = [table.play(trial).game for trial in range(len(TABLE))]
    for (move, expected), game in zip(TABLE.items(), games, strict=True):
        if isinstance(expected, str):
            assert (game.verdict, game.reason) == ("INVALID", expected), move
        else:
            asked = [turn.epsilon for turn in game.history]
            assert (game.reason, asked) == ("", [] if expected is None else [expected]), move
            assert game.proposed == ("trace" if expected is None else "abhor")
