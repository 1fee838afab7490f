"""Commands in processes of their own that start at once: forked from a server that has imported all of wordpl.

A test of the start of the interpreter starts one itself.
"""

import atexit
import os
import pty
import random
import secrets
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TextIO

from pexpect.fdpexpect import fdspawn

from wordpl.cli import main

PATIENCE = 600.0
"""Seconds after which something hangs: a loaded machine takes many times as long as a quiet one."""
_SERVER: Any = get_context("forkserver")
_SERVER.set_forkserver_preload(["tests.support.warm"])


def seed_secrets(seed: str) -> None:
    """From here on, all that this process draws by `secrets` follows from the seed."""
    generator = random.Random(seed)
    secrets.randbits = generator.getrandbits
    secrets.token_bytes = lambda nbytes=None: generator.randbytes(nbytes or secrets.DEFAULT_ENTROPY)


class Forked:
    """`wordpl` with these arguments, of which a test has what it has of `subprocess.Popen`.

    In a terminal, `screen` is what is shown and typed there; else `stdout` and `stderr` come through pipes.
    """

    def __init__(
        self,
        *arguments: object,
        cwd: str | Path = ".",
        env: Mapping[str, str] | None = None,
        terminal: bool = False,
        code: str = "",
    ) -> None:
        """`env` is added to the environment of the tests, and `code` runs before the command does.

        Where there is no terminal, stdin is empty.
        """
        if terminal:
            master, *ends = pty.openpty()
            termios.tcsetwinsize(master, (50, 60))
            self.screen = fdspawn(master, encoding="utf-8", codec_errors="replace", timeout=PATIENCE)
        else:
            (out, stdout), (err, stderr) = os.pipe(), os.pipe()
            self.stdout: TextIO = os.fdopen(out, encoding="utf-8")
            self.stderr: TextIO = os.fdopen(err, encoding="utf-8")
            ends = [os.open(os.devnull, os.O_RDONLY), stdout, stderr]
        connections = [Connection(end) for end in ends]  # which take file descriptors to another process
        variables = {**os.environ, **(env or {})}
        seed = secrets.token_hex()
        command = ["wordpl", *map(str, arguments)]
        folder = Path(cwd).resolve()
        self._process = _SERVER.Process(target=_run, args=(command, connections, variables, folder, seed, code))
        self._process.start()
        for connection in connections:
            connection.close()
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, less than 0 for a signal; None while it runs."""
        code: int | None = self._process.exitcode
        return code

    def wait(self, timeout: float = PATIENCE) -> int:
        """The exit code, once it has ended."""
        self._process.join(timeout)
        assert self.returncode is not None, f"it runs for more than {timeout} s"
        return self.returncode

    def communicate(self, timeout: float = PATIENCE) -> tuple[str, str]:
        """What it writes until it ends, on stdout and on stderr."""
        with self.stdout, self.stderr, ThreadPoolExecutor(2) as readers:
            out, err = readers.map(lambda stream: stream.read(), (self.stdout, self.stderr))
        self.wait(timeout)
        return out, err

    def send_signal(self, signum: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, signum)


def run(*arguments: object, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """A command that has ended, as `subprocess.run` gives it."""
    command = Forked(*arguments, **options)
    out, err = command.communicate()
    done = subprocess.CompletedProcess(arguments, command.wait(), out, err)
    if check:
        done.check_returncode()
    return done


def _run(
    arguments: list[str], connections: list[Connection], variables: dict[str, str], folder: Path, seed: str, code: str
) -> None:
    """The command, in the process that was forked for it."""
    seed_secrets(seed)
    if len(connections) == 1:
        os.login_tty(os.dup(connections[0].fileno()))
    else:
        os.setsid()
        for number, connection in enumerate(connections):
            os.dup2(connection.fileno(), number)
    for connection in connections:
        connection.close()
    os.chdir(folder)
    sys.path.insert(0, str(folder))  # as with `python -m`
    os.environ.clear()
    os.environ.update(variables)
    encoding = variables.get("PYTHONIOENCODING", "utf-8")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = open(number, "w" if number else "r", encoding=encoding, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.argv = arguments
    try:
        exec(code, {})  # noqa: S102
        main()
    finally:  # as the interpreter ends
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
