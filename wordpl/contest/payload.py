"""What a contestant is given at its start."""

from __future__ import annotations

import fcntl
import hashlib
import marshal
import math
import os
import platform
import re

from wordpl.contest.checkout import check_lists
from wordpl.contest.limits import Limits
from wordpl.contest.sandbox import Launcher, Sandbox, compiled_inside
from wordpl.contest.submission import Submission
from wordpl.contest.words import lists
from wordpl.model.channel import channel_name, is_named
from wordpl.play.strategy import Setting

_IMPORTS_OURS = re.compile(
    rb"^[ \t]*(?:from|import)\b[^#\n]*\b(?:wordpl\b|strategies\b(?!\.utils\b))|import_module|__import__", re.MULTILINE
)
"""Where a file may import more of ours than the contest's `strategies.utils`. A miss costs a slower start, no more."""


class Payload:
    """Submission, word lists and limits, in a sealed file in memory that it can only read."""

    def __init__(
        self,
        submission: Submission,
        setting: Setting,
        limits: Limits,
        launcher: Launcher,
        *,
        print_to_stderr: bool = False,
        tracebacks: bool = True,
    ) -> None:
        check_lists(submission.companions, submission.checkout, setting.words)
        content = {
            "files": submission.files,
            "main": submission.main,
            "maker": submission.maker,
            "lists": {**lists(setting.words), **submission.companions},
            "words": (setting.words.name, setting.words.answers, setting.words.guesses),
            "rule": setting.rule,
            "channel": channel_name(setting.channel) if is_named(setting.channel) else "",
            "format": str(setting.format),
            "compiled": _compiled(submission, setting, launcher),
            "print_to_stderr": print_to_stderr,
            "tracebacks": tracebacks,
            "limits": {
                "memory": limits.memory,
                "scratch": limits.scratch,
                "open_files": limits.open_files,
                # The clocks of games are the referee's; this ends what has got out of its sight.
                "cpu": math.ceil(min(limits.start_seconds + 10_000 * limits.cpu_seconds, 1 << 40)),
                "tasks": limits.tasks if _tasks_are_counted_apart(launcher) else 0,
            },
        }
        self.digest = hashlib.sha256(repr(content).encode()).hexdigest()[:16]
        """Equal for payloads of the same content, in whichever process."""
        self.descriptor = os.memfd_create("wordpl-payload", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        packed = memoryview(marshal.dumps(content))
        while packed:
            packed = packed[os.write(self.descriptor, packed) :]
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, seals)

    def close(self) -> None:
        os.close(self.descriptor)


def _compiled(submission: Submission, setting: Setting, launcher: Launcher) -> dict[str, str]:
    """Where the contestant finds our compiled kernels, by folder of the package, if not in there: see `warmup.caches`.

    They are compiled first, if a submission may use them and they are not there yet.
    """
    if not any(_IMPORTS_OURS.search(content) for content in submission.files.values()):
        return {}
    from wordpl.simulation.warmup import caches, prepare

    prepare(setting)
    places = caches()
    if isinstance(launcher, Sandbox):
        return {folder: compiled_inside(folder) for folder in places}
    return {folder: str(place) for folder, place in places.items()}


def _tasks_are_counted_apart(launcher: Launcher) -> bool:
    """Whether RLIMIT_NPROC counts the sandbox's tasks alone, and not all of the user's."""
    if not isinstance(launcher, Sandbox):
        return False
    release = platform.release().split(".")
    return launcher.own_user or tuple(int("".join(filter(str.isdigit, part)) or 0) for part in release[:2]) >= (5, 14)
