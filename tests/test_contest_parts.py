"""The parts of the contest one by one: lines, submissions, names, ranks, limits."""

from __future__ import annotations

import errno
import json
import math
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers import ORIGINAL, SMALL
from wordpl.contest import cgroup, sandbox, seccomp, wire
from wordpl.contest.contestant import encode
from wordpl.contest.limits import Limits
from wordpl.contest.receipt import read_receipt
from wordpl.contest.submission import load_submission
from wordpl.contest.syscalls import ALLOWED
from wordpl.contest.usage import shared_out, tree, usage
from wordpl.contest.words import lists
from wordpl.errors import WordplError
from wordpl.moves import Answer, Ask, InvalidMoveError, read_move

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), lambda x: st.lists(x, max_size=4)
)
# Often enough what is legal, or nearly: of texts and numbers at random next to none is.
WORDS = st.sampled_from([*SMALL.answers[:3], *SMALL.guesses[:3]])
PART = JSON | WORDS | st.floats(0, 30) | st.just(0)
MOVES = JSON | st.tuples(PART, PART) | st.builds(Ask, PART, PART) | st.builds(Answer, PART)
KINDS = st.sampled_from(["up", "ready", "pair", "ask", "answer", "invalid", "crash", "memory", "win"])


# Lines.


@given(st.binary(max_size=3000) | st.builds(lambda *v: json.dumps(v).encode(), KINDS, JSON, PART, PART))
@example(b"[" * 2000)
@example(b'["pair", 1, "crate", 1' + b"0" * 1990 + b"]")
@example(b'["pair", 1, "crate", NaN]')
@example(b'["pair", true, "crate", 1.0]')
def test_any_line_is_a_reply_of_plain_values_or_a_protocol_error(line: bytes) -> None:
    try:
        reply = wire.read_reply(line)
    except wire.ProtocolError:
        return
    assert type(reply.kind) is str
    assert type(reply.turn) is int
    assert {type(value) for value in reply.values} <= {str, int, float, bool}
    if reply.kind in ("pair", "ask"):
        move = reply.values if reply.kind == "pair" else Ask(*reply.values)
        try:
            legal = read_move(move, SMALL, False)
        except InvalidMoveError:
            return
        word = legal.guess if isinstance(legal, Ask) else legal.word
        assert type(word) is str
        assert word in SMALL.guess_index


@given(st.integers(0, 10**6), st.text(max_size=80), st.floats() | st.integers(-(10**400), 10**400) | st.booleans())
def test_what_a_contestant_returns_arrives_as_it_is_or_is_no_move(turn: int, word: str, epsilon: Any) -> None:
    line = encode(turn, (word, epsilon))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert len(line) <= wire.MAX_LINE
    reply = wire.read_reply(line[:-1])
    assert reply.turn == turn
    if reply.kind == "pair":
        assert reply.values[0] == word
        got = reply.values[1]
        assert got == epsilon or (got != got and epsilon != epsilon) or abs(epsilon) > 1e300
    else:
        assert reply.kind == "invalid"
        assert len(word) > wire.MAX_WORD


@given(MOVES)
@example((SMALL.guesses[0], 2.5))
@example((SMALL.answers[0], 0))
@example(Ask(SMALL.guesses[1], 7.0))
@example(Answer(SMALL.answers[1]))
def test_whatever_is_returned_makes_one_line(move: Any) -> None:
    line = encode(3, move)
    assert len(line) <= wire.MAX_LINE
    reply = wire.read_reply(line[:-1])
    try:
        there: object = read_move(move, SMALL, False)
    except InvalidMoveError:
        there = None
    kinds = {"pair": lambda v: v, "ask": lambda v: Ask(*v), "answer": lambda v: Answer(*v), "invalid": lambda v: None}
    try:
        here: object = read_move(kinds[reply.kind](reply.values), SMALL, False)
    except InvalidMoveError:
        here = None
    assert here == there, "a move is as legal in the sandbox as in process"


@given(st.text(max_size=5000), KINDS.filter(lambda kind: kind in ("crash", "invalid")))
def test_texts_are_cut_to_what_a_line_holds(text: str, kind: str) -> None:
    line = wire.reply(kind, 1, text)
    assert len(line) <= wire.MAX_LINE
    assert wire.read_reply(line[:-1]).kind == kind


