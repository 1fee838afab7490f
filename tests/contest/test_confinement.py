"""What confines a contestant, part by part: what is counted, control groups, and the filter of system calls."""

import errno
import fcntl
import marshal
import mmap
import os
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

import wordpl
from tests.support.helpers import ASKS_ONCE, THINKS
from tests.support.refusals import refusal
from tests.support.submissions import SETTING, submission_of, table_of
from wordpl.contest import limits as limits_module
from wordpl.contest import permissions, sandbox
from wordpl.contest.limits import MIB, Limits, cpu_of, make_group, memory_of, parents, tree, waits_of
from wordpl.contest.run import TrialPlayer
from wordpl.contest.sandbox import launcher
from wordpl.play.referee import ForfeitError, Verdict

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("leaderless", [False, True])
def test_the_usage_of_a_tree_is_that_of_all_its_processes(leaderless: bool) -> None:
    """Also of those whose main thread has ended, which look like zombies."""
    code = (
        "import ctypes, os, threading, time\n"
        "os.fork()\n"
        "def fill():\n"
        "    kept = bytearray(os.urandom(1 << 20)) * 50\n"
        "    time.sleep(0.2)\n"
        "    os.write(1, b'1')\n"
        "    time.sleep(60)\n"
    )
    code += "threading.Thread(target=fill).start(); "
    code += "ctypes.CDLL(None).pthread_exit(None)" if leaderless else "time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(2) == b"11"
        assert ("State:\tZ" in Path(f"/proc/{process.pid}/status").read_text()) == leaderless
        pids = list(tree(process.pid))
        tasks = [f"/proc/{pid}/task/{pid}" for pid in pids]
        memory, cpu, waits = memory_of(pids), cpu_of(pids), waits_of(tasks)
        for pid in pids:
            os.kill(pid, 9)
    assert len(pids) == 2 and (leaderless or len(waits) == 2)
    assert 100 << 20 < memory < 200 << 20
    assert 0.0 < cpu < 60.0
    assert (memory_of(pids[:1]), cpu_of(pids[:1]), waits_of(tasks[:1])) == (0, 0.0, {})


HONEST = ASKS_ONCE.decode()


