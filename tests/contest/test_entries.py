"""Entries that play: the same hidden games for all, nothing by which one recognises the games of another, and nothing
lost by a kill or by an error of the machine."""

import hashlib
import itertools
import json
import math
import multiprocessing
import operator
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli, refused
from tests.support.helpers import SMALL, Scripted
from tests.support.ledgers import game, sql, started, submission
from tests.support.refusals import refusal
from tests.support.submissions import SUBMISSION, come_singly
from wordpl import Setting, WordplError
from wordpl.contest import (
    Entry,
    Ledger,
    Limits,
    PlayedGame,
    Trusted,
    close_contest,
    read_board,
    replay,
    replay_entry,
    replay_game,
    run,
    start_contest,
    submit,
)
from wordpl.contest.limits import MIB
from wordpl.contest.records import FINAL, PROVISIONAL

pytestmark = pytest.mark.heavy

SETTING = Setting(SMALL)
TRIALS = 24
QUIET = f"""
class Quiet:
    def first_move(self):
        return {SMALL.guesses[0]!r}, 1.0

    def next_move(self, guess, epsilon, clues):
        return {SMALL.answers[0]!r}, 0
"""
DRAWS = f"""
import random

class Draws:
    def first_move(self):
        return {SMALL.guesses[0]!r}, 1.0 + random.random()

    def next_move(self, guess, epsilon, clues):
        return random.choice({SMALL.answers!r}), 0
"""


class Ranked(Trusted):
    """Counts how often a contestant is started. Stands for a sandbox, which takes longer to start."""

    ranked = True

    def __init__(self) -> None:
        super().__init__()
        self.starts = 0

    def start(self, *given: Any) -> Any:
        self.starts += 1
        return super().start(*given)


def played(path: Path, code: str, name: str = "Mine", launcher: Any = None, jobs: int = 1, **more: Any) -> Entry:
    with Ledger(path) as ledger:
        return submit(ledger, submission(code), name, launcher=launcher or Ranked(), jobs=jobs, **more)


def games(path: Path, entry: Entry, stage: str = PROVISIONAL) -> list[PlayedGame]:
    """The games of an entry, but for what depends on a clock."""
    with Ledger(path, read_only=True) as ledger:
        return [replace(game, seconds=0.0, slowest=0.0) for game in ledger.games(entry, stage)]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A contest whose seeds are always the same."""
    monkeypatch.setenv("WORDPL_CONTEST_SECRET", "the secret of the tests, of 32 characters or more")
    start_contest(tmp_path / "contest.sqlite", SETTING, trials=TRIALS)
    return tmp_path / "contest.sqlite"


# The same games, and nothing by which to know them.


COUNTS = DRAWS.replace("    def first_move(self):", "    n = 0\n\n    def first_move(self):\n        self.n += 1")
COUNTS = "import numpy" + COUNTS.replace("1.0 + random", "self.n + numpy.random")
LOSES_TEN = COUNTS.replace("self.n += 1", "self.n += 1\n        if self.n <= 10:\n            return None")


def test_all_entries_meet_the_same_games_and_know_none_of_those_of_another(path: Path) -> None:
    """Another comment changes the player's own numbers alone."""
    mine, other = (played(path, f"{COUNTS}# {name}\n", name) for name in ("Mine", "Other"))
    with Ledger(path) as ledger:
        close_contest(ledger, launcher=Ranked())
    answers = []
    for stage in (PROVISIONAL, FINAL):
        first, second = games(path, mine, stage), games(path, other, stage)
        answers.append([game.answer for game in first])
        assert answers[-1] == [game.answer for game in second] and len(set(answers[-1])) > 5
        assert [game.proposed for game in first] != [game.proposed for game in second]
        told = [[math.modf(game.log[0][1]) for game in of_entry] for of_entry in (first, second)]
        drawn, counted = zip(*(zip(*pairs, strict=True) for pairs in told), strict=True)
        assert len({*drawn[0], *drawn[1]}) == 2 * TRIALS, (
            "by equal numbers an entry could recognise the games of another"
        )
        assert sorted(counted[0]) == sorted(counted[1]) == list(range(1, TRIALS + 1))
        assert sum(map(operator.eq, *counted)) < 6, "one in 24 by chance is the k-th of both"
    assert answers[0] != answers[1]


