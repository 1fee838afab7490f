"""The text by which a player shows a finished game to others: its clues as squares, and no word."""

from __future__ import annotations

import math

from wordpl.model.clues import Clue
from wordpl.play.strategy import History


def share_text(heading: str, turns: History) -> str:
    """Return `heading`, an empty line, and a line of squares for each turn, with its epsilon if that is finite.

    `turns_from_share` reads it. The star of hard mode stands in the heading, as in `Wordle 4/6*`.

    >>> from wordpl import Turn
    >>> print(share_text("WORDPL, 13", (Turn("crate", 13.0, 17),)))
    WORDPL, 13
    <BLANKLINE>
    ⬛⬛🟨🟩🟩 @13
    """
    return "\n".join([heading, "", *(_line(Clue(turn.clue, len(turn.guess)), turn.epsilon) for turn in turns)])


def _line(clue: Clue, epsilon: float) -> str:
    at = "" if math.isinf(epsilon) else f" @{epsilon:g}"
    return f"{clue.show('emoji')}{at}"
