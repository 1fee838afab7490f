"""The run of an entry: one start for each job, and the same end whatever the jobs and wherever it was resumed."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contest.test_attacks import submission_of
from tests.helpers import SMALL
from wordpl.contest import scoring, submit
from wordpl.contest.audit import audit_entry
from wordpl.contest.budget import RunBudget
from wordpl.contest.entries import Entry
from wordpl.contest.ledger import Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.ranking import StopRule
from wordpl.contest.sandbox import Trusted
from wordpl.contest.scoring import ContestRun, Played, RunEndedError, play_trials
from wordpl.contest.submit import play_entry
from wordpl.play.strategy import Setting

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
        return ledger.enter("Name", submission_of(code), SETTING, Limits(), "test", stop=stop, nonce="n")


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
        return replace(entry, finished=None), trials, ledger.standings(entry)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_contestant_starts_once_for_all_looks(tmp_path: Path, jobs: int) -> None:
    path = tmp_path / "contest.sqlite"
    over, starts = play(path, QUIET, enter(path, QUIET, RULE), jobs)
    assert over.state == "finished"
    assert over.trials == 60
    assert 1 <= starts <= jobs  # the second one is given up if all is played by then


def keep(path: Path, code: str, entry: Entry, trials: list[int]) -> None:
    """Play some trials and leave the run there."""
    with Ledger(path) as ledger:
        kept: list[Played] = []
        play_trials(
            ContestRun(submission_of(code), SETTING, ledger.seed(entry), Limits(), Counted()), trials, kept.extend
        )
        assert ledger.add(entry, kept)


STOPPED = ([], [*range(21)], [*range(3), *range(20, 30)], [7, 45, 2, 59])
"""What a run may hold when it is resumed; one that was killed while it had several jobs may have gaps."""


@pytest.mark.parametrize(("code", "stop"), [(QUIET, RULE), (LOSES, DECIDED)])
def test_the_end_is_the_same_whatever_the_jobs_and_wherever_it_is_resumed(
    tmp_path: Path, code: str, stop: StopRule
) -> None:
    begun = tmp_path / "begun.sqlite"
    entry = enter(begun, code, stop)
    ends = []
    for jobs, there in itertools.product((1, 2), STOPPED):
        path = tmp_path / f"{len(ends)}.sqlite"
        shutil.copy(begun, path)
        keep(path, code, entry, there)
        over, starts = play(path, code, entry, jobs)
        assert 1 <= starts <= jobs
        ends.append(content(path, over))
    assert all(end == ends[0] for end in ends)
    if stop is DECIDED:
        assert 40 <= len(ends[0][1]) < 300, "it ended at a look in the middle"
        assert len(ends[0][1]) % 10 == 0


def test_the_first_look_that_decides_ends_the_run_although_later_trials_are_there(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    entry = enter(path, LOSES, DECIDED)
    keep(path, LOSES, entry, [*range(1, 150), 0])
    over, starts = play(path, LOSES, entry)
    assert starts == 0
    assert over.trials is not None
    assert over.trials < 150
    with Ledger(path) as ledger:
        assert entry.stop_rule.stops_at(ledger.outcomes(over)) == over.trials == ledger.played(over)


def test_an_interrupted_run_keeps_what_was_played_and_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    entry = enter(path, QUIET, replace(RULE, max_trials=16_001, error=1e-300))  # so that no look decides it

    def interrupt(what: object, new: int, done: int, total: int) -> None:
        assert total == next(look for look in entry.stop_rule.looks if look > done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(path, QUIET, entry, progress=interrupt)
    with Ledger(path) as ledger:
        assert ledger.entry(entry.id).running
        assert ledger.played(entry) > 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failure_after_the_end_is_not_held_against_a_run(
    tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The referee plays some trials beyond the look that ends the run, and a budget may be passed by these."""
    monkeypatch.setattr(submit, "decided", lambda outcomes, rule: len(outcomes) >= 6)
    monkeypatch.setattr(scoring, "RunBudget", lambda: RunBudget(restarts=6 - jobs))
    path = tmp_path / "contest.sqlite"
    entry = enter(path, EXITS, StopRule(first=3, step=3, max_trials=30))
    with Ledger(path) as ledger:
        over = play_entry(ledger, entry, submission_of(EXITS), SETTING, launcher=Counted(), jobs=jobs)
    assert (over.state, over.trials) == ("finished", 6)


def test_a_contestant_that_cannot_be_started_ends_the_run(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    over, starts = play(path, FAILS, enter(path, FAILS, RULE))
    assert (over.state, over.trials, starts) == ("ended", 3, 3)


def play_some(code: str, enough: int, jobs: int) -> list[int]:
    kept: list[int] = []

    def on_played(played: Sequence[Played]) -> bool:
        kept.extend(record.game.trial for record in played)
        return len(kept) >= enough

    play_trials(ContestRun(submission_of(code), SETTING, 5, Limits(), Counted()), range(100_000), on_played, jobs=jobs)
    return sorted(kept)


@pytest.mark.parametrize("jobs", [1, 2])
def test_playing_ends_when_no_more_is_needed_and_leaves_no_gap(jobs: int) -> None:
    for code in (QUIET, EXITS):
        kept = play_some(code, 5, jobs)
        assert kept == list(range(len(kept)))
        assert 5 <= len(kept) < 10_000


def test_what_ends_a_run_is_raised_where_more_was_needed() -> None:
    with pytest.raises(RunEndedError, match="nowhere"):
        play_some(FAILS, 4, 1)
    assert play_some(FAILS, 3, 1) == [0, 1, 2]
