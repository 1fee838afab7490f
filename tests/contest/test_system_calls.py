"""The filter of system calls, on a machine for its programs."""

import errno
import fcntl
import mmap
import re
import struct
import termios
from functools import cache
from pathlib import Path

import pytest

from wordpl.contest import permissions

ALLOW, KILL, NO_SUCH_CALL = 0x7FFF0000, 0x80000000, 0x00050000 | errno.ENOSYS
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = pytest.mark.parametrize(("column", "machine"), list(enumerate(ARCHITECTURES)))


@cache
def program(machine: str) -> list[tuple[int, ...]]:
    return list(struct.iter_unpack("<HBBI", permissions.seccomp_program(machine) or b""))


def decide(machine: str, number: int | None, *arguments: int, arch: int | None = None) -> int:
    """What a machine for classic BPF, as far as the filter goes, says of a call."""
    assert number is not None
    given = [*arguments, *[0] * (6 - len(arguments))]
    # Number, architecture, instruction pointer, arguments; low words first.
    data = struct.pack("<IIQ6Q", number, ARCHITECTURES[machine] if arch is None else arch, 0, *given)
    at, value = 0, 0
    while True:
        operation, yes, no, k = program(machine)[at]
        at += 1
        if operation == 0x20:
            (value,) = struct.unpack_from("<I", data, k)
        elif operation == 0x54:
            value &= k
        elif operation == 0x06:
            return k
        else:
            assert operation == 0x15
            at += yes if value == k else no


@MACHINES
def test_the_filter_allows_what_is_listed_and_nothing_else(column: int, machine: str) -> None:
    allowed = {numbers[column] for _, numbers, returns in permissions.CALLS if returns is None} - {None}
    ruled = {rule.numbers[column] for rule in permissions.RULES.values()} - {None}
    silent = {numbers[column]: returns for _, numbers, returns in permissions.CALLS if returns is not None}
    assert allowed.isdisjoint(ruled | set(silent))
    for number in (*range(1024), *range(0x40000000, 0x40000400), 2**32 - 1):
        if number in ruled:
            continue
        expected = ALLOW if number in allowed else 0x00050000 | silent.get(number, errno.ENOSYS)
        assert decide(machine, number) == expected, number
        assert decide(machine, number, arch=0x40000003) == KILL, "another architecture's numbers"


@MACHINES
def test_no_call_that_reaches_round_the_sandbox_is_allowed(column: int, machine: str) -> None:
    newer = range(424, 1024)
    found = {number for number in newer if decide(machine, number) == ALLOW}
    assert found == {436, 439}, "close_range and faccessat2"
    older = {
        "x86_64": {29, 41, 53, 64, 68, 73, 101, 103, 135, 141, 155, 161, 162, 165, 187, 203, 206, 209, 213, 216, 221}
        | {222, 232, 240, 246, 248, 250, 251, 253, 256, 272, 275, 276, 278, 279, 283, 284, 289, 290, 291, 294, 298}
        | {300, 303, 304, 306, 308, 310, 311, 312, 314, 317, 319, 321, 322, 323, 325},
        "aarch64": {0, 2, 19, 20, 26, 30, 32, 40, 41, 51, 75, 76, 77, 81, 85, 92, 97, 107, 116, 117, 118, 119, 122, 140}
        | {180, 186, 190, 194, 198, 199, 213, 217, 219, 223, 232, 234, 235, 238, 239, 241, 262, 264, 265, 267, 268}
        | {270, 271, 272, 274, 277, 279, 280, 281, 282, 284},
    }[machine]
    assert {decide(machine, number) for number in older} == {NO_SUCH_CALL}


IOCTLS = "TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX"


