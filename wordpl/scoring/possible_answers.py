"""Scores of guesses by how many answers they leave possible, for games with a limited number of guesses.

Under `Fibble`, and without noise, a clue either rules an answer out or says nothing about it. So all possible answers
stay equally likely, and a position is the set of them. The chance to win with two guesses left then depends only on
which noisy clues are possible. The best guess is found in a millisecond, so looking one guess further ahead is cheap.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import instance, non_negative, numbers
from wordpl.base.errors import WordplError
from wordpl.model.channel import Fibble, make_channel
from wordpl.model.clues import Codes, clue_matrix
from wordpl.model.entropy import Floats
from wordpl.model.posterior import Posterior
from wordpl.scoring.guess_scores import Indices, chosen_guesses
from wordpl.scoring.last_guess import clues_at
from wordpl.scoring.noise import noise_of
from wordpl.scoring.threads import run_kernel


def counts_answers(belief: Posterior, epsilon: float) -> bool:
    """Return whether all possible answers of `belief` are equally likely and stay so after any clues at `epsilon`.

    `epsilon` is from 0 to inf. This is the case under `Fibble` and without noise, if the prior is uniform. Raises
    `WordplError` for another epsilon.
    """
    instance("belief", belief, Posterior)
    channel = make_channel(belief.channel, non_negative("epsilon", epsilon), belief.words.length)
    fixed = channel.exact or channel.false_marks is not None
    return fixed and bool((belief.log_weights[belief.possible] == 0.0).all())


def expected_wins(
    belief: Posterior,
    epsilon: float,
    values: Sequence[float] | Floats,
    guesses: Sequence[int] | Indices | None = None,
) -> Floats:
    """Return the expected value of the game after each guess, if a right guess ends the game: [guesses].

    `belief` is the position; clues come at `epsilon` (0 to inf).

    A right guess has the value 1. After any other guess, a position with s possible answers has the value values[s] /
    s. So `values`, [answers + 1], are s times the probability of a win, as a function of s. With `guesses`, indices of
    `words.guesses`, only these are scored, in their order. If the values come from probabilities, the result is one,
    too.

    Raises `WordplError` for a belief and an epsilon for which `counts_answers` is false, values of another shape or
    not finite, and indices out of range.

    >>> import wordpl
    >>> words = wordpl.load_words()
    >>> belief = wordpl.Posterior(words, channel=wordpl.Fibble, right_ends=True)
    >>> in_two = expected_wins(belief, float("inf"), [0] + [1] * len(words.answers))
    >>> words.guesses[int(in_two.argmax())], round(float(in_two.max()) * len(words.answers), 2)
    ('eater', 25.2)
    """
    from wordpl.scoring.kernels import VALUES, Measure, score  # numba takes half a second to import

    fibble, values = _checked(belief, epsilon), numbers("values", values)
    words = belief.words
    if values.shape != (len(words.answers) + 1,) or not np.isfinite(values).all():
        raise WordplError(f"values must be {len(words.answers) + 1} finite numbers, one for each number of answers")
    chosen = chosen_guesses(guesses, len(words.guesses))
    possible, (clues, place) = belief.possible, _position(belief)
    reached, _ = noise_of(fibble, power=2.0, right_ends=True)  # entries of 0 and 1: the factor is taken out
    shares = values / fibble.noisy_clues
    work = len(chosen) * max(len(possible), words.n_clues)
    arguments = clues, chosen, np.arange(len(possible)), np.ones(len(possible)), (reached, reached), words.n_clues
    measure = Measure(VALUES, values=shares)
    return (run_kernel(score, *arguments, measure, work=work) + (place[chosen] >= 0)) / len(possible)


def chances_in_three(belief: Posterior, epsilon: float, guesses: Sequence[int] | Indices) -> Floats:
    """Return for each of `guesses` the exact probability of a win with it or the best two guesses after it: [guesses].

    `belief` is the position; clues come at `epsilon` (0 to inf). `guesses` are indices of `words.guesses`. The two
    later guesses are chosen from all guesses. Each guess takes some tens of milliseconds. Raises `WordplError` for a
    belief and an epsilon for which `counts_answers` is false, and for indices out of range.
    """
    from wordpl.scoring.last_guess_kernels import best_of_two_after

    fibble = _checked(belief, epsilon)
    chosen = chosen_guesses(guesses, len(belief.words.guesses))
    possible, scores = belief.possible, np.empty(len(chosen))
    (clues, places), reached = _position(belief), clues_at(fibble.length, (fibble.lies,))
    codes, noisy_clues = np.arange(belief.words.n_clues), fibble.noisy_clues
    work = len(codes) * len(belief.words.guesses)
    for at, guess in enumerate(chosen.tolist()):
        wins = run_kernel(best_of_two_after, clues, codes, places, guess, reached, noisy_clues, work=work)
        scores[at] = (places[guess] >= 0) + wins.sum() / noisy_clues
    return scores / len(possible)


def _checked(belief: Posterior, epsilon: float) -> Fibble:
    """The channel as one with a fixed number of lies."""
    if not counts_answers(belief, epsilon):
        raise WordplError("this needs Fibble or no noise, and possible answers that are equally likely")
    lies = make_channel(belief.channel, epsilon, belief.words.length).false_marks
    return Fibble(length=belief.words.length, lies=lies or 0)  # without noise there are none


def _position(belief: Posterior) -> tuple[Codes, NDArray[np.int64]]:
    """The clues of the possible answers, [guesses, possible], and the place of each guess among them, or -1."""
    words, possible = belief.words, belief.possible
    place = np.full(len(words.guesses), -1, dtype=np.int64)
    place[words.answers_as_guesses[possible]] = np.arange(len(possible))
    # A copy: the few columns of the whole matrix that matter would each be a miss of the cache.
    clues = clue_matrix(words, belief.rule).take(possible, axis=1)
    clues.flags.writeable = False  # as the whole matrix is, so that no kernel is compiled for both
    return clues, place
