"""Limits of a contestant, and the watch that holds its processes to those that no rlimit covers.

A game may take 10 seconds, as in the contest's code; but of CPU, where that has wall clock, because what else a machine
does must not decide a ranking. Wall clock only ends a contestant that sleeps or waits.
"""

from __future__ import annotations

import errno
import functools
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from wordpl.base.defaults import GAME_SECONDS
from wordpl.base.errors import WordplError
from wordpl.play.referee import ForfeitError, Verdict

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Seconds of wall clock and of CPU (of all threads and processes together), bytes, and counts."""

    game_seconds: float = 60.0
    """Wall clock from question to answer, of all moves of one game together, but for the time in the run queue."""
    move_seconds: float = 60.0
    """Wall clock of one move."""
    cpu_seconds: float = GAME_SECONDS
    """CPU time in one game."""
    start_seconds: float = 600.0
    """From the start of the process until the strategy is made: published strategies fill caches there."""
    memory: int = 2048 * MIB
    """For each process, of its private data. All of them together may use this and `scratch`, the kernel's part too."""
    scratch: int = 512 * MIB
    """Bytes of files, the submission's own included."""
    files: int = 10_000
    """Number of files in the scratch directory."""
    tasks: int = 64
    """Processes and threads."""
    open_files: int = 128
    """Open files of a process."""
    asks: int = 100
    """Asks in one game: far beyond any use, but each may tell a little more than its clue (see `game`)."""
    min_epsilon: float = 0.001
    """The smallest epsilon of an ask."""

    @classmethod
    def for_games_of(cls, cpu_seconds: float) -> Limits:
        """The usual limits, but for games of `cpu_seconds` of CPU time; the wall clock is at least six times that."""
        wall = max(6 * cpu_seconds, cls.game_seconds)
        return cls(game_seconds=wall, move_seconds=wall, cpu_seconds=cpu_seconds)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise WordplError(f"limit {name} = {value} is not allowed; a number above 0 is expected")


# What a process makes outside itself has its number in its name, so that a later process finds what a killed one left.


def own_name(prefix: str) -> str:
    """A new name that says which process has made it."""
    return f"{prefix}{os.getpid()}-{secrets.token_hex(8)}"


def left_in(folder: Path, prefix: str) -> Iterator[Path]:
    """Paths in `folder` that have such a name, of processes that have ended."""
    for path in folder.glob(f"{prefix}*-*"):
        pid = path.name.removeprefix(prefix).partition("-")[0]
        if pid.isdigit() and not Path("/proc", pid).exists():
            yield path


# Control groups. The kernel bounds the memory of a group, with what it keeps itself for it (mappings, page tables,
# pipes), and counts its CPU time, that of the dead included. File names by controller: those of version 1 have a
# hierarchy each, and version 2 (here "") has one for all.

_LIMITS = {
    "": {"memory.max": "memory", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "tasks"},
    "memory": {"memory.limit_in_bytes": "memory", "memory.memsw.limit_in_bytes": "memory"},
    "cpuacct": {},
}
"""Files of a new group, and what is written there: a number or a limit. The first must be there, the others may."""
_KILLS = {"": "memory.events", "memory": "memory.oom_control"}
_CPU = {"": ("cpu.stat", 1e6), "cpuacct": ("cpuacct.usage", 1e9)}
"""The file that counts CPU time, and in which parts of a second."""
_PREFIX = "wordpl-"


class ControlGroup:
    """The control groups of one contestant: controller -> folder. Removed when closed."""

    def __init__(self, folders: dict[str, Path]) -> None:
        self.folders = folders
        self.version = 2 if "" in folders else 1 if "memory" in folders else 0
        """The version that bounds memory; 0 if none does."""
        self._files: dict[str, int] = {}
        """Descriptors of what is read after each move: opening takes longer than reading."""

    def add(self, pids: list[int]) -> None:
        """Move processes in; their children follow."""
        for folder in self.folders.values():
            for pid in pids:
                (folder / "cgroup.procs").write_text(str(pid))

    @property
    def cpu(self) -> float | None:
        """Seconds of CPU used in the group; None where the kernel does not say."""
        counts = ((self._count(name, file, b"usage_usec"), parts) for name, (file, parts) in _CPU.items())
        return next((count / parts for count, parts in counts if count is not None), None)

    @property
    def overran(self) -> bool:
        """True once the kernel has killed for want of memory."""
        return any(self._count(name, _KILLS[name], b"oom_kill") for name in _KILLS.keys() & self.folders)

    def _count(self, controller: str, name: str, key: bytes) -> int | None:
        """The number after a key, or of a file that holds nothing else; None if the kernel does not say."""
        with suppress(KeyError, OSError, ValueError):
            if name not in self._files:
                self._files[name] = os.open(self.folders[controller] / name, os.O_RDONLY)
            words = os.pread(self._files[name], 4096, 0).split()
            return int(words[words.index(key) + 1 if words[1:] else 0])
        return None

    def close(self) -> None:
        while self._files:
            os.close(self._files.popitem()[1])
        for folder in self.folders.values():
            with suppress(OSError):
                (folder / "cgroup.kill").write_text("1")
            for _ in range(100):
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    break
                except OSError:  # its processes are still ending
                    time.sleep(0.01)


