"""Facts that Linux tells, and other systems do not or otherwise: the number of cores, and the user."""

import os
import signal

FROM_TERMINAL = (signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
"""The signals that a terminal sends to all its processes: of Ctrl-C, and of its own end."""
ENDINGS = (*FROM_TERMINAL, signal.SIGTERM)
"""The signals that ask a command to end."""


def core_count() -> int:
    """Return how many cores this process may use; all of the machine's where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def user() -> int:
    """Return the number of the user, as `os.stat` has it: 0 where users have no numbers."""
    return os.getuid() if hasattr(os, "getuid") else 0