def test_what_a_contestant_uses_is_held_to_each_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a limit it plays on, above it has lost; the attacks meet other limits, too, such as rlimits."""
    limits = Limits()
    seen: dict[str, Any] = {
        "memory_of": limits.memory,
        "cpu_of": 0.0,
        "waits_of": dict.fromkeys(range(limits.tasks + 4), 0.0),
    }
    files = limits.files
    for name in seen:
        monkeypatch.setattr(limits_module, name, lambda _, name=name: seen[name])
    monkeypatch.setattr(os, "fstatvfs", lambda end: SimpleNamespace(f_files=files + 7, f_ffree=7))
    made = []

    def no_group(memory: int, tasks: int) -> limits_module.ControlGroup:
        made.append((memory, tasks))
        return limits_module.ControlGroup({})

    monkeypatch.setattr(limits_module, "make_group", no_group)

    def verdict() -> tuple[str, str] | None:
        try:
            table.contestant.usage.look()
        except ForfeitError as error:
            return str(error.verdict), error.reason
        return None

    with table_of(HONEST, limits) as table:
        table.ready()
        seen["cpu_of"] = 1000.0
        assert verdict() is None, "the CPU time of a start is none of a game"
        table.play(0)
        # Those of the sandbox itself, its program and its first process, are no tasks of the contestant's.
        assert verdict() is None and made == [(limits.memory + limits.scratch, limits.tasks + 3)]
        seen["memory_of"] = limits.memory + 1
        assert verdict() == ("MEMORY", f"used more than {limits.memory >> 20} MiB")
        seen["memory_of"], seen["waits_of"] = limits.memory, dict.fromkeys(range(limits.tasks + 5), 0.0)
        assert verdict() == ("CRASH", f"ran more than {limits.tasks} processes and threads")
        seen["waits_of"], files = {}, limits.files + 1
        assert verdict() == ("MEMORY", f"made more than {limits.files} files")
        seen["cpu_of"], files = 1000.0 + limits.cpu_seconds, limits.files
        assert verdict() is None
        seen["cpu_of"] += 0.01
        assert verdict() == ("TIMEOUT", f"used more than {limits.cpu_seconds:g} s of CPU")


def test_the_usual_limits_and_those_that_are_none() -> None:
    assert Limits() == Limits(60.0, 60.0, 10.0, 600.0, 2 << 30, 512 << 20, 10_000, 64, 128, 100, 0.001)
    for wrong in (0, -1.0, float("nan")):
        said = f"limit asks = {wrong} is not allowed; a number above 0 is expected"
        assert refusal(Limits, asks=wrong) == said


def test_what_the_kernel_tells_of_a_thread_is_read_in_its_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "schedstat").write_text("7000000000 2500000000 12\n")
    assert waits_of([str(tmp_path)]) == {str(tmp_path): 2.5}
    rows = {"RssAnon": 100, "RssFile": 5000, "RssShmem": 20, "VmSwap": 3, "VmPTE": 1}
    (tmp_path / "status").write_text("Name:\tx\n" + "".join(f"{name}:\t {kib} kB\n" for name, kib in rows.items()))
    monkeypatch.setattr(limits_module, "_tasks", lambda pid: [str(tmp_path)] * 2)
    assert memory_of([1, 2]) == 2 * 1024 * (100 + 20 + 3 + 1)
    # By proc(5): 14 to 17 are the ticks of a process and of the children that it has waited for, in user and system.
    (tmp_path / "stat").write_text("1 (a) b) S " + " ".join(map(str, range(4, 53))))
    monkeypatch.setattr(limits_module, "Path", lambda name: tmp_path / "stat")
    assert cpu_of([1, 2]) == pytest.approx(2 * (14 + 15 + 16 + 17) / os.sysconf("SC_CLK_TCK"))


def test_time_in_run_queues_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now, waits = 1000.0, {"a": 2.0}
    monkeypatch.setattr(limits_module, "monotonic", lambda: now)
    monkeypatch.setattr(limits_module, "tree", lambda root: [])
    monkeypatch.setattr(limits_module, "waits_of", lambda tasks: waits)
    watch = limits_module.UsageWatch(Limits(), os.getpid())
    watch.begin_turn()
    for later in ({"a": 2.5}, {"a": 2.5, "b": 0.25}, {"b": 1.25}):
        now, waits = now + 4.0, later
        watch.look()
    assert watch.spent() == pytest.approx(12.0 - 0.5 - 0.25 - 1.0)
    assert watch.due == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("missing", "made"), [("memory.swap.max", 1), ("pids.max", 1), ("memory.max", 0), ("cgroup.subtree_control", 0)]
)
def test_a_group_needs_the_bound_of_memory_alone(
    missing: str, made: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cgroup.controllers").write_text("memory\n")
    (tmp_path / "cgroup.subtree_control").write_text("cpu\n")
    write = Path.write_text

    def refuses(path: Path, text: str) -> int:
        if path.name == missing:
            raise PermissionError
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", refuses)
    group = make_group(1000, 7, f"30 23 0:26 / {tmp_path} rw - cgroup2 cgroup2 rw\n", "0::/\n")
    assert len(group.folders) == len(list(tmp_path.glob("wordpl-*"))) == made


def test_where_the_kernel_bounds_memory_it_alone_judges_it(monkeypatch: pytest.MonkeyPatch) -> None:
    group = Mock(version=2, cpu=5.0, overran=False)
    monkeypatch.setattr(limits_module, "make_group", lambda memory, tasks: group)
    monkeypatch.setattr(limits_module, "memory_of", lambda pids: 1 << 50)
    monkeypatch.setattr(limits_module, "cpu_of", lambda pids: 9.0)
    assert limits_module.memory_version.__wrapped__() == 2 and group.close.called
    watch = limits_module.UsageWatch(Limits(), os.getpid())
    watch.hold([7], None)
    group.add.assert_called_with([7])
    watch.look()
    assert watch.game_cpu == 5.0
    group.cpu = None
    watch.look()
    assert watch.game_cpu == 9.0, "what /proc tells, where the group tells nothing"
    group.overran = True
    with pytest.raises(ForfeitError, match="used more than 2048 MiB"):
        watch.check_memory()
    group.add.side_effect = PermissionError
    group.close.reset_mock()
    watch.hold([7], None)
    assert group.close.called
    with pytest.raises(ForfeitError, match="used more than 2048 MiB"):
        watch.look()  # which adds up what the processes use


def test_only_what_ended_processes_have_left_is_found(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    names = [f"p-{ended.pid}-1", limits_module.own_name("p-"), "p-x-1", f"q-{ended.pid}-1"]
    for name in names:
        (tmp_path / name).touch()
    assert [path.name for path in limits_module.left_in(tmp_path, "p-")] == names[:1]
    assert names[1].startswith(f"p-{os.getpid()}-") and names[1] != limits_module.own_name("p-")


def test_a_machine_that_was_stopped_costs_nobody_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look that is more than five seconds late says so."""
    now = 1000.0
    monkeypatch.setattr(limits_module, "monotonic", lambda: now)
    monkeypatch.setattr(limits_module, "waits_of", lambda tasks: {})
    monkeypatch.setattr(limits_module, "tree", lambda root: [])
    watch = limits_module.UsageWatch(Limits(), os.getpid())
    watch.begin_turn()
    for seconds, spent in ((5.0, 5.0), (5.06, 5.05), (1.0, 6.05)):
        now += seconds
        watch.look()
        assert watch.spent() == pytest.approx(spent)


