"""Two strategies never share an identity, and one keeps its own for as long as its code stays the same."""

import functools
import importlib
import itertools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

import wordpl
from tests.support.helpers import SMALL
from wordpl import HistoryStrategy, RandomizedResponse, evaluate, from_contest, make_task, parse_strategy, strategies
from wordpl.base.fingerprint import class_digest, is_plain, value_digest


def greedy(*bases, **space):
    return dataclass(repr=False)(type("Greedy", bases or (HistoryStrategy,), {"__module__": __name__, **space}))


def executed(text):
    space = {"__name__": "__main__"}
    exec(text, space)  # noqa: S102
    return space


def linked(last):
    return executed("".join(f"def f{n}(): return f{n + 1}()\n" for n in range(1200)) + f"f1200 = lambda: {last}")["f0"]


FACTORIES = {
    "default": lambda n: greedy(decide=lambda self, setting, history, n=n: n),
    "keyword": lambda n: greedy(decide=lambda self, setting, history, *, n=n: n),
    "attribute": lambda n: greedy(wanted=n, decide=lambda self, setting, history: self.wanted),
    "base": lambda n: greedy(greedy(decide=lambda self, setting, history: n)),
    "partial method": lambda n: greedy(decide=functools.partialmethod(lambda self, n, setting, history: n, n)),
    "static": lambda n: greedy(choose=staticmethod(lambda: n), made=classmethod(lambda cls: n)),
    "swapped": lambda n: greedy(pick=[lambda: 1, lambda: 2][n - 1], drop=[lambda: 2, lambda: 1][n - 1]),
    "special": lambda n: greedy(__hash__=functools.cache(lambda self: n)),
    "made fields": lambda n: make_dataclass("Greedy", [("epsilon", float, n)], bases=(HistoryStrategy,)),
    "field factory": lambda n: make_dataclass("Greedy", [("a", int, field(default_factory=lambda: n))]),
    "helper": lambda n: greedy(decide=lambda self: type("Helper", (), {"move": lambda self: n})),
    "two of one name": lambda n: greedy(f=lambda self: "cigar") if n == 1 else greedy(f=lambda self: "rebut"),
}


@pytest.mark.parametrize("factory", FACTORIES.values(), ids=FACTORIES)
def test_what_a_factory_puts_into_a_class_counts(factory):
    one, two, again = factory(1), factory(2), factory(1)
    assert one.__name__ == two.__name__
    assert class_digest(one) == class_digest(again) != class_digest(two)


Word = type("Word", (str,), {})


class Slotted:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n


def chain(depth, last):
    values = functools.reduce(lambda inner, n: [n, inner], range(depth), [last])
    return [values, values.append(values)]  # it holds itself


VALUES = [
    *itertools.combinations([1, 1.0, True, "1", b"1", None, (1,), [1], {1}, frozenset({1}), {1: 1}, 1j, ...], 2),
    *[([1, [2]], [1, [3]]), ({"a": 1}, {"a": 2}), (range(3), range(4)), (slice(3), slice(4)), (int, float)],
    *[(np.arange(3), np.arange(3.0)), (np.array([1, 2]), np.array([1, 3])), (np.float64(1), np.array([1.0]))],
    *[(np.zeros(1, [("a", int)]), np.zeros(1, [("b", int)])), (np.float32(1), np.float64(1)), (np.add, np.multiply)],
    (np.array([1, "x"], dtype=object), np.array([1, "y"], dtype=object)),
    *[(max, min), (str.upper, str.lower), ([1].index, [2].index), (lambda: 1, lambda: 2), (chain(40, 1), chain(40, 2))],
    *[(Word("x"), Word("y")), (Slotted(1), Slotted(2)), (Slotted(1).__init__, Slotted(2).__init__)],
    *[([1 << 20_000], [1 << 20_001]), (chain(2000, 1), [chain(2000, 1)]), ({Slotted, Word}, {Slotted, Path})],
    pytest.param(linked(1), linked(2), marks=pytest.mark.heavy),
]


