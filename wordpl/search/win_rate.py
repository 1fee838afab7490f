"""The win rate of a strategy: exact if its tree of clues is small enough, else an unbiased estimate.

With k clues the win rate is the sum over the 243**k noisy clue histories of the joint weight of the
proposed answer. A strategy that proposes the most probable answer after its last ask (`last_ask`)
needs the first k - 1 of them only, for the last sum is one (max, x) transform. Two such clues are 243
histories, three 59,049. Beyond that histories are drawn, and each counts with the posterior probability
of the proposal in place of a win or a loss (Rao-Blackwell).

In the format of Wordle each guess may win: the win rate is the sum of the joint weights of all guesses, each with the
histories in which the game has come to it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.special
from joblib import delayed
from numpy.typing import NDArray

from wordpl.checks import boolean, fraction, open_fraction, whole_number
from wordpl.displays import cut, line_of
from wordpl.errors import WordplError, error_line
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_row
from wordpl.play.moves import Answer, Ask, InvalidMoveError, Move
from wordpl.play.printing import prints_to_stderr
from wordpl.play.referee import GameRules, chance
from wordpl.play.seeds import check_seed, stream
from wordpl.play.sources import user_line
from wordpl.play.strategy import History, HistoryStrategy, Setting, Strategy, Turn
from wordpl.progress import Progress
from wordpl.scoring.guess_scores import score_guesses
from wordpl.workers import run_in_order

Floats = NDArray[np.float64]

# Up to here all histories are gone through unless asked otherwise: two clues and the proposal.
MAX_EXACT = 60_000
REPLICATES = 20
_SPREAD = 8
PILOT = 12  # histories per replicate
_MIN_STANDARD_ERROR = 1e-7
_MAX_HISTORIES = 2_000_000
"""Give up refining here."""
MAX_ASKS = 1000
"""Of one game; one with more is taken for a game without an end."""


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
    if not isinstance(strategy, HistoryStrategy) or strategy.random:
        if exact:
            raise WordplError(f"{strategy!r} has randomness of its own; its win rate can be estimated, not enumerated")
        return _simulated(strategy, setting, standard_error, seed, jobs, begun, told)
    if exact is None:
        exact = _histories(strategy, setting) <= max_histories
    if exact:
        return _enumerated(strategy, setting, jobs, begun, told)
    if setting.format.is_wordle:
        return _simulated(strategy, setting, standard_error, seed, jobs, begun, told)
    return _sampled(strategy, setting, standard_error, seed, jobs, begun, told)


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


def legal_move(strategy: HistoryStrategy, setting: Setting, history: History) -> Move:
    """Return the move of `strategy` after `history`.

    Raises `WordplError` if it is not legal, the strategy errs, or it asks once more after `MAX_ASKS` asks.
    """
    try:
        try:
            with prints_to_stderr():
                move = strategy.decide(setting, history)
        except WordplError:
            raise
        except Exception as error:
            told = error_line(error, where=user_line(error))
            raise WordplError(f"{strategy!r} errs after {len(history)} clues: {told}") from None
        move = GameRules(setting).legal(move, len(history))
    except InvalidMoveError as error:
        raise WordplError(f"{strategy!r} makes an illegal move after {len(history)} clues: {error}") from None
    if isinstance(move, Ask) and len(history) >= MAX_ASKS:
        raise WordplError(f"{strategy!r} still asks after {len(history):,} clues; a game has at most {MAX_ASKS:,} asks")
    return move


def _histories(strategy: HistoryStrategy, setting: Setting) -> int:
    """How many histories an enumeration goes through, judged by the likeliest path."""
    # That a game has no limit of epsilon does not say that its clues are true: see `Fibble`.
    if setting.noiseless and make_channel(setting.channel, math.inf, setting.words.length).exact:
        return len(setting.words.answers)
    if setting.format.guesses is not None:
        return int(setting.words.n_clues ** (setting.format.guesses - 1))
    history: History = ()
    while isinstance(move := legal_move(strategy, setting, history), Ask):
        if strategy.last_ask(setting, history):
            break
        history += (Turn(move.guess, move.epsilon, int(_clue_chances(setting, history, move).argmax())),)
    return int(setting.words.n_clues ** len(history))


def _clue_chances(setting: Setting, history: History, move: Ask) -> Floats:
    """P(noisy clue to `move` | history), in the format of Wordle together with a guess that is wrong: [codes]."""
    return setting.belief(history).clue_probabilities(move.guess, move.epsilon)


def _entropies(setting: Setting, history: History, move: Ask) -> Floats:
    """Entropy in nats of the posterior after each noisy clue to `move`: [codes]; 0 for a clue that cannot be."""
    p = setting.belief(history).probabilities
    row = clue_row(move.guess, setting.words, setting.rule)
    true, inner = (np.bincount(row, weights, setting.words.n_clues) for weights in (p, scipy.special.xlogy(p, p)))
    matrix = make_channel(setting.channel, move.epsilon, setting.words.length).matrix()
    # The log of a joint weight is the log of the prior's and the log of the clue's likelihood, summed over codes.
    logs = matrix.copy()
    logs.data = scipy.special.xlogy(logs.data, logs.data)
    chances = matrix @ true
    possible = chances > 0
    of_logs = np.divide(matrix @ inner + logs @ true, chances, out=np.zeros_like(chances), where=possible)
    return np.asarray(np.log(chances, out=np.zeros_like(chances), where=possible) - of_logs)


def win_chance(setting: Setting, history: History, move: Move) -> float:
    """Return P(win | history), 0 to 1, of a proposal, or of an ask followed by the most probable answer.

    In the format of Wordle, that is P(the guess is right | history).
    """
    if isinstance(move, Answer):
        return chance(setting, history, move.word)
    if setting.format.is_wordle:
        return chance(setting, history, move.guess)
    belief = setting.belief(history)
    guess = setting.words.guess_index[move.guess]
    return float(score_guesses(belief, move.epsilon, "expected_top", guesses=[guess])[0])


def _spent(history: History, move: Move) -> float:
    return math.fsum((*(turn.epsilon for turn in history), move.epsilon if isinstance(move, Ask) else 0.0))


@dataclass
class _Sum:
    """What a walk adds up."""

    win_rate: float = 0.0
    budget: float = 0.0
    histories: int = 0

    def add(self, other: _Sum) -> None:
        self.win_rate += other.win_rate
        self.budget = max(self.budget, other.budget)
        self.histories += other.histories


def _walk(strategy: HistoryStrategy, setting: Setting, history: History, mass: float) -> _Sum:
    """The win rate over all games that begin with `history`, which has probability `mass`."""
    whole = _Sum()
    # Histories left to go through, and their sum, at each turn of the game: it may be longer than Python's stack.
    turns = [(iter([(history, mass)]), whole)]
    while turns:
        left, total = turns[-1]
        for history, mass in left:
            move = legal_move(strategy, setting, history)
            if isinstance(move, Ask) and not _ends(strategy, setting, history):
                if setting.format.is_wordle:
                    total.add(_Sum(mass * win_chance(setting, history, move), _spent(history, move), 1))
                turns.append((_continued(setting, history, mass, move), _Sum()))
                break
            total.add(_Sum(mass * win_chance(setting, history, move), _spent(history, move), 1))
        else:
            turns.pop()
            if turns:
                turns[-1][1].add(total)
    return whole


def _ends(strategy: HistoryStrategy, setting: Setting, history: History) -> bool:
    """Whether the chance to win after the ask that follows `history` is all that is left of the game."""
    if setting.format.is_wordle:
        return len(history) + 1 == setting.format.guesses
    return strategy.last_ask(setting, history)


def _continued(setting: Setting, history: History, mass: float, move: Ask) -> Iterator[tuple[History, float]]:
    """The histories with one turn more that can be, and their probabilities."""
    for code, share in enumerate(_clue_chances(setting, history, move).tolist()):
        if share > 0:
            yield (*history, Turn(move.guess, move.epsilon, code)), mass * share


def _enumerated(strategy: HistoryStrategy, setting: Setting, jobs: int, begun: float, told: _Told) -> WinRate:
    move = legal_move(strategy, setting, ())
    total = _Sum()
    if isinstance(move, Answer) or _ends(strategy, setting, ()):
        total = _walk(strategy, setting, (), 1.0)
    else:
        if setting.format.is_wordle:
            total.add(_Sum(win_chance(setting, (), move), _spent((), move), 1))
        firsts = list(_continued(setting, (), 1.0, move))
        told.expect(len(firsts))
        # In the order of the clues whatever the number of workers, so that the sum is the same to the last bit.
        for part in run_in_order(jobs, (delayed(_walk)(strategy, setting, *first) for first in firsts)):
            total.add(part)
            told.add(1)
    return WinRate(
        repr(strategy),
        total.budget,
        min(total.win_rate, 1.0),
        0.0,
        True,
        "all histories",
        total.histories,
        time.perf_counter() - begun,
    )


@lru_cache(maxsize=2)
def _openings(strategy: HistoryStrategy, setting: Setting) -> list[tuple[History, float]]:
    """Histories of two clues (fewer where the game is shorter then) with their probabilities, by rising entropy.

    What a game is worth hangs on the entropy left, so an even sample along it has little spread.
    """
    grown = sorted(_grow(strategy, setting, (), 1.0, math.inf, 2), key=lambda opening: opening[2])
    return [(history, mass) for history, mass, _ in grown]


def _grow(
    strategy: HistoryStrategy, setting: Setting, history: History, mass: float, entropy: float, clues: int
) -> Iterator[tuple[History, float, float]]:
    move = legal_move(strategy, setting, history) if clues else None
    if not isinstance(move, Ask) or strategy.last_ask(setting, history):
        yield history, mass, entropy
        return
    chances, entropies = _clue_chances(setting, history, move), _entropies(setting, history, move)
    for code, share in enumerate(chances):
        if share > 0:
            turn = Turn(move.guess, move.epsilon, code)
            yield from _grow(strategy, setting, (*history, turn), mass * share, float(entropies[code]), clues - 1)


def _replicate(strategy: HistoryStrategy, setting: Setting, n: int, seed: int, replicate: str) -> tuple[float, float]:
    """Mean chance to be right, and largest budget, over `n` histories: one systematic sample of the openings,
    each drawn in proportion to its probability, the rest of the game drawn."""
    openings = _openings(strategy, setting)
    rng = np.random.default_rng(stream(seed, f"value {replicate}"))
    total = budget = 0.0
    for at in _systematic(np.array([mass for _, mass in openings]), n, rng):
        chance, spent = _play_out(strategy, setting, openings[at][0], rng)
        total, budget = total + chance, max(budget, spent)
    return total / n, budget


def _play_out(
    strategy: HistoryStrategy, setting: Setting, history: History, rng: np.random.Generator
) -> tuple[float, float]:
    """Chance to be right and largest budget of a game that goes on from `history`, its clues drawn.

    The last clue but one is drawn `_SPREAD` times, for the ask after it costs less than the one before.
    """
    move = legal_move(strategy, setting, history)
    while isinstance(move, Ask) and not strategy.last_ask(setting, history):
        by_entropy = np.argsort(_entropies(setting, history, move), kind="stable")
        drawn = _systematic(_clue_chances(setting, history, move)[by_entropy], _SPREAD, rng)
        turns = [Turn(move.guess, move.epsilon, int(by_entropy[place])) for place in drawn]
        if all(strategy.last_ask(setting, (*history, turn)) for turn in turns):
            ends = {turn: (*history, turn) for turn in turns}
            moves = {turn: legal_move(strategy, setting, end) for turn, end in ends.items()}
            chances = {turn: win_chance(setting, end, moves[turn]) for turn, end in ends.items()}
            return (
                sum(chances[turn] for turn in turns) / len(turns),
                max(_spent(ends[turn], moves[turn]) for turn in ends),
            )
        history = (*history, turns[int(rng.integers(len(turns)))])
        move = legal_move(strategy, setting, history)
    return win_chance(setting, history, move), _spent(history, move)


def _systematic(weights: Floats, n: int, rng: np.random.Generator) -> list[int]:
    """`n` indices, each drawn with probability in proportion to its weight, evenly spread: one random start."""
    bounds = np.cumsum(weights)
    points = (np.arange(n) + rng.random()) / n * bounds[-1]
    indices = np.minimum(np.searchsorted(bounds, points, side="right"), len(weights) - 1)
    return [int(index) for index in indices]


def _sampled(
    strategy: HistoryStrategy, setting: Setting, standard_error: float, seed: int, jobs: int, begun: float, told: _Told
) -> WinRate:
    def draw(n: int, stage: str) -> tuple[Floats, float]:
        stages = (f"{stage} {i}" for i in range(REPLICATES))
        runs = []
        for run in run_in_order(jobs, (delayed(_replicate)(strategy, setting, n, seed, each) for each in stages)):
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
    return WinRate(
        repr(strategy),
        budget,
        float(means.mean()),
        float(means.std(ddof=1) / math.sqrt(REPLICATES)),
        False,
        "stratified sample of histories",
        n * REPLICATES,
        time.perf_counter() - begun,
    )


def _simulated(
    strategy: Strategy, setting: Setting, standard_error: float, seed: int, jobs: int, begun: float, told: _Told
) -> WinRate:
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
    return WinRate(
        repr(strategy),
        float(budgets.max()),
        float(chances.mean()),
        float(chances.std(ddof=1) / math.sqrt(n)),
        False,
        "games, each counted with the posterior of the proposal",
        n,
        time.perf_counter() - begun,
    )
