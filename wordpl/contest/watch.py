"""One game of a submission, move by move, in its own process."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from wordpl.checks import whole_number
from wordpl.contest.audit import setting_of
from wordpl.contest.contestant_process import KEPT_ERRORS, ContestantProcess
from wordpl.contest.entries import Entry
from wordpl.contest.ledger_reader import LedgerReader
from wordpl.contest.payload import Payload
from wordpl.contest.replay import difference
from wordpl.contest.sandbox import Launcher
from wordpl.contest.sanitizing import visible
from wordpl.contest.scoring import IDENTITY, ContestRun
from wordpl.contest.submission import Submission
from wordpl.errors import WordplError
from wordpl.model.clues import clue_strings
from wordpl.play.printing import printable
from wordpl.play.referee import ForfeitError, Game, Referee
from wordpl.play.specs import literal_call
from wordpl.play.strategy import Setting
from wordpl.simulation.watch import GameRecord, Observed, WatchedPlayer, check_trial, game_record


def watch_submission(run: ContestRun, trial: int, *, top: int = 3) -> GameRecord:
    """Play one trial of a submission and return it move by move.

    It is the game that `evaluate_submission` plays as trial number `trial` of this run. `top` is how many of the most
    probable answers are kept after each move, 1 or more. Raises `WordplError` if the strategy cannot be started.
    """
    return _watch(run, trial, whole_number("top", top))[1]


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
    own = setting_of(entry, setting)
    if isinstance(own, str):
        raise WordplError(f"entry {entry.id} cannot be played again: {own}")
    row = ledger.row(entry, trial) if check_trial(trial) < (entry.trials or 0) else None
    if row is None:
        raise WordplError(f"trial {trial} is not in entry {entry.id}; it has trials 0 to {(entry.trials or 1) - 1}")
    if submission.call != entry.call:  # the same values, written in another way: what was entered is played
        submission = replace(submission, call=entry.call, maker=literal_call(entry.call) if entry.call else None)
    run = ContestRun(submission, own, int(entry.seed), entry.played_under, launcher)
    game, record = _watch(run, trial, whole_number("top", top))
    return record, difference(row, game, clue_strings(own.words.length))


def _watch(run: ContestRun, trial: int, top: int) -> tuple[Game, GameRecord]:
    limits, setting, trial = run.limits, run.setting, check_trial(trial)
    referee = Referee(setting, run.seed, math.inf, limits.asks, limits.min_epsilon)
    payload = Payload(run.submission, setting, limits, run.launcher, print_to_stderr=True)
    contestant = ContestantProcess(run.launcher, payload, limits)
    seen: list[Observed] = []
    try:
        try:
            contestant.ready()
        except ForfeitError as error:
            raise WordplError(f"{run.submission.path!r} cannot be started: {error.reason}") from None
        _look(contestant)
        before = _printed_since(contestant, 0)
        player = contestant.player(referee.seeds.player(trial, IDENTITY))
        game = referee.play(trial, WatchedPlayer(player, lambda: _observed(contestant, seen)))
        name = visible(contestant.name)
    finally:
        contestant.stop()
        payload.close()
    return game, game_record(name, setting, run.seed, game, seen, before, top)


@contextmanager
def _observed(contestant: ContestantProcess, seen: list[Observed]) -> Iterator[None]:
    printed, begun = contestant.printed, contestant.game_cpu if seen else 0.0
    try:
        yield
    finally:
        _look(contestant)
        seen.append(Observed(_printed_since(contestant, printed), contestant.game_cpu - begun))


def _look(contestant: ContestantProcess) -> None:
    """Take what has come on stderr, and see how much CPU time was used. Whether it was too much is not judged here."""
    with suppress(ForfeitError):
        contestant.look()


def _printed_since(contestant: ContestantProcess, printed: int) -> str:
    """What was written to stderr after the first `printed` bytes, as far as it was kept."""
    new = contestant.printed - printed
    kept = min(new, KEPT_ERRORS)
    return printable(contestant.errors[-kept:], new - kept) if kept else ""
