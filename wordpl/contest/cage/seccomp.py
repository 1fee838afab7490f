"""A seccomp filter for the sandbox: it allows a list of system calls, some of them in part, and no others.

Namespaces hide what is outside, and rlimits bound a process. The rest of the kernel's interface can still reach
round both: memory that no rlimit counts (memfd, System V segments, socket buffers, pages held by a pipe), objects
that are counted per user or per machine (AIO events, inotify and epoll watches, keys, file locks), the state of
files that are shared with everybody (time stamps of /dev/null, locks, the page cache), other processes of the
same user (pidfd_getfd, prlimit), and names of the host (statmount). New kernels bring new calls. So this is a list
of what is allowed. All else fails with ENOSYS, for which libraries have a fallback. The program is classic BPF;
see seccomp(2).
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _AND, _JEQ, _JGE, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NR, _ARCH, _ARGUMENTS = 0, 4, 16
_OTHERWISE = _ERRNO | errno.ENOSYS

ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # Files.
    "read": (0, 63),
    "write": (1, 64),
    "open": (2, None),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "poll": (7, None),
    "ppoll": (271, 73),
    "lseek": (8, 62),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "select": (23, None),
    "pselect6": (270, 72),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "truncate": (76, 45),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "creat": (85, None),
    "link": (86, None),
    "linkat": (265, 37),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "umask": (95, 166),
    "openat": (257, 56),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "close_range": (436, 436),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    # Memory.
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "mremap": (25, 216),
    "msync": (26, 227),
    "membarrier": (324, 283),
    "pkey_alloc": (330, 289),
    "pkey_free": (331, 290),
    "pkey_mprotect": (329, 288),
    # Processes and threads.
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "set_tid_address": (218, 96),
    "set_robust_list": (273, 99),
    "futex": (202, 98),
    "rseq": (334, 293),
    "arch_prctl": (158, None),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "getpriority": (140, 141),
    "getcpu": (309, 168),
    "getpgid": (121, 155),
    "getpgrp": (111, None),
    "getsid": (124, 156),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    # Signals and time.
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "pause": (34, None),
    "alarm": (37, None),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    # Who and where.
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getgroups": (115, 158),
    "setgroups": (116, 159),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "setuid": (105, 146),
    "setgid": (106, 144),
    "capget": (125, 90),
    "uname": (63, 160),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "setrlimit": (160, 164),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
}
"""The system calls that a strategy may make: name -> number on x86_64 and on aarch64 (None: not there).

The numbers are those of Linux's `asm/unistd_64.h` and `asm-generic/unistd.h`. The list is what CPython, numpy, scipy,
pandas and numba were seen to use, with their near relatives. Those below are allowed only with some arguments.
"""


@dataclass(frozen=True)
class Rule:
    """A call that is allowed with some values of one argument, as the kernel reads it: its low 32 bits."""

    numbers: tuple[int | None, int | None]
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
RETURNS = {
    # Time stamps of /dev/null and the like belong to the machine. Libraries set them when they copy a file.
    "utime": ((132, None), 0),
    "utimes": ((235, None), 0),
    "futimesat": ((261, None), 0),
    "utimensat": ((280, 88), 0),
    "setxattr": ((188, 5), errno.ENOTSUP),
    "lsetxattr": ((189, 6), errno.ENOTSUP),
    "fsetxattr": ((190, 7), errno.ENOTSUP),
    "removexattr": ((197, 14), errno.ENOTSUP),
    "lremovexattr": ((198, 15), errno.ENOTSUP),
    "fremovexattr": ((199, 16), errno.ENOTSUP),
}
"""Calls that do nothing and say this: an error number, or 0 for success."""

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Machine -> which of the numbers above, and the architecture as the kernel names it."""

_Code = list[tuple[int, int, int, int]]


def program(machine: str | None = None) -> bytes | None:
    """The filter for `seccomp(2)`, as bwrap reads it; None on a machine whose call numbers are not known here."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    column, architecture = known
    code: _Code = [(_LOAD, 0, 0, _ARCH), (_JEQ, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NR)]
    # The numbers of the x32 interface are beyond all of these, and so are not allowed.
    for first, end in _runs(sorted(n for numbers in ALLOWED.values() if (n := numbers[column]) is not None)):
        code += [(_JGE, 0, 2, first), (_JGE, 1, 0, end), (_RETURN, 0, 0, _ALLOW)]
    for numbers, error_number in RETURNS.values():
        number = numbers[column]
        if number is not None:
            code += [(_JEQ, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error_number)]
    for rule in RULES.values():
        number = rule.numbers[column]
        if number is not None:
            body = _body(rule)
            code += [(_JEQ, 0, len(body), number), *body]
    code += [(_RETURN, 0, 0, _OTHERWISE)]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Sorted numbers as runs [first, end)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number:
            runs[-1] = (runs[-1][0], number + 1)
        else:
            runs.append((number, number + 1))
    return runs


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
