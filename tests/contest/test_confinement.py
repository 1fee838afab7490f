"""What confines a contestant, part by part: control groups, users, the sandbox, and cores."""

import marshal
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import wordpl
from tests.support.helpers import ASKS_ONCE
from tests.support.refusals import refusal
from tests.support.submissions import SETTING, submission_of, table_of
from wordpl.contest import contestant, inside, permissions, sandbox
from wordpl.contest import limits as limits_module
from wordpl.contest.limits import MIB, Limits, make_group, tree
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


APART = "--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try --die-with-parent --new-session"
APART += " --clearenv --hostname wordpl --cap-drop ALL"


def test_the_parts_of_a_sandbox() -> None:
    own, other = (" ".join(sandbox.Sandbox(own_user)._namespaces()) for own_user in (True, False))
    assert own == f"{APART} --cap-add CAP_SETUID --cap-add CAP_SETGID"
    assert other == f"--unshare-user --disable-userns --uid 65534 --gid 65534 {APART}"
    assert sandbox.python("/site-packages")[1:-1] == ["-s", "-S", "-P", "-B", "-c"]
    shown = " ".join(permissions.mounts(Limits(scratch=12345))) + " "
    assert "--size 12345 --perms 0777 --tmpfs /scratch " in shown and "--bind" not in shown
    assert re.findall(r"--dev-bind(?:-try)? (\S+) ", shown) == ["/dev/null", "/dev/random", "/dev/urandom"]
    others = [path for mode, path in re.findall(r"--perms (\d+) --dir (\S+)", shown) if mode != "0755"]
    assert others == ["/scratch/numba"]
    assert permissions.SYSTEM[:4] == ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache")
    assert permissions.temporary_folder(Limits()).stat().st_mode & 0o777 == 0o700


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


def test_each_contestant_has_one_core() -> None:
    allowed = os.sched_getaffinity(0)
    with table_of(HONEST, Limits()) as one, table_of(HONEST, Limits()) as other:
        one.ready(), other.ready()
        pids = [table.contestant._process.pid for table in (one, other) if table.contestant._process]
        first, second = (set().union(*map(os.sched_getaffinity, tree(pid))) for pid in pids)
        assert [os.getsid(pid) for pid in pids] == pids, "Ctrl-C is the referee's to handle"
        assert os.sched_getaffinity(0) == allowed
    assert len(first) == len(second) == 1
    assert first | second <= allowed
    assert len(first | second) == min(2, len(allowed))


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
