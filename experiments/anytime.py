"""How soon a rank is decided, how often it is wrong, and how soon a cheat is flagged.

`python -m experiments.anytime` plays strategies and cheats on the contest's list, draws runs of 16,001 games from their
games, and writes `experiments/tables/anytime.md` and the tables of docs/ranking.md. It takes about 10 minutes on one
core. Everything is seeded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize
import scipy.special
import typer
from numpy.typing import NDArray

from experiments import machines, pages
from experiments.cheats import CHEATS, Floats, Loses, Proposes, cheat_games
from wordpl import Game, Referee, Setting, load_words, parse_strategy
from wordpl.contest import EntryTrials, figures, flag
from wordpl.simulation import log_wealths

GAMES, RUNS = 16001, 61
ENOUGH = math.log(80.0)
"""Log of the wealth that refutes a win rate in a first draw, at 1.25% on each side."""
BASES = {0.05: "Renyi(epsilon=(9.3, 5.3))", 0.50: "Median()", 0.95: "Renyi(epsilon=(25.0, 25.0, 25.0))"}
BETS = 0.02 * 2.0 ** np.arange(6) / math.sqrt(0.05 * 0.95)
"""Those of `log_wealths` against a win rate of 5%."""
PARTS = (0.01, 0.1)
"""The fractions of games whose answer a cheat knows."""
HONEST = (
    "Fifth()",
    "Renyi(epsilon=(9.3, 5.3))",
    "TwoGuess(epsilon=17.9)",
    "NGuess(n_guesses=2, epsilon=7.8)",
    "Greedy(epsilon=9.0, n_guesses=4)",
    "BayesianGreedy(epsilon=8.0, certainty=0.5)",
    "BayesianRandom(epsilon=8.0, certainty=0.5)",
    "BayesianWordle(epsilon=8.0, certainty=0.5)",
    "Median()",
    "NinetyFifth()",
    "MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=None)",
)


# Games.


@dataclass(frozen=True)
class Pool:
    """The games of one player: arrays of [games], and evidence of [games, columns]."""

    chances: Floats
    won: NDArray[np.bool_]
    evidence: Floats
    budgets: Floats

    @classmethod
    def of(cls, setting: Setting, games: list[Game]) -> Pool:
        chances, evidence = zip(*(figures(setting, game) for game in games), strict=True)
        return cls(
            np.array(chances),
            np.array([game.won for game in games]),
            np.array(evidence),
            np.array([game.budget for game in games]),
        )

    def take(self, which: NDArray[np.intp]) -> Pool:
        return Pool(self.chances[which], self.won[which], self.evidence[which], self.budgets[which])


def honest_games(spec: str, setting: Setting, games: int, seed: int) -> list[Game]:
    strategy = parse_strategy(spec)
    make, referee = strategy.players(setting), Referee(setting, seed)
    return [referee.play(trial, make(referee.seeds.player(trial, spec))) for trial in range(games)]


# Players that change the budget they spend.


def wrongly_sure(levels: int, runs: int, seed: int) -> Floats:
    """Return how often each of some budgets is found sure at any of 16,001 looks although its win rate is 5%.

    It is [levels], the largest budget first. The player spends that and wins 5% of its games, whose chances are 0 or 1.
    While the wealth is below 0.4, it goes on to the next smaller budget. No game so far counts within that one, so it
    may first win more often and still have an average of 5%: here by a sure chance of 10% in each game. The larger
    budget then has a higher win rate, so nothing is wrong about it any more.
    """
    rng, found = np.random.default_rng([7, seed]), np.zeros(levels)
    level, owed, wealths = np.zeros(runs, dtype=int), np.zeros(runs), np.ones((runs, len(BETS)))
    for game in range(1, GAMES + 1):
        pays = owed > 1e-9
        values = np.where(pays, np.minimum(0.1, 0.05 + owed), rng.random(len(owed)) < 0.05)
        owed -= np.where(pays, values - 0.05, 0.0)
        wealths *= 1.0 + np.multiply.outer(values - 0.05, BETS)
        wealth = wealths.mean(axis=1)
        leaves = (wealth < 0.4) & (owed <= 1e-9) & (level < levels - 1)
        level[leaves] += 1
        owed[leaves] = 0.05 * game
        wealths[leaves] = (1.0 - 0.05 * BETS) ** game
        sure = wealth >= 40.0
        if sure.any():
            found += np.bincount(level[sure], minlength=levels)
            level, owed, wealths = level[~sure], owed[~sure], wealths[~sure]
    return found / runs


def changing(runs: int) -> Iterator[list[str]]:
    """Yield rows of how often players that change their budget are found sure of one that is too small."""
    for levels in (1, 2, 4, 6):
        found = wrongly_sure(levels, runs, levels)
        yield [str(levels), f"{100 * found.sum():.2f}%", f"{100 * found.max():.2f}%"]


# Runs.


def shifted(chances: Floats, mean: float) -> Floats:
    """Return the chances with another mean: one number is added to their log odds."""
    odds = scipy.special.logit(np.clip(chances, 1e-12, 1.0 - 1e-12))

    def excess(move: float) -> float:
        return float(scipy.special.expit(odds + move).mean()) - mean

    return np.asarray(scipy.special.expit(odds + scipy.optimize.brentq(excess, -9.0, 9.0)))


def passage(logs: Floats, enough: float) -> int:
    """Return the number of values after which `logs` [n] first reaches `enough`, or n + 1 if it never does."""
    reached = np.flatnonzero(logs >= enough)
    return int(reached[0]) + 1 if reached.size else len(logs) + 1


def plug_in(values: Floats, mean: float) -> int:
    """`passage` for the predictable plug-in empirical-Bernstein sequence (Waudby-Smith and Ramdas, theorem 2)."""
    n = np.arange(1, len(values) + 1)
    means = (np.cumsum(values) + 0.5) / (n + 1)
    variances = (np.cumsum((values - means) ** 2) + 0.25) / (n + 1)
    before, variance = np.append(0.5, means[:-1]), np.append(0.25, variances[:-1])
    bets = np.minimum(np.sqrt(2.0 * ENOUGH / (variance * n * np.log(n + 1.0))), 0.5)
    costs = (values - before) ** 2 * (-np.log1p(-bets) - bets)
    return passage((np.cumsum(bets * (values - mean)) - np.cumsum(costs)), ENOUGH)


def coverage(chances: dict[float, Floats], runs: int) -> Iterator[list[str]]:
    """Yield rows of how often the true win rate is refuted at any of 16,001 looks, from below and above."""
    for q, found in chances.items():
        for name, values in ((f"chances, {q:g}", shifted(found, q)), (f"wins, {q:g}", None)):
            rng = np.random.default_rng([1, round(100 * q), values is None])
            wrong = np.zeros(2, dtype=int)
            for _ in range(runs):
                sample = (rng.random(GAMES) < q) * 1.0 if values is None else rng.choice(values, GAMES)
                # The mean of the pool is only as exact as the root finder.
                wrong[0] += log_wealths(sample, q).max() >= ENOUGH
                wrong[1] += log_wealths(1.0 - sample, 1.0 - q).max() >= ENOUGH
            yield [name, f"{100 * wrong[0] / runs:.2f}%", f"{100 * wrong[1] / runs:.2f}%"]


def times(chances: dict[float, Floats], runs: int) -> Iterator[list[str]]:
    """Yield rows of the games until a true win rate is told from the percentile: quartiles, and others' medians."""
    cases = [(0.05, rate) for rate in (0.045, 0.0475, 0.0529, 0.055, 0.06)]
    cases += [(0.5, rate) for rate in (0.485, 0.516, 0.53)] + [(0.95, rate) for rate in (0.945, 0.955, 0.96)]
    for q, rate in cases:
        values, sign = shifted(chances[q], rate), rate > q
        rng = np.random.default_rng([2, round(1e4 * rate)])
        ours, theirs, wins = [], [], []
        for _ in range(runs):
            sample = rng.choice(values, 2 * GAMES)
            won = (rng.random(2 * GAMES) < sample) * 1.0
            one, two, mean = (sample, won, q) if sign else (1.0 - sample, 1.0 - won, 1.0 - q)
            ours.append(passage(log_wealths(one, mean), ENOUGH))
            theirs.append(plug_in(one, mean))
            wins.append(passage(log_wealths(two, mean), ENOUGH))
        low, median, high = np.quantile(ours, (0.25, 0.5, 0.75))
        yield [
            f"{100 * q:g}%",
            f"{100 * rate:g}%",
            f"{values.std():.3f}",
            _games(median),
            f"{_games(low)} to {_games(high)}",
            f"{100 * np.mean(np.array(ours) <= GAMES):.0f}%",
            _games(np.median(theirs)),
            _games(np.median(wins)),
        ]


