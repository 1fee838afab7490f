"""A seccomp filter for the sandbox: it allows a list of system calls, some of them in part, and no others.

Namespaces hide what is outside, and rlimits bound a process. The rest of the kernel's interface can still reach
round both: memory that no rlimit counts (memfd, System V segments, socket buffers, pages held by a pipe), objects
that are counted per user or per machine (AIO events, inotify and epoll watches, keys, file locks), the state of
files that are shared with everybody (time stamps of /dev/null, locks, the page cache), other processes of the
same user (pidfd_getfd, prlimit), and names of the host (statmount). New kernels bring new calls. So this is a list
of what is allowed. All else fails with ENOSYS, for which libraries have a fallback. The program is classic BPF;
see seccomp(2).
"""

import csv
import errno
import platform
import struct
from dataclasses import dataclass
from importlib import resources
from itertools import islice

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _AND, _JEQ, _RETURN = 0x20, 0x54, 0x15, 0x06
_NR, _ARCH, _ARGUMENTS = 0, 4, 16

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The architecture of a machine as the kernel names it."""

with (resources.files("wordpl.contest") / "system_calls.csv").open(encoding="ascii") as _file:
    CALLS = [
        (name, [int(number) if number else None for number in numbers], int(returns) if returns else None)
        for name, *numbers, returns in islice(csv.reader(_file), 1, None)
    ]
"""The system calls that a strategy may make: name, and number on x86_64 and on aarch64 (None: not there).

The third is None, or what the call says instead of doing anything: 95 (ENOTSUP), or 0 for success. Those of the latter
set time stamps, which libraries do when they copy a file; those of /dev/null and the like belong to the machine.
The numbers are those of Linux's `asm/unistd_64.h` and `asm-generic/unistd.h`. The list is what CPython, numpy, scipy,
pandas and numba were seen to use, with their near relatives. Those below are allowed only with some arguments.
"""


@dataclass(frozen=True)
class Rule:
    """A call that is allowed with some values of one argument, as the kernel reads it: its low 32 bits."""

    numbers: tuple[int, int]
    argument: int
    error: int
    """What the call fails with otherwise."""
    only: tuple[int, ...] = ()
    """The values that are allowed; none given: all but what the next two name."""
    never: tuple[int, ...] = ()
    """Values that are denied."""
    without: tuple[int, ...] = ()
    """Masks: a value that has all bits of one of them is denied."""
    or_null: int | None = None
    """An argument that makes the call harmless where it is a null pointer."""


_MAP_SHARED_ANONYMOUS, _MAP_HUGETLB = 0x21, 0x40000
_NEW_NAMESPACES = tuple(0x80 if bit == 7 else 1 << bit for bit in (7, 17, 25, 26, 27, 28, 29, 30))
"""CLONE_NEW... TIME, NS, CGROUP, UTS, IPC, USER, PID and NET."""

RULES = {
    # Pages of a shared mapping without a file outlive it in every process that has a copy, and nothing counts them.
    "mmap": Rule((9, 222), 3, errno.EPERM, without=(_MAP_SHARED_ANONYMOUS, _MAP_HUGETLB)),
    # Not MERGEABLE, COLD, PAGEOUT and others: they act on pages that are shared with other processes.
    "madvise": Rule((28, 233), 2, errno.EINVAL, only=(0, 1, 2, 3, 4, 8, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23)),
    "clone": Rule((56, 220), 0, errno.EPERM, without=_NEW_NAMESPACES),
    # TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
    "ioctl": Rule((16, 29), 1, errno.ENOTTY, only=(0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),
    # Duplicates and flags. No locks, leases and notifications: they are seen, and felt, on files of the host.
    "fcntl": Rule((72, 25), 1, errno.EPERM, only=(0, 1, 2, 3, 4, 1030, 1032, 1034)),
    # PDEATHSIG, GET_DUMPABLE, NAME, CAPBSET_READ, SET_VMA. Not SET_DUMPABLE, which would blind an ordinary user.
    "prctl": Rule((157, 167), 0, errno.EINVAL, only=(1, 2, 3, 15, 16, 23, 0x53564D41)),
    "prlimit64": Rule((302, 261), 0, errno.EPERM, only=(0,)),
    # SIGCHLD ignored: children that nobody waits for, and whose CPU time the kernel then adds to nobody's.
    "rt_sigaction": Rule((13, 134), 0, errno.EPERM, never=(17,), or_null=1),
}
_Code = list[tuple[int, int, int, int]]


def program(machine: str | None = None) -> bytes | None:
    """The filter for `seccomp(2)`, as bwrap reads it; None on a machine whose call numbers are not known here."""
    machine = machine or platform.machine()
    if machine not in _MACHINES:
        return None
    column = list(_MACHINES).index(machine)
    code: _Code = [(_LOAD, 0, 0, _ARCH), (_JEQ, 1, 0, _MACHINES[machine]), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NR)]
    # The numbers of the x32 interface are none of these, and so are not allowed.
    for _, numbers, returns in CALLS:
        if (number := numbers[column]) is not None:
            code += [(_JEQ, 0, 1, number), (_RETURN, 0, 0, _ALLOW if returns is None else _ERRNO | returns)]
    for rule in RULES.values():
        body = _body(rule)
        code += [(_JEQ, 0, len(body), rule.numbers[column]), *body]
    code += [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _body(rule: Rule) -> _Code:
    """What decides on a call that has a rule; it always returns."""
    allow, deny = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | rule.error)
    at = _ARGUMENTS + 8 * rule.argument
    code: _Code = []
    if rule.or_null is not None:
        pointer = _ARGUMENTS + 8 * rule.or_null
        code += [(_LOAD, 0, 0, pointer), (_JEQ, 0, 3, 0), (_LOAD, 0, 0, pointer + 4), (_JEQ, 0, 1, 0), allow]
    code += [(_LOAD, 0, 0, at)]
    for value in rule.only:
        code += [(_JEQ, 0, 1, value), allow]
    for value in rule.never:
        code += [(_JEQ, 0, 1, value), deny]
    for mask in rule.without:
        code += [(_LOAD, 0, 0, at), (_AND, 0, 0, mask), (_JEQ, 0, 1, mask), deny]
    return [*code, deny if rule.only else allow]
