"""Ranked runs on workers of a real cluster, in processes of their own: they are killed, stopped, join late, or have no
sandbox, and the scheduler is lost."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

import wordpl
from tests.cli.conftest import Cli, cli  # noqa: F401 - a fixture
from tests.cli.test_json import valid
from tests.cluster.conftest import Workers, scheduler, until, workers  # noqa: F401 - fixtures
from tests.contest.test_attacks import submission_of
from tests.contest.test_run_of_entry import QUIET, SETTING, content, enter, play
from wordpl.contest import sandbox
from wordpl.contest.audit import PlayAgain, audit_entry
from wordpl.contest.audit_chain import audit_chain
from wordpl.contest.ledger import Ledger
from wordpl.contest.ranking import StopRule
from wordpl.contest.submit import play_entry
from wordpl.workers import WorkerLostError

pytestmark = pytest.mark.heavy
SLOW = "import time" + QUIET.replace("return", "time.sleep(0.01); return", 1)
RULE = StopRule(first=20, step=10, max_trials=120, error=1e-300)
"""No look decides it."""
NO_SANDBOX = "import os; os.environ['PATH'] = '/nowhere'"


def children(worker: Any) -> list[psutil.Process]:
    return psutil.Process(worker.pid).children(recursive=True)


def test_a_run_is_that_of_one_machine_whatever_becomes_of_its_workers(workers: Workers, tmp_path: Path) -> None:  # noqa: F811
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    entry = enter(here, SLOW, RULE)
    shutil.copy(here, there)
    started = [workers.start(), workers.start(), workers.start(NO_SANDBOX, name="bare")]
    with wordpl.cluster(workers.address, silent_seconds=4) as cluster, Ledger(there) as ledger:
        until(lambda: len(cluster.usable) == 3)

        def look(*_: object) -> None:
            if len(ledger.workers(entry)) < 2:
                time.sleep(1)  # else the first one might play all, while the other starts on a busy machine
            elif len(started) == 3:
                started[0].send_signal(signal.SIGKILL)
                started[1].send_signal(signal.SIGSTOP)
                started.append(workers.start(name="late"))

        launcher = wordpl.launcher()
        assert repr(launcher).startswith("<Remote 2 workers, on a cluster: bubblewrap, ")
        over = play_entry(ledger, entry, submission_of(SLOW), SETTING, launcher=launcher, progress=look)
        names = {machine.name: n for machine, n in ledger.workers(over).items()}
        assert set(names) == {"w0", "w1", "late"}
        assert sum(names.values()) == 120
        until(lambda: children(started[-1]) == [])
        again = PlayAgain(submission_of(SLOW), sandbox.find(), games=2)
        assert audit_entry(ledger, over, SETTING, again) == audit_chain(ledger) == []
    assert content(there, over) == content(here, play(here, SLOW, entry)[0])


def test_a_run_whose_scheduler_is_lost_keeps_what_was_played_and_is_resumed(tmp_path: Path) -> None:
    from distributed import LocalCluster

    path = tmp_path / "contest.sqlite"
    entry = enter(path, SLOW, RULE)
    with LocalCluster(
        n_workers=0, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=":0", silence_logs=50
    ) as made:
        workers = Workers(made.scheduler_address, tmp_path)
        workers.start()
        try:
            with wordpl.cluster(workers.address, silent_seconds=5) as cluster, Ledger(path) as ledger:

                def close(*_: object) -> None:
                    cluster.client.loop.add_callback(made.scheduler.close)

                with pytest.raises(WorkerLostError, match=r"the scheduler at .* is gone, or does not answer"):
                    play_entry(ledger, entry, submission_of(SLOW), SETTING, launcher=wordpl.launcher(), progress=close)
                played = ledger.played(entry)
        finally:
            workers.end()
    assert 0 < played < 120
    over, _ = play(path, SLOW, entry)
    assert over.trials == 120
    with Ledger(path) as ledger:
        assert played <= sum(ledger.workers(over).values()) < 120


def test_submit_plays_on_a_cluster_that_has_a_sandbox_only(
    workers: Workers,  # noqa: F811
    tmp_path: Path,
    cli: Cli,  # noqa: F811
) -> None:
    (tmp_path / "quiet.py").write_text(QUIET.replace("'aahed'", "'salet'").replace("'aback'", "'crate'"))
    to = ("submit", "quiet.py", "--name", "Quiet", "--ledger", "c.sqlite", "--cluster")
    mistaken = cli(*to, "nowhere")
    assert (mistaken.code, mistaken.err.count("\n")) == (2, 1)
    assert "tcp://HOST:PORT, tls://HOST:PORT or local:N is expected" in mistaken.err
    command = (*to, workers.address)
    workers.start(NO_SANDBOX, name="bare")
    refused = cli(*command, "--max-trials", "1001")
    assert (refused.code, refused.out) == (2, "")
    assert "no worker of the cluster can rank: no sandbox: bubblewrap is not installed" in refused.err
    assert not (tmp_path / "c.sqlite").exists(), "before work"
    workers.start(name="full")
    with wordpl.cluster(workers.address) as cluster:
        until(lambda: len(cluster.usable) == 2)
    found = cli(*command, "--max-trials", "1001", "--json")
    assert found.code == 0
    assert "worker bare is not used: no sandbox: " in found.err
    record = valid("submit", found.out)
    assert record["sandbox"].startswith("on a cluster: bubblewrap, ")
    assert [(worker["name"], worker["trials"]) for worker in record["workers"]] == [("full", 1001)]
    assert cli("audit", "--ledger", "c.sqlite").code == 0
