"""Takes descriptors from, and sets limits and priorities of, the first process of its sandbox."""

import ctypes
import resource
import time


class Attack:
    def first_move(self):
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
        if any(gained):
            time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
