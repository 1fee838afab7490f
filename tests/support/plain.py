"""A results file whose trials are made, and what everything must say of it: plain NumPy, without our statistics."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from tests.support.helpers import SIX, SMALL, Sometimes
from wordpl import Store, Task, make_task
from wordpl.play.seeds import stream
from wordpl.simulation.trials import Trial

Ends = tuple[float, float]
INF = math.inf
Z = 1.959963984540054
TRIALS = 400
QUANTILES = {"p05": 0.05, "p50": 0.5, "p95": 0.95}
NAMES = ("posterior_win_rate", *QUANTILES)
VERDICTS = ("WIN", "LOSS", "INVALID", "TIMEOUT", "CRASH", "MEMORY", "PROTOCOL")


@dataclass(frozen=True)
class Made:
    """A task, the label of its curve among those of its file, and the trials that were made for it."""

    task: Task
    label: str
    trials: list[Trial]

    @property
    def epsilon(self) -> float:
        return float(self.task.epsilon or 0.0)

    def column(self, name: str) -> Any:
        return np.array([getattr(trial, name) for trial in self.trials])


def _made(task: Task, label: str, first: int, win_rate: float, asks: Sequence[int]) -> Made:
    """A task with trials that are won at this rate after so many asks; a strategy that fails loses some otherwise."""
    epsilon, found = float(task.epsilon or 0.0), list[Trial]()
    rng = np.random.default_rng(int(100 * win_rate))
    answers = task.setting.words.answers
    for number in range(first, TRIALS):
        n = int(rng.choice(asks))
        won = bool(rng.random() < win_rate)
        verdict, reason = ("WIN" if won else "LOSS"), ""
        if isinstance(task.strategy, Sometimes) and number % 4 == 0:
            verdict, reason = ("TIMEOUT", "too slow") if number % 12 == 0 else ("CRASH", "ValueError: no")
        answer = answers[number % len(answers)]
        chance = 0.0 if reason else float(np.clip(win_rate + 0.1 * rng.uniform(-1, 1), 0, 1))
        seconds = float(rng.uniform(0.1, 0.5))
        proposed = answer if won else answers[number % len(answers) - 1]
        costs = (epsilon * n, n, n + 1 - won, chance, seconds, seconds / 2)
        found.append(Trial(number, answer, None if reason else proposed, verdict, reason, *costs))
    return Made(task, label, found)


def _stored(path: Path, made: list[Made]) -> list[Made]:
    with Store(path, command="wordpl sweep") as store:
        store.add([(one.task, one.trials) for one in made])
    return made


def three_settings(path: Path) -> list[Made]:
    """One setting with budgets that differ and others that do not, one without noise, and one in which nothing is won;
    one task has not all trials."""
    kinds = [
        ("Greedy(9)", "Greedy()", SMALL, 1, 0, 0.55, (1, 2, 3)),
        ("Greedy(20.3)", "Greedy()", SMALL, 1, 100, 0.96, (1, 2, 3)),
        ("TwoGuess(9)", "TwoGuess()", SMALL, 1, 0, 0.30, (1,)),
        ("TwoGuess(20.3)", "TwoGuess()", SMALL, 1, 0, 0.80, (1,)),
        ("Greedy(inf)", "Greedy()", SIX, 1, 0, 0.84, (2, 3, 4)),
        ("NGuess(2, inf)", "NGuess(n_guesses=2)", SIX, 1, 0, 0.85, (2,)),
        ("TwoGuess(9.0625)", "TwoGuess()", SMALL, 2, 0, 0.0, (1,)),
        (Sometimes(), "Sometimes()", SMALL, 2, 0, 0.0, (1, 2)),
    ]
    made = []
    for spec, family, words, seed, *how in kinds:
        made.append(_made(make_task(spec, seed, words=words), f"{family}, {words.name}, seed {seed}", *how))
    return _stored(path, made)


def of_the_contest(path: Path) -> list[Made]:
    """The contest's own game, won so often that budgets are under the bound; where they differ, none is told so."""
    kinds = [("Greedy", 4, 0.55, (1, 2)), ("Greedy", 5, 0.6, (1,)), *(("TwoGuess", e, e / 30, (1,)) for e in (9, 18))]
    made = [_made(make_task(f"{name}({e})"), f"{name}()", 0, rate, asks) for name, e, rate, asks in kinds]
    return _stored(path, made)


