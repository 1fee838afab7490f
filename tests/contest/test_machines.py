"""Who played which part of a run: what is kept of it, what is read of it, and what an audit finds wrong with it."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contest.test_ledger import enter, finish, ledger, trials  # noqa: F401 - a fixture
from wordpl.contest import machines
from wordpl.contest.audit_chain import audit_chain
from wordpl.contest.cells import MalformedError
from wordpl.contest.ledger import Ledger
from wordpl.contest.machines import LONGEST, Machine, Parts, read_played, shares
from wordpl.reporting.leaderboard import entry_record, told_workers

ONE = Machine("one", "alpha", "bubblewrap", "0.1.0", 2, "Python 3.11.7")
TWO = replace(ONE, name="two", host="beta")
ENTRY = "0" * 64


def by(machine: Machine | None, numbers: Any) -> list[Any]:
    return [replace(record, machine=machine) for record in trials(numbers)]


def event(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return json.loads(json.dumps({"entry": ENTRY, "workers": parts}))


def test_a_worker_is_named_with_its_first_trial_and_then_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(machines, "monotonic", lambda: now)
    parts = Parts()
    said = []
    for now in range(0, 1000, 10):
        parts.add(by(ONE if now < 500 else TWO, [now]))
        if parts.due:
            said.append((now, [worker["name"] for worker in parts.take()]))
    assert said[0] == (0, ["one"])
    assert (500, ["one", "two"]) in said
    assert [now for now, _ in said] == [0, 70, 200, 450, 500, 990]
    assert parts.take() == []
    parts.add(by(None, [1]))
    assert parts.take() == []


@given(st.lists(st.tuples(st.sampled_from([ONE, TWO]), st.integers(0, 60)), min_size=1, unique_by=lambda pair: pair[1]))
def test_what_is_said_is_read_again(played: list[tuple[Machine, int]]) -> None:
    parts = Parts()
    for machine, trial in played:
        parts.add(by(machine, [trial]))
    found = read_played(event(parts.take()), "event 2")
    listed = [(machine, trial) for machine, ranges in found for a, b in ranges for trial in range(a, b + 1)]
    assert sorted(listed, key=str) == sorted(played, key=str)
    for limit in (0, 30, 100):
        told = shares(found, limit)
        assert sum(told.values()) == sum(trial < limit for _, trial in played)
        assert told.keys() == {machine for machine, _ in played}


@given(st.text(max_size=200))
def test_what_a_worker_says_of_itself_is_bounded_and_visible(text: str) -> None:
    machine = Machine.of({**asdict(ONE), "name": text, "host": text}, "a worker")
    assert len(machine.name) <= LONGEST
    assert machine.name.isprintable()
    assert repr(machine).isprintable()
    assert Machine.of(asdict(machine), "a worker") == machine


WORKER = asdict(ONE) | {"trials": [[0, 3]]}
BAD = {
    "no workers": {},
    "none": {"workers": []},
    "too many": {"workers": [WORKER] * 1001},
    "no object": {"workers": [3]},
    "a field more": {"workers": [WORKER | {"more": 1}]},
    "a number for a name": {"workers": [WORKER | {"name": 3}]},
    "an escape": {"workers": [WORKER | {"host": "a\x1b[2J"}]},
    "a long name": {"workers": [WORKER | {"name": "x" * 81}]},
    "no engine": {"workers": [WORKER | {"engine": "2"}]},
    "trials of none": {"workers": [WORKER | {"trials": 3}]},
    "half a range": {"workers": [WORKER | {"trials": [[0]]}]},
    "a range backwards": {"workers": [WORKER | {"trials": [[3, 0]]}]},
    "a negative range": {"workers": [WORKER | {"trials": [[-1, 0]]}]},
    "ranges out of order": {"workers": [WORKER | {"trials": [[5, 6], [0, 1]]}]},
    "too many ranges": {"workers": [WORKER | {"trials": [[2 * i, 2 * i] for i in range(5001)]}]},
}


@pytest.mark.parametrize("bad", BAD)
def test_what_wordpl_never_writes_is_refused(bad: str) -> None:
    with pytest.raises(MalformedError, match="event 2") as refused:
        read_played(json.loads(json.dumps(BAD[bad])), "event 2")
    assert str(refused.value).isprintable()


@given(st.recursive(st.none() | st.integers() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3)))
def test_nothing_in_an_event_is_an_error_of_ours(value: Any) -> None:
    for workers in (value, [WORKER | {"trials": value}], [WORKER | {"name": value}]):
        with suppress(MalformedError):
            read_played({"workers": workers}, "event 2")


def test_the_ledger_says_who_played(ledger: Ledger, tmp_path: Path) -> None:  # noqa: F811
    entry = enter(ledger)
    parts = Parts()
    for machine, numbers in ((ONE, range(2)), (TWO, range(2, 7)), (None, range(7, 8))):
        parts.add(by(machine, numbers))
        assert ledger.add(entry, by(machine, numbers), parts.take())
    assert ledger.workers(entry) == {ONE: 2, TWO: 5}
    assert "workers" not in entry_record(ledger, entry), "of a running entry nothing is shown"
    over = finish(ledger, entry)
    assert ledger.workers(over) == {ONE: 2, TWO: 5}
    assert not ledger.add(over, by(ONE, [3]), [WORKER])
    assert audit_chain(ledger) == []
    record = entry_record(ledger, over)
    assert record["workers"] == [asdict(ONE) | {"trials": 2}, asdict(TWO) | {"trials": 5}]
    assert (
        told_workers(ledger, over)
        == "played on a cluster: worker two on beta (5 trials), worker one on alpha (2 trials)"
    )
    assert told_workers(ledger, over, 1) == "played on a cluster: worker two on beta (5 trials), 1 more (2 trials)"
    ledger.publish(tmp_path / "copy.sqlite")
    with Ledger(tmp_path / "copy.sqlite", read_only=True) as copy:
        assert copy.workers(copy.entries()[0]) == {ONE: 2, TWO: 5}
        assert audit_chain(copy) == []


@pytest.mark.parametrize(
    ("facts", "fault"),
    [
        ({"entry": ENTRY, "workers": [WORKER]}, "event 2 of the chain tells who played an entry that was not running"),
        ({"workers": [WORKER]}, "event 2 of the chain tells who played an entry that was not running"),
        ({"entry": None, "workers": []}, "event 2 of the chain does not name 1 to 1000 workers"),
    ],
)
def test_an_audit_finds_what_cannot_be_in_the_chain(facts: Any, fault: str, ledger: Ledger) -> None:  # noqa: F811
    entry = enter(ledger)
    its = ledger.receipt(entry).entered.hash
    with ledger._transaction():
        ledger._append("played", {**facts, "entry": facts.get("entry", ENTRY) or its})
    assert fault in audit_chain(ledger)


def test_an_audit_finds_who_plays_after_the_end(ledger: Ledger) -> None:  # noqa: F811
    entry = enter(ledger)
    ledger.add(entry, trials(range(40)))
    over = finish(ledger, entry)
    with ledger._transaction():
        ledger._append("played", {"entry": ledger.receipt(over).entered.hash, "workers": [WORKER]})
    assert audit_chain(ledger) == ["event 3 of the chain tells who played an entry that was not running"]
