"""Starts and ends a contestant: in a bubblewrap sandbox or, for those who trust it, in a plain process.

A sandbox shows the Python installation and the libraries that a strategy may import, read-only, and a small private
folder in memory. There is no network, no /proc, no home, and nothing of the referee's.
"""

import ctypes
import functools
import itertools
import marshal
import math
import os
import platform
import re
import secrets
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import resources
from pathlib import Path
from subprocess import Popen

from wordpl.base.defaults import HASH_SEED
from wordpl.base.errors import WordplError
from wordpl.base.kernel_folder import kernel_folder
from wordpl.contest import permissions
from wordpl.contest.limits import Limits, memory_version, tree
from wordpl.contest.permissions import temporary_folder
from wordpl.contest.submission import Submission, check_lists
from wordpl.model.channel import channel_name, is_named
from wordpl.model.words import WordList
from wordpl.play.setting import Setting

_COMMAND = "import sys; sys.path.append({site!r}); from wordpl.contest.inside import main; main()"
_ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR")
# From here on systemd, too, gives out user ids that belong to nobody.
_USERS = range(61184, 65184)
_NOBODY = 65534
_END_SECONDS = 30.0
_counter = itertools.count()


class NoSandboxError(WordplError):
    """This machine cannot run the sandbox; the message says why, and what goes without one."""

    def __str__(self) -> str:
        return f"{super().__str__()}; without --sandbox, check, score and watch run your file as you, never ranked"


def check_system() -> None:
    """Raise `NoSandboxError` where a contestant cannot be started, because it could not be watched."""
    if not (hasattr(os, "memfd_create") and os.path.exists("/proc/thread-self/stat")):  # noqa: PTH110
        raise NoSandboxError("no sandbox: a contestant's process needs Linux with /proc")


def environment(scratch: str, hash_seed: int) -> dict[str, str]:
    """The whole environment of a contestant: nothing of the referee's, one thread for each library."""
    return {
        "HOME": f"{scratch}/play",
        "LANG": "C.UTF-8",
        "MALLOC_ARENA_MAX": "2",
        "NUMBA_CACHE_DIR": f"{scratch}/numba",
        "PANDAS_FUTURE_INFER_STRING": "0",  # published strategies put more than text into a column of words
        "PATH": "/usr/bin:/bin",
        "PYTHONHASHSEED": str(hash_seed),  # sets come in one order: the same moves in every run
        "TMPDIR": f"{scratch}/tmp",  # noqa: S108 - private, and in memory
        "WORDPL_CACHE": f"{scratch}/cache",
        **{f"{name}_NUM_THREADS": "1" for name in _ONE_THREAD},
    }


