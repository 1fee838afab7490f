"""The CPU time of starting a command against that of importing NumPy, and of sweeps of many short settings."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks import alone
from benchmarks.first_run import cpu_seconds
from benchmarks.timing import memory

_COMMANDS = ("--help", "list", 'score "TwoGuess(18)"', "solve crate=.ii..", "doctor")
_REPEATS = 5


def rows(wordpl: str) -> list[list[str]]:
    """Measure `wordpl`, the command. Starts take turns, and the least of each counts: other work only adds to it."""
    starts = {text: [wordpl, *text.replace('"', "").split()] for text in _COMMANDS}
    starts["numpy"] = [sys.executable, "-c", "import numpy"]
    turns = [{text: cpu_seconds(*call) for text, call in starts.items()} for _ in range(_REPEATS)]
    least = {text: min(turn[text] for turn in turns) for text in starts}
    numpy = least.pop("numpy")
    found = [
        [f"wordpl {text}, CPU time", f"{took:.2f} s", "", f"{took / numpy:.1f} times import numpy"]
        for text, took in least.items()
    ]
    return [*found, *_settings(), *_jobs(wordpl)]


def _settings() -> list[list[str]]:
    """Sweeps of settings of two games each into a store, in one process."""
    few, many = alone.SETTINGS
    took = {}
    for settings in (few, many):
        run = "import sys; from benchmarks import alone; alone.sweep_settings(int(sys.argv[1]))"
        took[settings] = cpu_seconds(sys.executable, "-c", run, str(settings), PYTHONPATH=os.curdir)
    memories = {settings: memory(alone.sweep_settings, settings) for settings in (few, many)}
    each = (took[many] - took[few]) / (many - few)
    growth = memories[many] / memories[few]
    what = "settings of two games of TwoGuess into a store, one process"
    return [
        [f"{few} {what}, CPU time", f"{took[few]:.1f} s", "", ""],
        [f"{many:,} {what}, CPU time", f"{took[many]:.1f} s", "5 s", f"{1e3 * each:.1f} ms a setting"],
        [f"{many:,} {what}, largest memory", f"{memories[many]:.0f} MiB", "", f"{growth:.2f} times {few} settings"],
    ]


def _jobs(wordpl: str) -> list[list[str]]:
    """A short sweep with as many workers as pay, against one process."""
    took = {}
    for jobs in ("1", "0"):
        with tempfile.TemporaryDirectory() as folder:
            call = [wordpl, "sweep", "NGuess(2)", "--epsilon", "5:40:5", "--trials", "200", "--jobs", jobs]
            took[jobs] = cpu_seconds(*call, "--out", str(Path(folder, "sweep.sqlite")))
    what = "NGuess(2) at 8 epsilons, 200 games each, --jobs 0, CPU time"
    return [[what, f"{took['0']:.1f} s", "", f"{took['0'] / took['1']:.1f} times --jobs 1"]]
