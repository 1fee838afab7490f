"""Commands that are killed in the middle, and disks that fill: the same command then ends as one in peace does.

A strike is told by its number, not by a clock: at the n-th statement of SQL or change of a file name, or at the byte by
which a file would grow beyond a limit, be that a signal or an error of the write. `make chaos` tries 100 of each work.
"""

import ctypes
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from tests.support.forked import PATIENCE, Forked
from tests.support.helpers import SMALL
from tests.support.runs import exported
from wordpl import Store, WordplError, load_words
from wordpl.wordle import check_certificate, load_tree

EVENT = """
import atexit, os, pathlib, signal, sqlite3, sys
count, folder = 0, os.getcwd()
def event(*_):
    global count
    count += 1
    if count == {at}:
        os.kill(os.getpid(), signal.SIGKILL)
def connect(*arguments, connect=sqlite3.connect, **options):
    database = connect(*arguments, **options)
    database.set_trace_callback(event)
    return database
def hook(name, arguments):
    if name in ("open", "os.rename", "os.remove") and os.path.abspath(str(arguments[0])).startswith(folder):
        event()
sqlite3.connect = connect
sys.addaudithook(hook)
atexit.register(lambda: pathlib.Path("../count").write_text(str(count)))
"""
DISK = """
import resource, signal
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, ({at}, {at}))
"""  # Python ignores the signal, so that writing beyond the limit is an error
KINDS = {
    "event": (EVENT, (-signal.SIGKILL, 0)),
    "bytes": (DISK + "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n", (-signal.SIGXFSZ, 0)),
    "disk": (DISK, (0, 1, 2)),
}
"""What strikes, at a place, and the exit codes that it may have."""


@dataclass(frozen=True)
class Work:
    """A command that goes on where an earlier run of it ended."""

    arguments: tuple[str, ...]
    rows: Callable[[Path], set[Any]]
    """What is finished, which no kill may undo."""
    result: Callable[[Path], Any]
    """What must be as in peace, byte by byte. Raises `WordplError` for a file that is not sound."""
    strikes: tuple[int, ...]
    """Numbers of the strikes that `make test` tries."""
    code: str = ""
    """Makes the work short, in the process of the command."""


def trials(folder: Path) -> set[Any]:
    with Store(folder / "r.sqlite") as store:
        return {tuple(row.items()) for row in store.rows(timings=True)}


def lines(path: Path) -> list[str]:
    """The lines that are whole."""
    return path.read_text().rpartition("\n")[0].splitlines()


def proven(folder: Path) -> Any:
    """All but the bounds: a solver that knows less has others, and each is checked."""
    words = load_words(answers=folder / "answers.txt", guesses=folder / "guesses.txt")
    check_certificate(folder / "proof.txt", words, load_tree(folder / "best.tree"), sample=len(words.guesses))
    rows = [row.partition(",bound,")[0] for row in lines(folder / "proof.txt")]
    return rows, (folder / "best.tree").read_text()


SWEEP = ("sweep", "TwoGuess()", "NGuess(2)", "--epsilon", "6,14", "--trials", "40", "--batch", "5")
LISTS = ("--answers", "answers.txt", "--guesses", "guesses.txt")
WORKS = {
    "sweep": Work((*SWEEP, *LISTS, "--out", "r.sqlite"), trials, lambda folder: exported(folder / "r.sqlite"), (0, 2)),
    "prove": Work(
        ("tree", "prove", *LISTS, "--certificate", "proof.txt", "--out", "best.tree"),
        lambda folder: set(lines(folder / "proof.txt")[1:]),
        proven,
        (1,),
        "import sys, wordpl.wordle.trees.prove\nsys.modules['wordpl.wordle.trees.prove']._BATCH = 4\n",
    ),
}


def run(work: Work, folder: Path, code: str = "", jobs: int = 1) -> tuple[int, str]:
    """The exit code of a work, and what it wrote on stderr, once it and all that it has started have ended."""
    libc = ctypes.CDLL(None)
    libc.prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what loses its parent becomes a child of this process
    try:
        process = Forked(*work.arguments, "--jobs", jobs, cwd=folder, code=f"{code}\n{work.code}")
        before = psutil.Process().children()
        err = process.communicate()[1]
        orphans = [child for child in psutil.Process().children() if child not in before]
        assert not psutil.wait_procs(orphans, PATIENCE)[1], "its workers still run"
        return process.wait(), err
    finally:
        libc.prctl(36, 0)


@pytest.mark.heavy
@pytest.mark.parametrize("name", WORKS)
def test_what_is_killed_ends_as_in_peace(name: str, tmp_path: Path) -> None:
    work, peace = WORKS[name], tmp_path / "peace"
    peace.mkdir()
    (peace / "answers.txt").write_text("\n".join(SMALL.answers[::4]))
    (peace / "guesses.txt").write_text("\n".join(sorted({*SMALL.answers[::4], *SMALL.guesses[::4]})))
    shutil.copytree(peace, tmp_path / "start")
    assert run(work, peace, EVENT.format(at=0))[0] == 0
    events, size = int((tmp_path / "count").read_text()), max(path.stat().st_size for path in peace.iterdir())
    result = work.result(peace)
    for number in range(int(os.environ["WORDPL_KILLS"])) if "WORDPL_KILLS" in os.environ else work.strikes:
        kind = [*KINDS][number % len(KINDS)]
        first, last = (1, events) if kind == "event" else (0, size)
        at = int(np.random.default_rng([0, number]).integers(first, last + 1))
        folder = shutil.copytree(tmp_path / "start", tmp_path / f"struck {number}")
        code, err = run(work, folder, KINDS[kind][0].format(at=at))
        struck = f"strike {number}, {kind} {at}: exit code {code}, {err}"
        assert code in KINDS[kind][1] and "Traceback" not in err, struck
        rows = set[Any]()
        with suppress(WordplError, FileNotFoundError):
            rows = work.rows(shutil.copytree(folder, tmp_path / f"before {number}"))
        again = run(work, folder, jobs=2 if number % 10 == 4 else 1)  # two now and then: they change no result
        assert again[0] == 0 and "Traceback" not in again[1], (struck, again)
        assert work.result(folder) == result, struck
        assert rows <= work.rows(folder), struck
