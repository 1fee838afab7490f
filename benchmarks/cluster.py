"""What a cluster costs: for each batch, in throughput against processes of this machine, and with many workers.

`python -m benchmarks.cluster` prints it, and so does `make bench`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import joblib
import typer
from distributed import Client

import wordpl
from wordpl.base import run_calls
from wordpl.base.clusters import current

CALLS, NAP_SECONDS, NAPPERS = 300, 1.0, 32
ROUNDS, ROUND_SECONDS = 5, 5.0
STORED = 200_000
STRATEGY = "MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=50)"


def main() -> None:
    # As a worker has it: with one job, the games are played in this process.
    os.environ["WORDPL_NUM_THREADS"] = "1"
    rows = [*batches(), *throughput(), *many_workers(), *stores()]
    cores = len(os.sched_getaffinity(0))
    wordpl.print_table(f"wordpl on a cluster, {cores} cores", ["what", "measured"], rows)


@contextmanager
def cluster(workers: int) -> Iterator[tuple[Client, int]]:
    """A cluster whose scheduler is a process of its own, as on many machines, and the id of that process."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Path(folder, "scheduler.json")
        options = ["--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(place)]
        scheduler = _start(["-m", "distributed.cli.dask_scheduler", *options])
        started = [scheduler]
        try:
            while not place.exists() or not place.read_text().strip().endswith("}"):
                time.sleep(0.05)
            address = json.loads(place.read_text())["address"]
            for number in range(workers):
                options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", folder]
                started.append(_start(["-m", "distributed.cli.dask_worker", address, *options, "--name", f"w{number}"]))
            with wordpl.base.cluster(address) as made:
                while len(made.nthreads()) < workers:
                    time.sleep(0.05)
                yield made, scheduler.pid
        finally:
            for process in reversed(started):  # the scheduler last: a worker that has lost it may wait for it
                process.terminate()
                process.wait()


def _start(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *arguments], stderr=subprocess.DEVNULL)  # noqa: S603


def cpu_seconds(pid: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def nap(seconds: float) -> float:
    """Simulated work."""
    time.sleep(seconds)
    return seconds


def batches() -> list[list[str]]:
    """Measure what a batch costs: CPU time of the client and the scheduler, and the way there and back."""
    with cluster(1) as (_, scheduler):
        list(run_calls(1, [joblib.delayed(nap)(0.0)]))
        begun, client, other = time.perf_counter(), time.process_time(), cpu_seconds(scheduler)
        list(run_calls(1, (joblib.delayed(nap)(0.0) for _ in range(CALLS))))
        took, client, other = (
            (now - before) / CALLS
            for now, before in (
                (time.perf_counter(), begun),
                (time.process_time(), client),
                (cpu_seconds(scheduler), other),
            )
        )
    return [
        ["a batch, CPU time of the client", f"{1e3 * client:.1f} ms"],
        ["a batch, CPU time of the scheduler", f"{1e3 * other:.1f} ms"],
        ["an empty batch there and back, two under way", f"{1e3 * took:.1f} ms"],
        ["workers that a client and a scheduler can feed with batches of 1 s", f"{1 / max(client, other):,.0f}"],
        ["with batches of 30 s, the largest", f"{30 / max(client, other):,.0f}"],
    ]


def throughput() -> list[list[str]]:
    """Compare trials a second, and CPU time, with those of as many processes of joblib's, in turns."""
    rows = []
    strategy = wordpl.parse_strategy(STRATEGY)
    for workers in (1, 2):
        speeds, costs = [], []
        with cluster(workers) as (made, _):
            trials = 0
            for seed in range(ROUNDS + 1):
                there, cpu_there = _round(strategy, trials or 100, seed, made, workers)
                here, cpu_here = _round(strategy, trials or 100, seed, None, workers)
                if trials:
                    speeds.append(here / there)
                    costs.append(cpu_there / cpu_here)
                trials = max(100, int((trials or 100) / here * ROUND_SECONDS))
        what = "1 worker" if workers == 1 else f"{workers} workers"
        rows.append([f"trials a second of {what}, against joblib's", f"{median(speeds):.0%}"])
        told = f"CPU time of {what}, client and scheduler for the same trials, against joblib's"
        rows.append([told, f"{median(costs):.1%}"])
    return rows


def _round(strategy: wordpl.Strategy, trials: int, seed: int, made: Client | None, workers: int) -> tuple[float, float]:
    """Seconds, and CPU seconds of all processes, for trials of workers that have played before."""
    token = current.set(made)
    try:
        wordpl.evaluate(strategy, 4 * workers, 10**6, workers)
        begun, cpu = time.perf_counter(), _all_cpu_seconds()
        wordpl.evaluate(strategy, trials, seed, workers)
        return time.perf_counter() - begun, _all_cpu_seconds() - cpu
    finally:
        current.reset(token)


def _all_cpu_seconds() -> float:
    """CPU time so far of this process and of all below it that run."""
    return sum(cpu_seconds(pid) for pid in processes_of(os.getpid()))


def processes_of(pid: int) -> set[int]:
    """A process, and all below it that run."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(place.parent.name)] = int(place.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    found, before = {pid}, 0
    while len(found) > before:
        before = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found


def many_workers() -> list[list[str]]:
    """Measure how busy one client keeps many workers with simulated work."""
    with cluster(NAPPERS) as (_, scheduler):
        # Long enough that each worker has started its process, which takes a second of CPU time.
        list(run_calls(1, (joblib.delayed(nap)(3.0) for _ in range(4 * NAPPERS))))
        calls = 20 * NAPPERS
        begun, client, other = time.perf_counter(), time.process_time(), cpu_seconds(scheduler)
        list(run_calls(1, (joblib.delayed(nap)(NAP_SECONDS) for _ in range(calls))))
        took = time.perf_counter() - begun
        client, other = time.process_time() - client, cpu_seconds(scheduler) - other
    busy = calls * NAP_SECONDS / NAPPERS / took
    what = f"{NAPPERS} workers that sleep for {NAP_SECONDS:g} s a batch"
    return [
        [f"{what}: busy", f"{busy:.0%}"],
        [f"{what}: the client's share of a core", f"{client / took:.0%}"],
        [f"{what}: the scheduler's share of a core", f"{other / took:.0%}"],
    ]


def stores() -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.sqlite")
        with wordpl.Store(path) as store:
            wordpl.evaluate(wordpl.parse_strategy("TwoGuess(18)"), STORED, jobs=2, store=store)
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
    return [["a results file, for each million trials", f"{size / STORED:.0f} MB"]]


if __name__ == "__main__":
    typer.run(main)
