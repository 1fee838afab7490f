"""A report on many tasks: how long it takes, and how large it is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import wordpl
from benchmarks.timing import command
from wordpl.simulation.tasks import RESULT, VERDICTS, Batch

TASKS, TRIALS = 100, 10_001
_WIN, _LOSS, _TIMEOUT = map(VERDICTS.index, (wordpl.Verdict.WIN, wordpl.Verdict.LOSS, wordpl.Verdict.TIMEOUT))


def rows(wordpl_command: str) -> list[list[str]]:
    """Time `wordpl report` on 100 tasks of 10,001 made-up trials, and weigh the page."""
    with tempfile.TemporaryDirectory() as folder:
        results, page = Path(folder, "run.sqlite"), Path(folder, "run.html")
        make_results(results)
        took = command(wordpl_command, "report", str(results), "--out", str(page))
        size = page.stat().st_size / 1e6
    what = f"report on {TASKS} tasks of {TRIALS:,} trials"
    return [[f"{what}, whole process", f"{took:.1f} s", "5 s", ""], [f"{what}, size", f"{size:.1f} MB", "6 MB", ""]]


def make_results(path: Path) -> None:
    """Fill a results file with trials that nobody has played: five strategies at twenty epsilons."""
    rng = np.random.default_rng(1)
    with wordpl.Store(path) as store:
        for n_guesses in range(1, 6):
            for epsilon in np.linspace(2.0, 40.0, 20):
                spec = f"NGuess(n_guesses={n_guesses}, epsilon={epsilon})"
                store.add(wordpl.make_task(wordpl.parse_strategy(spec)), _batch(rng, n_guesses, float(epsilon)))


def _batch(rng: np.random.Generator, n_guesses: int, epsilon: float) -> Batch:
    found = np.zeros(TRIALS, dtype=RESULT)
    rate = 1.0 / (1.0 + np.exp((25.0 - n_guesses * epsilon) / 6.0))
    found["trial"] = np.arange(TRIALS)
    found["answer"] = found["proposed"] = np.arange(TRIALS) % 2315
    found["chance"] = np.clip(rng.normal(rate, 0.1, TRIALS), 0.0, 1.0)
    found["verdict"] = np.where(rng.random(TRIALS) < rate, _WIN, _LOSS)
    found["verdict"][::97] = _TIMEOUT
    found["budget"] = n_guesses * epsilon * (0.9 + 0.2 * rng.random(TRIALS))
    found["asks"], found["turns"] = n_guesses, n_guesses + 1
    found["seconds"] = found["slowest"] = 1e-3
    return Batch(found, dict.fromkeys(range(0, TRIALS, 97), "more than 10 s of CPU time"))