def test_numbers_of_subclasses_are_what_they_are() -> None:
    class Free(float):
        def __float__(self) -> float:
            return 0.0

    assert type(wire.number(Free(3.5))) is float
    assert wire.number(Free(3.5)) == 3.5
    assert wire.number(np.float32(0.5)) == 0.5
    assert wire.number(np.int64(0)) == 0
    assert wire.number("1") is None
    assert wire.number(10**500) == math.inf


# Submissions.


def test_a_file_and_a_folder_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("x = 1\n")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "data.bin").write_bytes(b"\0\1")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "strategy.pyc").write_bytes(b"no")
    folder = load_submission(str(tmp_path))
    assert folder.files == {"strategy.py": b"x = 1\n", "deep/er/data.bin": b"\0\1"}
    file = load_submission(f"{tmp_path}/strategy.py:Mine(3, name='x', epsilon=inf)")
    assert file.files == {"strategy.py": b"x = 1\n"}
    assert file.maker == ("Mine", (3,), {"name": "x", "epsilon": math.inf})
    assert len({folder.digest, file.digest, load_submission(f"{tmp_path}/strategy.py").digest}) == 3


@pytest.mark.parametrize("kind", ["symlink", "link in folder", "folder link", "hard link", "pipe", "device", "socket"])
def test_what_is_no_plain_file_is_refused(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "folder"
    place.mkdir()
    (place / "strategy.py").write_text("")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "file").write_text("secret")
    target = place
    if kind == "symlink":
        target = tmp_path / "link.py"
        target.symlink_to(place / "strategy.py")
    elif kind == "link in folder":
        (place / "data").symlink_to(tmp_path / "secret" / "file")
    elif kind == "folder link":
        (place / "data").symlink_to(tmp_path / "secret")
    elif kind == "hard link":
        (place / "data").hardlink_to(tmp_path / "secret" / "file")
    elif kind == "pipe":
        os.mkfifo(place / "data")
    elif kind == "device":
        target = Path("/dev/zero")
    else:
        import socket

        with socket.socket(socket.AF_UNIX) as end:
            end.bind(str(place / "data"))
    with pytest.raises(WordplError, match=r"plain files only|no Python module"):
        load_submission(str(target))


