"""A seccomp filter for the sandbox: the system calls a strategy has no use for, and that reach round its limits.

Namespaces hide what is outside and rlimits bound a process; what is left is memory that no rlimit and no
size of a file system counts (memfd, System V segments, queues), new namespaces with file systems of
their own, kernel keyrings shared by user, sockets that are not in the network namespace (vsock), and
rarely used, often attacked interfaces of the kernel. The program is classic BPF; see seccomp(2).
"""

from __future__ import annotations

import errno
import platform
import struct

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _JEQ, _JGE, _JSET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH, _ARG0, _ARG1 = 0, 4, 16, 24

_NEW_NAMESPACES = 0x7E020080
"""CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET and TIME."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX."""
_SOCKETS = (1, 2, 10)
"""AF_UNIX, AF_INET and AF_INET6, which stay in the sandbox's own network namespace."""

# name -> number on x86_64 and on aarch64
_DENIED: dict[str, tuple[int | None, int | None]] = {
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "ptrace": (101, 117),
    "syslog": (103, 116),
    "personality": (135, 92),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "acct": (163, 89),
    "mount": (165, 40),
    "umount2": (166, 39),
    "swapon": (167, 224),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "quotactl": (179, 60),
    "mq_open": (240, 180),
    "kexec_load": (246, 104),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "perf_event_open": (298, 241),
    "fanotify_init": (300, 262),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "setns": (308, 268),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "finit_module": (313, 273),
    "memfd_create": (319, 279),
    "kexec_file_load": (320, 294),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "memfd_secret": (447, 447),
}
_MACHINES = {"x86_64": (0, 0xC000003E, 56, 41, 16), "aarch64": (1, 0xC00000B7, 220, 198, 29)}
"""Machine -> column above, architecture, and the numbers of clone, socket and ioctl."""
_CLONE3 = 435


def program(machine: str | None = None) -> bytes | None:
    """The filter for `seccomp(2)`, as bwrap reads it; None on a machine whose call numbers are not known here."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    column, architecture, clone, socket, ioctl = known
    denied = _ERRNO | errno.EPERM
    code = [
        (_LOAD, 0, 0, _ARCH),
        (_JEQ, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NR),
    ]
    if column == 0:
        code += [(_JGE, 0, 1, 0x40000000), (_RETURN, 0, 0, denied)]  # the x32 numbers, which would slip past
    for numbers in _DENIED.values():
        number = numbers[column]
        if number is not None:
            code += [(_JEQ, 0, 1, number), (_RETURN, 0, 0, denied)]
    # Its flags are behind a pointer, where a filter cannot look; the C library falls back to clone.
    code += [(_JEQ, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    code += [
        (_JEQ, 0, 4, clone),
        (_LOAD, 0, 0, _ARG0),
        (_JSET, 0, 1, _NEW_NAMESPACES),
        (_RETURN, 0, 0, denied),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code += [
        (_JEQ, 0, 3 + len(_SOCKETS), socket),
        (_LOAD, 0, 0, _ARG0),
        *((_JEQ, len(_SOCKETS) - i, 0, family) for i, family in enumerate(_SOCKETS)),
        (_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code += [
        (_JEQ, 0, 5, ioctl),
        (_LOAD, 0, 0, _ARG1),
        (_JEQ, 1, 0, _TERMINAL_INPUT[0]),
        (_JEQ, 0, 1, _TERMINAL_INPUT[1]),
        (_RETURN, 0, 0, denied),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)
