"""Where a contestant runs: a bubblewrap sandbox, or, for those who trust it, a plain process.

Inside there is the Python installation, the libraries a strategy may import, and a small private directory
in memory; all but that is read-only, and there is no network, no /proc, no home, nothing of the referee's.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from subprocess import Popen

import wordpl
from wordpl import library
from wordpl.contest.cage import cgroup, seccomp
from wordpl.contest.cage.cgroup import left_in, own_name
from wordpl.contest.limits import Limits
from wordpl.errors import WordplError
from wordpl.simulation.warmup import caches

LIBRARIES = ("numpy", "scipy", "pandas", "numba", "tqdm")
"""What a strategy may import, with all that these and wordpl itself need."""

SITE, SCRATCH = "/site", "/scratch"
_COMMAND = "import sys; sys.path.append({site!r}); from wordpl.contest.inside.contestant import main; main()"
_ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR")
# From here on systemd, too, gives out user ids that belong to nobody.
_FIRST_UID, _UIDS = 61184, 4000
_NOBODY = 65534
_PREFIX = "wordpl-trusted-"
_counter = itertools.count()


class NoSandboxError(WordplError):
    """This machine cannot run the sandbox; the message says why, and what goes without one."""

    def __str__(self) -> str:
        return f"{super().__str__()}; nothing is ranked without one (wordpl try --trusted runs without)"


def check_system() -> None:
    """Raise `NoSandboxError` where a contestant cannot be started, because it could not be watched."""
    if not (hasattr(os, "memfd_create") and os.path.exists("/proc/thread-self/stat")):  # noqa: PTH110
        raise NoSandboxError("no sandbox: a contestant's process needs Linux with /proc")


def environment(scratch: str) -> dict[str, str]:
    """The whole environment of a contestant: nothing of the referee's, one thread for each library."""
    return {
        "HOME": f"{scratch}/play",
        "LANG": "C.UTF-8",
        "MALLOC_ARENA_MAX": "2",
        "NUMBA_CACHE_DIR": f"{scratch}/numba",
        "PANDAS_FUTURE_INFER_STRING": "0",  # published strategies put more than text into a column of words
        "PATH": "/usr/bin:/bin",
        "PYTHONHASHSEED": "0",  # sets come in one order: the same moves in every run
        "TMPDIR": f"{scratch}/tmp",  # noqa: S108 - private, and in memory
        "WORDPL_CACHE": f"{scratch}/cache",
        **{f"{name}_NUM_THREADS": "1" for name in _ONE_THREAD},
    }


def python(site: str) -> list[str]:
    """The command of the program inside: no site packages but `site`, nothing from the user's settings."""
    return [str(_interpreter()), "-s", "-S", "-P", "-B", "-c", _COMMAND.format(site=site)]


def _open(command: list[str], errors: int, passed: list[int], environment: dict[str, str], folder: str) -> Popen[bytes]:
    return Popen(  # noqa: S603 - the command is ours
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=passed,
        env=environment,
        cwd=folder,
        start_new_session=True,  # Ctrl-C is the referee's to handle, and its terminal out of reach
    )


