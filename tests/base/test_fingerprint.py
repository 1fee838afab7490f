"""Two strategies never share an identity, and one keeps its own for as long as its code stays the same."""

import ast
import dataclasses
import functools
import importlib
import itertools
import json
import linecache
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import cloudpickle
import numpy as np
import pytest

import wordpl
from tests import golden
from tests.helpers import SMALL, all_variants
from wordpl import Answer, Ask, HistoryStrategy, Strategy, evaluate, from_contest, parse_strategy
from wordpl.base.fingerprint import class_digest, is_plain, value_digest
from wordpl.base.lru_cache import LruCache
from wordpl.base.source import Source, digest_of, normal_form
from wordpl.model.channel import RandomizedResponse
from wordpl.simulation.sweep import make_task

LIBRARY = Path(__file__).parents[2] / "strategies"


def made_for(n):
    @dataclass(frozen=True, repr=False)
    class Greedy(HistoryStrategy):
        epsilon: float

        def decide(self, setting, history):
            return Answer(setting.words.answers[n])

    return Greedy(10.0)


class Table(list):
    """Its `repr` does not tell what is in it."""

    def __repr__(self):
        return "Table"


@dataclass(frozen=True, repr=False)
class ByTable(HistoryStrategy):
    tables: tuple

    def decide(self, setting, history):
        return Answer(setting.words.answers[self.tables[0][0]])


def test_what_a_repr_leaves_out_of_a_tuple_tells_strategies_apart():
    one, same, other = (ByTable((Table([word]), 1)) for word in (0, 0, 1))
    assert repr(one) == repr(other)
    assert one.identity == same.identity != other.identity
    pair = dataclasses.make_dataclass("Pair", ["x"], namespace={"__repr__": lambda self: "Pair"})
    for value in ((1, [2]), ((pair(1),), 2), (object(),), Reply("x")):
        assert not is_plain(value)
    assert is_plain((1, "x", (2.0, None, (True, b"x")), ...))


class Reply(NamedTuple):
    word: str


def one_of_two(n):
    if n == 1:

        class Greedy(HistoryStrategy):
            def decide(self, setting, history):
                return Answer("cigar")
    else:

        class Greedy(HistoryStrategy):  # type: ignore[no-redef]
            def decide(self, setting, history):
                return Answer("rebut")

    return Greedy


def greedy(*bases, **space):
    return type("Greedy", bases or (HistoryStrategy,), {"__module__": __name__, **space})


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


def with_cached_function(n):
    chosen = functools.lru_cache(lambda: n)
    return greedy(decide=lambda self, setting, history: chosen())


FACTORIES = {
    "default": lambda n: greedy(decide=lambda self, setting, history, n=n: n),
    "keyword": lambda n: greedy(decide=lambda self, setting, history, *, n=n: n),
    "attribute": lambda n: greedy(wanted=n, decide=lambda self, setting, history: self.wanted),
    "base": lambda n: greedy(greedy(decide=lambda self, setting, history: n)),
    "partial method": lambda n: greedy(decide=functools.partialmethod(lambda self, n, setting, history: n, n)),
    "partial": lambda n: greedy(choose=functools.partial(max, n)),
    "made fields": lambda n: dataclasses.make_dataclass(
        "Greedy", [("epsilon", float, n)], bases=(HistoryStrategy,), frozen=True
    ),
    "field factory": with_field_factory,
    "helper": with_helper,
    "cached function": with_cached_function,
    "closure": lambda n: type(made_for(n)),
    "two of one name": one_of_two,
}


@pytest.mark.parametrize("factory", FACTORIES.values(), ids=FACTORIES)
def test_what_a_factory_puts_into_a_class_counts(factory):
    one, two, again = factory(1), factory(2), factory(1)
    assert one.__qualname__ == two.__qualname__
    assert class_digest(one) == class_digest(again) != class_digest(two)


class Word(str):
    __slots__ = ()


