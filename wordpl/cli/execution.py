"""What a command runs: with which rights, on how many cores and which machines, and what stops it."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import typer

import wordpl
from wordpl.base.errors import WorkerLostError
from wordpl.base.stopping import stoppable
from wordpl.cli.logs import NOTES


def tell_of_trust(specs: Iterable[str]) -> None:
    """Say that the files of specs run outside of the sandbox."""
    from wordpl.play.specs import path_and_call

    for path in dict.fromkeys(path for spec in specs if (path := path_and_call(spec)[0])):
        NOTES.info("%s runs with your permissions; score, check and watch confine it with --sandbox", path)


def tell_of_contest_files(submissions: Iterable[Any]) -> None:
    """Say once for each file what the contest's own files are for it; of submissions, and of strategies from files."""
    found = [getattr(one, "submission", one) for one in submissions]
    for path, one in {one.path: one for one in found if getattr(one, "contest_files", "")}.items():
        place = f" in {one.checkout}" if one.checkout else "; set WORDPL_CONTEST_FILES to a clone of the contest"
        NOTES.info("%s %s%s", path, one.contest_files, place)


def this_command() -> str:
    """The command line that is run, as a shell reads it: for the record of a results file, and to run it again."""
    return shlex.join(["wordpl", *sys.argv[1:]])


def number_of_jobs(jobs: int) -> int:
    """Worker processes for `--jobs`, at most one for each core that this process may use; more would only wait."""
    import joblib  # which takes a while to load

    cores: int = joblib.cpu_count()
    return min(jobs or cores, cores)


def on_cluster(address: str | None) -> AbstractContextManager[object]:
    """Run the long jobs of the block on a cluster, if there is an address."""
    if address:
        NOTES.info("looking for the cluster %s, for up to 10 s, and for a worker, for up to 300 s", address)
    return wordpl.base.cluster(address) if address else nullcontext()


@contextmanager
def stopping(kept: str = "") -> Iterator[None]:
    """End the command with a line if a signal or a lost worker stops the block.

    Its exit code is 128 plus the signal (130 after Ctrl-C), or 1 for a lost worker.
    `kept` says what was kept, for the same command to go on with. Without it nothing was.
    """
    with stoppable() as came:
        try:
            yield
            return
        except KeyboardInterrupt:
            message, code = "stopped", 128 + (came[0] if came else signal.SIGINT)
        except WorkerLostError as error:
            message, code = str(error), 1
        if kept:
            message += f"; {kept}. To resume: {this_command()}"
    if came:
        # More signals must not interrupt the clearing up.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    typer.echo(f"wordpl: {message}", err=True)
    raise typer.Exit(code)
