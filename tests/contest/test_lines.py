"""The lines between contestant and referee: whatever is sent is one line, what comes is read or refused, and when."""

import json
import os
import random
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest.mock import Mock, call

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.helpers import SMALL
from wordpl.contest import contestant as host
from wordpl.contest import inside
from wordpl.contest.inside import Reply, encode
from wordpl.contest.limits import Limits
from wordpl.play.moves import Answer, Ask, InvalidMoveError, read_move
from wordpl.play.referee import ForfeitError, Verdict

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
    with pytest.raises(inside.ProtocolError, match="more than 2048 bytes"):
        inside.read_reply(bytes(inside.MAX_LINE))


# What the program inside makes of a submission.

PLAYS = "    first_move = next_move = print\n"
TWO = f"class A:\n{PLAYS}class B:\n{PLAYS}"


def module_of(code: str) -> ModuleType:
    module = ModuleType("mine")
    exec(code, vars(module))  # noqa: S102 - ours
    return module


@pytest.mark.parametrize(("more", "kind"), [("strategy = B()", "B"), ("strategy = A\ndel B", "A")])
def test_a_variable_named_strategy_plays_unless_it_is_a_class(more: str, kind: str) -> None:
    assert type(inside.make(module_of(TWO + more), None)).__name__ == kind