def test_the_run_of_an_entry_has_the_terms_of_the_contest(tmp_path: Path) -> None:
    with started(tmp_path / "l.sqlite", setting=Setting(SMALL, "counted"), limits=Limits(asks=2)) as ledger:
        contest = ledger.contest
    for stage, seed in ((PROVISIONAL, contest.provisional_seed), (FINAL, contest.final_seed)):
        made = run.run_of_entry(contest, stage, submission(QUIET), Ranked())
        own = hashlib.sha256(f"wordpl contest player\n{seed}\n{submission(QUIET).digest}".encode()).hexdigest()
        assert (made.seed, made.player_seed, made.setting) == (int(seed, 16), int(own, 16), contest.setting())
        assert len(made.referee().play(0, Scripted(*[(SMALL.guesses[0], 1.0)] * 4)).history) == 2


# What ends an entry, and what does not.


@pytest.mark.parametrize(
    ("code", "said", "starts"), [("import nowhere\n", run.NO_START, 3), (LOSES_TEN, run.FAILED_ALIKE, 1)]
)
def test_what_the_contestant_does_ends_its_entry_without_a_rank(path: Path, code: str, said: str, starts: int) -> None:
    """An illegal move ends the game, not the process."""
    launcher = Ranked()
    entry = played(path, code, launcher=launcher)
    assert (entry.ended, launcher.starts) == (said, starts)
    assert played(path, code, "Again", launcher) == entry
    with Ledger(path) as ledger:
        close_contest(ledger, launcher=launcher)
        assert launcher.starts == starts, "what has ended is not played again, nor at the close"
        assert read_board(ledger).entries[0].standings == []
        assert replay_entry(ledger, entry, PROVISIONAL, launcher=Trusted()) == [], "it is replayed as far as it went"
    sql(path, "UPDATE entries SET ended = 'it is late'")
    with Ledger(path, read_only=True) as ledger:
        (line,) = replay_entry(ledger, ledger.entry(entry.id), PROVISIONAL, launcher=Trusted()) or [run.FAILED_ALIKE]
    assert said in line and (starts == 1 or line.startswith(f"played again, it ends: {run.NO_START}: at start: "))


class Broken(Ranked):
    """A machine on which no contestant can be started."""

    def start(self, *given: Any) -> Any:
        raise OSError(28, "No space left on device")


class Dies(Ranked):
    """A machine on which the sandbox ends before the contestant's program runs."""

    def start(self, limits: Any, payload: int, requests: int, replies: int, errors: int, resources: Any) -> Any:
        command = [sys.executable, "-c", "import sys; sys.exit('bwrap: no namespaces')"]
        return subprocess.Popen(command, stderr=errors, pass_fds=[requests, replies], start_new_session=True)


def test_an_error_of_the_machine_leaves_the_entry_open(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="No space"):
        played(path, QUIET, launcher=Broken(), jobs=2)
    assert "bwrap: no namespaces" in refusal(played, path, QUIET, launcher=Dies(), jobs=2)
    assert "sandbox only" in refusal(played, path, QUIET, launcher=Trusted())
    with monkeypatch.context() as patched:

        def full(*_: object) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        patched.setattr(Ledger, "add", full)
        with pytest.raises((sqlite3.OperationalError, WordplError)):
            played(path, QUIET, jobs=2)
    with Ledger(path) as ledger:
        (entry,) = ledger.entries()
        assert not entry.ended
        with ledger.playing():
            assert "another process plays" in refusal(played, path, QUIET)
    assert len(games(path, played(path, QUIET))) == TRIALS
    monkeypatch.setattr(run, "START_SECONDS", 1e-6)
    assert played(path, DRAWS, "Slow").ended == run.SLOW_STARTS


