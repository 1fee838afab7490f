"""What Linux has, and other systems have not or have otherwise: how many cores there are, who the user is."""

import ctypes
import os
import signal

NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)
"""Opens a pipe without waiting for its other end, where there are such pipes."""
FROM_TERMINAL = (signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
"""The signals that a terminal sends to all its processes: of Ctrl-C, and of its own end."""
ENDINGS = (*FROM_TERMINAL, signal.SIGTERM)
"""The signals that ask a command to end."""

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process as soon as the thread that started it ends, however it ends (Linux).

    `parent` is the process of that thread; if it has ended already, so does this one.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def core_count() -> int:
    """Return how many cores this process may use; all of the machine's where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def user() -> int:
    """Return the number of the user, as `os.stat` has it: 0 where users have no numbers."""
    return os.getuid() if hasattr(os, "getuid") else 0
