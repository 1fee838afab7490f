"""A whole run is bounded, whatever the contestant does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contest.test_attacks import submission_of
from tests.helpers import SMALL
from wordpl.contest import sandbox
from wordpl.contest.budget import RunBudget, Tally
from wordpl.contest.limits import Limits
from wordpl.contest.scoring import ContestRun, Played, RunEndedError, play_trials
from wordpl.errors import WordplError
from wordpl.play.referee import Verdict
from wordpl.play.strategy import Setting

SETTING = Setting(SMALL)
CRASHES = """
class Crashes:
    def first_move(self):
        raise RuntimeError
    def next_move(self, guess, epsilon, clues):
        pass
"""
TALKS = f"""
import os, sys
class Talks:
    def first_move(self):
        print("x" * 500, file=sys.stderr, flush=True)
        return {SMALL.guesses[0]!r}, 1.0
    def next_move(self, guess, epsilon, clues):
        return {SMALL.answers[0]!r}, 0
"""
EXITS = "import os" + CRASHES.replace("raise RuntimeError", "os._exit(0)")


def run(code: str, budget: RunBudget, trials: int = 40, jobs: int = 1) -> tuple[list[Played], str]:
    """What was kept, and how the run ended."""
    kept: list[Played] = []

    def on_played(played: Sequence[Played]) -> None:
        kept.extend(played)

    try:
        play_trials(
            ContestRun(submission_of(code), SETTING, 5, Limits(), sandbox.find()),
            range(trials),
            on_played,
            jobs=jobs,
            tally=Tally(budget),
        )
    except (RunEndedError, WordplError) as error:
        return kept, f"{type(error).__name__}: {error}"
    return kept, ""


@pytest.mark.parametrize("code", [CRASHES, EXITS])
def test_a_crash_after_each_working_start_ends_the_run(code: str) -> None:
    kept, ended = run(code, RunBudget(restarts=3))
    assert ended == "RunEndedError: started again more than 3 times in one run"
    assert [record.game.verdict for record in kept] == [Verdict.CRASH] * 5, "the first start is not a restart"


@pytest.mark.heavy
def test_jobs_share_a_budget() -> None:
    kept, ended = run(CRASHES, RunBudget(restarts=4), jobs=2)
    assert ended == "RunEndedError: started again more than 4 times in one run"
    assert 6 <= len(kept) <= 8


def test_the_time_of_all_starts_together_is_bounded() -> None:
    kept, ended = run(CRASHES, RunBudget(start_seconds=1e-6))
    assert ended == "RunEndedError: took more than 1e-06 s for all its starts"
    assert len(kept) == 1


def test_the_log_is_bounded() -> None:
    kept, ended = run(TALKS, RunBudget(log_bytes=2000))
    assert ended == "RunEndedError: made a log of more than 2000 bytes"
    assert len(kept) == 4


def test_a_run_that_lasts_too_long_stops_and_can_be_resumed() -> None:
    kept, ended = run(TALKS, RunBudget(seconds=1e-9))
    assert ended == "OutOfTimeError: stopped after 1e-09 s; the same command resumes the run"
    assert len(kept) == 1


def test_a_quiet_run_ends_by_itself() -> None:
    kept, ended = run(TALKS, RunBudget(restarts=1))
    assert (len(kept), ended) == (40, "")


def test_a_run_that_passes_its_budget_in_its_last_trial_is_over_anyway() -> None:
    kept: list[Played] = []
    for tally in (Tally(RunBudget(log_bytes=1)), Tally(RunBudget(seconds=1e-9))):
        play_trials(
            ContestRun(submission_of(TALKS), SETTING, 5, Limits(), sandbox.find()), [0], kept.extend, tally=tally
        )
    assert len(kept) == 2


def test_a_run_without_a_sandbox_is_the_callers_own_and_has_no_budget() -> None:
    kept: list[Played] = []
    tally = Tally(RunBudget(log_bytes=1))
    play_trials(
        ContestRun(submission_of(TALKS), SETTING, 5, Limits(), sandbox.Trusted()),
        range(3),
        kept.extend,
        tally=tally,
    )
    assert len(kept) == 3
    assert tally.overrun()


def test_the_worst_case_is_what_the_documents_say() -> None:
    budget, limits = RunBudget(), Limits()
    assert budget.seconds + limits.start_seconds + limits.game_seconds == 24 * 3600 + 660


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 5), st.integers(0, 5)), max_size=20))
def test_a_tally_is_the_sum_of_what_was_added(parts: list[tuple[int, float, int]]) -> None:
    tally = Tally(RunBudget(restarts=10, start_seconds=10.0, log_bytes=10))
    for restarts, seconds, size in parts:
        tally.add(restarts=restarts, start_seconds=seconds, log_bytes=size)
    sums = [sum(part[0] for part in parts), math.fsum(part[1] for part in parts), sum(part[2] for part in parts)]
    if abs(sums[1] - 10) > 1e-9:
        assert bool(tally.overrun()) == any(total > 10 for total in sums)


@given(st.sampled_from(sorted(asdict(RunBudget()))), st.sampled_from([0, -1, math.nan]))
def test_budgets_are_positive(name: str, value: float) -> None:
    with pytest.raises(WordplError, match=name):
        RunBudget(**{name: value})  # type: ignore[arg-type]
