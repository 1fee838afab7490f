"""Holds the processes of a contestant to the limits that the kernel does not set on all of them together.

What a tree of processes uses is read from /proc and, where this process may make them, from control groups. The kernel
bounds the memory of a group, with what the kernel itself keeps for it (mappings, page tables, pipes). That takes the
memory controller, of version 2 or else of version 1. A group of version 2 counts CPU time without any.
"""

import functools
import itertools
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, thread_time

from wordpl.contest.limits import Limits
from wordpl.play.referee import ForfeitError, Verdict

_PREFIX = "wordpl-"
_LOOK_SECONDS = 0.05
"""How often a contestant that is thinking is looked at; a limit can be passed for that long."""
_STOPPED_SECONDS = 5.0
"""A look that is later than this was kept from coming."""
_LOOK_CPU = 1.0
"""Seconds of CPU that a look may take; what takes longer to add up is too much."""
_REFEREE, _REFEREE_TASK = 0, "/proc/thread-self"
_MEMORY = (b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")
_TICK = 1.0 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.0


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
    with suppress(OSError):
        if "memory" in (parent / "cgroup.controllers").read_text().split():
            if "memory" not in (parent / "cgroup.subtree_control").read_text().split():
                (parent / "cgroup.subtree_control").write_text("+memory")
            return True
    return False


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
    for name, value in limits.items():
        try:
            (folder / name).write_text(str(value))
        except OSError:
            if name == next(iter(limits)):
                folder.rmdir()
                return None
    return folder


@dataclass(frozen=True, slots=True)
class Usage:
    """Of all processes of a tree together."""

    cpu: float
    """Seconds of CPU, user and system, of the living and of the dead that were waited for."""
    memory: int
    """Bytes: private, shared without a file, swapped out, and in page tables; what processes share counts for each."""
    tasks: int
    """Threads, the main one of each process included."""
    waits: dict[int, float] = field(default_factory=dict)
    """Seconds that each living thread has waited in a run queue, ready to run while its core ran others."""


def usage_of(root: int) -> Usage:
    """What process `root` and all its descendants use. Processes that end meanwhile count as nothing.

    No CPU time is lost where nobody ignores SIGCHLD: a process that has ended is a zombie, with its times, until
    its parent waits for it, and then part of its parent's; the first process of a PID namespace, which is in the
    tree, waits for orphans. A parent is read before its children, so no time is counted twice.
    """
    cpu, memory, tasks = 0.0, 0, 0
    waits: dict[int, float] = {}
    for pid in tree(root):
        try:
            # The name, in brackets, may hold anything.
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            cpu += _TICK * sum(int(field) for field in fields[11:15])
            tasks += int(fields[17])
            memory += _memory(pid)
        except (OSError, ValueError, IndexError):
            continue
        for thread in _threads(pid):
            with suppress(OSError):
                waits[int(thread)] = waited(f"/proc/{pid}/task/{thread}")
    return Usage(cpu, memory, tasks, waits)


def waited(task: str) -> float:
    """Seconds that the thread with this folder in /proc has waited in a run queue; 0 where the kernel does not say."""
    fields = Path(task, "schedstat").read_bytes().split()
    return int(fields[1]) / 1e9 if len(fields) > 1 else 0.0


def tree(root: int) -> Iterator[int]:
    """`root` and its descendants. A daemon stays one: the first process of its PID namespace adopts it."""
    waiting, seen = [root], set()
    while waiting:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        yield pid
        for thread in _threads(pid):
            with suppress(OSError):
                waiting += [int(child) for child in Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split()]


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - read many times a second
    except OSError:
        return []


def _memory(pid: int) -> int:
    """Bytes, by the first thread that still has the memory of the process.

    The main thread may have ended before the others. The process then looks like a zombie that uses nothing.
    """
    for task in (f"/proc/{pid}", *(f"/proc/{pid}/task/{thread}" for thread in _threads(pid))):
        with suppress(OSError):
            status = Path(task, "status").read_bytes()
            if b"\nRssAnon:" in status:
                rows = (row for row in status.split(b"\n") if row.startswith(_MEMORY))
                return 1024 * sum(int(row.split()[1]) for row in rows)
    return 0


class UsageWatch:
    """Watches one start of a contestant: memory, tasks, files, CPU time and wall clock of all its processes.

    Where the kernel bounds the memory of a control group, it alone judges that. Elsewhere the memory of the processes
    is added up, and what they share counts for each of them.
    CPU time counts only within games. The wall clock of a turn leaves out the time in run queues, as of the last look:
    that of the contestant's threads, and of the referee's. So what else the machine does costs nobody a game.
    """

    def __init__(self, limits: Limits, root: int, peak: int = 0) -> None:
        self._limits, self._root = limits, root
        self.peak = peak
        """The most memory seen in use, in bytes, since that was `peak`."""
        self._cpu = self._cpu_at_start = self._waited = 0.0
        self._waits = {_REFEREE: waited(_REFEREE_TASK)}
        self._playing = False
        self._looked = monotonic()
        self._scratch: int | None = None
        self._group = ControlGroup([])
        self._turn = (monotonic(), 0.0, 0.0)

    def hold(self, pids: list[int], scratch: str | None) -> None:
        """Take hold of the scratch directory, if there is one, and put `pids` into a control group, if one can be had.

        Call it before anything of the submission runs, which could move or hide these.
        """
        if scratch is not None:
            with suppress(OSError):
                self._scratch = os.open(scratch, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._group = make(self._limits.memory + self._limits.scratch, self._limits.tasks + len(pids))
        try:
            self._group.add(pids)
        except OSError:
            self._group.close()
            self._group = ControlGroup([])
        if self._group.folders:
            self._cpu = self._cpu_at_start = 0.0  # what the group has used
            self._turn = (*self._turn[:2], 0.0)

    @property
    def game_cpu(self) -> float:
        """CPU seconds in the last game, as of the last look."""
        return self._cpu - self._cpu_at_start

    def begin_game(self) -> None:
        """A new game: its CPU time starts at nothing."""
        self._playing = True
        self._cpu_at_start = self._cpu

    def begin_turn(self) -> None:
        """A new turn: its wall clock starts at nothing."""
        self._turn = (monotonic(), self._waited, self._cpu)

    def spent(self) -> float:
        """Wall clock of the turn in seconds: without the time in run queues, but with the CPU time as far as it goes.

        Threads that wait while others of the same contestant run so gain no time to sleep.
        """
        start, waited_before, cpu_before = self._turn
        elapsed = monotonic() - start
        return min(elapsed, max(elapsed - (self._waited - waited_before), self._cpu - cpu_before))

    @property
    def due(self) -> float:
        """Seconds until the next look is due; below 0 once it is."""
        return self._looked + _LOOK_SECONDS - monotonic()

    def look(self) -> None:
        """Raise `ForfeitError` if the contestant's processes use more than they may."""
        limits = self._limits
        # A look that comes this late was kept from coming: this process, or the whole machine, was stopped. What the
        # look itself takes does not count, since a contestant can draw it out.
        late = monotonic() - max(self._looked, self._turn[0]) - _LOOK_SECONDS
        start = thread_time()
        sample = usage_of(self._root)
        seconds = thread_time() - start
        exact = self._group.cpu
        self._cpu = max(self._cpu, sample.cpu if exact is None else exact)
        waits = {**sample.waits, _REFEREE: waited(_REFEREE_TASK)}
        queued = sum(max(0.0, wait - self._waits.get(thread, 0.0)) for thread, wait in waits.items())
        self._waited += max(queued, late if late > _STOPPED_SECONDS else 0.0)
        self._waits = waits
        self.peak = max(self.peak, sample.memory)
        self._looked = monotonic()
        self.check_overrun()
        if not self._group.version and (sample.memory > limits.memory or seconds > _LOOK_CPU):
            raise self._too_much_memory()
        if sample.tasks > limits.tasks + 3:  # bwrap's own are among them
            raise ForfeitError(Verdict.CRASH, f"ran more than {limits.tasks} processes and threads")
        if self._files() > limits.files:
            raise ForfeitError(Verdict.MEMORY, f"made more than {limits.files} files")
        if self._playing and self.game_cpu > limits.cpu_seconds:
            raise ForfeitError(Verdict.TIMEOUT, f"used more than {limits.cpu_seconds:g} s of CPU")

    def check_overrun(self) -> None:
        """Raise `ForfeitError` if the kernel has ended a process of the control group for want of memory."""
        if self._group.overran:
            raise self._too_much_memory()

    def close(self) -> None:
        """Let go of the scratch directory and remove the control group, once all processes have ended."""
        if self._scratch is not None:
            os.close(self._scratch)
        self._group.close()

    def _files(self) -> int:
        """Files (inodes) in the scratch directory; 0 where it is no file system of its own."""
        if self._scratch is None:
            return 0
        status = os.fstatvfs(self._scratch)
        return status.f_files - status.f_ffree

    def _too_much_memory(self) -> ForfeitError:
        return ForfeitError(Verdict.MEMORY, f"used more than {self._limits.memory >> 20} MiB")
