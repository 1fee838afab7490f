"""Two strategies never share an identity, and one keeps its own for as long as its code stays the same."""

import ast
import dataclasses
import functools
import importlib
import itertools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

from tests import golden
from tests.support.helpers import SMALL
from wordpl import Answer, HistoryStrategy, evaluate, from_contest, parse_strategy
from wordpl.base.fingerprint import class_digest, is_plain, value_digest
from wordpl.base.source import normal_form, parsed
from wordpl.model.channel import RandomizedResponse
from wordpl.simulation.tasks import make_task

LIBRARY = Path(__file__).parents[2] / "strategies"


def greedy(*bases, **space):
    made = type("Greedy", bases or (HistoryStrategy,), {"__module__": __name__, **space})
    return dataclass(frozen=True, repr=False)(made)


def closure(n):
    return greedy(decide=lambda self, setting, history: Answer(setting.words.answers[n]))


def with_field_factory(n):
    @dataclass(frozen=True, repr=False)
    class Greedy(HistoryStrategy):
        first: tuple = field(default_factory=lambda: (n,), repr=False)

    return Greedy


def with_helper(n):
    class Helper:
        def move(self):
            return n

    return greedy(helper=property(lambda self: Helper()), decide=lambda self, setting, history: self.helper.move())


def one_of_two(n):
    return greedy(decide=lambda self: "cigar") if n == 1 else greedy(decide=lambda self: "rebut")


FACTORIES = {
    "default": lambda n: greedy(decide=lambda self, setting, history, n=n: n),
    "keyword": lambda n: greedy(decide=lambda self, setting, history, *, n=n: n),
    "attribute": lambda n: greedy(wanted=n, decide=lambda self, setting, history: self.wanted),
    "base": lambda n: greedy(greedy(decide=lambda self, setting, history: n)),
    "partial method": lambda n: greedy(decide=functools.partialmethod(lambda self, n, setting, history: n, n)),
    "partial": lambda n: greedy(choose=functools.partial(max, n)),
    "static": lambda n: greedy(choose=staticmethod(lambda: n), made=classmethod(lambda cls: n)),
    "swapped": lambda n: greedy(pick=[lambda: 1, lambda: 2][n - 1], drop=[lambda: 2, lambda: 1][n - 1]),
    "special": lambda n: greedy(__hash__=functools.cache(lambda self: n)),
    "made fields": lambda n: dataclasses.make_dataclass("Greedy", [("epsilon", float, n)], bases=(HistoryStrategy,)),
    "field factory": with_field_factory,
    "helper": with_helper,
    "cached function": lambda n: greedy(decide=functools.lru_cache(lambda self: n)),
    "closure": closure,
    "two of one name": one_of_two,
}


@pytest.mark.parametrize("factory", FACTORIES.values(), ids=FACTORIES)
def test_what_a_factory_puts_into_a_class_counts(factory):
    one, two, again = factory(1), factory(2), factory(1)
    assert one.__name__ == two.__name__
    assert class_digest(one) == class_digest(again) != class_digest(two)


class Word(str):
    __slots__ = ()


class Slotted:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n


def doubled(function):
    return functools.wraps(function)(lambda *values: 2 * function(*values))


def chain(depth, last):
    return functools.reduce(lambda inner, n: [n, inner], range(depth), last)


VALUES = [
    *itertools.combinations([1, 1.0, True, "1", b"1", None, (1,), [1], {1}, frozenset({1}), {1: 1}, 1j, ...], 2),
    ([1, [2]], [1, [3]]),
    ({"a": 1}, {"a": 2}),
    (np.arange(3), np.arange(3.0)),
    (np.array([1, 2]), np.array([1, 3])),
    (np.float32(1), np.float64(1)),
    (np.float64(1), np.array([1.0])),
    (np.array([1, "x"], dtype=object), np.array([1, "y"], dtype=object)),
    (np.add, np.multiply),
    (max, min),
    (lambda: 1, lambda: 2),
    (int, float),
    (range(3), range(4)),
    (slice(3), slice(4)),
    (Word("x"), Word("y")),
    (Slotted(1), Slotted(2)),
    (Slotted(1).__init__, Slotted(2).__init__),
    ([1 << 20_000], [1 << 20_001]),
    (doubled(max), max),
    (chain(40, 1), chain(40, 2)),
    ({Slotted, Word}, {Slotted, Path}),
]