class Slotted:
    __slots__ = ("n",)

    def __init__(self, n):
        self.n = n


def doubled(function):
    @functools.wraps(function)
    def double(*values):
        return 2 * function(*values)

    return double


@pytest.mark.parametrize(
    ("one", "two"),
    [
        *itertools.combinations([1, 1.0, True, "1", b"1", None, (1,), [1], {1}, frozenset({1}), {1: 1}, 1j], 2),
        ([1, [2]], [1, [3]]),
        ({"a": 1}, {"a": 2}),
        (np.arange(3), np.arange(3.0)),
        (np.array([1, 2]), np.array([1, 3])),
        (np.float32(1), np.float64(1)),
        (max, min),
        (lambda: 1, lambda: 2),
        (int, float),
        (Ellipsis, None),
        (np.float64(1), np.array([1.0])),
        (np.array([1, "x"], dtype=object), np.array([1, "y"], dtype=object)),
        (range(3), range(4)),
        (Word("x"), Word("y")),
        (Slotted(1), Slotted(2)),
        ([1 << 20_000], [1 << 20_001]),
        (doubled(max), max),
    ],
)
def test_values_are_told_apart(one, two):
    assert value_digest(one) != value_digest(two)


def test_a_value_that_holds_itself():
    def ring(n):
        values = [n]
        values.append(values)
        return values

    assert value_digest(ring(1)) == value_digest(ring(1)) != value_digest(ring(2))