def test_a_control_group_is_made_where_it_can_be_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "user.slice"
    here.mkdir()
    for place in (tmp_path, here):
        (place / "cgroup.controllers").write_text("cpu memory pids\n")
        (place / "cgroup.subtree_control").write_text("memory\n" if place is tmp_path else "cpu\n")
    mounts = f"30 23 0:26 / {tmp_path} rw,nosuid - cgroup2 cgroup2 rw\n"
    group = make_group(1000, 7, mounts, "0::/user.slice\n")
    (folder,) = [path for path in here.iterdir() if path.is_dir()]
    written = {"memory.max": "1000", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "7"}
    assert {path.name: path.read_text() for path in folder.iterdir()} == written
    assert (here / "cgroup.subtree_control").read_text() == "+memory"
    (folder / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")
    assert group.cpu == 2.5
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
    beside = make_group(1000, 7, mounts, "0::/user.slice\n")
    assert beside.version == 2, "beside it, where its parent may"
    (folder,) = tmp_path.glob("wordpl-*")
    slept: list[float] = []
    monkeypatch.setattr(limits_module.time, "sleep", slept.append)
    beside.close()
    assert (folder / "cgroup.kill").read_text() == "1" and sum(slept) == pytest.approx(1.0)
    assert make_group(1000, 7, "", "0::/\n").folders == {}
    assert make_group(1000, 7, mounts, "4:memory:/x\n").folders == {}


def test_a_control_group_of_version_1_bounds_memory(tmp_path: Path) -> None:
    top, counting, unified = tmp_path / "memory", tmp_path / "cpuacct", tmp_path / "unified"
    for place in (top / "box", counting, unified):
        place.mkdir(parents=True)
    mounts = (
        f"35 31 0:32 /run {counting} rw - cgroup cgroup rw,cpu,cpuacct\n"
        f"36 31 0:33 /run {top} rw,relatime - cgroup cgroup rw,memory\n"
        f"41 31 0:38 / {unified} rw,relatime shared:9 - cgroup2 cgroup2 rw\n"
    )
    membership = "9:name=systemd:/\n4:memory:/run/box\n3:cpu,cpuacct:/run\n0::/\n"
    group = make_group(1000, 7, mounts, membership)
    assert (group.version, group.cpu) == (1, None)
    (bounding,), (counts,) = top.glob("box/wordpl-*"), counting.glob("wordpl-*")
    assert (bounding / "memory.limit_in_bytes").read_text() == "1000"
    assert (bounding / "memory.memsw.limit_in_bytes").read_text() == "1000"
    group.add([12])
    assert (bounding / "cgroup.procs").read_text() == (counts / "cgroup.procs").read_text() == "12"
    (counts / "cpuacct.usage").write_text("2500000000\n")
    (bounding / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
    assert group.cpu == 2.5
    assert not group.overran
    (bounding / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
    assert group.overran
    alone = make_group(1000, 7, mounts, "3:cpu,cpuacct:/run\n0::/\n")
    assert (alone.version, list(alone.folders)) == (0, ["cpuacct"]), "without a controller of memory it counts alone"


def test_where_the_kernel_bounds_no_memory_nothing_is_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "memory_version", lambda: 0)
    assert sandbox.find().describe().endswith("memory bounded by sampling")
    assert launcher(ranked=False).ranked
    with pytest.raises(wordpl.WordplError, match=r"^no bound on memory: .*root.*systemd-run"):
        launcher()


def test_why_there_is_no_sandbox_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: no namespaces' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setattr(sandbox, "_bwrap", lambda: str(tmp_path / "bwrap"))
    assert "cannot make one here (bwrap: no namespaces)" in refusal(sandbox.find.__wrapped__)
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 3\n")
    assert "cannot make one here (exit status 3)" in refusal(sandbox.find.__wrapped__)
    (tmp_path / "bwrap").unlink()
    assert "cannot make one here (FileNotFoundError)" in refusal(sandbox.find.__wrapped__)
    monkeypatch.delattr(os, "memfd_create")
    for start in (sandbox.find.__wrapped__, sandbox.Trusted):
        assert "needs Linux with /proc" in refusal(start)


@pytest.mark.parametrize(
    ("users", "root", "tried"),
    [
        ("0 0 4294967295", True, [True, False]),
        ("0 0 4294967295", False, [False]),
        ("0 1000 1\n1 100000 65182", True, [False]),
        ("0 1000 1\n1 100000 65183", True, [True, False]),
        ("0 1000 61184\n61184 100000 4000", True, [True, False]),
        ("0 1000 61184\n61184 100000 3999", True, [False]),
        ("0 1000 61185\n61185 100000 4000", True, [False]),
    ],
)
def test_a_contestant_is_a_user_of_its_own_where_there_are_such_users(
    users: str, root: bool, tried: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The users from 61184 to 65183, which belong to nobody, and whom only root can become."""
    seen = []
    monkeypatch.setattr(sandbox.Path, "read_text", lambda path: users if path.name == "uid_map" else "")
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr(sandbox, "_try", lambda made: seen.append(made.own_user) or "no")
    refusal(sandbox.find.__wrapped__)
    assert seen == tried
    monkeypatch.setattr(sandbox, "_try", lambda made: "")
    assert sandbox.find.__wrapped__().own_user == tried[0]


def test_a_sandbox_says_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "memory_version", lambda: 2)
    said = [sandbox.Sandbox(own_user).describe() for own_user in (True, False)]
    assert said == [f"bubblewrap, {way}, seccomp, memory bounded by kernel" for way in ("own user", "user namespace")]
    monkeypatch.setattr(permissions.platform, "machine", lambda: "riscv64")
    assert ", no seccomp, " in sandbox.Sandbox(True).describe()
    assert sandbox.Trusted().describe() == "trusted, no sandbox"


@pytest.mark.parametrize(
    ("start", "release", "tasks"),
    [
        (lambda: sandbox.Sandbox(True), "4.9.1", 64),
        (lambda: sandbox.Sandbox(False), "5.13.19-generic", 0),
        (lambda: sandbox.Sandbox(False), "5.14.0", 64),
        (lambda: sandbox.Sandbox(False), "6.1.0-13", 64),
        (sandbox.Trusted, "6.1.0-13", 0),
    ],
)
def test_tasks_are_bounded_by_an_rlimit_where_that_counts_the_sandboxs_alone(
    start: Any, release: str, tasks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Since Linux 5.14 a user namespace has a count of its own. All CPU time: of the start, and of 10,000 games."""
    monkeypatch.setattr(sandbox.platform, "release", lambda: release)
    for more, cpu in (({}, 100_600), ({"cpu_seconds": 1e300}, 1 << 40)):
        payload = sandbox.sealed_payload(submission_of(HONEST), SETTING, Limits(**more), start())
        found = marshal.loads(os.pread(payload, 1 << 24, 0))["limits"]  # noqa: S302 - ours
        os.close(payload)
        assert found == {**vars(Limits(**more)), "cpu": cpu, "tasks": tasks}


def test_what_contestants_are_given_cannot_be_changed() -> None:
    payload = sandbox.sealed_payload(submission_of(HONEST), SETTING, Limits(), sandbox.find())
    changes = (
        lambda: os.pwrite(payload, b"x", 0),
        lambda: os.ftruncate(payload, 1),
        lambda: os.ftruncate(payload, MIB),
    )
    for change in changes:
        with pytest.raises(PermissionError):
            change()
    os.close(payload)


def affinities(table: TrialPlayer) -> set[int]:
    process = table.contestant._process
    assert process is not None
    return set().union(*(os.sched_getaffinity(pid) for pid in tree(process.pid)))


def test_each_contestant_has_one_core() -> None:
    allowed = os.sched_getaffinity(0)
    with table_of(HONEST, Limits()) as one, table_of(HONEST, Limits()) as other:
        one.ready(), other.ready()
        first, second = affinities(one), affinities(other)
        assert os.sched_getaffinity(0) == allowed
    assert len(first) == len(second) == 1
    assert first | second <= allowed
    assert len(first | second) == min(2, len(allowed))


TO_BE_KILLED = """
import sys, time
from tests.support.helpers import ASKS_ONCE
from tests.support.submissions import table_of
from wordpl.contest import sandbox
from wordpl.contest.limits import Limits, cpu_of, make_group, memory_of, parents, tree, waits_of

trusted = sandbox.Trusted()
with table_of(ASKS_ONCE.decode(), Limits()) as table:
    table.ready()
    print(trusted.scratch, flush=True)
    time.sleep(1000)
"""


def test_what_a_killed_referee_has_left_is_gone_after_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environ = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", TO_BE_KILLED], stdout=subprocess.PIPE, env=environ) as referee:
        assert referee.stdout is not None
        folder = Path(referee.stdout.readline().decode().strip())
        referee.kill()
    mounts, membership = (Path("/proc/self", name).read_text() for name in ("mountinfo", "cgroup"))
    groups = [place for name in ("", "memory", "cpuacct") for place in parents(mounts, membership, name)]
    left = [path for group in groups for path in group.glob(f"wordpl-{referee.pid}-*")]
    assert folder.parent == tmp_path and folder.stat().st_mode & 0o777 == 0o700
    assert left, "else this test shows nothing"
    while any((path / "cgroup.procs").read_text() for path in left):  # the sandbox ends, or this test does not
        sleep(0.01)
    strangers = tmp_path / folder.name.replace(f"-{referee.pid}-", "-x-")
    strangers.mkdir()
    sandbox.Trusted()
    with table_of(HONEST, Limits()) as table:
        table.ready()
    assert not folder.exists() and strangers.exists()
    assert not [path for path in left if path.exists()]


BURN = "while True: pass"


def test_time_in_the_run_queue_is_nobodys_wall_clock() -> None:
    with table_of(THINKS, Limits(game_seconds=1.0, move_seconds=1.0)) as table:
        table.ready()
        (core,) = affinities(table)
        burners = []
        try:
            for _ in range(4):  # each with a share of the core as large as the contestant's
                burners.append(subprocess.Popen([sys.executable, "-c", BURN], start_new_session=True))
                os.sched_setaffinity(burners[-1].pid, {core})
            begun = monotonic()
            game = table.play(0).game
            took = monotonic() - begun
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()
    assert game.verdict in (Verdict.WIN, Verdict.LOSS), "what it says after its time is up would be TIMEOUT"
    assert took > 1.0, "it had to wait"


ALLOW, KILL, NO_SUCH_CALL = 0x7FFF0000, 0x80000000, 0x00050000 | errno.ENOSYS
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = pytest.mark.parametrize(("column", "machine"), list(enumerate(ARCHITECTURES)))


def decide(machine: str, number: int | None, *arguments: int, arch: int | None = None) -> int:
    code = permissions.seccomp_program(machine)
    assert code is not None
    assert number is not None
    given = [*arguments, *[0] * (6 - len(arguments))]
    arch = ARCHITECTURES[machine] if arch is None else arch
    return _run_filter(code, struct.pack("<IIQ6Q", number, arch, 0, *given))


@MACHINES
def test_the_filter_allows_what_is_listed_and_nothing_else(column: int, machine: str) -> None:
    allowed = {numbers[column] for _, numbers, returns in permissions.CALLS if returns is None} - {None}
    ruled = {rule.numbers[column] for rule in permissions.RULES.values()} - {None}
    silent = {numbers[column]: returns for _, numbers, returns in permissions.CALLS if returns is not None}
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
def test_calls_with_a_rule_are_allowed_with_these_values_alone(column: int, machine: str) -> None:
    assert permissions.seccomp_program("riscv64") is None
    prctl = {1, 2, 3, 15, 16, 23, 0x53564D41}  # linux/prctl.h
    ioctl = {termios.TCGETS, 0x802C542A, termios.TIOCGWINSZ, termios.FIONREAD, termios.FIONBIO}
    ioctl |= {termios.FIONCLEX, termios.FIOCLEX}
    flags = ("F_DUPFD", "F_GETFD", "F_SETFD", "F_GETFL", "F_SETFL", "F_DUPFD_CLOEXEC", "F_GETPIPE_SZ", "F_GET_SEALS")
    names = "NORMAL RANDOM SEQUENTIAL WILLNEED DONTNEED FREE DONTFORK DOFORK HUGEPAGE NOHUGEPAGE DONTDUMP DODUMP"
    madvise = {getattr(mmap, f"MADV_{name}") for name in names.split()}
    madvise |= {18, 19, 22, 23}  # WIPEONFORK, KEEPONFORK, POPULATE_READ, POPULATE_WRITE
    allowed = {
        "prctl": prctl,
        "ioctl": ioctl,
        "fcntl": {getattr(fcntl, name, 1034) for name in flags},
        "madvise": madvise,
    }
    for name, expected in allowed.items():
        rule = permissions.RULES[name]
        numbers = {*range(2048), *range(0x5400, 0x5500), *expected, *rule.only}
        arguments = [(0,) * rule.argument + (number,) for number in sorted(numbers)]
        found = [decide(machine, rule.numbers[column], *given) == ALLOW for given in arguments]
        assert {given[-1] for given, allow in zip(arguments, found, strict=True) if allow} == expected, name


def test_numbers_of_calls_are_those_of_linux() -> None:
    """As its headers have them, where they are installed."""
    listed = {name: list(rule.numbers) for name, rule in permissions.RULES.items()}
    listed |= {name: numbers for name, numbers, _ in permissions.CALLS}
    assert len(listed) == len(permissions.RULES) + len(permissions.CALLS)
    for column, header in enumerate(("x86_64-linux-gnu/asm/unistd_64.h", "asm-generic/unistd.h")):
        if (place := Path("/usr/include", header)).exists():
            defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\n", place.read_text()))
            defined.setdefault("newfstatat", defined.get("fstatat", ""))
            expected = {name: int(defined[name]) if name in defined else None for name in listed}
            assert {name: numbers[column] for name, numbers in listed.items()} == expected
    changes = {"utime", "utimes", "futimesat", "utimensat"}
    attributes = {f"{kind}{call}xattr" for kind in ("", "l", "f") for call in ("set", "remove")}
    silent = dict.fromkeys(changes, 0) | dict.fromkeys(attributes, errno.ENOTSUP)
    assert {name: returns for name, _, returns in permissions.CALLS if returns is not None} == silent


@MACHINES
def test_the_filter_looks_at_arguments(column: int, machine: str) -> None:
    def run(name: str, *arguments: int) -> int:
        return decide(machine, permissions.RULES[name].numbers[column], *arguments)

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
            assert operation == 0x15
            at += yes if value == k else no


FILLS = """
import os, time

class Fills:
    def first_move(self):
        made = 1
        try:
            while os.fork():
                made += 1
            time.sleep(1000)
        except OSError:
            return "salet", float(made)

    next_move = None
"""


def test_a_contestant_that_has_all_tasks_it_may_have_leaves_others_theirs() -> None:
    limits = Limits(tasks=16)
    with table_of(FILLS, limits) as full, table_of(FILLS, limits) as rival:
        first, second = (table.contestant.player(1).first_move() for table in (full, rival))
    assert first == second and 14 <= first[1] <= 16