def test_a_folder_swapped_for_a_link_while_it_is_read_gives_nothing_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the worst moment: between listing a folder and opening what is in it."""
    place, secret = tmp_path / "folder", tmp_path / "secret"
    for folder in (place / "data", secret):
        folder.mkdir(parents=True)
        (folder / "file").write_text("secret" if folder is secret else "mine")
    (place / "strategy.py").write_text("")
    scandir = os.scandir

    class Listed(list[Any]):
        def __enter__(self) -> Listed:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    def swap(folder: int | str) -> Any:
        listed = Listed(scandir(folder))
        if (place / "data").is_dir() and not (place / "data").is_symlink():
            (place / "data").rename(tmp_path / "aside")
            (place / "data").symlink_to(secret)
        return listed

    monkeypatch.setattr(os, "scandir", swap)
    with pytest.raises(WordplError, match=r"folder/data' cannot be read as a folder.*plain files only"):
        load_submission(str(place))


def test_a_folder_that_is_swapped_all_the_time_gives_nothing_away(tmp_path: Path) -> None:
    place, secret = tmp_path / "folder", tmp_path / "secret"
    for folder in (place / "data", secret):
        folder.mkdir(parents=True)
        (folder / "file").write_text("secret" if folder is secret else "mine")
    (place / "strategy.py").write_text("")
    (tmp_path / "link").symlink_to(secret)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for first, second in (("folder/data", "aside"), ("link", "folder/data"), ("folder/data", "link")):
                (tmp_path / first).rename(tmp_path / second)
            (tmp_path / "aside").rename(place / "data")

    swapping = threading.Thread(target=swap)
    swapping.start()
    outcomes = set()
    try:
        for turn in range(50_000):
            try:
                outcomes.add(load_submission(str(place)).files.get("data/file"))
            except WordplError:
                outcomes.add(b"refused")
            if turn >= 2000 and outcomes >= {b"mine", b"refused"}:
                break
    finally:
        done.set()
        swapping.join()
    assert b"secret" not in outcomes
    assert outcomes >= {b"mine", b"refused"}, "both sides of the race were seen"


def test_a_link_above_is_followed_if_it_is_the_callers_and_refused_if_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "real" / "deep" / "mine.py").write_text("x = 1\n")
    (tmp_path / "near").symlink_to("real/../real")
    (tmp_path / "far").symlink_to(tmp_path / "near" / "deep")
    (tmp_path / "circle").symlink_to("circle")
    monkeypatch.chdir(tmp_path)
    for text in ("far/mine.py", "near/deep/mine.py", f"{tmp_path}/far/../deep/mine.py", "./real/deep/mine.py"):
        assert load_submission(text).files == {"mine.py": b"x = 1\n"}
    with pytest.raises(WordplError, match=r"cannot read 'circle/mine\.py': Too many levels"):
        load_submission("circle/mine.py")
    if os.geteuid() == 0:
        os.chown("near", 1234, 1234, follow_symlinks=False)
        with pytest.raises(WordplError, match=r"'near' in 'near/deep/mine\.py' is a symbolic link of another user"):
            load_submission("near/deep/mine.py")
        with pytest.raises(WordplError, match="of another user"):
            load_submission("far/mine.py")


def test_the_folder_one_is_in_is_a_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "strategy.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path / "inner")
    assert load_submission("..").files == load_submission("../").files == {"strategy.py": b"x = 1\n"}
    monkeypatch.chdir(tmp_path)
    assert load_submission(".").files == {"strategy.py": b"x = 1\n"}


@pytest.mark.parametrize("name", [b"data\xff", b"deep/\xe9.txt", b"bad\xff.py"])
def test_a_name_that_is_not_utf8_is_refused_on_one_line(name: bytes, tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("")
    (tmp_path / "deep").mkdir()
    bad = os.fsencode(tmp_path) + b"/" + name
    with open(bad, "w"):
        pass
    for text in (str(tmp_path), os.fsdecode(bad)):
        with pytest.raises(WordplError, match="is not UTF-8") as caught:
            load_submission(text)
        assert "\n" not in str(caught.value)
        str(caught.value).encode()


def test_a_folder_of_too_many_or_too_deep_folders_is_refused(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("")
    (tmp_path / "/".join("a" * 32)).mkdir(parents=True)
    assert set(load_submission(str(tmp_path)).files) == {"strategy.py"}
    (tmp_path / "/".join("a" * 33)).mkdir()
    with pytest.raises(WordplError, match="32 in each other"):
        load_submission(str(tmp_path))


@pytest.mark.parametrize(
    "text", ["", "nowhere.py", "a\0b.py", "/", "x" * 5000, "README.md", "tests", "a.py:1+1", "a.py:**"]
)
def test_what_is_no_submission_is_one_line(text: str) -> None:
    with pytest.raises(WordplError) as caught:
        load_submission(text)
    assert "\n" not in str(caught.value)


def test_a_submission_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("")
    with (tmp_path / "data").open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(WordplError, match="larger than 64 MiB"):
        load_submission(str(tmp_path))


def test_the_word_files_are_those_of_the_contest() -> None:
    files = {name: content.decode().split() for name, content in lists(ORIGINAL).items()}
    assert tuple(files["answers.txt"]) == ORIGINAL.answers
    assert tuple(files["valid.txt"]) == ORIGINAL.guesses
    assert 500 < len(files["easy_words.txt"]) < 1500
    assert set(files["easy_words.txt"]) < set(ORIGINAL.answers)
    assert lists(SMALL)["easy_words.txt"] == lists(SMALL)["answers.txt"]


# Limits.


@given(st.sampled_from(sorted(vars(Limits()))), st.sampled_from([0, -1, math.nan]))
def test_limits_are_positive(name: str, value: float) -> None:
    with pytest.raises(WordplError, match=name):
        Limits(**{name: value})  # type: ignore[arg-type]


def test_the_usage_of_a_tree_is_that_of_all_its_processes() -> None:
    code = "import os, time\nos.fork()\nkept = bytearray(os.urandom(1 << 20)) * 50\nos.write(1, b'1')\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(2) == b"11"
        assert len(list(tree(process.pid))) == 2
        found = usage(process.pid)
        assert found.tasks == 2
        assert 100 << 20 < found.memory < 200 << 20
        assert 100 << 20 < shared_out(process.pid) <= found.memory + (8 << 20)
        for pid in tree(process.pid):
            os.kill(pid, 9)
    assert usage(process.pid).tasks == 0


def test_a_process_whose_main_thread_has_ended_is_still_counted() -> None:
    code = (
        "import ctypes, os, threading, time\n"
        "def fill():\n"
        "    kept = bytearray(os.urandom(1 << 20)) * 50\n"
        "    time.sleep(0.2)\n"
        "    os.write(1, b'1')\n"
        "    time.sleep(60)\n"
        "threading.Thread(target=fill).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"1"
        try:
            assert "State:\tZ" in Path(f"/proc/{process.pid}/status").read_text()
            found, shared = usage(process.pid).memory, shared_out(process.pid)
        finally:
            process.kill()
    assert found > 50 << 20
    assert 50 << 20 < shared <= found + (8 << 20)


def test_a_control_group_is_made_where_it_can_be_and_removed(tmp_path: Path) -> None:
    here = tmp_path / "user.slice"
    here.mkdir()
    for place in (tmp_path, here):
        (place / "cgroup.controllers").write_text("cpu memory pids\n")
        (place / "cgroup.subtree_control").write_text("memory\n")
    mounts = f"30 23 0:26 / {tmp_path} rw,nosuid - cgroup2 cgroup2 rw\n"
    group = cgroup.make(1000, 7, mounts, "0::/user.slice\n")
    assert group is not None
    (folder,) = [path for path in here.iterdir() if path.is_dir()]
    assert (folder / "memory.max").read_text() == "1000"
    assert (folder / "pids.max").read_text() == "7"
    group.add([12])
    assert (folder / "cgroup.procs").read_text() == "12"
    assert not group.overran
    (folder / "memory.events").write_text("oom 1\noom_kill 2\n")
    assert group.overran
    for file in folder.iterdir():
        file.unlink()  # as the kernel's own files go with the folder
    folder.rmdir()
    group.close()
    (here / "cgroup.controllers").write_text("cpu\n")
    beside = cgroup.make(1000, 7, mounts, "0::/user.slice\n")
    assert beside is not None
    assert beside.bounds_memory, "beside it, where its parent may"
    assert len(list(tmp_path.glob("wordpl-*/memory.max"))) == 1
    assert cgroup.make(1000, 7, "", "0::/\n") is None
    assert cgroup.make(1000, 7, mounts, "4:memory:/x\n") is None


def test_a_control_group_without_controllers_still_counts_cpu_time(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("\n")
    left = tmp_path / f"wordpl-{2**22 + 1}-0"  # of a referee that is no more: beyond all process numbers
    left.mkdir()
    group = cgroup.make(1000, 7, f"30 23 0:26 / {tmp_path} rw,nosuid - cgroup2 cgroup2 rw\n", "0::/\n")
    assert group is not None
    assert not group.bounds_memory
    (folder,) = tmp_path.glob("wordpl-*")
    assert folder != left
    assert not (folder / "memory.max").exists()
    assert group.cpu is None
    (folder / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\nsystem_usec 2\n")
    assert group.cpu == 2.5


def test_what_bounds_memory_is_said() -> None:
    assert sandbox.find().describe().endswith(("memory bounded by kernel", "memory bounded by sampling"))


ALLOW, KILL, NO_SUCH_CALL = 0x7FFF0000, 0x80000000, 0x00050000 | errno.ENOSYS
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = pytest.mark.parametrize(("column", "machine"), list(enumerate(ARCHITECTURES)))


def decide(machine: str, number: int | None, *arguments: int, arch: int | None = None) -> int:
    code = seccomp.program(machine)
    assert code is not None
    assert number is not None
    given = [*arguments, *[0] * (6 - len(arguments))]
    arch = ARCHITECTURES[machine] if arch is None else arch
    return _run_filter(code, struct.pack("<IIQ6Q", number, arch, 0, *given))


@MACHINES
def test_the_filter_allows_what_is_listed_and_nothing_else(column: int, machine: str) -> None:
    allowed = {numbers[column] for numbers in ALLOWED.values()} - {None}
    ruled = {rule.numbers[column] for rule in seccomp.RULES.values()} - {None}
    silent = {numbers[column]: said for numbers, said in seccomp.RETURNS.values() if numbers[column] is not None}
    assert allowed.isdisjoint(ruled | set(silent))
    for number in (*range(1024), *range(0x40000000, 0x40000400), 2**32 - 1):
        if number in ruled:
            continue
        expected = ALLOW if number in allowed else 0x00050000 | silent.get(number, errno.ENOSYS)
        assert decide(machine, number) == expected, number
        assert decide(machine, number, arch=0x40000003) == KILL, "another architecture's numbers"


@MACHINES
def test_no_call_that_reaches_round_the_sandbox_is_allowed(column: int, machine: str) -> None:
    newer = range(424, 1024)
    found = {number for number in newer if decide(machine, number) == ALLOW}
    assert found == {436, 439}, "close_range and faccessat2"
    older = {
        "x86_64": {29, 41, 53, 64, 68, 73, 101, 103, 135, 141, 155, 161, 162, 165, 187, 203, 206, 209, 213, 216, 221}
        | {222, 232, 240, 246, 248, 250, 251, 253, 256, 272, 275, 276, 278, 279, 283, 284, 289, 290, 291, 294, 298}
        | {300, 303, 304, 306, 308, 310, 311, 312, 314, 317, 319, 321, 322, 323, 325},
        "aarch64": {0, 2, 19, 20, 26, 30, 32, 40, 41, 51, 75, 76, 77, 81, 85, 92, 97, 107, 116, 117, 118, 119, 122, 140}
        | {180, 186, 190, 194, 198, 199, 213, 217, 219, 223, 232, 234, 235, 238, 239, 241, 262, 264, 265, 267, 268}
        | {270, 271, 272, 274, 277, 279, 280, 281, 282, 284},
    }[machine]
    assert {decide(machine, number) for number in older} == {NO_SUCH_CALL}


@MACHINES
def test_the_filter_looks_at_arguments(column: int, machine: str) -> None:
    def run(name: str, *arguments: int) -> int:
        return decide(machine, seccomp.RULES[name].numbers[column], *arguments)

    deny, high = 0x00050000 | errno.EPERM, 1 << 32
    assert run("clone", 0x003D0F00) == ALLOW, "a thread"
    assert run("clone", 17) == ALLOW, "a fork"
    assert [run("clone", 17 | flag) for flag in (0x80, 0x20000, *(1 << bit for bit in range(25, 31)))] == [deny] * 8
    assert run("mmap", 0, 4096, 3, 0x22) == run("mmap", 0, 4096, 3, 0x01) == run("mmap", 0, 4096, 3, 0x02) == ALLOW
    assert run("mmap", 0, 4096, 3, 0x21) == run("mmap", 0, 4096, 3, 0x23) == run("mmap", 0, 0, 3, 0x40022) == deny
    assert run("madvise", 0, 4096, 4) == run("madvise", 0, 4096, 8) == ALLOW
    assert {run("madvise", 0, 4096, advice) for advice in (9, 12, 20, 21, 100)} == {0x00050000 | errno.EINVAL}
    assert run("ioctl", 0, 0x5401) == run("ioctl", 0, high | 0x5451) == ALLOW
    assert {run("ioctl", 0, request) for request in (0x5412, 0x541C, 0x6601)} == {0x00050000 | errno.ENOTTY}
    assert run("fcntl", 0, 1030) == ALLOW
    assert {run("fcntl", 0, command) for command in (5, 6, 7, 8, 36, 37, 38, 1024, 1026, 1031, 1033)} == {deny}
    assert run("prctl", 15) == ALLOW
    assert {run("prctl", option) for option in (4, 22, 35, 36, 67)} == {0x00050000 | errno.EINVAL}
    assert run("prlimit64", 0, 7) == run("prlimit64", high, 7) == ALLOW
    assert run("prlimit64", 1, 7) == run("prlimit64", high | 1, 7) == deny
    assert run("rt_sigaction", 17, 0) == run("rt_sigaction", 2, 4096) == ALLOW, "asking, and another signal"
    assert run("rt_sigaction", 17, 4096) == run("rt_sigaction", 17, high) == run("rt_sigaction", high | 17, 1) == deny


def _run_filter(code: bytes, data: bytes) -> int:
    """A classic BPF machine, as far as the filter goes."""
    program = list(struct.iter_unpack("<HBBI", code))
    at, value = 0, 0
    while True:
        operation, yes, no, k = program[at]
        at += 1
        if operation == 0x20:
            # The data: number, architecture, instruction pointer, arguments; low words first.
            (value,) = struct.unpack_from("<I", data, k)
        elif operation == 0x54:
            value &= k
        elif operation == 0x06:
            return int(k)
        else:
            holds = {0x15: value == k, 0x35: value >= k}[operation]
            at += yes if holds else no


def test_an_unknown_machine_has_no_filter() -> None:
    assert seccomp.program("vax") is None


# The command line.


def command(*arguments: str, cwd: Path, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """The command line, run in a folder; with programs looked for in `path` alone, if given."""
    wordpl_command = str(Path(sys.executable).with_name("wordpl"))
    environment = os.environ if path is None else {**os.environ, "PATH": path}
    return subprocess.run(
        [wordpl_command, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_text(
        "class Good:\n"
        "    def first_move(self): return 'salet', 5.0\n"
        "    def next_move(self, guess, epsilon, clues): return 'crate', 0\n"
    )
    (tmp_path / "bad.py").write_text("raise RuntimeError('\\x1b[31mred\\nline')")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["submit", "nowhere.py", "--name", "X"], "cannot read"),
        (["submit", "good.py", "--name", "a\x1b[31m"], "name"),
        (["submit", "good.py", "--name", "=1+1"], "name"),
        (["submit", "good.py", "--name", ""], "name"),
        (["submit", "good.py", "--name", "X", "--max-trials", "5"], "1001"),
        (["submit", "good.py", "--name", "X", "--nonce", "a\nb"], "nonce"),
        (["submit", "good.py", "--name", "X", "--nonce", "x" * 201], "nonce"),
        (["submit", "good.py", "--name", "X", "--start-seconds", "inf"], "start_seconds"),
        (["submit", "good.py", "--name", "X", "--receipt", "no/where.json"], "no folder"),
        (["submit", "good.py", "--name", "X", "--receipt", "good.py"], "no receipt"),
        (["leaderboard", "--clear", "x"], "--reason"),
        (["leaderboard", "--close", "--ledger", "nowhere.sqlite"], "nowhere.sqlite"),
        (["submit", "good.py", "--name", "X", "--memory", "0"], "memory"),
        (["submit", "good.py", "--name", "X", "--ledger", "good.py"], "not a contest file"),
        (["submit", "good.py:Nowhere()", "--name", "X"], "no class Nowhere"),
        (["submit", "bad.py", "--name", "X"], "cannot be started"),
        (["submit", "good.py"], "name"),
        (["leaderboard", "--ledger", "nowhere.sqlite"], "nowhere.sqlite"),
        (["audit", "--ledger", "nowhere.sqlite"], "nowhere.sqlite"),
        (["score", "--trusted", "bad.py"], "cannot be started"),
        (["score", "--trusted", "good.py", "--trials", "0"], "trials"),
        (["score", "--trusted", "good.py", "--out", "x.sqlite"], "--out"),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(arguments: list[str], said: str, folder: Path) -> None:
    done = command(*arguments, cwd=folder)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("submission ")]
    assert done.returncode == 2
    assert len(lines) == 1, done.stderr
    assert said in lines[0]
    assert "\x1b" not in done.stderr


def test_submit_leaderboard_audit_and_export(folder: Path) -> None:
    submit = ("submit", "good.py", "--max-trials", "1001", "--json")
    done = command(*submit, "--name", "Good", "--nonce", "beacon 17", cwd=folder)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["state"] == "finished"
    assert record["trials"] == 1001
    assert record["nonce"] == "beacon 17"
    before, after = done.stderr.split("finished; secret")
    assert record["commitment"] in before
    assert "beacon 17" in before
    assert record["seed"] not in before
    assert record["seed"] in after
    assert set(record["p05"]) == {"budget", "win_rate", "win_rate_interval", "wins", "sampled", "decided"}
    (path,) = (folder / "results").glob("*.receipt.json")
    receipt = read_receipt(path)
    assert str(path.relative_to(folder)) in before
    assert receipt.entered.hash in before
    assert receipt.id == record["id"]
    assert receipt.faults() == []
    assert receipt.finished is not None
    assert receipt.finished.facts["seed"] == record["seed"]

    ledger = json.loads(command("leaderboard", "--json", cwd=folder).stdout)
    assert ledger == [record]
    exported = command("leaderboard", "--export", "board.csv", cwd=folder)
    assert "Good" in exported.stdout
    assert (folder / "board.csv").read_text().count("\n") == 2
    checked = command("audit", cwd=folder)
    assert checked.returncode == 0
    assert "all fits" in checked.stdout

    again = command(*submit, "--name", "Another name", "--receipt", "mine.json", cwd=folder)
    assert json.loads(again.stdout) == record
    assert "as Good" in again.stderr
    assert read_receipt(folder / "mine.json") == receipt
    redrawn = command(*submit, "--name", "Good", "--memory", "2049", cwd=folder)
    assert json.loads(redrawn.stdout)["draw"] == 2
    assert "draw 2" in redrawn.stderr
    assert json.loads(redrawn.stdout)["seed"] != record["seed"]
    assert command(*submit, "--name", "Good", "--nonce", "beacon 18", cwd=folder).returncode == 2


def test_check_runs_nothing_without_a_sandbox_unless_the_file_is_trusted(folder: Path) -> None:
    (folder / "seen.py").write_text((folder / "good.py").read_text() + f"open({str(folder / 'ran')!r}, 'w').close()\n")
    nowhere = str(folder / "nowhere")
    done = command("check", "seen.py", "--games", "1", cwd=folder, path=nowhere)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "bubblewrap is not installed" in done.stderr
    assert "--trusted" in done.stderr
    assert not (folder / "ran").exists()
    done = command("check", "seen.py", "--games", "1", "--trusted", cwd=folder, path=nowhere)
    assert done.returncode == 0, done.stderr
    assert "no sandbox" in done.stdout
    assert (folder / "ran").exists()


def test_trusted_scores_are_labelled(folder: Path) -> None:
    done = command("score", "--trusted", "good.py", "--trials", "5", "--json", cwd=folder)
    assert json.loads(done.stdout)["ranked"] is False
    assert "not ranked" in command("score", "--trusted", "good.py", "--trials", "5", cwd=folder).stdout


BUSY = """
import time


