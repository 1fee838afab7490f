"""TwoGuess: the whole budget for one clue.

Source: the WORDPL contest repository, by marcpare. No guess has more different clues than TRACE, so without noise it
finds the word on the second guess in 6.48% of games.
"""

from dataclasses import dataclass

from wordpl import (
    Ask,
    Epsilon,
    History,
    HistoryStrategy,
    Move,
    Plan,
    Round,
    Setting,
    best_guess,
    checks,
    epsilon_at,
    schedule,
)

from .common import known_word, proposal, word


@dataclass(frozen=True, repr=False)
class TwoGuess(HistoryStrategy):
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

    def check(self, setting: Setting) -> None:
        known_word(self, "first_guess", setting)

    def last_ask(self, setting: Setting, history: History) -> bool:
        return not history

    def exported(self, setting: Setting) -> Plan:
        return Plan((Round("expected_top", epsilon_at(self.epsilon, 0)),))

    def decide(self, setting: Setting, history: History) -> Move:
        belief = setting.belief(history)
        if history:
            return proposal(belief)
        epsilon = epsilon_at(self.epsilon, 0)
        guess = known_word(self, "first_guess", setting) or best_guess(belief, epsilon, "expected_top")
        return Ask(guess, epsilon)
