"""Play a submission, with one contestant process for each job: an entry of a contest, or a file to try it out."""

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from wordpl.base.checks import whole_number
from wordpl.base.errors import WordplError
from wordpl.base.progress import Progress
from wordpl.base.sanitizing import visible
from wordpl.contest.contestant import AT_START, KEPT_ERRORS, ContestantProcess, NotWantedError
from wordpl.contest.file_strategy import FileStrategy
from wordpl.contest.ledger import Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.records import FINAL, PROVISIONAL, Contest, Credit, Entry, PlayedGame, sha256
from wordpl.contest.sandbox import Launcher
from wordpl.contest.submission import Submission
from wordpl.play.referee import ForfeitError, Referee
from wordpl.play.seeds import Seeds
from wordpl.play.setting import Setting
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.sweep import ALIKE, fail_alike
from wordpl.simulation.tasks import Task
from wordpl.simulation.trials import Trial, table_of
from wordpl.simulation.watch import LAST_TRIAL, GameRecord, Observed, WatchedPlayer, game_record

STARTS = 3
"""A run ends when its contestant fails to start this many times in a row."""
START_SECONDS = 6 * 3600.0
"""Wall clock of all starts of a run. Everything else is bounded by the limits and the number of trials."""
NO_START = f"it could not be started, {STARTS} times in a row"
SLOW_STARTS = f"its starts took more than {START_SECONDS / 3600:g} hours"
FAILED_ALIKE = f"it lost its first {ALIKE} games by one and the same error"

_KEEP_SECONDS = 0.25


@dataclass(frozen=True)
class ContestRun:
    """The terms of a run: `submission`, `setting`, root `seed`, `limits`, and the `launcher` to start it."""

    submission: Submission
    setting: Setting
    seed: int = field(repr=False)
    limits: Limits
    launcher: Launcher
    player_seed: int | None = field(default=None, repr=False)
    """Root seed of the player's own random numbers; None if they follow from `seed`."""

    def referee(self) -> Referee:
        """The referee of its games. The clocks of a contestant are the host's; the referee only waits for it."""
        return Referee(self.setting, self.seed, max_asks=self.limits.asks, min_epsilon=self.limits.min_epsilon)

    def seed_of_player(self, trial: int) -> int:
        """The seed of the player's random numbers in game number `trial`."""
        root = self.seed if self.player_seed is None else self.player_seed
        return Seeds(root).player(trial, FileStrategy.player_name)


class RunEndedError(Exception):
    """The contestant has ended its run: `ended` is one of three sentences, `reason` what its own error says."""

    def __init__(self, ended: str, reason: str) -> None:
        super().__init__(f"{ended}: {reason}" if reason else ended)
        self.ended, self.reason = ended, reason


class TrialPlayer(AbstractContextManager["TrialPlayer"]):
    """A referee and one contestant. A context manager: it leaves no process behind."""

    def __init__(self, run: ContestRun) -> None:
        self._run, self._referee = run, run.referee()
        self.contestant = ContestantProcess(run.submission, run.setting, run.limits, run.launcher)
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

    def play(self, trial: int) -> PlayedGame:
        """Play one trial, whatever the contestant does."""
        refused, self._refused = self._refused, None
        game = self._referee.play(trial, self.contestant.player(self._run.seed_of_player(trial), refused))
        return PlayedGame.of(game, self.contestant.printed.text)