@pytest.mark.parametrize(("one", "two"), VALUES)
def test_values_are_told_apart(one, two):
    assert value_digest(one) == value_digest(one) != value_digest(two)


def test_every_constant_operator_and_name_counts():
    texts = """x + 1;x - 1;x * 1;x < 1;x <= 1;x == 1;x and y;x or y;x is y;x is not y;f(1);f(2);f(1.0);f('1');f(True)
f(None);f(x);f(y);g(x);f(a=1);f(b=1);f(*a);f(**a);x.a;x.b;-x;~x;x[0:1];x[0:2];x[0:1:1];(a,);[a];{a};{a: None};f'{x}'
f'{y}';f'{x!r}';f'{x:>3}';[x for y in z if a];[x for y in z for a in b];lambda a: 0;lambda b: 0;lambda *a: 0;(yield)"""
    functions = [executed(f"def f(): return {text}")["f"] for text in texts.replace("\n", ";").split(";")]
    assert len({*map(value_digest, functions)}) == len(functions)


def test_fields_that_are_not_shown_count():
    @dataclass(frozen=True, repr=False)
    class Hidden(HistoryStrategy):
        epsilon: float = 1.0
        table: tuple = field(default=(), repr=False)
        inner: object = field(default=None, repr=False)
        decide = None

    inner = [*map(FACTORIES["default"], (1, 2)), Hidden(2.0), *map(from_contest, map(Theirs, (1, 2)))]
    every = [Hidden(), Hidden(table=(1,)), Hidden(table=(2,)), *(Hidden(inner=value) for value in inner)]
    assert len({one.identity for one in every}) == len(every)
    assert Hidden(2.0).code == Hidden().code and Hidden(2.0).identity != Hidden().identity  # what repr shows
    assert is_plain((1, "x", (2.0, None, (True, b"x")), ...)) and not is_plain((1, [2])) and not is_plain((Word("x"),))


class Theirs:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def first_move(self):
        self.asked = 0
        return "cigar", self.epsilon

    def next_move(self, *clue):
        return "cigar", 0


def test_contest_objects_and_channels_of_one_name_are_told_apart():
    one, two = from_contest(Theirs(1.0)), from_contest(Theirs(2.0))
    assert repr(one) == repr(two) == "Theirs()"
    before = one.identity, evaluate(one, 3, words=SMALL)
    assert before[0] == one.identity == from_contest(Theirs(1.0)).identity != two.identity
    families = [lambda epsilon, length, scale=scale: RandomizedResponse(epsilon * scale, length) for scale in (1, 2, 1)]
    one, two, again = (make_task(from_contest(Theirs(1.0)), words=SMALL, channel=family).id for family in families)
    assert one == again != two


MINE = '''
import enum, dataclasses
from wordpl import Answer, HistoryStrategy
from apart import unused
LIMIT = 3  # asks
TABLE, CACHE = None, {}
class Level(enum.Enum): LOW = 1
@dataclasses.dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    """Asks until `LIMIT`."""
    epsilon: float = 9.0
    def decide(self, setting, history):
        """One move."""
        import helper
        global TABLE
        TABLE = CACHE[0] = 1
        is_over = len(history) >= LIMIT or Level.LOW.value > 1
        return Answer("cigar") if is_over else (helper.word(setting), self.epsilon)
'''
HELPER = "import deeper\ndef word(setting): return setting.words.guesses[deeper.N]\n"
FILES = {"mine": MINE, "helper": HELPER, "deeper": "N = 4\n", "apart": "X = 1\ndef unused(): return X\n"}
EDITS = [
    *[("mine", "Asks until", "It asks until", True), ("mine", "One move.", "A move.\n\n        A word.\n", True)],
    *[("mine", "(history) >=", "(\n history)>=", True)],
    *[("helper", "import deeper", "import deeper  # below", True), ("apart", "X = 1", "X = 2", True)],
    *[("mine", "LIMIT = 3", "LIMIT = 4", False), ("mine", "LOW = 1", "LOW = 2", False), ("mine", "9.0", "9", False)],
    *[("mine", '"cigar"', '"rebut"', False), ("helper", "guesses", "answers", False), ("deeper", "4", "5", False)],
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text)
    yield tmp_path
    for name in FILES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("file", "old", "new", "same"), EDITS)
