"""Permissions of a submission: files that a sandbox shows, and system calls that it allows."""

import csv
import errno
import functools
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata, resources
from importlib.util import cache_from_source
from itertools import islice
from pathlib import Path

from wordpl.base.errors import WordplError
from wordpl.base.kernel_folder import kernel_folder
from wordpl.contest.limits import Limits, left_in, own_name
from wordpl.library import FOLDER as LIBRARY

_PREFIX = "wordpl-contest-"
SITE, SCRATCH = "/site-packages", "/scratch"  # by that name a strategy knows what is no source of its own
PACKAGE = Path(__file__).resolve().parents[1]
LIBRARIES = ("numpy", "scipy", "pandas", "numba", "attrs", "tqdm")
"""Libraries that a strategy may import, with all that these and wordpl itself need."""
SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache", "/lib", "/lib64")
CHECKOUT_FOLDERS = ("", "strategies/")
"""Folders of a checkout of the contest that a submission may read, without those below them."""
_DATA = (".csv", ".json", ".tree", ".txt")
_DATA_FOLDERS = ("data", "policies")


def interpreter() -> Path:
    return Path(sys.executable).resolve()


@functools.cache
def installation() -> tuple[Path, ...]:
    """The interpreter, its standard library and its shared library."""
    places = {interpreter(), Path(sysconfig.get_path("stdlib")).resolve()}
    places.add(Path(sys.base_prefix) / "lib" / Path(sysconfig.get_path("platstdlib")).name)
    if shared := sysconfig.get_config_var("INSTSONAME"):
        places.add(Path(sysconfig.get_config_var("LIBDIR") or "") / shared)
    # A library path that was fixed when Python was built may lie where this user cannot look; then it is not in use.
    paths = (place for place in places if os.path.exists(place))  # noqa: PTH110
    return tuple(sorted(place for place in paths if not place.is_relative_to("/usr/lib")))


@functools.cache
def libraries() -> tuple[Path, ...]:
    """The top-level files and folders of the libraries that may be imported, and of all that they and wordpl need."""
    places: dict[str, Path] = {}
    waiting, seen = [*LIBRARIES, "wordpl"], set[str]()
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # not needed on this system
            continue
        required = (text for text in distribution.requires or [] if "extra ==" not in text)
        waiting += [re.split(r"[^\w.-]", text)[0] for text in required]
        for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
            # Of wordpl itself its metadata, by which its strategies are found.
            if name != "wordpl" or top.endswith(".dist-info"):
                places.setdefault(top, Path(str(distribution.locate_file(top))))
    return tuple(path.resolve() for _, path in sorted(places.items()) if path.exists())


def own_folders() -> tuple[Path, ...]:
    """The package, and in a checkout the strategy library, which lies beside it."""
    return (PACKAGE,) if PACKAGE in LIBRARY.resolve().parents else (PACKAGE, LIBRARY)


def own_files() -> Iterator[tuple[Path, Path]]:
    """The files of wordpl, each with its path below where wordpl is installed. Other files there are none of them.

    They are the modules and the data of the package and of the strategy library. Of a library that lies in a git
    checkout they are what git tracks: somebody may keep strategies there that others must not see.
    """
    for folder in own_folders():
        tracked = None if folder.name == "wordpl" else _tracked(folder)
        for path in sorted(folder.rglob("*")):
            module = path.suffix in (".py", ".pyi") and path.stem.isidentifier()
            data = path.suffix in _DATA and path.parent.name in _DATA_FOLDERS and not path.name.startswith(".")
            wanted = (module or data) and (tracked is None or path in tracked)
            if wanted and path.is_file() and not path.is_symlink():
                yield path, path.relative_to(folder.parent)


def _tracked(folder: Path) -> set[Path] | None:
    """The files that git tracks in a folder; None if that is no checkout, as where a source archive was unpacked."""
    # Without the variables that git sets for hooks, which name another checkout.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), "ls-files", "-z"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True, env=variables)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        if any((above / ".git").exists() for above in folder.parents):
            why = f"git cannot list what it tracks in {str(folder)!r}; install git, or mend the clone"
            raise WordplError(why) from None
        return None
    return {folder / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name}


def check_hidden(path: Path, *, checkout: Path | None = None, submitted: Path | None = None) -> None:
    """Raise `WordplError` if a file of the contest, such as its ledger, lies where submissions can read.

    They read the Python installation, wordpl and other libraries, two folders of a `checkout` of the contest, and the
    folder that is `submitted`.
    """
    place = path.resolve()
    read = [*own_folders(), *libraries(), *installation(), *map(Path, SYSTEM), kernel_folder()]
    inside = [folder for folder in read if place.is_relative_to(folder.resolve())]
    if checkout is not None:
        inside += [place.parent for name in CHECKOUT_FOLDERS if place.parent == (checkout / name).resolve()]
    if submitted is not None and place.is_relative_to(submitted.resolve()):
        inside.append(submitted)
    if inside:
        raise WordplError(f"{str(path)!r} lies in {str(inside[0])!r}, which submissions read; name a file elsewhere")