# Intervals


def binomial(n: int, q: float) -> Any:
    """P(so many of n), in order: [n + 1]."""
    return np.array([math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)])


def wilson(wins: int, n: int) -> Ends:
    p, wide = wins / n, 1 + Z**2 / n
    half = Z / wide * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    return max(0.0, (p + Z**2 / (2 * n)) / wide - half), min(1.0, (p + Z**2 / (2 * n)) / wide + half)


def student(values: Any, error: float) -> Ends:
    half = scipy.special.stdtrit(len(values) - 1, 1 - error / 2) * values.std(ddof=1) / math.sqrt(len(values))
    return values.mean() - half, values.mean() + half


def quantile(scores: Any, q: float) -> float:
    """Linear between the two scores around it; infinite as soon as it touches an infinite one."""
    ordered, at = np.sort(scores), (len(scores) - 1) * q
    low, high = ordered[math.floor(at)], ordered[math.ceil(at)]
    return INF if math.isinf(high) else float(low + (at - math.floor(at)) * (high - low))


def order_statistics(scores: Any, q: float) -> Ends:
    """Those outside of the tails of the number of scores below the quantile."""
    ordered, below = np.sort(scores), binomial(len(scores), q).cumsum()
    low, high = (int((below < tail).sum()) for tail in (0.025, 0.975))
    return float(ordered[low - 1]) if low else 0.0, float(ordered[high]) if high < len(ordered) else INF


# A task


def facts(made: Made) -> dict[str, Any]:
    """All statistics of a task; an interval is NAME_interval."""
    n, verdicts = len(made.trials), Counter(trial.verdict for trial in made.trials)
    won = made.column("verdict") == "WIN"
    budgets, asks, turns, chances = map(made.column, ("budget", "asks", "turns", "chance"))
    scores, reasons = np.where(won, budgets, INF), Counter(t.reason for t in made.trials if t.reason)
    seconds = made.column("seconds").sum()
    found = {
        "trials": n,
        "wins": verdicts["WIN"],
        "win_rate": verdicts["WIN"] / n,
        "win_rate_interval": wilson(verdicts["WIN"], n),
        "posterior_win_rate": chances.mean(),
        "posterior_win_rate_interval": student(chances, 0.05),
        "mean_budget": budgets.mean(),
        "turns": dict(sorted(Counter(turns[won].tolist()).items())),
        "win_rates_within": {},
        "mean_turns": turns[won].mean() if won.any() else None,
        "timeouts": verdicts["TIMEOUT"],
        "errors": n - verdicts["WIN"] - verdicts["LOSS"] - verdicts["TIMEOUT"],
        "verdicts": {name: verdicts[name] for name in VERDICTS},
        "reasons": [{"reason": reason, "trials": count} for reason, count in reasons.most_common()],
        "seconds": seconds,
        "seconds_per_move": seconds / (asks.sum() + n),
        "slowest_move": made.column("slowest").max(),
    }
    for name, q in QUANTILES.items():
        found |= {name: quantile(scores, q), f"{name}_interval": order_statistics(scores, q)}
    return found


def crossing(curve: Sequence[Made], q: float) -> tuple[str, float, Ends]:
    """Place, budget and interval of the smallest budget to win a share of games; of two epsilons."""
    if any(len(set(one.column("budget"))) > 1 for one in curve):
        found = [facts(one) for one in curve]
        name = next(name for name, value in QUANTILES.items() if value == q)
        return "percentile", *min((one[name], one[f"{name}_interval"]) for one in found)
    one, other = (float(x.trials[0].budget) for x in curve)
    wins = [(x.column("verdict") == "WIN").sum() for x in curve]
    chances, below = [x.column("chance").mean() for x in curve], binomial(TRIALS, q).cumsum()
    too_few, enough = [below[w] < 0.025 for w in wins], [1 - below[w - 1] <= 0.025 for w in wins]
    lower = other if all(too_few) else one if too_few[0] else 0.0
    upper = one if all(enough) else other if enough[1] else INF
    if chances[0] >= q:
        return "below", one, (0.0, upper)
    if chances[1] < q:
        return "above", INF, (lower, INF)
    a, b, at = (math.asin(math.sqrt(p)) for p in (*chances, q))
    return "inside", one + (at - a) / (b - a) * (other - one), (min(lower, one), max(upper, other))


