"""`python -m benchmarks.scale [TRIALS]`: very many trials of one task: rate, memory and size.

Takes about 5 minutes for ten million trials, the default, and a gigabyte in the folder for temporary files; so
`make bench` leaves it out. It plays in one process, whose CPU time per trial other work on the machine hardly changes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import wordpl

SPEC = "TwoGuess(17.9)"
TRIALS = 10**7

_MEMORY = """
def most():
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
"""
# From /proc and not from getrusage: see `timing`.
_PLAY = (
    _MEMORY
    + """
import json, sys, time, wordpl
spec, trials, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
at = []
def note(task, played, done, total):
    at.append((done, time.process_time(), time.perf_counter()))
with wordpl.Store(out) as store:
    found = wordpl.evaluate(wordpl.parse_strategy(spec), trials, store=store, progress=note)
    playing = most()
begun = time.perf_counter()
figures = found.summary()
print(json.dumps({"at": at, "playing": playing, "most": most(), "seconds": time.perf_counter() - begun}))
"""
)
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
    wordpl.print_table(f"{trials:,} trials of {SPEC}", ["what", "measured", "target"], rows)


def _play(trials: int, out: Path) -> list[list[str]]:
    found = json.loads(_python(_PLAY, SPEC, str(trials), str(out)).stdout)
    at = found["at"]
    first, last = (_rates(at, trials * low // 10, trials * (low + 1) // 10) for low in (0, 9))
    size = out.stat().st_size / trials
    return [
        ["first tenth", f"{first[0]:,.0f} trials a CPU second, {first[1]:,.0f} a second", ""],
        ["last tenth", f"{last[0]:,.0f} trials a CPU second, {last[1]:,.0f} a second", "within 10% of the first"],
        ["largest memory of the client, playing", f"{found['playing']:.0f} MiB", "600 MB"],
        ["largest memory of the client, figures and all", f"{found['most']:.0f} MiB", "600 MB"],
        ["figures, from the columns on disk", f"{found['seconds']:.1f} s", ""],
        ["results file per million trials", f"{size:.1f} MB", ""],
    ]


def _rates(at: list[list[float]], low: int, high: int) -> tuple[float, float]:
    """Trials per CPU second and per second, from the first report past `low` trials to the first at `high`."""
    one, other = (next(report for report in at if report[0] >= wanted) for wanted in (max(low, 1), high))
    played = other[0] - one[0]
    return played / (other[1] - one[1]), played / (other[2] - one[2])


def _read(trials: int, out: Path, folder: Path) -> list[list[str]]:
    rows = []
    commands = {
        "results": [str(out)],
        "plot": [str(out), "--out", str(folder / "many.png")],
        "report": [str(out), "--out", str(folder / "many.html")],
    }
    for name, arguments in commands.items():
        told = _python(_COMMAND, name, *arguments).stderr.rsplit("MEASURED", 1)[1].split()
        rows.append([f"wordpl {name} of it", f"{float(told[1]):.0f} CPU seconds", ""])
        rows.append([f"wordpl {name} of it, largest memory", f"{float(told[0]):.0f} MiB", "600 MB"])
    return rows


def _python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)  # noqa: S603


if __name__ == "__main__":
    main()
