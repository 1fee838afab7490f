"""When a reply leaves the referee: on a grid of time, so that its time tells nothing of the noise."""

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
