"""Control groups for one contestant, where this process may make them: its memory bounded, its CPU time counted.

The kernel bounds the memory of a group, with what the kernel itself keeps for it (mappings, page tables, pipes). That
takes the memory controller, of version 2 or else of version 1. A group of version 2 counts CPU time without any.
"""

from __future__ import annotations

import functools
import itertools
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PREFIX = "wordpl-"


# What a process makes outside itself has its name in it, so that a later process finds what a killed one has left.


def own_name(prefix: str) -> str:
    """A new name that says which process has made it."""
    return f"{prefix}{os.getpid()}-{_began(os.getpid())}-{secrets.token_hex(8)}"


def left_in(folder: Path, prefix: str) -> Iterator[Path]:
    """What has such a name in `folder`, belongs to this user, and is of a process that has ended."""
    for path in folder.glob(f"{prefix}*-*-*"):
        pid, _, rest = path.name.removeprefix(prefix).partition("-")
        with suppress(OSError):
            if pid.isdigit() and rest.partition("-")[0] != _began(int(pid)) and path.lstat().st_uid == os.geteuid():
                yield path


def _began(pid: int) -> str:
    """When a process began, in ticks since the machine did: process numbers are used again. "" if there is none."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""


class ControlGroup:
    """The control groups of one contestant, each in a hierarchy of its own. Removed when closed."""

    def __init__(self, folders: list[Path], kills: Path | None = None) -> None:
        """`kills` is the file that counts whom the kernel has killed for want of memory; None if nothing bounds it."""
        self.folders, self._kills = folders, kills
        self.version = 0 if kills is None else 2 if kills.name == "memory.events" else 1
        """Of what bounds memory."""

    def add(self, pids: list[int]) -> None:
        """Move processes in; their children follow."""
        for folder in self.folders:
            for pid in pids:
                (folder / "cgroup.procs").write_text(str(pid))

    @property
    def cpu(self) -> float | None:
        """Seconds of CPU used in the group, by the dead too; None where the kernel does not say."""
        microseconds = _count(self.folders[-1] / "cpu.stat", "usage_usec") if self.folders else None
        return None if microseconds is None else microseconds / 1e6

    @property
    def overran(self) -> bool:
        """Whether the kernel has killed for want of memory."""
        return bool(self._kills and _count(self._kills, "oom_kill"))

    def close(self) -> None:
        for folder in self.folders:
            with suppress(OSError):
                (folder / "cgroup.kill").write_text("1")
            for _ in range(100):
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    break
                except OSError:  # its processes are still ending
                    time.sleep(0.01)


def _count(file: Path, key: str) -> int | None:
    """The number after a key; None if the kernel does not say."""
    with suppress(OSError, ValueError):
        words = file.read_text().split()
        return int(words[words.index(key) + 1])
    return None


def make(memory: int, tasks: int, mounts: str | None = None, membership: str | None = None) -> ControlGroup:
    """A new group with these limits (bytes, count); one without a folder, which does nothing, if none can be made."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text() if mounts is None else mounts
        membership = Path("/proc/self/cgroup").read_text() if membership is None else membership
    except OSError:
        return ControlGroup([])
    unified = _parents(mounts, membership)
    limits = {"memory.max": memory, "memory.swap.max": 0, "memory.oom.group": 1, "pids.max": tasks}
    for parent in filter(_gives_memory, unified):
        if folder := _make_in(parent, limits):
            return ControlGroup([folder], folder / "memory.events")
    limits = {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory}
    bounding = [folder for parent in _parents(mounts, membership, "memory") if (folder := _make_in(parent, limits))]
    counting = (folder for parent in unified if (folder := _make_in(parent, {})))
    folders = [*bounding, *itertools.islice(counting, 1)]
    return ControlGroup(folders, bounding[0] / "memory.oom_control" if bounding else None)


@functools.cache
def memory_version() -> int:
    """The version of the control groups that bound memory here, 2 or 1; 0 if none can be made."""
    group = make(1 << 30, 64)
    group.close()
    return group.version


def _parents(mounts: str, membership: str, controller: str = "") -> list[Path]:
    """Where a group could be made, in the hierarchy of version 2 or in that of a controller of version 1: in our own.

    Under version 2 also beside it, because a group with processes in it gives its controllers to no other.
    """
    for row in membership.splitlines():
        _, controllers, path = row.split(":", 2)
        if controller not in controllers.split(","):
            continue
        for mount in mounts.splitlines():
            _, _, _, top, root, *_, kind, _, options = mount.split()
            if kind == ("cgroup" if controller else "cgroup2") and controller in ("", *options.split(",")):
                group = Path(root, path.removeprefix(top).lstrip("/"))
                return [group] if controller or group == Path(root) else [group, group.parent]
    return []


def _gives_memory(parent: Path) -> bool:
    try:
        if "memory" not in (parent / "cgroup.controllers").read_text().split():
            return False
        if "memory" not in (parent / "cgroup.subtree_control").read_text().split():
            (parent / "cgroup.subtree_control").write_text("+memory")
    except OSError:
        return False
    return True


def _make_in(parent: Path, limits: dict[str, int]) -> Path | None:
    """The folder of a new group in `parent`; None if it cannot be made, or the first of its limits not be set."""
    folder = parent / own_name(_PREFIX)
    try:
        for remnant in left_in(parent, _PREFIX):
            with suppress(OSError):  # with processes in it, it cannot be removed
                remnant.rmdir()
        folder.mkdir()
    except OSError:
        return None
    for number, (name, value) in enumerate(limits.items()):
        try:
            (folder / name).write_text(str(value))
        except OSError:
            if number == 0:
                folder.rmdir()
                return None
    return folder