def test_fields_that_are_not_shown_count():
    @dataclass(frozen=True, repr=False)
    class Hidden(HistoryStrategy):
        epsilon: float = 1.0
        table: tuple = field(default=(), repr=False)
        scores: object = field(default=None, compare=False, repr=False)
        inner: object = None

        def decide(self, setting, history):
            return Ask("cigar", 1.0)

    plain = Hidden()
    others = [Hidden(table=(1,)), Hidden(table=(2,)), Hidden(scores=np.arange(99_999)), Hidden(inner=made_for(3))]
    others += [Hidden(inner=made_for(4)), Hidden(scores=np.arange(99_999) // 50_000 + np.arange(99_999))]
    assert len({one.identity for one in [plain, *others]}) == 1 + len(others)
    assert Hidden(2.0).code == plain.code  # what repr shows is in the label
    assert Hidden(2.0).identity != plain.identity


def test_the_arguments_of_a_contest_object_count():
    class Theirs:
        def __init__(self, epsilon):
            self.epsilon = epsilon

        def first_move(self):
            self.asked = 0
            return "cigar", self.epsilon

        def next_move(self, guess, epsilon, clues):
            self.asked += 1
            return "cigar", 0

    one, two = from_contest(Theirs(1.0)), from_contest(Theirs(2.0))
    assert repr(one) == repr(two) == "Theirs()"
    assert one.identity != two.identity
    before = one.identity
    evaluate(one, 3, words=SMALL)
    assert one.identity == before == from_contest(Theirs(1.0)).identity


def test_channels_of_one_name_are_told_apart():
    def family(scale):
        return lambda epsilon, length: RandomizedResponse(epsilon * scale, length)

    one, two, again = (make_task(made_for(0), words=SMALL, channel=family(scale)).id for scale in (0.5, 0.9, 0.5))
    assert one == again != two


# Modules on disk.

MINE = '''
"""A strategy."""
from __future__ import annotations

from dataclasses import dataclass

import wordpl
from wordpl import Answer, HistoryStrategy

LIMIT = 3  # asks


@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    """Asks until `LIMIT`."""

    epsilon: float = 9.0
    """Per ask."""

    def decide(self, setting, history):
        """One move."""
        import helper

        top, chance = setting.belief(history).top
        if len(history) >= LIMIT or chance > 0.5:
            return Answer(top)
        return wordpl.Ask(helper.word(setting), self.epsilon)


if __name__ == "__main__":
    print(Mine())
'''
HELPER = "import deeper\n\ndef word(setting):\n    return setting.words.guesses[deeper.N]\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A user's file with modules beside it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in (("mine", MINE), ("helper", HELPER), ("deeper", "N = 4\n"), ("apart", "X = 1\n")):
        (tmp_path / f"{name}.py").write_text(text)
    yield tmp_path
    for name in ("mine", "helper", "deeper", "apart"):
        sys.modules.pop(name, None)


def code_of(folder, name="Mine"):
    return parse_strategy(f"{folder / 'mine.py'}:{name}()").code


@pytest.mark.parametrize(
    ("file", "old", "new", "same"),
    [
        ("mine", "Asks until", "It asks until", True),
        ("mine", '"""A strategy."""', '"""A good strategy."""', True),
        ("mine", '"""Per ask."""', '"""The budget of each ask."""', True),
        ("mine", "print(Mine())", "print('Mine')", True),
        ("helper", "import deeper", "import deeper  # below", True),
        ("apart", "1", "2", True),
        ("mine", "LIMIT = 3", "LIMIT = 4", False),
        ("mine", "9.0", "9", False),
        ("mine", "Answer(top)", "Answer(setting.words.answers[0])", False),
        ("helper", "guesses", "answers", False),
        ("deeper", "4", "5", False),
    ],
)
def test_edits_of_a_users_file(folder, file, old, new, same):
    before = code_of(folder)
    path = folder / f"{file}.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, (1, 1))  # a file of one size and a coarse clock must not hide an edit
    for module in ("helper", "deeper", "apart"):
        sys.modules.pop(module, None)
    assert (code_of(folder) == before) == same


def test_a_file_edited_after_it_was_imported(folder):
    """What runs is what counts, not what lies on disk by now."""
    strategy = parse_strategy(f"{folder / 'mine.py'}:Mine()")
    (folder / "mine.py").write_text(MINE.replace("0.5", "0.6"))
    edited = parse_strategy(f"{folder / 'mine.py'}:Mine()")
    (folder / "mine.py").write_text(MINE.replace("0.5", "0.7"))
    assert len({strategy.code, edited.code, code_of(folder)}) == 3


def test_one_content_in_two_folders_is_loaded_from_both(folder):
    """Each may read what lies beside it."""
    text = MINE + "\nHERE = __file__\n"
    (folder / "other").mkdir()
    places = [folder / "mine.py", folder / "other" / "mine.py"]
    for place in places:
        place.write_text(text)
    one, other = (parse_strategy(f"{place}:Mine()") for place in places)
    assert [sys.modules[type(made).__module__].HERE for made in (one, other)] == list(map(str, places))
    assert one.identity == other.identity


DRAWING = """
from dataclasses import dataclass
from wordpl import Answer, Strategy

@dataclass(frozen=True, repr=False)
class Drawing(Strategy):
    def players(self, setting):
        return lambda seed: Drawn(setting.words.answers[seed % len(setting.words.answers)])

class Drawn:
    def __init__(self, word):
        self.word = word

    def first_move(self):
        return Answer(self.word)
"""


def test_an_edit_that_changes_no_move_changes_no_result(tmp_path):
    """The players' own seeds come from what people read, so two versions draw the same."""
    frames, codes = [], set()
    for text in (DRAWING, DRAWING.replace("self.word", "self.chosen")):
        (tmp_path / "drawing.py").write_text(text)
        strategy = parse_strategy(f"{tmp_path / 'drawing.py'}:Drawing()")
        codes.add(strategy.code)
        frames.append(evaluate(strategy, 30, words=SMALL).frame[["proposed", "verdict"]])
    assert len(codes) == 2
    assert frames[0].equals(frames[1])
    assert frames[0]["proposed"].nunique() > 10


def test_functions_put_in_place_of_others(folder, monkeypatch):
    module = importlib.import_module("mine")
    before = module.Mine().identity
    monkeypatch.setattr(module.Mine, "decide", lambda self, setting, history: Answer("cigar"))
    patched = module.Mine().identity
    monkeypatch.setattr(module, "LIMIT", 4)
    monkeypatch.undo()
    assert patched != before == module.Mine().identity
    module.LIMIT = 4  # as a notebook does
    assert module.Mine().identity != before
    module.LIMIT = 3
    function = module.Mine.decide
    old, function.__code__ = function.__code__, (lambda self, setting, history: None).__code__  # as autoreload does
    assert module.Mine().identity != before
    function.__code__ = old
    assert module.Mine().identity == before


def test_state_that_a_module_keeps_does_not_count(folder):
    """A table made in the first game, or a cache: playing must not change who one is."""
    text = MINE.replace("        import helper\n", "        global TABLE\n        TABLE = CACHE[0] = 1\n")
    (folder / "mine.py").write_text(text.replace("LIMIT = 3", "LIMIT = 3\nTABLE = None\nCACHE = {}"))
    strategy = parse_strategy(f"{folder / 'mine.py'}:Mine()")
    before = strategy.identity
    with pytest.raises(AttributeError):
        strategy.decide(None, ())
    module = sys.modules[type(strategy).__module__]
    assert (module.TABLE, module.CACHE) == (1, {0: 1})
    assert strategy.identity == before


def test_a_checkout_and_a_wheel_agree(tmp_path, monkeypatch):
    """The library is `wordpl.library` in both, but its files lie elsewhere, and installed packages are not followed."""

    def digests(folder):
        shutil.copytree(LIBRARY, folder, ignore=shutil.ignore_patterns("__pycache__"))
        package = ModuleType("wordpl.library")
        package.__path__ = [str(folder)]
        with monkeypatch.context() as patch:
            for name in [name for name in sys.modules if name.startswith("wordpl.library")]:
                patch.delitem(sys.modules, name)
            patch.setitem(sys.modules, "wordpl.library", package)
            patch.setattr(wordpl, "library", package, raising=False)
            found = importlib.import_module("wordpl.library.renyi")
            kinds = [kind for kind in vars(found).values() if getattr(kind, "__module__", "") == found.__name__]
            kinds = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Strategy)]
            derived = [type("Derived", (kind,), {"__module__": "tests.base.test_fingerprint"}) for kind in kinds]
            before = [class_digest(kind) for kind in kinds + derived]
            common = folder / "common.py"
            common.write_text(common.read_text() + "\nX = 1\n")
            monkeypatch.setattr("wordpl.base.fingerprint._known", LruCache(1))
            changed = [class_digest(kind) for kind in kinds + derived]
            assert not set(before) & set(changed)
            for name in [name for name in sys.modules if name.startswith("wordpl.library")]:
                del sys.modules[name]
        return before

    assert digests(tmp_path / "strategies") == digests(tmp_path / "site-packages" / "wordpl" / "library")


