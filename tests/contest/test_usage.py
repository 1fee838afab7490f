"""What a contestant uses: what is counted, in which units, and held to which limit."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from tests.support.helpers import ASKS_ONCE
from tests.support.submissions import table_of
from wordpl.contest import limits as limits_module
from wordpl.contest import permissions
from wordpl.contest.limits import Limits, cpu_of, make_group, memory_of, tree, waits_of
from wordpl.play.referee import ForfeitError

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("leaderless", [False, True])
def test_the_usage_of_a_tree_is_that_of_all_its_processes(leaderless: bool) -> None:
    """Also of those whose main thread has ended, which look like zombies."""
    code = (
        "import ctypes, os, threading, time\n"
        "os.fork()\n"
        "def fill():\n"
        "    kept = bytearray(os.urandom(1 << 20)) * 50\n"
        f"    while {leaderless} and 'Z (' not in open(f'/proc/{{os.getpid()}}/status').read():\n"
        "        pass\n"
        "    os.write(1, b'1')\n"
        "    time.sleep(600)\n"
    )
    code += "threading.Thread(target=fill).start(); "
    code += "ctypes.CDLL(None).pthread_exit(None)" if leaderless else "time.sleep(600)"
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


def test_what_a_contestant_uses_is_held_to_each_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a limit it plays on, above it has lost; the attacks meet other limits, too, such as rlimits."""
    limits, files = Limits(), Limits.files
    seen: dict[str, Any] = {"memory_of": limits.memory, "cpu_of": 0.0}
    seen["waits_of"] = dict.fromkeys(range(limits.tasks + 4), 0.0)
    for name in seen:
        monkeypatch.setattr(limits_module, name, lambda _, name=name: seen[name])
    monkeypatch.setattr(os, "fstatvfs", lambda end: SimpleNamespace(f_files=files + 7, f_ffree=7))
    no_group = Mock(return_value=limits_module.ControlGroup({}))
    monkeypatch.setattr(limits_module, "make_group", no_group)
    with table_of(ASKS_ONCE.decode(), limits) as table:
        table.ready()
        seen["cpu_of"] = 1000.0
        table.contestant.usage.look()  # the CPU time of a start is none of a game
        table.play(0)
        # Those of the sandbox itself, its program and its first process, are no tasks of the contestant's.
        no_group.assert_called_once_with(limits.memory + limits.scratch, limits.tasks + 3)
        table.contestant.usage.look()
        for name, more, said in (
            ("memory_of", limits.memory + 1, f"used more than {limits.memory >> 20} MiB"),
            ("waits_of", dict.fromkeys(range(limits.tasks + 5), 0.0), f"ran more than {limits.tasks} processes"),
            ("cpu_of", 1000.01 + limits.cpu_seconds, f"used more than {limits.cpu_seconds:g} s of CPU"),
        ):
            kept, seen[name] = seen[name], more
            with pytest.raises(ForfeitError, match=said):
                table.contestant.usage.look()
            seen[name] = kept
        files = limits.files + 1
        with pytest.raises(ForfeitError, match=f"made more than {limits.files} files"):
            table.contestant.usage.look()


def test_what_the_kernel_tells_is_read_in_its_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize(
    "looks",
    [
        # Seconds until a look, what each thread has waited and what CPU was used by then, and the time of the turn.
        [(4.0, {"a": 2.5}, 0, 3.5), (4.0, {"a": 2.5, "b": 0.25}, 0, 7.25), (4.0, {"b": 1.25}, 0, 10.25)],
        # A look that is more than five seconds late says that the machine was stopped.
        [(5.0, {}, 0, 5.0), (5.06, {}, 0, 5.05), (1.0, {}, 0, 6.05)],
        # Threads that wait for each other use the CPU.
        [(4.0, {"a": 6.0, "b": 4.0}, 3.0, 3.0), (1.0, {"a": 6.0, "b": 4.0}, 9.0, 5.0)],
    ],
)
def test_time_in_run_queues_is_counted_once_and_a_stop_of_the_machine(
    looks: list[tuple[float, dict[str, float], float, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, waits, cpu = 1000.0, {"a": 2.0}, 0.0
    monkeypatch.setattr(limits_module, "cpu_of", lambda pids: cpu)
    monkeypatch.setattr(limits_module, "monotonic", lambda: now)
    monkeypatch.setattr(limits_module, "tree", lambda root: [])
    monkeypatch.setattr(limits_module, "waits_of", lambda tasks: waits)
    watch = limits_module.UsageWatch(Limits(), os.getpid())
    watch.begin_turn()
    for seconds, waits, cpu, spent in looks:  # noqa: B007 - the watch reads them
        now += seconds
        watch.look()
        assert (watch.spent(), watch.due) == (pytest.approx(spent), pytest.approx(0.05))
    watch.begin_turn()
    now += 2.0
    assert watch.spent() == pytest.approx(2.0), "what an earlier turn waited is none of this one's"
    waits = {"c": 2.0}
    watch.look()
    assert watch.spent() == pytest.approx(0.0), "nor the CPU that it used"


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
    group.overran = True
    with pytest.raises(ForfeitError, match="used more than 2048 MiB"):
        watch.check_memory()
    group.add.side_effect = PermissionError
    watch.hold([7], None)
    with pytest.raises(ForfeitError, match="used more than 2048 MiB"):
        watch.look()  # which adds up what the processes use


def test_only_what_ended_processes_have_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for prefix in ("wordpl-", "wordpl-contest-"):
        names = [f"{prefix}{ended.pid}-1", limits_module.own_name(prefix), f"{prefix}x-1", f"q-{prefix}{ended.pid}-1"]
        for name in names:
            (tmp_path / name).mkdir()
        assert [path.name for path in limits_module.left_in(tmp_path, prefix)] == names[:1]
    (tmp_path / "cgroup.controllers").write_text("memory\n")
    (tmp_path / "cgroup.subtree_control").write_text("memory\n")
    make_group(1000, 7, f"30 23 0:26 / {tmp_path} rw - cgroup2 cgroup2 rw\n", "0::/\n")
    assert not (tmp_path / f"wordpl-{ended.pid}-1").exists() and (tmp_path / f"wordpl-contest-{ended.pid}-1").exists()
    folder = permissions.temporary_folder(owner := Limits())
    assert folder.parent == tmp_path and folder.stat().st_mode & 0o777 == 0o700 and owner
    assert not (tmp_path / f"wordpl-contest-{ended.pid}-1").exists() and len([*tmp_path.glob("*-x-1")]) == 2
