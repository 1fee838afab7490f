"""The run of an entry: one start for each job, the same end whatever the jobs and wherever it resumes, and bounds.
And one of its games, watched."""

import math
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.support import ledgers
from tests.support.helpers import SMALL
from tests.support.submissions import SUBMISSION, submission_of
from wordpl import Setting, Verdict, WordplError
from wordpl.contest import ContestRun, Entry, Ledger, Limits, StopRule, Trusted, audit_entry, play_entry, sandbox
from wordpl.contest.judge.ranking import Row
from wordpl.contest.run.entry_run import RunBudget, RunEndedError, TrialQueue

pytestmark = pytest.mark.heavy
SETTING = Setting(SMALL)
RULE = StopRule(first=20, step=10, max_trials=60)
"""No run is decided so early, so this one goes to its end, over five looks."""
DECIDED = StopRule(first=40, step=10, max_trials=300)
QUIET = f"""
class Quiet:
    def first_move(self):
        return {SMALL.guesses[0]!r}, 1.0

    def next_move(self, guess, epsilon, clues):
        return {SMALL.answers[0]!r}, 0
"""
LOSES = QUIET.replace(f"return {SMALL.guesses[0]!r}, 1.0", "return None")
"""Surely wins less than 5% after some 80 games."""
EXITS = "import os" + QUIET.replace(f"return {SMALL.guesses[0]!r}, 1.0", "os._exit(0)")
CRASHES = QUIET.replace(f"return {SMALL.guesses[0]!r}, 1.0", "raise RuntimeError")
TALKS = "import sys" + QUIET.replace("return", "print('x' * 250, file=sys.stderr, flush=True)\n        return")
FAILS = "import nowhere\n"


class Counted(Trusted):
    """Counts how often a contestant is started. Stands for a sandbox, which takes longer to start."""

    ranked = True

    def __init__(self) -> None:
        super().__init__()
        self.starts = 0

    def start(self, *given):
        self.starts += 1
        return super().start(*given)


def enter(path: Path, code: str, stop: StopRule) -> Entry:
    with Ledger(path) as ledger:
        return ledgers.enter(ledger, "Name", submission=submission_of(code), setting=SETTING, stop=stop, nonce="n")


def play(path: Path, code: str, entry: Entry, jobs: int = 1, **given) -> tuple[Entry, int]:
    """The entry when its run is over, and how many contestants were started for it."""
    launcher = Counted()
    with Ledger(path) as ledger:
        over = play_entry(ledger, entry, submission_of(code), SETTING, launcher=launcher, jobs=jobs, **given)
        assert audit_entry(ledger, over, SETTING) == []
    return over, launcher.starts


def content(path: Path, entry: Entry) -> tuple[object, ...]:
    """Of an entry all that does not depend on a clock."""
    with Ledger(path, read_only=True) as ledger:
        trials = [replace(row, seconds=0.0, slowest=0.0) for row in ledger.rows(entry)]
        return replace(entry, finished="", trials_digest="", results_digest=""), trials, ledger.standings(entry)


def keep(path: Path, code: str, entry: Entry, trials: list[int]) -> None:
    """Play some trials and leave the run there."""
    with Ledger(path) as ledger:
        run = ContestRun(submission_of(code), SETTING, ledger.seed(entry), Limits(), Counted())
        kept = [row for rows in TrialQueue(run, trials) for row in rows]
        assert ledger.add(entry, kept) == len(kept)


STOPPED = ([], [*range(21)], [7, 45, 2, 59])
"""What a run may hold when it is resumed; one that was killed while it had several jobs may have gaps."""


@pytest.mark.parametrize(("code", "stop"), [(QUIET, RULE), (LOSES, DECIDED)])
def test_the_end_is_the_same_whatever_the_jobs_and_wherever_it_is_resumed(
    tmp_path: Path, code: str, stop: StopRule
) -> None:
    begun = tmp_path / "begun.sqlite"
    entry = enter(begun, code, stop)
    ends = []
    for jobs, there in zip((1, 2, 2), STOPPED, strict=True):
        path = tmp_path / f"{len(ends)}.sqlite"
        shutil.copy(begun, path)
        keep(path, code, entry, there)
        over, starts = play(path, code, entry, jobs)
        assert 1 <= starts <= jobs
        ends.append(content(path, over))
    assert all(end == ends[0] for end in ends)
    if stop is DECIDED:
        assert len(ends[0][1]) in range(40, 300, 10), "it ended at a look in the middle"


# The end of a run that nobody has to wait for, and its budget.