class Busy:
    def first_move(self):
        end = time.process_time() + 0.4
        while time.process_time() < end:
            pass
        return "crate", 0
"""
IDLE = """
import time


class Idle:
    def first_move(self):
        time.sleep(0.4)
        return "crate", 0
"""


@pytest.mark.parametrize(
    ("code", "seconds", "timeouts"),
    [(BUSY, "0.2", 3), (BUSY, "inf", 0), (IDLE, "0.1", 0)],
)
def test_the_clock_of_trusted_games_is_cpu_time(folder: Path, code: str, seconds: str, timeouts: int) -> None:
    with_moves = code + "\n    def next_move(self, guess, epsilon, clues):\n        raise NotImplementedError\n"
    (folder / "timed.py").write_text(with_moves)
    options = ["--trials", "3", "--jobs", "1", "--json", "--game-seconds", seconds]
    done = command("score", "--trusted", "timed.py", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["timeouts"], found["errors"]) == (timeouts, 0)
    if timeouts:
        assert found["reasons"] == [{"reason": "used more than 0.2 s of CPU", "trials": 3}]


def test_the_clock_of_a_game_can_be_set(folder: Path) -> None:
    """For `score` and `sweep`: a strategy of ours that thinks for 0.4 s is too late after 0.1."""
    (folder / "ours.py").write_text(
        f"{BUSY}\n    def next_move(self, guess, epsilon, clues):\n        raise NotImplementedError\n\n\n"
        "import dataclasses\n\nimport wordpl\n\n\n@dataclasses.dataclass(frozen=True, repr=False)\n"
        "class Ours(wordpl.Strategy):\n    def players(self, setting): return lambda seed: Busy()\n"
    )
    for seconds, timeouts in (("0.1", 2), ("inf", 0)):
        options = ["ours.py:Ours()", "--trials", "2", "--jobs", "1", "--json", "--game-seconds", seconds]
        scored = command("score", *options, cwd=folder)
        assert scored.returncode == 0, scored.stderr
        swept = command("sweep", *options, "--out", f"{seconds}.sqlite", cwd=folder)
        assert swept.returncode == 0, swept.stderr
        assert [json.loads(scored.stdout)["timeouts"], json.loads(swept.stdout)[0]["timeouts"]] == [timeouts] * 2


def test_ranked_play_is_decided_by_cpu_time() -> None:
    """10 s, as the contest's code has it for wall clock; three times as much wall clock ends what sleeps."""
    limits = Limits()
    assert (limits.cpu_seconds, limits.game_seconds, limits.move_seconds) == (10.0, 30.0, 30.0)
    assert limits == Limits.for_games_of(10.0)
