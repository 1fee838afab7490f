"""Makes objects of the kernel that are counted per user or per machine, or that hold memory nobody counts."""

import ctypes
import os
import platform
import select
import socket
import time


class Attack:
    def first_move(self):
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
        for make in (select.epoll, socket.socket, socket.socketpair, lambda: socket.socket(socket.AF_UNIX)):
            try:
                make()
                gained.append(True)
            except OSError:
                continue
        if any(gained):
            time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
