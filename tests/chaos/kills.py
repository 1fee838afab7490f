"""Commands that are killed in the middle, and disks that fill: the same command then ends as one in peace does.

A strike is told by its number, not by a clock: at the n-th statement of SQL or change of a file name, at the byte by
which a file would grow beyond a limit, or where a disk of some size is full.
"""

import ctypes
import shutil
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from tests.support.forked import Forked
from tests.support.helpers import SMALL
from wordpl import Store, WordplError, load_words
from wordpl.wordle import check_certificate, load_tree

KINDS = ("event", "bytes", "disk")
PATIENCE = 300.0  # seconds after which something hangs: nothing here takes a tenth of it
_PAGE = 4096  # bytes by which a file on a tmpfs takes room
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, prctl(2)

_EVENT = """
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
atexit.register(lambda: pathlib.Path("{count_file}").write_text(str(count)))
"""
_BYTES = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, ({at}, {at}))
"""
# A file system of its own is seen by this process alone, so what is on it is copied to the folder in the end. Who may
# not mount has a limit on the size of a file instead, beyond which writing is an error.
_DISK = """
import atexit, ctypes, os, resource, shutil
libc, folder = ctypes.CDLL(None), os.getcwd()
below = f"/proc/self/fd/{{os.open(folder, os.O_RDONLY)}}/."
private = libc.unshare(0x20000) == 0 and libc.mount(b"none", b"/", None, 1 << 14 | 1 << 18, None) == 0
if private and libc.mount(b"none", folder.encode(), b"tmpfs", 0, b"size={at}") == 0:
    os.chdir(folder)
    shutil.copytree(below, folder, dirs_exist_ok=True)
    def rescue():
        for name in set(os.listdir(below)) - set(os.listdir(folder)):
            os.unlink(os.path.join(below, name))
        shutil.copytree(folder, below, dirs_exist_ok=True)
    atexit.register(rescue)
