"""Can the guess list be searched more efficiently, since similar words have similar clue distributions?

`python -m experiments.guess_list` compares ways to find a good guess: how many words each scores, how long it takes
compared with scoring all words, and how much score it loses. It writes `experiments/tables/guess_list.csv` and
docs/guess_list.md. Times are ratios of CPU time within one run; losses do not depend on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from experiments import machines, pages
from wordpl import Posterior, RandomizedResponse, Setting, best_guess, clue, load_words, print_table, score_guesses
from wordpl.scoring import best_last_guess

app = typer.Typer(add_completion=False)

EPSILON = 12.3
DRAWS = 200
POSITIONS = 12
"""For each number of clues."""
STARTS, STEPS = 300, 20
Indices = NDArray[np.int64]


@dataclass
class Way:
    """One way to find a guess, and its results."""

    name: str
    find: Callable[[Posterior, np.random.Generator], tuple[int, int]]
    """Belief and random numbers -> index of the guess, and how many words were scored."""
    seconds: float = 0.0
    scored: float = 0.0
    losses: list[float] = field(default_factory=list)


@dataclass
class Measured:
    """A way's results over all numbers of clues and criteria, for the table in the documentation."""

    scored: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    losses: dict[str, list[float]] = field(default_factory=lambda: {"clue_entropy": [], "expected_top": []})

    def row(self, name: str) -> list[str]:
        """The cells of its row: ranges of words and times, and a loss for each number of clues."""
        spans = [
            " to ".join(dict.fromkeys(f"{value:{style}}" for value in (min(values), max(values))))
            for values, style in ((self.scored, ",.0f"), (self.times, ".2f"))
        ]
        losses = [
            ", ".join(f"{loss:.{digits}f}" if loss > 1e-12 else "0" for loss in self.losses[criterion])
            for criterion, digits in (("clue_entropy", 3), ("expected_top", 4))
        ]
        return [name, *spans, *losses]


def ways(criterion: str) -> list[Way]:
    """The ways that are compared. Times and losses are relative to the first."""

    def everything(belief: Posterior, rng: np.random.Generator) -> tuple[int, int]:
        scores = score_guesses(belief, EPSILON, criterion)
        return int(scores.argmax()), len(scores)

    def answers(belief: Posterior, rng: np.random.Generator) -> tuple[int, int]:
        some = belief.words.answers_as_guesses
        return int(some[score_guesses(belief, EPSILON, criterion, guesses=some).argmax()]), len(some)

    def neighbours(belief: Posterior, rng: np.random.Generator) -> tuple[int, int]:
        return climb(belief, criterion, rng)

    def published(belief: Posterior, rng: np.random.Generator) -> tuple[int, int]:
        some = belief.words.answers_as_guesses
        word = best_guess(belief, EPSILON, draws=DRAWS, rng=rng, separate_draws=True, guesses=some)
        return belief.words.guess_index[word], len(some)

    def shared(belief: Posterior, rng: np.random.Generator) -> tuple[int, int]:
        return belief.words.guess_index[best_guess(belief, EPSILON, draws=DRAWS, rng=rng)], len(belief.words.guesses)

    def bounds(belief: Posterior, rng: np.random.Generator) -> tuple[int, int]:
        channel = RandomizedResponse(EPSILON, belief.words.length)
        found = best_last_guess(belief.probabilities, channel, belief.words, belief.rule)
        if found is None:
            raise RuntimeError("randomized response on five letters can be searched by bounds")
        return found.guess, len(belief.words.guesses)

    found = [
        Way("all words, exact", everything),
        Way("answers, exact", answers),
        Way("climbing among similar words, exact", neighbours),
    ]
    if criterion == "expected_top":
        return [*found, Way("all words, by bounds (last clue only)", bounds)]
    return [
        *found,
        Way(f"all words, {DRAWS} shared draws", shared),
        Way(f"answers, {DRAWS} draws each (published)", published),
    ]


