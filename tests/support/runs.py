"""Runs and what their files hold."""

import sqlite3
from contextlib import closing

from wordpl import Store, parse_strategy


def exported(path):
    target = path.with_suffix(".csv")
    with Store(path, read_only=True) as store:
        store.export(target)
    return target.read_bytes()


def kept(path):
    """Trials in a results file that another process may be writing."""
    if not path.exists():
        return 0
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        return database.execute("SELECT count(*) FROM trials").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # no table yet
    finally:
        database.close()


WHOLE = """\
# A study with everything in it.
trials = 301
seed = 7
game_seconds = 2.5
out = "results/out.sqlite"

[game]
words = [{ answers = "small.txt" }, "nyt2023"]
rule = ["letterwise", "counted"]
channel = "randomized_response"
format = "contest"

[stop]
until_width = 0.02

[[strategy]]
spec = "Greedy()"
epsilon = ["10:20:10", [9, 4.5], inf]

[[strategy]]
spec = "MaxClueEntropy(epsilon=12)"
n_guesses = "2:3:1"   # whole numbers
monte_carlo = ["None", 20]
first_guess = "salet"

[[strategy]]
spec = "mine.py:Mine()"
"""


def changed(path, *statements):
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)


GREEDY = parse_strategy("Greedy(epsilon=10, n_guesses=2)")

TIMINGS = ["seconds", "slowest"]


def figures(evaluation):
    """What an evaluation says, but for the time it took."""
    return evaluation.frame.drop(columns=TIMINGS).to_csv(), evaluation.reasons
