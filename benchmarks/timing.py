"""How things are timed."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

# What a process runs that is asked for its largest memory. It is read from /proc and not from getrusage, whose maximum
# survives exec and so would describe this process.
_REPORT_MEMORY = """
import pickle, psutil, sys
from pathlib import Path
work, arguments = pickle.load(sys.stdin.buffer)
work(*arguments)
processes = psutil.Process(), *psutil.Process().children(recursive=True)
status = [Path(f"/proc/{process.pid}/status").read_text() for process in processes]
print("MEMORY", max(int(text.split("VmHWM:")[1].split()[0]) for text in status) / 1024)
"""


def seconds(call: Callable[[], object], repeats: int = 5, inner: int = 1) -> float:
    """Return the median time of one call in seconds, after one that is not counted."""
    call()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        for _ in range(inner):
            call()
        times.append((time.perf_counter() - begun) / inner)
    return median(times)


def once(call: Callable[[], object]) -> float:
    """Return the time of one call in seconds."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def cpu_together(*calls: Callable[[], object], repeats: int) -> list[float]:
    """Return the least CPU time of each call in seconds: other work only adds to it. They take turns."""
    times: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(repeats):
        for call, taken in zip(calls, times, strict=True):
            begun = time.process_time()
            call()
            taken.append(time.process_time() - begun)
    return [min(taken) for taken in times]


def command(*arguments: str) -> float:
    """Return the time of a whole process in seconds, from start to end."""
    return once(lambda: subprocess.run([*arguments], check=True, capture_output=True))  # noqa: S603


def memory(work: Callable[..., object], *arguments: object) -> float:
    """Run a function of `benchmarks.alone` in a new process. Return the largest memory of it or any worker, in MiB."""
    run, call = [sys.executable, "-c", _REPORT_MEMORY], pickle.dumps((work, arguments))
    out = subprocess.run(run, input=call, check=True, capture_output=True).stdout  # noqa: S603
    return float(out.rsplit(b"MEMORY", 1)[1])
