"""Tokens and the queue: bounds that hold for all processes at once, claims that end with their process."""

import hashlib
import multiprocessing
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.support.ledgers import enter, trials
from tests.support.refusals import refusal
from wordpl.contest.uploads import queue as queue_module
from wordpl.contest.uploads.queue import ATTEMPTS, PER_DAY, Queue, QuotaError, Tokens

UPLOAD = "mine.py", b"x = 1\n"
# Processes as new as with "spawn", but the modules are imported once for all of them.
spawn = multiprocessing.get_context("forkserver")
spawn.set_forkserver_preload([__name__])


@pytest.fixture
def tokens(queue: Queue) -> Tokens:
    return queue.tokens


# Tokens: shown once, kept as a hash, one for a name, refused when revoked.


def test_a_token_is_its_name_s_and_is_nowhere_in_the_file(tokens: Tokens) -> None:
    one, other = tokens.make("Ann"), tokens.make("Bob", 7)
    assert one != other and len(one) > 40
    assert [(t.name, t.per_day, t.revoked) for t in tokens.all()] == [("Ann", PER_DAY, None), ("Bob", 7, None)]
    assert tokens.find(one).name == "Ann" and tokens.find(other).name == "Bob"
    kept = tokens._ledger.path.read_bytes()
    assert one.encode() not in kept and one.removeprefix("wordpl-").encode() not in kept
    assert hashlib.sha256(one.encode()).hexdigest().encode() in kept


def test_revoking_refuses_what_waits(queue: Queue) -> None:
    hers, his = (queue.enqueue(queue.tokens.make(name), *UPLOAD) for name in ("Ann", "Bob"))
    queue.tokens.revoke("Ann")
    assert (queue.item(hers.id).state, queue.item(his.id).state) == ("refused", "waiting")
    assert queue.item(hers.id).reason == "its token was revoked"
    assert "not kept" in refusal(queue.content, hers)


@pytest.mark.parametrize(("name", "per_day"), [("", 3), ("<b>", 3), ("x" * 61, 3), ("Ann", 0), ("Ann", 1001)])
def test_what_is_not_allowed_makes_no_token(name: str, per_day: int, tokens: Tokens) -> None:
    assert "is not allowed" in refusal(tokens.make, name, per_day)
    assert tokens.all() == []


