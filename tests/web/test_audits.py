"""Audits that visitors ask for: bounded, and given up when the server ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.ledgers import add
from wordpl.contest.ledger import Ledger
from wordpl.web import audits as audits_module
from wordpl.web.audits import Audits
from wordpl.web.pool import BusyError


@pytest.fixture(scope="module")
def entry(tmp_path_factory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("contest") / "contest.sqlite"
    with Ledger(path) as ledger:
        return path, add(ledger, "Ann").id


def test_an_audit_is_given_up_when_the_server_ends(entry):
    audits = Audits()
    audits._ends.set()
    audits.start(*entry)
    audits._executor.shutdown()
    assert audits.find(entry[1]) == (None, None)


def test_an_audit_that_runs_is_not_begun_again_and_only_some_wait(entry, monkeypatch):
    audits, begun = Audits(), []
    monkeypatch.setattr(audits._executor, "submit", lambda *given: begun.append(given))
    for _ in range(3):
        audits.start(*entry)
    assert len(begun) == 1
    for number in range(audits_module._WAITING):
        audits.start(entry[0], f"{number:012x}")
    with pytest.raises(BusyError):
        audits.start(entry[0], "f" * 12)
    assert len(begun) == audits_module._WAITING + 1
    audits.close()


def test_a_defect_is_told_and_logged(entry, monkeypatch, caplog):
    def fail(*given: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("wordpl.web.audits.audit_chain", fail)
    audits = Audits()
    audits.start(*entry)
    audits._executor.shutdown()
    running, result = audits.find(entry[1])
    assert running is None and result is not None and "fault is the server's" in result.ledger[0]
    assert "ZeroDivisionError" in caplog.text
