"""MaxClueEntropy: ask the word whose clue is the least predictable.

Source: the WORDPL contest repository and https://dominikfay.me/blog/2025/maxclueentropy, by Dominik
Fay (DarthPumpkin), who held the 50th and 95th percentile with it at 39.0 and 96.0.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl import (
    CRITERIA,
    Ask,
    Epsilon,
    History,
    HistoryStrategy,
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

from .common import ALL_BUT_CERTAIN, certain, check_jitter, known_word, one_of, proposal, word


@dataclass(frozen=True, repr=False)
class MaxClueEntropy(HistoryStrategy):
    """Asks `n_guesses` times the word with the largest clue entropy, then proposes the most probable answer.

    It proposes an answer sooner if its probability is 1 in double precision.

    The method: to score a candidate guess g, draw M = `monte_carlo` answers y_1, ..., y_M from the posterior, and
    estimate the probability of each clue c as

        q(c) = 1e-10 + (P(c | t_1) + ... + P(c | t_M)) / M,    t_k = the true clue to g if the answer is y_k,

    where P(c | t) is the channel: the product over the five marks of keep if the mark of c is that of t, else flip. The
    score is the entropy, minus the sum of q(c) log2 q(c) over the 243 clues. Each candidate has draws of its own, of
    which it shares 1 in 64 with another on average. As the entropy is concave, it is estimated too low on average: by
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
        known_word(self, "first_guess", setting)
        check_jitter(self, self.jitter, setting)
        if setting.format.is_wordle and not setting.channel(setting.row_epsilon, setting.words.length).exact:
            raise WordplError(
                "MaxClueEntropy plays games of Wordle only without noise, because clue entropy does not rank guesses if"
                " a right guess is told without noise; choose BayesianSolver"
            )

    def players(self, setting: Setting) -> PlayerMaker:
        # Compiles or loads the kernels now, before a game's clock runs.
        self._best(setting.belief(), epsilon_at(self.epsilon, 0), last=False, rng=np.random.default_rng(0))
        if self.random:
            return lambda seed: _RandomPlayer(self, setting, np.random.default_rng(seed))
        return super().players(setting)

    @property
    def random(self) -> bool:
        return self.monte_carlo is not None or self.jitter is not None

    def last_ask(self, setting: Setting, history: History) -> bool:
        return len(history) == self.n_guesses - 1

    def exported(self, setting: Setting) -> Plan:
        if self.monte_carlo is not None or self.jitter is not None:
            raise WordplError("MaxClueEntropy draws at random; it can be exported with monte_carlo=None and no jitter")
        criteria = ["clue_entropy"] * (self.n_guesses - 1) + [self.final or "clue_entropy"]
        return Plan(
            tuple(
                Round(by, epsilon_at(self.epsilon, k), order=2.0, answers_only=self.guesses == "answers")
                for k, by in enumerate(criteria)
            ),
            certainty=ALL_BUT_CERTAIN,
        )

    def decide(self, setting: Setting, history: History) -> Move:
        return self.move(setting, setting.belief(history), len(history), rng=None)

    def move(self, setting: Setting, belief: Posterior, asked: int, rng: np.random.Generator | None) -> Move:
        """The move after `asked` asks, in the epsilons of the schedule."""
        if asked >= self.n_guesses:  # a game of Wordle goes on after a proposal
            return proposal(belief)
        if answer := certain(belief):
            return answer
        epsilon = epsilon_at(self.epsilon, asked)
        guess = None if asked else known_word(self, "first_guess", setting)
        if guess is None:
            guess = self._best(belief, epsilon, asked == self.n_guesses - 1, rng)
        return Ask(guess, epsilon)

    def _best(self, belief: Posterior, epsilon: float, last: bool, rng: np.random.Generator | None) -> str:
        candidates: NDArray[Any] | None = belief.words.answers_as_guesses if self.guesses == "answers" else None
        if last and self.final is not None:
            return best_guess(belief, epsilon, self.final, guesses=candidates)
        return best_guess(
            belief,
            epsilon,
            draws=self.monte_carlo,
            rng=rng,
            separate_draws=self.monte_carlo is not None and not self.shared_draws,
            guesses=candidates,
        )


class _RandomPlayer:
    """Plays a game with draws or a jitter of its own."""

    def __init__(self, strategy: MaxClueEntropy, setting: Setting, rng: np.random.Generator) -> None:
        self._strategy, self._setting, self._rng = strategy, setting, rng

    def first_move(self) -> Move:
        jitter = self._strategy.jitter
        self._factor = 1.0 if jitter is None else self._rng.uniform(1.0 - jitter, 1.0 + jitter)
        self._belief, self._asked = self._setting.belief(), 0
        return self._move()

    def next_move(self, guess: str, epsilon: float, clues: str) -> Move:
        self._belief = self._belief.update(guess, epsilon, clues)
        self._asked += 1
        return self._move()

    def _move(self) -> Move:
        move = self._strategy.move(self._setting, self._belief, self._asked, self._rng)
        return Ask(move.guess, move.epsilon * self._factor) if isinstance(move, Ask) else move
