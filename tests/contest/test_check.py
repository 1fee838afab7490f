"""The conformance test, which each kind of mistake fails; and what honest strategies do in the sandbox."""

import io
import itertools
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import Any
from unittest.mock import Mock

import pytest

from tests.cli.conftest import Cli, refused
from tests.support.helpers import ASKS_ONCE, SMALL, Scripted
from tests.support.ledgers import started
from tests.support.submissions import table_of
from wordpl import Answer, Ask, Ball, Game, RandomizedResponse, Setting, Turn, Verdict, contest
from wordpl.contest import ContestRun, Ledger, Limits, check, check_submission, load_submission, sandbox
from wordpl.contest.contestant import KEPT_ERRORS
from wordpl.contest.limits import MIB

pytestmark = pytest.mark.alone

LIMITS = Limits(cpu_seconds=2.0, memory=512 * MIB)
GOOD = """
import random

class Mine:
    def first_move(self):
        self.asked = 0
        return WORD, 5.0

    def next_move(self, guess, epsilon, clues):
        self.asked += 1
        return (ANSWER, 0) if self.asked == 2 else (WORD, random.uniform(3.0, 5.0))
""".replace("WORD", repr(SMALL.guesses[0])).replace("ANSWER", repr(SMALL.answers[0]))

CHATTY = "import random\nfor n in range(6): print(n)\n1 / 0"


def played(budget: float, slowest: float = 0.1, seconds: float = 0.1) -> Game:
    return Game(0, "crate", Verdict.WIN, "crate", "", (Turn("salet", budget, 7),), seconds, slowest)


@pytest.mark.parametrize(
    ("at", "differs", "said"),
    [
        (None, {}, "2 games"),
        (0, {"proposed": "haste"}, "trial 0, move 2: crate as the answer, but haste as the answer in a process with"),
        (3, {"proposed": "haste"}, "trial 1, move 2: crate as the answer, but haste as the answer in a process with"),
        (4, {"history": ()}, "trial 1, move 1: salet at 3.0, but crate as the answer when the game came after others"),
        (5, {"proposed": "", "verdict": Verdict.CRASH, "reason": "x"}, "but CRASH (x) when the game came after others"),
    ],
)
def test_games_are_repeated_in_two_processes_and_in_another_order(
    at: int | None, differs: dict[str, Any], said: str
) -> None:
    """The fourth to the last of the six that are played again are the second process's."""
    games, asked, again = [played(7.0), replace(played(3.0), trial=1)], [], []

    def repeat(hash_seed: int, trials: Any) -> list[Game]:
        asked.append((hash_seed, list(trials)))
        start = len(again)
        again.extend([replace(games[trial], **(differs if n == at else {})) for n, trial in enumerate(trials, start)])
        return again[start:]

    finding = check._repeated(games, repeat)
    assert finding.passed == (at is None) and said in finding.message
    assert asked == [(1, [0, 1]), (2, [0, 1, 1, 0])][: 1 if at == 0 else 2]


def test_a_strategy_of_ours_conforms_in_three_rounds_and_two_new_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    keeps, given, played = [], set(), check._games

    def games(subject: object, setting: Setting, *rest: Any) -> object:
        given.add((setting.rule, rest[0].asks, rest[1]))
        keeps.append(setting.channel(9.0, 5).keep)
        return played(subject, setting, *rest)

    monkeypatch.setattr(check, "_games", games)
    found = contest.check_strategy("BayesianRandom(6, 0.4)", words=SMALL, rule="counted", seed=7)
    assert [finding for finding in found if not finding.passed] == [] and found[3].message == "5 games"
    assert given == {("counted", 1000, 7)}
    assert keeps == pytest.approx([RandomizedResponse(9.0).keep, 1.0, 1 / 3])  # pure noise tells nothing


