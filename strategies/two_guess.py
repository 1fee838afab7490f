"""TwoGuess: the whole budget for one clue.

Source: the WORDPL contest repository, by marcpare. No guess has more different clues than TRACE, so without noise it
finds the word on the second guess in 6.48% of games.
"""

from dataclasses import dataclass

from wordpl import Epsilon, History, Plan, Posterior, Round, Setting, best_guess, checks, epsilon_at, schedule

from .common import AskThenPropose, Rng, word


@dataclass(frozen=True, repr=False)
class TwoGuess(AskThenPropose):
    """Asks `first_guess` once with the whole budget, then proposes the most probable answer.

    The published form proposes the answer with the fewest contradictions, which under randomized response
    is the most probable one.

    - `epsilon`: Budget of the clue, above 0; inf is no noise.
    - `first_guess`: Word to ask.
    """

    epsilon: Epsilon
    first_guess: str = "trace"

    def __post_init__(self) -> None:
        word("first_guess", self.first_guess)
        checks.set_fields(self, epsilon=schedule(self.epsilon, 1))

    asks = 1

    def is_certain(self, belief: Posterior) -> bool:
        return False

    def exported(self, setting: Setting) -> Plan:
        return Plan((Round("expected_top", epsilon_at(self.epsilon, 0)),))

    def choose(self, setting: Setting, history: History, belief: Posterior, rng: Rng) -> str:
        return best_guess(belief, epsilon_at(self.epsilon, 0), "expected_top")