def _games(number: float) -> str:
    return f"{number:,.0f}" if number <= 2 * GAMES else f"> {2 * GAMES:,}"


def outcomes(pool: Pool) -> EntryTrials:
    return EntryTrials(pool.budgets, pool.chances, pool.won, pool.evidence)


def mixed_run(honest: Pool, cheat: Pool, part: float, rng: np.random.Generator, loses: Pool | None = None) -> Pool:
    """Return the honest games in a random order, with the fraction `part` of them replaced by games of the cheat.

    With `loses`, the cheat wins a game that it knows only while its wins do not exceed its chances. Otherwise it loses
    the game on purpose.
    """
    order = rng.permutation(len(honest.chances))
    run = honest.take(order)
    known = np.flatnonzero(rng.random(len(order)) < part)
    which = rng.integers(len(cheat.chances), size=len(known))
    surplus, at = 0.0, 0
    for trial, game in zip(known.tolist(), which.tolist(), strict=True):
        surplus += float((run.won[at:trial] - run.chances[at:trial]).sum())
        at = trial + 1
        source = cheat if loses is None or surplus <= 0.0 else loses
        for mine, other in zip(_fields(run), _fields(source), strict=True):
            mine[trial] = other[game]
        surplus += float(source.won[game]) - float(source.chances[game])
    return run


