"""What a tree of processes uses, read from /proc: for limits that no rlimit can set on several processes together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_TICK = 1.0 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """Of all processes of a tree together."""

    cpu: float
    """Seconds of CPU, user and system, of the living and of the dead that were waited for."""
    memory: int
    """Bytes: private, shared without a file, swapped out, and in page tables."""
    tasks: int
    """Threads, the main one of each process included."""


def usage(root: int) -> Usage:
    """What process `root` and all its descendants use. Processes that end meanwhile count as nothing.

    No CPU time is lost where nobody ignores SIGCHLD: a process that has ended is a zombie, with its times, until
    its parent waits for it, and then part of its parent's; the first process of a PID namespace, which is in the
    tree, waits for orphans. A parent is read before its children, so no time is counted twice.
    """
    cpu, memory, tasks = 0.0, 0, 0
    for pid in tree(root):
        try:
            # The name, in brackets, may hold anything.
            fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
            cpu += _TICK * sum(int(field) for field in fields[11:15])
            tasks += int(fields[17])
            memory += _memory(_status(pid))
        except (OSError, ValueError, IndexError):
            continue
    return Usage(cpu, memory, tasks)


def shared_out(root: int) -> int:
    """Memory of the tree in bytes, with pages that several processes share counted once; slower.

    What a fork has not written to belongs to both. Where the kernel does not tell, each has its own.
    """
    total = 0
    for pid in tree(root):
        try:
            status = _status(pid)
            text = _read(f"/proc/{_number(status, b'Pid:')}/smaps_rollup")
            rows = dict(row.split(b":", 1) for row in text.split(b"\n") if b":" in row)
            total += 1024 * sum(int(rows[key].split()[0]) for key in (b"Pss_Anon", b"Pss_Shmem", b"SwapPss"))
            total += 1024 * _number(status, b"VmPTE:")
        except (OSError, ValueError, KeyError):
            with suppress(OSError, ValueError):
                total += _memory(_status(pid))
    return total


def tree(root: int) -> Iterator[int]:
    """`root` and its descendants. A daemon stays one: the first process of its PID namespace adopts it."""
    waiting, seen = [root], set()
    while waiting:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        yield pid
        for thread in _threads(pid):
            with suppress(OSError):
                waiting += [int(child) for child in _read(f"/proc/{pid}/task/{thread}/children").split()]


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - read many times a second
    except OSError:
        return []


def _status(pid: int) -> bytes:
    """The status of a process, by one of its threads that still has its memory.

    The main thread may have ended before the others. The process then looks like a zombie that uses nothing.
    """
    found = _read(f"/proc/{pid}/status")
    if b"\nRssAnon:" in found:
        return found
    for thread in _threads(pid):
        with suppress(OSError):
            other = _read(f"/proc/{pid}/task/{thread}/status")
            if b"\nRssAnon:" in other:
                return other
    return found


def _memory(status: bytes) -> int:
    kilobytes = 0
    for row in status.split(b"\n"):
        if row.startswith((b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")):
            kilobytes += int(row.split()[1])
    return 1024 * kilobytes


def _number(status: bytes, key: bytes) -> int:
    return next((int(row.split()[1]) for row in status.split(b"\n") if row.startswith(key)), 0)


def _read(path: str) -> bytes:
    return Path(path).read_bytes()