def by_curve(made: Sequence[Made]) -> dict[str, list[Made]]:
    lines: dict[str, list[Made]] = defaultdict(list)
    for one in made:
        lines[one.label].append(one)
    return lines


# A comparison


def differences(pairs: Sequence[tuple[Made, Made]], error: float = 0.05) -> list[list[dict[str, Any]]]:
    """The differences of pairs in all four statistics, or if no budget is finite in the first: percentiles by the
    bootstrap, p-values corrected by Holm."""
    names = NAMES if any(np.isfinite(one.column("budget")).any() for pair in pairs for one in pair) else NAMES[:1]
    every = [[_difference(pair, name, error, len(pairs) * len(names)) for name in names] for pair in pairs]
    sides = sorted((p, i) for i, p in enumerate(p for found in every for one in found for p in one["sides"]))
    corrected, largest = [0.0] * len(sides), 0.0
    for rank, (p, i) in enumerate(sides):
        corrected[i] = largest = max(largest, min(1.0, (len(sides) - rank) * p))
    for i, one in enumerate(itertools.chain(*every)):
        first, second = corrected[2 * i : 2 * i + 2]
        one["corrected_p_value"], one["p_value"] = min(first, second), min(1.0, 2 * min(one.pop("sides")))
        low, high = one.pop("strict")
        unit = 1.0 if one["statistic"] == NAMES[0] else min(one["first"], one["second"])
        level = max(abs(low), abs(high)) <= 0.01 * unit < INF
        sure = min(first, second) <= error
        judged = (sure and first < second, sure, one.pop("none"), level, True)
        one["verdict"] = next(itertools.compress(("first", "second", "neither", "level", "undecided"), judged))
    return every


def common(pair: tuple[Made, Made]) -> list[Made]:
    both = {trial.trial for trial in pair[0].trials} & {trial.trial for trial in pair[1].trials}
    return [Made(one.task, one.label, [trial for trial in one.trials if trial.trial in both]) for one in pair]


def _difference(pair: tuple[Made, Made], name: str, error: float, many: int) -> dict[str, Any]:
    one, other = common(pair)
    if name not in QUANTILES:
        chances = one.column("chance"), other.column("chance")
        gaps = chances[0] - chances[1]
        t, freedom = gaps.mean() / gaps.std(ddof=1) * math.sqrt(len(gaps)), len(gaps) - 1
        values, difference = (chances[0].mean(), chances[1].mean()), gaps.mean()
        interval, strict = student(gaps, error), student(gaps, error / many)
        sides, none = [scipy.special.stdtr(freedom, sign * t) for sign in (-1, 1)], False
    else:
        q, draws = QUANTILES[name], max(2000, 200 * many)
        scores = [np.where(x.column("verdict") == "WIN", x.column("budget"), INF) for x in (one, other)]
        values = quantile(scores[0], q), quantile(scores[1], q)
        kinds, counts = np.unique(np.stack(scores, axis=1), axis=0, return_counts=True)
        assert len(kinds) <= 64
        rng = np.random.default_rng(stream(one.task.seed, "comparison"))
        drawn = [
            [quantile(np.repeat(kinds[:, side], row), q) for side in (0, 1)]
            for row in rng.multinomial(len(scores[0]), counts / counts.sum(), draws)
        ]
        gaps = [None if a == b == INF else a - b for a, b in drawn]

        def ends(wrong: float) -> Ends:
            low, high = (np.sort([side if gap is None else gap for gap in gaps]) for side in (-INF, INF))
            at = wrong / 2 * (draws - 1), (1 - wrong / 2) * (draws - 1)
            return float(low[math.floor(at[0])]), float(high[math.ceil(at[1])])

        difference = None if values == (INF, INF) else values[0] - values[1]
        interval, strict = ends(error), ends(error / many)
        sides = [(1 + sum(gap is None or sign * gap >= 0 for gap in gaps)) / (1 + draws) for sign in (1, -1)]
        none = sum(gap is not None for gap in gaps) <= error / many * draws
    found = {"statistic": name, "first": values[0], "second": values[1], "difference": difference, "interval": interval}
    return found | {"strict": strict, "sides": sides, "none": none}
