"""Play a submission for the leaderboard (`wordpl contest submit`), or to try it out (`wordpl score --sandbox`)."""

from __future__ import annotations

from collections.abc import Sequence

from wordpl.base.checks import instance
from wordpl.base.errors import WordplError
from wordpl.base.progress import Progress
from wordpl.base.sanitizing import visible
from wordpl.contest.cage.contestant_process import AT_START
from wordpl.contest.cage.sandbox import Launcher
from wordpl.contest.entrant.submission import Submission
from wordpl.contest.judge.looks import EntryJudge
from wordpl.contest.judge.ranking import flag, standings
from wordpl.contest.judge.trials import Row
from wordpl.contest.ledger.entries import Board, Entry
from wordpl.contest.ledger.writer import Ledger
from wordpl.contest.run.file_strategy import FileStrategy
from wordpl.contest.run.table import ContestRun, RunBudget, RunEndedError, play_trials
from wordpl.play.setting import Setting
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.sweep import ALIKE, fail_alike
from wordpl.simulation.tasks import ENGINE_VERSION, Task, task_row
from wordpl.simulation.trials import COLUMNS, Trial, read_rows


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
    rule = entry.stop_rule
    judge = EntryJudge(rule, ledger.rows(entry))

    def on_played(rows: Sequence[Row]) -> bool:
        nonlocal judge
        stored = ledger.add(entry, rows)
        if stored is None:  # another referee has finished it
            return True
        if stored == len(rows):
            judge.take(rows)
        else:  # another referee plays it, too, and what was stored first counts
            judge = EntryJudge(rule, ledger.rows(entry))
        if progress is not None:
            progress(entry.name, len(rows), *judge.progress)
        return judge.over

    try:
        if not judge.over:
            missing = judge.missing()
            play_trials(
                ContestRun(submission, setting, ledger.seed(entry), budget.bounded(entry.played_under), launcher),
                missing,
                on_played,
                jobs=min(jobs, len(missing)),
                on_started=lambda strategy, interface: ledger.describe(entry, strategy, interface),
                budget=budget,
            )
    except RunEndedError as error:
        return ledger.finish(entry, ledger.played(entry), ended=str(error))
    row = ledger.entry(entry.id)
    if not row.running:
        return row
    return ledger.finish(entry, len(judge.outcomes), standings(judge.outcomes, rule), flag(judge.outcomes))


def evaluate_submission(run: ContestRun, trials: int, *, jobs: int = 1, progress: Progress | None = None) -> Evaluation:
    """Play `trials` trials of `run` from 0 on without a rank: its author may know the seed. Raises `WordplError` if it
    cannot start.

    `jobs` is the number of contestants at a time, and `progress` is called after each trial.

    A submission that loses its first ten trials by one and the same error is not played any further.
    """
    submission, setting = run.submission, run.setting
    rows: dict[int, Row] = {}
    names = [""]

    def fails() -> bool:
        return fail_alike({trial: row.reason for trial, row in rows.items()})

    def on_played(played: Sequence[Row]) -> bool:
        rows.update((row.trial, row) for row in played)
        if progress is not None:
            progress(submission.main, len(played), len(rows), trials)
        return fails()

    try:
        play_trials(
            run,
            range(trials),
            on_played,
            jobs=min(jobs, trials),
            on_started=lambda strategy, interface: names.append(visible(strategy)),
        )
        if all(row.reason.startswith(AT_START) for row in rows.values()):  # too few for the run to end
            raise RunEndedError(rows[0].reason)
    except RunEndedError as error:
        raise WordplError(f"{submission.path!r} cannot be started: {error}") from None
    if fails():  # what else was under way depends on the number of jobs
        rows = {trial: rows[trial] for trial in range(ALIKE)}
    played = [Trial.of(setting, row.game) for _, row in sorted(rows.items())]
    results, reasons, _ = read_rows(played, len(played), COLUMNS, setting.words.answers)
    task = Task(FileStrategy(submission, names[-1]), setting, run.seed, run.limits.cpu_seconds)
    return Evaluation(task_row(task, len(results)), results, reasons, answers=setting.words.answers)
