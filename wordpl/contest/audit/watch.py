"""One game of a submission, move by move, in its own process."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from wordpl.checks import whole_number
from wordpl.contest.audit.entry import difference, run_of, setting_of
from wordpl.contest.cage.contestant_process import KEPT_ERRORS, ContestantProcess
from wordpl.contest.cage.sandbox import Launcher
from wordpl.contest.entrant.submission import Submission
from wordpl.contest.ledger.entries import Entry
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.contest.run.table import IDENTITY, ContestRun
from wordpl.errors import WordplError
from wordpl.play.printing import printable
from wordpl.play.referee import ForfeitError, Game, Referee
from wordpl.play.setting import Setting
from wordpl.simulation.watch import GameRecord, Observed, WatchedPlayer, check_trial, game_record
from wordpl.text.sanitizing import visible


def watch_submission(run: ContestRun, trial: int, *, top: int = 3) -> GameRecord:
    """Play one trial of a submission and return it move by move.

    It is the game that `evaluate_submission` plays as trial number `trial` of this run. `top` is how many of the most
    probable answers are kept after each move, 1 or more. Raises `WordplError` if the strategy cannot be started.
    """
    return _watch(run, trial, top)[1]


def watch_entry(
    ledger: LedgerReader,
    entry: Entry,
    submission: Submission,
    trial: int,
    *,
    setting: Setting,
    launcher: Launcher,
    top: int = 3,
) -> tuple[GameRecord, list[str]]:
    """Play one trial of a finished entry again; return it move by move, and where it differs from the ledger's log.

    Seed, rule, limits and call are the entry's own; `setting` gives the word list. Raises `WordplError` for an entry
    whose run is not over, whose seed is therefore secret; for another submission or other words than the entry's; and
    for a trial that is not in the ledger.
    """
    if entry.seed is None:
        raise WordplError(f"entry {entry.id} is running, so its seed is secret; its games can be watched afterwards")
    if entry.digest != submission.digest:
        raise WordplError(f"entry {entry.id} is not of this file and call; name those that were submitted")
    entry_setting = setting_of(entry, setting)
    row = ledger.row(entry, trial) if check_trial(trial) < (entry.trials or 0) else None
    if row is None:
        raise WordplError(f"trial {trial} is not in entry {entry.id}; it has trials 0 to {(entry.trials or 1) - 1}")
    game, record = _watch(run_of(entry, submission, entry_setting, launcher), trial, top)
    return record, difference(row, game)


def _watch(run: ContestRun, trial: int, top: int) -> tuple[Game, GameRecord]:
    limits, setting, trial, top = run.limits, run.setting, check_trial(trial), whole_number("top", top)
    referee = Referee(setting, run.seed, math.inf, limits.asks, limits.min_epsilon)
    moves: list[Observed] = []
    with ContestantProcess(run.submission, setting, limits, run.launcher, print_to_stderr=True) as contestant:
        try:
            contestant.ready()
        except ForfeitError as error:
            raise WordplError(f"{run.submission.path!r} cannot be started: {error.reason}") from None
        before = _printed_since(contestant, 0)
        player = contestant.player(referee.seeds.player(trial, IDENTITY))
        game = referee.play(trial, WatchedPlayer(player, lambda: _observed(contestant, moves)))
    label = run.submission.label(visible(contestant.name))
    return game, game_record(label, setting, run.seed, game, moves, before, top)


@contextmanager
def _observed(contestant: ContestantProcess, moves: list[Observed]) -> Iterator[None]:
    printed, start = contestant.printed, contestant.usage.game_cpu if moves else 0.0
    try:
        yield
    finally:
        errors = _printed_since(contestant, printed)
        moves.append(Observed(errors, contestant.usage.game_cpu - start))


def _printed_since(contestant: ContestantProcess, printed: int) -> str:
    """What was written to stderr after the first `printed` bytes, as far as it was kept; its CPU time is read, too."""
    with suppress(ForfeitError):  # whether it has used too much of anything is not judged here
        contestant.look()
    count = contestant.printed - printed
    tail = min(count, KEPT_ERRORS)
    return printable(contestant.errors[-tail:], count - tail) if tail else ""