@pytest.mark.heavy
def test_identities_are_the_same_in_every_run():
    """Whatever the hash seed, and whether docstrings and assertions were compiled."""
    program = "from tests.helpers import all_variants as every; print(*(made.identity for made in every()), sep='\\n')"
    environment = {**os.environ, "PYTHONHASHSEED": "2", "PYTHONPATH": str(Path(__file__).parents[2])}
    identities = subprocess.check_output([sys.executable, "-OO", "-c", program], env=environment, text=True)
    assert identities.splitlines() == [strategy.identity for strategy in all_variants()]


SCRIPT = """
import sys
from dataclasses import dataclass
import helper
import wordpl

def made(n):
    @dataclass(frozen=True, repr=False)
    class Mine(wordpl.HistoryStrategy):
        def decide(self, setting, history):
            return wordpl.Answer(setting.words.answers[n + helper.deeper.N])
    return Mine()

if __name__ == "__main__":
    with wordpl.Store(sys.argv[1]) as store:
        for n in (1, 2):
            trials, jobs = map(int, sys.argv[2:])
            wordpl.evaluate(made(n), trials, jobs=jobs, words=wordpl.load_words("nyt2022"), store=store)
        print(*sorted(f"{row.id} {row.code} {row.trials}" for row in store.tasks()), sep=",")
"""


