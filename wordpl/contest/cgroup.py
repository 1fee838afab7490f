"""A control group (v2) for one contestant, where this process may make one: its CPU time, memory and tasks, all told.

The CPU time of a group is known wherever there is one. Its memory is bounded by the kernel only where this process
may use the memory controller. Otherwise rlimits bound each process and the referee watches the sum (`usage`).
Groups of version 1 are left alone: they are deprecated, and belong to whoever supervises this machine.
"""

from __future__ import annotations

import functools
import itertools
import os
import time
from contextlib import suppress
from pathlib import Path

_numbers = itertools.count()


class Group:
    """A control group of this referee's own. Kills and removes everything in it when closed."""

    def __init__(self, folder: Path, *, bounds_memory: bool) -> None:
        self._folder = folder
        self.bounds_memory = bounds_memory
        """Whether the kernel holds it to its memory."""

    def add(self, pids: list[int]) -> None:
        """Move processes in; their children follow."""
        for pid in pids:
            (self._folder / "cgroup.procs").write_text(str(pid))

    @property
    def cpu(self) -> float | None:
        """Seconds of CPU used in the group, by the dead too; None where the kernel does not say."""
        with suppress(OSError, ValueError, IndexError):
            words = (self._folder / "cpu.stat").read_text().split()
            return int(words[words.index("usage_usec") + 1]) / 1e6
        return None

    @property
    def overran(self) -> bool:
        """Whether the kernel has killed for want of memory."""
        with suppress(OSError, ValueError, KeyError):
            rows = dict(row.split() for row in (self._folder / "memory.events").read_text().splitlines())
            return int(rows["oom_kill"]) > 0
        return False

    def close(self) -> None:
        with suppress(OSError):
            (self._folder / "cgroup.kill").write_text("1")
        for _ in range(100):
            try:
                self._folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:  # its processes are still ending
                time.sleep(0.01)


def make(memory: int, tasks: int, mounts: str | None = None, membership: str | None = None) -> Group | None:
    """A new group with these limits (bytes, count), or None if this process may not make one.

    A group that bounds memory is preferred. `mounts` and `membership` stand for the text of /proc/self/mountinfo
    and /proc/self/cgroup.
    """
    try:
        mounts = Path("/proc/self/mountinfo").read_text() if mounts is None else mounts
        membership = Path("/proc/self/cgroup").read_text() if membership is None else membership
    except OSError:
        return None
    parents = _parents(mounts, membership)
    for parent in parents:
        if _gives_memory(parent):
            group = _make_in(parent, memory, tasks)
            if group is not None:
                return group
    return next((group for parent in parents if (group := _make_in(parent, None, tasks)) is not None), None)


@functools.cache
def bounds_memory() -> bool:
    """Whether groups made here bound memory."""
    group = make(1 << 30, 64)
    if group is None:
        return False
    group.close()
    return group.bounds_memory


def _parents(mounts: str, membership: str) -> list[Path]:
    """Where a group could be made: in our own, or beside it."""
    root = next((Path(row.split()[4]) for row in mounts.splitlines() if " - cgroup2 " in row), None)
    own = next((row[3:] for row in membership.splitlines() if row.startswith("0::")), None)
    if root is None or own is None:
        return []
    here = root / own.lstrip("/")
    return [here, here.parent] if here != root else [here]


def _gives_memory(parent: Path) -> bool:
    try:
        if "memory" not in (parent / "cgroup.controllers").read_text().split():
            return False
        if "memory" not in (parent / "cgroup.subtree_control").read_text().split():
            (parent / "cgroup.subtree_control").write_text("+memory")
    except OSError:
        return False
    return True


def _make_in(parent: Path, memory: int | None, tasks: int) -> Group | None:
    """A group in `parent`; with no bound on its memory if that is None."""
    folder = parent / f"wordpl-{os.getpid()}-{next(_numbers)}"
    try:
        _sweep(parent)
        folder.mkdir()
    except OSError:
        return None
    group = Group(folder, bounds_memory=memory is not None)
    optional = [("pids.max", str(tasks))]
    if memory is not None:
        try:
            (folder / "memory.max").write_text(str(memory))
        except OSError:
            group.close()
            return None
        optional += [("memory.swap.max", "0"), ("memory.oom.group", "1")]
    for name, value in optional:
        with suppress(OSError):
            (folder / name).write_text(value)
    return group


def _sweep(parent: Path) -> None:
    """Remove what killed referees have left; a group with processes in it cannot be removed."""
    for folder in parent.glob("wordpl-*-*"):
        pid = folder.name.split("-")[1]
        if pid.isdigit() and not Path("/proc", pid).exists():
            with suppress(OSError):
                folder.rmdir()
