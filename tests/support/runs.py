"""Runs, what their files hold, and rows of results files to choose from."""

import math
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace

from wordpl import Store, make_task, parse_strategy


def exported(path):
    target = path.with_suffix(".csv")
    with Store(path, read_only=True) as store:
        store.export(target)
    return target.read_bytes()


def kept(path):
    """Trials in a results file that another process may be writing."""
    if path.exists():
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
        with closing(connection) as database, suppress(sqlite3.OperationalError):  # there is no table yet
            return database.execute("SELECT count(*) FROM trials").fetchone()[0]
    return 0


def changed(path, *statements):
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)


GREEDY = parse_strategy("Greedy(epsilon=10, n_guesses=2)")

TIMINGS = ["seconds", "slowest"]


def figures(evaluation):
    """What an evaluation says, but for the time it took."""
    return evaluation.frame.drop(columns=TIMINGS).to_csv(), evaluation.reasons


ROW = replace(make_task("NGuess(2, 4)").row, id="ab12", code="c0de", engine=2, trials=40)
ROWS = [
    ROW,
    replace(ROW, id="cd34", strategy="Greedy(epsilon=inf)", family="Greedy()", epsilon=math.inf, noiseless=True),
    replace(ROW, id="ef56", strategy="Fifth()", family="Fifth()", epsilon=None, seed=str(3**90), trials=1001),
]
