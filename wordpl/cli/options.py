"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from wordpl.errors import WordplError

if TYPE_CHECKING:
    from wordpl.model.words import WordList

Words: TypeAlias = Annotated[
    str, typer.Option("--words", help="Bundled word list: original, nyt2022 or nyt2023.", metavar="LIST")
]
Answers: TypeAlias = Annotated[
    Path | None, typer.Option("--answers", help="File of answers, one per line, in place of --words.")
]
Guesses: TypeAlias = Annotated[Path | None, typer.Option("--guesses", help="File of guesses; the answers unless told.")]
Rule: TypeAlias = Annotated[
    str,
    typer.Option("--rule", help="Repeat rule: letterwise (the contest) or counted (ordinary Wordle).", metavar="RULE"),
]
ChannelName: TypeAlias = Annotated[
    str,
    typer.Option(
        "--channel", help="randomized_response, or fibble (one false mark a row; epsilon inf).", metavar="CHANNEL"
    ),
]
Trials: TypeAlias = Annotated[int | None, typer.Option("--trials", "-n", help="Games to play; 1001 unless told.")]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", help="Root seed of answers, noise and players.")]
Jobs: TypeAlias = Annotated[int, typer.Option("--jobs", "-j", help="Worker processes; 0 for one per core.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, and nothing else there.")]
UntilWidth: TypeAlias = Annotated[
    float | None,
    typer.Option("--until-width", help="Stop once the 95% interval of the win rate is this narrow.", metavar="WIDTH"),
]

GameSeconds: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--game-seconds", help="CPU seconds a game may take; 10 if not given, inf for no limit.", metavar="SECONDS"
    ),
]

# With --until-width and no --trials, give up here.
_MOST_TRIALS = 1_000_000
_LONGEST_GRID = 10_000


def word_list(words: str, answers: Path | None, guesses: Path | None) -> WordList:
    """The list that the options name; files go before a bundled list."""
    from wordpl.model.words import load_words

    if answers is None and guesses is None:
        return load_words(words)
    return load_words(answers=answers, guesses=guesses)


def number_of_jobs(jobs: int) -> int:
    """Worker processes for `--jobs`."""
    if jobs < 0:
        raise WordplError(f"jobs {jobs} is not allowed; a whole number from 0 up is expected")
    return jobs or len(os.sched_getaffinity(0))


def number_of_trials(trials: int | None, until_width: float | None) -> int:
    """Trials for `--trials` and `--until-width`."""
    if trials is not None:
        return trials
    return 1001 if until_width is None else _MOST_TRIALS


def game_seconds(seconds: float | None) -> float:
    """The clock of a game for `--game-seconds`."""
    from wordpl.play.referee import GAME_SECONDS, check_game_seconds

    return GAME_SECONDS if seconds is None else check_game_seconds(seconds)


def epsilon_grid(text: str) -> list[float]:
    """The epsilons of `5:50:5` (both ends in it), `5,10,inf`, or a mixture such as `5:20:5,50,inf`."""
    grid: list[float] = []
    for part in text.split(","):
        bounds = [_number(bound, text) for bound in part.split(":")]
        if len(bounds) == 1:
            grid += bounds
        elif len(bounds) == 3 and bounds[2] > 0 and bounds[0] <= bounds[1] < math.inf:
            start, stop, step = bounds
            steps = math.floor((stop - start) / step * (1 + 1e-12))
            if steps >= _LONGEST_GRID:
                raise WordplError(
                    f"epsilon grid {part!r} has {steps + 1} epsilons; at most {_LONGEST_GRID} are allowed"
                )
            # Rounded, so that 0.1:0.5:0.1 holds 0.3 and not 0.30000000000000004.
            grid += [round(start + i * step, 12) for i in range(steps + 1)]
        else:
            raise WordplError(f"epsilon grid {part!r} is not START:STOP:STEP with START <= STOP and STEP above 0")
    if any(not epsilon > 0 for epsilon in grid):
        raise WordplError(f"epsilon grid {text!r} has an epsilon that is not above 0")
    return list(dict.fromkeys(grid))


def _number(text: str, whole: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise WordplError(f"{text!r} in epsilon grid {whole!r} is no number; write 5:50:5 or 5,10,inf")
    return value