@pytest.mark.parametrize(("one", "two"), VALUES)
def test_values_are_told_apart(one, two):
    assert value_digest(one) != value_digest(two)


def test_a_value_that_holds_itself_and_long_chains():
    def ring(n):
        values = [n]
        values.append(values)
        return values

    assert value_digest(ring(1), chain(2000, 1)) == value_digest(ring(1), chain(2000, 1)) != value_digest(ring(2), 1)
    functions = "".join(f"def f{n}(): return f{n + 1}()\n" for n in range(1200))
    one, same, other = (executed(f"{functions}def f1200(): return {last}")["f0"] for last in (1, 1, 2))
    assert value_digest(one) == value_digest(same) != value_digest(other)


class Table(list):
    def __repr__(self):
        return "Table"


def test_fields_that_are_not_shown_count():
    @dataclass(frozen=True, repr=False)
    class Hidden(HistoryStrategy):
        epsilon: float = 1.0
        table: tuple = field(default=(), repr=False)
        inner: object = field(default=None, repr=False)
        tables: tuple = ()

        def decide(self, setting, history):
            return Answer("cigar")

    inner = [
        closure(1)(),
        closure(2)(),
        Hidden(2.0),
        np.arange(99_999),
        np.arange(99_999) // 50_000 + np.arange(99_999),
    ]
    inner += [from_contest(Theirs(epsilon)) for epsilon in (1.0, 2.0)]
    every = [Hidden(), Hidden(table=(1,)), Hidden(table=(2,)), *(Hidden(inner=value) for value in inner)]
    every += [Hidden(tables=(Table([n]), 1)) for n in (1, 2)]
    assert len({one.identity for one in every}) == len(every)
    assert Hidden(2.0).code == Hidden().code and Hidden(2.0).identity != Hidden().identity  # what repr shows
    assert is_plain((1, "x", (2.0, None, (True, b"x")), ...)) and not is_plain((1, [2])) and not is_plain((Word("x"),))


class Theirs:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def first_move(self):
        self.asked = 0
        return "cigar", self.epsilon

    def next_move(self, guess, epsilon, clues):
        self.asked += 1
        return "cigar", 0


def test_the_arguments_of_a_contest_object_count():
    one, two = from_contest(Theirs(1.0)), from_contest(Theirs(2.0))
    assert repr(one) == repr(two) == "Theirs()"
    before = one.identity
    evaluate(one, 3, words=SMALL)
    assert before == one.identity == from_contest(Theirs(1.0)).identity != two.identity


def test_channels_of_one_name_are_told_apart():
    def family(scale):
        return lambda epsilon, length: RandomizedResponse(epsilon * scale, length)

    one, two, again = (make_task(closure(0)(), words=SMALL, channel=family(scale)).id for scale in (0.5, 0.9, 0.5))
    assert one == again != two