def bounded(
    code: str, budget: RunBudget | None = None, trials: int = 40, jobs: int = 1, enough: float = math.inf
) -> tuple[list[Row], str]:
    """The trials that were kept, and how the run ended."""
    kept: list[Row] = []
    run = ContestRun(submission_of(code), SETTING, 5, Limits(), Counted())
    queue = TrialQueue(run, range(trials), jobs=jobs, budget=budget)
    try:
        for rows in queue:
            kept += rows
            if len(kept) >= enough:
                queue.end()
    except (RunEndedError, WordplError) as error:
        return kept, f"{type(error).__name__}: {error}"
    return kept, ""


@pytest.mark.parametrize("jobs", [1, 2])
def test_playing_ends_when_no_more_is_needed_and_leaves_no_gap(jobs: int) -> None:
    for code in (QUIET, EXITS):
        kept, ended = bounded(code, trials=100_000, jobs=jobs, enough=5)
        assert sorted(record.game.trial for record in kept) == list(range(len(kept)))
        assert 5 <= len(kept) < 10_000 and ended == ""


def test_what_ends_a_run_is_raised_where_more_was_needed() -> None:
    kept, ended = bounded(FAILS, enough=4)
    assert len(kept) == 3 and ended.startswith("RunEndedError") and "nowhere" in ended
    assert bounded(FAILS, enough=3)[1] == ""


@pytest.mark.parametrize("code", [CRASHES, EXITS])
def test_a_crash_after_each_working_start_ends_the_run(code: str) -> None:
    kept, ended = bounded(code, RunBudget(restarts=3))
    assert ended == "RunEndedError: used more than 3 restarts in one run"
    assert [record.game.verdict for record in kept] == [Verdict.CRASH] * 5, "the first start is not a restart"


def test_jobs_share_a_budget() -> None:
    kept, ended = bounded(CRASHES, RunBudget(restarts=4), jobs=2)
    assert ended == "RunEndedError: used more than 4 restarts in one run"
    assert 6 <= len(kept) <= 8


@pytest.mark.parametrize(
    ("budget", "trials", "said"),
    [
        (RunBudget(start_seconds=1e-6), 1, "RunEndedError: used more than 1e-06 start seconds in one run"),
        (RunBudget(log_bytes=2000), 4, "RunEndedError: used more than 2,000 log bytes in one run"),
        (RunBudget(seconds=1e-9), 1, "OutOfTimeError: stopped after 1e-09 s; to resume, give the same command again"),
    ],
)
def test_starts_log_and_time_of_a_run_are_bounded(budget: RunBudget, trials: int, said: str) -> None:
    kept, ended = bounded(TALKS, budget)
    assert (len(kept), ended) == (trials, said)
    assert bounded(TALKS, budget, trials)[1] == "", "what is passed in the last trial ends nothing"


COUNTED = Setting(SMALL, "counted")


def test_a_game_of_a_finished_entry_is_watched_and_compared(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "answers.txt").write_text("\n".join(SMALL.answers))
    (tmp_path / "guesses.txt").write_text("\n".join(SMALL.guesses))
    (tmp_path / "honest.py").write_text(SUBMISSION)
    stop = StopRule(first=20, step=10, max_trials=20)
    with Ledger(tmp_path / "l.sqlite") as book:
        submission = submission_of(SUBMISSION)
        entry = ledgers.enter(book, "Mine", submission=submission, setting=COUNTED, stop=stop)
        words = ["--answers", "answers.txt", "--guesses", "guesses.txt", "--sandbox"]
        given = ["watch", "honest.py", "--ledger", "l.sqlite", "--entry", entry.id, "--trial", "5", *words]
        assert "is running, so its seed is secret" in cli(*given).err
        play_entry(book, entry, submission, COUNTED, launcher=sandbox.find())
    run = cli(*given)
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines()[-1] == f"This is the game in entry {entry.id} in l.sqlite."
    with Ledger("l.sqlite", read_only=True) as book:
        lost = [row.trial for row in book.rows(book.entry(entry.id)) if row.verdict != "WIN"]
    found = cli(*given[:7], str(lost[0] + 1), *words, "--lost")
    assert f"trial {lost[1]} of seed" in found.out and found.code == 0
    assert "no game of entry" in cli(*given[:7], "20", *words, "--lost").err
    assert "it has trials 0 to 19" in cli(*given[:7], "20", *words).err
    assert "other words than original" in cli(*given[:8]).err
    with closing(sqlite3.connect("l.sqlite")) as file, file:
        file.execute("UPDATE trials SET log = replace(log, '9.0', '8.5') WHERE trial = 5")
    run = cli(*given)
    assert run.code == 1 and "at 8.5 in the log and" in run.err
    (tmp_path / "honest.py").write_text(SUBMISSION + "\n")
    assert "was made from another file or call" in cli(*given).err
