"""Where a contestant runs: in a bubblewrap sandbox or, for those who trust it, in a plain process.

A sandbox shows the Python installation and the libraries that a strategy may import, read-only, and a small private
folder in memory. There is no network, no /proc, no home, and nothing of the referee's.
"""

import functools
import itertools
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import cache_from_source
from pathlib import Path
from subprocess import Popen

from wordpl.base.errors import WordplError
from wordpl.base.kernel_folder import kernel_folder
from wordpl.contest import reach, seccomp
from wordpl.contest.limits import Limits, left_in, memory_version, own_name

SITE, SCRATCH = "/site", "/scratch"
_COMMAND = "import sys; sys.path.append({site!r}); from wordpl.contest.inside import main; main()"
_ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR")
# From here on systemd, too, gives out user ids that belong to nobody.
_USERS = range(61184, 65184)
_NOBODY = 65534
_PREFIX = "wordpl-contest-"
_counter = itertools.count()


class NoSandboxError(WordplError):
    """This machine cannot run the sandbox; the message says why, and what goes without one."""

    def __str__(self) -> str:
        return f"{super().__str__()}; without --sandbox, check, score and watch run your file as you, never ranked"


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
    return [str(reach.interpreter()), "-s", "-S", "-P", "-B", "-c", _COMMAND.format(site=site)]


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
        bounding = "kernel" if memory_version() else "sampling"
        return f"bubblewrap, {way}, {calls}, memory bounded by {bounding}"

    def command(self, limits: Limits) -> list[str]:
        """The start of a command; what follows it runs inside the sandbox."""
        return [_bwrap(), *self._namespaces(), *_mounts(limits)]

    def start(
        self, limits: Limits, payload: int, requests: int, replies: int, errors: int, resources: ExitStack
    ) -> Popen[bytes]:
        """Start a contestant, which reads `payload`, then requests, and writes replies; all are descriptors.

        It is one user of thousands, where contestants are users of their own, so that one which has all tasks that its
        user may have leaves the others theirs. It has one core, so that it takes little of others'.
        """
        cores, user = sorted(os.sched_getaffinity(0)), secrets.choice(_USERS) if self.own_user else 0
        core = cores[(os.getpid() + next(_counter)) % len(cores)]
        arguments = self.command(limits)
        for name, value in environment(SCRATCH).items():
            arguments += ["--setenv", name, value]
        with open(os.memfd_create("wordpl-filter"), "w+b") as seccomp_filter:
            passed = [payload, requests, replies, seccomp_filter.fileno()]
            if self._filter is not None:
                seccomp_filter.write(self._filter)
                seccomp_filter.seek(0)
                arguments += ["--seccomp", str(seccomp_filter.fileno())]
            command = [*arguments, "--", *python(SITE), str(payload), str(requests), str(replies), SCRATCH]
            with _running_on(core):
                return _open([*command, str(user)], errors, passed, {}, "/")

    def _namespaces(self) -> list[str]:
        names = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        names += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "wordpl", "--cap-drop", "ALL"]
        if self.own_user:
            # The kernel does not bound how many tasks root has, so the program becomes another user.
            return [*names, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        return ["--unshare-user", "--disable-userns", "--uid", str(_NOBODY), "--gid", str(_NOBODY), *names]


def _has_users() -> bool:
    """Whether the users that belong to nobody exist here: a container may not have them."""
    rows = (map(int, row.split()) for row in Path("/proc/self/uid_map").read_text().splitlines())
    return any(first <= _USERS.start and _USERS.stop <= first + count for first, _, count in rows)


@contextmanager
def _running_on(core: int) -> Iterator[None]:
    """Processes that this thread starts in the block run on the core, and so do theirs."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _temporary_folder(owner: object) -> Path:
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
        self._folder = _temporary_folder(self)
        for path, name in reach.own_files():
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


class Trusted:
    """Starts contestants as plain processes, for strategies that are trusted; never for a ranking."""

    ranked = False

    def __init__(self) -> None:
        check_system()
        self.scratch = str(_temporary_folder(self))

    def describe(self) -> str:
        return "trusted, no sandbox"

    def start(
        self, limits: Limits, payload: int, requests: int, replies: int, errors: int, resources: ExitStack
    ) -> Popen[bytes]:
        """Start a contestant as `Sandbox.start` does, as this user, in a folder of its own on disk.

        `payload`, `requests`, `replies` and `errors` are descriptors. The folder is removed with the `resources`;
        `limits` are not used.
        """
        scratch = tempfile.mkdtemp(dir=self.scratch)
        Path(scratch, "numba").mkdir()
        Path(scratch, "numba", kernel_folder().name).symlink_to(kernel_folder())
        resources.callback(shutil.rmtree, scratch, ignore_errors=True)
        command = python(str(reach.PACKAGE.parent))
        folders = [str(place) for place in {path.parent for path in reach.libraries()}]
        command[-1] = f"import sys; sys.path += {folders!r}; {command[-1]}"
        command += [str(payload), str(requests), str(replies), scratch, "0"]
        return _open(command, errors, [payload, requests, replies], environment(scratch), scratch)


Launcher = Sandbox | Trusted


@functools.cache
def find() -> Sandbox:
    """The sandbox of this machine. Raises `NoSandboxError`, which says why there is none and what to do."""
    check_system()
    for own_user in (True, False) if os.geteuid() == 0 and _has_users() else (False,):
        sandbox = Sandbox(own_user)
        if not (problem := _try(sandbox)):
            return sandbox
    raise NoSandboxError(f"no sandbox: bubblewrap cannot make one here ({problem}); it needs user namespaces, or root")


def _try(sandbox: Sandbox) -> str:
    """What goes wrong when a program that does nothing is put into it; "" if nothing does."""
    limits = Limits(memory=1 << 28, scratch=1 << 20)
    command = [*sandbox.command(limits), "--", str(reach.interpreter()), "-sSP", "-c", "import os"]
    try:
        process = subprocess.run(command, capture_output=True, timeout=60, env={}, cwd="/", check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    problem = process.stderr.decode("ascii", "replace").strip().splitlines()
    return "" if process.returncode == 0 else (problem[-1] if problem else f"exit status {process.returncode}")


def launcher(*, ranked: bool = True) -> Sandbox:
    """Return the sandbox of this machine. If `ranked`, the kernel limits its memory. Raises `WordplError`."""
    sandbox = find()
    if ranked and not memory_version():
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
    for place in reach.SYSTEM:
        if Path(place).is_symlink():
            arguments += ["--symlink", str(Path(place).readlink()), place]
        else:
            arguments += ["--ro-bind-try", place, place]
    for path in reach.installation():
        arguments += ["--ro-bind", str(path), str(path)]
    base_packages = Path(sysconfig.get_path("purelib", vars={"base": sys.base_prefix}))
    if base_packages.is_dir():
        # Installed beside the standard library, but not of it.
        arguments += ["--size", "4096", "--perms", "0555", "--tmpfs", str(base_packages)]
    for path in (*reach.libraries(), *_copies().folders()):
        arguments += ["--ro-bind", str(path), f"{SITE}/{path.name}"]
    # A contestant may keep kernels of its own beside ours, which it can only read.
    arguments += ["--perms", "0777", "--dir", f"{SCRATCH}/numba"]
    arguments += ["--ro-bind-try", str(kernel_folder()), f"{SCRATCH}/numba/{kernel_folder().name}"]
    # Folders on the way to what is bound must be open to the contestant's user, which bwrap's own are not.
    folders = {parent for path in reach.installation() for parent in path.parents}
    folders |= {Path(SITE), Path("/dev"), Path("/etc"), Path("/usr"), Path("/usr/share"), base_packages.parent}
    options: list[str] = []
    for folder in sorted(folders - {Path("/")}):
        options += ["--perms", "0755", "--dir", str(folder)]
    # The root of all this is in memory and would take any number of files.
    return [*options, *arguments, "--remount-ro", "/"]
