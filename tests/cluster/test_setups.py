"""Clusters as docs/how-to/machines.md sets them up: `dask` commands with certificates, jobs of a batch system."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest

import wordpl
from tests.cluster.conftest import until
from tests.support import forked
from tests.support.commands import blocks

pytestmark = pytest.mark.published  # each starts schedulers and workers anew, which takes long

ROOT = Path(wordpl.__file__).parents[1]
PAGE = (ROOT / "docs" / "how-to" / "machines.md").read_text("utf-8")
GAME = ["trial", "answer", "proposed", "budget", "asks", "chance", "verdict"]
TIMES = {"seconds", "seconds_per_move", "slowest_move", "wall_seconds"}
SCORE = ("score", "TwoGuess(18)", "--trials", "201", "--json")


def variables(**more: str | Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)} | {name: str(value) for name, value in more.items()}


def certificate(folder: Path) -> dict[str, str]:
    """A certificate that vouches for itself, and dask's variables for it and its key."""
    cert, key = folder / "cert.pem", folder / "cert.key"
    new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=ours"
    subprocess.run(["openssl", *new.split(" "), "-keyout", key, "-out", cert], check=True, capture_output=True)
    tls, roles = "DASK_DISTRIBUTED__COMM__TLS__", ("SCHEDULER", "WORKER", "CLIENT")
    files = {f"{tls}{role}__{kind}": path for role in roles for kind, path in (("CERT", cert), ("KEY", key))}
    return variables(**{f"{tls}CA_FILE": cert}, **files)


@contextmanager
def dask(*arguments: str, environment: dict[str, str], log: Path) -> Iterator[None]:
    """`dask` with these arguments, as long as the block takes."""
    with log.open("wb") as out:
        command = [sys.executable, "-m", "dask", *arguments]
        started = subprocess.Popen(command, env=environment, cwd=log.parent, stdout=out, stderr=out)
    try:
        yield
    finally:
        started.terminate()
        started.wait()


def test_a_run_on_workers_with_certificates_is_the_run_here(tmp_path):
    environment, where = certificate(tmp_path), tmp_path / "scheduler.json"
    started = ("scheduler", "--protocol", "tls", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with dask(*started, "--scheduler-file", str(where), environment=environment, log=tmp_path / "scheduler.log"):
        until(where.exists)
        until(where.read_text)
        address = json.loads(where.read_text())["address"]
        assert address.startswith("tls://127.0.0.1:")
        worker = ("worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--death-timeout", "60")
        with dask(*worker, environment=environment, log=tmp_path / "worker.log"):
            there = forked.run(*SCORE, "--cluster", address, cwd=tmp_path, env=environment)
    here = forked.run(*SCORE, cwd=tmp_path)
    assert there.returncode == here.returncode == 0, there.stderr
    found, expected = ({k: v for k, v in json.loads(run.stdout).items() if k not in TIMES} for run in (there, here))
    assert found == expected
    assert found["trials"] == 201


SBATCH = """#!/bin/sh
# As of Slurm: the script is kept, and runs later and elsewhere.
cp "$1" "$JOBS/script.$$"
setsid sh "$JOBS/script.$$" > "$JOBS/log.$$" 2>&1 < /dev/null &
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
for job in "$@"; do kill -- "-$job"; echo "$job" >> "$JOBS/cancelled"; done
"""


def test_the_example_with_slurm_runs_where_sbatch_is_a_stand_in(tmp_path):
    (example,) = (block for language, block in blocks(PAGE, "py") if "SLURMCluster" in block)
    for name, script in {"sbatch": SBATCH, "scancel": SCANCEL}.items():
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    changed = example.replace("jobs=200", "jobs=2").replace("1_000_001", "301")
    assert changed.count("jobs=2)") == changed.count("trials=301") == 1
    program = tmp_path / "program.py"
    program.write_text(
        "import wordpl\n"
        "tasks = [wordpl.make_task(wordpl.parse_strategy(f'TwoGuess({epsilon})')) for epsilon in (15, 18)]\n"
        "with wordpl.Store('run.sqlite') as store:\n" + "".join(f"    {line}\n" for line in changed.splitlines())
    )
    environment = variables(
        JOBS=tmp_path, PATH=f"{tmp_path}:{os.environ['PATH']}", DASK_JOBQUEUE__SLURM__INTERFACE="lo"
    )
    subprocess.run([sys.executable, program], env=environment, cwd=tmp_path, check=True, timeout=120)
    tasks = [wordpl.make_task(wordpl.parse_strategy(f"TwoGuess({epsilon})")) for epsilon in (15, 18)]
    with wordpl.Store(tmp_path / "run.sqlite") as store:
        there = [store.evaluation(task, 301) for task in tasks]
    for one, here in zip(there, wordpl.sweep(tasks, 301), strict=True):
        assert np.array_equal(one.results[GAME], here.results[GAME])
    # Both jobs were cancelled, and nothing of them is left.
    assert len((tmp_path / "cancelled").read_text().split()) == 2
    until(lambda: not left_of(tmp_path))


def left_of(folder: Path) -> list[psutil.Process]:
    """The processes that were started from a folder."""
    return [one for one in psutil.process_iter(["cmdline"]) if str(folder) in " ".join(one.info["cmdline"] or ())]
