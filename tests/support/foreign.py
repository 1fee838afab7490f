"""Takes from this process what macOS or Windows have not. Code that is run after `take_away()` meets such a system.

Libraries have theirs by then: they know these systems, and this one is none of them.
"""

import importlib
import os
import select
import signal
import sys
import time

_LIBRARIES = (
    "asyncio fastapi.testclient joblib numba pandas platformdirs prompt_toolkit scipy.optimize scipy.special subprocess"
    " uvicorn"
)
_MODULES = "fcntl grp pty pwd resource termios tty"
_NAMES = {
    os: "fork forkpty getegid geteuid getgid getuid killpg memfd_create mkfifo O_DIRECTORY O_NOFOLLOW O_NONBLOCK"
    " O_PATH pidfd_open pread pwrite sched_getaffinity sched_setaffinity setsid statvfs sysconf uname",
    signal: "ITIMER_PROF SIGALRM SIGCHLD SIGHUP SIGKILL SIGPROF SIGVTALRM SIG_BLOCK SIG_SETMASK pidfd_send_signal"
    " pthread_kill pthread_sigmask setitimer",
    select: "poll",
    time: "clock_gettime pthread_getcpuclockid",
}


def take_away() -> None:
    for name in _LIBRARIES.split():
        importlib.import_module(name)
    sys.modules.update(dict.fromkeys(_MODULES.split()))  # importing one of them fails
    for module, names in _NAMES.items():
        for name in names.split():
            delattr(module, name)
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        os.process_cpu_count = os.cpu_count
    sys.addaudithook(_no_proc)


def _no_proc(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and str(arguments[0]).startswith("/proc"):
        raise FileNotFoundError(2, "No such file or directory", arguments[0])
