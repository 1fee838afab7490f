"""From a submission to an entry of the leaderboard (`wordpl submit`), or to an evaluation (`wordpl try`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wordpl.contest import sandbox
from wordpl.contest.budget import RunBudget, Tally
from wordpl.contest.entries import Board, Entry
from wordpl.contest.ledger import Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.ranking import decided, flag, standings
from wordpl.contest.sandbox import Launcher, Trusted
from wordpl.contest.sanitizing import visible
from wordpl.contest.scoring import Played, RunEndedError, play_trials
from wordpl.contest.submission import Submission
from wordpl.errors import WordplError
from wordpl.play.specs import literal_call
from wordpl.play.strategy import Setting, from_contest
from wordpl.progress import Progress
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.tasks import ENGINE_VERSION, RESULT, Task, result_row


class _OverError(Exception):
    """Another referee has finished the entry meanwhile."""


def submit(
    ledger: Ledger,
    entry: Entry,
    submission: Submission,
    setting: Setting,
    *,
    launcher: Launcher,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Entry:
    """Bring an entry to its end: trials up to one look after another, until its stop rule says so; then publish.

    Limits, stop rule and call are the entry's own. What is in the ledger already is not played again. Returns the
    entry, finished by this call or by another process; a contestant that cannot be started ends its run, which
    the entry then says. Raises `WordplError` without a sandbox, and for another submission or setting.
    """
    if not launcher.ranked:
        raise WordplError("a run without a sandbox is not ranked; wordpl try --trusted shows how a strategy does")
    if entry.digest != submission.digest or entry.board != Board.of(setting, entry.played_under, entry.board_rule):
        raise WordplError(f"entry {entry.id} is of another submission, or was made with other words or another rule")
    if entry.running and entry.engine != ENGINE_VERSION:
        raise WordplError(f"entry {entry.id} was begun by engine {entry.engine}, this is engine {ENGINE_VERSION}")
    if not entry.running:
        return entry
    seed, rule = ledger.seed(entry), entry.stop_rule
    if submission.call != entry.call:  # the same values, written in another way: what was entered is played
        submission = replace(submission, call=entry.call, maker=literal_call(entry.call))
    look = done = 0
    tally = Tally(RunBudget())

    def on_played(played: Sequence[Played]) -> None:
        nonlocal done
        if not ledger.add(entry, played):
            raise _OverError
        done += len(played)
        if progress is not None:
            progress(entry.name, len(played), done, look)

    for look in rule.looks:
        missing = ledger.missing(entry, look)
        done = look - len(missing)
        try:
            play_trials(
                submission,
                setting,
                seed,
                missing,
                on_played,
                limits=entry.played_under,
                launcher=launcher,
                jobs=min(jobs, max(1, len(missing))),
                on_started=lambda strategy, interface: ledger.describe(entry, strategy, interface),
                tally=tally,
            )
        except RunEndedError as error:
            return ledger.finish(entry, ledger.played(entry), ended=str(error))
        except _OverError:
            return ledger.entry(entry.id)
        outcomes = ledger.outcomes(entry, look)
        now = ledger.entry(entry.id)
        if not now.running:  # if it still is, nothing of what was just read has been deleted
            return now
        if decided(outcomes, rule):
            break
    return ledger.finish(entry, len(outcomes), standings(outcomes, rule), flag(outcomes))


def score_trusted(
    submission: Submission,
    setting: Setting,
    seed: int,
    trials: int,
    *,
    limits: Limits | None = None,
    launcher: Launcher | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Evaluation:
    """Play a submission without a ledger and without a rank; by default without a sandbox, too.

    `seed` is known, so this is for trying out. Raises `WordplError` if the strategy cannot be started.
    """
    limits = limits or Limits()
    records: dict[int, Played] = {}
    name = [submission.main]

    def on_played(played: Sequence[Played]) -> None:
        records.update((record.game.trial, record) for record in played)
        if progress is not None:
            progress(submission.main, len(played), len(records), trials)

    try:
        play_trials(
            submission,
            setting,
            seed,
            range(trials),
            on_played,
            limits=limits,
            launcher=launcher or Trusted(),
            jobs=min(jobs, trials),
            on_started=lambda strategy, interface: name.append(visible(strategy)),
        )
    except RunEndedError as error:
        raise WordplError(f"{submission.path!r} cannot be started: {error}") from None
    results = np.empty(trials, dtype=RESULT)
    for trial, record in sorted(records.items()):
        results[trial] = result_row(setting, record.game)
    reasons = {trial: record.game.reason for trial, record in sorted(records.items()) if record.game.reason}
    task = Task(from_contest(_Elsewhere(), name[-1]), setting, seed, limits.cpu_seconds)
    return Evaluation(task, results, reasons)


class _Elsewhere:
    """Stands for a strategy whose games were played in another process."""

    def first_move(self) -> object:
        raise NotImplementedError

    def next_move(self, guess: str, epsilon: float, clues: str) -> object:
        raise NotImplementedError


def launcher() -> Launcher:
    """The sandbox of this machine. Raises `WordplError`, and says why, where there is none."""
    try:
        return sandbox.find()
    except sandbox.NoSandboxError as error:
        raise WordplError(f"{error}; nothing is ranked without one (wordpl try --trusted runs without)") from None
