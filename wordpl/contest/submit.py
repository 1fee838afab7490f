"""From a submission to an entry of the leaderboard (`wordpl submit`), or to an evaluation (`score --trusted`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordpl.contest import sandbox
from wordpl.contest.budget import RunBudget, Tally
from wordpl.contest.ledger import Entry, Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.names import visible
from wordpl.contest.ranking import LOOKS, settled, standings
from wordpl.contest.sandbox import Launcher, Trusted
from wordpl.contest.scoring import Played, RunEndedError, play_trials
from wordpl.contest.submission import Submission
from wordpl.errors import WordplError
from wordpl.evaluation import Evaluation
from wordpl.progress import Progress
from wordpl.strategy import Setting, from_contest
from wordpl.trials import RESULT, Task, result_row

WIDTH = 0.02
"""Of the interval of a win rate, at the budget to rank, that is narrow enough."""


def submit(
    ledger: Ledger,
    entry: Entry,
    submission: Submission,
    setting: Setting,
    *,
    limits: Limits,
    launcher: Launcher,
    jobs: int = 1,
    looks: Sequence[int] = LOOKS,
    width: float = WIDTH,
    progress: Progress | None = None,
) -> Entry:
    """Bring an entry to its end: trials up to one look after another, until the figures are settled; then publish.

    What is in the ledger already is not played again. Returns the finished entry; a contestant that cannot be
    started ends its run, which the entry then says.
    """
    if not launcher.ranked:
        raise WordplError("a run without a sandbox is not ranked; wordpl score --trusted shows how a strategy does")
    if entry.state != "running":
        return entry
    seed = ledger.secret(entry)
    look = done = 0
    tally = Tally(RunBudget())

    def keep(played: Sequence[Played]) -> None:
        nonlocal done
        ledger.add(entry, played)
        done += len(played)
        if progress is not None:
            progress(entry.name, len(played), done, look)

    for look in looks:
        missing = ledger.missing(entry, look)
        done = look - len(missing)
        try:
            play_trials(
                submission,
                setting,
                seed,
                missing,
                keep,
                limits=limits,
                launcher=launcher,
                jobs=min(jobs, max(1, len(missing))),
                known=lambda strategy, interface: ledger.describe(entry, strategy, interface),
                tally=tally,
            )
        except RunEndedError as error:
            return ledger.finish(entry, [], done, ended=str(error))
        scores = ledger.scores(entry, look)
        if settled(scores, width):
            break
    return ledger.finish(entry, standings(scores), len(scores))


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

    def keep(played: Sequence[Played]) -> None:
        records.update((record.game.trial, record) for record in played)
        if progress is not None:
            progress(submission.main, len(played), len(records), trials)

    try:
        play_trials(
            submission,
            setting,
            seed,
            range(trials),
            keep,
            limits=limits,
            launcher=launcher or Trusted(),
            jobs=min(jobs, trials),
            known=lambda strategy, interface: name.append(visible(strategy)),
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
        raise WordplError(f"{error}; nothing is ranked without one (wordpl score --trusted runs without)") from None
