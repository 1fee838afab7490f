"""Threads for numeric work: bounded, and never waited for at the end."""

import asyncio
import threading

import pytest

from tests.web.conftest import in_loop
from wordpl.web.pool import Pool
from wordpl.web.problems import BusyError, FieldError


@in_loop
async def test_a_client_that_goes_away_makes_no_room_while_its_work_goes_on():
    pool, gate, begun = Pool(1, 0), threading.Event(), threading.Event()

    def work():
        begun.set()
        gate.wait(60)

    task = asyncio.create_task(pool.run("a", work))
    await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(BusyError):
        await pool.run("a", int)
    gate.set()
    while True:
        try:
            assert await pool.run("a", int) == 0
            break
        except BusyError:
            await asyncio.sleep(0.01)
    pool.close()


@in_loop
async def test_work_that_waits_is_not_done_for_a_client_that_went_away():
    pool, gate, done = Pool(1, 2), threading.Event(), []
    first = asyncio.create_task(pool.run("a", gate.wait, 60))
    second = asyncio.create_task(pool.run("a", done.append, 1))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    gate.set()
    await first
    assert await pool.run("a", len, done) == 0
    pool.close()


@in_loop
async def test_a_client_has_at_most_so_many_calls_in_hand_and_others_as_many():
    pool, gate = Pool(1, 3, 2), threading.Event()
    held = [asyncio.create_task(pool.run("a", gate.wait, 60)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(FieldError, match="You have 2 long requests in hand; wait") as refused:
        await pool.run("a", int)
    assert refused.value.status == 429 and refused.value.headers
    held += [asyncio.create_task(pool.run("b", gate.wait, 60)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(BusyError):
        await pool.run("c", int)
    gate.set()
    await asyncio.gather(*held)
    assert [await pool.run(client, int) for client in "aabbc"] == [0] * 5
    assert not pool._in_hand, "clients that have nothing in hand are kept in mind"
    pool.close()