@MACHINES
def test_calls_with_a_rule_are_allowed_with_these_values_alone(column: int, machine: str) -> None:
    assert permissions.seccomp_program("riscv64") is None
    flags = ("F_DUPFD", "F_GETFD", "F_SETFD", "F_GETFL", "F_SETFL", "F_DUPFD_CLOEXEC", "F_GETPIPE_SZ", "F_GET_SEALS")
    names = "NORMAL RANDOM SEQUENTIAL WILLNEED DONTNEED FREE DONTFORK DOFORK HUGEPAGE NOHUGEPAGE DONTDUMP DODUMP"
    madvise = {getattr(mmap, f"MADV_{name}") for name in names.split()}
    allowed = {
        "prctl": {1, 2, 3, 15, 16, 23, 0x53564D41},  # linux/prctl.h
        "ioctl": {0x802C542A, *(getattr(termios, name) for name in IOCTLS.split())},
        "fcntl": {getattr(fcntl, name, 1034) for name in flags},
        "madvise": madvise | {18, 19, 22, 23},  # WIPEONFORK, KEEPONFORK, POPULATE_READ, POPULATE_WRITE
    }
    for name, expected in allowed.items():
        rule = permissions.RULES[name]
        numbers = {*range(128), *range(1024, 1048), *range(0x5400, 0x5480), *expected, *rule.only}
        arguments = [(0,) * rule.argument + (number,) for number in sorted(numbers)]
        found = [decide(machine, rule.numbers[column], *given) == ALLOW for given in arguments]
        assert {given[-1] for given, allow in zip(arguments, found, strict=True) if allow} == expected, name


def test_numbers_of_calls_are_those_of_linux() -> None:
    """As its headers have them, where they are installed."""
    listed = {name: list(rule.numbers) for name, rule in permissions.RULES.items()}
    listed |= {name: numbers for name, numbers, _ in permissions.CALLS}
    assert len(listed) == len(permissions.RULES) + len(permissions.CALLS)
    for column, header in enumerate(("x86_64-linux-gnu/asm/unistd_64.h", "asm-generic/unistd.h")):
        if (place := Path("/usr/include", header)).exists():
            defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\n", place.read_text()))
            defined.setdefault("newfstatat", defined.get("fstatat", ""))
            expected = {name: int(defined[name]) if name in defined else None for name in listed}
            assert {name: numbers[column] for name, numbers in listed.items()} == expected
    changes = {"utime", "utimes", "futimesat", "utimensat"}
    attributes = {f"{kind}{call}xattr" for kind in ("", "l", "f") for call in ("set", "remove")}
    silent = dict.fromkeys(changes, 0) | dict.fromkeys(attributes, errno.ENOTSUP)
    assert {name: returns for name, _, returns in permissions.CALLS if returns is not None} == silent


@MACHINES
def test_the_filter_looks_at_arguments(column: int, machine: str) -> None:
    def run(name: str, *arguments: int) -> int:
        return decide(machine, permissions.RULES[name].numbers[column], *arguments)

    deny, high = 0x00050000 | errno.EPERM, 1 << 32
    assert run("clone", 0x003D0F00) == ALLOW, "a thread"
    assert run("clone", 17) == ALLOW, "a fork"
    assert [run("clone", 17 | flag) for flag in (0x80, 0x20000, *(1 << bit for bit in range(25, 31)))] == [deny] * 8
    assert run("mmap", 0, 4096, 3, 0x22) == run("mmap", 0, 4096, 3, 0x01) == run("mmap", 0, 4096, 3, 0x02) == ALLOW
    assert run("mmap", 0, 4096, 3, 0x21) == run("mmap", 0, 4096, 3, 0x23) == run("mmap", 0, 0, 3, 0x40022) == deny
    assert {run("madvise", 0, 4096, advice) for advice in (9, 12, 20, 21, 100)} == {0x00050000 | errno.EINVAL}
    assert run("ioctl", 0, high | 0x5451) == ALLOW
    assert {run("ioctl", 0, request) for request in (0x5412, 0x541C, 0x6601)} == {0x00050000 | errno.ENOTTY}
    assert {run("fcntl", 0, command) for command in (5, 6, 7, 8, 36, 37, 38, 1024, 1026, 1031, 1033)} == {deny}
    assert {run("prctl", option) for option in (4, 22, 35, 36, 67)} == {0x00050000 | errno.EINVAL}
    assert run("prlimit64", 0, 7) == run("prlimit64", high, 7) == ALLOW
    assert run("prlimit64", 1, 7) == run("prlimit64", high | 1, 7) == deny
    assert run("rt_sigaction", 17, 0) == run("rt_sigaction", 2, 4096) == ALLOW, "asking, and another signal"
    assert run("rt_sigaction", 17, 4096) == run("rt_sigaction", 17, high) == run("rt_sigaction", high | 17, 1) == deny
