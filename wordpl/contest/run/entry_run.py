"""Play a submission, with one contestant process for each job: for the leaderboard, or to try it out."""

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from time import monotonic

from wordpl.base.checks import instance
from wordpl.base.errors import WordplError
from wordpl.base.progress import Progress
from wordpl.base.sanitizing import visible
from wordpl.contest.contestant import AT_START, ContestantProcess, NotWantedError
from wordpl.contest.file_strategy import FileStrategy
from wordpl.contest.judge.evidence import figures
from wordpl.contest.judge.ranking import EntryJudge, Row, flag, standings
from wordpl.contest.ledger.entries import Board, Entry
from wordpl.contest.ledger.writer import Ledger
from wordpl.contest.limits import MIB, Limits
from wordpl.contest.sandbox import Launcher
from wordpl.contest.submission import Submission
from wordpl.play.referee import ForfeitError, Referee
from wordpl.play.setting import Setting
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.sweep import ALIKE, fail_alike
from wordpl.simulation.tasks import ENGINE_VERSION, Task, task_row
from wordpl.simulation.trials import COLUMNS, Trial, read_rows

STARTS = 3
"""A run ends when its contestant fails to start this many times in a row."""

_KEEP_SECONDS = 0.25


@dataclass(frozen=True)
class ContestRun:
    """What all games of a run share: `submission`, `setting`, root `seed`, `limits`, and the `launcher` to start it."""

    submission: Submission
    setting: Setting
    seed: int = field(repr=False)
    limits: Limits
    launcher: Launcher


@dataclass(frozen=True)
class RunBudget:
    """Bounds on all contestants of a run together; `Limits` bound a game and a start.

    The longest run takes `seconds`, and then what its last trials take: a start and a game, so with the default
    limits a day and 660 seconds for each job, whatever the contestant does.
    """

    restarts: int = 1000
    """Starts after a contestant was ended or has ended, the first start of each job not counted."""
    start_seconds: float = 6 * 3600.0
    """Wall clock of all starts."""
    log_bytes: int = 256 * MIB
    """Of the moves, reasons and errors that are kept of all trials."""
    seconds: float = 24 * 3600.0
    """Wall clock of the run, from its first trial."""


class OutOfTimeError(WordplError):
    """A ranked run has lasted as long as it may at a time. It can be resumed."""


class RunEndedError(Exception):
    """The contestant could not be started, or exceeded the budget of a run. The message says why, on one line."""


class Table(AbstractContextManager["Table"]):
    """A referee and one contestant. A context manager: it leaves no process behind."""

    def __init__(self, run: ContestRun) -> None:
        limits = run.limits
        # The clocks of a contestant are the host's; the referee's thread only waits for it.
        self._referee = Referee(run.setting, run.seed, max_asks=limits.asks, min_epsilon=limits.min_epsilon)
        self.contestant = ContestantProcess(run.submission, run.setting, limits, run.launcher)
        self.log_bytes = 0
        self._refused: ForfeitError | None = None

    def __exit__(self, *_: object) -> None:
        self.contestant.close()

    def ready(self) -> bool:
        """Start the contestant outside the clock of a game; whether there is a trial to be played, or lost to that."""
        try:
            self.contestant.ready()
        except ForfeitError as error:
            self._refused = error
        except NotWantedError:
            return False
        return True

    def play(self, trial: int) -> Row:
        """Play one trial and return its row, whatever the contestant does."""
        refused, self._refused = self._refused, None
        seed = self._referee.seeds.player(trial, FileStrategy.player_name)
        game = self._referee.play(trial, self.contestant.player(seed, refused))
        # After the last reply of the game, so that the time they take tells nothing of its answer while that counts.
        row = Row.of(game, *figures(self._referee.setting, game), self.contestant.printed.text)
        # Roughly what is stored of a trial: its asks, a few numbers each, and its texts.
        self.log_bytes += sum(len(guess) + 32 for guess, _, _ in row.log) + len(row.reason) + len(row.errors)
        return row


