"""The lines between contestant and referee: whatever is sent is one line, and whatever comes is read or refused."""

import json
import random
import resource
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.helpers import SMALL
from wordpl.contest import inside
from wordpl.contest.inside import encode
from wordpl.play.moves import Answer, Ask, InvalidMoveError, read_move

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), lambda x: st.lists(x, max_size=4)
)
# Often enough what is legal, or nearly: of texts and numbers at random next to none is.
WORDS = st.sampled_from([*SMALL.answers[:3], *SMALL.guesses[:3]])
PART = JSON | WORDS | st.floats(0, 30) | st.just(0)
MOVES = JSON | st.tuples(PART, PART) | st.builds(Ask, PART, PART) | st.builds(Answer, PART)
KINDS = st.sampled_from(["up", "ready", "pair", "ask", "answer", "invalid", "crash", "memory", "win"])


@given(st.binary(max_size=3000) | st.builds(lambda *v: json.dumps(v).encode(), KINDS, JSON, PART, PART))
@example(b"[" * 2000)
@example(b'["pair", 1, "crate", 1' + b"0" * 1990 + b"]")
@example(b'["pair", 1, "crate", NaN]')
@example(b'["pair", true, "crate", 1.0]')
def test_any_line_is_a_reply_of_plain_values_or_a_protocol_error(line: bytes) -> None:
    try:
        reply = inside.read_reply(line)
    except inside.ProtocolError:
        return
    assert type(reply.kind) is str
    assert type(reply.turn) is int
    assert {type(value) for value in reply.values} <= {str, int, float, bool}
    if reply.kind in ("pair", "ask"):
        move = reply.values if reply.kind == "pair" else Ask(*reply.values)
        if found := legal(move):
            word = found.guess if isinstance(found, Ask) else found.word
            assert type(word) is str and word in SMALL.guess_index


@given(MOVES)
@example((SMALL.guesses[0], 2.5))
@example((SMALL.answers[0], 0))
@example(Ask(SMALL.guesses[1], 7.0))
@example(Answer(SMALL.answers[1]))
@example(("x" * 64, 2.5))
@example(("x" * 65, 2.5))
@example(("x" * 3000, 2.5))
@example((SMALL.guesses[0], 10**400))
@example((SMALL.guesses[0], np.array(1.0)))
@example((SMALL.guesses[0], np.timedelta64(5, "ns")))
def test_whatever_is_returned_makes_one_line_and_is_as_legal_as_in_process(move: Any) -> None:
    line = encode(3, move)
    assert len(line) <= inside.MAX_LINE and line.endswith(b"\n") and line.count(b"\n") == 1
    reply = inside.read_reply(line[:-1])
    assert reply.turn == 3
    kinds = {"pair": lambda v: v, "ask": lambda v: Ask(*v), "answer": lambda v: Answer(*v), "invalid": lambda v: None}
    assert legal(kinds[reply.kind](reply.values)) == legal(move), "a move is as legal in the sandbox as in process"


def legal(move: Any) -> Ask | Answer | None:
    try:
        return read_move(move, SMALL, False)
    except InvalidMoveError:
        return None


@pytest.mark.parametrize("more", [0, 1])
def test_a_line_of_the_largest_size_is_sent_whole_and_a_longer_one_is_cut(more: int) -> None:
    room = inside.MAX_LINE + more - len(json.dumps(["crash", 3, ""])) - 1  # the newline
    text = "\U0001f36b" * (room // 12) + "x" * (room % 12)  # that letter takes twelve
    line = inside.reply("crash", 3, text)
    assert (len(line) == inside.MAX_LINE) == (more == 0)
    assert inside.read_reply(line[:-1]).values == (text if more == 0 else text[:100],)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["answer", 1, "x" * 64], ""),
        (["answer", 1, "x" * 65], "of kind answer with too long a text"),
        (["crash", 1, "x" * 300], ""),
        (["crash", 1, "x" * 301], "of kind crash with too long a text"),
        (["pair", 1, "crate"], "a malformed message of kind pair"),
        (["pair", 1, "crate", 9], "a malformed message of kind pair"),
        (["ready", 1, "Mine()", 1], "a malformed message of kind ready"),
        (["up", 1.0], "a malformed message of kind up"),
        (["win", 1], "a line that is not a message"),
        (["up"], "a line that is not a message"),
        ({"up": 0}, "a line that is not a message"),
        (["up", " " * 2037], "a malformed message of kind up"),  # 2047 bytes
        (["up", " " * 2038], "a line of more than 2048 bytes"),
    ],
)
def test_a_line_of_another_form_is_refused(line: Any, said: str) -> None:
    text = json.dumps(line).encode()
    if not said:
        assert inside.read_reply(text) == (line[0], line[1], tuple(line[2:]))
        return
    with pytest.raises(inside.ProtocolError, match=said):
        inside.read_reply(text)


# What the program inside makes of a submission.

PLAYS = "    first_move = next_move = print\n"
TWO = f"class A:\n{PLAYS}class B:\n{PLAYS}"
NEEDS = f"class A:\n    def __init__(self, n, m=1, *more, k): ...\n{PLAYS}"
FAILS = f"class A:\n    def __init__(self): len()\n{PLAYS}"


def module_of(code: str) -> ModuleType:
    module = ModuleType("mine")
    exec(code, vars(module))  # noqa: S102 - ours
    return module


