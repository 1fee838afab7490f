"""Variations of the record of the 95th percentile: other epsilons, clues without noise, and five clues.

`python -m experiments.variations` writes `variations.csv` and `splits.csv` in `experiments/tables`. It compares
variations of `NinetyFifth()` on the same 600 pairs of clues, so the differences are far more certain than the win
rates. Finished variations are kept in `results/variations/`, so a run that was stopped resumes.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments import machines, pages
from experiments.ahead import shortlist
from experiments.quick_asks import quick_ask
from experiments.steps import add_step, read_steps
from wordpl import (
    Ask,
    History,
    Posterior,
    RandomizedResponse,
    Setting,
    Turn,
    best_guess,
    clue_row,
    load_words,
    score_guesses,
)
from wordpl.base import whole_file
from wordpl.library.records import NinetyFifth

STEPS = Path("results") / "variations"
SAMPLE, BINS, SEED, SPLITS = 600, 20, 21, 15
# At this epsilon a mark is false once in 80,000 times.
TRUTHFUL = 60.0


class Change(NamedTuple):
    """Additions to the first two epsilons and to the third clue's share of the rest, and the clue that is truthful."""

    first: float = 0.0
    second: float = 0.0
    share: float = 0.0
    truthful: int | None = None
    """It costs what it would cost with noise. From 0 up; None is no clue."""

    def noise(self, epsilon: float, clue: int) -> float:
        """Return the epsilon that decides the noise of a clue, if `epsilon` is paid for it."""
        return TRUTHFUL if clue == self.truthful else epsilon


VARIATIONS = {
    "as it is": Change(),
    "first epsilon +1": Change(first=1.0),
    "first epsilon -1": Change(first=-1.0),
    "first and second epsilon +1": Change(first=1.0, second=1.0),
    "second epsilon +1.5": Change(second=1.5),
    "third share -0.02": Change(share=-0.02),
    "third share +0.02": Change(share=0.02),
    "first clue truthful": Change(truthful=0),
    "second clue truthful": Change(truthful=1),
    "third clue truthful": Change(truthful=2),
    "last clue truthful": Change(truthful=3),
}
Floats = NDArray[np.float64]

WORDS = load_words("original")
POLICY = NinetyFifth().policy
OPENER, FIRST = POLICY.moves[()]
SECOND = {path[0]: move for path, move in POLICY.moves.items() if len(path) == 1}


def pairs(change: Change) -> tuple[Floats, Floats]:
    """Return the probability of each pair of clues, and of the most probable answer after it: [codes * codes] each."""
    masses, tops = np.empty((243, 243)), np.empty((243, 243))
    opened = RandomizedResponse(change.noise(FIRST + change.first, 0))
    for code, (guess, epsilon) in SECOND.items():
        weights = opened.likelihood(code)[clue_row(OPENER, WORDS)] / len(WORDS.answers)
        channel = RandomizedResponse(change.noise(epsilon + change.second, 1))
        joint = channel.matrix().toarray()[:, clue_row(guess, WORDS)] * weights
        masses[code], tops[code] = joint.sum(axis=1), joint.max(axis=1)
    return masses.ravel(), (tops / masses).ravel()


def value(pair: int, change: Change) -> float:
    """Return nearly the chance to be right after this pair of clues, if the third guess stays as it is."""
    code, other = divmod(pair, 243)
    guess, epsilon = SECOND[code]
    paid = FIRST + change.first, epsilon + change.second
    first, second = (change.noise(each, clue) for clue, each in enumerate(paid))
    whole = Posterior(WORDS).update(OPENER, first, code).update(guess, second, other)
    belief = whole.truncate(POLICY.relative_cutoff)
    rest = POLICY.budget - math.fsum(paid)
    third, part = best_guess(belief, 0.55 * rest, "renyi", order=1.0), 0.55
    if (code, other) in POLICY.moves:
        third, spent = POLICY.moves[code, other]
        part = spent / (POLICY.budget - FIRST - epsilon)
    part = min(part + change.share, 0.96)
    before, last = change.noise(part * rest, 2), change.noise((1.0 - part) * rest, 3)
    kept = float(whole.probabilities[belief.possible].sum())
    return kept * quick_ask(belief, [(third, before)], before + last, every=1).value