def test_each_round_is_judged_and_all_games_but_the_first_by_their_cpu_time() -> None:
    """In one a third game, and in the next a fifth, is lost; wall clock passes no limit, whatever it is."""
    number, setting = itertools.count(1), Setting(SMALL)
    moves = (Ask(SMALL.guesses[0], 5.0), Answer(SMALL.answers[0]))
    subject: Any = Mock(player=lambda seed: Scripted(*(moves if next(number) not in (3, 5) else [None])))
    subject.game_cpu.side_effect = [9.0, 0.5, 1.0, 0.5, 0.5, 0.5]
    again = lambda _, trials: check._games(subject, setting, LIMITS, 7, trials)  # noqa: E731
    found = check._examine(subject, again, setting, LIMITS, 7, 2, lambda *_: None)
    rounds = ["the noise asked for", "clues without noise", "clues of pure noise"]
    names = [*(f"plays legal moves, {name}" for name in rounds), "same moves for same clues and seed"]
    names += ["time per move", "time per game"]
    passed = [True, False, False, True, True, True]
    assert [(one.check, one.passed) for one in found] == [*zip(names, passed, strict=True)]
    assert found[-1].message.startswith("longest 1 s of CPU")
    assert check._legal("", [played(7.0), played(3.0)], True).message == "budgets 3 to 7"
    assert found[1].message.startswith("INVALID after 0 asks: ")
    for verdict in Verdict:
        legal = check._legal("", [played(7.0), replace(played(3.0), verdict=verdict)], False)
        assert legal.passed == (verdict in (Verdict.WIN, Verdict.LOSS))
    assert ["; return" in one.message for one in found[1:3]] == [True, False], "advice is given once"
    for other in (Setting(SMALL, noiseless=True), Setting(SMALL, channel=Ball)):
        subject.game_cpu.side_effect = [1.01]
        found = check._examine(subject, again, other, LIMITS, 7, 1, lambda *_: None)
        assert [one.check for one in found] == [names[0], *names[3:]], "with one noise only"
        assert not found[-1].passed
        assert found[-1].message.endswith("; that is more than half of what a game may take (2 s of CPU)")
    games = [(played(9.0, slowest=slowest, seconds=seconds), 0.1) for slowest, seconds in ((2.1, 4.0), (2.0, 4.1))]
    for game, passed in zip(games, ([False, True], [True, False]), strict=True):
        times = check._times([game], Limits(game_seconds=8.0, move_seconds=4.0))
        assert [one.passed for one in times] == passed, "a move and a game may take half of their time"


def test_each_game_has_random_numbers_of_its_own_and_the_bounds_of_the_limits() -> None:
    given: list[int] = []
    subject: Any = Mock(player=lambda seed: given.append(seed) or Scripted(*[Ask(SMALL.guesses[0], 0.5)] * 3))
    limits = Limits(asks=2, min_epsilon=0.5)
    games = list(check._games(subject, Setting(SMALL), limits, 7, [0, 1, 0]))
    assert given[0] == given[2] != given[1]
    assert {(len(game.history), game.reason) for game in games} == {(2, "asked more than 2 times")}


