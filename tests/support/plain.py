"""A results file whose trials are made, and what everything must say of it: plain NumPy, without our statistics."""

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
from wordpl.simulation.trials import Trial

Ends = tuple[float, float]
INF = math.inf
Z = 1.959963984540054
TRIALS = 400
QUANTILES = {"p05": 0.05, "p50": 0.5, "p95": 0.95}
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
        ("Greedy(20)", "Greedy()", SMALL, 1, 100, 0.96, (1, 2, 3)),
        ("TwoGuess(9)", "TwoGuess()", SMALL, 1, 0, 0.30, (1,)),
        ("TwoGuess(20)", "TwoGuess()", SMALL, 1, 0, 0.80, (1,)),
        ("Greedy(inf)", "Greedy()", SIX, 1, 0, 0.84, (2, 3, 4)),
        ("NGuess(2, inf)", "NGuess(n_guesses=2)", SIX, 1, 0, 0.85, (2,)),
        ("TwoGuess(9)", "TwoGuess()", SMALL, 2, 0, 0.0, (1,)),
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
    won, budgets, asks, turns, chances = (
        (made.column("verdict") == "WIN"),
        *map(made.column, ("budget", "asks", "turns", "chance")),
    )
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
    (one, other), wins = (
        [float(x.trials[0].budget) for x in curve],
        [(x.column("verdict") == "WIN").sum() for x in curve],
    )
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
