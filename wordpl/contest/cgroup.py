"""A control group (v2) for one contestant, where this process may make one: its memory and its tasks, all told.

Where there is none, rlimits bound each process and the referee watches the sum (`usage`).
"""

from __future__ import annotations

import itertools
import os
import time
from contextlib import suppress
from pathlib import Path

_numbers = itertools.count()


class Group:
    """A control group of this referee's own. Kills and removes everything in it when closed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, pids: list[int]) -> None:
        """Move processes in; their children follow."""
        for pid in pids:
            (self._folder / "cgroup.procs").write_text(str(pid))

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

    `mounts` and `membership` stand for the text of /proc/self/mountinfo and /proc/self/cgroup.
    """
    try:
        mounts = Path("/proc/self/mountinfo").read_text() if mounts is None else mounts
        membership = Path("/proc/self/cgroup").read_text() if membership is None else membership
    except OSError:
        return None
    for parent in _parents(mounts, membership):
        group = _make_in(parent, memory, tasks)
        if group is not None:
            return group
    return None


def _parents(mounts: str, membership: str) -> list[Path]:
    """Where a group could be made: in our own, or beside it."""
    root = next((Path(row.split()[4]) for row in mounts.splitlines() if " - cgroup2 " in row), None)
    own = next((row[3:] for row in membership.splitlines() if row.startswith("0::")), None)
    if root is None or own is None:
        return []
    here = root / own.lstrip("/")
    return [here, here.parent] if here != root else [here]


def _make_in(parent: Path, memory: int, tasks: int) -> Group | None:
    try:
        if "memory" not in (parent / "cgroup.controllers").read_text().split():
            return None
        given = (parent / "cgroup.subtree_control").read_text().split()
        if "memory" not in given:
            (parent / "cgroup.subtree_control").write_text("+memory")
        folder = parent / f"wordpl-{os.getpid()}-{next(_numbers)}"
        folder.mkdir()
    except OSError:
        return None
    group = Group(folder)
    try:
        (folder / "memory.max").write_text(str(memory))
    except OSError:
        group.close()
        return None
    for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1"), ("pids.max", str(tasks))):
        with suppress(OSError):
            (folder / name).write_text(value)
    return group
