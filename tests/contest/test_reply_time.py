"""When a request leaves the referee: on a grid of time, so that its time tells nothing of the noise, and never late."""

import os
from unittest.mock import Mock

import pytest

from wordpl.contest import contestant as host


def test_a_reply_leaves_on_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock of the test's own, whatever the work before took."""
    tick, heard, grid = 7, 10**15 + 123, host._GRID
    now, sent = 0, []

    def clock() -> int:
        nonlocal now
        now += tick
        return now

    pipe = host.Pipe(host.Printed(None))
    try:
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
    finally:
        pipe.close()


@pytest.mark.parametrize("turn", [4, 5, 6])
def test_a_reply_is_one_to_the_last_question(turn: int) -> None:
    contestant = object.__new__(host.ContestantProcess)
    contestant._turn, contestant.usage = 5, Mock(due=1.0, spent=lambda: 0.0)
    contestant._pipe = Mock(wait=lambda seconds: f'["ask", {turn}, "crate", 9.0]'.encode())
    if turn == 5:
        assert contestant._wait(1.0, "").values == ("crate", 9.0)
    else:
        with pytest.raises(host.ProtocolError, match="another question"):
            contestant._wait(1.0, "")


def test_a_contestant_that_does_not_read_cannot_keep_the_referee_waiting() -> None:
    pipe = host.Pipe(host.Printed(None))
    own_ends = pipe._requests, pipe._replies, pipe._stderr
    try:
        assert not any(map(os.get_blocking, own_ends))
        os.write(pipe._requests, bytes(1 << 16))  # all that the pipe holds
        with pytest.raises(host.ProtocolError, match="does not read"):
            pipe.send(b"request\n")
    finally:
        pipe.close()
    for end in (*own_ends, *pipe.given):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(end)