@pytest.mark.heavy
def test_a_script_with_workers_resumes_until_it_is_edited(folder):
    """Its classes go to the workers by value, from a module that has another name in every run."""
    script = folder / "script.py"

    def run(text, trials, jobs, *how):
        script.write_text(text)
        env = {**os.environ, "PYTHONPATH": str(folder)}
        command = [sys.executable, *(how or [script]), folder / "r.sqlite", str(trials), str(jobs)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder, env=env)
        return [row.split() for row in done.stdout.strip().split(",")]

    first = run(SCRIPT, 10, 2)
    assert [trials for *_, trials in first] == ["10", "10"]
    assert len({code for _, code, _ in first}) == 2
    again = run(SCRIPT.replace("import sys", "import sys  # a comment") + "    print(end='')\n", 15, 1, "-m", "script")
    assert [row[:2] for row in again] == [row[:2] for row in first]
    assert [trials for *_, trials in again] == ["15", "15"]
    edited = run(SCRIPT.replace("n + helper", "n - helper"), 10, 1)
    assert len(edited) == 4


# Without a file.


def executed(text, filename="<string>", name="__main__"):
    space = {"__name__": name}
    exec(compile(text, filename, "exec"), space)  # noqa: S102
    return space


TYPED = """
import wordpl
N = {n}
def helper():
    return N {sign} 1
class Typed(wordpl.HistoryStrategy):
    def decide(self, setting, history):
        return helper(), {{"a", "b", "c", "d", "e"}} & set(history)
"""


def test_code_without_a_source():
    one, again, other, third = (
        class_digest(executed(TYPED.format(n=n, sign=sign))["Typed"])
        for n, sign in [(1, "+"), (1, "+"), (2, "+"), (1, "-")]
    )
    assert one == again
    assert len({one, other, third}) == 3


def test_cells_of_a_notebook():
    """Their source is in `linecache`, where IPython puts it."""

    def run(text, cell):
        linecache.cache[cell] = (len(text), None, text.splitlines(keepends=True), cell)
        return executed(text, cell)

    try:
        text = TYPED.format(n=1, sign="+")
        one = run(text, "<ipython-input-1-a>")
        same = run(text.replace("def decide", "# a comment\n    def decide"), "<ipython-input-2-b>")
        other = run(text.replace("+ 1", "+ 2"), "<ipython-input-3-c>")
        assert class_digest(one["Typed"]) == class_digest(same["Typed"]) != class_digest(other["Typed"])
        before = class_digest(one["Typed"])
        one["N"] = 5  # another cell
        assert class_digest(one["Typed"]) != before
    finally:
        for cell in [cell for cell in linecache.cache if str(cell).startswith("<ipython-input")]:
            del linecache.cache[cell]


def test_what_a_notebook_uses_beside_its_class(folder):
    """A module in the same folder, and an object of a class from another cell."""
    text = """
import helper, wordpl
from typing import NamedTuple
class Reply(NamedTuple):
    word: str
class Solver:
    def __init__(self, depth):
        self.depth = depth
    def best(self):
        return self.depth + {n}
solver = Solver({depth})
class Typed(wordpl.HistoryStrategy):
    def decide(self, setting, history):
        return Reply(helper.word(setting)), solver.best()
"""

    def code(n=1, depth=2):
        return class_digest(executed(text.format(n=n, depth=depth))["Typed"])

    before = code()
    assert code() == before
    assert len({before, code(n=2), code(depth=3)}) == 3
    for name, old, new in (("helper", "guesses", "answers"), ("deeper", "4", "5")):
        path = folder / f"{name}.py"
        path.write_text(path.read_text().replace(old, new))
        os.utime(path, (1, 1))
        for module in ("helper", "deeper"):
            sys.modules.pop(module, None)
        assert code() != before
        before = code()


