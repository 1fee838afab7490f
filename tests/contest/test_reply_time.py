"""When a request leaves the referee: on a grid of time, so that its time tells nothing of the noise, and never late."""

import os
import signal
from collections.abc import Iterator
from unittest.mock import Mock, call

import pytest

from tests.support.refusals import refusal
from wordpl.contest import contestant as host
from wordpl.contest.inside import Reply
from wordpl.contest.limits import Limits
from wordpl.play.moves import Answer, Ask
from wordpl.play.referee import ForfeitError, Verdict


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
    pipe.close()
    for end in (*own_ends, *pipe.given):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(end)


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


def test_a_stderr_that_is_closed_wakes_nobody(pipe: host.Pipe) -> None:
    """Else a wait for a reply would spin."""
    os.write(pipe.given[2], b"last words")
    with open(os.devnull, "wb") as other:
        os.dup2(other.fileno(), pipe.given[2])
    pipe.drain()
    assert pipe._printed.kept == b"last words" and pipe._poll.poll(0) == []


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


def test_of_what_is_printed_the_last_bytes_are_kept() -> None:
    chunks: list[bytes] = []
    printed = host.Printed(chunks.append)
    for chunk in (b"a" * 3000, b"\tb\x1b\xff\n"):
        printed.take(chunk)
    assert (printed.count, len(printed.kept), len(chunks)) == (3005, 2048, 2)
    assert printed.text.endswith("aaa b??\n")


# A contestant of mocks: what is asked of its pipe and of the watch over it, and in which order.


def contestant_of(limits: Limits, ranked: bool = True) -> tuple[host.ContestantProcess, Mock]:
    made, parts = object.__new__(host.ContestantProcess), Mock()
    made._process, made._pipe, made.usage = parts.process, parts.pipe, parts.usage
    made._limits, made._launcher, made._turn, made._left = limits, Mock(ranked=ranked), 1, 0.5
    made.printed = host.Printed(None)
    made.printed.kept = b"of the game before"
    parts.usage.due = 1.0
    parts.usage.spent.return_value = 3.0
    return made, parts


@pytest.mark.parametrize(("ranked", "send"), [(True, "pipe.send_on_grid"), (False, "pipe.send")])
def test_a_move_and_a_game_have_their_time(ranked: bool, send: str, monkeypatch: pytest.MonkeyPatch) -> None:
    contestant, parts = contestant_of(Limits(game_seconds=8.0, move_seconds=4.0), ranked)
    told: list[tuple[float, str]] = []
    replies = [Reply("pair", 2, ("crate", 1.0)), Reply("ask", 3, ("crate", 1.0)), Reply("answer", 4, ("crate",))]
    monkeypatch.setattr(contestant, "_wait", lambda *limit: told.append(limit) or replies[len(told) - 1])
    assert contestant.exchange("first", 7) == ("crate", 1.0)
    assert contestant.printed.kept == b""
    begun = ["usage.begin_game", "pipe.drain"]
    turn = ["pipe.check_silence", send, "usage.begin_turn", "usage.check_memory", "usage.spent", "pipe.heard"]
    assert [one[0] for one in parts.mock_calls] == begun + turn
    parts.reset_mock()
    parts.usage.due = -0.1
    assert contestant.exchange("next", "crate", 1.0, "..i..") == Ask("crate", 1.0)
    turn[3] = "usage.look"
    assert [one[0] for one in parts.mock_calls] == turn
    assert parts.mock_calls[1].args == (b'["next", 3, "crate", 1.0, "..i.."]\n',)
    assert contestant.exchange("next") == Answer("crate")
    per_move = "thought for more than 4 s a move"
    assert told == [(4.0, per_move), (4.0, per_move), (2.0, "thought for more than 8 s")]
    contestant._limits = Limits(game_seconds=8.0, move_seconds=8.0)
    replies.append(replies[0])
    contestant.exchange("first", 7)
    assert told[-1] == (8.0, "thought for more than 8 s")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("invalid", "no move"), ("crash", "an error"), ("memory", "no more"),
     ("protocol", "sent ready where a move was asked for")],
)  # fmt: skip
def test_what_is_no_move_ends_the_game(kind: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the process, but for an illegal move."""
    contestant, parts = contestant_of(Limits())
    reply = Reply("ready", 2, ("x", True)) if kind == "protocol" else Reply(kind, 2, (reason,))
    monkeypatch.setattr(contestant, "_wait", lambda seconds, limit: reply)
    with pytest.raises(ForfeitError) as forfeit:
        contestant.exchange("first", 7)
    assert (str(forfeit.value.verdict), forfeit.value.reason) == (kind.upper(), reason)
    assert parts.process.stop.called == (kind != "invalid")
    if kind != "invalid":
        with pytest.raises(ForfeitError, match="the contestant has ended"):
            contestant.exchange("next")


def test_a_start_begins_once_the_program_inside_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    contestant, parts = contestant_of(Limits())
    parts.process.take_hold.return_value = ([8, 9], "/scratch")
    told, up = [], Reply("up", 0, ())
    replies = [up, Reply("ready", 1, ("Mine()", True)), up, Reply("up", 1, ())]
    monkeypatch.setattr(contestant, "_wait", lambda *limit, **more: told.append((*limit, more)) or replies.pop(0))
    contestant._start()
    assert (contestant.name, contestant.interface) == ("Mine()", "wordpl")
    assert told == [(600.0, "took more than 600 s to start", {"starting": True})] * 2
    held, sent = call.usage.hold([8, 9], "/scratch"), call.pipe.send(b'["start", 1]\n')
    assert parts.mock_calls == [call.process.take_hold(), held, sent], "nothing of it runs before it is held"
    with pytest.raises(host.ProtocolError, match="sent up where"):
        contestant._start()
    monkeypatch.setattr(contestant, "_wait", Mock(side_effect=host.HungUpError))
    for printed, said in ((b"", "it ended at once"), (b"one\nbwrap: no\n", "bwrap: no")):
        contestant.printed.kept = printed
        assert refusal(contestant._start) == f"this machine could not start the sandbox: {said}"


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


@pytest.mark.parametrize(
    ("status", "verdict", "reason"),
    [
        (None, "CRASH", "closed its connection to the referee"),
        *((status, "TIMEOUT", "used up all its CPU time") for status in (-signal.SIGXCPU, 128 + signal.SIGXCPU)),
        (-signal.SIGSYS, "CRASH", "died of SIGSYS"),
        (128 + signal.SIGKILL, "CRASH", "died of SIGKILL"),
        (3, "CRASH", "exited with status 3"),
        (3, "MEMORY", "used too much"),
    ],
)
def test_of_what_a_contestant_has_died(status: int | None, verdict: str, reason: str) -> None:
    contestant, parts = contestant_of(Limits())
    parts.process.status.return_value = status
    if verdict == "MEMORY":
        parts.usage.check_memory.side_effect = ForfeitError(Verdict.MEMORY, reason)
    with pytest.raises(ForfeitError) as forfeit:
        contestant._raise_verdict_on_the_dead()
    assert (str(forfeit.value.verdict), forfeit.value.reason) == (verdict, reason)
