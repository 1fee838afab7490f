"""What honest strategies do in the sandbox: each game has its own clock, and what they use works."""

from textwrap import indent

import pytest

from tests.support.submissions import table_of
from wordpl import Verdict
from wordpl.contest import Limits
from wordpl.contest.contestant import KEPT_ERRORS

pytestmark = pytest.mark.heavy

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
    "numpy": """
import numpy as np
rng = np.random.default_rng()
assert np.linalg.svd(rng.random((200, 200)) @ rng.random((200, 200)))[1].min() >= 0
np.save("saved.npy", np.ones(5))
assert np.load("saved.npy", mmap_mode="r+").sum() == 5
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
given = {"HOME": "/scratch/play", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "TMPDIR": "/scratch/tmp"}
given |= {"NUMBA_CACHE_DIR": "/scratch/numba", "WORDPL_CACHE": "/scratch/cache", "PYTHONHASHSEED": "0", "PWD": "/"}
given |= {"MALLOC_ARENA_MAX": "2", "PANDAS_FUTURE_INFER_STRING": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
threads = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR")
assert {**os.environ} == given | {f"{name}_NUM_THREADS": "1" for name in threads}, os.environ
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