def test_long_chains_of_functions_and_of_data():
    def code(last):
        text = "".join(f"def f{n}(): return f{n + 1}()\n" for n in range(1200)) + f"def f1200(): return {last}\n"
        chain = "chain = None\nfor n in range(1200): chain = [n, chain]\n"
        kind = "class Typed:\n    def first_move(self): return f0(), chain\n"
        return class_digest(executed(text + chain + kind)["Typed"])

    assert code(1) == code(1) != code(2)


def test_a_class_sent_by_value_keeps_its_code():
    kind = executed(TYPED.format(n=1, sign="+"))["Typed"]
    made = dataclass(frozen=True, repr=False)(kind)()
    script = "import sys, cloudpickle; print(cloudpickle.load(sys.stdin.buffer).identity)"
    sent = subprocess.run(
        [sys.executable, "-c", script], input=cloudpickle.dumps(made), check=True, capture_output=True
    )
    assert sent.stdout.decode().strip() == made.identity


def test_a_strategy_kept_on_disk_takes_the_code_of_its_class_as_it_is_now(folder):
    """Its class comes by name, so what plays is the module of today."""
    module = importlib.import_module("mine")
    kept, before = pickle.dumps(module.Mine()), module.Mine().identity
    assert pickle.loads(kept).identity == before  # noqa: S301
    (folder / "mine.py").write_text(MINE.replace("0.5", "0.6"))
    os.utime(folder / "mine.py", (1, 1))
    del sys.modules["mine"]
    assert pickle.loads(kept).identity == importlib.import_module("mine").Mine().identity != before  # noqa: S301


# The normal form, on the project's own sources.

TEXTS = [path.read_text() for path in sorted(LIBRARY.glob("*.py"))] + [
    MINE,
    textwrap.dedent(TYPED.format(n=1, sign="+")),
]


def digest(text):
    return Source(text).digest


@pytest.mark.parametrize("text", TEXTS)
def test_comments_and_layout_do_not_count(text):
    assert digest(ast.unparse(ast.parse(text))) == digest(text)


@pytest.mark.parametrize(
    ("one", "two"),
    [("x + 1", "x - 1"), ("x * 1", "x / 1"), ("x < 1", "x <= 1"), ("x == 1", "x != 1"), ("x and y", "x or y"),
     ("x is y", "x is not y"), ("f(1)", "f(2)"), ("f(1)", "f(1.0)"), ("f('a')", "f('b')"), ("f(True)", "f(1)"),
     ("f(x)", "f(y)"), ("f(x)", "g(x)"), ("x.a", "x.b"), ("f(a=1)", "f(b=1)"), ("-x", "~x"), ("x[0:1]", "x[0:2]"),
     ("def f(a): pass", "def f(b): pass"), ("import a", "import b"), ("x = 1", "y = 1")],
)  # fmt: skip
def test_every_constant_operator_and_name_counts(one, two):
    assert digest(one) != digest(two)


def test_deep_source_and_large_integers():
    branches = "".join(f"elif x == {n}: y = {n}\n" for n in range(600))
    texts = [f"if x: y = 0\n{branches}else: y = {last}\n" for last in ("1", "2", hex(1 << 20_000))]
    assert len({normal_form(ast.parse(text)) for text in texts}) == 3


# On other versions of Python.

