"""Attacks by processes and threads, and on other processes."""

import ctypes
import os
import resource
import signal
import threading
import time
from contextlib import suppress


class Daemon:
    def first_move(self):
        """LOSS: leaves a daemon behind, with every descriptor it has."""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
                    with suppress(OSError):  # the one of children
                        signal.signal(number, signal.SIG_IGN)
                time.sleep(1000)
            os._exit(0)
        os.wait()
        return "aback", 0


class ThreadBomb:
    def first_move(self):
        """CRASH (can't start new thread): starts threads without end."""
        while True:
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()


class SignalParent:
    def first_move(self):
        """LOSS: kills whatever it may."""
        for target in (os.getppid(), 1, 2, -os.getppid(), *range(3, 400)):
            if target not in (os.getpid(), 0):
                for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
                    with suppress(OSError):
                        os.kill(target, number)
        return "aback", 0


class ReachFirstProcess:
    def first_move(self):
        """LOSS: takes descriptors from, and sets limits and priorities of, the first process of its sandbox."""
        libc = ctypes.CDLL(None, use_errno=True)
        some = (ctypes.c_ulong * 4)(1 << 20, 1 << 20)
        handle = libc.syscall(434, 1, 0)  # pidfd_open
        gained = [
            handle >= 0,
            *(libc.syscall(438, handle, descriptor, 0) >= 0 for descriptor in range(10)),  # pidfd_getfd
            libc.syscall(440, handle, some, 1, 20, 0) >= 0,  # process_madvise
            libc.syscall(448, handle, 0) >= 0,  # process_mrelease
            libc.prlimit(1, resource.RLIMIT_NOFILE, None, some) == 0,
            libc.setpriority(0, 1, 19) == 0,
            libc.sched_setaffinity(1, 8, some) == 0,
            libc.process_vm_readv(1, some, 1, some, 1, 0) >= 0,
        ]
        return "crate" if any(gained) else "aback", 0


class InheritedLimits:
    def first_move(self):
        """LOSS: looks for limits that it has from whoever started the referee."""
        names = ("NICE", "RTPRIO", "SIGPENDING", "MEMLOCK", "MSGQUEUE", "CORE", "NOFILE", "NPROC", "STACK")
        most = {"SIGPENDING": 128, "NOFILE": 128, "NPROC": 64, "STACK": 8 << 20}
        numbers = [(getattr(resource, f"RLIMIT_{name}"), most.get(name, 0)) for name in names]
        numbers.append((10, 0))  # the one of locks
        gained = [not 0 <= resource.getrlimit(number)[1] <= bound for number, bound in numbers]
        return "crate" if any(gained) else "aback", 0


class NewNamespaces:
    def first_move(self):
        """LOSS: makes namespaces and mounts of its own, to be root there."""
        libc = ctypes.CDLL(None, use_errno=True)
        gained = [libc.unshare(0x10000000) == 0, libc.unshare(0x10020000) == 0]
        gained.append(libc.mount(b"none", b"/scratch", b"tmpfs", 0, b"") == 0)
        gained.append(libc.chroot(b"/scratch") == 0)
        gained.append(libc.setuid(0) == 0 and os.getuid() == 0)
        return "crate" if any(gained) else "aback", 0
