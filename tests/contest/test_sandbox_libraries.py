"""The list of allowed system calls is long enough for what strategies honestly do."""

from __future__ import annotations

import pytest

from tests.contest.test_attacks import submission_of
from tests.helpers import ORIGINAL
from wordpl.contest import sandbox
from wordpl.contest.limits import Limits
from wordpl.contest.scoring import ContestRun, Table
from wordpl.play.referee import Verdict
from wordpl.play.strategy import Setting

STRATEGY = """
import os

class Honest:
    def first_move(self):
        os.chdir("/tmp")
        use()
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0

def use():
"""
USES = {
    "numpy": """
import numpy as np
rng = np.random.default_rng()
assert np.linalg.svd(rng.random((200, 200)) @ rng.random((200, 200)))[1].min() >= 0
np.save("saved.npy", np.ones(5))
assert np.load("saved.npy", mmap_mode="r+").sum() == 5
""",
    "scipy": """
import scipy.optimize, scipy.sparse.linalg, scipy.stats
assert abs(scipy.optimize.minimize(lambda x: (x - 1) ** 2, 0.0).x[0] - 1) < 1e-4
assert scipy.stats.norm.cdf(0) == 0.5
""",
    "pandas": """
import pandas as pd
with open("words.csv", "w") as file:
    file.write("word,n\\nsalet,1\\ncourd,2\\n")
assert pd.read_csv("words.csv").groupby("word").n.sum()["courd"] == 2
""",
    "numba": """
import numba, numpy as np
@numba.njit(parallel=True)
def total(x):
    found = 0.0
    for i in numba.prange(len(x)):
        found += x[i]
    return found
assert total(np.ones(500)) == 500
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
    "tqdm": """
import tqdm
assert sum(tqdm.tqdm(range(10))) == 45
""",
}


@pytest.mark.parametrize("what", sorted(USES))
def test_what_strategies_use_works_in_the_sandbox(what: str) -> None:
    body = "".join(f"    {line}\n" for line in USES[what].strip().splitlines())
    limits = Limits(game_seconds=120.0, move_seconds=120.0, cpu_seconds=120.0)
    with Table(ContestRun(submission_of(STRATEGY + body), Setting(ORIGINAL), 5, limits, sandbox.find())) as table:
        played = table.play(0)
    assert (played.game.verdict, played.game.reason) == (Verdict.LOSS, ""), played.errors