AWKWARD = r'''
from __future__ import annotations

import collections.abc, enum, functools, pathlib
from dataclasses import dataclass, field
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import wordpl

T = TypeVar("T")
BIG = 1 << 20_000
LETTERS = "\u1c89 \U0001fae9 \N{BULLET}"
HERE = pathlib.Path
Text = str | None


class Color(enum.Enum):
    """A color."""
    RED = 1
    BLUE = "b"
    def shown(self):
        return f"{self.value!r:>{10}}{{x}}" "tail" f"{BIG:a{{b}}c}" "" f"{self=}" f"{self:%H{{}}}" rf"\n{self:}"


class Bits(enum.IntFlag):
    A = 1


class Reply(NamedTuple):
    word: str
    n: int = 3
    def twice(self): return self.n * 2


class Scorer(Protocol):
    def score(self, word: str) -> float: ...


class Box(Generic[T]):
    def __init__(self, item: T) -> None: self.item = item
    def __eq__(self, other): return self.item == other.item
    __hash__ = None


@dataclass(order=True, slots=True)
class Row:
    a: int
    b: list[int] = field(default_factory=lambda: [1, 2], repr=False)


@functools.lru_cache(maxsize=None)
def cached(n: Text, *rest, key=lambda x: x, **others):
    assert n, f"{n = }"
    one, two = lambda: LETTERS, lambda: BIG
    return one() + two() + sum([(lambda: k)() for k in rest if {j for j in range(3)}])


@dataclass(frozen=True, repr=False)
class Awkward(wordpl.HistoryStrategy, Generic[T]):
    epsilon: float = 9.0
    colors: ClassVar = (Color.RED, Bits.A)
    reply: Reply = Reply("x")
    table: tuple = field(default=(), repr=False)
    depth = range(3)
    pick, drop = (lambda self: Color.RED), (lambda self: Color.BLUE)
    part = functools.partialmethod(cached, 3)

    @functools.cached_property
    def kept(self): return Box(Reply("y")), Row(1)

    @staticmethod
    def still(x): return np.add(x, 1), HERE("."), wordpl.Answer, np.random.default_rng

    @classmethod
    def make(cls, *a): return super().__init__(*a)

    def decide(self, setting, history):
        """A docstring."""
        import collections
        match history:
            case []: return wordpl.Answer("cigar")
            case [None, False, *rest]: pass
            case [True, {"a": 1, **others}]: pass
            case Reply(word=w, n=1 | 2) if w: pass
            case _: ...
        try:
            with open("x") as f, (open("y")) as g: g, f
        except* ValueError as e: raise KeyError from e
        def inner(x: Scorer = None) -> Color: return [y := x, *x, {**x}, x[1:2, ::3], x[*x]]
        async def go():
            async with x: return [z async for z in x if await z]
        return cached(2), isinstance(history, collections.abc.Sequence), inner, -1e400, 1j, b"\xff", "a" u"b", ...


if __name__ == "__main__":
    print(Awkward())
'''


def test_identities_are_the_same_on_every_version_of_python(tmp_path):
    """What they were when they were written down, on Python 3.11 to 3.14; the source alone on 3.15, too."""
    (tmp_path / "awkward.py").write_text(AWKWARD)
    assert Source(AWKWARD).digest[:16] == "08f97a1565effb5e"
    assert parse_strategy(f"{tmp_path / 'awkward.py'}:Awkward()").code == "3ad3647417d6f7fa"
    assert golden.codes() == json.loads(golden.FILE.read_text())["codes"], "run: python -m tests.golden"


def test_a_field_that_a_later_version_adds_to_the_tree(monkeypatch):
    """The flag that an import statement has in Python 3.15 if it is lazy."""
    before = digest("import math")
    monkeypatch.setattr(ast.Import, "_fields", (*ast.Import._fields, "is_late"))
    codes = []
    for value in (0, None, 1):
        monkeypatch.setattr(ast.Import, "is_late", value, raising=False)
        codes.append(normal_form(ast.parse("import math")))
    assert codes[0] == codes[1] != codes[2]
    assert digest_of(codes[0]) == before


def test_where_python_keeps_a_class_does_not_count(monkeypatch):
    before = value_digest(Path)
    monkeypatch.setattr(Path, "__module__", "pathlib._local")
    assert value_digest(Path) == before != value_digest(os.PathLike)