@pytest.mark.parametrize(
    ("code", "name", "said"),
    [
        (TWO, None, r"several strategies \(A, B\); write FILE:Name"),
        ("def first_move(): ...\ndef next_move(): ...", None, "here they are functions, so make them methods"),
        ("strategy = 3", None, "the variable strategy has neither"),
        ("class A: ...", None, r"if A sets them on its objects, write strategy = A\(\)"),
        ("", None, "^no class with first_move and next_move$"),
        (NEEDS, None, r"A needs n, k; write FILE:A\(n=..., k=...\)"),
        (FAILS, None, r"^len\(\) takes"),
        (TWO, "C", "no class C; it has A, B"),
        ("", "C", "no class C; it has no class with first_move and next_move"),
        ("class C: ...", "C", "C has no first_move and next_move; .* if C sets them"),
    ],
)
def test_what_holds_no_strategy_says_what_to_change(code: str, name: str | None, said: str) -> None:
    with pytest.raises((inside.LoadError, TypeError), match=said):
        inside.make(module_of(code), (name, (), {}) if name else None)


@pytest.mark.parametrize(("more", "kind"), [("strategy = B()", "B"), ("strategy = A\ndel B", "A")])
def test_a_variable_named_strategy_plays_unless_it_is_a_class(more: str, kind: str) -> None:
    assert type(inside.make(module_of(TWO + more), None)).__name__ == kind


@pytest.mark.parametrize(
    ("shown", "more", "name"),
    [
        ("", "", "A()"),
        ("", "strategy = A()", "A object"),
        ("Mine", "", "Mine"),
        ("<A object at 0x7f00aa11bb22>", "", "<A object>"),
        ("x" * 301, "", "x" * 300),
    ],
)
def test_a_strategy_has_a_name_and_draws_by_the_seed_of_its_game(
    shown: str, more: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"import random, numpy\nclass A:\n    def __str__(self): return {shown!r}\n" if shown else "class A:\n"
    code += "    def first_move(self): return random.random(), numpy.random.random()\n    next_move = None\n"
    module = module_of(f"import random, numpy\n{code}{more}")
    monkeypatch.setattr(inside.importlib, "import_module", lambda name: {"strategies.mine": module}[name])
    games = inside.Games({"main": "mine.py", "maker": None, "files": {}})
    assert (games.name, games.ours) == (name, False)
    seed = 2**40 + 7
    expected = random.Random(seed).random(), np.random.RandomState(7).random()
    kept = random.getstate(), np.random.get_state()
    assert games.move("first", [seed]) == games.move("first", [seed]) == expected
    random.setstate(kept[0])
    np.random.set_state(kept[1])


ELSEWHERE = "; if it is in the same folder, submit a folder with both, and name your file strategy.py"
EXTRA = "ModuleNotFoundError: none; the extra 'contest' has it, and wordpl doctor shows how to install that"


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (MemoryError(), "memory", "ran out of memory"),
        (inside.LoadError("no class"), "crash", "no class"),
        (ModuleNotFoundError("no near", name="near"), "crash", f"ModuleNotFoundError: no near{ELSEWHERE}"),
        *((ModuleNotFoundError("none", name=name), "crash", EXTRA) for name in ("attr", "attrs", "tqdm")),
        (FileNotFoundError("no table"), "crash", f"FileNotFoundError: no table{ELSEWHERE}"),
        (SyntaxError("bad", ("PLAY/mine.py", 7, 1, "x")), "crash", "mine.py:7: SyntaxError: bad"),
        (SyntaxError("bad", ("/usr/lib/a.py", 7, 1, "x")), "crash", "SyntaxError: bad"),
    ],
)
def test_an_error_is_told_with_its_place_and_what_to_do(
    error: BaseException, kind: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", ["PLAY", *sys.path])
    for files in ({"mine.py": b""}, {"mine.py": b"", "near.py": b""}):
        line = inside.failure(3, error, {"tracebacks": False, "files": files})
        assert json.loads(line) == [kind, 3, said if len(files) == 1 else said.removesuffix(ELSEWHERE)]


@pytest.mark.parametrize("most", [resource.RLIM_INFINITY, 100])
def test_each_rlimit_is_that_of_the_limits_or_less(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {
        "CORE": 0, "MEMLOCK": 0, "MSGQUEUE": 0, "NICE": 0, "RTPRIO": 0, "SIGPENDING": 128, "STACK": 8 << 20,
        "DATA": 1 << 30, "AS": 5 << 30, "FSIZE": 1 << 20, "NOFILE": 77, "CPU": 999,
    }  # fmt: skip
    for tasks in (0, 33):
        found: dict[int, tuple[int, int]] = {}
        monkeypatch.setattr(resource, "getrlimit", lambda which: (0, most))
        monkeypatch.setattr(resource, "setrlimit", found.__setitem__)
        inside.confine({"memory": 1 << 30, "scratch": 1 << 20, "open_files": 77, "cpu": 999, "tasks": tasks})
        named = {getattr(resource, f"RLIMIT_{name}"): value for name, value in expected.items()} | {10: 0}
        named |= {resource.RLIMIT_NPROC: tasks} if tasks else {}
        bounds = {which: value if most < 0 else min(value, most) for which, value in named.items()}
        assert found == {which: (value, value) for which, value in bounds.items()}
