"""What a contestant may use. The times are the contest's, as its code has them."""

from __future__ import annotations

from dataclasses import dataclass

from wordpl.errors import WordplError

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Seconds of wall clock and of CPU (all threads and processes together), bytes, and counts."""

    game_seconds: float = 10.0
    move_seconds: float = 10.0
    cpu_seconds: float = 10.0
    """CPU time in one game."""
    start_seconds: float = 600.0
    """From the start of the process until the strategy is made: published strategies fill caches there."""
    memory: int = 2048 * MIB
    """Of all processes together; also, for each one, of its private data."""
    scratch: int = 512 * MIB
    """In files, the submission's own included."""
    files: int = 10_000
    """Number of files in the scratch directory."""
    tasks: int = 64
    """Processes and threads."""
    open_files: int = 128
    asks: int = 100
    """Asks in one game: far beyond any use, but each may tell a little more than its clue (see `game`)."""
    min_epsilon: float = 0.001
    """The smallest epsilon of an ask."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise WordplError(f"limit {name} = {value} is not allowed; a number above 0 is expected")