def test_edits_of_a_users_file(folder, file, old, new, same):
    path, edited = folder / "mine.py", folder / f"{file}.py"
    before = parse_strategy(f"{path}:Mine()").code
    edited.write_text(edited.read_text().replace(old, new))
    os.utime(edited, (1, 1))  # a file of one size and a coarse clock must not hide an edit
    for name in FILES:
        sys.modules.pop(name, None)
    after = parse_strategy(f"{path}:Mine()").code
    assert (after == before) == same
    (folder / "other").mkdir()
    assert after == parse_strategy(f"{shutil.copy(path, folder / 'other')}:Mine()").code


def test_what_is_put_in_place_of_others_counts(folder, monkeypatch):
    module = importlib.import_module("mine")
    before = module.Mine().identity
    put = [(module.Mine, "decide", executed), (module, "LIMIT", 4), (sys.modules["deeper"], "N", 5)]  # as notebooks do
    put += [(module.Mine.decide, "__code__", executed.__code__)]  # as autoreload does
    for owner, name, value in put:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            assert module.Mine().identity != before
        assert module.Mine().identity == before
    module.Mine().decide(None, (1, 2, 3))
    assert (module.TABLE, module.CACHE) == (1, {0: 1})  # what a module keeps as it plays
    assert module.Mine().identity == before


CELL = """
import typing, wordpl
class Reply(typing.NamedTuple): word: str
class Solver:
    def __init__(self, depth): self.depth = depth
    def best(self): return self.depth + 1, {"a", "b", "c", "d", "e"}
solver = Solver(2)
class Typed(wordpl.HistoryStrategy):
    def decide(self, setting, history): return Reply("cigar"), solver.best()
"""


def test_cells_of_a_notebook():
    """A comment, an object of a class from another cell, and a value that another cell sets."""
    edits = [("\n", "\n\n# A comment.\n"), ("+ 1", "+ 2"), ("(2)", "(3)")]
    before, *others = (executed(CELL.replace(*edit))["Typed"] for edit in [("", ""), *edits])
    old, same = class_digest(before), class_digest(others.pop(0))
    before.decide.__globals__["solver"] = None
    assert old == same and len({old, *map(class_digest, (before, *others))}) == 4


ELSEWHERE = """
import sys, cloudpickle, wordpl
from pathlib import Path
wordpl.library.__path__, wordpl.library._FOLDER = sys.argv[1:], Path(sys.argv[1])
from wordpl.base.fingerprint import class_digest
from wordpl import strategies
print({kind.__name__: class_digest(kind) for kind in (*strategies().values(), cloudpickle.load(sys.stdin.buffer))})
"""


@pytest.mark.heavy
def test_identities_are_the_same_in_every_process_and_folder(tmp_path):
    made = dataclass(frozen=True, repr=False)(executed(CELL)["Typed"])
    package = shutil.copytree(wordpl.library.__path__[0], tmp_path / "site-packages" / "wordpl" / "library")
    env = {**os.environ, "PYTHONHASHSEED": "2", "PYTHONPATH": str(Path(__file__).parents[2])}
    codes = {kind.__name__: class_digest(kind) for kind in (*strategies().values(), made)}
    command, sent = [sys.executable, "-c", ELSEWHERE, package], cloudpickle.dumps(made)
    assert subprocess.check_output(command, env=env, input=sent).decode() == f"{codes}\n"
    assert len({*codes.values()}) == len(strategies()) + 1
