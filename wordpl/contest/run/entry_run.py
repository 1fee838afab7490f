"""Play a submission for the leaderboard (`wordpl contest submit`), or to try it out (`wordpl score --sandbox`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from wordpl.base.checks import instance
from wordpl.base.errors import WordplError
from wordpl.base.progress import Progress
from wordpl.base.sanitizing import visible
from wordpl.contest.cage.contestant_process import AT_START
from wordpl.contest.cage.sandbox import Launcher
from wordpl.contest.entrant.submission import Submission
from wordpl.contest.judge.ranking import decided, flag, standings
from wordpl.contest.ledger.entries import Board, Entry, Played
from wordpl.contest.ledger.writer import Ledger
from wordpl.contest.run.file_strategy import FileStrategy
from wordpl.contest.run.table import ContestRun, RunBudget, RunEndedError, play_trials
from wordpl.play.setting import Setting
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.tasks import ALIKE, ENGINE_VERSION, RESULT, Task, fail_alike, result_row


def play_entry(
    ledger: Ledger,
    entry: Entry,
    submission: Submission,
    setting: Setting,
    *,
    launcher: Launcher,
    jobs: int = 1,
    progress: Progress | None = None,
    budget: RunBudget | None = None,
) -> Entry:
    """Play the trials of `entry` in `ledger` until its stop rule ends the run, then publish its standings and its seed.

    `submission` and `setting` are what was entered. `launcher` starts `jobs` contestants at a time, and `progress` is
    called after each trial.

    Limits, stop rule and call are the entry's own; `budget` is `RunBudget()` unless it says otherwise. Trials that are
    in the ledger are not played again. Returns the finished entry; if another process finishes it first, returns what
    that process has written. If the contestant cannot be started or exceeds the budget of a run, the entry is ended
    without a rank and says why.

    Raises `OutOfTimeError` for a run that lasts too long at a time, and `WordplError` without a sandbox, for another
    submission or setting than the entry's, and for a run that was begun by another engine.
    """
    instance("setting", setting, Setting)
    if not launcher.ranked:
        raise WordplError("a run without a sandbox is not ranked; wordpl score shows how a strategy does")
    if entry.digest != submission.digest or entry.board != Board.of(setting, entry.played_under, entry.board_rule):
        raise WordplError(f"entry {entry.id} is of another submission, or was made with other words or another rule")
    if entry.running and entry.engine != ENGINE_VERSION:
        raise WordplError(
            f"entry {entry.id} was begun by engine {entry.engine}, and this is engine {ENGINE_VERSION}: finish it with"
            " the wordpl that began it, or enter it again"
        )
    if not entry.running:
        return entry
    submission = submission.entered_as(entry.call)
    budget = budget or RunBudget()
    looks = _Looks(ledger, entry, progress)
    try:
        if not looks.decided():
            missing = ledger.missing(entry, entry.stop_rule.max_trials)
            play_trials(
                ContestRun(submission, setting, ledger.seed(entry), budget.bounded(entry.played_under), launcher),
                missing,
                looks.on_played,
                jobs=min(jobs, len(missing)),
                on_started=lambda strategy, interface: ledger.describe(entry, strategy, interface),
                budget=budget,
            )
    except RunEndedError as error:
        return ledger.finish(entry, ledger.played(entry), ended=str(error))
    row, outcomes = ledger.entry(entry.id), looks.outcomes
    if not row.running:  # another referee has finished it meanwhile
        return row
    return ledger.finish(entry, len(outcomes), standings(outcomes, entry.stop_rule), flag(outcomes))


class _Looks:
    """Asks the stop rule at looks in order, so that a run ends at the same one however its trials come."""

    def __init__(self, ledger: Ledger, entry: Entry, progress: Progress | None) -> None:
        self._ledger, self._entry, self._progress, self._rule = ledger, entry, progress, entry.stop_rule
        self._looks = deque(self._rule.looks)
        self.outcomes = ledger.outcomes(entry, 0)
        """Those of the last look."""

    def on_played(self, played: Sequence[Played]) -> bool:
        """Keep finished trials; returns whether the run or the entry is over."""
        if not self._ledger.add(self._entry, played):
            return True
        over = self.decided()
        if self._progress is not None:
            look = len(self.outcomes) if over else self._looks[0]
            count = look - len(self._ledger.missing(self._entry, look))
            self._progress(self._entry.name, len(played), count, look)
        return over

    def decided(self) -> bool:
        """Whether the run ends with the trials that are there, which `outcomes` then holds."""
        while self._looks and not self._ledger.missing(self._entry, self._looks[0]):
            look = self._looks.popleft()
            self.outcomes = self._ledger.outcomes(self._entry, look)
            # Of an entry that is over, trials after the end may have been deleted while they were read.
            over = not self._looks or not self._ledger.entry(self._entry.id).running
            if over or decided(self.outcomes, self._rule):
                self._looks.clear()
                return True
        return not self._looks


def evaluate_submission(run: ContestRun, trials: int, *, jobs: int = 1, progress: Progress | None = None) -> Evaluation:
    """Play `trials` trials of `run` from 0 on without a rank: its author may know the seed. Raises `WordplError` if it
    cannot start.

    `jobs` is the number of contestants at a time, and `progress` is called after each trial.

    A submission that loses its first ten trials by one and the same error is not played any further.
    """
    submission, setting = run.submission, run.setting
    records: dict[int, Played] = {}
    names = [""]

    def fails() -> bool:
        return fail_alike({trial: record.game.reason for trial, record in records.items()})

    def on_played(played: Sequence[Played]) -> bool:
        records.update((record.game.trial, record) for record in played)
        if progress is not None:
            progress(submission.main, len(played), len(records), trials)
        return fails()

    try:
        play_trials(
            run,
            range(trials),
            on_played,
            jobs=min(jobs, trials),
            on_started=lambda strategy, interface: names.append(visible(strategy)),
        )
        if all(record.game.reason.startswith(AT_START) for record in records.values()):  # too few for the run to end
            raise RunEndedError(records[0].game.reason)
    except RunEndedError as error:
        raise WordplError(f"{submission.path!r} cannot be started: {error}") from None
    if fails():  # what else was under way depends on the number of jobs
        records = {trial: records[trial] for trial in range(ALIKE)}
    results = np.empty(len(records), dtype=RESULT)
    for trial, record in sorted(records.items()):
        results[trial] = result_row(setting, record.game)
    reasons = {trial: record.game.reason for trial, record in sorted(records.items()) if record.game.reason}
    task = Task(FileStrategy(submission, names[-1]), setting, run.seed, run.limits.cpu_seconds)
    return Evaluation(task, results, reasons)
