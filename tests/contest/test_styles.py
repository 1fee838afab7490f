"""The styles in which honest people write a strategy: each plays in `score` and in the sandbox, or is refused for one
true reason in both."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordpl
from tests.helpers import SMALL
from wordpl.base.errors import WordplError
from wordpl.contest.cage.sandbox import Trusted
from wordpl.contest.entrant.submission import load_submission
from wordpl.contest.limits import Limits
from wordpl.contest.run.entry_run import ContestRun, Table, evaluate_submission
from wordpl.play.setting import Setting
from wordpl.play.specs import parse_spec

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
    "half an abstract base": ABSTRACT.replace("@abstractmethod\n    def first", "def first"),
    "a protocol": ABSTRACT.replace("@abstractmethod", "").replace("ABC, abstractmethod", "ABC")
    .replace("from abc import ABC", "from typing import Protocol").replace("(ABC)", "(Protocol)"),
    "a helper with a base from elsewhere": "import collections\nclass Seen(collections.UserDict): ...\n"
    f"class Mine:{MOVES}",
    "attrs": f"import attrs\n@attrs.define\nclass At:\n    epsilon: float = 10.0\n{MOVES}",
    "pydantic": f"import pydantic\nclass At(pydantic.BaseModel):\n    epsilon: float = 10.0\n{MOVES}",
    "a ready object": f"from types import SimpleNamespace\n{FUNCTIONS}\n"
    "strategy = SimpleNamespace(first_move=first_move, next_move=next_move)",
    "methods made in __init__": f"{CLOSURE}\nstrategy = Closure()",
}  # fmt: skip
REFUSED = {
    "functions": (FUNCTIONS, "they are functions here, so make them the methods of a class"),
    "a generator": (
        f"def strategy():\n    clue = yield {WORD!r}, 5.0\n    yield {WORD!r}, 0",
        "no class with first_move",
    ),
    "methods made in __init__": (
        CLOSURE,
        "if Closure sets them on its objects, write strategy = Closure() in the file",
    ),
    "nothing": ("x = 1", "no class with first_move and next_move"),
    "two": (f"class A:{MOVES}\nclass B:{MOVES}", "several strategies"),
}


def played(path: Path, call: str = "") -> tuple[wordpl.Evaluation, wordpl.Evaluation]:
    """Two games as `score` plays them, and as the contest does without a sandbox."""
    scored = wordpl.evaluate(parse_spec(f"{path}{call}").build(), words=SMALL, trials=2)
    return scored, evaluate_submission(ContestRun(load_submission(f"{path}{call}"), SETTING, 1, Limits(), Trusted()), 2)


@pytest.mark.heavy
@pytest.mark.parametrize("style", PLAYED)
def test_styles_that_play(style: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PLAYED[style])
    for evaluation in played(path):
        assert (evaluation.errors, evaluation.reasons) == (0, {})
        assert evaluation.frame.budget.tolist() == [5.0, 5.0]


@pytest.mark.heavy
@pytest.mark.parametrize("style", REFUSED)
def test_styles_that_are_refused_for_one_reason(style: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    source, why = REFUSED[style]
    path.write_text(source)
    with pytest.raises(WordplError, match="strateg") as scored:
        wordpl.evaluate(parse_spec(str(path)).build(), words=SMALL, trials=2)
    with pytest.raises(WordplError) as tried:
        evaluate_submission(ContestRun(load_submission(str(path)), SETTING, 1, Limits(), Trusted()), 2)
    assert why in str(scored.value) and why in str(tried.value)


@pytest.mark.heavy
def test_a_class_that_is_named_may_make_its_methods_itself(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"{CLOSURE}\nclass NoPlayer: ...")
    assert [evaluation.errors for evaluation in played(path, ":Closure()")] == [0, 0]
    for call in (":NoPlayer()", ":NoPlayer"):
        with pytest.raises(WordplError, match="NoPlayer has no first_move and next_move"):
            played(path, call)


def test_attrs_have_parameters_as_dataclasses_have(tmp_path: Path) -> None:
    path = tmp_path / "at.py"
    path.write_text(
        "import attrs\n@attrs.define\nclass At:\n    n: int\n    _m: int = attrs.field(factory=int)\n"
        f"    epsilon: float = 10.0\n{MOVES}"
    )
    assert list(parse_spec(f"{path}:At()").open_parameters) == ["n", "m", "epsilon"]
    assert repr(parse_spec(f"{path}:At(3, epsilon=9)").build()) == "at.py:At(n=3, epsilon=9)"
    path.write_text(f"import strange\n@strange.made\nclass At:\n    n: int\n{MOVES}")
    parse_spec(f"{path}:At(n=3)").build()  # what a decorator makes of a class is not known


@pytest.mark.heavy
def test_no_name_says_where_something_lies_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PLAYED["a ready object"])
    names = set()
    for _ in range(2):
        with Table(ContestRun(load_submission(str(path)), SETTING, 1, Limits(), Trusted())) as table:
            table.ready()
            names.add(table.contestant.name)
    assert names == {"namespace(first_move=<function first_move>, next_move=<function next_move>)"}
