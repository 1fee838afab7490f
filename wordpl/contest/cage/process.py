"""The process of a contestant, and everything that it starts."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
from contextlib import ExitStack, suppress

from wordpl.contest.cage.pipe import Pipe
from wordpl.contest.cage.sandbox import Launcher, Sandbox, running_on
from wordpl.contest.cage.usage_watch import tree
from wordpl.contest.limits import Limits

_END_SECONDS = 30.0


class Process:
    """A started contestant, which reads its `payload` and then the requests of a `pipe`."""

    def __init__(self, launcher: Launcher, limits: Limits, payload: int, pipe: Pipe) -> None:
        self._launcher = launcher
        self._first: int | None = None
        """A descriptor of the first process of its PID namespace."""
        # bwrap may end before the process it has started, which would stay a zombie where no init takes care. So this
        # process gets to wait for what its children leave (PR_SET_CHILD_SUBREAPER).
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
        with ExitStack() as resources:
            resources.callback(pipe.close)
            given = limits, payload, *pipe.given
            if isinstance(launcher, Sandbox):
                core, user = resources.enter_context(launcher.claimed())
                with running_on(core):
                    self._popen = launcher.start(*given, user)
            else:  # trusted with all cores
                self._popen = launcher.start(*given)
            pipe.follow(self.pid)
            self._resources = resources.pop_all()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def take_hold(self) -> tuple[list[int], str | None]:
        """Take hold of what is inside: its processes, and the path of its scratch folder from here, in a sandbox.

        Nothing of the submission has run yet, so all is where it is looked for.
        """
        pids = list(tree(self.pid))
        if not isinstance(self._launcher, Sandbox) or len(pids) == 1:
            return pids, None
        self._first = os.pidfd_open(pids[1])
        self._resources.callback(os.close, self._first)
        return pids, f"/proc/{pids[-1]}/root{self._launcher.scratch}"

    def status(self) -> int | None:
        """Its exit status, None if it has not ended within half a second."""
        with suppress(subprocess.TimeoutExpired):
            return self._popen.wait(0.5)
        return None

    def stop(self) -> None:
        """End it and everything it has started, and wait until that is so. The pipe stays open until `close`."""
        process = self._popen
        if self._first is not None:
            # The end of the first process of a PID namespace is the end of them all, at once.
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            # Its parent, outside, then ends of itself; killed first, it would leave a zombie to the machine.
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_SECONDS)
        if not isinstance(self._launcher, Sandbox):
            for pid in list(tree(process.pid)):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        if self._first is not None:
            # Where bwrap ended first, the process it had started is this one's now, and to be waited for.
            with suppress(ChildProcessError):
                os.waitid(os.P_PIDFD, self._first, os.WEXITED)
            poll = select.poll()
            poll.register(self._first, select.POLLIN)
            poll.poll(1000 * _END_SECONDS)

    def close(self) -> None:
        self._resources.close()
