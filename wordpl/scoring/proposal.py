"""When to propose: what a proposal is worth now, against asking on.

A game is worth its chance to be won, less its budget at the price of a won game. The strategies that hold the contest's
records (docs/records.md) set this price: `NinetyFifth` spends 68.2 for 0.95 wins, 71.8 for each, and `Median` 36.3 for
0.5, 72.6 for each. So an ask is worth the expected top posterior after it, less its epsilon over 72.

Where many answers are likely, several asks pay of which none would alone. Then an ask is worth what the records make of
the bits that it leaves: `NinetyFifth` has log2(2315) = 11.18 bits to find at the start and spends 68.2, which is 6.1 a
bit. At this rate a posterior of H bits is won with probability 0.95 for another 6.1 H.
"""

import math
from dataclasses import dataclass
from typing import Annotated

from wordpl.base.checks import instance
from wordpl.base.displays import percent
from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc
from wordpl.model.posterior import Posterior
from wordpl.model.words import capitals

PRICE = 72.0
"""Epsilon that the records pay for each game won."""
EPSILONS = (3.0, 5.0, 8.0, 13.0, 20.0, 30.0, 40.0)
"""Epsilons of the asks with which a proposal is compared."""
_ONE_OF_SEVERAL = 13.0
"""Epsilon of an ask that is worth it only with others."""
_WIN_RATE, _BITS = 0.95, math.log2(2315)
_PER_BIT = 68.2 / _BITS


@dataclass(frozen=True)
class ProposalAdvice:
    """Advice to propose the most probable answer, or to ask once more."""

    text: Annotated[str, Doc("The advice in a sentence.")]
    word: Annotated[str, Doc("The most probable answer.")]
    chance: Annotated[float, Doc("Its probability.")]
    guess: Annotated[str | None, Doc("The word to ask; null to propose.")] = None
    epsilon: Annotated[float | None, Doc("The epsilon of that ask.")] = None
    raised: Annotated[float | None, Doc("Expected probability of the most probable answer after it.")] = None


def when_to_propose(belief: Posterior) -> ProposalAdvice:
    """Return whether to propose under `belief`, or what to ask.

    It never says to propose if an ask at one of `EPSILONS`, or at the epsilon that the channel fixes, raises the chance
    by more than its price. Raises `WordplError` if the right guess ends the game, and if every clue costs infinity.

    >>> import wordpl
    >>> belief = wordpl.Posterior(wordpl.load_words()).update("crate", 13, "c.icc")
    >>> wordpl.scoring.when_to_propose(belief).text
    'Asking CASTE at 13 raises 31.1% to 42.6% on average and is worth it with the asks that follow.'
    """
    from wordpl.scoring.guess_scores import best_guess, best_guesses, score_guesses

    words = instance("belief", belief, Posterior).words
    fixed = getattr(belief.channel, "row_epsilon", None)
    if belief.right_ends or fixed == math.inf:
        raise WordplError("when to propose is asked in games that end with a proposal, and whose clues have a price")

    def top_after(guess: str, epsilon: float) -> float:
        return float(score_guesses(belief, epsilon, "expected_top", guesses=[words.guess_index[guess]])[0])

    # A longer list has more bits to find, so that its games are dearer.
    price = PRICE * max(1.0, math.log2(len(words.answers)) / _BITS)
    word, chance = belief.top
    asks = []
    for epsilon in EPSILONS if fixed is None else (fixed,):
        if 1.0 - epsilon / price > chance:
            guess = best_guess(belief, epsilon, "expected_top")
            asks.append((top_after(guess, epsilon) - epsilon / price, guess, epsilon))
    value, guess, epsilon = max(asks, default=(0.0, "", 0.0))
    worth = "is worth it"
    if value <= chance:
        epsilon = _ONE_OF_SEVERAL if fixed is None else fixed
        ((guess, gain),) = best_guesses(belief, epsilon, "information_gain", 1)
        worth = "is worth it with the asks that follow"
        value = _WIN_RATE - ((belief.entropy - gain) * _PER_BIT + epsilon) / price
    if value <= chance:
        text = f"Propose {capitals(word)}: at {percent(chance)} no ask is worth its price."
        return ProposalAdvice(text, word, chance)
    raised = top_after(guess, epsilon)
    rise = f"{percent(chance)} to {percent(raised)} on average"
    text = f"Asking {capitals(guess)} at {epsilon:g} raises {rise} and {worth}."
    return ProposalAdvice(text, word, chance, guess, epsilon, raised)
