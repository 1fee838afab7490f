"""Threads for numeric work: bounded, and never waited for at the end."""

import asyncio
import threading

import pytest

from tests.web.conftest import in_loop
from wordpl.web.pool import Pool
from wordpl.web.problems import BusyError


@in_loop
async def test_a_client_that_goes_away_makes_no_room_while_its_work_goes_on():
    pool, gate, begun = Pool(1, 0), threading.Event(), threading.Event()

    def work():
        begun.set()
        gate.wait(60)

    task = asyncio.create_task(pool.run(work))
    await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(BusyError):
        await pool.run(int)
    gate.set()
    while True:
        try:
            assert await pool.run(int) == 0
            break
        except BusyError:
            await asyncio.sleep(0.01)
    pool.close()


@in_loop
async def test_work_that_waits_is_not_done_for_a_client_that_went_away():
    pool, gate, done = Pool(1, 2), threading.Event(), []
    first = asyncio.create_task(pool.run(gate.wait, 60))
    second = asyncio.create_task(pool.run(done.append, 1))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    gate.set()
    await first
    assert await pool.run(len, done) == 0
    pool.close()


@in_loop
async def test_closing_waits_for_nothing_and_what_waited_is_let_go():
    pool, gate, begun = Pool(1, 2), threading.Event(), threading.Event()

    def work():
        begun.set()
        return gate.wait(60)

    tasks = [asyncio.create_task(pool.run(work)) for _ in range(2)]
    await asyncio.to_thread(begun.wait, 60)
    pool.close()
    with pytest.raises(asyncio.CancelledError):
        await tasks[1]
    assert not tasks[0].done()
    gate.set()
    assert await tasks[0]
