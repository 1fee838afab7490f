"""Looking ahead over two more clues, and which guesses are worth it: what the search for the records compares.

Three clues are far too many to value exactly. What is compared is close to the truth, and too low by nearly the same
amount for all guesses.
"""

from collections.abc import Sequence

import numpy as np
import scipy.special

from experiments.quick_asks import quick_ask
from wordpl import Posterior, best_guess, clue_row, score_guesses

# Every third last guess is evaluated. The guess before it ignores answers below this fraction of the heaviest.
EVERY = 3
CUTOFF = 1e-4


def shortlist(belief: Posterior, epsilon: float, orders: Sequence[float], each: int) -> list[str]:
    """Return the `each` best guesses by `renyi` of each of `orders`: without repeats, the best ones first."""
    ranked = [
        np.argsort(-score_guesses(belief, epsilon, "renyi", order=order), kind="stable")[:each] for order in orders
    ]
    places = [int(guess) for same_place in zip(*ranked, strict=True) for guess in same_place]
    return [belief.words.guesses[g] for g in dict.fromkeys(places)]


def two_step_lookahead(
    belief: Posterior,
    guess: str,
    epsilon: float,
    budget: float,
    *,
    budget_fraction: float,
    order: float = 1.0,
    clue_probability: float = 1.0,
) -> float:
    """Return approximately P(right) if `guess` is asked at `epsilon` under `belief` and two more clues follow.

    The second guess is the best by `renyi` of `order`. It gets `budget_fraction` (above 0, below 1) of the rest of
    `budget`. The last guess is close to the best. Only the most likely clues to `guess` are evaluated, as many as have
    the probability `clue_probability` together (above 0, at most 1). The values after all others are estimated from
    their entropies.
    """
    words, rest = belief.words, budget - epsilon
    channel, row = belief.channel(epsilon, words.length), clue_row(guess, words, belief.rule)
    joints = np.array([belief.probabilities * channel.likelihood(code).take(row) for code in range(words.n_clues)])
    chances = joints.sum(axis=1)
    order_of_codes = np.argsort(-chances, kind="stable")
    covered = np.cumsum(chances[order_of_codes])
    seen = order_of_codes[: 1 + int(np.searchsorted(covered, clue_probability * chances.sum() - 1e-9))]
    seen = seen[chances[seen] > 0]
    values = np.empty(len(seen))
    next_epsilon = budget_fraction * rest
    for place, code in enumerate(seen):
        after = Posterior(words, belief.rule, belief.channel, prior=joints[code])
        following = best_guess(after.truncate(CUTOFF), next_epsilon, "renyi", order=order)
        values[place] = quick_ask(after, [(following, next_epsilon)], rest, every=EVERY).value
    known = float(chances[seen] @ values)
    others = order_of_codes[len(seen) :]
    others = others[chances[others] > 0]
    if not len(others):
        return known
    bits = scipy.special.entr(joints / np.where(chances > 0, chances, 1.0)[:, np.newaxis]).sum(axis=1)  # after each
    degree = min(2, len(np.unique(bits[seen].round(9))) - 1)
    curve = np.polyfit(bits[seen], values, degree, w=np.sqrt(chances[seen]))
    judged = np.clip(np.polyval(curve, bits[others]), 0.0, 1.0)
    return known + float(chances[others] @ judged)
