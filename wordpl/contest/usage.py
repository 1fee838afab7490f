"""What a tree of processes uses, read from /proc: for limits that no rlimit can set on several processes together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TICK = 1.0 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """Of all processes of a tree together."""

    cpu: float
    """Seconds of CPU, user and system, of the living and of the dead that were waited for."""
    memory: int
    """Bytes: private, shared without a file, and swapped out."""
    tasks: int
    """Threads, the main one of each process included."""


def usage(root: int) -> Usage:
    """What process `root` and all its descendants use. Processes that end meanwhile count as nothing."""
    cpu, memory, tasks = 0.0, 0, 0
    for pid in tree(root):
        try:
            # The name, in brackets, may hold anything.
            fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
            cpu += _TICK * sum(int(field) for field in fields[11:15])
            tasks += int(fields[17])
            memory += _memory(pid)
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
            rows = dict(row.split(b":", 1) for row in _read(f"/proc/{pid}/smaps_rollup").split(b"\n") if b":" in row)
            total += 1024 * sum(int(rows[key].split()[0]) for key in (b"Pss_Anon", b"Pss_Shmem", b"SwapPss"))
        except (OSError, ValueError, KeyError):
            try:
                total += _memory(pid)
            except (OSError, ValueError):
                continue
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
        try:
            threads = list(Path(f"/proc/{pid}/task").iterdir())
        except OSError:
            continue
        for thread in threads:
            try:
                waiting += [int(child) for child in _read(f"{thread}/children").split()]
            except OSError:
                continue


def _memory(pid: int) -> int:
    kilobytes = 0
    for row in _read(f"/proc/{pid}/status").split(b"\n"):
        if row.startswith((b"RssAnon:", b"RssShmem:", b"VmSwap:")):
            kilobytes += int(row.split()[1])
    return 1024 * kilobytes


def files(pid: int, folder: str) -> int:
    """Files (inodes) in the file system that process `pid` sees at `folder`; 0 where that cannot be told."""
    try:
        found = os.statvfs(f"/proc/{pid}/root{folder}")
    except OSError:
        return 0
    return found.f_files - found.f_ffree


def _read(path: str) -> bytes:
    return Path(path).read_bytes()
