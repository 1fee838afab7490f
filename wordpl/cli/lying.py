"""Options of the commands for players whose clues may be false, and what they stand for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from wordpl.cli import options as opt
from wordpl.errors import WordplError

if TYPE_CHECKING:
    from wordpl.model.channel import ChannelFamily
    from wordpl.play.formats import GameFormat

Lies: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--lies",
        min=0,
        max=8,
        help="Fibble: so many marks of each clue are false, unless the guess is right.",
        metavar="K",
        rich_help_panel=opt.SHARED,
    ),
]
LyingChannel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--channel",
        help="Channel of the clues: fibble:K is --lies K; randomized_response:E has this epsilon in every row.",
        metavar="NAME",
        parser=opt.channel_of,
        autocompletion=opt.CHANNEL_NAMES,
        rich_help_panel=opt.SHARED,
    ),
]


@dataclass(frozen=True)
class LyingOptions(opt.PlayerOptions):
    """What a person plays whose clues may be false: then the right guess ends the game, as in Wordle."""

    lies: Lies = None
    channel: LyingChannel = None

    @property
    def lying(self) -> bool:
        """Whether the options name a game that the right guess ends."""
        return self.lies is not None or self.channel is not None

    def family(self) -> ChannelFamily:
        """The family of channels that the options name. Raises `WordplError` if both do."""
        from wordpl.model.channel import channel_family

        if self.lies is None:
            return channel_family(self.channel or "randomized_response")
        if self.channel is not None:
            raise WordplError(f"--lies {self.lies} and --channel {self.channel} both name the channel; leave out one")
        return channel_family(f"fibble:{self.lies}" if self.lies else "randomized_response")

    def rows(self, epsilon: float, hard: bool, format: str | None = None) -> tuple[ChannelFamily, GameFormat]:
        """Channel and format: that of `format`, or 9 rows if each clue has lies and 6 if not.

        Raises `WordplError` for the format of the contest, and for an epsilon or hard mode, which do not go with it.
        """
        from wordpl.assistant.wordle import FIBBLE_TURNS, TURNS
        from wordpl.model.words import MAX_LENGTH
        from wordpl.play.formats import GameFormat

        family = self.family()
        told = float(getattr(family, "row_epsilon", math.inf))
        lies = bool(family(told, MAX_LENGTH).false_marks)
        played = GameFormat(FIBBLE_TURNS if lies else TURNS) if format is None else GameFormat.parse(format)
        if not played.is_wordle:
            raise WordplError("clues with lies are for games that the right guess ends; --format wordle:N is expected")
        if epsilon not in (told, math.inf):
            raise WordplError(
                f"every row of this game is at epsilon {told:g}; leave out --epsilon {epsilon:g}, or give"
                f" --channel randomized_response:{epsilon:g}"
            )
        if hard and (lies or told < math.inf):
            raise WordplError("hard mode goes by true clues, and here clues may be false; leave out --hard")
        return family, played


@dataclass(frozen=True)
class LyingGameOptions(LyingOptions):
    """What a person plays whose clues may be false, and for how many rows."""

    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="wordle:N: the game has N rows, and the right guess ends it; by default 9 with lies, else 6.",
            metavar="FORMAT",
            rich_help_panel=opt.SHARED,
        ),
    ] = None

    @property
    def lying(self) -> bool:
        return super().lying or self.format not in (None, "contest")
