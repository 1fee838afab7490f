"""What confines a contestant, part by part: control groups, users, the sandbox, cores, and the files that it sees."""

import errno
import marshal
import os
import re
import shutil
import struct
import subprocess
import sys
import termios
from functools import cache
from pathlib import Path

import pytest

import wordpl
from tests.support.helpers import ASKS_ONCE, ORIGINAL
from tests.support.refusals import refusal
from tests.support.submissions import SETTING, submission_of, table_of
from wordpl import Setting
from wordpl.contest import ContestRun, contestant, inside, load_submission, permissions, sandbox, start_contest
from wordpl.contest import limits as limits_module
from wordpl.contest.limits import MIB, Limits, make_group, tree
from wordpl.contest.run import TrialPlayer
from wordpl.contest.sandbox import launcher

pytestmark = pytest.mark.alone

HONEST = ASKS_ONCE.decode()


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
    (here / "cgroup.controllers").write_text("cpu\n")
    beside = make_group(1000, 7, mounts, "0::/user.slice\n")
    assert beside.version == 2, "beside it, where its parent may"
    (folder,) = tmp_path.glob("wordpl-*")
    monkeypatch.setattr(limits_module.time, "sleep", lambda seconds: None)
    beside.close()
    assert (folder / "cgroup.kill").read_text() == "1"
    folder.rename(tmp_path / "kept")
    write = Path.write_text
    for missing, made in (("pids.max", 1), ("memory.max", 0)):  # it needs the bound of memory alone
        lacks = lambda path, text, missing=missing: write(path / "not" if path.name == missing else path, text)  # noqa: E731
        monkeypatch.setattr(Path, "write_text", lacks)
        assert len(make_group(1000, 7, mounts, "0::/user.slice\n").folders) == len([*tmp_path.glob("wordpl-*")]) == made
        shutil.rmtree(next(tmp_path.glob("wordpl-*"), tmp_path / "none"), ignore_errors=True)
    assert make_group(1000, 7, "", "0::/\n").folders == make_group(1000, 7, mounts, "4:memory:/x\n").folders == {}


def test_where_the_kernel_bounds_no_memory_nothing_is_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "memory_version", lambda: 0)
    assert launcher(ranked=False).ranked
    assert re.search(r"^no bound on memory: .*root.*systemd-run", refusal(launcher))


