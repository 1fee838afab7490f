"""How things are timed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

# Print the largest memory of one process and its workers, in MiB, after the code before it has run. It is read from
# /proc and not from getrusage, whose maximum survives exec and so would describe this process.
_REPORT_MEMORY = """
import psutil
from pathlib import Path
status = [Path(f"/proc/{process.pid}/status").read_text() for process in
    (psutil.Process(), *psutil.Process().children(recursive=True))]
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


def memory(code: str) -> float:
    """Run Python code in a new process and return the largest memory of it or any of its workers, in MiB."""
    run = [sys.executable, "-c", code + _REPORT_MEMORY]
    out = subprocess.run(run, check=True, capture_output=True, text=True).stdout  # noqa: S603
    return float(out.rsplit("MEMORY", 1)[1])
