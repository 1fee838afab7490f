"""What a contestant may use.

A game may take 10 seconds, as in the contest's code; but of CPU, where that has wall clock, because what else a machine
does must not decide a ranking. Wall clock only ends a contestant that sleeps or waits.
"""

from __future__ import annotations

from dataclasses import dataclass

from wordpl.base.errors import WordplError

MIB = 1 << 20
GAME_SECONDS = 10.0
"""CPU seconds that a player may think in one game; the contest's code has as many, of wall clock."""


@dataclass(frozen=True)
class Limits:
    """Seconds of wall clock and of CPU (of all threads and processes together), bytes, and counts."""

    game_seconds: float = 60.0
    """Wall clock from question to answer, of all moves of one game together, but for the time in the run queue."""
    move_seconds: float = 60.0
    """Wall clock of one move."""
    cpu_seconds: float = GAME_SECONDS
    """CPU time in one game."""
    start_seconds: float = 600.0
    """From the start of the process until the strategy is made: published strategies fill caches there."""
    memory: int = 2048 * MIB
    """For each process, of its private data. All of them together may use this and `scratch`, the kernel's part too."""
    scratch: int = 512 * MIB
    """In files, the submission's own included."""
    files: int = 10_000
    """Number of files in the scratch directory."""
    tasks: int = 64
    """Processes and threads."""
    open_files: int = 128
    """Of a process."""
    asks: int = 100
    """Asks in one game: far beyond any use, but each may tell a little more than its clue (see `game`)."""
    min_epsilon: float = 0.001
    """The smallest epsilon of an ask."""

    @classmethod
    def for_games_of(cls, cpu_seconds: float) -> Limits:
        """The usual limits, but for games of `cpu_seconds` of CPU time; the wall clock is at least six times that."""
        wall = max(6 * cpu_seconds, cls.game_seconds)
        return cls(game_seconds=wall, move_seconds=wall, cpu_seconds=cpu_seconds)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise WordplError(f"limit {name} = {value} is not allowed; a number above 0 is expected")