class TrialQueue:
    """Trials of a `run` on their way to its contestants, and from there to whoever iterates over this."""

    def __init__(
        self, run: ContestRun, trials: Iterable[int], *, jobs: int = 1, budget: RunBudget | None = None
    ) -> None:
        self._run, self._jobs, self._budget = run, jobs, budget or RunBudget()
        self._waiting = deque(trials)
        self._played: deque[Row] = deque()
        self._tables: list[Table] = []
        self._stop = threading.Event()
        self._enough = False
        self._ended: list[BaseException] = []
        self._start = self._kept_at = monotonic()

    def __iter__(self) -> Iterator[list[Row]]:
        """Play the trials in their order, and yield finished ones, a few at a time and in any order.

        Each of the `jobs` contestants starts once, and again only after a failure. The games end with the last trial,
        or soon after a call of `end`; games that are being played then are finished and yielded, too.

        Raises `RunEndedError` if the contestant fails to start three times in a row, or if a ranked run exceeds its
        `budget`. Raises `OutOfTimeError` if a ranked run lasts too long: a slow machine may be the reason, so the run
        can be resumed. Trials that were finished by then have been yielded; after `end` the run has what it needs, and
        nothing is raised.
        """
        yield from self._play_here() if self._jobs == 1 else self._play_in_threads()
        if self._played:
            yield self._taken()
        for error in self._ended:
            if not (self._enough and isinstance(error, (RunEndedError, WordplError))):
                raise error

    def end(self) -> None:
        """No more trials are needed."""
        self._enough = True
        self._stop.set()

    @property
    def started(self) -> tuple[str, str]:
        """Name and interface of the strategy, once a contestant has started; two empty texts before."""
        contestants = (table.contestant for table in self._tables)
        return next(((c.name, c.interface) for c in contestants if c.interface), ("", ""))

    def _play_here(self) -> Iterator[list[Row]]:
        for _ in self._work():
            if monotonic() - self._kept_at >= _KEEP_SECONDS:
                yield self._taken()

    def _play_in_threads(self) -> Iterator[list[Row]]:
        """Play in threads, each with a contestant, which dies with the thread that started it."""
        threads = [threading.Thread(target=list, args=(self._work(),), daemon=True) for _ in range(self._jobs)]
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                if self._played:
                    yield self._taken()
                threads[0].join(_KEEP_SECONDS) if threads[0].is_alive() else self._stop.wait(_KEEP_SECONDS / 10)
        except KeyboardInterrupt as error:
            self._ended.append(error)
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(min(self._run.limits.game_seconds + 60, threading.TIMEOUT_MAX))

    def _taken(self) -> list[Row]:
        self._kept_at = monotonic()
        return [self._played.popleft() for _ in range(len(self._played))]

    def _work(self) -> Iterator[None]:
        """Play trials at a table of its own until none waits or the run has ended; yields after each."""
        try:
            with Table(self._run) as table:
                self._tables.append(table)
                table.contestant.wanted = self._more
                # A trial is taken by a contestant that can play it: others may have played them all by then.
                while self._more() and table.ready():
                    try:
                        trial = self._waiting.popleft()
                    except IndexError:
                        return
                    row = table.play(trial)
                    # Also if the run ends meanwhile: trials are taken in order, so none is missing before the last one.
                    self._played.append(row)
                    self._check(table, row)
                    yield
        except BaseException as error:
            self._ended.append(error)
            self._stop.set()

    def _more(self) -> bool:
        return bool(self._waiting) and not self._stop.is_set()

    def _check(self, table: Table, row: Row) -> None:
        """Raise what ends the run after this trial. The budget only matters in a ranked run while trials are left."""
        if table.contestant.failed_starts >= STARTS:
            raise RunEndedError(row.reason)
        if not (self._run.launcher.ranked and self._waiting):
            return
        contestants, budget = [table.contestant for table in self._tables], self._budget
        for used, most, what in (
            (sum(max(0, contestant.starts - 1) for contestant in contestants), budget.restarts, "restarts"),
            (sum(contestant.start_seconds for contestant in contestants), budget.start_seconds, "start seconds"),
            (sum(table.log_bytes for table in self._tables), budget.log_bytes, "log bytes"),
        ):
            if used > most:
                raise RunEndedError(f"used more than {most:,} {what} in one run")
        if monotonic() - self._start > self._budget.seconds:
            raise OutOfTimeError(f"stopped after {self._budget.seconds:g} s; to resume, give the same command again")


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
        raise WordplError("a run without a sandbox is not ranked; use wordpl score to see how a strategy does")
    if entry.digest != submission.digest or entry.board != Board.of(setting, entry.limits, entry.stop):
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
    run = ContestRun(submission, setting, ledger.seed(entry), entry.limits, launcher)
    missing = [] if judge.over else judge.missing()
    queue, described = TrialQueue(run, missing, jobs=min(jobs, len(missing)), budget=budget), False
    try:
        for rows in queue:
            name, interface = queue.started
            if interface and not described:
                ledger.describe(entry, name, interface)
                described = True
            stored = ledger.add(entry, rows)
            if stored is None:  # another referee has finished it
                queue.end()
                continue
            if stored == len(rows):
                judge.take(rows)
            else:  # another referee plays it, too, and what was stored first counts
                judge = EntryJudge(rule, ledger.rows(entry))
            if progress is not None:
                progress(entry.name, len(rows), *judge.progress)
            if judge.over:
                queue.end()
    except RunEndedError as error:
        return ledger.finish(entry, ledger.played(entry), ended=str(error))
    row = ledger.entry(entry.id)
    if not row.running:
        return row
    return ledger.finish(entry, len(judge.outcomes), standings(judge.outcomes, rule), flag(judge.outcomes))


def evaluate_submission(run: ContestRun, trials: int, *, jobs: int = 1, progress: Progress | None = None) -> Evaluation:
    """Play `trials` trials of `run` from 0 on without a rank: its author may know the seed.

    `jobs` is the number of contestants at a time, and `progress` is called after each trial. Raises `WordplError` if
    the submission cannot be started. If it loses its first ten trials by one and the same error, the run ends.
    """
    submission, setting = run.submission, run.setting
    queue = TrialQueue(run, range(trials), jobs=min(jobs, trials))
    rows: dict[int, Row] = {}
    fails = False
    try:
        for played in queue:
            rows.update((row.trial, row) for row in played)
            if progress is not None:
                progress(submission.main, len(played), len(rows), trials)
            fails = fail_alike({trial: row.reason for trial, row in rows.items()})
            if fails:
                queue.end()
        if all(row.reason.startswith(AT_START) for row in rows.values()):  # too few for the run to end
            raise RunEndedError(rows[0].reason)
    except RunEndedError as error:
        raise WordplError(f"{submission.path!r} cannot be started: {error}") from None
    if fails:  # what else was under way depends on the number of jobs
        rows = {trial: rows[trial] for trial in range(ALIKE)}
    finished = [Trial.of(setting, row.game) for _, row in sorted(rows.items())]
    results, reasons = read_rows(finished, COLUMNS, setting.words.answers)
    task = Task(FileStrategy(submission, visible(queue.started[0])), setting, run.seed)
    return Evaluation(task_row(task, len(results)), results, reasons, answers=setting.words.answers)