@pytest.mark.parametrize(
    ("before", "after", "check", "said"),
    [
        ("import random", CHATTY, "starts", "CRASH: mine.py:4: ZeroDivisionError: division by zero | 2 | 3 | 4 | 5"),
        ("random.uniform(3.0, 5.0)", "3.0 + hash(guess) % 8", "same moves for same clues and seed", "sort what comes"),
    ],
)
def test_a_mistake_is_named(before: str, after: str, check: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(GOOD.replace(before, after))
    run = ContestRun(load_submission(str(tmp_path / "mine.py")), Setting(SMALL), 1, LIMITS, sandbox.find())
    found = check_submission(run, 2)
    assert [finding.check for finding in found if not finding.passed] == [check]
    (failed,) = (finding.message for finding in found if not finding.passed)
    assert said in failed and "Traceback" not in failed and "File" not in failed
    assert run.launcher.hash_seed == 0, "that of other runs, which have the same launcher"


def test_a_contest_is_closed_after_a_question(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    started(tmp_path / "l.sqlite").close()
    for answer, code in (("n\n", 2), ("\n", 2), ("y\n", 0)):
        terminal = io.StringIO(answer)
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", terminal)
        done = cli("contest", "close", "--ledger", "l.sqlite")
        assert (done.code, "seed of the final games" in done.out) == (code, code == 0), done.err
    with Ledger("l.sqlite", read_only=True) as book:
        assert book.contest.closed


def test_without_a_sandbox_no_file_is_run(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is trusted: without --sandbox. A channel is no strategy, so the sandbox refuses it."""
    (tmp_path / "cap.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w').close()\nfrom wordpl import Ball as Capped\n"
    )
    assert cli("check", "cap.py:Capped", "--sandbox").code == 1
    (tmp_path / "seen.py").write_text(ASKS_ONCE.decode() + f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    for found_before in (sandbox.find, sandbox._bwrap):
        found_before.cache_clear()
    started(tmp_path / "l.sqlite").close()
    for command in ("check seen.py --sandbox", "contest submit seen.py --name Seen --ledger l.sqlite"):
        assert "bubblewrap is not installed" in refused(cli, *command.split())
    assert not (tmp_path / "ran").exists()
    done = cli("check", "seen.py", "--games", "1")
    assert done.code == 0 and "no sandbox" in done.out and (tmp_path / "ran").exists()


# What honest strategies do in the sandbox: each game has its own clock, and what they use works.


COUNTS = """
import sys
import time

played = 0


class Counts:
    def first_move(self):
        global played
        played += 1
        print("game", played, file=sys.stderr)
        end = time.process_time() + 0.15
        while time.process_time() < end:
            pass
        if played == 5:
            print("\\x1b" * 9000, file=sys.stderr)
            1 / 0
        return "crate", 0

    def next_move(self, guess, epsilon, clues):
        return "crate", 0
"""


def test_every_game_has_its_own_clock_and_its_own_stderr_which_is_bounded() -> None:
    """Five games of 0.15 s of CPU: together they take more than one of them may."""
    with table_of(COUNTS, Limits(cpu_seconds=0.5)) as table:
        *records, failed = [table.play(trial) for trial in range(5)]
    assert {str(record.game.verdict) for record in records} <= {"WIN", "LOSS"}
    assert [record.errors for record in records] == [f"game {n}\n" for n in (1, 2, 3, 4)]
    assert failed.errors.count("?") > 1000 and len(failed.errors) <= KEPT_ERRORS
    assert "ZeroDivisionError" in failed.errors and "\x1b" not in failed.errors


STRATEGY = """
import os

class Honest:
    def __init__(self):
        self.uses = [value for name, value in globals().items() if name.startswith("use_")]

    def first_move(self):
        self.uses.pop(0)()
        os.chdir("/tmp")
        return "aback", 0

    next_move = first_move
"""
USES = {
    "the contest's own functions": """
from tqdm import trange
from strategies.utils import answers, easy_words, jitter, uniform_prior, update_prior, update_weight, valid
assert len(answers) == 2315 and len(valid) == 12972 and set(easy_words) < set(answers)
prior = uniform_prior()
update_prior(prior, "salet", jitter(12.0), "..i.c")
rest = prior[~prior["word"].isin(["salet", prior["word"].sample()])]
assert rest["word"].sample(weights=rest["weight"]).item() in answers
with open("/scratch/play/strategies/cache.txt", "a") as file:
    file.write("salet")
""",
    "threads and processes": """
import concurrent.futures as futures, multiprocessing, subprocess, sys, threading, time
thread = threading.Thread(target=time.sleep, args=(0.01,))
thread.start()
thread.join()
for kind in (futures.ThreadPoolExecutor, futures.ProcessPoolExecutor):
    with kind(2) as pool:
        assert list(pool.map(abs, [-1, 2])) == [1, 2]
with multiprocessing.Pool(2) as pool:
    assert pool.map(abs, [-3]) == [3]
shared = multiprocessing.Array("d", 100)
with shared.get_lock():
    shared[1] = 2.0
assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True).stdout == b"1\\n"
""",
    "numba": """
import numba
@numba.njit(parallel=True)
def total(n):
    found = 0.0
    for i in numba.prange(n):
        found += 1.0
    return found
assert total(500) == 500
""",
    "files": """
import pickle, shutil, sqlite3, tempfile, time, uuid
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/one", "wb") as file:
        pickle.dump({1: uuid.uuid4()}, file)
    shutil.copy2(folder + "/one", folder + "/two")
    shutil.copytree(folder, folder + "-copy")
    shutil.move(folder + "-copy/one", folder + "/three")
    assert sorted(os.listdir(folder)) == ["one", "three", "two"]
assert sqlite3.connect(":memory:").execute("select 1 + 1").fetchone() == (2,)
time.sleep(0.001)
""",
    "the environment": """
import sys
flags = sys.flags
assert flags.no_site and flags.no_user_site and flags.safe_path and flags.dont_write_bytecode
assert os.uname().nodename == "wordpl" and 0 not in (os.getuid(), os.getgid())
assert sorted(os.listdir("/dev")) == ["null", "random", "shm", "urandom"]
assert [os.path.realpath(name) for name in ("/tmp", "/dev/shm")] == ["/scratch/tmp", "/scratch/shm"]
space = os.statvfs("/scratch")
assert space.f_blocks * space.f_frsize == 512 << 20
""",
}


def test_what_strategies_use_works_in_the_sandbox() -> None:
    code = STRATEGY + "".join(f"\ndef use_{n}():\n{indent(use, ' ' * 4)}" for n, use in enumerate(USES.values()))
    limits = Limits(game_seconds=120.0, move_seconds=120.0, cpu_seconds=120.0)
    with table_of(code, limits) as table:
        for n, what in enumerate(USES):
            played = table.play(n)
            assert (played.game.verdict, played.game.reason) == (Verdict.LOSS, ""), (what, played.errors)
