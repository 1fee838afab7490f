"""Win rates of each strategy of the library at three budgets: the table that `wordpl list NAME` shows.

    python -m experiments.strategies             1,001 games of each: some CPU minutes

It writes `wordpl/simulation/data/strategies.csv`. Its last column is a digest of the first games of each row, by which
the suite sees whether the strategies still play so (`tests/simulation/test_evaluation.py`).
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import typer

import wordpl
from experiments import machines, pages
from wordpl.simulation import WIN_RATES_FILE

TRIALS, FIRST = 1_001, 10
COLUMNS = ["spec", "options", "budget", "trials", "win_rate", "low", "high", "first_games"]
SPLITS = {15: (2, 7.5), 36: (3, 12.0), 75: (3, 25.0)}
"""Budget -> number of clues and the epsilon of each, for strategies that spend what they are told."""
CLUES = [f"n_guesses={n}, epsilon={epsilon}" for n, epsilon in SPLITS.values()]
EPSILONS = (5.0, 9.0, 15.0)
"""For strategies that ask until they know enough."""
BAYESIAN = ("BayesianGreedy", "BayesianRandom", "BayesianWordle")
SPECS = (
    *(f"{name}(epsilon={epsilon}, certainty=0.8)" for name in BAYESIAN for epsilon in EPSILONS),
    *(f"BayesianSolver() --game wordle:6 --channel randomized_response:{epsilon:g}" for epsilon in EPSILONS),
    *(f"D95(epsilon={epsilon})" for epsilon in (5.0, 12.0, 25.0)),
    *(f"FollowTree(epsilon={epsilon})" for epsilon in EPSILONS),
    *(f"G3(epsilon1={first}, epsilon2={second})" for first, second in ((9.3, 5.3), (22.9, 13.1), (47.8, 27.2))),
    *(f"{name}({clues})" for name in ("Greedy", "MaxClueEntropy", "NGuess") for clues in CLUES),
    *(f"Renyi(epsilon={(epsilon,) * n})" for n, epsilon in SPLITS.values()),
    *(f"{name}(budget={budget:.1f})" for name in ("Fifth", "Median", "NinetyFifth") for budget in SPLITS),
    *(f"TwoGuess(epsilon={budget:.1f})" for budget in SPLITS),
)
"""The runs, with the options of `wordpl score`. `FromTable` has no policy of its own."""


def task_of(line: str) -> wordpl.Task:
    """Return the task of a spec with its options."""
    spec, *options = line.split(" --")
    terms = dict(option.split(" ") for option in options)
    strategy = wordpl.parse_strategy(spec)
    if "game" in terms:
        return wordpl.make_task(strategy, format=terms["game"], channel=terms["channel"])
    return wordpl.make_task(strategy)


def digest_of(evaluation: wordpl.Evaluation) -> str:
    """Return a digest of the first games of a run: what was proposed, and what was spent, to ten digits."""
    games = evaluation.frame.head(FIRST)
    lines = [f"{game.answer} {game.proposed} {game.budget:.10g} {game.turns}" for game in games.itertuples()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def main() -> None:
    """Play each spec, and write the table."""
    rows = []
    for line in SPECS:
        with wordpl.show_progress() as shown:
            found = wordpl.sweep([task_of(line)], TRIALS, len(os.sched_getaffinity(0)), progress=shown)[0]
        spec, _, options = line.partition(" --")
        statistics = (found.posterior_win_rate, *found.posterior_interval)
        cells = [f"{found.mean_budget:.1f}", str(found.trials), *(f"{value:.3f}" for value in statistics)]
        rows.append([spec, f"--{options}" if options else "", *cells, digest_of(found)])
        typer.echo(" ".join(rows[-1]))
    pages.write_csv(Path(str(WIN_RATES_FILE)), COLUMNS, sorted(rows, key=lambda row: row[0].partition("(")[0]))


if __name__ == "__main__":
    machines.run(main)