def make_group(memory: int, tasks: int, mounts: str | None = None, membership: str | None = None) -> ControlGroup:
    """A new group with these limits (bytes, count); one without a folder, which does nothing, if none can be made.

    `mounts` and `membership` are by default those of this process, as /proc shows them.
    """
    try:
        mounts = Path("/proc/self/mountinfo").read_text() if mounts is None else mounts
        membership = Path("/proc/self/cgroup").read_text() if membership is None else membership
    except OSError:
        return ControlGroup({})
    limits = {"memory": str(memory), "tasks": str(tasks)}
    for controllers in ([""], ["memory", "cpuacct"]):
        made = {name: _make_in(parents(mounts, membership, name), name, limits) for name in controllers}
        if folders := {name: folder for name, folder in made.items() if folder is not None}:
            return ControlGroup(folders)
    return ControlGroup({})


@functools.cache
def memory_version() -> int:
    """The version of the control groups that bound memory here, 2 or 1; 0 if none can be made."""
    group = make_group(1 << 30, 64)
    group.close()
    return group.version


def parents(mounts: str, membership: str, controller: str) -> list[Path]:
    """Folders in which a group could be made: our own group in the hierarchy of a controller.

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


def _make_in(places: list[Path], controller: str, limits: dict[str, str]) -> Path | None:
    """The folder of a new group in the first of these places where it can be made and limited."""
    for place in places:
        folder = place / own_name(_PREFIX)
        try:
            if not controller:
                _give_memory(place)
            for remnant in left_in(place, _PREFIX):
                with suppress(OSError):  # with processes in it, it cannot be removed
                    remnant.rmdir()
            folder.mkdir()
        except OSError:
            continue
        for count, (name, value) in enumerate(_LIMITS[controller].items()):
            try:
                (folder / name).write_text(limits.get(value, value))
            except OSError:
                if count == 0:
                    folder.rmdir()
                    break
        else:
            return folder
    return None


def _give_memory(place: Path) -> None:
    """Let the groups in a group of version 2 have the controller of memory. Raises `OSError` if it has none."""
    if "memory" not in (place / "cgroup.controllers").read_text().split():
        raise FileNotFoundError(errno.ENOENT, "no controller of memory")
    if "memory" not in (place / "cgroup.subtree_control").read_text().split():
        (place / "cgroup.subtree_control").write_text("+memory")


# What the processes of a contestant use, from /proc. Processes that end meanwhile count as nothing.

_TICK = 1.0 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.0
_MEMORY = (b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")


def tree(root: int) -> Iterator[int]:
    """`root` and its descendants. A daemon stays one: the first process of its PID namespace adopts it."""
    waiting, seen = [root], set()
    while waiting:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        yield pid
        for task in _tasks(pid):
            with suppress(OSError):
                waiting += [int(child) for child in Path(task, "children").read_bytes().split()]


def _tasks(pid: int) -> list[str]:
    """The folders of the threads of a process."""
    try:
        return [f"/proc/{pid}/task/{thread}" for thread in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208 - often
    except OSError:
        return []


def waits_of(tasks: Iterable[str]) -> dict[str, float]:
    """The folder of each thread -> seconds that it has waited in a run queue, while its core ran others."""
    waits = {}
    for task in tasks:
        with suppress(OSError):
            fields = Path(task, "schedstat").read_bytes().split()
            waits[task] = int(fields[1]) / 1e9 if len(fields) > 1 else 0.0
    return waits


def cpu_of(pids: Iterable[int]) -> float:
    """Seconds of CPU, user and system, of processes and of the dead that these have waited for.

    No CPU time is lost where nobody ignores SIGCHLD: a process that has ended is a zombie, with its times, until its
    parent waits for it, and then part of its parent's. A parent is read before its children, so none is counted twice.
    """
    cpu = 0.0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            # The name, in brackets, may hold anything.
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            cpu += _TICK * sum(int(field) for field in fields[11:15])
    return cpu


def memory_of(pids: Iterable[int]) -> int:
    """Bytes: private, shared without a file, swapped out, and in page tables; what processes share counts for each.

    The main thread may have ended before the others. The process then looks like a zombie that uses nothing, so the
    first thread counts that still has its memory.
    """
    memory = 0
    for pid in pids:
        for task in _tasks(pid):
            with suppress(OSError):
                status = Path(task, "status").read_bytes()
                if b"\nRssAnon:" in status:
                    rows = (row for row in status.split(b"\n") if row.startswith(_MEMORY))
                    memory += 1024 * sum(int(row.split()[1]) for row in rows)
                    break
    return memory


_LOOK_SECONDS = 0.05
"""Time between two looks at a contestant that is thinking; a limit can be passed for that long."""
_STOPPED_SECONDS = 5.0
"""A look that is later than this was kept from coming."""
_REFEREE = "/proc/thread-self"


class UsageWatch:
    """Watches one start of a contestant: memory, tasks, files, CPU time and wall clock of all its processes.

    Where the kernel bounds the memory of a control group, it alone judges that. Elsewhere the memory of the processes
    is added up, and what they share counts for each of them.
    CPU time counts only within games. The wall clock of a turn leaves out the time in run queues, as of the last look:
    that of the contestant's threads, and of the referee's. So what else the machine does costs nobody a game.
    """

    def __init__(self, limits: Limits, root: int) -> None:
        self._limits, self._root = limits, root
        self._cpu = self._cpu_at_start = self._waited = 0.0
        self._waits = waits_of([_REFEREE])
        self._playing = False
        self._looked = monotonic()
        self._scratch: int | None = None
        self._group = ControlGroup({})
        self._turn = (monotonic(), 0.0, 0.0)

    def hold(self, pids: list[int], scratch: str | None) -> None:
        """Take hold of the scratch directory, if there is one, and put `pids` into a control group, if one can be had.

        Call it before anything of the submission runs, which could move or hide these.
        """
        if scratch is not None:
            with suppress(OSError):
                self._scratch = os.open(scratch, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._group = make_group(self._limits.memory + self._limits.scratch, self._limits.tasks + len(pids))
        try:
            self._group.add(pids)
        except OSError:
            self._group.close()
            self._group = ControlGroup({})
        self._cpu = 0.0  # of the start; from here on it is what the group has used

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
        pids, exact = list(tree(self._root)), self._group.cpu
        self._cpu = max(self._cpu, cpu_of(pids)) if exact is None else exact
        waits = waits_of([_REFEREE, *(task for pid in pids for task in _tasks(pid))])
        queued = sum(max(0.0, wait - self._waits.get(task, 0.0)) for task, wait in waits.items())
        self._waited += max(queued, late if late > _STOPPED_SECONDS else 0.0)
        self._waits = waits
        memory = 0 if self._group.version else memory_of(pids)
        self._looked = monotonic()
        self.check_memory(memory)
        if len(waits) > limits.tasks + 4:  # the referee's and bwrap's own are among them
            raise ForfeitError(Verdict.CRASH, f"ran more than {limits.tasks} processes and threads")
        status = None if self._scratch is None else os.fstatvfs(self._scratch)
        if status is not None and status.f_files - status.f_ffree > limits.files:
            raise ForfeitError(Verdict.MEMORY, f"made more than {limits.files} files")
        if self._playing and self.game_cpu > limits.cpu_seconds:
            raise ForfeitError(Verdict.TIMEOUT, f"used more than {limits.cpu_seconds:g} s of CPU")

    def check_memory(self, used: int = 0) -> None:
        """Raise `ForfeitError` for too many bytes, or if the kernel has ended a process of the group for that."""
        if self._group.overran or used > self._limits.memory:
            raise ForfeitError(Verdict.MEMORY, f"used more than {self._limits.memory >> 20} MiB")

    def close(self) -> None:
        """Let go of the scratch directory and remove the control group, once all processes have ended."""
        if self._scratch is not None:
            os.close(self._scratch)
        self._group.close()
