"""The best guesses by their bounds, against scoring every guess: CPU time, both in turn."""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from functools import partial

import numpy as np

import wordpl
from benchmarks.timing import cpu_together

GAMES = 6
LONG_LIST = 51_627
TARGETS = {
    ("letterwise", 13.0): "12 times", ("letterwise", 32.0): "6 times",
    ("counted", 13.0): "8 times", ("counted", 32.0): "6 times",
}  # fmt: skip
GAME = "MaxClueEntropy(3, 13.0, None)"
GAMES_OF = {GAME: "2.5 ms", "MaxClueEntropy(3, 13.0)": "2 ms", "Median()": "1.6 ms", "NinetyFifth()": "3.4 ms"}


def rows(words: wordpl.WordList) -> list[list[str]]:
    found = []
    for rule in wordpl.RULES:
        for epsilon in (5.0, 13.0, 20.0, 32.0, 60.0, math.inf):
            ratios = [_ratio(belief, epsilon, 1) for belief in _positions(words, rule, epsilon, clues=1)]
            what = f"best guess after one clue, {rule}, epsilon {epsilon:g}"
            found.append([what, _times(ratios), TARGETS.get((rule, epsilon), ""), ""])
        for clues, guess in ((0, "first"), (1, "second")):
            ratios = [_ratio(belief, math.inf, 10) for belief in _positions(words, rule, math.inf, clues)]
            found.append([f"best ten for the {guess} guess, {rule}, no noise", _times(ratios), "3 times", ""])
        known = wordpl.Posterior(words, rule).update("crate", math.inf, "ccccc")
        what = f"best guess when one answer is left, {rule}"
        found += [
            [f"{what}, epsilon {epsilon:g}", _times([_ratio(known, epsilon, 1)]), "0.95 times", ""]
            for epsilon in (13.0, math.inf)
        ]
    games = {spec: _game(words, spec) for spec in GAMES_OF}
    for spec, target in GAMES_OF.items():
        ratio = f"{games[spec] / games[GAME]:.1f} times {GAME}"
        found.append([f"a game of {spec}", f"{1e3 * games[spec]:.2f} ms of CPU", target, ratio if spec != GAME else ""])
    cpu, most = _long_list(words)
    what = f"first suggestion from {LONG_LIST:,} words of eight letters, halves of two of the contest's, counted"
    return [
        *found,
        [what, f"{cpu:.1f} s of CPU", "6 s", ""],
        [f"{what}, largest memory", f"{most:.0f} MiB", "700 MiB", ""],
    ]


def _long_list(contest: wordpl.WordList) -> tuple[float, float]:
    """CPU time in seconds, and largest memory in MiB, of a process that is asked for its first suggestion.

    The words have as many different letters and repeats as those of a dictionary.
    """
    rng, words = np.random.default_rng(7), set[str]()
    while len(words) < LONG_LIST:
        first, second = rng.choice(contest.guesses, 2).tolist()
        words.add(first[:4] + second[1:])
    code = "import time, wordpl; words = wordpl.WordList('long', {0!r}, {0!r})\nbegun = time.process_time()\n"
    code += "wordpl.wordle.Assistant(wordpl.Setting(words, 'counted', format=wordpl.GameFormat(6))).suggestions(3)\n"
    code += "print(time.process_time() - begun, open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(code.format(tuple(sorted(words))))
        script.flush()
        run = subprocess.run([sys.executable, script.name], check=True, capture_output=True, text=True)  # noqa: S603
    cpu, most = run.stdout.split()
    return float(cpu), int(most) / 1024


def _game(words: wordpl.WordList, spec: str) -> float:
    """CPU time of a game, none of which was played before: a player remembers its moves."""
    strategy, setting = wordpl.parse_strategy(spec), wordpl.Setting(words)
    referee, maker = wordpl.Referee(setting, 7), strategy.players(setting)

    def play(trials: range) -> float:
        begun = time.process_time()
        for trial in trials:
            referee.play(trial, maker(referee.seeds.player(trial, repr(strategy))))
        return (time.process_time() - begun) / len(trials)

    play(range(1))
    return min(play(range(first, first + 20)) for first in (1, 21, 41))


def _times(ratios: list[float]) -> str:
    return f"{np.median(ratios):.1f} times scoring all, {min(ratios):.1f} at least"


def _positions(words: wordpl.WordList, rule: str, epsilon: float, clues: int) -> list[wordpl.Posterior]:
    """Posteriors after noisy clues to SALET, as the games of some answers have them."""
    rng, beliefs = np.random.default_rng(7), []
    for answer in rng.choice(words.answers, GAMES if clues else 1).tolist():
        belief = wordpl.Posterior(words, rule)
        for _ in range(clues):
            channel = wordpl.RandomizedResponse(epsilon, words.length)
            noisy = channel.sample(int(wordpl.clue("salet", answer, rule)), rng.random(words.length).tolist())
            belief = belief.update("salet", epsilon, noisy)
        beliefs.append(belief)
    return beliefs


def _ratio(belief: wordpl.Posterior, epsilon: float, count: int) -> float:
    def by_all() -> list[tuple[str, float]]:
        scores = wordpl.score_guesses(belief, epsilon)
        return [(belief.words.guesses[at], float(scores[at])) for at in np.argsort(-scores, kind="stable")[:count]]

    by_bounds = partial(wordpl.best_guesses, belief, epsilon, count=count)
    found, best = ([score for _, score in way()] for way in (by_bounds, by_all))
    assert np.allclose(found, best, rtol=0.0, atol=1e-12)  # nearer ones are ties  # noqa: S101
    full, fast = cpu_together(by_all, by_bounds, repeats=9)
    return full / fast
