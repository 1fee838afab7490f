"""What the time of a reply tells of the noise: nothing that a contestant could find in 20,000 replies.

Times are taken by contestants, through the pipes of the real sandbox. The noise of an ask is drawn without regard to
any time, so under the hypothesis that times do not depend on it all of these statistics are known, however busy
the machine is: a false alarm has a probability below 1e-4 for each test.
"""

import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy

from tests.support.helpers import ORIGINAL, marks_of
from tests.support.submissions import submission_of
from wordpl import Setting, clue_row
from wordpl.contest import ContestRun, Limits, Submission, load_submission, sandbox
from wordpl.contest import process as host
from wordpl.contest.records import PlayedGame
from wordpl.contest.run import TrialPlayer

ATTACK = Path(__file__).parents[1] / "attacks" / "reply_time"
BOUND = 4.5
PROBE = """
import os
import random
from time import perf_counter_ns

ASKS, EPSILON = 100, 0.001
with open("answers.txt") as file:
    WORDS = file.read().split()


def exchange(line):
    begun = perf_counter_ns()
    os.write(4, line)
    os.read(3, 4096)
    return perf_counter_ns() - begun


class Probe:
    def first_move(self):
        turn, rng = 2, random.Random(1)
        while True:
            times = []
            for _ in range(ASKS):
                times.append(exchange(b'["pair", %d, "%s", %r]\\n' % (turn, rng.choice(WORDS).encode(), EPSILON)))
                turn += 1
            os.write(2, " ".join(map(str, times)).encode())
            exchange(b'["pair", %d, "aback", 0.0]\\n' % turn)
            turn += 1

    def next_move(self, guess, epsilon, clues):
        raise NotImplementedError
"""


def play(submission: Submission, games: int, seed: int) -> list[PlayedGame]:
    with TrialPlayer(ContestRun(submission, Setting(ORIGINAL), seed, Limits(), sandbox.find())) as table:
        records = [table.play(trial) for trial in range(games)]
    for record in records:
        assert record.game.reason == ""
        assert len(record.game.history) == Limits().asks
    return records


def flips(record: PlayedGame) -> list[list[bool]]:
    """Which marks the noise changed: [asks][5]."""
    answer = ORIGINAL.answer_index[record.game.answer]
    return [
        [noisy != true for noisy, true in zip(marks_of(turn.clue), marks_of(row[answer]), strict=True)]
        for turn in record.game.history
        for row in [clue_row(turn.guess, ORIGINAL)]
    ]


def z_scores(times: np.ndarray, flips: np.ndarray) -> np.ndarray:
    """Spearman's rank correlation of times with the number of flips, and with each mark's, in standard errors.

    What drifts is taken off first: the median of the 51 replies around each.
    """
    series = pd.Series(times)
    late = series - series.rolling(51, center=True, min_periods=1).median()
    columns = [flips.sum(axis=1), *flips.T]
    return np.array([scipy.stats.spearmanr(late, column)[0] for column in columns]) * math.sqrt(len(times) - 1)


def test_the_statistic_sees_what_the_loop_with_a_branch_gave_away() -> None:
    """80 ns a flip, with what the rest of a reply varies by here, and a reply in ten late by whatever else runs."""
    rng = np.random.default_rng(3)
    flips = rng.random((20_000, 5)) < 2 / 3
    times = 17_000 + rng.laplace(0, 750, 20_000) + (rng.random(20_000) < 0.1) * rng.exponential(200_000, 20_000)
    assert np.abs(z_scores(times, flips)).max() < BOUND
    assert z_scores(times + 80 * flips.sum(axis=1), flips)[0] > BOUND


def test_a_reply_leaves_on_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock of the test's own, whatever the work before took: the statistic below holds without the grid, too."""
    tick, heard, grid = 7, 10**15 + 123, host._GRID
    now, sent = 0, []

    def clock() -> int:
        nonlocal now
        now += tick
        return now

    pipe = host.Pipe(host.Printed(None))
    try:
        monkeypatch.setattr(host, "perf_counter_ns", clock)
        monkeypatch.setattr(pipe, "send", lambda line: sent.append((line, now)))
        for work in (0, 1, grid // 2, grid - 10 * tick, grid, 3 * grid + 1):
            pipe._heard, now = heard, heard + work
            pipe.send_on_grid(b"reply")
            line, left = sent.pop()
            assert line == b"reply"
            assert (left - heard) % grid <= tick
            assert work <= left - heard <= work + grid + tick
            assert left > heard
    finally:
        pipe.close()


@pytest.mark.parametrize("games", [20, pytest.param(200, marks=pytest.mark.published)])
def test_the_time_of_a_reply_does_not_go_with_the_noise(games: int) -> None:
    records = play(submission_of(PROBE), games, seed=7)
    times = np.array([int(time) for record in records for time in record.errors.split()], dtype=float)
    changed = np.array([row for record in records for row in flips(record)])
    assert changed.shape == (100 * games, 5)
    assert abs(changed.mean() - 2 / 3) < 0.02
    z = z_scores(times, changed)
    assert np.abs(z).max() < BOUND, z  # 6 of them, at 6.8e-6 each


@pytest.mark.published
def test_an_attack_by_reply_times_does_as_well_as_chance(tmp_path: Path) -> None:
    """By a clock in C, which is the finer one, where there is a compiler."""
    folder = tmp_path / "reply_time"
    shutil.copytree(ATTACK, folder)
    if compiler := shutil.which("cc"):
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(folder / "clock.so"), str(folder / "clock.c")]
        subprocess.run(command, check=True)
    games = 120
    records = play(load_submission(str(folder)), games, seed=20)
    # Chance has 0.05 wins, and more than 2 once in 50,000 times.
    assert sum(record.game.won for record in records) <= 2
    thought = [record.errors.split() for record in records]
    assert {len(words) for words in thought} == {231}
    found = sum(record.game.answer in words for record, words in zip(records, thought, strict=True))
    share = 231 / 2315
    assert abs(found - games * share) < BOUND * math.sqrt(games * share * (1 - share)), found