def _fields(pool: Pool) -> tuple[NDArray[Any], ...]:
    return pool.chances, pool.won, pool.evidence, pool.budgets


def power(honest: dict[float, Pool], setting: Setting, games: int, runs: int) -> Iterator[list[str]]:
    """Yield rows of the games until a cheat is flagged, and of what cheating in all games would gain."""
    for q, spec in BASES.items():
        pools = {kind: Pool.of(setting, cheat_games(kind, spec, setting, games, 3)) for kind in CHEATS}
        loses = Pool.of(setting, cheat_games(Loses, spec, setting, games, 3))
        for name, cheat, other in [
            *((kind.__name__, pool, None) for kind, pool in pools.items()),
            ("Balances", pools[Proposes], loses),
        ]:
            row = [f"{100 * q:g}%", name, f"{cheat.chances.mean() - honest[q].chances.mean():+.3f}"]
            row[2] += f" / {cheat.budgets.mean() / honest[q].budgets.mean() - 1:+.0%}"
            for part in PARTS:
                rng = np.random.default_rng([4, round(100 * q), round(100 * part)])
                found = [flag(outcomes(mixed_run(honest[q], cheat, part, rng, other))) for _ in range(runs)]
                flagged = [one.trials for one in found if one.raised]
                tests = [max(one.e_values, key=one.e_values.__getitem__) for one in found]
                middle = np.median([one.trials if one.raised else math.inf for one in found])
                row += [f"{middle:,.0f}" if middle < math.inf else "", f"{len(flagged) / runs:.0%}"]
                row.append(max(sorted(set(tests)), key=tests.count) if flagged else "")
            yield row


def honest_flags(setting: Setting, games: int) -> Iterator[list[str]]:
    """Yield rows of the largest e-values of honest players."""
    for spec in HONEST:
        found = flag(outcomes(Pool.of(setting, honest_games(spec, setting, games, 5))))
        tests = ", ".join(f"{name} {value:.2g}" for name, value in found.e_values.items())
        yield [spec, f"{games:,}", f"{found.e_value:.2g}", tests, "yes" if found.raised else "no"]


def table(title: str, columns: list[str], rows: Iterator[list[str]]) -> str:
    """Print rows as they come, and return their table."""
    found = []
    for row in rows:
        typer.echo("  ".join(row), err=True)
        found.append(row)
    return f"## {title}\n\n{pages.markdown(columns, found)}\n\n"


def main() -> None:
    """Simulate ranks and flags, and write the tables."""
    setting = Setting(load_words("original"))
    honest = {q: Pool.of(setting, honest_games(spec, setting, GAMES, 7)) for q, spec in BASES.items()}
    chances = {q: pool.chances for q, pool in honest.items()}
    text = f"# Ranks and flags, simulated\n\nMade by `python -m experiments.anytime`. {INTRODUCTION}\n\n"
    columns = ["values, win rate", "too low", "too high"]
    text += table("A true win rate at the percentile is refuted", columns, coverage(chances, RUNS * 5))
    columns = ["percentile", "win rate", "sd of chances", "games, median", "quartiles", "by 16,001"]
    text += table("Games to decide", [*columns, "plug-in, median", "wins alone, median"], times(chances, RUNS))
    text += table("Budgets that are too small", pages.CHANGING, changing(RUNS * 500))
    columns = ["strategy", "games", "e-value", "of each test", "flagged"]
    text += table("Honest players", columns, honest_flags(setting, 3000))
    columns = ["base", "cheat", "win rate by chances / budget"]
    columns += [column for part in PARTS for column in (f"{part:.0%}: games", "flagged", "by")]
    text += table("Cheats", columns, power(honest, setting, 300, RUNS // 3))
    pages.write_text(pages.ANYTIME, text.rstrip("\n") + "\n")
    pages.write(pages.ANYTIME)


INTRODUCTION = (
    "Chances are those of real games, their log odds moved to the win rate stated. A cheat knows the answer in 1%"
    " or 10% of its games and plays the base strategy of the percentile in the others; what it gains is stated"
    " for all. Games are the median number to the flag at an error of 0.001, empty if more than half"
    " of the runs are not flagged by game 16,001. Runs draw the cheat's games from 300 that were played, so figures of"
    " several thousand games are rough."
)


if __name__ == "__main__":
    machines.run(main)