@pytest.mark.parametrize(
    ("shown", "more", "name"),
    [
        ("", "", "A()"),
        ("", "strategy = A()", "A object"),
        ("<A object at 0x7f00aa11bb22>" + "x" * 300, "", "<A object>"),
    ],
)
def test_a_strategy_has_a_name_and_draws_by_the_seed_of_its_game(
    shown: str, more: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"class A:\n    def __str__(self): return {shown!r}\n" if shown else "class A:\n"
    code += "    def first_move(self): return random.random(), numpy.random.random()\n    next_move = None\n"
    module = module_of(f"import random, numpy\n{code}{more}")
    monkeypatch.setattr(inside.importlib, "import_module", lambda name: {"strategies.mine": module}[name])
    games, seed = inside.Games({"main": "mine.py", "maker": None, "files": {}}), 2**40 + 7
    assert (games.name.rstrip("x"), len(games.name) <= 300, games.ours) == (name, True, False)
    expected = random.Random(seed).random(), np.random.RandomState(7).random()
    kept = random.getstate(), np.random.get_state()
    assert games.move("first", [seed]) == games.move("first", [seed]) == expected
    random.setstate(kept[0])
    np.random.set_state(kept[1])


# When a request leaves the referee: on a grid of time, so that its time tells nothing of the noise, and never late.


@pytest.fixture
def pipe() -> Iterator[host.Pipe]:
    made = host.Pipe(host.Printed(None))
    yield made
    made.close()


def test_a_reply_leaves_on_the_grid(pipe: host.Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock of the test's own, whatever the work before took."""
    tick, heard, grid = 7, 10**15 + 123, 60_000
    now, sent = 0, []

    def clock() -> int:
        nonlocal now
        now += tick
        return now

    monkeypatch.setattr(host, "perf_counter_ns", clock)
    monkeypatch.setattr(pipe, "send", lambda line: sent.append((line, now)))
    for work in (0, 1, grid // 2, grid - 10 * tick, grid, 3 * grid + 1):
        pipe._heard, now = heard, heard + work
        pipe.send_on_grid(b"reply")
        line, left = sent.pop()
        assert line == b"reply"
        assert (left - heard) % grid <= tick
        assert work <= left - heard <= work + grid + tick
        assert left > heard


def test_a_contestant_that_does_not_read_cannot_keep_the_referee_waiting(pipe: host.Pipe) -> None:
    own_ends = pipe._requests, pipe._replies, pipe._stderr
    assert not any(map(os.get_blocking, own_ends))
    os.write(pipe._requests, bytes(1 << 16))  # all that the pipe holds
    with pytest.raises(host.ProtocolError, match="does not read"):
        pipe.send(b"request\n")


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (b"", None),
        (b'["ask"', None),
        (b"x" * 2047 + b"\n", b"x" * 2047),
        (b"x" * 2048 + b"\n", "a line of more than 2048 bytes"),
        (b"x" * 2048, "a line of more than 2048 bytes"),
        (b"a\nb", "a message that it was not asked for"),
    ],
)
def test_one_line_of_bounded_length_is_read(sent: bytes, read: bytes | str | None, pipe: host.Pipe) -> None:
    os.write(pipe.given[1], sent)
    if isinstance(read, str):
        with pytest.raises(host.ProtocolError, match=read):
            pipe.wait(0.0)
        return
    assert pipe.wait(0.0) == read
    if sent and read is None:
        with pytest.raises(host.ProtocolError, match="not asked for"):
            pipe.check_silence()
        os.write(pipe.given[1], b"]\n")
        assert pipe.wait(0.0) == sent + b"]"
    pipe.check_silence()
    os.write(pipe.given[1], b"more\n")
    with pytest.raises(host.ProtocolError, match="not asked for"):
        pipe.check_silence()


def test_a_wait_has_an_end_and_hears_the_last_words(pipe: host.Pipe) -> None:
    asked, ended = [], -7
    ready = [pipe._replies, ended]
    pipe._alive, pipe._poll = ended, Mock(poll=lambda given: asked.append(given) or [(end, 1) for end in ready])
    os.write(pipe.given[1], b"last\n")
    assert pipe.wait(0.0501) == b"last"
    ready.remove(pipe._replies)
    with pytest.raises(host.HungUpError):
        pipe.wait(-1.0)
    assert asked == [51, 0], "milliseconds; below 0 it would wait for ever"


# A contestant of mocks: what is asked of its pipe and of the watch over it, and in which order.


def contestant_of(limits: Limits, ranked: bool = True) -> tuple[host.ContestantProcess, Mock]:
    made, parts = object.__new__(host.ContestantProcess), Mock()
    made._process, made._pipe, made.usage = parts.process, parts.pipe, parts.usage
    made._limits, made._launcher, made._turn, made._left = limits, Mock(ranked=ranked), 1, 0.5
    parts.usage.due = 1.0
    parts.usage.spent.return_value = 3.0
    return made, parts


@pytest.mark.parametrize(("ranked", "send"), [(True, "pipe.send_on_grid"), (False, "pipe.send")])
def test_what_a_contestant_can_draw_out_is_done_before_the_time_of_its_move_is_noted(
    ranked: bool, send: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attacks have the time of a move and of a game."""
    contestant, parts = contestant_of(Limits(), ranked)
    monkeypatch.setattr(contestant, "_wait", lambda *limit: Reply("ask", 2, ("crate", 1.0)))
    for due, look in ((1.0, "usage.check_memory"), (-0.1, "usage.look")):
        parts.usage.due = due
        assert contestant.exchange("next", "crate", 1.0, "..i..") == Ask("crate", 1.0)
        turn = ["pipe.check_silence", send, "usage.begin_turn", look, "usage.spent", "pipe.heard"]
        assert [one[0] for one in parts.mock_calls] == turn
        parts.reset_mock()


def test_nothing_of_a_contestant_runs_before_it_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    contestant, parts = contestant_of(Limits())
    parts.process.take_hold.return_value = ([8, 9], "/scratch")
    replies = [Reply("up", 0, ()), Reply("ready", 1, ("Mine()", True))]
    monkeypatch.setattr(contestant, "_wait", lambda *limit, **more: replies.pop(0))
    contestant._start()
    held, sent = call.usage.hold([8, 9], "/scratch"), call.pipe.send(b'["start", 1]\n')
    assert parts.mock_calls == [call.process.take_hold(), held, sent]


def test_a_reply_is_one_to_the_last_question_and_the_cpu_time_is_told_whatever_it_is() -> None:
    contestant, parts = contestant_of(Limits())
    contestant._turn, parts.usage.spent.return_value = 5, 0.0
    parts.pipe.wait.side_effect = [f'["ask", {turn}, "crate", 9.0]'.encode() for turn in (5, 4, 6)]
    assert contestant._wait(1.0, "").values == ("crate", 9.0)
    for _ in range(2):
        with pytest.raises(host.ProtocolError, match="another question"):
            contestant._wait(1.0, "")
    parts.usage.look.side_effect, parts.usage.game_cpu = ForfeitError(Verdict.TIMEOUT, "too slow"), 1.5
    assert contestant.game_cpu() == 1.5 and parts.usage.look.called


@pytest.mark.parametrize(("due", "waits"), [(0.03, 0.03), (0.9, 0.6)])
def test_a_reply_that_does_not_come_is_waited_for_until_its_time_is_up(due: float, waits: float) -> None:
    contestant, parts = contestant_of(Limits())
    parts.usage.due, parts.usage.spent.side_effect, parts.pipe.wait.return_value = due, [0.4, 0.4, 1.0, 1.0], None
    contestant.wanted = lambda: False
    with pytest.raises(ForfeitError) as forfeit:
        contestant._wait(1.0, "too slow")
    assert (forfeit.value.verdict, forfeit.value.reason) == (Verdict.TIMEOUT, "too slow")
    assert parts.pipe.wait.call_args_list == [call(pytest.approx(waits))] and parts.usage.look.call_count == 1
    with pytest.raises(host.NotWantedError):
        contestant._wait(1.0, "", starting=True)
