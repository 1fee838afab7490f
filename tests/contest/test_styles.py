"""The styles of honest strategies; `test_lines.py` has what comes of their moves in the sandbox."""

from pathlib import Path
from types import ModuleType

import pytest

import wordpl
from tests.cli.conftest import Cli
from tests.support.helpers import SMALL
from tests.support.ledgers import started
from wordpl import Setting, parse_spec
from wordpl.contest import ContestRun, Ledger, Limits, evaluate_submission, inside, load_submission, sandbox
from wordpl.contest.file_strategy import FileStrategy

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
}  # fmt: skip
FOLDER = f"""
from pathlib import Path
import attrs, pydantic, words
from strategies.words import WORD
from .words import WORD as OURS
assert OURS == WORD == words.WORD
assert (Path(__file__).parent / 'data' / 'words.txt').read_text() == WORD
class Mine:{MOVES}
""".replace(repr(WORD), "open('data/words.txt').read()")


@pytest.mark.parametrize("style", PLAYED)
def test_styles_that_play(style: str, tmp_path: Path) -> None:
    """By the call that `score` makes of the source, and without one, as in `contest submit`."""
    (tmp_path / "mine.py").write_text(PLAYED[style])
    strategy = parse_spec(str(tmp_path / "mine.py")).build()
    assert isinstance(strategy, FileStrategy)
    for maker in (strategy.submission.maker, None):
        module = ModuleType("mine")
        exec(PLAYED[style], vars(module))  # noqa: S102 - ours
        assert inside.make(module, maker).first_move() == (WORD, 5.0)


def test_a_folder_with_a_module_and_data_plays(cli: Cli, tmp_path: Path) -> None:
    """In `score`, in `score --sandbox`, and in `contest submit`, with two contestants at once."""
    path = tmp_path / "mine"
    (path / "data").mkdir(parents=True)
    (path / "words.py").write_text("WORD = open('data/words.txt').read()")
    (path / "data/words.txt").write_text(WORD)
    (path / "strategy.py").write_text(FOLDER)
    run = ContestRun(load_submission(str(path)), SETTING, 1, Limits(), sandbox.find())
    scored = wordpl.evaluate(parse_spec(str(path)).build(), words=SMALL, trials=2)
    for evaluation in (scored, evaluate_submission(run, 2)):
        assert (evaluation.errors, evaluation.reasons) == (0, {})
        assert evaluation.frame.budget.tolist() == [5.0, 5.0]
    started(tmp_path / "contest.sqlite", 4).close()
    done = cli("contest", "submit", str(path), "--name", "Ours", "--ledger", "contest.sqlite", "--jobs", "2")
    assert done.code == 0, done.err
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        (entry,) = ledger.entries()
        assert {(game.reason, game.budget) for game in ledger.games(entry, "provisional")} == {("", 5.0)}
