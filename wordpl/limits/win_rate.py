"""The win rate of a strategy: exact if its tree of clues is small enough, else an unbiased estimate.

There are three ways to it. `histories` goes through all noisy clue histories. Where there are too many, some are drawn,
each of which counts with the posterior probability of the proposal in place of a win or a loss (Rao-Blackwell). And
games against the referee serve strategies with randomness of their own and long games of Wordle.
"""

from __future__ import annotations

import itertools
import logging
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from typing_extensions import Unpack

from wordpl.base.checks import boolean, clue_epsilon, instance, open_fraction, several, whole_number
from wordpl.base.defaults import CONFIDENCE, WIN_RATE_ERROR
from wordpl.base.errors import WordplError
from wordpl.base.progress import Progress
from wordpl.base.workers import run_calls
from wordpl.limits.histories import continued, count_histories, ends, legal_move, spent, walk, win_chance
from wordpl.limits.stratified import error_of, mean_interval_of, play_strata
from wordpl.model.entropy import Floats
from wordpl.play.moves import Answer
from wordpl.play.seeds import check_seed, stream
from wordpl.play.setting import Setting
from wordpl.play.specs import as_strategy, parse_spec
from wordpl.play.strategy import HistoryStrategy, Strategy
from wordpl.simulation.statistics import mean_interval
from wordpl.simulation.sweep import sweep
from wordpl.simulation.tasks import TaskTerms, as_task, make_task, terms_of

if TYPE_CHECKING:
    import pandas as pd

_LOG = logging.getLogger(__name__)

# Up to here all histories are gone through unless asked otherwise: two clues and the proposal.
MAX_EXACT = 60_000
PARTS = 20
"""Into how many pieces of work a sample is divided."""
PILOT = 120
"""Strata of a pilot sample, each drawn twice."""
_MIN_STANDARD_ERROR = 1e-7
_MAX_HISTORIES = 2_000_000
"""Give up refining here."""
FindInterval: TypeAlias = Callable[[float], tuple[float, float]]
_Statistics: TypeAlias = tuple[float, float, float, bool, str, int]
"""Budget, win rate, standard error, exact, method and histories, as in `WinRate`."""


@dataclass(frozen=True)
class WinRate:
    """The win rate of a strategy, as `compute_win_rate` returns it.

    `strategy` is the spec, `win_rate` a share of games, `exact` whether it has no standard error, `method` how it was
    computed, and `seconds` how long that took.
    """

    strategy: str
    budget: float
    """The largest total epsilon of any history that was enumerated or drawn."""
    win_rate: float
    standard_error: float
    """Standard error of `win_rate`; 0 if it is exact."""
    exact: bool
    method: str
    histories: int
    """Number of clue histories that were enumerated or drawn. In games of Wordle each guess may win, and all count."""
    seconds: float
    find_interval: FindInterval | None = field(default=None, repr=False, compare=False)
    """The interval of what was drawn, by its error; None if the win rate is exact."""

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """Return a `confidence` interval of the win rate, within 0 to 1; both ends are equal if exact."""
        error = 1.0 - open_fraction("confidence", confidence)
        return (self.win_rate, self.win_rate) if self.find_interval is None else self.find_interval(error)