def sample() -> tuple[NDArray[np.intp], Floats, Floats, Floats]:
    """Return the pairs drawn, in proportion to what is at stake, the weights of the draws, and the masses and tops."""
    masses, tops = pairs(Change())
    order = np.argsort(tops, kind="stable")
    stakes = np.cumsum((masses * (1 - tops))[order])
    points = (np.arange(SAMPLE) + np.random.default_rng(SEED).random(SAMPLE)) / SAMPLE
    drawn = order[np.searchsorted(stakes, points * stakes[-1], side="right")]
    return drawn, (masses * (1 - tops))[drawn], masses, tops


def win_rate(values: Floats, change: Change) -> tuple[float, Floats]:
    """Return the win rate by the values of the sample, in bins of similar pairs, and what each pair adds to its
    error."""
    drawn, stakes, _, plain = sample()
    masses, tops = pairs(change)
    edges = np.quantile(plain[drawn], np.linspace(0, 1, BINS + 1)[1:-1])
    bins = np.searchsorted(edges, plain)
    at_stake = np.bincount(bins, masses * (1 - tops), BINS)
    gained = (values - tops[drawn]) / (1 - tops[drawn])
    weights = (masses * (1 - tops))[drawn] / stakes
    drawn_from = np.bincount(bins[drawn], weights, BINS)
    means = np.bincount(bins[drawn], weights * gained, BINS) / drawn_from
    errors = weights * (gained - means[bins[drawn]]) * (at_stake / drawn_from)[bins[drawn]]
    return float(masses @ tops + at_stake @ means), errors


def split(pair: int) -> dict[str, float]:
    """Compare one last clue with two, after this pair of clues and the third clue that leaves most at stake."""
    strategy, setting = NinetyFifth(), Setting(WORDS)
    history: History = ()
    for code in divmod(pair, 243):
        history = (*history, played(strategy, setting, history, code))
    move = cast("Ask", strategy.decide(setting, history))
    belief, noise = setting.belief(history), RandomizedResponse(move.epsilon)
    at_stake = belief.clue_probabilities(move.guess, move.epsilon)
    at_stake = at_stake - noise.transform(belief.largest_by_clue(move.guess), largest=True)
    history = (*history, played(strategy, setting, history, int(at_stake.argmax())))
    belief, rest = setting.belief(history), strategy.total - math.fsum(turn.epsilon for turn in history)
    likely = belief.truncate(POLICY.relative_cutoff)
    asks = [(g, part * rest) for part in (0.45, 0.55, 0.65) for g in shortlist(likely, part * rest, (1.0, 1.5, 4.0), 2)]
    one = float(score_guesses(belief, rest, "expected_top").max())
    return {"entropy": belief.entropy, "one": one, "two": quick_ask(likely, asks, rest, every=1).value}


def played(strategy: NinetyFifth, setting: Setting, history: History, code: int) -> Turn:
    """Return the strategy's next turn, if this is its clue."""
    move = cast("Ask", strategy.decide(setting, history))
    return Turn(move.guess, move.epsilon, code)


def main() -> None:
    """Measure the variations, and write the table."""
    drawn, *_ = sample()
    splits = pd.DataFrame([split(pair) for pair in drawn.tolist()[:: SAMPLE // SPLITS]])
    splits.sort_values("entropy").to_csv(pages.TABLES / "splits.csv", index=False, float_format="%.4f")
    base, rows = None, []
    for name, change in VARIATIONS.items():
        path = STEPS / f"{name.replace(' ', '_')}.jsonl"
        done = {line["pair"]: line["value"] for line in read_steps(path)}
        for pair in dict.fromkeys(drawn.tolist()):
            if pair not in done:
                done[pair] = value(pair, change)
                add_step(path, {"pair": pair, "value": done[pair]})
        found = win_rate(np.array([done[pair] for pair in drawn.tolist()]), change)
        base = base or found
        rows.append((name, found[0] - base[0], float(np.linalg.norm(found[1] - base[1]))))
        typer.echo(str(rows[-1]))
    with whole_file(pages.VARIATIONS) as out:
        table = pd.DataFrame(rows, columns=["variation", "change of the win rate", "standard error"])
        table.iloc[1:].to_csv(out, index=False, float_format="%.5f")


if __name__ == "__main__":
    machines.run(main)
