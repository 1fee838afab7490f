"""A cluster as docs/how-to/machines.md sets one up: jobs of a batch system."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

import wordpl
from tests.cluster.conftest import until
from tests.support.commands import blocks

pytestmark = pytest.mark.published  # it starts a scheduler and workers anew, which takes long

ROOT = Path(wordpl.__file__).parents[1]
PAGE = (ROOT / "docs" / "how-to" / "machines.md").read_text("utf-8")


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
    places = {"PYTHONPATH": str(ROOT), "JOBS": str(tmp_path), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    environment = os.environ | places | {"DASK_JOBQUEUE__SLURM__INTERFACE": "lo"}
    subprocess.run([sys.executable, program], env=environment, cwd=tmp_path, check=True, timeout=120)
    tasks = [wordpl.make_task(wordpl.parse_strategy(f"TwoGuess({epsilon})")) for epsilon in (15, 18)]
    game = ["trial", "answer", "proposed", "budget", "asks", "chance", "verdict"]
    with wordpl.Store(tmp_path / "run.sqlite") as store:
        for task, here in zip(tasks, wordpl.sweep(tasks, 301), strict=True):
            assert np.array_equal(store.evaluation(task, 301).results[game], here.results[game])
    # Both jobs were cancelled, and nothing of them is left.
    assert len((tmp_path / "cancelled").read_text().split()) == 2
    until(lambda: not left_of(tmp_path))


def left_of(folder: Path) -> list[psutil.Process]:
    """The processes that were started from a folder."""
    return [one for one in psutil.process_iter(["cmdline"]) if str(folder) in " ".join(one.info["cmdline"] or ())]