def test_a_contest_that_another_engine_began_is_not_played(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger(path) as ledger:
        entry = ledger.enter(submission(QUIET), "Mine")
        ledger.add(entry, PROVISIONAL, [game(0)])
        monkeypatch.setattr("wordpl.contest.ledger.ENGINE_VERSION", 0)
        begun = "the wordpl that began it"
        assert begun in refusal(close_contest, ledger, launcher=Ranked()) and not ledger.contest.closing
        assert begun in refusal(replay_entry, ledger, entry, PROVISIONAL, launcher=Trusted())
        assert begun in refusal(replay_game, ledger, entry, PROVISIONAL, 0, launcher=Trusted())
    assert begun in refusal(played, path, QUIET)


# The close and the replay.


def test_once_the_close_has_begun_an_entry_plays_no_more_provisional_games(path: Path) -> None:
    with Ledger(path) as ledger:
        entry = ledger.enter(submission(QUIET), "Mine")
        with pytest.raises(OSError, match="No space"):
            close_contest(ledger, launcher=Broken())
        assert ledger.contest.closing and not ledger.contest.closed
        assert "takes no more entries" in refusal(ledger.enter, submission(DRAWS), "Late")
        assert submit(ledger, submission(QUIET), "Mine", launcher=Broken()) == entry
        ledger.add(entry, FINAL, [game(3)])
        close_contest(ledger, launcher=Ranked())
        assert ledger.contest.closed and list(ledger.games(entry, PROVISIONAL)) == []
        assert next(ledger.games(entry, FINAL, 3)) == game(3), "it was there"


def test_a_ledger_by_whose_limits_an_entry_could_exhaust_the_machine_is_not_replayed(path: Path) -> None:
    meminfo = Path("/proc/meminfo").read_text().split()
    bounds = {"scratch": 512 * MIB, "files": 10_000, "tasks": 64, "open_files": 128}
    bounds["memory"] = int(meminfo[meminfo.index("MemTotal:") + 1]) << 10
    with Ledger(path) as ledger:
        entry, contest = ledger.enter(submission(QUIET), "Mine"), replace(ledger.contest, limits=Limits(**bounds))
    assert replay._bearable(contest) == contest
    for name, bound in bounds.items():
        limits = json.dumps(vars(replace(contest.limits, **{name: bound + 4096})))
        sql(path, "UPDATE contest SET limits = ?", values=(limits,))
        said = f"the limit {name} to {bound + 4096}; a replay here allows {bound}"
        with Ledger(path, read_only=True) as ledger:
            assert said in refusal(replay_game, ledger, entry, PROVISIONAL, 0, launcher=Trusted())
            assert said in refusal(replay_entry, ledger, entry, PROVISIONAL, launcher=Trusted())


def test_after_the_close_anybody_finds_a_changed_game(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(path, QUIET)
    with Ledger(path) as ledger:
        entry = submit(ledger, submission(DRAWS), "Other", launcher=Ranked())
        close_contest(ledger, launcher=Ranked(), jobs=2)
        closed = ledger.contest
        monkeypatch.setattr("wordpl.contest.ledger._now", lambda: "later")
        close_contest(ledger, launcher=Broken())
        assert ledger.contest == closed, "a second close changes and plays nothing"
        assert "takes no more" in refusal(submit, ledger, submission(QUIET + "#"), "Late", launcher=Ranked())
        for stage in (PROVISIONAL, FINAL):
            assert replay_entry(ledger, entry, stage, launcher=Trusted(), jobs=2) == []
        stored = next(ledger.games(entry, FINAL, 5)).game
        record, line = replay_game(ledger, entry, FINAL, 5, launcher=Trusted())
        assert (line, record.seed) == ("", int(closed.final_seed, 16))
        assert (record.game.history, record.game.proposed) == (stored.history, stored.proposed)
    sql(path, "UPDATE games SET answer = 'other' WHERE entry = 2 AND stage = 'final' AND trial = 5")
    sql(path, "UPDATE games SET trial = 1000 WHERE entry = 2 AND stage = 'final' AND trial = 6")
    sql(path, "DELETE FROM games WHERE entry = 2 AND stage = 'final' AND trial = 7")
    with Ledger(path, read_only=True) as ledger:
        found = replay_entry(ledger, entry, FINAL, launcher=Trusted())
        assert found[:2] == [f"{TRIALS - 1} of {TRIALS} games are in the ledger", "trial 1000 is not of this contest"]
        assert len(found) == 3 and "trial 5: the answer is other in the ledger" in found[2]
        missing = refusal(replay_game, ledger, entry, FINAL, 1000, launcher=Trusted())
        assert "trial 1000 of the final games is not in entry" in missing
    sql(path, "UPDATE files SET content = ? WHERE entry = 2", values=(b"import os\n",))
    with Ledger(path, read_only=True) as ledger:
        assert "not those that were entered" in refusal(replay_entry, ledger, entry, FINAL, launcher=Trusted())


# The commands, in the real sandbox.


def test_a_contest_from_its_start_to_its_replay(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "answers.txt").write_text("\n".join(SMALL.answers))
    (tmp_path / "guesses.txt").write_text("\n".join(SMALL.guesses))
    (tmp_path / "mine.py").write_text(SUBMISSION)
    (tmp_path / "broken.py").write_text("raise RuntimeError('the answer is crate \\x1b[31m')\n")
    at = ("--ledger", "l.sqlite")
    words = ("--answers", "answers.txt", "--guesses", "guesses.txt", "--rule", "counted")
    begun = cli("contest", "start", *at, "--trials", "6", *words, "--record", "5=15.6")
    with Ledger("l.sqlite", read_only=True) as ledger:
        contest = ledger.contest
    two = ("mine.py", "mine.py:Mine(epsilon=8)", "--name", "Ours", "--name", "Eight")
    done = cli("contest", "submit", *two, *at, "--json")
    assert done.code == 0, done.err
    ours, eight = json.loads(done.out)
    assert (ours["name"], eight["name"], ours["state"], ours["games"]) == ("Ours", "Eight", "finished", 6)
    for names in (("Third", "eight"), ("Third", "third")):  # the second is taken, so the first is not played either
        options = [text for name in names for text in ("--name", name)]
        both = refused(cli, "contest", "submit", "mine.py:Mine(epsilon=7)", "mine.py:Mine(epsilon=6)", *at, *options)
        assert "is taken by" in both and "Third" not in cli("contest", "board", *at).out
    failed = cli("contest", "submit", "broken.py", *at, "--name", "Broken")
    assert failed.code == 2 and "could not be started" in failed.err and "wordpl check --sandbox" in failed.err
    assert "broken.py has no rank: " in failed.err
    twice = cli("contest", "submit", "mine.py", *at, "--name", "Twice")
    assert twice.code == 0 and "mine.py was entered before, as Ours" in twice.err and "Twice" not in twice.out
    boards = [cli("contest", "board", *at, *more) for more in ((), ("--json",), ("ours",))]
    assert "Provisional" in boards[0].out
    with Ledger("l.sqlite", read_only=True) as ledger:
        entry = ledger.entry("Ours")
        secret = {contest.provisional_seed, contest.final_seed, "answer is", "RuntimeError"}
        secret |= {game.answer for game in ledger.games(entry, PROVISIONAL)}
    for shown in (begun, done, failed, *boards):
        assert not [text for text in secret if text in shown.out + shown.err.replace("broken.py", "")]
        assert "\x1b" not in shown.out + shown.err
    host = cli("contest", "board", *at, "--host")
    assert "RuntimeError: the answer is crate" in host.err
    assert "--yes" in refused(cli, "contest", "close", *at)

    closed = cli("contest", "close", "--yes", *at)
    assert closed.code == 0, closed.err
    assert "Final board" in closed.out and contest.provisional_seed in closed.out and contest.final_seed in closed.out
    for command in (("replay",), ("replay", "Eight", "--trial", "2")):
        again = cli("contest", *command, *at)
        assert again.code == 0, again.out + again.err
        assert "no difference from the ledger" in again.out
    assert f"trial 2 of seed {contest.final_seed}\n" in again.out
    sql(Path("l.sqlite"), "UPDATE games SET log = replace(log, '8.0', '8.5') WHERE stage = 'final' AND trial = 1")
    forged = cli("contest", "replay", "Eight", *at, "--json")
    assert forged.code == 1
    assert "8.5" in json.loads(forged.out)[0]["differences"][0]


def play_to_the_end(path: Path, what: str, **more: Any) -> None:
    with Ledger(path) as ledger:
        if what == "submit":
            submit(ledger, submission(DRAWS), "Mine", **({"launcher": Ranked()} | more))
        else:
            close_contest(ledger, **({"launcher": Ranked()} | more))


def counts(path: Path) -> int:
    with Ledger(path) as ledger:  # a reader would not mend what a kill has left
        return sum(len(ledger.results(entry, stage)) for entry in ledger.entries() for stage in (PROVISIONAL, FINAL))


@pytest.mark.parametrize(("what", "kept"), [("submit", [0, 1, 10]), ("close", [49, 52, 61])])
def test_a_kill_in_the_middle_of_a_write_loses_no_finished_game(
    path: Path, tmp_path: Path, what: str, kept: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    come_singly(monkeypatch)
    if what == "close":
        for name in ("Mine", "Other"):
            played(path, f"{DRAWS}# {name}\n", name)
    whole, insert = Path(shutil.copy(path, tmp_path / "whole.sqlite")), Ledger._insert
    for place, games_kept in zip((1, 3, 9), kept, strict=True):
        before = itertools.count()

        def dies(*row: Any, before: Any = before, place: int = place) -> None:
            if next(before) == place:
                os.kill(os.getpid(), signal.SIGKILL)
            insert(*row)

        with monkeypatch.context() as patched:
            patched.setattr(Ledger, "_insert", dies)
            child = multiprocessing.get_context("fork").Process(target=play_to_the_end, args=(path, what))
            child.start()
            child.join()
        assert (child.exitcode, counts(path)) == (-signal.SIGKILL, games_kept)
    play_to_the_end(whole, what)
    play_to_the_end(path, what, jobs=2)
    play_to_the_end(path, what, launcher=Broken())  # nothing is played twice
    with Ledger(path, read_only=True) as ledger:
        entries = ledger.entries()
        assert bool(ledger.contest.closed) == (what == "close")
    for entry in entries:
        for stage in (PROVISIONAL, FINAL) if what == "close" else (PROVISIONAL,):
            found = games(path, entry, stage)
            assert found == games(whole, entry, stage) and len(found) == TRIALS
