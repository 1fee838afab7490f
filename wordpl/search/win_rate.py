"""The win rate of a strategy: exact if its tree of clues is small enough, else an unbiased estimate.

There are three ways to it. `histories` goes through all noisy clue histories, `history_samples` draws some of them, and
games against the referee serve strategies with randomness of their own and long games of Wordle.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from joblib import delayed

from wordpl.checks import boolean, fraction, open_fraction, whole_number
from wordpl.errors import WordplError
from wordpl.play.moves import Answer
from wordpl.play.seeds import check_seed, stream
from wordpl.play.setting import Setting
from wordpl.play.strategy import HistoryStrategy, Strategy
from wordpl.progress import Progress
from wordpl.search.histories import (
    Floats,
    Total,
    continued,
    count_histories,
    ends,
    legal_move,
    spent,
    walk,
    win_chance,
)
from wordpl.search.history_samples import play_replicate
from wordpl.text.displays import cut, line_of
from wordpl.workers import run_in_order

# Up to here all histories are gone through unless asked otherwise: two clues and the proposal.
MAX_EXACT = 60_000
REPLICATES = 20
PILOT = 12  # histories per replicate
_MIN_STANDARD_ERROR = 1e-7
_MAX_HISTORIES = 2_000_000
"""Give up refining here."""
_Figures: TypeAlias = tuple[float, float, float, bool, str, int]
"""Budget, win rate, standard error, exact, method and histories, as in `WinRate`."""


@dataclass(frozen=True)
class WinRate:
    """The win rate of a strategy, as `compute_win_rate` returns it."""

    strategy: str
    budget: float
    """The largest total epsilon of any history that was enumerated or drawn."""
    win_rate: float
    standard_error: float
    """Standard error of `win_rate`; 0 if it is exact."""
    exact: bool
    method: str
    histories: int
    """How many clue histories were enumerated or drawn. In games of Wordle each guess may win, and all count."""
    seconds: float

    def interval(self, confidence: float = 0.99) -> tuple[float, float]:
        """Return a confidence interval of the win rate, within 0 to 1, by Student's t; both ends are equal if exact.

        Raises `WordplError` if `confidence` is not a number from 0 to 1.
        """
        confidence = fraction("confidence", confidence)
        if self.exact:
            return self.win_rate, self.win_rate
        from scipy.stats import t

        # Games have more degrees of freedom than replicates; then this is a little too wide.
        half = float(t.ppf(0.5 + confidence / 2, REPLICATES - 1)) * self.standard_error
        return max(self.win_rate - half, 0.0), min(self.win_rate + half, 1.0)

    def __repr__(self) -> str:
        error = "" if self.exact else f" ± {self.standard_error:.2g}"
        return line_of(
            self, f"{self.win_rate:.6f}{error} at budget {self.budget:g}: {cut(self.strategy)}, {self.method}"
        )


def compute_win_rate(
    strategy: Strategy,
    setting: Setting,
    *,
    standard_error: float = 0.001,
    exact: bool | None = None,
    max_histories: int = MAX_EXACT,
    seed: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
) -> WinRate:
    """Compute the win rate of `strategy` in `setting`: exactly if that takes few histories, else from a sample.

    By default it is exact if the strategy has no randomness of its own and at most `max_histories` clue histories.
    In the format of Wordle it is the share of games won with any guess; an estimate then comes from games.
    `exact=True` enumerates all histories whatever their number; `exact=False` always draws a sample.

    An estimate has about the standard error asked for, from 1e-7 to below 1. A pilot sample determines how many
    histories that takes. They are then drawn afresh, so the estimate is unbiased. Histories of two clues are
    stratified by the entropy they leave, and so is the last clue but one. `seed` determines the draws. No result
    depends on `jobs`. `progress` is called at the start, and after each piece of work: first clues if it is exact, else
    histories or games, of which there are more once the pilot sample is done.

    Raises `WordplError` for a standard error, a seed or a number of histories out of range, for a strategy that cannot
    play in `setting`, makes an illegal move or asks more than 1,000 times in a game, and for `exact=True` if the
    strategy has randomness of its own.

    >>> import wordpl
    >>> result = compute_win_rate(wordpl.parse_strategy("TwoGuess(18)"), wordpl.Setting(wordpl.load_words()))
    >>> result.exact, round(result.win_rate, 4)
    (True, 0.0505)
    """
    begun = time.perf_counter()
    standard_error, seed = open_fraction("standard error", standard_error), check_seed(seed)
    max_histories = whole_number("max_histories", max_histories, minimum=0)
    exact = None if exact is None else boolean("exact", exact)
    if standard_error < _MIN_STANDARD_ERROR:
        raise WordplError(
            f"standard error {standard_error:g} is not allowed; a number from {_MIN_STANDARD_ERROR:g} up is expected"
        )
    strategy.check(setting)
    told = _Told(strategy, progress)
    figures: _Figures
    if isinstance(strategy, HistoryStrategy) and not strategy.random:
        if exact is None:
            exact = count_histories(strategy, setting) <= max_histories
        if exact:
            figures = _enumerated(strategy, setting, jobs, told)
        elif setting.format.is_wordle:
            figures = _simulated(strategy, setting, standard_error, seed, jobs, told)
        else:
            figures = _sampled(strategy, setting, standard_error, seed, jobs, told)
    elif exact:
        raise WordplError(f"{strategy!r} has randomness of its own; its win rate can be estimated, not enumerated")
    else:
        figures = _simulated(strategy, setting, standard_error, seed, jobs, told)
    return WinRate(repr(strategy), *figures, time.perf_counter() - begun)


class _Told:
    """Tells a callback how far the work on a strategy is."""

    def __init__(self, strategy: Strategy, progress: Progress | None) -> None:
        self._strategy, self._progress = strategy, progress
        self._done = self._total = 0

    def expect(self, total: int) -> None:
        """There are `total` pieces in all."""
        self._total = total
        self.add(0)

    def add(self, new: int) -> None:
        """Some more are done."""
        self._done += new
        if self._progress is not None:
            self._progress(self._strategy, new, self._done, self._total)


def _enumerated(strategy: HistoryStrategy, setting: Setting, jobs: int, told: _Told) -> _Figures:
    move = legal_move(strategy, setting, ())
    total = Total()
    if isinstance(move, Answer) or ends(strategy, setting, ()):
        total = walk(strategy, setting, (), 1.0)
    else:
        if setting.format.is_wordle:
            total.add(Total(win_chance(setting, (), move), spent((), move), 1))
        firsts = list(continued(setting, (), 1.0, move))
        told.expect(len(firsts))
        # In the order of the clues whatever the number of workers, so that the sum is the same to the last bit.
        for part in run_in_order(jobs, (delayed(walk)(strategy, setting, *first) for first in firsts)):
            total.add(part)
            told.add(1)
    return total.budget, min(total.win_rate, 1.0), 0.0, True, "all histories", total.histories


def _sampled(
    strategy: HistoryStrategy, setting: Setting, standard_error: float, seed: int, jobs: int, told: _Told
) -> _Figures:
    def draw(n: int, stage: str) -> tuple[Floats, float]:
        stages = (f"{stage} {i}" for i in range(REPLICATES))
        runs = []
        for run in run_in_order(jobs, (delayed(play_replicate)(strategy, setting, n, seed, each) for each in stages)):
            runs.append(run)
            told.add(n)
        return np.array([mean for mean, _ in runs]), max(budget for _, budget in runs)

    told.expect(2 * PILOT * REPLICATES)
    pilot = float(draw(PILOT, "pilot")[0].std(ddof=1)) * math.sqrt(PILOT)
    # A quarter more than the pilot says is needed, for it only guesses the spread.
    n = math.ceil(1.25 * (pilot / standard_error) ** 2 / REPLICATES)
    n = min(max(n, PILOT), _MAX_HISTORIES // REPLICATES)
    told.expect((PILOT + n) * REPLICATES)
    means, budget = draw(n, "main")
    error = float(means.std(ddof=1) / math.sqrt(REPLICATES))
    return budget, float(means.mean()), error, False, "stratified sample of histories", n * REPLICATES


def _simulated(
    strategy: Strategy, setting: Setting, standard_error: float, seed: int, jobs: int, told: _Told
) -> _Figures:
    """Games against the referee, each counted with the referee's posterior probability of the proposal."""
    from wordpl.simulation.sweep import evaluate

    def play(n: int, root: int) -> Floats:
        games = evaluate(
            strategy,
            n,
            root,
            words=setting.words,
            rule=setting.rule,
            channel=setting.channel,
            format=setting.format,
            jobs=jobs,
            progress=lambda task, new, done, total: told.add(new),
        ).results
        return np.array([games["chance"], games["budget"]])

    told.expect(2 * PILOT * REPLICATES)
    pilot = float(play(PILOT * REPLICATES, stream(seed, "value pilot"))[0].std(ddof=1))
    n = min(max(math.ceil(1.25 * (pilot / standard_error) ** 2), PILOT * REPLICATES), _MAX_HISTORIES)
    told.expect(PILOT * REPLICATES + n)
    chances, budgets = play(n, stream(seed, "value main"))
    error, method = float(chances.std(ddof=1) / math.sqrt(n)), "games, each counted with the posterior of the proposal"
    return float(budgets.max()), float(chances.mean()), error, False, method, n
