"""Files that a disk has changed give what they gave before, or one line: never another number, never a traceback.

Results and points of a frontier keep no digests, so a changed number is not noticed there. All else holds for them.
"""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, partial
from pathlib import Path
from unittest import mock

import numpy as np
import typer.main

from tests.support.helpers import SMALL, TINY, Sometimes
from wordpl import Setting, Store, WordplError, make_task, parse_strategy, sweep
from wordpl.cli import main
from wordpl.limits import Family, Policy, load_policy, measure_frontier, setting_identity
from wordpl.wordle import Heuristic, build_tree, check_certificate, prove

EVERY_CUT = 5
"""One of so many changes is a cut, the others flip a bit."""

Answer = Callable[[], tuple[int, str, str]]
"""Exit code, output and errors of what reads a file."""


def damaged(content: bytes, count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield `count` changed versions of a file, each with what was done to it."""
    rng = np.random.default_rng(seed)
    for n in range(count):
        if n % EVERY_CUT == EVERY_CUT - 1:
            size = int(rng.integers(len(content)))
            yield f"change {n}, cut to {size} of {len(content)} bytes", content[:size]
        else:
            at, bit = int(rng.integers(len(content))), int(rng.integers(8))
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            yield f"change {n}, bit {bit} of byte {at} flipped", bytes(changed)


def _put(path: Path, content: bytes) -> None:
    """Write a file, without what SQLite has left beside it."""
    for beside in ("", "-journal", "-wal", "-shm"):
        Path(f"{path}{beside}").unlink(missing_ok=True)
    path.write_bytes(content)
    path.chmod(0o600)


def faults(kind: str, count: int, seed: int, folder: Path) -> list[str]:
    """What is wrong with the answers to `count` changed versions of a kind of file.

    Right is what is said of the file as it was, or one line and exit code 2.
    """
    wrong = []
    path, answers = KINDS[kind](folder)
    content = path.read_bytes()
    with mock.patch.object(typer.main, "get_command", cache(typer.main.get_command)):
        for name, answer in answers.items():
            before = answer()
            assert before[0] == 0, before
            for change, version in damaged(content, count, seed):
                _put(path, version)
                code, out, err = answer()
                refused = code == 2 and not out and len(err.splitlines()) == 1
                if not refused and (code, out) != before[:2] and (code or kind not in WITHOUT_DIGESTS):
                    wrong.append(f"{kind}, {name}, {change}: exit code {code}: {out[-300:]} {err[-2000:]}")
            _put(path, content)
    return wrong


def _command(*arguments: object, out: Path | None = None) -> tuple[int, str, str]:
    """What a command says in this process, and what it writes to a file `out`."""
    if out is not None:
        out.unlink(missing_ok=True)
        arguments = (*arguments, "--out", out)
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    typed = mock.patch.object(sys, "argv", ["wordpl", *map(str, arguments)])
    own_environment = mock.patch.dict(os.environ)  # which the command changes
    with typed, own_environment, redirect_stdout(output), redirect_stderr(errors):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    text, err = (stream.buffer.getvalue().decode() for stream in (output, errors))
    return code, "" if code == 2 else text + (out.read_text() if out is not None and out.exists() else ""), err


def _call(read: Callable[[], object]) -> tuple[int, str, str]:
    """The same of a function."""
    try:
        return 0, repr(read()), ""
    except WordplError as error:
        return 2, "", str(error)


def _without_seconds(*arguments: object) -> tuple[int, str, str]:
    """What a command says in JSON, but for the time that it took."""
    code, out, err = _command(*arguments, "--json")
    return code, out and json.dumps(json.loads(out) | {"seconds": 0}), err


WITHOUT_DIGESTS = ("results", "points")

# The kinds of files: each is written to a folder, and what reads it is returned by name.

File = tuple[Path, dict[str, Answer]]


def _results(folder: Path) -> File:
    """A curve of two epsilons, and a strategy that loses for reasons."""
    path = folder / "r.sqlite"
    strategies = (*map(parse_strategy, ("Greedy(6)", "Greedy(9)")), Sometimes())
    with Store(path, command="wordpl sweep") as store:
        sweep([make_task(strategy, words=SMALL) for strategy in strategies], 40, store=store)
    read = partial(_command, "results", path)
    answers: dict[str, Answer] = {form: partial(read, form) for form in ("--json", "--provenance")}
    answers |= {name: partial(read, out=folder / name) for name in ("t.csv", "t.json")}
    return path, answers | {"table": read, "compare": partial(_command, "results", path, "--compare")}


def _policy(folder: Path) -> File:
    path, moves = folder / "policy.json", {(): ("crate", 5.0), (0,): ("slink", 4.0), (7,): ("haste", 4.0)}
    Policy(9.0, 2, moves, made_for=setting_identity(Setting(SMALL)), made_by="this test").save(path)
    return path, {"read": partial(_call, lambda: vars(load_policy(path)))}


def _lists(folder: Path) -> tuple[object, ...]:
    (folder / "answers.txt").write_text("\n".join(TINY.answers))
    (folder / "guesses.txt").write_text("\n".join(TINY.guesses))
    return "--answers", folder / "answers.txt", "--guesses", folder / "guesses.txt"


def _tree(folder: Path, name: str = "best.tree") -> File:
    build_tree(TINY, Heuristic()).save(folder / name)
    return folder / name, {"check": partial(_without_seconds, "tree", "check", folder / name, *_lists(folder))}


def _certificate(folder: Path) -> File:
    path = folder / "proof.txt"
    tree, _ = prove(TINY, path)

    def resumed() -> object:
        again, certificate = prove(TINY, path)
        return list(again.lines()), certificate.totals

    check = partial(check_certificate, path, TINY, tree, len(TINY.guesses))
    return path, {"check": partial(_call, check), "prove": partial(_call, resumed)}


def _points(folder: Path) -> File:
    path = folder / "points.jsonl"
    family = Family("Two", "TwoGuess(epsilon={budget})", (1.0,), (4, 8, 12))
    measure = partial(measure_frontier, [family], Setting(TINY), path)
    measure()
    return path, {"measure": partial(_call, measure)}


KINDS: dict[str, Callable[[Path], File]] = {
    "results": _results,
    "policy": _policy,
    "tree": _tree,
    "tree as JSON": partial(_tree, name="best.json"),
    "certificate": _certificate,
    "points": _points,
}