def test_a_quota_is_of_a_token_and_a_day(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bob = queue.tokens.make("Ann", 2), queue.tokens.make("Bob", 1)
    time = "2026-11-21T23:59:59+00:00"
    monkeypatch.setattr(queue_module, "now", lambda: time)
    queue.enqueue(ann, *UPLOAD)
    queue.refuse(queue.enqueue(ann, *UPLOAD), "it counts, for it was checked")
    with pytest.raises(QuotaError, match="allows 2 uploads a day"):
        queue.enqueue(ann, *UPLOAD)
    queue.enqueue(bob, *UPLOAD)
    time = "2026-11-22T00:00:00+00:00"
    queue.enqueue(ann, *UPLOAD)
    assert (queue.tokens.find(ann).uploads, queue.tokens.find(ann).today) == (3, 1)


def test_attempts_count_from_the_last_game_and_a_stop_is_none(queue: Queue) -> None:
    item = queue.enqueue(queue.tokens.make("Ann"), *UPLOAD)
    entry = enter(queue.ledger)
    queue.report(item, "scoring", entry=entry.key, findings=[], games=0)
    for game in range(-2 * ATTEMPTS, 2 * ATTEMPTS):
        found = queue.claim()
        assert found is not None
        if game >= 0:  # each of these workers gets one game further before it is lost
            queue.ledger.add(entry, trials([game]))
        queue.release(found, blameless=game < 0)
    for _ in range(ATTEMPTS):
        found = queue.claim()
        assert found is not None
        queue.release(found)
    assert queue.claim() is None and queue.item(item.id).state == "refused"
    ended = queue.ledger.entry(entry.id)
    assert ended.state == "ended" and "given up" in ended.reason and ended.trials == 2 * ATTEMPTS


def _upload_and_work(path: Path, token: str, both: Any, told: Any) -> None:
    with Queue(path) as queue:
        both.wait()
        for _ in range(10):
            try:
                queue.enqueue(token, *UPLOAD)
            except QuotaError:
                told.put("refused")
        both.wait()
        while (item := queue.claim()) is not None:
            queue.report(item, "checking")
            told.put(item.id)
            queue.report(item, "done")
            queue.release(item)


@pytest.mark.heavy
def test_four_at_once_keep_the_quota_and_do_each_upload_once(queue: Queue) -> None:
    token, both, told = queue.tokens.make("Ann", 27), spawn.Barrier(4), spawn.Queue()
    four = [spawn.Process(target=_upload_and_work, args=(queue.ledger.path, token, both, told)) for _ in range(4)]
    for process in four:
        process.start()
    found = Counter(told.get(timeout=120) for _ in range(13 + 27))
    for process in four:
        process.join()
    items = queue.items()
    assert told.empty() and found == {"refused": 13, **dict.fromkeys((item.id for item in items), 1)}
    assert [item.state for item in items] == ["done"] * 27


# A model of it: whatever servers and workers do, in any order.


class Machine(RuleBasedStateMachine):
    """Two servers and two workers on one file, against a plain list."""

    _number = 0

    @initialize()
    def begin(self) -> None:
        Machine._number += 1
        self.path = Path(os.environ["WORDPL_CACHE"]).parent / f"queue-{Machine._number}.sqlite"
        self.path.unlink(missing_ok=True)
        self.queues = [Queue(self.path), Queue(self.path)]
        self.token = self.queues[0].tokens.make("Ann", 12)
        self.states: dict[str, str] = {}
        self.held: dict[str, int] = {}
        self.attempts: Counter[str] = Counter()

    def teardown(self) -> None:
        for queue in self.queues:
            queue.close()

    @rule(server=st.integers(0, 1))
    def upload(self, server: int) -> None:
        try:
            self.states[self.queues[server].enqueue(self.token, *UPLOAD).id] = "waiting"
            assert len(self.states) <= 12
        except QuotaError:
            assert len(self.states) == 12

    @rule(worker=st.integers(0, 1))
    def claim(self, worker: int) -> None:
        item = self.queues[worker].claim()
        free = [i for i, state in self.states.items() if state in ("waiting", "checking") and i not in self.held]
        free.sort(key=lambda i: self.attempts[i] > 0)
        while free and self.attempts[free[0]] == ATTEMPTS:
            self.states[free.pop(0)] = "refused"
        assert (item.id if item else None) == (free[0] if free else None)
        if item:
            self.held[item.id] = worker
            self.attempts[item.id] += 1

    @precondition(lambda self: self.held)
    @rule(which=st.integers(0, 11), end=st.sampled_from(["check", "done", "refuse", "release", "stop"]))
    def go_on(self, which: int, end: str) -> None:
        identity = list(self.held)[which % len(self.held)]
        queue = self.queues[self.held[identity]]
        item = queue.item(identity)
        if end == "check":
            queue.report(item, "checking", games=1)
            self.states[identity] = "checking"
            return
        if end == "done":
            queue.report(item, "done")
            self.states[identity] = "done"
        elif end == "refuse":
            queue.refuse(item, "no")
            self.states[identity] = "refused"
        queue.release(item, blameless=end == "stop")
        if end == "stop":
            self.attempts[identity] = 0
        del self.held[identity]

    @rule(worker=st.integers(0, 1))
    def restart(self, worker: int) -> None:
        for identity, holder in self.held.items():
            if holder == worker:
                self.queues[worker].release(self.queues[worker].item(identity), blameless=True)
                self.attempts[identity] = 0
        self.queues[worker].close()
        self.queues[worker] = Queue(self.path)
        self.held = {identity: holder for identity, holder in self.held.items() if holder != worker}

    @invariant()
    def all_see_the_same(self) -> None:
        if hasattr(self, "states"):
            for queue in self.queues:
                assert {item.id: item.state for item in queue.items()} == self.states


Machine.TestCase.settings = settings(max_examples=30, stateful_step_count=30)
TestMachine = pytest.mark.heavy(Machine.TestCase)
