"""The worker: what it refuses, under which name it enters, and what it leaves in the queue when it is stopped."""

import sqlite3
from typing import Any

import pytest

from tests.support.helpers import ASKS_ONCE, ORIGINAL
from wordpl import Setting
from wordpl.contest import Credit, Entry, Ledger, Queue, audit_ledger, sandbox
from wordpl.contest.run.entry_run import RunBudget
from wordpl.contest.uploads import scoring_worker
from wordpl.contest.uploads.queue import Item
from wordpl.contest.uploads.scoring_worker import score_next

SETTING = Setting(ORIGINAL)


def scored(queue: Queue, token: str, content: bytes = ASKS_ONCE, **more: Any) -> Item:
    """An upload after a worker has done its work."""
    item = queue.enqueue(token, "mine.py", content, **more)
    assert score_next(queue, SETTING, sandbox.find())
    assert queue.claim() is None
    return queue.item(item.id)


@pytest.fixture
def unplayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends each run before its first game, for what does not depend on one."""

    def end(ledger: Ledger, entry: Entry, *_: object, **__: object) -> Entry:
        return ledger.finish(entry, 0, ended="at start: TIMEOUT")

    monkeypatch.setattr(scoring_worker, "play_entry", end)


@pytest.mark.usefixtures("short_runs")
def test_an_upload_is_checked_scored_and_ranked_and_the_same_files_are_not_again(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not score_next(queue, SETTING, sandbox.find())
    credit = Credit("Ann A.", "https://example.org", True)
    item = scored(queue, queue.tokens.make("Ann"), credit=credit, nonce="mine")
    assert (item.state, item.reason, item.games) == ("done", "", 20) and item.entry is not None
    assert all(finding.passed for finding in item.findings) and item.findings[0].check == "starts"
    entry = queue.ledger.entry(item.entry)
    assert (entry.name, entry.author, entry.link, entry.nonce) == ("Ann", "Ann A.", "https://example.org", "mine")
    assert entry.state == "finished" and entry.board.is_contest
    monkeypatch.setattr("wordpl.contest.uploads.queue.now", lambda: "2999-01-01T00:00:00+00:00")
    again = scored(queue, queue.tokens.make("Bob"))
    assert (again.state, again.entry) == ("done", item.entry)
    assert again.reason == "these files were entered before, as 'Ann'; that entry stands"
    with Ledger(queue.ledger.path, read_only=True) as ledger:
        assert audit_ledger(ledger) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"class Nothing: ...\n", "the check failed at 'starts'"),
        (ASKS_ONCE.replace(b'"crate", 20.0', b'"zzzzz", 20.0'), "the check failed at 'plays legal moves"),
        (b"import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos._exit(1)\n", "the check failed at 'starts'"),
    ],
)
def test_what_fails_its_check_is_refused_and_its_author_reads_why(content: bytes, said: str, queue: Queue) -> None:
    item = scored(queue, queue.tokens.make("Ann"), content)
    assert item.state == "refused" and item.reason.startswith(said)
    assert not all(finding.passed for finding in item.findings)
    assert queue.ledger.entries() == []


@pytest.mark.usefixtures("unplayed")
@pytest.mark.parametrize(("end", "times"), [(KeyboardInterrupt, 7), (sqlite3.OperationalError, 7), (RuntimeError, 5)])
def test_a_stop_or_a_full_disk_leaves_the_upload_to_the_next_worker_and_a_defect_not_for_ever(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, end: type[BaseException], times: int
) -> None:
    item = queue.enqueue(queue.tokens.make("Ann"), "mine.py", ASKS_ONCE)

    def stopped(*_: object, **__: object) -> None:
        raise end

    with monkeypatch.context() as patch:
        patch.setattr(scoring_worker, "play_entry", stopped)
        for _ in range(times):
            with pytest.raises(end):
                score_next(queue, SETTING, sandbox.find())
        assert queue.item(item.id).state == "scoring"
    assert score_next(queue, SETTING, sandbox.find()) == (times > 5)
    assert queue.item(item.id).state == ("done" if times > 5 else "refused")
    assert "given up" in queue.item(item.id).reason or times > 5
    assert len(queue.ledger.entries()) == 1


def test_a_run_whose_time_is_up_is_resumed_once_behind_what_waits(queue: Queue) -> None:
    token, budget = queue.tokens.make("Ann"), RunBudget(seconds=1e-9)
    slow = queue.enqueue(token, "slow.py", ASKS_ONCE)
    assert score_next(queue, SETTING, sandbox.find(), budget)
    paused = queue.item(slow.id)
    assert (paused.state, paused.games) == ("scoring", 1) and "resumed once" in paused.reason
    after = queue.enqueue(token, "after.py", b"class Nothing: ...\n")
    assert score_next(queue, SETTING, sandbox.find(), budget)
    assert queue.item(after.id).state == "refused" and queue.item(slow.id) == paused
    assert score_next(queue, SETTING, sandbox.find(), budget)
    over = queue.item(slow.id)
    assert (over.state, over.games) == ("done", 2) and "it has no rank" in over.reason and "twice" in over.reason
    assert over.entry is not None and queue.ledger.entry(over.entry).state == "ended"
    assert not score_next(queue, SETTING, sandbox.find(), budget)
    with Ledger(queue.ledger.path, read_only=True) as found:
        assert audit_ledger(found) == []


def test_an_upload_that_sleeps_longer_than_a_game_may_is_refused(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring_worker, "CHECK_GAMES", 1)
    sleeps = b"import time\nclass Mine:\n    next_move = None\n    def first_move(self):\n        time.sleep(30)\n"
    item = queue.enqueue(queue.tokens.make("Ann"), "mine.py", sleeps)
    assert score_next(queue, SETTING, sandbox.find(), RunBudget(game_seconds=0.2))
    over = queue.item(item.id)
    assert over.state == "refused" and "0.2 s" in over.reason


def test_a_contest_that_is_closed_meanwhile_refuses_what_waits(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    token = queue.tokens.make("Ann")
    begun = queue.enqueue(token, "begun.py", ASKS_ONCE)
    assert score_next(queue, SETTING, sandbox.find(), RunBudget(seconds=1e-9))
    with monkeypatch.context() as patch:
        patch.setattr("wordpl.contest.run.entry_run.ENGINE_VERSION", 0)
        assert score_next(queue, SETTING, sandbox.find())
    assert queue.item(begun.id).state == "refused" and "by engine" in queue.ledger.entries()[0].reason
    item = queue.enqueue(token, "mine.py", ASKS_ONCE + b"#")
    queue.ledger.close_contest()
    score_next(queue, SETTING, sandbox.find())
    assert queue.item(item.id).state == "refused" and "this contest is closed" in queue.item(item.id).reason
