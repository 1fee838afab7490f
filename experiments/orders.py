"""The best Rényi order for each percentile, and why NGuess wins the 5th but not the 50th and 95th.

`python -m experiments.orders` plays the games, and writes `experiments/tables/orders.csv` and docs/orders.md.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import joblib
import numpy as np
import typer

from experiments import machines, pages
from experiments.machines import Cluster
from wordpl import (
    Answer,
    Ask,
    History,
    HistoryStrategy,
    Move,
    Referee,
    Setting,
    Turn,
    clue_row,
    load_words,
    print_table,
    score_guesses,
)
from wordpl.base import run_calls
from wordpl.library.max_clue_entropy import MaxClueEntropy
from wordpl.library.n_guess import NGuess
from wordpl.library.renyi import Renyi

ORDERS = (0.5, 1.0, 1.5, 2.0, 3.0, 6.0, math.inf)
OPENER = "salet"
COLUMNS = ["later guesses by", "win rate", "lead over NGuess", "standard error"]
GAMES, SEED, BATCH = 600, 5, 50
# All clues get the same epsilon, as in the published strategies. All strategies open with SALET, so that only the later
# guesses differ.
REGIMES = {5: (7.8,) * 2, 50: (12.3,) * 3, 95: (17.0,) * 4}

app = typer.Typer(add_completion=False)


def contenders(epsilons: tuple[float, ...]) -> dict[str, HistoryStrategy]:
    """Return strategies by name. They differ in the criteria of their guesses after the first."""
    n, equal = len(epsilons), epsilons[0]
    found: dict[str, HistoryStrategy] = {
        "NGuess": NGuess(n, equal, first_guess=OPENER),
        "MaxClueEntropy, exact, answers": MaxClueEntropy(n, equal, monte_carlo=None, first_guess=OPENER),
        "MaxClueEntropy, exact, all words": MaxClueEntropy(
            n, equal, monte_carlo=None, first_guess=OPENER, guesses="all"
        ),
    }
    if n == 2:
        for order in ORDERS:
            found[f"order {order:g}"] = Renyi(epsilons, (1.0, order), OPENER)
        return found
    # The first order has no effect, because the opener is given.
    found["order 1 throughout"] = Renyi(epsilons, (1.0,) * n, OPENER)
    for order in (1.0, 1.5, 3.0, math.inf):
        found[f"order {order:g}, inf for the last"] = Renyi(epsilons, (1.0, *(order,) * (n - 2), math.inf), OPENER)
    return found


@app.command()
def main(
    jobs: Annotated[int, typer.Option(help="Worker processes.")] = 2,
    cluster: Cluster = None,
) -> None:
    """Measure win rates by the order of the later guesses, at the budget of each percentile."""
    setting = Setting(load_words("original"))
    starts, kept = range(0, GAMES, BATCH), list[list[str]]()
    for percentile, epsilons in REGIMES.items():
        rows: list[list[str]] = []
        base = None
        regime = [str(percentile), str(len(epsilons)), f"{epsilons[0]:g}", str(GAMES)]
        with machines.on(cluster):
            found = {
                name: np.concatenate(
                    [*run_calls(jobs, (joblib.delayed(_batch)(strategy, at) for at in starts), ordered=True)]
                )
                for name, strategy in contenders(epsilons).items()
            }
        for name, chances in found.items():
            base = chances if base is None else base
            gain = chances - base
            error = gain.std(ddof=1) / math.sqrt(GAMES)
            rows.append([name, f"{chances.mean():.4f}", f"{gain.mean():+.4f}", f"{error:.4f}"])
        print_table(
            f"{percentile}th percentile: {len(epsilons)} clues at {epsilons[0]:g}, {GAMES} common games", COLUMNS, rows
        )
        kept += [[*regime, *row] for row in rows]
    pages.write_csv(pages.ORDERS, ["percentile", "clues", "epsilon", "games", *COLUMNS], kept)
    pages.write(pages.ORDERS)
    print_table(
        "Where the second guess of NGuess stands among all words (share ranked above it), by order",
        ["epsilon", *(f"order {order:g}" for order in ORDERS)],
        [[f"{epsilons[0]:g}", *tree_ranks(setting, epsilons[0])] for epsilons in REGIMES.values()],
    )


def _batch(strategy: HistoryStrategy, start: int) -> list[float]:
    referee = Referee(Setting(load_words("original")), SEED)
    return [win_chance(strategy, referee, trial) for trial in range(start, start + BATCH)]


def win_chance(strategy: HistoryStrategy, referee: Referee, trial: int) -> float:
    """Return the chance to win of a game that is drawn up to its last clue: the mean over that clue."""
    setting, opened = referee.setting, referee.open(trial)
    while True:
        history = opened.game.history
        move = (_early_move if len(history) < 2 else type(strategy).decide)(strategy, setting, history)
        belief = setting.belief(history)
        if isinstance(move, Answer):
            return float(belief.probabilities[setting.words.answer_index[move.word]])
        if strategy.last_ask(setting, history):
            guess = setting.words.guess_index[move.guess]
            return float(score_guesses(belief, move.epsilon, "expected_top", guesses=[guess])[0])
        opened.take(move)


@lru_cache(maxsize=1_000)
def _early_move(strategy: HistoryStrategy, setting: Setting, history: History) -> Move:
    """The move of a strategy, which many games meet again."""
    return strategy.decide(setting, history)


def tree_ranks(setting: Setting, epsilon: float) -> list[str]:
    """Return, for each order, the share of words that score better than the tree's second guess: a mean over clues."""
    strategy = NGuess(2, epsilon, first_guess=OPENER)
    belief = setting.belief()
    totals = np.zeros(len(ORDERS))
    codes = np.flatnonzero(np.bincount(clue_row(OPENER, setting.words, setting.rule), minlength=belief.words.n_clues))
    for code in codes:
        history = (Turn(OPENER, epsilon, int(code)),)
        move = strategy.decide(setting, history)
        if not isinstance(move, Ask):
            continue
        at = belief.words.guess_index[move.guess]
        after = setting.belief(history)
        for i, order in enumerate(ORDERS):
            scores = score_guesses(after, epsilon, "renyi", order=order)
            totals[i] += float((scores > scores[at]).mean())
    return [f"{share:.1%}" for share in totals / len(codes)]


if __name__ == "__main__":
    machines.run(app)
