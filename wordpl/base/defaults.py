"""Defaults that Python, the command line, its help and the documents share. This module loads nothing."""

SEED = 1
CONFIDENCE = 0.95
"""The confidence of intervals."""
PERCENTILES = (0.05, 0.50, 0.95)
"""The contest ranks by these three."""
QUANTILES = {f"p{round(100 * q):02d}": q for q in PERCENTILES}
POSTERIOR_WIN_RATE = "posterior_win_rate"
STATISTICS = (POSTERIOR_WIN_RATE, *QUANTILES)
"""The statistics that a comparison compares."""
MARGIN = 0.01
"""Strategies are level if their win rates differ by less than this, or their percentiles by less than this fraction."""
EPSILON_GRID = "5:50:5"
"""Channel of strategies without an epsilon."""
WIN_RATE_ERROR, RECORD_ERROR, FRONTIER_ERROR = 0.001, 0.0003, 0.006
"""Standard errors at which sampling a win rate ends: of a strategy, of a record, of a point of the frontier."""
GAME_SECONDS = 10.0
"""CPU seconds that a contestant may think in one game; the contest's code has as many, of wall clock."""
RENYI_ORDER = 2.0
BEST_GUESSES, NOISY_CLUES = 10, 5
"""Numbers of best guesses, and of noisy clues, that are shown."""
OPENERS = 30
"""Number of the most promising first guesses of a tree that are tried."""
FEW_ANSWERS = 20
"""Up to so many answers that remain are always shown."""
WORDLE_GUESSES, FIBBLE_GUESSES = 6, 9
"""Guesses in a game of Wordle, and in one with false marks."""
HASH_SEED = 0
"""Hash seed of Python wherever a strategy of the user's plays: sets have the same order in every run."""
