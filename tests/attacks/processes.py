"""Attacks by processes, threads and ends of the program, on other processes, and by what is left behind."""

import ctypes
import os
import platform
import resource
import select
import signal
import socket
import sys
import threading
import time
from contextlib import suppress

import strategies


class Exit:
    def first_move(self):
        """CRASH (SystemExit): ends the run with a status of success."""
        sys.exit(0)


class CloseEverything:
    def first_move(self):
        """CRASH (exited with status): closes the line."""
        os.closerange(0, 256)
        return "aback", 0


class NativeCrash:
    def first_move(self):
        """CRASH (SIGSEGV): crashes in native code."""
        ctypes.string_at(0)


class ReplaceProgram:
    def first_move(self):
        """PROTOCOL: replaces the program around it."""
        program = sys.modules["wordpl.contest.inside"]
        program.reply = lambda *values: b'["win", 2]\n'
        program.encode = lambda turn, move: f'["answer", {turn}, "aback"]\n'.encode()
        return "crate", 0


class Silent(Exception):
    def __str__(self):
        raise Silent

    __repr__ = __str__


class SilentError:
    def first_move(self):
        """CRASH (an error that cannot say): fails with an error that fails when it is asked what it is."""
        raise Silent


class LogInjection:
    def first_move(self):
        """CRASH (RuntimeError): fails with a message that forges lines and moves the cursor."""
        raise RuntimeError("\n0,crate,crate,WIN\x1b[2J\u202e\r\0" * 50)


class StateForNextContestant:
    def first_move(self):
        """CRASH (exited with status 0): leaves files for the next contestant, and wins wherever results may be."""
        folders = ["/tmp", "/var/tmp", "/scratch", "/dev/shm", "/site-packages", "/", ".", "..", "../.."]
        folders += ["/results", "/work", "/root", "/home", "/usr/lib", "/etc"]
        places = [*folders, os.environ["HOME"], os.environ["WORDPL_CACHE"]]
        if any(os.path.exists(f"{place}/wordpl-attack") for place in places):
            return "aback", 0
        for place in places:
            for name in ("wordpl-attack", "contest.sqlite", "results/contest.sqlite"):
                with suppress(OSError), open(f"{place}/{name}", "w") as file:
                    file.write("WIN")
        os._exit(0)


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
        names += ("DATA", "AS", "FSIZE", "CPU")
        most |= {"DATA": 256 << 20, "AS": (4 << 30) + (256 << 20), "FSIZE": 64 << 20, "CPU": 10_060}
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


def _is_allowed(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        return False
    return True


class KernelObjects:
    def first_move(self):
        """LOSS: makes objects of the kernel that are counted per user or machine, or hold memory nobody counts."""
        libc = ctypes.CDLL(None, use_errno=True)
        context, timer, pages = ctypes.c_ulong(), ctypes.c_long(), ctypes.create_string_buffer(8192)
        vector = (ctypes.c_size_t * 2)(ctypes.addressof(pages), 8192)
        _, write = os.pipe()
        io_setup = 206 if platform.machine() == "x86_64" else 0
        gained = [
            libc.syscall(io_setup, 65000, ctypes.byref(context)) >= 0,
            libc.inotify_init() >= 0,
            libc.inotify_init1(0) >= 0,
            libc.fanotify_init(0, 0) >= 0,
            libc.eventfd(0, 0) >= 0,
            libc.timerfd_create(1, 0) >= 0,
            libc.signalfd(-1, ctypes.byref((ctypes.c_ulong * 16)()), 0) >= 0,
            libc.timer_create(1, None, ctypes.byref(timer)) >= 0,
            libc.vmsplice(write, vector, 1, 0) >= 0,
            libc.fcntl(write, 1031, 1 << 20) >= 0,
            libc.syscall(444, None, 0, 1) >= 0,  # landlock_create_ruleset
            libc.syscall(425, 8, pages) >= 0,  # io_uring_setup
        ]
        makers = (select.epoll, socket.socket, socket.socketpair, lambda: socket.socket(socket.AF_UNIX))
        return "crate" if any(gained) or any(map(_is_allowed, makers)) else "aback", 0


class PoisonCache:
    def first_move(self):
        """LOSS: writes into every cache and every library that a later contestant would read."""
        modules = ["strategies.py", "sitecustomize.py", "numpy.py", "wordpl/play/referee.py"]
        caches = [os.environ.get("WORDPL_CACHE"), os.environ.get("NUMBA_CACHE_DIR")]
        for folder in [*caches, *sys.path, *strategies.__path__]:
            for name in [*modules, "clues.bin", "wordpl-attack"]:
                with suppress(OSError), open(f"{folder}/{name}", "w") as file:
                    file.write("raise SystemExit(0)")
        return "aback", 0


def stamps(place):
    found = os.stat(place)
    return found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns, found.st_mode


class DeviceTimestamps:
    def first_move(self):
        """LOSS: stores bytes in what devices that belong to the machine say of themselves."""
        changes = [
            lambda: os.utime("/dev/null"),
            lambda: os.utime(0),
            lambda: os.utime("/dev/urandom", ns=(1, 2)),
            lambda: os.chmod("/dev/null", 0o666),
            lambda: os.chown("/dev/null", -1, os.getgid()),
            lambda: os.setxattr("/dev/null", "user.wordpl", b"x"),
        ]
        before = [stamps("/dev/null"), stamps("/dev/urandom"), stamps(0)]
        for change in changes:
            _is_allowed(change)
        after = [stamps("/dev/null"), stamps("/dev/urandom"), stamps(0)]
        return "aback" if after == before else "crate", 0
