"""What confines a contestant, part by part: what is counted, control groups, and the filter of system calls."""

from __future__ import annotations

import errno
import os
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers import SMALL
from wordpl.contest import cgroup, sandbox, seccomp, usage_watch
from wordpl.contest.limits import Limits
from wordpl.contest.scoring import ContestRun, Table
from wordpl.contest.submission import Submission
from wordpl.contest.syscalls import ALLOWED
from wordpl.contest.usage import Usage, shared_out, tree, usage
from wordpl.play.referee import ForfeitError
from wordpl.play.strategy import Setting


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


HONEST = """
class Honest:
    def first_move(self): return "crate", 0
    def next_move(self, guess, epsilon, clues): raise NotImplementedError
"""


def test_what_a_contestant_uses_is_held_to_each_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a limit it plays on, above it has lost; the attacks meet other limits, too, such as rlimits."""
    limits = Limits()
    submission = Submission("honest.py", {"honest.py": HONEST.encode()}, "honest.py")
    seen = Usage(0.0, limits.memory, limits.tasks + 3)  # bwrap's own processes are among them
    shared, files = limits.memory, limits.files
    monkeypatch.setattr(usage_watch, "usage", lambda root: seen)
    monkeypatch.setattr(usage_watch, "shared_out", lambda root: shared)
    monkeypatch.setattr(usage_watch.UsageWatch, "_files", lambda self: files)
    monkeypatch.setattr(cgroup.Group, "cpu", None)

    def verdict() -> tuple[str, str] | None:
        try:
            table.contestant.look()
        except ForfeitError as error:
            return str(error.verdict), error.reason
        return None

    with Table(ContestRun(submission, Setting(SMALL), 1, limits, sandbox.find())) as table:
        table.play(0)
        assert verdict() is None
        seen = replace(seen, memory=limits.memory + 1)
        assert verdict() is None, "shared pages are counted once"
        shared += 1
        assert verdict() == ("MEMORY", f"used more than {limits.memory >> 20} MiB")
        seen = replace(seen, memory=limits.memory, tasks=limits.tasks + 4)
        assert verdict() == ("CRASH", f"ran more than {limits.tasks} processes and threads")
        seen, files = replace(seen, tasks=1), limits.files + 1
        assert verdict() == ("MEMORY", f"made more than {limits.files} files")
        seen, files = replace(seen, cpu=limits.cpu_seconds), limits.files
        assert verdict() is None
        seen = replace(seen, cpu=limits.cpu_seconds + 0.01)
        assert verdict() == ("TIMEOUT", f"used more than {limits.cpu_seconds:g} s of CPU")
        assert table.contestant.peak == limits.memory + 1


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