class Sandbox:
    """Starts contestants under bubblewrap."""

    ranked = True
    scratch = SCRATCH

    def __init__(self, own_user: bool) -> None:
        """`own_user` is whether each contestant is a user of its own, which takes root."""
        self.own_user = own_user
        self._filter = seccomp.program()

    def describe(self) -> str:
        """In a few words, for the record of a run."""
        way = "own user" if self.own_user else "user namespace"
        calls = "seccomp" if self._filter else "no seccomp"
        return f"bubblewrap, {way}, {calls}, memory bounded by {'kernel' if cgroup.memory_version() else 'sampling'}"

    def start(self, limits: Limits, payload: int, requests: int, replies: int, errors: int) -> Popen[bytes]:
        """A contestant whose program reads `payload`, then requests, and writes replies; all are descriptors."""
        arguments = [_bwrap(), *self._namespaces(), *_mounts(limits)]
        for name, value in environment(SCRATCH).items():
            arguments += ["--setenv", name, value]
        with open(os.memfd_create("wordpl-filter"), "w+b") as seccomp_filter:
            passed = [payload, requests, replies, seccomp_filter.fileno()]
            if self._filter is not None:
                seccomp_filter.write(self._filter)
                seccomp_filter.seek(0)
                arguments += ["--seccomp", str(seccomp_filter.fileno())]
            command = [*arguments, "--", *python(SITE), str(payload), str(requests), str(replies), SCRATCH]
            return _open([*command, str(self._uid())], errors, passed, {}, "/")

    def _namespaces(self) -> list[str]:
        names = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        names += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "wordpl", "--cap-drop", "ALL"]
        if self.own_user:
            # The kernel counts the tasks of root, and so bounds none of them: the program becomes another user.
            return [*names, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        return ["--unshare-user", "--disable-userns", "--uid", str(_NOBODY), "--gid", str(_NOBODY), *names]

    def _uid(self) -> int:
        """The user that the program becomes, one for each contestant; 0 for as it is."""
        if not self.own_user:
            return 0
        uid = _FIRST_UID + (os.getpid() * 31 + next(_counter)) % _UIDS
        for row in Path("/proc/self/uid_map").read_text().splitlines():
            first, _, count = (int(part) for part in row.split())
            if first <= uid < first + count:
                return uid
        return _NOBODY


@contextmanager
def claimed_core() -> Iterator[int]:
    """The number of a core that no other contestant of this machine has in the block, as long as there are enough.

    So what one of them uses at its start takes nothing from another's games.
    """
    cores = sorted(os.sched_getaffinity(0))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        for core in cores:
            with suppress(OSError):  # all processes see the name, which goes with the socket
                claim.bind(f"\0wordpl-core-{core}")
                break
        else:
            core = cores[next(_counter) % len(cores)]
        yield core


@contextmanager
def running_on(core: int) -> Iterator[None]:
    """Processes that this thread starts in the block run on the core, and so do theirs."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


class Trusted:
    """Starts contestants as plain processes, for strategies that are trusted; never for a ranking."""

    ranked = False

    def __init__(self) -> None:
        check_system()
        place = Path(tempfile.gettempdir())
        for remnant in left_in(place, _PREFIX):
            shutil.rmtree(remnant, ignore_errors=True)
        self.scratch = str(place / own_name(_PREFIX))
        os.mkdir(self.scratch, mode=0o700)  # noqa: PTH102
        weakref.finalize(self, shutil.rmtree, self.scratch, ignore_errors=True)

    def describe(self) -> str:
        return "trusted, no sandbox"

    def start(self, limits: Limits, payload: int, requests: int, replies: int, errors: int) -> Popen[bytes]:
        """As `Sandbox.start`, in a directory of its own on disk."""
        scratch = tempfile.mkdtemp(dir=self.scratch)
        command = python(str(Path(wordpl.__file__).parent.parent))
        folders = [str(place) for place in {path.parent for path in _libraries()}]
        command[-1] = f"import sys; sys.path += {folders!r}; {command[-1]}"
        command += [str(payload), str(requests), str(replies), scratch, "0"]
        return _open(command, errors, [payload, requests, replies], environment(scratch), scratch)


Launcher = Sandbox | Trusted


@functools.cache
def find() -> Sandbox:
    """The sandbox of this machine. Raises `NoSandboxError`, which says why there is none and what to do."""
    check_system()
    for own_user in (True, False) if os.geteuid() == 0 else (False,):
        problem = _try(Sandbox(own_user))
        if not problem:
            return Sandbox(own_user)
    raise NoSandboxError(f"no sandbox: bubblewrap cannot make one here ({problem}); it needs user namespaces, or root")


def _try(sandbox: Sandbox) -> str:
    """What goes wrong when a program that does nothing is put into it; "" if nothing does."""
    scrap = Limits(memory=1 << 28, scratch=1 << 20)
    command = [_bwrap(), *sandbox._namespaces(), *_mounts(scrap), "--", str(_interpreter()), "-sSP", "-c", "import os"]
    try:
        process = subprocess.run(command, capture_output=True, timeout=60, env={}, cwd="/", check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    problem = process.stderr.decode("ascii", "replace").strip().splitlines()
    return "" if process.returncode == 0 else (problem[-1] if problem else f"exit status {process.returncode}")


def launcher(*, ranked: bool = True) -> Sandbox:
    """Return the sandbox of this machine, `ranked` with memory bounded by the kernel. Raises `WordplError`."""
    sandbox = find()
    if ranked and not cgroup.memory_version():
        raise NoSandboxError(
            "no bound on memory: this user may not make a control group with the memory controller; run this as root, "
            "or under systemd-run --user --scope"
        )
    return sandbox


@functools.cache
def _bwrap() -> str:
    path = shutil.which("bwrap")
    if path is None:
        raise NoSandboxError("no sandbox: bubblewrap is not installed (on Linux: apt-get install bubblewrap)")
    return path


def _mounts(limits: Limits) -> list[str]:
    """What is to be seen inside. The order matters: bwrap makes one after another."""
    arguments = ["--size", str(limits.scratch), "--perms", "0777", "--tmpfs", SCRATCH]
    # No /dev/zero: a shared mapping of it is memory that nothing counts.
    for name in ("null", "random", "urandom"):
        arguments += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    arguments += ["--symlink", f"{SCRATCH}/shm", "/dev/shm", "--symlink", f"{SCRATCH}/tmp", "/tmp"]  # noqa: S108
    for place in ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache", "/lib", "/lib64"):
        if Path(place).is_symlink():
            arguments += ["--symlink", str(Path(place).readlink()), place]
        else:
            arguments += ["--ro-bind-try", place, place]
    for path in _installation():
        arguments += ["--ro-bind", str(path), str(path)]
    base_packages = Path(sysconfig.get_path("purelib", vars={"base": sys.base_prefix}))
    if base_packages.is_dir():
        # Installed beside the standard library, but not of it.
        arguments += ["--size", "4096", "--perms", "0555", "--tmpfs", str(base_packages)]
    for path in _libraries():
        arguments += ["--ro-bind", str(path), f"{SITE}/{path.name}"]
    if "wordpl.scoring.kernels" in sys.modules:  # then a payload may have named them
        for name, cached in caches().items():
            arguments += ["--ro-bind-try", str(cached), compiled_inside(name)]
    # Folders on the way to what is bound must be open to the contestant's user, which bwrap's own are not.
    folders = {parent for path in _installation() for parent in path.parents}
    folders |= {Path(SITE), Path("/dev"), Path("/etc"), Path("/usr"), Path("/usr/share"), base_packages.parent}
    options: list[str] = []
    for folder in sorted(folders - {Path("/")}):
        options += ["--perms", "0755", "--dir", str(folder)]
    # The root of all this is in memory and would take any number of files.
    return [*options, *arguments, "--remount-ro", "/"]


def compiled_inside(folder: str) -> str:
    """Where the compiled code of a folder of the package is inside, if it is not in the folder (`warmup.caches`)."""
    return f"{SITE}/compiled-{folder.replace('/', '-')}"


def _interpreter() -> Path:
    return Path(sys.executable).resolve()


@functools.cache
def _installation() -> tuple[Path, ...]:
    """The interpreter, its standard library and its shared library."""
    places = {_interpreter(), Path(sysconfig.get_path("stdlib")).resolve()}
    places.add(Path(sys.base_prefix) / "lib" / Path(sysconfig.get_path("platstdlib")).name)
    if shared := sysconfig.get_config_var("INSTSONAME"):
        places.add(Path(sysconfig.get_config_var("LIBDIR") or "") / shared)
    # A library path that was fixed when Python was built may lie where this user cannot look; then it is not in use.
    paths = (place for place in places if os.path.exists(place))  # noqa: PTH110
    return tuple(sorted(place for place in paths if not place.is_relative_to("/usr/lib")))


@functools.cache
def _libraries() -> tuple[Path, ...]:
    """The top-level files and folders of the libraries that may be imported, and of all that they need."""
    package = Path(wordpl.__file__).parent
    places = {package.name: package}
    # A wheel has the strategy library inside the package; a checkout has it beside the package, here as there.
    places |= {folder.name: folder for folder in map(Path, library.__path__) if package not in folder.parents}
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
        if name != "wordpl":
            for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
                places.setdefault(top, Path(str(distribution.locate_file(top))))
    return tuple(path.resolve() for _, path in sorted(places.items()) if path.exists())