def python(site: str) -> list[str]:
    """The command of the program inside: no site packages but `site`, nothing from the user's settings."""
    return [str(permissions.interpreter()), "-s", "-S", "-P", "-B", "-c", _COMMAND.format(site=site)]


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
    scratch = permissions.SCRATCH
    hash_seed = HASH_SEED

    def __init__(self, own_user: bool) -> None:
        """`own_user` is whether each contestant is a user of its own, which takes root."""
        self.own_user = own_user
        self._filter = permissions.seccomp_program()

    def describe(self) -> str:
        """A few words on the sandbox, for the record of a run."""
        way = "own user" if self.own_user else "user namespace"
        calls = "seccomp" if self._filter else "no seccomp"
        bounding = "kernel" if memory_version() else "sampling"
        return f"bubblewrap, {way}, {calls}, memory bounded by {bounding}"

    def command(self, limits: Limits) -> list[str]:
        """The start of a command; what follows it runs inside the sandbox."""
        return [_bwrap(), *self._namespaces(), *permissions.mounts(limits)]

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
        for name, value in environment(self.scratch, self.hash_seed).items():
            arguments += ["--setenv", name, value]
        with open(os.memfd_create("wordpl-filter"), "w+b") as seccomp_filter:
            passed = [payload, requests, replies, seccomp_filter.fileno()]
            if self._filter is not None:
                seccomp_filter.write(self._filter)
                seccomp_filter.seek(0)
                arguments += ["--seccomp", str(seccomp_filter.fileno())]
            given = [str(payload), str(requests), str(replies), self.scratch, str(user)]
            with _running_on(core):
                return _open([*arguments, "--", *python(permissions.SITE), *given], errors, passed, {}, "/")

    def _namespaces(self) -> list[str]:
        names = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        names += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "wordpl", "--cap-drop", "ALL"]
        if self.own_user:
            # The kernel does not bound how many tasks root has, so the program becomes another user.
            return [*names, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        return ["--unshare-user", "--disable-userns", "--uid", str(_NOBODY), "--gid", str(_NOBODY), *names]


def _has_users() -> bool:
    """Return whether the users that belong to nobody exist here: a container may not have them."""
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


class Trusted:
    """Starts contestants as plain processes, for strategies that are trusted; never for a ranking."""

    ranked = False
    hash_seed = HASH_SEED

    def __init__(self) -> None:
        check_system()
        self.scratch = str(temporary_folder(self))

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
        command = python(str(permissions.PACKAGE.parent))
        folders = [str(place) for place in {path.parent for path in permissions.libraries()}]
        command[-1] = f"import sys; sys.path += {folders!r}; {command[-1]}"
        command += [str(payload), str(requests), str(replies), scratch, "0"]
        return _open(command, errors, [payload, requests, replies], environment(scratch, self.hash_seed), scratch)


Launcher = Sandbox | Trusted


class Process:
    """A started contestant: it reads its `payload`, and then has the `ends` of three pipes (see `Sandbox.start`)."""

    def __init__(self, launcher: Launcher, limits: Limits, payload: int, ends: tuple[int, int, int]) -> None:
        self._launcher = launcher
        self._first: int | None = None
        """A descriptor of the first process of its PID namespace."""
        # bwrap may end before the process it has started, which would stay a zombie where no init takes care. So this
        # process gets to wait for what its children leave (PR_SET_CHILD_SUBREAPER).
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
        with ExitStack() as resources:
            self._popen = launcher.start(limits, payload, *ends, resources)
            self._resources = resources.pop_all()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def take_hold(self) -> tuple[list[int], str | None]:
        """Take hold of what is inside: its processes, and the path of its scratch folder from here, in a sandbox.

        Nothing of the submission has run yet, so nothing can have been moved or hidden.
        """
        pids = list(tree(self.pid))
        if not isinstance(self._launcher, Sandbox) or len(pids) == 1:
            return pids, None
        self._first = os.pidfd_open(pids[1])
        self._resources.callback(os.close, self._first)
        return pids, f"/proc/{pids[-1]}/root{self._launcher.scratch}"

    def status(self) -> int | None:
        """Its exit status, None if it has not ended within half a second."""
        with suppress(subprocess.TimeoutExpired):
            return self._popen.wait(0.5)
        return None

    def stop(self) -> None:
        """End it and everything it has started, and wait until that is so."""
        process = self._popen
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            if self._first is None:  # what bwrap has begun would wait for it for ever
                self.take_hold()
            if self._first is not None:
                # The end of the first process of a PID namespace is the end of them all, at once.
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
                # Its parent, outside, then ends of itself; killed first, it would leave a zombie to the machine.
                process.wait(_END_SECONDS)
        if not isinstance(self._launcher, Sandbox):
            for pid in list(tree(process.pid)):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        if self._first is not None:
            # Where bwrap ended first, the process it had started is this one's now, and to be waited for.
            with suppress(ChildProcessError):
                os.waitid(os.P_PIDFD, self._first, os.WEXITED)
            poll = select.poll()
            poll.register(self._first, select.POLLIN)
            poll.poll(1000 * _END_SECONDS)

    def close(self) -> None:
        """Let go of what it had, such as its scratch folder."""
        self._resources.close()


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
    """Put a program that does nothing into a sandbox, and return what goes wrong; "" if nothing does."""
    limits = Limits(memory=1 << 28, scratch=1 << 20)
    command = [*sandbox.command(limits), "--", str(permissions.interpreter()), "-sSP", "-c", "import os"]
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


# What the program inside is given.

_IMPORTS_OURS = re.compile(
    rb"^[ \t]*(?:from|import)\b[^#\n]*\b(?:wordpl\b|strategies\b(?!\.utils\b))|import_module|__import__", re.MULTILINE
)
"""Imports of more of ours than the contest's `strategies.utils`. A miss costs a slower start, no more."""


def sealed_payload(
    submission: Submission,
    setting: Setting,
    limits: Limits,
    launcher: Launcher,
    print_to_stderr: bool = False,
    tracebacks: bool = True,
) -> int:
    """Submission, word lists and limits, in a sealed file in memory that can only be read: its descriptor."""
    check_lists(submission.companions, submission.checkout, setting.words)
    if any(_IMPORTS_OURS.search(content) for content in submission.files.values()):
        from wordpl.scoring.warmup import prepare

        prepare(setting.belief(), setting.noiseless)  # a contestant finds the kernels compiled
    # Whether RLIMIT_NPROC counts the sandbox's tasks alone, and not all of the user's.
    release = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))
    tasks_apart = isinstance(launcher, Sandbox) and (launcher.own_user or release >= (5, 14))
    content = {
        "files": submission.files,
        "main": submission.main,
        "maker": submission.maker,
        "lists": {**word_files(setting.words), **submission.companions},
        "in_place": {} if isinstance(launcher, Sandbox) else submission.read_in_place(),
        "words": (setting.words.name, setting.words.answers, setting.words.guesses),
        "rule": setting.rule,
        "channel": channel_name(setting.channel) if is_named(setting.channel) else "",
        "format": str(setting.format),
        "print_to_stderr": print_to_stderr,
        "tracebacks": tracebacks,
        "limits": {
            **vars(limits),
            # The clocks of games are the referee's; this ends what has got out of its sight.
            "cpu": math.ceil(min(limits.start_seconds + 10_000 * limits.cpu_seconds, 1 << 40)),
            "tasks": limits.tasks if tasks_apart else 0,
        },
    }
    import fcntl  # not on Windows

    descriptor = os.memfd_create("wordpl-payload", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    view = memoryview(marshal.dumps(content))
    while view:
        view = view[os.write(descriptor, view) :]
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def word_files(words: WordList) -> dict[str, bytes]:
    """Name -> content of the word files of the contest's repository, as its strategies read them.

    Easy are the answers that the optimal tree finds in three guesses; all of them where no tree is bundled.
    """
    easy: set[str] = set()
    tree = resources.files("wordpl.model") / "data" / f"{words.name}_salet.tree"
    if tree.is_file():
        # Each line is the path of an answer: guess and clue by turns.
        paths = [line.split() for line in tree.read_text("utf-8").splitlines()]
        easy = {path[-2] for path in paths if len(path) in (4, 6)}.intersection(words.answers)
    lists = {"answers.txt": words.answers, "valid.txt": words.guesses, "easy_words.txt": sorted(easy) or words.answers}
    return {name: "".join(f"{word}\n" for word in group).encode() for name, group in lists.items()}
