"""Results of many tasks, as a table, a plot and a report: CPU time, and how large the report is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import wordpl
from benchmarks.first_run import cpu_seconds
from wordpl.simulation.trials import Trial

TASKS, TRIALS = 100, 10_001


def rows(wordpl_command: str) -> list[list[str]]:
    """Run `wordpl results`, `plot` and `report` on 100 tasks of 10,001 made-up trials, and weigh the page."""
    with tempfile.TemporaryDirectory() as folder:
        results, page = Path(folder, "run.sqlite"), Path(folder, "run.html")
        make_results(results)
        outputs = {"results": [], "plot": ["--out", f"{folder}/run.png"], "report": ["--out", str(page)]}
        calls = {name: [wordpl_command, name, str(results), *out] for name, out in outputs.items()}
        # A first call may still make bytecode of what it imports.
        took = {name: min(cpu_seconds(*call) for _ in range(2)) for name, call in calls.items()}
        size = page.stat().st_size / 1e6
    what = f"of {TASKS} tasks of {TRIALS:,} trials"
    return [
        *([f"{name} {what}, CPU time", f"{cpu:.1f} s", "3 s", ""] for name, cpu in took.items()),
        [f"report {what}, size", f"{size:.1f} MB", "1 MB", ""],
    ]


def make_results(path: Path) -> None:
    """Fill a results file with trials that nobody has played: five strategies at twenty epsilons."""
    rng = np.random.default_rng(1)
    with wordpl.Store(path) as store:
        for n_guesses in range(1, 6):
            for epsilon in np.linspace(2.0, 40.0, 20):
                spec = f"NGuess(n_guesses={n_guesses}, epsilon={epsilon})"
                store.add([(wordpl.make_task(wordpl.parse_strategy(spec)), _rows(rng, n_guesses, float(epsilon)))])


def _rows(rng: np.random.Generator, n_guesses: int, epsilon: float) -> list[Trial]:
    rate = 1.0 / (1.0 + np.exp((25.0 - n_guesses * epsilon) / 6.0))
    answers = wordpl.load_words().answers
    chances, won = np.clip(rng.normal(rate, 0.1, TRIALS), 0.0, 1.0).tolist(), (rng.random(TRIALS) < rate).tolist()
    budgets = (n_guesses * epsilon * (0.9 + 0.2 * rng.random(TRIALS))).tolist()
    made = []
    for trial in range(TRIALS):
        word, late = answers[trial % len(answers)], trial % 97 == 0
        verdict, reason = ("TIMEOUT", "more than 10 s of CPU time") if late else ("WIN" if won[trial] else "LOSS", "")
        figures = (budgets[trial], n_guesses, n_guesses + 1, chances[trial], 1e-3, 1e-3)
        made.append(Trial(trial, word, word, verdict, reason, *figures))
    return made
