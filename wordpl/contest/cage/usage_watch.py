"""Holds the processes of a contestant to the limits that the kernel does not set on all of them together.

What a tree of processes uses is read from /proc.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, thread_time

from wordpl.contest.cage import cgroup
from wordpl.contest.limits import Limits
from wordpl.play.referee import ForfeitError, Verdict

_LOOK_SECONDS = 0.05
"""How often a contestant that is thinking is looked at; a limit can be passed for that long."""
_STOPPED_SECONDS = 5.0
"""A look that is later than this was kept from coming."""
_LOOK_CPU = 1.0
"""Seconds of CPU that a look may take; what takes longer to add up is too much."""
_REFEREE, _REFEREE_TASK = 0, "/proc/thread-self"
_MEMORY = (b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")
_TICK = 1.0 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """Of all processes of a tree together."""

    cpu: float
    """Seconds of CPU, user and system, of the living and of the dead that were waited for."""
    memory: int
    """Bytes: private, shared without a file, swapped out, and in page tables; what processes share, in each of them."""
    tasks: int
    """Threads, the main one of each process included."""
    waits: dict[int, float] = field(default_factory=dict)
    """Seconds that each living thread has waited in a run queue, ready to run while its core ran others."""


def usage(root: int) -> Usage:
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
        self._group = cgroup.ControlGroup([])
        self._turn = (monotonic(), 0.0, 0.0)

    def hold(self, pids: list[int], scratch: str | None) -> None:
        """Take hold of the scratch directory, if there is one, and put `pids` into a control group, if one can be had.

        To be called while nothing of the submission has run, so that all is where it is looked for.
        """
        if scratch is not None:
            with suppress(OSError):
                self._scratch = os.open(scratch, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._group = cgroup.make(self._limits.memory + self._limits.scratch, self._limits.tasks + len(pids))
        try:
            self._group.add(pids)
        except OSError:
            self._group.close()
            self._group = cgroup.ControlGroup([])
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
        sample = usage(self._root)
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
