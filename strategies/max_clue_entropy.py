"""MaxClueEntropy: ask the word whose clue is the least predictable.

Source: the WORDPL contest repository and https://dominikfay.me/blog/2025/maxclueentropy, by Dominik
Fay (DarthPumpkin), who held the 50th and 95th percentile with it at 39.0 and 96.0.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl import (
    CRITERIA,
    Ask,
    Epsilon,
    History,
    Move,
    Plan,
    PlayerMaker,
    Posterior,
    Round,
    Setting,
    WordplError,
    best_guess,
    checks,
    epsilon_at,
    schedule,
)

from .common import ALL_BUT_CERTAIN, AskThenPropose, MovePlayer, Rng, check_jitter, one_of, word


@dataclass(frozen=True, repr=False)
class MaxClueEntropy(AskThenPropose):
    """Asks `n_guesses` times the word with the largest clue entropy, then proposes the most probable answer.

    It proposes an answer sooner if its probability is 1 in double precision.

    The method: to score a candidate guess g, draw M = `monte_carlo` answers y_1, ..., y_M from the posterior, and
    estimate the probability of each clue c as

        q(c) = 1e-10 + (P(c | t_1) + ... + P(c | t_M)) / M,    t_k = the true clue to g if the answer is y_k,

    where P(c | t) is the channel: the product over the five marks of keep if the mark of c is that of t, else flip. The
    score is the entropy, minus the sum of q(c) log2 q(c) over the 243 clues. Each candidate has draws of its own, of
    which it shares 1 in 32 with another on average. As the entropy is concave, it is estimated too low on average: by
    0.08 bits for a first CRATE at epsilon 12.3 with 200 draws (see `score_guesses`). With `monte_carlo=None`, q(c) is
    summed over all answers, which is exact and faster.

    As published, the candidates are the answers, and the first guess is CRATE.

    - `n_guesses`: Number of clues, 1 to 1,000.
    - `epsilon`: Budget of each clue, above 0; inf is no noise. A tuple has one for each clue.
    - `monte_carlo`: Number of answers drawn for each candidate, 1 or more; None computes the entropies exactly.
    - `first_guess`: First word to ask; None chooses it as the others are chosen.
    - `guesses`: The candidates: "answers", or "all" for every word that can be guessed.
    - `jitter`: Scales the epsilons of each game by a factor drawn from 1 - `jitter` to 1 + `jitter`, 0 to 1; None does
      not scale them.
    - `shared_draws`: True scores all candidates on the same draws, which orders them better at the same cost.
    - `final`: Criterion for the last clue, such as "expected_top" (exact), which asks the word that most helps the
      proposal; None is the entropy.
    """

    n_guesses: int
    epsilon: Epsilon
    monte_carlo: int | None = field(default=200, metadata={"shown": True})
    first_guess: str | None = "crate"
    guesses: str = "answers"
    jitter: float | None = None
    shared_draws: bool = False
    final: str | None = None

    def __post_init__(self) -> None:
        checks.set_fields(self, n_guesses=checks.whole_number("n_guesses", self.n_guesses))
        if self.monte_carlo is not None:
            checks.set_fields(self, monte_carlo=checks.whole_number("monte_carlo", self.monte_carlo))
        word("first_guess", self.first_guess, optional=True)
        one_of("guesses", self.guesses, ("answers", "all"))
        if self.jitter is not None:
            checks.set_fields(self, jitter=checks.fraction("jitter", self.jitter))
        checks.set_fields(self, shared_draws=checks.boolean("shared_draws", self.shared_draws))
        one_of("final", self.final, (None, *CRITERIA))
        checks.set_fields(self, epsilon=schedule(self.epsilon, self.n_guesses))

    def check(self, setting: Setting) -> None:
        super().check(setting)
        check_jitter(self, self.jitter, setting)
        if setting.format.is_wordle and not setting.channel(setting.row_epsilon, setting.words.length).exact:
            raise WordplError(
                "MaxClueEntropy plays games of Wordle only without noise, because clue entropy does not rank guesses if"
                " a right guess is told without noise; choose BayesianSolver"
            )

    def players(self, setting: Setting) -> PlayerMaker:
        # Compiles or loads the kernels now, before a game's clock runs.
        self.choose(setting, (), setting.belief(), np.random.default_rng(0))
        if self.random:
            return lambda seed: MovePlayer(self._random_moves(setting, np.random.default_rng(seed)))
        return super().players(setting)

    def _random_moves(self, setting: Setting, rng: "np.random.Generator") -> Callable[[History], Move]:
        """Moves of one game, whose epsilons have one factor."""
        factor = 1.0 if self.jitter is None else rng.uniform(1.0 - self.jitter, 1.0 + self.jitter)

        def move(history: History) -> Move:
            move = self.decide(setting, history, rng)
            return Ask(move.guess, move.epsilon * factor) if isinstance(move, Ask) else move

        return move

    @property
    def random(self) -> bool:
        return self.monte_carlo is not None or self.jitter is not None

    @property
    def asks(self) -> int:
        return self.n_guesses

    def exported(self, setting: Setting) -> Plan:
        if self.random:
            raise WordplError("MaxClueEntropy draws at random; it can be exported with monte_carlo=None and no jitter")
        criteria = ["clue_entropy"] * (self.n_guesses - 1) + [self.final or "clue_entropy"]
        return Plan(
            tuple(
                Round(by, epsilon_at(self.epsilon, k), order=2.0, answers_only=self.guesses == "answers")
                for k, by in enumerate(criteria)
            ),
            certainty=ALL_BUT_CERTAIN,
        )

    def choose(self, setting: Setting, history: History, belief: Posterior, rng: Rng) -> str:
        epsilon = epsilon_at(self.epsilon, len(history))
        candidates: NDArray[Any] | None = belief.words.answers_as_guesses if self.guesses == "answers" else None
        if self.final is not None and self.last_ask(setting, history):
            return best_guess(belief, epsilon, self.final, guesses=candidates)
        apart = self.monte_carlo is not None and not self.shared_draws
        return best_guess(belief, epsilon, draws=self.monte_carlo, rng=rng, separate_draws=apart, guesses=candidates)
