"""A server of the page in a process of its own, and what it takes."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class PageServer:
    """A running server."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "wordpl", "serve", "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603
        assert self.process.stderr is not None  # noqa: S101
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+(?=/)", line)
        if not found:
            raise RuntimeError(line + self.process.stderr.read())
        self.address = found[0]

    def peak_mib(self) -> float:
        """Return the largest memory that it has had, in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024  # type: ignore[index]


@contextmanager
def serving(*options: str) -> Iterator[PageServer]:
    """Run a server in the block. Raises `RuntimeError` if it fails or has logged a defect."""
    server = PageServer(*options)
    try:
        yield server
        server.process.send_signal(signal.SIGTERM)
        said = server.process.communicate(timeout=60)[1]
        if server.process.returncode or "Traceback" in said:
            raise RuntimeError(said)
    finally:
        server.process.kill()
        server.process.wait()
