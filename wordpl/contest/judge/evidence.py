"""Evidence that a player knows the answer otherwise than by its clues.

Given the clues so far, an honest move is independent of the answer, so the referee can bet on how moves and answer
go together at fair odds: his wealth has mean 1 after every game and is a martingale over the games. Wealth that
ever reaches 1/error happens to an honest player with probability at most `error` (Ville 1939), whatever it plays.
There are five such bets, and the flag is their average (an average of martingales is one):

- wins: the proposed word is the answer more often than its posterior says;
- losses: it is so less often, so that the chances a strategy is ranked by are too large;
- asking: the words asked are the answer more often than their posterior says;
- information: the true clues tell more about the answer than was to be expected;
- noise: asks meet with less noise than the channel makes.

E-values: Vovk and Wang, "E-values: calibration, combination and applications" (2021); Ramdas, Grünwald, Vovk and
Shafer, "Game-theoretic statistics and safe anytime-valid inference" (2023). docs/ranking.md has the measured power.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import instance
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_row
from wordpl.model.distance_channel import Channel
from wordpl.play.referee import Game, chance
from wordpl.play.setting import Setting
from wordpl.simulation.confidence_sequences import mixed

Floats = NDArray[np.float64]

ERROR = 0.001
"""How often an honest entry is flagged, at most."""
SHARES = (0.01, 0.05, 0.3)
"""The part of his wealth that the referee bets: a mixture, since nobody knows how often a cheat cheats."""
BALANCES = (0.02, 0.2)
"""Bets on wins less chances, which is a martingale: a cheat cannot keep it level and lose at small chances only."""
TILTS = (1.0, 2.0)
"""How he bets on what a true clue tells: with odds in proportion to exp(tilt * nats)."""
REASONS = {
    "wins": "it wins more often than its clues allow",
    "losses": "it wins less often than its chances say",
    "asking": "it asks the answer more often than its clues allow",
    "information": "its true clues tell more than its clues allow",
    "noise": "its asks meet with less noise than the channel makes",
}
TESTS = tuple(REASONS)
"""The bets of the last three are worked out game by game, by `figures`."""
COLUMNS = len(SHARES) * (2 + len(TILTS))
"""How many numbers of evidence a game has."""

_TINY = 1e-300
_SURE = 1e-9
_HALF = 1.5
"""Nats that a clue is expected to tell for half of the stake; the records' clues tell 1 to 3."""


def figures(setting: Setting, game: Game) -> tuple[float, tuple[float, ...]]:
    """Return the referee's posterior probability of the word proposed in a finished `game`, 0 if none was proposed;
    and the evidence: for each bet, the logarithm of the factor by which the game multiplies its wealth.

    The evidence is of asking by share, of information by tilt and share, and of noise by share. All is a pure function
    of the `setting` and of the game's turns, answer and proposal.
    """
    instance("setting", setting, Setting)
    asks = [_Asked(setting, game, ask) for ask in range(len(game.history))]
    logs = [_asking(asks), *(_information(asks, tilt) for tilt in TILTS), _noise(asks)]
    likely = 0.0 if game.proposed is None else chance(setting, game.history, game.proposed)
    return likely, tuple(float(log) for log in np.concatenate(logs))


class _Asked:
    """One ask, and what the clues before it had said."""

    def __init__(self, setting: Setting, game: Game, ask: int) -> None:
        words, turn = setting.words, game.history[ask]
        self.probabilities: Floats = setting.belief(game.history[:ask]).probabilities
        self.guess = words.answer_index.get(turn.guess, -1)
        """Which answer was asked; -1 for none."""
        self.answer = words.answer_index[game.answer]
        row = clue_row(turn.guess, words, setting.rule)
        self.clues: Floats = np.bincount(row, self.probabilities, words.n_clues).astype(np.float64)
        """P(true clue): [clues]."""
        self.true, self.noisy = int(row[self.answer]), turn.clue
        self.channel = make_channel(setting.channel, turn.epsilon, words.length)
        self.informs = _informs(self.channel, self.clues)
        """How much the noisy clue is expected to tell about the answer, by true clue: [clues], nats."""


def _asking(asks: list[_Asked]) -> Floats:
    """Each word asked against its posterior, given that the words asked before it were not the answer.

    Without this condition the same bet could be made twice on one answer, and the wealth would be no martingale.
    """
    logs = np.zeros(len(SHARES))
    guesses: set[int] = set()
    for ask in asks:
        if ask.guess == ask.answer:
            others = np.delete(ask.probabilities, list(guesses)).sum()
            return logs + _shared(-math.log(max(ask.probabilities[ask.guess], _TINY) / max(others, _TINY)))
        if ask.guess >= 0 and ask.guess not in guesses:
            guesses.add(ask.guess)
            logs += _shared(-math.inf)
    return logs


