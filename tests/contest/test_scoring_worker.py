"""The worker: what it refuses, under which name it enters, and what it leaves in the queue when it is stopped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contest.test_ledger import enter, submission
from tests.helpers import ASKS_ONCE, ORIGINAL
from wordpl.contest import sandbox, scoring_worker
from wordpl.contest.audit_chain import audit_chain
from wordpl.contest.credit import Credit, read_source
from wordpl.contest.entries import Entry
from wordpl.contest.ledger import Ledger
from wordpl.contest.queue import Item, Queue, Upload
from wordpl.contest.sanitizing import LONGEST_NAME
from wordpl.contest.scoring import OutOfTimeError
from wordpl.contest.scoring_worker import MOST_CHECK_GAMES, score_next
from wordpl.errors import WordplError
from wordpl.play.strategy import Setting

SETTING = Setting(ORIGINAL)


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    with Queue(tmp_path / "contest.sqlite") as found:
        yield found


def scored(queue: Queue, token: str, content: bytes = ASKS_ONCE, **more: Any) -> Item:
    """An upload after a worker has done its work."""
    item = queue.enqueue(token, Upload("mine.py", content, **more))
    assert score_next(queue, SETTING, sandbox.find())
    assert queue.claim() is None
    return queue.item(item.id)


def test_an_upload_is_checked_scored_and_ranked(queue: Queue) -> None:
    assert not score_next(queue, SETTING, sandbox.find())
    credit = Credit("Ann A.", "https://example.org", True)
    item = scored(queue, queue.make_token("Ann"), credit=credit, nonce="mine")
    assert (item.state, item.reason, item.games) == ("done", "", 1001) and item.entry is not None
    assert all(finding.passed for finding in item.findings) and item.findings[0].check == "starts"
    entry = queue.by_key(item.entry)
    assert (entry.name, entry.author, entry.link, entry.nonce) == ("Ann", "Ann A.", "https://example.org", "mine")
    assert read_source(entry.source, entry.files) == {"mine.py": ASKS_ONCE.decode()}
    assert entry.state == "finished" and entry.board.is_contest
    with Ledger(queue.path, read_only=True) as found:
        assert audit_chain(found) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"class Nothing: ...\n", "the check failed at 'starts'"),
        (b"import wrong(\n", "the check failed at 'starts'"),
        (ASKS_ONCE.replace(b'"crate", 20.0', b'"zzzzz", 20.0'), "the check failed at 'plays legal moves"),
        (b"import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos._exit(1)\n", "the check failed at 'starts'"),
    ],
)
def test_what_fails_its_check_is_refused_and_its_author_reads_why(content: bytes, said: str, queue: Queue) -> None:
    item = scored(queue, queue.make_token("Ann"), content)
    assert item.state == "refused" and item.reason.startswith(said)
    assert not all(finding.passed for finding in item.findings)
    assert queue.entries() == []


def test_further_strategies_of_a_name_are_numbered(queue: Queue) -> None:
    long = "N" * LONGEST_NAME
    enter(queue, "Ann")
    enter(queue, long, submission=submission("x = 2\n"))
    for name, expected in (("Ann", "Ann 2"), (long, f"{'N' * (LONGEST_NAME - 2)} 2")):
        item = scored(queue, queue.make_token(name), ASKS_ONCE + name.encode().join([b"#", b"\n"]))
        assert item.entry is not None and queue.by_key(item.entry).name == expected
    assert [entry.state for entry in queue.entries()] == ["running", "running", "finished", "finished"]


def test_the_same_files_again_are_the_entry_that_is_there(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    first = scored(queue, queue.make_token("Ann"))
    monkeypatch.setattr("wordpl.contest.queue.now", lambda: "2999-01-01T00:00:00+00:00")
    again = scored(queue, queue.make_token("Bob"))
    assert (again.state, again.entry) == ("done", first.entry)
    assert again.reason == "these files were entered before, as 'Ann'; that entry stands"


def test_a_run_that_ends_without_a_rank_says_so(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(ledger: Ledger, entry: Entry, *_: object, **__: object) -> Entry:
        return ledger.finish(entry, 0, ended="at start: TIMEOUT")

    monkeypatch.setattr(scoring_worker, "play_entry", ended)
    item = scored(queue, queue.make_token("Ann"))
    assert (item.state, item.reason) == ("done", "it has no rank: at start: TIMEOUT")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OutOfTimeError("stopped after 1 s")])
def test_a_stop_leaves_the_upload_to_the_next_worker(
    stop: BaseException | type[BaseException], queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = queue.make_token("Ann")
    item = queue.enqueue(token, Upload("mine.py", ASKS_ONCE))

    def stopped(*_: object, **__: object) -> None:
        raise stop

    with monkeypatch.context() as patch:
        patch.setattr(scoring_worker, "play_entry", stopped)
        for _ in range(20):
            if isinstance(stop, WordplError):
                assert score_next(queue, SETTING, sandbox.find())
            else:
                with pytest.raises(KeyboardInterrupt):
                    score_next(queue, SETTING, sandbox.find())
        assert queue.item(item.id).state == "scoring"
    assert score_next(queue, SETTING, sandbox.find())
    assert queue.item(item.id).state == "done" and len(queue.entries()) == 1


def test_a_defect_leaves_the_upload_but_not_for_ever(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    item = queue.enqueue(queue.make_token("Ann"), Upload("mine.py", ASKS_ONCE))

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(scoring_worker, "check_submission", broken)
    for _ in range(5):
        with pytest.raises(RuntimeError):
            score_next(queue, SETTING, sandbox.find())
    assert not score_next(queue, SETTING, sandbox.find())
    assert queue.item(item.id).state == "refused" and "given up" in queue.item(item.id).reason


def test_progress_of_the_check_is_seen_while_it_runs(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    queue.enqueue(queue.make_token("Ann"), Upload("mine.py", ASKS_ONCE))
    seen = []
    plain = Queue.checking

    def checking(self: Queue, item: Item, games: int = 0) -> None:
        plain(self, item, games)
        with Queue(queue.path) as other:
            seen.append((other.item(item.id).state, other.item(item.id).games))

    monkeypatch.setattr(Queue, "checking", checking)
    monkeypatch.setattr(scoring_worker, "play_entry", lambda ledger, entry, *_, **__: entry)
    score_next(queue, SETTING, sandbox.find())
    assert seen[0] == ("checking", 0) and seen[-1] == ("checking", MOST_CHECK_GAMES)
    assert [games for _, games in seen] == sorted(games for _, games in seen)


def test_a_contest_that_is_closed_meanwhile_refuses_what_waits(queue: Queue) -> None:
    item = queue.enqueue(queue.make_token("Ann"), Upload("mine.py", ASKS_ONCE))
    queue.close_contest()
    score_next(queue, SETTING, sandbox.find())
    assert queue.item(item.id).state == "refused" and "this contest is closed" in queue.item(item.id).reason


def test_work_goes_on_in_a_ledger_that_takes_the_place_of_another(tmp_path, monkeypatch):
    path, seen = tmp_path / "contest.sqlite", []
    Queue(path).close()

    def score(queue, *_):
        seen.append(queue.commitment)
        if len(seen) == 1:
            path.rename(tmp_path / "aside.sqlite")
            Queue(path).close()
            return True
        raise KeyboardInterrupt

    monkeypatch.setattr(scoring_worker, "find_sandbox", lambda: None)
    monkeypatch.setattr(scoring_worker, "score_next", score)
    scoring_worker.work(path)
    assert len(seen) == len(set(seen)) == 2