MINE = '''
"""A strategy."""
from dataclasses import dataclass
import wordpl
from wordpl import Answer, HistoryStrategy
from apart import unused

LIMIT = 3  # asks
TABLE, CACHE = None, {}

@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    """Asks until `LIMIT`."""

    epsilon: float = 9.0
    """Per ask."""

    def decide(self, setting, history):
        """One move."""
        import helper
        global TABLE
        TABLE = CACHE[0] = 1
        if len(history) >= LIMIT:
            return Answer("cigar")
        return wordpl.Ask(helper.word(setting), self.epsilon)

if __name__ == "__main__":
    print(Mine())
'''
FILES = {
    "mine": MINE,
    "helper": "import deeper\n\ndef word(setting):\n    return setting.words.guesses[deeper.N]\n",
    "deeper": "N = 4\n",
    "apart": "X = 1\n\ndef unused():\n    return X\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A user's file with modules beside it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text)
    yield tmp_path
    for name in FILES:
        sys.modules.pop(name, None)


def edit(folder, name, old, new):
    path = folder / f"{name}.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, (1, 1))  # a file of one size and a coarse clock must not hide an edit
    for module in ("helper", "deeper", "apart"):
        sys.modules.pop(module, None)


@pytest.mark.parametrize(
    ("file", "old", "new", "same"),
    [
        ("mine", "Asks until", "It asks until", True),
        ("mine", '"""Per ask."""', '"""The budget of each ask."""', True),
        ("mine", "print(Mine())", "print('Mine')", True),
        ("helper", "import deeper", "import deeper  # below", True),
        ("apart", "X = 1", "X = 2", True),
        ("mine", "LIMIT = 3", "LIMIT = 4", False),
        ("mine", "9.0", "9", False),
        ("mine", '"cigar"', '"rebut"', False),
        ("helper", "guesses", "answers", False),
        ("deeper", "4", "5", False),
    ],
)
def test_edits_of_a_users_file(folder, file, old, new, same):
    path = folder / "mine.py"
    before = parse_strategy(f"{path}:Mine()").code
    edit(folder, file, old, new)
    assert (parse_strategy(f"{path}:Mine()").code == before) == same


def test_a_file_edited_after_it_was_imported(folder):
    """What runs is what counts, not what lies on disk by now."""
    made = []
    for chosen in ("cigar", "rebut", "sissy"):
        (folder / "mine.py").write_text(MINE.replace("cigar", chosen))
        made.append(parse_strategy(f"{folder / 'mine.py'}:Mine()"))
    (folder / "other").mkdir()
    shutil.copy(folder / "mine.py", folder / "other")
    assert parse_strategy(f"{folder / 'other' / 'mine.py'}:Mine()").identity == made[-1].identity
    assert len({strategy.identity for strategy in made}) == 3


def test_what_is_put_in_place_of_others_counts(folder, monkeypatch):
    module = importlib.import_module("mine")
    before = module.Mine().identity
    for owner, name, value in [
        (module.Mine, "decide", lambda self, setting, history: None),
        (module, "LIMIT", 4),  # as a notebook does
        (module.Mine.decide, "__code__", (lambda self, setting, history: None).__code__),  # as autoreload does
        (sys.modules["deeper"], "N", 5),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            assert module.Mine().identity != before
        assert module.Mine().identity == before
    module.Mine().decide(None, (1, 2, 3))
    assert (module.TABLE, module.CACHE) == (1, {0: 1})  # what a module keeps as it plays
    assert module.Mine().identity == before


ELSEWHERE = """
import json, sys, types
import wordpl
package = types.ModuleType("wordpl.library")
package.__path__ = sys.argv[1:]
sys.modules["wordpl.library"] = wordpl.library = package
from tests.golden import codes
print(json.dumps(codes()))
"""


@pytest.mark.heavy
def test_identities_are_the_same_in_every_run_and_folder(tmp_path):
    """As in a wheel, whatever the hash seed, and whether docstrings and assertions were compiled."""
    library = tmp_path / "site-packages" / "wordpl" / "library"
    shutil.copytree(LIBRARY, library, ignore=shutil.ignore_patterns("__pycache__"))
    env = {**os.environ, "PYTHONHASHSEED": "2", "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-OO", "-c", ELSEWHERE, str(library)]
    assert json.loads(subprocess.check_output(command, env=env)) == golden.codes()


# Without a file.


def executed(text):
    space = {"__name__": "__main__"}
    exec(text, space)  # noqa: S102
    return space


CELL = """
import helper, wordpl
from typing import NamedTuple
class Reply(NamedTuple):
    word: str
class Solver:
    def __init__(self, depth):
        self.depth = depth
    def best(self):
        return self.depth + 1, {"a", "b", "c", "d", "e"}
solver = Solver(2)
class Typed(wordpl.HistoryStrategy):
    def decide(self, setting, history):
        return Reply(helper.word(setting)), solver.best()
"""


def test_cells_of_a_notebook(folder):
    """An object of a class from another cell, a module beside, and a value that another cell sets."""
    space = executed(CELL)
    before = class_digest(space["Typed"])
    assert before == class_digest(executed(f"# A comment.\n{CELL}")["Typed"])
    others = [class_digest(executed(CELL.replace(*pair))["Typed"]) for pair in [("+ 1", "+ 2"), ("(2)", "(3)")]]
    for name, old, new in (("helper", "guesses", "answers"), ("deeper", "4", "5")):
        edit(folder, name, old, new)
        others.append(class_digest(executed(CELL)["Typed"]))
    space["solver"] = None
    assert len({before, *others, class_digest(space["Typed"])}) == 6


def test_a_class_sent_by_value_keeps_its_code():
    made = dataclass(frozen=True, repr=False)(executed(CELL.replace("helper", "math"))["Typed"])()
    script = "import sys, cloudpickle; print(cloudpickle.load(sys.stdin.buffer).identity)"
    sent = subprocess.run(
        [sys.executable, "-c", script], input=cloudpickle.dumps(made), check=True, capture_output=True
    )
    assert sent.stdout.decode().strip() == made.identity


# The normal form.


@pytest.mark.parametrize("text", [path.read_text() for path in sorted(LIBRARY.glob("*.py"))] + [MINE])
def test_comments_and_layout_do_not_count(text):
    assert parsed(ast.unparse(ast.parse(text)))[0] == parsed(text)[0]


def test_every_constant_operator_and_name_counts():
    texts = """x + 1;x - 1;x * 1;x < 1;x <= 1;x == 1;x and y;x or y;x is y;x is not y;f(1);f(2);f(1.0);f('1');f(True)
f(None);f(x);f(y);g(x);f(a=1);f(b=1);f(*a);f(**a);x.a;x.b;-x;~x;x[0:1];x[0:2];x[0:1:1];(a,);[a];{a};{a: None};f'{x}'
f'{y}';f'{x!r}';[x for y in z if a];[x for y in z for a in b];lambda a: 0;lambda b: 0
import a;import b;from . import a;x = 1;y = 1"""
    texts = texts.replace(";", "\n").splitlines()
    assert len({parsed(text)[0] for text in texts}) == len(texts)
    branches = "".join(f"elif x == {n}: y = {n}\n" for n in range(600))
    texts = [f"if x: y = 0\n{branches}else: y = {last}\n" for last in ("1", "2", hex(1 << 20_000))]
    assert len({normal_form(ast.parse(text)) for text in texts}) == 3


AWKWARD = r"""
import enum, functools
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple
import numpy as np
import wordpl
BIG, LETTERS = 1 << 20_000, "\u1c89 \U0001fae9 \N{BULLET}"
class Color(enum.Enum):
    RED = 1
    def shown(self):
        return f"{self.value!r:>{10}}{{x}}" "tail" f"{BIG:a{{b}}c}" "" f"{self=}" f"{self:%H{{}}}" rf"\n{self:}"
class Bits(enum.IntFlag):
    A = 1
class Reply(NamedTuple):
    word: str
@dataclass(order=True, slots=True)
class Row:
    b: list[int] = field(default_factory=lambda: [1, 2], repr=False)
@functools.lru_cache(maxsize=None)
def cached(n, *rest, key=lambda x: x):
    return (lambda: LETTERS)() + (lambda: BIG)() + sum([(lambda: k)() for k in rest if {j for j in range(3)}])
@dataclass(frozen=True, repr=False)
class Awkward(wordpl.HistoryStrategy):
    colors: ClassVar = (Color.RED, Bits.A)
    reply: Reply = Reply("x")
    depth = range(3)
    part = functools.partialmethod(cached, 3)
    @functools.cached_property
    def kept(self): return Row(1)
    @staticmethod
    def still(x): return np.add(x, 1), wordpl.Answer, np.random.default_rng
    def decide(self, setting, history):
        match history:
            case [None, False, *rest]: pass
            case [True, {"a": 1, **others}]: pass
            case Reply(word=w) if w: pass
        try: assert cached(2)
        except* ValueError as e: raise KeyError from e
        async def go(): return [y := x, *x, {**x}, x[1:2, ::3], x[*x]], [z async for z in x if await z]
        return -1e400, 1j, b"\xff"
"""


def test_identities_are_the_same_on_every_version_of_python(tmp_path, monkeypatch):
    """What they were when they were written down, on Python 3.11 to 3.13."""
    (tmp_path / "awkward.py").write_text(AWKWARD)
    assert parsed(AWKWARD)[0][:16] == "fb240531d8e124d3"
    assert parse_strategy(f"{tmp_path / 'awkward.py'}:Awkward()").code == "e956330cb5726ae2"
    assert golden.codes() == json.loads(golden.FILE.read_text())["codes"], "run: python -m tests.golden"
    before, path = normal_form(ast.parse("import math")), value_digest(Path)
    monkeypatch.setattr(ast.Import, "_fields", (*ast.Import._fields, "is_late"))  # as a later version adds them
    for value, same in ((0, True), (None, True), (1, False)):
        monkeypatch.setattr(ast.Import, "is_late", value, raising=False)
        assert (normal_form(ast.parse("import math")) == before) == same
    monkeypatch.setattr(Path, "__module__", "pathlib._local")
    assert value_digest(Path) == path != value_digest(os.PathLike)