else:
    resource.setrlimit(resource.RLIMIT_FSIZE, ({at} // 2, {at} // 2))
"""
_CODE = {"event": _EVENT, "bytes": _BYTES, "disk": _DISK}


@dataclass(frozen=True)
class Work:
    """A command that goes on where an earlier run of it ended."""

    arguments: tuple[str, ...]
    prepare: Callable[[Path], object]
    """Puts into a folder what it begins with."""
    rows: Callable[[Path], set[Any]]
    """What is finished, which no kill may undo."""
    result: Callable[[Path], Any]
    """What must be as in peace, byte by byte. Raises `WordplError` for a file that is not sound."""
    code: str = ""
    """Makes the work short, in the process of the command."""


def _small_words(folder: Path) -> None:
    (folder / "answers.txt").write_text("\n".join(SMALL.answers[::4]))
    (folder / "guesses.txt").write_text("\n".join(sorted({*SMALL.answers[::4], *SMALL.guesses[::4]})))


# A sweep.


def _trials(folder: Path) -> set[Any]:
    with Store(folder / "r.sqlite") as store:
        return {tuple(row.items()) for row in store.rows(timings=True)}


def _exported(folder: Path) -> bytes:
    with Store(folder / "r.sqlite", read_only=True) as store:
        store.provenance()
        store.export(folder / "r.csv")
    return (folder / "r.csv").read_bytes()


# A proof.


def _lines(path: Path) -> list[str]:
    """The lines that are whole."""
    return path.read_text().rpartition("\n")[0].splitlines()


def _proven(folder: Path) -> Any:
    """All but the bounds: a solver that knows less has others, and each is checked."""
    words = load_words(answers=folder / "answers.txt", guesses=folder / "guesses.txt")
    check_certificate(folder / "proof.txt", words, load_tree(folder / "best.tree"), sample=len(words.guesses))
    rows = [row.partition(",bound,")[0] for row in _lines(folder / "proof.txt")]
    return rows, (folder / "best.tree").read_text()


_SWEEP = ("sweep", "TwoGuess()", "NGuess(2)", "--epsilon", "6,14", "--trials", "40", "--batch", "5")
_LISTS = ("--answers", "answers.txt", "--guesses", "guesses.txt")
WORKS = {
    "sweep": Work((*_SWEEP, *_LISTS, "--out", "r.sqlite", "--jobs", "1"), _small_words, _trials, _exported),
    "prove": Work(
        ("tree", "prove", *_LISTS, "--certificate", "proof.txt", "--out", "best.tree", "--jobs", "1"),
        _small_words,
        lambda folder: set(_lines(folder / "proof.txt")[1:]),
        _proven,
        "import sys, wordpl.wordle.trees.prove\nsys.modules['wordpl.wordle.trees.prove']._BATCH = 4\n",
    ),
}


@dataclass(frozen=True)
class Ended:
    """A run that has ended."""

    code: int
    out: str
    err: str


def _run(work: Work, folder: Path, code: str = "") -> Ended:
    """Run a command in a folder, until it and all that it has started have ended."""
    libc = ctypes.CDLL(None)
    libc.prctl(_SUBREAPER, 1)  # what loses its parent becomes a child of this process
    try:
        process = Forked(*work.arguments, cwd=folder, code=f"{code}\n{work.code}")
        before = psutil.Process().children()
        out, err = process.communicate(PATIENCE)
        orphans = [child for child in psutil.Process().children() if child not in before]
        if psutil.wait_procs(orphans, PATIENCE)[1]:
            err += f"Traceback: still running: {orphans}"
        return Ended(process.wait(), out, err)
    finally:
        libc.prctl(_SUBREAPER, 0)


@dataclass(frozen=True)
class Peace:
    """A run that nothing disturbs."""

    start: Path
    """The folder as it begins."""
    result: Any
    most: dict[str, tuple[int, int]]
    """The bounds of what a strike of a kind may name."""


def in_peace(name: str, folder: Path) -> Peace:
    """Run a work to its end, in a folder of its own."""
    work, start, end = WORKS[name], folder / "start", folder / "end"
    start.mkdir()
    work.prepare(start)
    shutil.copytree(start, end)
    count = folder / "count"
    run = _run(work, end, _EVENT.format(at=0, count_file=count))
    assert run.code == 0, run
    sizes = [path.stat().st_size for path in end.iterdir()]
    room = [sum(-(-path.stat().st_size // _PAGE) + 1 for path in place.iterdir()) for place in (start, end)]
    most = {"event": (1, int(count.read_text())), "bytes": (0, max(sizes)), "disk": (room[0] + 1, room[1] + 4)}
    return Peace(start, work.result(end), most)


def strike(name: str, peace: Peace, number: int, seed: int) -> str:
    """What is wrong after strike `number` on a work, with what it was; empty if nothing is."""
    work, kind = WORKS[name], KINDS[number % len(KINDS)]
    low, high = peace.most[kind]
    at = int(np.random.default_rng([seed, number]).integers(low, high + 1)) * (_PAGE if kind == "disk" else 1)
    folder, before = peace.start.with_name("struck"), peace.start.with_name("before")
    for path in (folder, before):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(peace.start, folder)
    run = _run(work, folder, _CODE[kind].format(at=at, count_file=peace.start.with_name("count")))
    title = f"{name}, strike {number} ({kind} {at}, exit code {run.code}): "
    allowed = {"event": (-signal.SIGKILL, 0), "bytes": (-signal.SIGXFSZ, 0), "disk": (0, 1, 2)}
    if run.code not in allowed[kind] or "Traceback" in run.err:
        return f"{title}{run.err[-2000:]}"
    shutil.copytree(folder, before)
    rows: Iterable[Any] = ()
    with suppress(WordplError, FileNotFoundError):
        rows = work.rows(before)
    jobs = "2" if number % 10 == 4 else "1"  # two now and then: they change no result
    arguments = tuple(jobs if option in ("--jobs", "-j") else word for option, word in pairwise(("", *work.arguments)))
    again = _run(replace(work, arguments=arguments), folder)
    if again.code != 0 or "Traceback" in again.err:
        return f"{title}then exit code {again.code}: {again.err[-2000:]}"
    try:
        result = work.result(folder)
    except WordplError as error:
        return f"{title}then {error}"
    if result != peace.result:
        return f"{title}then another result"
    lost = set(rows) - set(work.rows(folder))
    return f"{title}then {len(lost)} finished rows are lost" if lost else ""


def strikes(name: str, count: int, seed: int, folder: Path, first: int = 0) -> list[str]:
    """What is wrong after `count` strikes on a work, from number `first` on."""
    peace = in_peace(name, folder)
    return [fault for number in range(first, first + count) if (fault := strike(name, peace, number, seed))]
