"""The random draws of some trials, without the root seed that they follow from.

That is what a worker on another machine gets of a ranked run's seed: the answers and the noise of the games that it is
to play, and nothing that tells those of another game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordpl.displays import counted, line_of
from wordpl.model.words import WordList
from wordpl.play.seeds import Seeds

_NUMBER = 8
"""Bytes of `Seeds.noise_bytes` for each number."""


@dataclass(frozen=True)
class _Drawn:
    answer: int
    noise: bytes
    player: int


class Draws(Seeds):
    """`Seeds` of some trials only, and there of one size of word list, one player and so many asks.

    Raises `KeyError` for the draws of another trial.
    """

    def __init__(self, seeds: Seeds, trials: Sequence[int], words: WordList, asks: int, player: str) -> None:
        """Draw games on `words` with up to `asks` asks; `player` is what the seed of a player is of."""
        self._width = _NUMBER * words.length
        self._drawn = {
            trial: _Drawn(
                seeds.answer(trial, len(words.answers)),
                b"".join(seeds.noise_bytes(trial, ask)[: self._width] for ask in range(asks)),
                seeds.player(trial, player),
            )
            for trial in trials
        }

    @property
    def trials(self) -> list[int]:
        return list(self._drawn)

    def answer(self, trial: int, n: int) -> int:
        return self._drawn[trial].answer

    def noise_bytes(self, trial: int, ask: int) -> bytes:
        return self._drawn[trial].noise[ask * self._width : (ask + 1) * self._width]

    def player(self, trial: int, identity: str) -> int:
        return self._drawn[trial].player

    def __repr__(self) -> str:
        return line_of(self, counted(len(self._drawn), "trial"))