def win_rates(
    strategies: Iterable[Strategy | str],
    epsilons: Iterable[float] = (),
    *,
    standard_error: float = WIN_RATE_ERROR,
    exact: bool | None = None,
    confidence: float = CONFIDENCE,
    seed: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
    **terms: Unpack[TaskTerms],
) -> pd.DataFrame:
    """Compute the win rate of each of `strategies` as `compute_win_rate` does; a spec that leaves its epsilon open is
    computed at each of `epsilons`, above 0.

    The frame has a row for each strategy and epsilon, in this order: strategy, curve (the spec without its epsilon),
    epsilon (NaN if there is none), budget, win_rate, low, high, standard_error, exact, method, histories. `low` and
    `high` are the ends of the `confidence` interval, 0 to 1. `terms` are the `words`, `rule`, `channel` and `format` of
    `make_task`; `standard_error`, `exact`, `seed`, `jobs` and `progress` are as in `compute_win_rate`.

    Raises what `compute_win_rate`, `make_task` and `parse_strategy` raise.

    >>> frame = win_rates(["TwoGuess()"], [12, 18])
    >>> frame["win_rate"].round(4).tolist()
    [0.0297, 0.0505]
    """
    import pandas as pd

    grid = [clue_epsilon("epsilon", epsilon) for epsilon in several("epsilons", epsilons)]
    chosen: list[Strategy | str] = []
    for strategy in several("strategies", strategies):
        spec = parse_spec(strategy) if isinstance(strategy, str) else None
        on_grid = spec is not None and grid and "epsilon" in spec.open_parameters
        chosen += [spec.build(epsilon=value) for value in grid] if spec is not None and on_grid else [strategy]
    rows = []
    for task in [as_task(strategy, terms=terms, caller="win_rates") for strategy in chosen]:
        found = compute_win_rate(
            task.strategy,
            task.setting,
            standard_error=standard_error,
            exact=exact,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
        statistics = (found.budget, found.win_rate, *found.interval(confidence), found.standard_error, found.exact)
        rows.append((found.strategy, task.row.curve, task.epsilon, *statistics, found.method, found.histories))
    columns = ["strategy", "curve", "epsilon", "budget", "win_rate", "low", "high", "standard_error", "exact"]
    return pd.DataFrame(rows, columns=[*columns, "method", "histories"]).astype({"epsilon": float})


def compute_win_rate(
    strategy: Strategy | str,
    setting: Setting | None = None,
    *,
    standard_error: float = WIN_RATE_ERROR,
    exact: bool | None = None,
    max_histories: int = MAX_EXACT,
    seed: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
) -> WinRate:
    """Compute the win rate of `strategy`, or of a spec such as "TwoGuess(18)": exactly if that takes few histories,
    else from a sample. Without a `setting`, it is that of the contest.

    By default it is exact if the strategy has no randomness of its own and at most `max_histories` clue histories.
    In the format of Wordle it is the share of games won with any guess; an estimate then comes from games.
    `exact=True` enumerates all histories whatever their number; `exact=False` always draws a sample.

    An estimate has about this `standard_error`, from 1e-7 to below 1. A pilot sample determines how many histories that
    takes. They are then drawn afresh, so the estimate is unbiased. `seed` determines the draws. No result depends on
    `jobs`. `progress` is called at the start, and after each piece of work: first clues if it is exact, else histories
    or games. If it is given, the logger `wordpl` is told before an estimate how many CPU seconds it will take.

    Raises `WordplError` for arguments out of range, for a strategy that cannot play in `setting`, makes an illegal move
    or asks more than 1,000 times in a game, and for `exact=True` if it has randomness of its own.

    >>> result = compute_win_rate("TwoGuess(18)")
    >>> result.exact, round(result.win_rate, 4)
    (True, 0.0505)
    """
    start = time.perf_counter()
    standard_error, seed = open_fraction("standard error", standard_error), check_seed(seed)
    max_histories = whole_number("max_histories", max_histories, minimum=0)
    exact = None if exact is None else boolean("exact", exact)
    if standard_error < _MIN_STANDARD_ERROR:
        raise WordplError(f"standard error {standard_error:g} is not allowed; {_MIN_STANDARD_ERROR:g} is the least")
    strategy = as_strategy(strategy)
    setting = make_task(strategy).setting if setting is None else instance("setting", setting, Setting)
    setting.format.for_strategies()
    strategy.check(setting)
    counter = _Counter(strategy, progress)
    by_history = strategy if isinstance(strategy, HistoryStrategy) and not strategy.random else None
    if exact and by_history is None:
        raise WordplError(f"{strategy.label} has randomness of its own; its win rate can be estimated, not enumerated")
    if by_history and (exact or (exact is None and count_histories(by_history, setting) <= max_histories)):
        statistics, find_interval = _enumerated(by_history, setting, jobs, counter), None
    elif by_history and not setting.format.is_wordle:
        statistics, find_interval = _sampled(by_history, setting, standard_error, seed, jobs, counter)
    else:
        statistics, find_interval = _simulated(strategy, setting, standard_error, seed, jobs, counter)
    return WinRate(strategy.label, *statistics, time.perf_counter() - start, find_interval)


class _Counter:
    """Tells a callback how far the work on a strategy is."""

    def __init__(self, strategy: Strategy, progress: Progress | None) -> None:
        self._strategy, self._progress = strategy, progress
        self._count = self._total = 0

    def expect(self, total: int) -> None:
        """There are `total` pieces in all; 0 if that is not known yet."""
        self._total = total
        self.add(0)

    def estimate(self, n: int, pieces: str, seconds: float) -> None:
        """After a pilot sample, `n` pieces are to come. Say how long that takes, at so many CPU `seconds` each."""
        if self._progress is not None:
            cost = f"{n * seconds:,.1f} CPU seconds for {n:,} {pieces}, by the rate of the first {2 * PILOT}"
            _LOG.info("%s: the estimate takes about %s", self._strategy.label, cost)
        self.expect(self._count + n)

    def add(self, new: int) -> None:
        """Some more are done."""
        self._count += new
        if self._progress is not None:
            self._progress(self._strategy, new, self._count, self._total)


def _enumerated(strategy: HistoryStrategy, setting: Setting, jobs: int, counter: _Counter) -> _Statistics:
    move = legal_move(strategy, setting, ())
    if isinstance(move, Answer) or ends(strategy, setting, ()):
        parts = [walk(strategy, setting, (), 1.0)]
    else:
        parts = [(win_chance(setting, (), move), spent((), move), 1)] if setting.format.is_wordle else []
        firsts = list(continued(setting, (), 1.0, move))
        counter.expect(len(firsts))
        for part in run_calls(jobs, ((walk, (strategy, setting, *first), {}) for first in firsts), ordered=True):
            parts.append(part)
            counter.add(1)
    shares, budgets, numbers = zip(*parts, strict=True)
    return max(budgets), min(math.fsum(shares), 1.0), 0.0, True, "all histories", sum(numbers)


def _sampled(
    strategy: HistoryStrategy, setting: Setting, standard_error: float, seed: int, jobs: int, counter: _Counter
) -> tuple[_Statistics, FindInterval]:
    def draw(n: int, stage: str) -> tuple[Floats, float, float, float]:
        bounds = [n * part // PARTS for part in range(PARTS + 1)]
        parts = [(range(*ends), n, seed, stage) for ends in itertools.pairwise(bounds)]
        runs = []
        for run in run_calls(jobs, ((play_strata, (strategy, setting, *part), {}) for part in parts), ordered=True):
            runs.append(run)
            counter.add(run[0].size)
        values, known, budgets, seconds = zip(*runs, strict=True)
        # Some have waited for what is computed once.
        return np.concatenate(values, axis=1), known[0], max(budgets), float(np.median(seconds)) * PARTS / (2 * n)

    counter.expect(0)  # the pilot tells how many
    values, _, _, seconds = draw(PILOT, "pilot")
    # A quarter more than the pilot says is needed, for it only guesses the spread.
    n = math.ceil(1.25 * PILOT * (error_of(values) / standard_error) ** 2)
    n = min(max(n, PILOT), _MAX_HISTORIES // 2)
    counter.estimate(2 * n, "histories", seconds)
    values, known, budget, _ = draw(n, "main")
    # Unlike the mean of games, that of the strata may lie outside 0 to 1; cut, it would be biased.
    found = budget, float(values.mean()), error_of(values), False, "stratified sample of histories", 2 * n
    return found, partial(mean_interval_of, values, known)


def _simulated(
    strategy: Strategy, setting: Setting, standard_error: float, seed: int, jobs: int, counter: _Counter
) -> tuple[_Statistics, FindInterval]:
    """Games against the referee, each counted with the referee's posterior probability of the proposal."""

    def play(n: int, root: int) -> Floats:
        task = make_task(strategy, root, **terms_of(setting))
        games = sweep([task], n, jobs, progress=lambda task, new, done, total: counter.add(new))[0].results
        return np.array([games["chance"], games["budget"], games["seconds"]])

    counter.expect(0)  # the pilot tells how many
    chances, _, seconds = play(2 * PILOT, stream(seed, "value pilot"))
    pilot = float(chances.std(ddof=1))
    n = min(max(math.ceil(1.25 * (pilot / standard_error) ** 2), 2 * PILOT), _MAX_HISTORIES)
    counter.estimate(n, "games", float(seconds.mean()))
    chances, budgets, _ = play(n, stream(seed, "value main"))
    error, method = float(chances.std(ddof=1) / math.sqrt(n)), "games, each counted with the posterior of the proposal"
    return (float(budgets.max()), float(chances.mean()), error, False, method, n), partial(mean_interval, chances)