@pytest.mark.parametrize(
    ("users", "root", "tried"),
    [
        ("0 0 4294967295", True, [True, False]),
        ("0 0 4294967295", False, [False]),
        ("0 1000 1\n1 100000 65182", True, [False]),
        ("0 1000 1\n1 100000 65183", True, [True, False]),
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


APART = "--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try --die-with-parent --new-session"
APART += " --clearenv --hostname wordpl --cap-drop ALL"


def test_the_parts_of_a_sandbox() -> None:
    own, other = (" ".join(sandbox.Sandbox(own_user)._namespaces()) for own_user in (True, False))
    assert own == f"{APART} --cap-add CAP_SETUID --cap-add CAP_SETGID"
    assert other == f"--unshare-user --disable-userns --uid 65534 --gid 65534 {APART}"
    shown = " ".join(permissions.mounts(Limits(scratch=12345))) + " "
    assert "--size 12345 --perms 0777 --tmpfs /scratch " in shown and "--bind" not in shown
    assert re.findall(r"--dev-bind(?:-try)? (\S+) ", shown) == ["/dev/null", "/dev/random", "/dev/urandom"]
    others = [path for mode, path in re.findall(r"--perms (\d+) --dir (\S+)", shown) if mode != "0755"]
    assert others == ["/scratch/numba"]


def test_what_contestants_are_given_has_their_limits_and_cannot_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An rlimit bounds tasks where it counts the sandbox's alone: since Linux 5.14 a user namespace has its own count.

    All CPU time: of the start, and of 10,000 games.
    """
    own, other = sandbox.Sandbox(True), sandbox.Sandbox(False)
    for start, release, tasks in (
        *((own, "4.9.1", 64), (other, "5.13.19-generic", 0), (other, "5.14.0", 64)),
        (sandbox.Trusted(), "6.1.0-13", 0),
    ):
        monkeypatch.setattr(sandbox.platform, "release", lambda release=release: release)
        payload = sandbox.sealed_payload(submission_of(HONEST), SETTING, Limits(), start)
        found = marshal.loads(os.pread(payload, 1 << 24, 0))["limits"]  # noqa: S302 - ours
        assert found == {**vars(Limits()), "cpu": 100_600, "tasks": tasks}
        for change, *given in ((os.pwrite, b"x", 0), (os.ftruncate, 1), (os.ftruncate, MIB)):
            with pytest.raises(PermissionError):
                change(payload, *given)
        os.close(payload)


def test_a_sandbox_that_is_stopped_while_it_starts_leaves_no_process() -> None:
    """Else what bubblewrap had begun would wait for it for ever."""
    payload = sandbox.sealed_payload(submission_of(HONEST), SETTING, Limits(), sandbox.find())
    before = {*tree(os.getpid())}
    for _ in range(5):
        pipe = contestant.Pipe(contestant.Printed(None))
        process = sandbox.Process(sandbox.find(), Limits(), payload, pipe.given)
        while len([*tree(process.pid)]) < 2:
            pass
        process.stop(), process.close(), pipe.close()
        assert {*tree(os.getpid())} <= before
    os.close(payload)


ALLOWED = os.sched_getaffinity(0)  # before any test has started a contestant


def test_each_contestant_has_one_core() -> None:
    with table_of(HONEST, Limits()) as one, table_of(HONEST, Limits()) as other:
        one.ready(), other.ready()
        pids = [table.contestant._process.pid for table in (one, other) if table.contestant._process]
        first, second = (set().union(*map(os.sched_getaffinity, tree(pid))) for pid in pids)
        assert [os.getsid(pid) for pid in pids] == pids, "Ctrl-C is the referee's to handle"
        assert os.sched_getaffinity(0) == ALLOWED
    assert len(first) == len(second) == 1
    assert first | second <= ALLOWED
    assert len(first | second) == min(2, len(ALLOWED))


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


def test_a_contestant_gives_up_the_groups_and_the_user_it_was_started_as(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this order, since only root may leave groups, and before it reads what it is to run."""
    given_up: list[tuple[object, ...]] = []
    for name in ("setgroups", "setresgid", "setresuid"):
        monkeypatch.setattr(os, name, lambda *ids, name=name: given_up.append((name, *ids)))
    monkeypatch.setattr(os, "pread", lambda *given: 1 / 0)
    monkeypatch.setattr(sys, "argv", ["inside", "0", "1", "2", "/scratch", "62554"])
    with pytest.raises(ZeroDivisionError):
        inside.main()
    assert given_up == [("setgroups", []), ("setresgid", *[62554] * 3), ("setresuid", *[62554] * 3)]


# Which files a submission sees, and which not; `tests/attacks/reads.py` looks for others.


ROOT = Path(wordpl.__file__).parents[1]
OURS = ("wordpl/__init__.py", "wordpl/py.pyi", "wordpl/model/data/words.txt", "wordpl/model/data/best.tree")
TRACKED = ("strategies/__init__.py", "strategies/ours.py", "strategies/policies/fifth.json")
HIDDEN = ("wordpl/.env", "wordpl/notes.txt", "wordpl/model/data/.env.txt", "wordpl/scoring/passwords", "wordpl/a-b.py")
UNTRACKED = ("strategies/rival.py", "strategies/policies/rival.json")


def test_what_lies_beside_wordpls_own_files_is_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the strategy library of a checkout, what git does not track is not shown either."""
    for name in (*OURS, *TRACKED, *HIDDEN, *UNTRACKED):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "wordpl/link.py").symlink_to(tmp_path / "strategies/rival.py")
    (tmp_path / "wordpl/folder.py").mkdir()
    monkeypatch.setattr(permissions, "own_folders", lambda: (tmp_path / "wordpl", tmp_path / "strategies"))

    def shown() -> set[str]:
        found = dict(permissions.own_files())
        assert all(path == tmp_path / name for path, name in found.items())
        return set(map(str, found.values()))

    assert shown() == {*OURS, *TRACKED, *UNTRACKED}, "as a source archive that was unpacked"
    for command in (["init", "-q"], ["add", *TRACKED]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # as a hook of another checkout has it
    assert shown() == {*OURS, *TRACKED}
    monkeypatch.setenv("PATH", "")
    assert "git cannot list what it tracks" in refusal(shown)


def test_a_submission_may_use_the_library_with_its_policies(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from wordpl.library import Fifth\nstrategy = Fifth()\n")
    run = ContestRun(load_submission(str(tmp_path / "mine.py")), Setting(ORIGINAL), 1, Limits(), sandbox.find())
    with TrialPlayer(run) as table:
        game = table.play(0).game
    assert game.verdict in ("WIN", "LOSS"), game.reason


def test_what_is_bound_is_what_no_ledger_may_lie_in() -> None:
    folders = (*permissions.own_folders(), *permissions.libraries(), *permissions.installation())
    extras = {"fastapi", "joblib", "matplotlib", "numpy", "pytest"} & {path.name for path in permissions.libraries()}
    assert extras == {"joblib", "numpy"}  # nothing that is only an extra's
    for folder in (*folders, ROOT / "wordpl", Path("/usr/lib"), Path("/lib")):
        assert "which submissions read" in refusal(start_contest, folder / "not there" / "contest.sqlite")
    copies_folder = permissions._copies()._folder
    arguments = permissions.mounts(Limits())
    assert arguments[-2:] == ["--remount-ro", "/"], "what is written there would be in memory, which nothing counts"
    bound = [arguments[at + 1] for at, option in enumerate(arguments) if option in ("--ro-bind", "--ro-bind-try")]
    sources = [source for source in bound if not source.startswith(str(copies_folder))]
    assert len(sources) > 10
    for source in sources:
        assert "which submissions read" in refusal(permissions.check_hidden, Path(source, "contest.sqlite"))
    copies = {path.relative_to(copies_folder) for path in copies_folder.rglob("*.*")}
    own = {name for _, name in permissions.own_files()}
    assert own <= copies
    assert {path.suffix for path in copies - own} <= {".pyc"}


def test_what_is_shown_of_wordpl_can_be_read_by_all_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the modes and the umask of the host; and its time is kept, by which Python knows compiled files."""
    (tmp_path / "own.py").touch(0o600)
    os.utime(tmp_path / "own.py", (5, 5))
    monkeypatch.setattr(permissions, "own_files", lambda: iter([(tmp_path / "own.py", Path("wordpl/deep/own.py"))]))
    before = os.umask(0o077)
    try:
        kept = permissions._Copies()
    finally:
        os.umask(before)
    (top,) = kept.folders()
    places = [top, top / "deep", top / "deep/own.py"]
    assert [oct(place.stat().st_mode & 0o777) for place in places] == ["0o755", "0o755", "0o644"]
    assert places[-1].stat().st_mtime == 5


# The filter of system calls, on a machine for its programs.


ALLOW, KILL, NO_SUCH_CALL = 0x7FFF0000, 0x80000000, 0x00050000 | errno.ENOSYS
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = pytest.mark.parametrize(("column", "machine"), list(enumerate(ARCHITECTURES)))


@cache
def program(machine: str) -> list[tuple[int, ...]]:
    return list(struct.iter_unpack("<HBBI", permissions.seccomp_program(machine) or b""))


def decide(machine: str, number: int | None, *arguments: int, arch: int | None = None) -> int:
    """What a machine for classic BPF, as far as the filter goes, says of a call."""
    assert number is not None
    given = [*arguments, *[0] * (6 - len(arguments))]
    # Number, architecture, instruction pointer, arguments; low words first.
    data = struct.pack("<IIQ6Q", number, ARCHITECTURES[machine] if arch is None else arch, 0, *given)
    at, value = 0, 0
    while True:
        operation, yes, no, k = program(machine)[at]
        at += 1
        if operation == 0x20:
            (value,) = struct.unpack_from("<I", data, k)
        elif operation == 0x54:
            value &= k
        elif operation == 0x06:
            return k
        else:
            assert operation == 0x15
            at += yes if value == k else no


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


IOCTLS = {getattr(termios, name) for name in ("TCGETS", "TIOCGWINSZ", "FIONREAD", "FIONBIO", "FIONCLEX", "FIOCLEX")}


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
    only = {"prctl": (0, {1, 2, 3, 15, 16, 23}), "fcntl": (1, {0, 1, 2, 3, 4, 1030, 1032, 1034}), "ioctl": (1, IOCTLS)}
    only["madvise"] = 2, {0, 1, 2, 3, 4, 8, 10, 11, *range(14, 20), 22, 23}
    for name, (at, allowed) in only.items():
        numbers = {*range(128), *range(1024, 1048), *range(0x5400, 0x5480)}
        assert {number for number in numbers if run(name, *[0] * at, number) == ALLOW} == allowed, name
    assert run("madvise", 0, 4096, 12) == 0x00050000 | errno.EINVAL
    assert run("ioctl", 0, 0x5412) == 0x00050000 | errno.ENOTTY and run("ioctl", 0, high | 0x5451) == ALLOW
    assert permissions.seccomp_program("riscv64") is None
    assert run("prlimit64", 0, 7) == run("prlimit64", high, 7) == ALLOW
    assert run("prlimit64", 1, 7) == run("prlimit64", high | 1, 7) == deny
    assert run("rt_sigaction", 17, 0) == run("rt_sigaction", 2, 4096) == ALLOW, "asking, and another signal"
    assert run("rt_sigaction", 17, 4096) == run("rt_sigaction", 17, high) == run("rt_sigaction", high | 17, 1) == deny
