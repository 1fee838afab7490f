"""Getting all kernels ready that a game needs, before a clock starts.

A submission of the contest must not be run before its first game, in which its clock runs. A trusted strategy has no
clock: a game is rehearsed (`wordpl.simulation.playing`).
"""

import math
import warnings
from pathlib import Path

from wordpl.base.kept import code_folder
from wordpl.model.channel import make_channel
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList
from wordpl.play.setting import Setting

KERNEL_FOLDERS = "scoring", "wordle/trees/optimal"


def prepare(setting: Setting) -> None:
    """Compile, or load, all kernels behind the public scoring functions for `setting`: 0.3 to 20 s (numba 0.68)."""
    from wordpl.scoring.criteria import CRITERIA
    from wordpl.scoring.guess_scores import best_guess, score_guesses
    from wordpl.scoring.last_guess import MAX_MARKS, symmetric_marks
    from wordpl.scoring.lookahead import best_ask

    # Compiled code depends on the types of the arrays, which the length of the words decides, not on their number.
    length = setting.words.length
    pair = (length * "a", length * "b")
    belief = Posterior(WordList("pair", pair, pair), setting.rule, setting.channel)
    epsilon = math.inf if setting.noiseless else 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some criterion does not suit the channel
        for criterion in CRITERIA:
            score_guesses(belief, epsilon, criterion)
        score_guesses(belief, epsilon, draws=1, rng=0, separate_draws=True)
        best_guess(belief, epsilon, "expected_top")
    looks_ahead = length <= MAX_MARKS and not setting.noiseless
    if looks_ahead and symmetric_marks(make_channel(setting.channel, epsilon, length)) is not None:
        best_ask(belief, [(word, epsilon) for word in pair], 2.0 * epsilon)


def caches() -> dict[str, Path]:
    """Where the compiled code of each of our folders is kept, by its path in the package, if not in the folder."""
    package = Path(__file__).parents[1]
    places = {folder: code_folder(package / folder) for folder in KERNEL_FOLDERS}
    return {folder: place for folder, place in places.items() if place is not None and place.name != "__pycache__"}
