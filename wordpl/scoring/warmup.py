"""Getting kernels ready before a clock starts, for the contest: a submission must not be run before its first game."""

import itertools
import math
import warnings
from contextlib import suppress

from wordpl.base.errors import WordplError
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList
from wordpl.scoring.criteria import CRITERIA
from wordpl.scoring.guess_scores import best_guess, score_guesses
from wordpl.scoring.lookahead import best_ask


def prepare(belief: Posterior, noiseless: bool) -> None:
    """Compile, or load, all kernels behind the public scoring functions for games that begin with `belief`, for clues
    that are `noiseless` or not: 0.3 to 20 s (numba 0.68)."""
    # Compiled code depends on the types of the arrays, which the length of the words decides, not on their number.
    length, epsilon = belief.words.length, math.inf if noiseless else 1.0
    # As many as one of the bounds of a last clue is for.
    pairs = itertools.product("abcdefghijkl", repeat=2)
    some = tuple((first + length * second)[:length] for first, second in pairs)
    belief = Posterior(WordList("some", some, some), belief.rule, belief.channel)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some criterion does not suit the channel
        for criterion in CRITERIA:
            score_guesses(belief, epsilon, criterion)
        score_guesses(belief, epsilon, draws=1, rng=0, separate_draws=True)
        best_guess(belief, epsilon, "expected_top")
        with suppress(WordplError):  # these are for some channels
            best_guess(belief, epsilon, draws=1, rng=0, separate_draws=True)
        with suppress(WordplError):
            best_ask(belief, [(word, epsilon) for word in some[:2]], 2.0 * epsilon)