def climb(belief: Posterior, criterion: str, rng: np.random.Generator) -> tuple[int, int]:
    """Start at the best of some random words and move to the best similar word, until none is better."""
    n = len(belief.words.guesses)
    known: dict[int, float] = {}

    def score(some: Any) -> None:
        new = np.array([g for g in some if int(g) not in known], dtype=np.int64)
        if len(new):
            known.update(
                zip(new.tolist(), score_guesses(belief, EPSILON, criterion, guesses=new).tolist(), strict=True)
            )

    score(rng.choice(n, min(STARTS, n), replace=False))
    for _ in range(STEPS):
        best = max(known, key=lambda g: known[g])
        score(similar(belief.words.guesses)[best])
        if max(known, key=lambda g: known[g]) == best:
            break
    return max(known, key=lambda g: known[g]), len(known)


@lru_cache(maxsize=1)
def similar(words: tuple[str, ...]) -> list[Indices]:
    """For each word, the indices of the words that differ in one letter or are anagrams."""
    groups: dict[str, list[int]] = {}
    keys = [[word[:k] + "." + word[k + 1 :] for k in range(len(word))] + ["".join(sorted(word))] for word in words]
    for i, own in enumerate(keys):
        for key in own:
            groups.setdefault(key, []).append(i)
    return [np.unique([j for key in own for j in groups[key]]) for own in keys]


def posteriors(clues: int, n: int, rng: np.random.Generator) -> list[Posterior]:
    """`n` posteriors after `clues` clues in games with random answers; guesses are chosen by information."""
    setting = Setting(load_words("original"))
    channel, found = RandomizedResponse(EPSILON), []
    for _ in range(n):
        belief, answer = setting.belief(), int(rng.integers(len(setting.words.answers)))
        for _ in range(clues):
            guess = best_guess(belief, EPSILON) if belief.entropy < 11 else "salet"
            true = int(clue(guess, setting.words.answers[answer], rule=setting.rule))
            belief = belief.update(guess, EPSILON, channel.sample(true, rng.random(5).tolist()))
        found.append(belief)
    return found


@app.command()
def main() -> None:
    """Measure how good and how fast each way is, by the number of clues seen."""
    rng = np.random.default_rng(3)
    kept: dict[str, Measured] = {}
    for clues in (1, 2):
        beliefs = posteriors(clues, POSITIONS, rng)
        for criterion, unit in (("clue_entropy", "bits"), ("expected_top", "chance to be right")):
            compared = ways(criterion)
            for way in compared:
                way.find(beliefs[0], rng)  # compile first
            for belief in beliefs:
                scores = score_guesses(belief, EPSILON, criterion)
                for way in compared:
                    begun = time.process_time()
                    guess, scored = way.find(belief, rng)
                    way.seconds += time.process_time() - begun
                    way.scored += scored / POSITIONS
                    way.losses.append(float(scores.max() - scores[guess]))
            for way in compared:
                measured = kept.setdefault(way.name, Measured())
                measured.scored.append(way.scored)
                measured.times.append(way.seconds / compared[0].seconds)
                measured.losses[criterion].append(float(np.mean(way.losses)))
            rows = [
                [
                    way.name,
                    f"{way.scored:,.0f}",
                    f"{way.seconds / compared[0].seconds:.2f}",
                    f"{np.mean(way.losses):.4f}",
                    f"{np.max(way.losses):.4f}",
                ]
                for way in compared
            ]
            print_table(
                f"After {clues} clues at {EPSILON}: {criterion}, {POSITIONS} posteriors",
                ["way", "guesses scored", "time, all words = 1", f"mean loss, {unit}", "largest loss"],
                rows,
            )
    columns = ["way", "words scored", "time", "loss in clue entropy", "loss in expected top"]
    pages.write_csv(pages.GUESS_LIST, columns, [measured.row(name) for name, measured in kept.items()])
    pages.write(pages.GUESS_LIST)


if __name__ == "__main__":
    machines.run(app)
