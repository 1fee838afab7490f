"""An exported strategy in the contest's own loop: in how many runs does it reach each percentile?

`python -m experiments.contest_loop "Fifth(budget=14.6)" --runs 10` exports the strategy and plays it as the contest
does: an answer from `random.choice`, noise mark by mark, and percentiles by `numpy.quantile` with infinity for a lost
game. Each run has a seed. Finished runs are kept in `results/contest_loop/`, so the same command resumes. A strategy
whose export has changed starts again.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import math
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import joblib
import numpy as np
import typer

import wordpl
from experiments import machines
from experiments.machines import Cluster
from experiments.steps import add_step, read_steps
from wordpl import Player, Setting, WordList, WordplError, load_words, parse_strategy
from wordpl.base import run_calls
from wordpl.contest import Exported
from wordpl.simulation import win_rate_to_hold

RESULTS = Path("results") / "contest_loop"
PERCENTILES = {"p05": 0.05, "p50": 0.50, "p95": 0.95}
GAMES = 1001
_MARKS = "ci."


def play_game(player: Player, answers: list[str], rng: random.Random) -> float:
    """Play one game and return its score: its budget, or infinity if the proposal is wrong."""
    answer, spent = rng.choice(answers), 0.0
    word, epsilon = player.first_move()
    while epsilon > 0:
        spent += epsilon
        grown = math.exp(epsilon / 5)
        clue = ""
        for place, letter in enumerate(word):
            mark = "c" if letter == answer[place] else "i" if letter in answer else "."
            kept = rng.random() < grown / (2 + grown)
            clue += mark if kept else rng.choice([other for other in _MARKS if other != mark])
        word, epsilon = player.next_move(word, epsilon, clue)
    return spent if word == answer else math.inf


def quantile(scores: list[float], q: float) -> float:
    """Return a quantile as the contest does: `numpy.quantile`, infinite as soon as it touches an infinite score."""
    largest = sys.float_info.max
    found = float(np.quantile([min(score, largest) for score in scores], q))
    return math.inf if found > largest / 100 else found


def load_exported(source: str, name: str) -> Player:
    """Return an object of class `name` from an exported source. It reads the word lists of the current directory."""
    Path("exported.py").write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("exported", "exported.py")
    assert spec is not None and spec.loader is not None  # noqa: S101 - a .py path always has a loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    player: Player = getattr(module, name)()
    return player


def write_lists(words: WordList, folder: Path, rng: random.Random) -> None:
    """Write `answers.txt` and `valid.txt`, each in a random order."""
    for name, listed in (("answers.txt", words.answers), ("valid.txt", words.guesses)):
        (folder / name).write_text("".join(f"{word}\n" for word in rng.sample(listed, len(listed))))


def run(exported: Exported, words: WordList, seed: int, games: int) -> dict[str, Any]:
    """Play one run of the contest: its seed, games, wins and percentiles (None for infinity), and times in seconds."""
    rng = random.Random(seed)  # noqa: S311 - the contest's own generator
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_lists(words, Path(folder), rng)
        # Its class has another name than ours if the contest's repository has a class of that name.
        name = exported.strategies[0][0].partition("(")[0]
        player, answers = load_exported(exported.source, name), Path("answers.txt").read_text().split()
        scores, times = [], []
        for _ in range(games):
            begun = time.perf_counter()
            scores.append(play_game(player, answers, rng))
            times.append(time.perf_counter() - begun)
    found = {key: quantile(scores, q) for key, q in PERCENTILES.items()}
    return {
        "seed": seed,
        "games": games,
        "wins": sum(map(math.isfinite, scores)),
        **{key: value if math.isfinite(value) else None for key, value in found.items()},
        "seconds": round(sum(times), 3),
        "slowest": round(max(times), 3),
    }


def finished(path: Path) -> dict[int, dict[str, Any]]:
    """Return the kept runs, by seed. A last line that was cut off by a kill is dropped."""
    try:
        return {row["seed"]: row for row in read_steps(path)}
    except KeyError:
        raise WordplError(f"{path} does not hold runs of the contest; remove the file") from None


def play_runs(name: str, exported: Exported, words: WordList, runs: int, jobs: int) -> list[dict[str, Any]]:
    """Return the runs of seeds 1 to `runs`, after playing those that are not kept."""
    digest = hashlib.sha256((exported.source + words.digest).encode()).hexdigest()[:12]
    path = RESULTS / f"{name}-{digest}.jsonl"
    done = finished(path)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    todo = [seed for seed in range(1, runs + 1) if seed not in done]
    work = (joblib.delayed(run)(exported, words, seed, GAMES) for seed in todo)
    for row in run_calls(jobs, work):
        done[row["seed"]] = row
        add_step(path, row)
        typer.echo(f"run {row['seed']}: {row['wins']} of {GAMES} won in {row['seconds']:.0f} s", err=True)
    return [done[seed] for seed in range(1, runs + 1)]


def main(
    spec: Annotated[str, typer.Argument(metavar="SPEC")],
    runs: Annotated[int, typer.Option(min=1, help="Runs of 1,001 games.")] = 10,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    cluster: Cluster = None,
) -> None:
    """Play the exported strategy in runs of the contest, and count the runs in which each percentile was reached."""
    strategy, words = parse_strategy(spec), load_words("original")
    exported = wordpl.contest.export_strategy(strategy, Setting(words))
    with machines.on(cluster):
        rows = play_runs(type(strategy).__name__, exported, words, runs, jobs)
    rate = sum(row["wins"] for row in rows) / (runs * GAMES)
    table = []
    for key, q in PERCENTILES.items():
        reached = [row[key] for row in rows if row[key] is not None and row[key] <= exported.worst * (1 + 1e-9)]
        largest = f"{max(reached):g}" if reached else "inf"
        table.append([f"{100 * q:g}th", f"{len(reached)} of {runs}", largest, f"{win_rate_to_hold(q, GAMES):.4f}"])
    wordpl.print_table(
        f"{strategy!r}, budget at most {exported.worst:g}, {runs} runs of {GAMES} games",
        ["percentile", "reached in", "largest", "win rate needed to reach it in 95% of runs"],
        table,
        [f"won {rate:.4f} of all games; slowest game {max(row['slowest'] for row in rows):.2f} s"],
    )


if __name__ == "__main__":
    machines.run(main)
