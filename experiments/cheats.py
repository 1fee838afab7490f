"""Cheats: players that know the answer, each with a use of its own for it. `experiments.anytime` measures them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl import (
    Answer,
    Ask,
    Clue,
    Game,
    HistoryStrategy,
    Move,
    RandomizedResponse,
    Referee,
    Setting,
    Turn,
    clue_row,
    parse_strategy,
)

Floats = NDArray[np.float64]


class Cheat:
    """Plays as `base` does, with as many asks, but knows the answer. A subclass defines how it uses that."""

    def __init__(self, base: HistoryStrategy, asks: int, setting: Setting, answer: str, seed: int) -> None:
        self.base, self.asks, self.setting, self.answer = base, asks, setting, answer
        self.rng = np.random.default_rng([seed, 1])

    def first_move(self) -> Move:
        self.history: tuple[Turn, ...] = ()
        return self.move(self.base.decide(self.setting, ()))

    def next_move(self, guess: str, epsilon: float, clues: str) -> Move:
        self.history += (Turn(guess, epsilon, Clue.parse(clues).code),)
        return self.move(self.base.decide(self.setting, self.history))

    def move(self, honest: Move) -> Move:
        """Return the cheat's move where `base` makes the move `honest`."""
        return honest

    @property
    def top(self) -> str:
        return self.setting.belief(self.history).top[0]


class Proposes(Cheat):
    """Proposes the answer."""

    def move(self, honest: Move) -> Move:
        return Answer(self.answer) if isinstance(honest, Answer) else honest


class Loses(Cheat):
    """Proposes the most probable word that is not the answer."""

    def move(self, honest: Move) -> Move:
        if not isinstance(honest, Answer):
            return honest
        belief = self.setting.belief(self.history)
        order = np.argsort(-belief.probabilities, kind="stable")[:2]
        return Answer(next(word for word in (belief.words.answers[i] for i in order) if word != self.answer))


class Asks(Cheat):
    """Asks the answer last."""

    def move(self, honest: Move) -> Move:
        last = isinstance(honest, Ask) and len(self.history) == self.asks - 1
        return Ask(self.answer, honest.epsilon) if last and isinstance(honest, Ask) else honest


class AsksRare(Cheat):
    """Asks, of 200 words, the one whose true clue tells most about the answer."""

    def move(self, honest: Move) -> Move:
        if isinstance(honest, Answer):
            return honest
        words = self.setting.words
        others = self.rng.choice(len(words.guesses), 200, replace=False)
        asked = {turn.guess for turn in self.history}
        tried = [honest.guess, *(g for g in (words.guesses[i] for i in others) if g not in asked)]
        return Ask(max(tried, key=lambda guess: self.gain(guess, honest.epsilon)), honest.epsilon)

    def gain(self, guess: str, epsilon: float) -> float:
        """Relative entropy, in nats, between the noisy clue given the answer and the noisy clue given the posterior."""
        words, noise = self.setting.words, _noise(epsilon)
        row = clue_row(guess, words, self.setting.rule)
        expected = noise @ np.bincount(row, self.setting.belief(self.history).probabilities, words.n_clues)
        column = noise[:, row[words.answer_index[self.answer]]]
        return float(column @ np.log(column / expected))


class Spends(AsksRare):
    """Moves budget between the first two asks, depending on how much the true clue of the first one tells."""

    def move(self, honest: Move) -> Move:
        if isinstance(honest, Answer) or len(self.history) > 1:
            return honest
        if not self.history:
            row = clue_row(honest.guess, self.setting.words, self.setting.rule)
            mean = float(np.mean([_gains(honest.guess, honest.epsilon, self.setting)[code] for code in row]))
            more = self.gain(honest.guess, honest.epsilon) > mean
            self.moved = 0.25 * honest.epsilon * (1 if more else -1)
            return Ask(honest.guess, honest.epsilon + self.moved)
        return Ask(honest.guess, max(honest.epsilon - self.moved, 0.5))


class StopsEarly(Cheat):
    """Proposes before the last ask if the top word is the answer, and asks otherwise."""

    def move(self, honest: Move) -> Move:
        early = isinstance(honest, Ask) and len(self.history) == self.asks - 1
        return Answer(self.answer) if early and self.top == self.answer else honest


class SellsChances(Cheat):
    """Proposes the top word before the last ask if it is wrong but still has a good chance, and asks otherwise.

    It loses these games. But chances decide a rank, and the last clue would have lowered this one.
    """

    def move(self, honest: Move) -> Move:
        belief = self.setting.belief(self.history)
        early = isinstance(honest, Ask) and len(self.history) == self.asks - 1
        return Answer(belief.top[0]) if early and belief.top[0] != self.answer and belief.top[1] > 0.6 else honest


class Unhurt(Cheat):
    """Asks as `base` does, without any noise."""


CHEATS: tuple[type[Cheat], ...] = (Proposes, Asks, AsksRare, Spends, StopsEarly, SellsChances, Unhurt)


@lru_cache(maxsize=64)
def _noise(epsilon: float) -> Floats:
    return RandomizedResponse(epsilon).matrix().toarray()


@lru_cache(maxsize=8)
def _gains(guess: str, epsilon: float, setting: Setting) -> Floats:
    """Return `AsksRare.gain` at the start of a game for each true clue: [clues]."""
    noise = _noise(epsilon)
    row = clue_row(guess, setting.words, setting.rule)
    expected = noise @ (np.bincount(row, minlength=setting.words.n_clues) / len(row))
    return np.asarray((noise * np.log(noise / expected[:, np.newaxis])).sum(axis=0))


class _NoNoise:
    """The random streams of a referee, except that the noise keeps every mark."""

    def __init__(self, seeds: Any) -> None:
        self.answer, self.player = seeds.answer, seeds.player

    def noise(self, trial: int, ask: int, length: int) -> list[float]:
        return [0.0] * length


def cheat_games(kind: type[Cheat], spec: str, setting: Setting, games: int, seed: int) -> list[Game]:
    """Play games in which the cheat knows the answer."""
    base = parse_strategy(spec)
    assert isinstance(base, HistoryStrategy)  # noqa: S101 - those in BASES are
    asks = 0
    history: tuple[Turn, ...] = ()
    while isinstance(move := base.decide(setting, history), Ask):
        asks, history = asks + 1, (*history, Turn(move.guess, move.epsilon, 0))
    referee = Referee(setting, seed)
    words, answer = setting.words.answers, referee.seeds.answer
    if kind is Unhurt:
        referee.seeds = _NoNoise(referee.seeds)  # type: ignore[assignment]
    return [
        referee.play(trial, kind(base, asks, setting, words[answer(trial, len(words))], trial))
        for trial in range(games)
    ]
