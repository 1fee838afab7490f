"""`python -m benchmarks.scale [TRIALS]`: very many trials of one task with two jobs: time, memory and size.

Takes about a minute for a million trials, the default; ten million need a gigabyte in the folder for temporary files.
`make bench` leaves it out. CPU times are those of all processes, which other work on the machine hardly changes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import wordpl
from benchmarks.cluster import cpu_seconds, processes_of

SPEC = "TwoGuess(17.9)"
TRIALS = 10**6
JOBS = 2
_SAMPLE_SECONDS = 0.2

_MEMORY = """
def most():
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
"""
# From /proc and not from getrusage: see `timing`.
_COMMAND = (
    _MEMORY
    + """
import sys, time
from wordpl.cli import main
begun = time.process_time()
try:
    main()
finally:
    print("MEASURED", most(), time.process_time() - begun, file=sys.stderr)
"""
)


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "many.sqlite")
        rows = [*_play(trials, out), *_read(trials, out, Path(folder))]
    wordpl.print_table(f"{trials:,} trials of {SPEC}, {JOBS} jobs", ["what", "measured"], rows)


def _play(trials: int, out: Path) -> list[list[str]]:
    """Play them, and look at all processes until the last one has ended."""
    options = ["--trials", str(trials), "--jobs", str(JOBS), "--quiet", "--out", str(out)]
    begun = time.perf_counter()
    command = [sys.executable, "-m", "wordpl", "sweep", SPEC, *options]
    client = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603
    cpu: dict[int, float] = {}
    largest = {"the client": 0.0, "a worker": 0.0, "all processes": 0.0}
    while client.poll() is None:
        time.sleep(_SAMPLE_SECONDS)
        memory = {}
        for pid in processes_of(client.pid):
            try:
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                memory[pid] = next(int(line.split()[1]) / 1024 for line in rollup if line.startswith("Pss:"))
                cpu[pid] = cpu_seconds(pid)
            except (OSError, StopIteration):  # it has just ended
                continue
        if memory:
            others = [size for pid, size in memory.items() if pid != client.pid]
            now = memory.get(client.pid, 0.0), max(others, default=0.0), sum(memory.values())
            largest = {what: max(size, before) for size, (what, before) in zip(now, largest.items(), strict=True)}
    if client.returncode:
        raise SystemExit(client.returncode)
    took = time.perf_counter() - begun
    return [
        ["CPU time of a trial, all processes and their start", f"{1e6 * sum(cpu.values()) / trials:.1f} µs"],
        ["time of a trial", f"{1e6 * took / trials:.1f} µs"],
        *([f"largest memory of {what}", f"{size:.0f} MiB"] for what, size in largest.items()),
        ["results file", f"{out.stat().st_size / 1e6:.0f} MB"],
    ]


def _read(trials: int, out: Path, folder: Path) -> list[list[str]]:
    rows = []
    commands = {
        "results": [str(out)],
        "plot": [str(out), "--out", str(folder / "many.png")],
        "report": [str(out), "--out", str(folder / "many.html")],
    }
    for name, arguments in commands.items():
        told = _python(_COMMAND, name, *arguments).stderr.rsplit("MEASURED", 1)[1].split()
        rows.append([f"wordpl {name} of it", f"{float(told[1]):.0f} CPU seconds"])
        rows.append([f"wordpl {name} of it, largest memory", f"{float(told[0]):.0f} MiB"])
    return rows


def _python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)  # noqa: S603


if __name__ == "__main__":
    main()