def _information(asks: list[_Asked], tilt: float) -> Floats:
    """What the true clues tell, against what was to be expected.

    The clues of one game hang together, so gains are added, not multiplied: each ask gets a part of the stake that is
    left. An ask that is expected to tell nothing gets nothing, so asks for next to no epsilon cannot use it up.
    """
    left, log_gain = 1.0, -math.inf
    for ask in asks:
        gains = ask.informs
        likely = ask.clues > 0.0
        expected = float(ask.clues[likely] @ gains[likely])
        stake = left * expected / (expected + _HALF)
        if stake > 0.0:
            weights = tilt * gains[likely] + np.log(ask.clues[likely])
            top = float(weights.max())
            # log of exp(tilt * gain) over its expectation
            tilted = tilt * float(gains[ask.true]) - top - math.log(float(np.exp(weights - top).sum()))
            log_gain = np.logaddexp(log_gain, math.log(stake) + tilted)
            left -= stake
    if left == 1.0:
        return np.zeros(len(SHARES))
    return _shared(float(np.logaddexp(log_gain, math.log(left))))


def _noise(asks: list[_Asked]) -> Floats:
    """How many marks were kept, against the channel. The noise of an ask is independent of all before it."""
    logs = np.zeros(len(SHARES))
    for ask in asks:
        marks = ask.channel.mark_matrix
        if marks is None:
            continue
        log_gain = 0.0
        for place in range(ask.channel.length):
            column = marks[:, ask.true // 3**place % 3]  # P(noisy mark given the true one)
            noisy = max(column[ask.noisy // 3**place % 3], _TINY)
            log_gain += math.log(noisy) - math.log(float(column @ column))
        logs += _shared(log_gain)
    return logs


def _informs(channel: Channel, clues: Floats) -> Floats:
    """Relative entropy of the noisy clue given each true clue from the noisy clue as such: [clues], nats.

    Its mean under `clues` is the mutual information of clue and answer. Without noise it is -log P(true clue).
    """
    logs = np.log(np.maximum(channel.transform(clues), _TINY))
    return np.asarray(-math.log(2.0) * channel.noise_entropy - _means(channel, logs))


def _means(channel: Channel, values: Floats) -> Floats:
    """Mean of `values` of the noisy clue given each true clue: the transpose of `Channel.transform`."""
    marks = channel.mark_matrix
    if marks is None:
        return np.asarray(_transposed(channel) @ values)
    for _ in range(channel.length):
        # The axis worked on goes to the end, so after `length` passes they all are where they were.
        values = np.tensordot(values.reshape((3, -1)), marks, axes=(0, 0))
    return values.ravel()


@lru_cache(maxsize=64)
def _transposed(channel: Channel) -> Any:
    """Sparse [true, noisy], of a channel whose marks are not treated alike."""
    return channel.matrix().T


def _shared(log_gain: float | Floats) -> Floats:
    """log of what remains of the wealth if a share of it is bet and the bet is multiplied by exp(log_gain)."""
    return np.asarray(np.logaddexp(np.log1p(-np.array(SHARES)), np.log(SHARES) + log_gain))


@dataclass(frozen=True)
class Flag:
    """Whether the moves of a run fit with a player who knows nothing but its clues."""

    e_value: float
    """The largest that the wealth of all bets together has been, from a wealth of 1."""
    e_values: dict[str, float]
    """The same of each test."""
    raised: bool
    """Whether `e_value` has reached 1 / error."""
    trials: int
    """How many trials that took; all if it has not."""
    reason: str
    """Which test says so, on one line; empty if not raised."""


def log_wealths(won: NDArray[np.bool_], chances: Floats, evidence: Floats) -> Floats:
    """Log of the wealth of each test after each game, from a wealth of 1, of games in order: [n, tests]."""
    gain_of_wins = np.where(won, -np.log(np.maximum(chances, _TINY)), -math.inf)
    gain_of_losses = np.where(won, -math.inf, -np.log(np.maximum(1.0 - chances, _SURE)))
    # No bet on a game that was forfeited: it says nothing about what the player knows.
    proposed = (won | (chances > 0.0))[:, np.newaxis]
    parts = [
        np.where(proposed, np.hstack([_shared(gain[:, np.newaxis]), np.log1p(np.outer(balance, BALANCES))]), 0.0)
        for gain, balance in ((gain_of_wins, won - chances), (gain_of_losses, chances - won))
    ]
    width = len(SHARES)
    parts += [evidence[:, :width], evidence[:, width:-width], evidence[:, -width:]]
    return np.column_stack([mixed(part.cumsum(axis=0)) for part in parts])
