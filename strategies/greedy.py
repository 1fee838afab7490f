"""Greedy: always ask the most probable answer.

Source: greedy play is the baseline of every Wordle study.
"""

from dataclasses import dataclass

from wordpl import Epsilon, History, Plan, Posterior, Round, Setting, as_tuple, checks, epsilon_at, schedule

from .common import AskThenPropose, Rng, word


@dataclass(frozen=True, repr=False)
class Greedy(AskThenPropose):
    """Asks the most probable answer again and again, then proposes it.

    It learns little from each clue, because the clue to a guess that is probably right is easy to predict. Without
    noise it always guesses a word that can still be the answer.

    - `epsilon`: Budget of each clue, above 0; inf is no noise. A tuple has one for each clue, the last for all others.
    - `n_guesses`: Most clues that it asks, 1 or more; None is no limit.
    - `certainty`: Posterior probability above which the most probable answer is proposed, 0 to 1.
    - `first_guess`: First word to ask; None asks the most probable answer.
    """

    epsilon: Epsilon
    n_guesses: int | None = None
    certainty: float = 0.9
    first_guess: str | None = None

    def __post_init__(self) -> None:
        if self.n_guesses is not None:
            checks.set_fields(self, n_guesses=checks.whole_number("n_guesses", self.n_guesses))
        checks.set_fields(self, certainty=checks.fraction("certainty", self.certainty))
        word("first_guess", self.first_guess, optional=True)
        checks.set_fields(self, epsilon=schedule(self.epsilon, self.n_guesses))

    @property
    def asks(self) -> int | None:
        return self.n_guesses

    def is_certain(self, belief: Posterior) -> bool:
        # Rounding leaves a sole possible answer a hair below 1, which must count as certain.
        return belief.top[1] > min(self.certainty, 1 - 1e-12)

    def exported(self, setting: Setting) -> Plan:
        asks = self.n_guesses or len(as_tuple(self.epsilon))
        rounds = tuple(Round("likeliest", epsilon_at(self.epsilon, k)) for k in range(asks))
        return Plan(rounds, certainty=min(self.certainty, 1 - 1e-12), endless=self.n_guesses is None)

    def choose(self, setting: Setting, history: History, belief: Posterior, rng: Rng) -> str:
        return belief.top[0]