def temporary_folder(owner: object) -> Path:
    """A new folder that is removed with its owner. Also removes those of processes that were killed."""
    place = Path(tempfile.gettempdir())
    for remnant in left_in(place, _PREFIX):
        shutil.rmtree(remnant, ignore_errors=True)
    folder = place / own_name(_PREFIX)
    folder.mkdir(mode=0o700)
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return folder


class _Copies:
    """Copies of wordpl's own files, for all sandboxes of this process: in the folders themselves may lie more."""

    def __init__(self) -> None:
        self._folder = temporary_folder(self)
        for path, name in own_files():
            compiled = Path(cache_from_source(str(path)))
            self._write(name, path)
            if path.suffix == ".py" and compiled.is_file():
                self._write(name.parent / "__pycache__" / compiled.name, compiled)

    def folders(self) -> list[Path]:
        return sorted(self._folder.iterdir())

    def _write(self, name: Path, source: Path) -> None:
        """Copy a file, for all users to read, with the time by which Python knows what a compiled file was made of."""
        target = self._folder / name
        if target.exists():
            return
        for parent in reversed(name.parents[:-1]):
            with suppress(FileExistsError):
                (self._folder / parent).mkdir()
                (self._folder / parent).chmod(0o755)
        shutil.copy2(source, target)
        target.chmod(0o644)


@functools.cache
def _copies() -> _Copies:
    return _Copies()


def mounts(limits: Limits) -> list[str]:
    """Arguments for bwrap that show what is to be seen inside. It makes one after another, so the order matters."""
    arguments = ["--size", str(limits.scratch), "--perms", "0777", "--tmpfs", SCRATCH]
    # No /dev/zero: a shared mapping of it is memory that nothing counts.
    for name in ("null", "random", "urandom"):
        arguments += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    arguments += ["--symlink", f"{SCRATCH}/shm", "/dev/shm", "--symlink", f"{SCRATCH}/tmp", "/tmp"]  # noqa: S108
    for place in SYSTEM:
        if Path(place).is_symlink():
            arguments += ["--symlink", str(Path(place).readlink()), place]
        else:
            arguments += ["--ro-bind-try", place, place]
    for path in installation():
        arguments += ["--ro-bind", str(path), str(path)]
    base_packages = Path(sysconfig.get_path("purelib", vars={"base": sys.base_prefix}))
    if base_packages.is_dir():
        # Installed beside the standard library, but not of it.
        arguments += ["--size", "4096", "--perms", "0555", "--tmpfs", str(base_packages)]
    for path in (*libraries(), *_copies().folders()):
        arguments += ["--ro-bind", str(path), f"{SITE}/{path.name}"]
    # A contestant may keep kernels of its own beside ours, which it can only read.
    arguments += ["--perms", "0777", "--dir", f"{SCRATCH}/numba"]
    arguments += ["--ro-bind-try", str(kernel_folder()), f"{SCRATCH}/numba/{kernel_folder().name}"]
    # Folders on the way to what is bound must be open to the contestant's user, which bwrap's own are not.
    folders = {parent for path in installation() for parent in path.parents}
    folders |= {Path(SITE), Path("/dev"), Path("/etc"), Path("/usr"), Path("/usr/share"), base_packages.parent}
    options: list[str] = []
    for folder in sorted(folders - {Path("/")}):
        options += ["--perms", "0755", "--dir", str(folder)]
    # The root of all this is in memory and would take any number of files.
    return [*options, *arguments, "--remount-ro", "/"]


# A seccomp filter. Namespaces hide what is outside, and rlimits bound a process. The rest of the kernel's interface can
# still reach round both: memory that no rlimit counts (memfd, System V segments, socket buffers, pages held by a pipe),
# objects that are counted per user or per machine (AIO events, inotify and epoll watches, keys, file locks), the state
# of files that are shared with everybody (time stamps of /dev/null, locks, the page cache), other processes of the same
# user (pidfd_getfd, prlimit), and names of the host (statmount). New kernels bring new calls. So this is a list of what
# is allowed. All else fails with ENOSYS, for which libraries have a fallback. The program is classic BPF; see
# seccomp(2).

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
    """The error with which the call fails otherwise."""
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


def seccomp_program(machine: str | None = None) -> bytes | None:
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
    """The instructions that decide on a call that has a rule; they always return."""
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
