"""Attacks that leave something behind, for the next game, another contestant or the referee."""

import ctypes
import os
import platform
import select
import socket
import sys
from contextlib import suppress

import strategies


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