class TrialQueue:
    """Trials of a `run` on their way to its contestants, and from there to whoever iterates over this."""

    def __init__(self, run: ContestRun, trials: Iterable[int], *, jobs: int = 1) -> None:
        self._run, self._jobs = run, jobs
        self._waiting = deque(trials)
        self._played: deque[PlayedGame] = deque()
        self._players: list[TrialPlayer] = []
        self._stop = threading.Event()
        self._ended: list[BaseException] = []

    def __iter__(self) -> Iterator[list[PlayedGame]]:
        """Play the trials in their order, and yield finished ones, a few at a time and in any order.

        Each of the `jobs` contestants starts once, and again only after a failure. Games that are being played when
        nobody iterates any more are finished, and not yielded.

        Raises `RunEndedError` for what the contestant does, and anything else for what goes wrong with the machine.
        Trials that were finished by then have been yielded.
        """
        # A contestant dies with the thread that started it, so each has a thread of its own.
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._jobs)]
        try:
            for thread in threads:
                thread.start()
            while alive := [thread for thread in threads if thread.is_alive()]:
                if self._played:
                    yield self._taken()
                alive[0].join(_KEEP_SECONDS)
        except KeyboardInterrupt as error:
            self._ended.append(error)
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(min(self._run.limits.game_seconds + 60, threading.TIMEOUT_MAX))
        if self._played:
            yield self._taken()
        if self._ended:
            raise self._ended[0]

    @property
    def name(self) -> str:
        """The name that the strategy gives itself, once a contestant has started; empty before."""
        return next((player.contestant.name for player in self._players if player.contestant.name), "")

    def _taken(self) -> list[PlayedGame]:
        return [self._played.popleft() for _ in range(len(self._played))]

    def _work(self) -> None:
        """Play trials with a contestant of its own until none waits or the run has ended."""
        try:
            with TrialPlayer(self._run) as player:
                self._players.append(player)
                player.contestant.wanted = self._more
                # A trial is taken by a contestant that can play it: others may have played them all by then.
                while self._more() and player.ready():
                    try:
                        trial = self._waiting.popleft()
                    except IndexError:
                        return
                    game = player.play(trial)
                    # Also if the run ends meanwhile: trials are taken in order, so none is missing before the last one.
                    self._played.append(game)
                    if player.contestant.failed_starts >= STARTS:
                        raise RunEndedError(NO_START, game.reason)
                    if sum(other.contestant.start_seconds for other in self._players) > START_SECONDS:
                        raise RunEndedError(SLOW_STARTS, "")
        except BaseException as error:
            self._ended.append(error)
            self._stop.set()

    def _more(self) -> bool:
        return bool(self._waiting) and not self._stop.is_set()


# Entries of a contest.


def run_of_entry(contest: Contest, stage: str, submission: Submission, launcher: Launcher) -> ContestRun:
    """The run of an entry in a stage: the games of all entries, and random numbers of its own.

    If two entries drew the same numbers in a trial, one could recognise the games of the other.
    """
    seed = contest.seed(stage)
    own = int(sha256(f"wordpl contest player\n{seed}\n{submission.digest}"), 16)
    return ContestRun(submission, contest.setting(), int(seed, 16), contest.limits, launcher, own)


def order_of_trials(run: ContestRun, trials: int) -> list[int]:
    """The trials of an entry in the order in which it plays them, which is no other entry's."""
    seeds = Seeds(run.seed if run.player_seed is None else run.player_seed)
    return sorted(range(trials), key=lambda trial: (seeds.player(trial, "order"), trial))


