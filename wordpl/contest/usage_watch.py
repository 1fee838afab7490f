"""Holds the processes of a contestant to the limits that the kernel does not set on all of them together."""

from __future__ import annotations

import os
from contextlib import suppress
from time import monotonic

from wordpl.contest import cgroup
from wordpl.contest.limits import Limits
from wordpl.contest.usage import shared_out, usage
from wordpl.play.referee import ForfeitError, Verdict

_LOOK_SECONDS = 0.05
"""How often a contestant that is thinking is looked at; a limit can be passed for that long."""


class UsageWatch:
    """Watches one contestant: memory, tasks, files and CPU time of all its processes, over all its starts.

    Each start begins with `start` and ends with `close`.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.peak = 0
        """The most memory seen in use, in bytes, over all starts."""
        self._root: int | None = None
        self._cpu = self._cpu_at_start = 0.0
        self._playing = False
        self._looked = 0.0
        self._scratch: int | None = None
        self._group: cgroup.Group | None = None

    def start(self, root: int) -> None:
        """Watch process `root` and its descendants. Their CPU time counts only within games."""
        self._root = root
        self._cpu = self._cpu_at_start = 0.0
        self._playing = False
        self._looked = monotonic()

    def hold(self, pids: list[int], scratch: str | None) -> None:
        """Take hold of the scratch directory, if there is one, and put `pids` into a control group, if one can be had.

        To be called while nothing of the submission has run, so that all is where it is looked for.
        """
        if scratch is not None:
            with suppress(OSError):
                self._scratch = os.open(scratch, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        group = cgroup.make(self._limits.memory + self._limits.scratch, self._limits.tasks + len(pids))
        if group is None:
            return
        try:
            group.add(pids)
        except OSError:
            group.close()
            return
        self._cpu = self._cpu_at_start = 0.0  # what the group has used
        self._group = group

    @property
    def game_cpu(self) -> float:
        """CPU seconds in the last game, as of the last look."""
        return self._cpu - self._cpu_at_start

    def begin_game(self) -> None:
        """A new game: its CPU time starts at nothing."""
        self._playing = True
        self._cpu_at_start = self._cpu

    def due(self, now: float) -> float:
        """Seconds from `now` until the next look is due; below 0 once it is."""
        return self._looked + _LOOK_SECONDS - now

    def look(self, now: float) -> None:
        """Raise `ForfeitError` if the contestant's processes use more than they may."""
        if self._root is None:
            return
        limits, root = self._limits, self._root
        seen = usage(root)
        exact = None if self._group is None else self._group.cpu
        self._cpu = max(self._cpu, seen.cpu if exact is None else exact)
        self.peak = max(self.peak, seen.memory)
        self._looked = now
        if seen.memory > limits.memory and shared_out(root) > limits.memory:
            raise self._too_much_memory()
        if seen.tasks > limits.tasks + 3:  # bwrap's own are among them
            raise ForfeitError(Verdict.CRASH, f"ran more than {limits.tasks} processes and threads")
        if self._files() > limits.files:
            raise ForfeitError(Verdict.MEMORY, f"made more than {limits.files} files")
        if self._playing and self.game_cpu > limits.cpu_seconds:
            raise ForfeitError(Verdict.TIMEOUT, f"used more than {limits.cpu_seconds:g} s of CPU")

    def check_overrun(self) -> None:
        """Raise `ForfeitError` if the kernel has ended a process of the control group for its memory."""
        if self._group is not None and self._group.overran:
            raise self._too_much_memory()

    def close(self) -> None:
        """Let go of the scratch directory and remove the control group, once all processes have ended."""
        self._root = None
        scratch, self._scratch = self._scratch, None
        group, self._group = self._group, None
        if scratch is not None:
            os.close(scratch)
        if group is not None:
            group.close()

    def _files(self) -> int:
        """Files (inodes) in the scratch directory; 0 where it is no file system of its own."""
        if self._scratch is None:
            return 0
        found = os.fstatvfs(self._scratch)
        return found.f_files - found.f_ffree

    def _too_much_memory(self) -> ForfeitError:
        return ForfeitError(Verdict.MEMORY, f"used more than {self._limits.memory >> 20} MiB")
