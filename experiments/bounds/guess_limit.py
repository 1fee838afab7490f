"""Upper bounds on the chance to win a game of Fibble within so many guesses, for every player.

A game of the format `wordle` under `Fibble`: each guess may win, and exactly so many marks of each other clue are
false. `docs/fibble.md` proves the bounds. They combine two things: no guess can split the possible answers better than
a free choice of true clues would, and the first guess is a real word.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.polynomial import Polynomial

from experiments.bounds.clues import Floats, as_words, differing_marks
from wordpl import Fibble, WordList, WordplError, clue_matrix
from wordpl.base.checks import whole_number

MAX_GUESSES = 12
MAX_ANSWERS = 10**6

# Up to so many possible answers a bound takes into account that they are whole numbers; beyond, it gains next to
# nothing.
WHOLE = 243

# Above what the tolerance of the linear programs and rounding can do.
_SLACK = 1.0 + 1e-6
_BLOCK = 2048


def guess_limit_bound(
    guesses: int, words: WordList | str, lies: int = 1, rule: str = "letterwise", first_guess: str | None = None
) -> tuple[float, ...]:
    """Return upper bounds on the chance to win within 1, 2, .. `guesses` guesses, for every player.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`. The bounds are for games of the
    format `wordle` with equally likely answers, in which exactly `lies` marks of each clue are false; 0 lies are
    ordinary Wordle. The player may be adaptive and random, and may aim at whatever number of guesses. With
    `first_guess`, the first guess is that word. A bound is from 1/answers to 1 if `first_guess` is None.

    `guesses` is from 1 to 12, `lies` from 0 to the length of the words. Raises `WordplError` for other numbers, an
    unknown rule, and a first guess that is not in the list.

    >>> import wordpl
    >>> [round(bound, 4) for bound in guess_limit_bound(3, wordpl.load_words(), lies=3)]
    [0.0004, 0.0017, 0.0057]
    """
    words = as_words(words)
    if first_guess is not None and first_guess not in words.guess_index:
        raise WordplError(f"first guess {first_guess!r} is not in the list of guesses of {words.name}")
    answers = len(words.answers)
    tables = free_wins(guesses, lies, words.length, answers)
    first = np.arange(len(words.guesses)) if first_guess is None else np.array([words.guess_index[first_guess]])
    channel = Fibble(length=words.length, lies=lies)
    noisy_clues = channel.noisy_clues
    answer_counts = np.zeros(len(words.guesses), dtype=np.int64)
    answer_counts[words.answers_as_guesses] = 1
    clues, best = clue_matrix(words, rule), np.zeros(guesses)
    for start in range(0, len(first), _BLOCK):
        block = first[start : start + _BLOCK]
        true = np.stack([np.bincount(clues[g], minlength=words.n_clues) for g in block], axis=1)
        true[-1] -= answer_counts[block]  # the right guess has no clue
        left = np.rint(noisy_clues * channel.transform(true.astype(np.float64))).astype(np.int64)
        for n in range(guesses):
            best[n] = max(best[n], (answer_counts[block] + tables[n][left].sum(axis=0) / noisy_clues).max())
    return tuple(min(1.0, float(wins) / answers * _SLACK) for wins in best)


def free_wins(guesses: int, lies: int, length: int, answers: int) -> Floats:
    """Return upper bounds on the expected wins among s equally likely answers with n guesses left.

    The expected wins are s times the chance to win. They are [guesses + 1, answers + 1], by n and by s. Here a guess
    may give each possible answer any true clue at all. `guesses` is from 1 to 12, `lies` from 0 to `length`, `length`
    from 1 to 8 and `answers` from 1 to a million; other values raise `WordplError`.
    """
    guesses = whole_number("guesses", guesses, maximum=MAX_GUESSES)
    answers = whole_number("answers", answers, maximum=MAX_ANSWERS)
    channel = Fibble(length=length, lies=lies)
    return _free_wins(guesses, channel.lies, channel.length, answers)


@lru_cache(maxsize=16)
def _free_wins(guesses: int, lies: int, length: int, answers: int) -> Floats:
    noisy_clues, codes = Fibble(length=length, lies=lies).noisy_clues, 3**length
    sizes = np.arange(answers + 1, dtype=np.float64)
    squares = [sum_of_squares(t, lies, length) for t in range(min(WHOLE, answers) + 1)]
    tables = np.zeros((guesses + 1, answers + 1))
    for n in range(1, guesses + 1):
        corners = _concave_corners(tables[n - 1])
        # Of t answers that the guess is not, each noisy clue leaves noisy_clues * t / codes on average.
        wins = codes / noisy_clues * np.interp(noisy_clues * sizes / codes, corners, tables[n - 1][corners])
        for t in range(1, len(squares)):
            mean, square = noisy_clues * t / codes, squares[t] / codes
            wins[t] = min(wins[t], codes / noisy_clues * _most(tables[n - 1][: t + 1], mean, square))
        # The guess is one of the s answers, or none of them.
        guessed = np.concatenate([[0.0], 1.0 + wins[:-1]])
        tables[n] = np.minimum(sizes, np.maximum(guessed, wins))
    tables.flags.writeable = False
    return tables


def _concave_corners(values: Floats) -> list[int]:
    """Return the indices at which the least concave function above `values` has its corners."""
    corners: list[int] = []
    for i, value in enumerate(values):
        while len(corners) > 1:
            a, b = corners[-2:]
            if (values[b] - values[a]) * (i - b) > (value - values[b]) * (b - a):
                break
            corners.pop()
        corners.append(i)
    return corners


def sum_of_squares(count: int, lies: int, length: int) -> float:
    """Return a lower bound on the sum over noisy clues of the square of how many of `count` true clues can become it.

    It is the linear program of Delsarte (1973) over the distances between the true clues, which may be equal.
    """
    from scipy.optimize import linprog

    if count == 0:
        return 0.0
    distances = range(length + 1)
    # How many noisy clues two true ones have in common, by distance: those of 0 and of a clue of so many present marks.
    of_first = (differing_marks(0, length) == lies).astype(np.float64)
    channel = Fibble(length=length, lies=lies)
    shared = np.rint(channel.noisy_clues * channel.transform(of_first))[[(3**d - 1) // 2 for d in distances]]
    # Row j holds the Krawtchouk polynomial of degree j for words over three letters.
    krawtchouk = [(Polynomial([1, -1]) ** d * Polynomial([1, 2]) ** (length - d)).coef for d in distances]
    optimum = linprog(
        shared,
        A_ub=-np.stack(krawtchouk, axis=1).astype(np.float64),
        b_ub=np.zeros(length + 1),
        A_eq=np.ones((1, length + 1)),
        b_eq=[count],
        bounds=[(1, None)] + [(0, None)] * length,
    )
    # Without a solution, what each true clue has alone.
    return float(count * max(optimum.fun, shared.min()) / _SLACK) if optimum.status == 0 else float(count * shared[0])


def _most(values: Floats, mean: float, square: float) -> float:
    """Upper bound on the mean of values[s] for whole s with this mean, and a mean square of at least `square`.

    Any a + b s - c s**2 with c >= 0 that is above all values gives one; this is the least of them.
    """
    from scipy.optimize import linprog

    sizes = np.arange(len(values), dtype=np.float64)
    above = -np.stack([np.ones_like(sizes), sizes, -(sizes**2)], axis=1)
    optimum = linprog([1.0, mean, -square], A_ub=above, b_ub=-values, bounds=[(None, None), (None, None), (0, None)])
    if optimum.x is None:
        return math.inf
    # The least a for these b and c, so that the tolerance of the solver does no harm.
    b, c = float(optimum.x[1]), max(float(optimum.x[2]), 0.0)
    a = float((values - b * sizes + c * sizes**2).max())
    return a + b * mean - c * square