def submit(
    ledger: Ledger,
    submission: Submission,
    name: str,
    *,
    credit: Credit | None = None,
    launcher: Launcher,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Entry:
    """Enter a submission, and play its games of the provisional stage that are missing; returns its entry.

    The same files and call are the same entry, whoever hands them in. Raises `WordplError` as `Ledger.enter` does,
    without a sandbox, if another process plays, and for what goes wrong with the machine; then the entry stays open,
    and the same call resumes it.

    - `ledger`: the contest's file, opened to be written
    - `submission`: what is handed in
    - `name`: the name of the entry on the board
    - `credit`: who is shown as the author, and a link
    - `launcher`: the sandbox, as `launcher()` gives it
    - `jobs`: contestants that play at a time
    - `progress`: is called after each game
    """
    with ledger.playing():
        entry = ledger.enter(submission, name, credit)
        if ledger.contest.closing:
            return entry
        return _play(ledger, entry, PROVISIONAL, launcher, jobs, progress)


def close_contest(ledger: Ledger, *, launcher: Launcher, jobs: int = 1, progress: Progress | None = None) -> None:
    """Play every entry of `ledger` that has not ended on the final hidden games, then publish both seeds.

    From the first call on, nothing more is entered. A close that was stopped is resumed by the next call. `launcher`,
    `jobs` and `progress` are as in `submit`. Raises `WordplError` as `submit` does.
    """
    with ledger.playing():
        ledger.current()
        ledger.mark("closing")
        for entry in ledger.entries():
            _play(ledger, entry, FINAL, launcher, jobs, progress)
        ledger.mark("closed")


def _play(ledger: Ledger, entry: Entry, stage: str, launcher: Launcher, jobs: int, progress: Progress | None) -> Entry:
    """Play the games of an entry that are missing in a stage; if the contestant's errors end that, note why."""
    contest = ledger.current()
    if not launcher.ranked:
        raise WordplError("an entry is played in a sandbox only; use wordpl score to see how a strategy does")
    if entry.ended:
        return entry
    run = run_of_entry(contest, stage, ledger.submission(entry), launcher)
    order, reasons = order_of_trials(run, contest.trials), ledger.reasons(entry, stage)
    missing = [trial for trial in order if trial not in reasons]

    def check_first() -> None:
        first = [reasons.get(trial, "") for trial in order[:ALIKE]]
        if fail_alike(dict(enumerate(first))):
            raise RunEndedError(FAILED_ALIKE, first[0])

    try:
        check_first()
        for games in TrialQueue(run, missing, jobs=min(jobs, len(missing))) if missing else ():
            ledger.add(entry, stage, games)
            reasons |= {game.trial: game.reason for game in games}
            if progress is not None:
                progress(visible(entry.name), len(games), len(reasons), contest.trials)
            check_first()
    except RunEndedError as error:
        return ledger.end(entry, error.ended, error.reason)
    return entry


# Files that get no rank.


def evaluate_submission(run: ContestRun, trials: int, *, jobs: int = 1, progress: Progress | None = None) -> Evaluation:
    """Play `trials` trials of `run` from 0 on without a rank: its author may know the seed.

    `jobs` is the number of contestants at a time, and `progress` is called after each trial. Raises `WordplError` if
    the submission cannot be started. If it loses its first ten trials by one and the same error, the run ends.
    """
    submission, setting = run.submission, run.setting
    queue = TrialQueue(run, range(trials), jobs=min(jobs, trials))
    games: dict[int, PlayedGame] = {}
    fails = False
    try:
        for played in queue:
            games.update((game.trial, game) for game in played)
            if progress is not None:
                progress(submission.main, len(played), len(games), trials)
            fails = fail_alike({trial: game.reason for trial, game in games.items()})
            if fails:
                break
        if all(game.reason.startswith(AT_START) for game in games.values()):  # too few for the run to end
            raise RunEndedError(NO_START, games[0].reason)
    except RunEndedError as error:
        raise WordplError(f"{submission.path!r} cannot be started: {error.reason or error.ended}") from None
    if fails:  # what else was under way depends on the number of jobs
        games = {trial: games[trial] for trial in range(ALIKE)}
    results = table_of(Trial.of(setting, game.game) for _, game in sorted(games.items()))
    task = Task(FileStrategy(submission, visible(queue.name)), setting, run.seed)
    return Evaluation(task.row, results)


def watch_submission(run: ContestRun, trial: int, *, top: int = 3) -> GameRecord:
    """Play trial number `trial` of `run` and return it move by move.

    It is the game that `evaluate_submission` plays. `top` is how many of the most probable answers are kept after each
    move, 1 or more. Raises `WordplError` if the strategy cannot be started.
    """
    trial, top = whole_number("trial", trial, 0, LAST_TRIAL), whole_number("top", top)
    moves: list[Observed] = []
    with ContestantProcess(run.submission, run.setting, run.limits, run.launcher, print_to_stderr=True) as contestant:
        try:
            contestant.ready()
        except ForfeitError as error:
            raise WordplError(f"{run.submission.path!r} cannot be started: {error.reason}") from None
        before = _printed_since(contestant, 0)
        player = contestant.player(run.seed_of_player(trial))
        game = run.referee().play(trial, WatchedPlayer(player, _observed(contestant, moves)))
    label = run.submission.label(visible(contestant.name))
    return game_record(label, run.setting, run.seed, game, moves, before, top)


@contextmanager
def _observed(contestant: ContestantProcess, moves: list[Observed]) -> Iterator[None]:
    printed, start = contestant.printed.count, contestant.usage.game_cpu if moves else 0.0
    try:
        yield
    finally:
        seconds = contestant.game_cpu() - start
        moves.append((_printed_since(contestant, printed), seconds))


def _printed_since(contestant: ContestantProcess, printed: int) -> str:
    """Return what was written to stderr after the first `printed` bytes, as far as it was kept."""
    count = contestant.printed.count - printed
    tail = min(count, KEPT_ERRORS)
    return ("…" if count > tail else "") + contestant.printed.text[-tail:].strip("\n") if tail else ""
