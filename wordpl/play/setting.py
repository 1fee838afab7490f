"""The setting of a game, which both sides know, and the posteriors that follow from it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from wordpl.base.checks import boolean, instance, set_fields
from wordpl.base.displays import cut, line_of
from wordpl.base.errors import WordplError
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_family, row_epsilon
from wordpl.model.clues import check_rule
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList
from wordpl.play.formats import CONTEST, FIBBLE_FIRST_GUESS, GameFormat


class Turn(NamedTuple):
    """An ask of `guess` at `epsilon` (0 to inf), and the code of the noisy `clue` that came back."""

    guess: str
    epsilon: float
    clue: int


History: TypeAlias = tuple[Turn, ...]
_KEPT = 64
"""Posteriors that a setting keeps."""


def total_budget(epsilons: Iterable[float]) -> float:
    """Return the cost of asks at these epsilons: their sum to ten digits, so that 3 x 8.9 costs as much as 2 x
    13.35."""
    return float(f"{sum(epsilons):.9e}")


@dataclass(frozen=True)
class Setting:
    """The facts that both sides of a game know: everything except the answer and the noise.

    `words` is a word list, `rule` is `letterwise` or `counted`, `channel` makes clues noisy, and `format` says what
    ends a game.

    Raises `WordplError` for words that are not a `WordList`, an unknown rule, a channel that is not a family, a
    `noiseless` that is not a boolean, a format that is not a `GameFormat`, and a first guess that is not in the list.
    """

    words: WordList
    rule: str = "letterwise"
    channel: ChannelFamily = RandomizedResponse
    noiseless: bool = False
    """True if asks at epsilon = inf are allowed. In games of Wordle: if every guess has this epsilon."""
    format: GameFormat = CONTEST

    def __post_init__(self) -> None:
        instance("words", self.words, WordList)
        check_rule(self.rule)
        channel_family(self.channel, self.words.length)
        set_fields(self, noiseless=boolean("noiseless", self.noiseless))
        if instance("format", self.format, GameFormat).is_wordle:
            set_fields(self, noiseless=math.isinf(self.row_epsilon))
            first = self.format.first_guess
            if first not in (None, FIBBLE_FIRST_GUESS) and first not in self.words.guess_index:
                raise WordplError(f"first guess {first!r} is not in the list of guesses of {cut(self.words.name)}")

    @property
    def row_epsilon(self) -> float:
        """The epsilon of every guess in a game of Wordle: that of the channel, or infinity if it has no fixed one."""
        return row_epsilon(self.channel)

    def belief(self, history: History = ()) -> Posterior:
        """Return the posterior after the turns of `history`. The last 64 stay in memory, for all threads.

        The result always comes from the same updates in the same order, whatever is in memory. Where a right guess ends
        the game, none of the guesses was right, since it goes on. Raises `ContradictionError` if no answer fits.
        """
        belief = self._beliefs.get(history)
        if belief is None:
            # One more turn than before is the common case: then a single update does.
            belief, rest = self._beliefs.get(history[:-1]), history[-1:]
            if belief is None:
                prior = Posterior(self.words, self.rule, self.channel, right_ends=self.format.right_ends)
                belief, rest = prior, history
            before = belief
            for turn in rest:
                before, belief = belief, belief.update(*turn)
            self._beliefs.pop(history[:-1], None)
            self._beliefs.update({history[:-1]: before, history: belief})
            for oldest in list(self._beliefs)[:-_KEPT]:
                self._beliefs.pop(oldest, None)
        return belief

    @cached_property
    def _beliefs(self) -> dict[History, Posterior]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        # Only the fields travel to a worker, not the posteriors.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        channel = getattr(self.channel, "__name__", None) or cut(repr(self.channel), 40)
        last = str(self.format) if self.format.right_ends else "noiseless" if self.noiseless else ""
        return line_of(self, ", ".join(filter(None, (cut(self.words.name), self.rule, channel, last))))
