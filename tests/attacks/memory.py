"""Attacks on the bounds of memory and of files."""

import ctypes
import mmap
import os
import time


class MemoryBomb:
    def first_move(self):
        """MEMORY: takes all the memory there is."""
        kept = []
        while True:
            kept.append(bytearray(1 << 24))


class MemoryBombChildren:
    def first_move(self):
        """MEMORY: takes its memory in children, each of which stays within its own limit."""
        for _ in range(8):
            if os.fork() == 0:
                kept = bytearray(os.urandom(1 << 20)) * 60
                time.sleep(1000)
                os._exit(len(kept) % 2)
        time.sleep(1000)


class MemoryBombFiles:
    def first_move(self):
        """CRASH (No space left): fills the disk."""
        with open("/tmp/filler", "wb") as file:
            while True:
                file.write(bytes(1 << 20))


class MemoryBombFilesBehindZombie:
    def first_move(self):
        """MEMORY (files): makes files without end, behind a child that has ended and is not waited for."""
        if os.fork() == 0:
            os._exit(0)
        time.sleep(0.1)
        for at in range(20000):
            os.close(os.open(f"/tmp/{at}", os.O_CREAT))
        time.sleep(1000)


class MemoryBombShared:
    def first_move(self):
        """CRASH (PermissionError): takes its memory shared, which is nobody's private data."""
        shared = []
        while True:
            shared.append(mmap.mmap(-1, 1 << 24))
            for at in range(0, 1 << 24, 4096):
                shared[-1][at] = 1


PAGE, MAPPINGS, GENERATIONS = 4096, 20_000, 28
READ_WRITE, PRIVATE_ANONYMOUS = 3, 0x22


class MemoryMappingsForked:
    def first_move(self):
        """MEMORY: fills the kernel's memory and hardly its own: one page a mapping, copied by generations of fork."""
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        size = ctypes.c_size_t(MAPPINGS * PAGE)
        start = libc.mmap(None, size, READ_WRITE, PRIVATE_ANONYMOUS, -1, ctypes.c_long(0))
        protect, page = libc.mprotect, ctypes.c_size_t(PAGE)
        ctypes.memset(start, 1, 1)
        for at in range(start, start + MAPPINGS * PAGE, 2 * PAGE):
            protect(ctypes.c_void_p(at), page, 1)
        for _ in range(GENERATIONS):
            if os.fork():
                break
        time.sleep(1000)
