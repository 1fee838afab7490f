"""Published Wordle solvers, reproduced: each claim beside the result of the same rule here, with a verdict.

    python -m experiments.heuristics       about 2 minutes on 2 cores; writes experiments/tables/published_heuristics.md

Sources: the maximum-entropy solver with SOARE and TARES openers and its tie-breaks in order (smallest all-absent part,
possible answer, letter entropy, positional frequency); the maximum-entropy solver for 2,309 answers with 14,855
guesses; two plain baselines, by letter frequencies and by overlap; and a course project on 2,309 answers with a naive
mode and modes `greedy1` to `greedy4` that weigh words by how common they are. The course project does not publish its
word list and weights, so we play the nearest rule that we have. Answers and guesses are the 12,972 words, the player
does not know which of them can be the answer, and the numbers are over the 2,309. Entropies are multiplied by a weight
that rises with a word's Zipf frequency (`wordfreq`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import wordpl
from experiments import machines, pages

PAGE = pages.TABLES / "published_heuristics.md"
ORIGINAL, NYT = wordpl.load_words("original"), wordpl.load_words("nyt2022")


@dataclass(frozen=True)
class Result:
    """The result of a rule on the answers of a list."""

    first: str
    turns: dict[int, int]

    @property
    def mean(self) -> float:
        return sum(turn * n for turn, n in self.turns.items()) / sum(self.turns.values())

    @property
    def within_six(self) -> float:
        return sum(n for turn, n in self.turns.items() if turn <= 6) / sum(self.turns.values())

    def __str__(self) -> str:
        return f"{self.first.upper()}, mean {self.mean:.4f}: {' '.join(f'{n}' for n in self.turns.values())}"


@dataclass(frozen=True)
class Claim:
    """A published figure, and the rule that should give it."""

    what: str
    published: str
    play: Callable[[], Result]
    verdict: Callable[[Result], str] = field(default=lambda result: "")


def play(
    words: wordpl.WordList,
    heuristic: wordpl.wordle.Heuristic,
    first: str | None = None,
    answers: wordpl.WordList | None = None,
) -> Result:
    """Build the tree, replay it, and count the turns over the answers of `words`, or of the list `answers`."""
    tree = wordpl.wordle.build_tree(words, heuristic, first)
    wordpl.wordle.verify(tree, words)
    counted = set((answers or words).answers)
    turns = Counter(len(path) for path in tree.paths() if path[-1][0] in counted)
    return Result(tree.root.guess, dict(sorted(turns.items())))


def unaware(heuristic: wordpl.wordle.Heuristic, first: str | None = "tares") -> Result:
    """Play without knowing which of the 12,972 words can be the answer, and count the turns over the 2,309."""
    return play(ORIGINAL.with_every_guess(), heuristic, first, NYT)


def most_on_the_second_guess() -> int:
    """Return the largest number of parts of any first word: as many answers, at most, are found on the second guess."""
    parts = wordpl.score_guesses(wordpl.Posterior(NYT, "counted"), np.inf, "parts")
    return int(parts.max())


def commonness() -> dict[str, float]:
    """Return a weight for each word, which rises from 0 to 1 where words become common enough to be answers."""
    return {word: 1 / (1 + np.exp(-4 * (zipf - 2.5))) for word, zipf in wordpl.wordle.word_priority(NYT).items()}


def impossible(published: int) -> str:
    bound = most_on_the_second_guess()
    return f"impossible: {published} found on the second guess, but no first word has more than {bound} clue classes"


def claims() -> list[Claim]:
    priority = commonness()
    pure = wordpl.wordle.Heuristic(tie_breaks=())
    published_order = wordpl.wordle.Heuristic(tie_breaks=wordpl.wordle.PUBLISHED_TIE_BREAKS)
    return [
        Claim(
            "maximum entropy, 2,315 answers",
            "SOARE, never more than six",
            lambda: play(ORIGINAL, published_order),
            lambda r: "reproduced" if r.first == "soare" and r.within_six == 1 else "not reproduced",
        ),
        Claim(
            "maximum entropy, 12,972 answers, from TARES",
            "99.67% within six",
            lambda: play(ORIGINAL.with_every_guess(), published_order, "tares"),
            _within_six,
        ),
        Claim(
            "the same, ties to the alphabet",
            "99.67% within six",
            lambda: play(ORIGINAL.with_every_guess(), pure, "tares"),
            _within_six,
        ),
        Claim(
            "maximum entropy, 2,309 answers, 14,855 guesses",
            "mean 3.6089, never more than six",
            lambda: play(NYT, pure),
            lambda r: "reproduced" if round(r.mean, 4) == 3.6089 and r.within_six == 1 else "not reproduced",
        ),
        Claim(
            "the same, answers preferred on ties",
            "mean 3.43",
            lambda: play(NYT, wordpl.wordle.Heuristic(tie_breaks=("answer",))),
            lambda r: "reproduced" if round(r.mean, 2) == 3.43 else "not reproduced",
        ),
        Claim(
            "positional letter frequencies, 2,315 answers",
            "AROSE first",
            lambda: play(ORIGINAL, wordpl.wordle.Heuristic("letters", tie_breaks=())),
            lambda r: "reproduced" if r.first == "arose" else "not reproduced",
        ),
        Claim(
            "halving by overlap, 2,315 answers",
            "no numbers",
            lambda: play(ORIGINAL, wordpl.wordle.Heuristic("overlap")),
            lambda r: f"as a baseline: {100 * r.within_six:.2f}% within six",
        ),
        Claim(
            "course project, naive",
            "mean 4.2278: 40 535 998 472 170 59 23 12",
            lambda: unaware(wordpl.wordle.Heuristic(tie_breaks=(), answers_only=True)),
            lambda r: f"nearly: mean {r.mean:.4f}; its word list is not published",
        ),
        Claim(
            "course project, greedy1",
            "mean 3.8424: 89 802 967 327 92 24 7 1",
            lambda: unaware(wordpl.wordle.Heuristic(tie_breaks=(), answers_only=True, priority=priority)),
            lambda r: f"{_beside(r, 3.8424)}; its worst case is 9, ours {max(r.turns)}",
        ),
        Claim(
            "course project, greedy2",
            "mean 3.5925: 118 976 999 173 34 6 3",
            lambda: play(NYT, wordpl.wordle.Heuristic(answers_only=True, priority=priority), "salet"),
            lambda r: f"{_beside(r, 3.5925)}, and only if the player knows the 2,309",
        ),
        Claim(
            "course project, greedy3",
            "178 1012 835 214 56 13 0 1",
            lambda: unaware(wordpl.wordle.Heuristic("parts", tie_breaks=(), answers_only=True, priority=priority)),
            lambda r: impossible(178),
        ),
        Claim(
            "course project, greedy4",
            "337 1202 669 88 11 2",
            lambda: unaware(wordpl.wordle.Heuristic("greedy", priority=priority)),
            lambda r: impossible(337),
        ),
    ]


def _within_six(result: Result) -> str:
    """Return the verdict on the claim that 99.67% of games are won within six."""
    verdict = "bettered" if result.within_six > 0.9967 else "not reproduced"
    return f"{verdict}: {100 * result.within_six:.2f}% within six"


def _beside(result: Result, published: float) -> str:
    """Return the verdict on a claim whose weights are not published."""
    if result.mean <= published:
        return f"bettered by {published - result.mean:.4f}, with our weights"
    return f"not reached by {result.mean - published:.4f}, with our weights"


def main() -> None:
    """Print the published claims and their verdicts, and write them into the page."""
    rows = []
    for claim in claims():
        result = claim.play()
        rows.append([claim.what, claim.published, str(result), claim.verdict(result)])
    columns = ["claim", "published", "ours", "verdict"]
    wordpl.print_table("Published heuristics (counts are of answers found on turn 1 or 2 on)", columns, rows)
    pages.write_text(PAGE, pages.put(PAGE.read_text("utf-8"), "heuristics", pages.markdown(columns, rows)))


if __name__ == "__main__":
    machines.run(main)
