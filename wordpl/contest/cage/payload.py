"""What a contestant is given at its start."""

from __future__ import annotations

import marshal
import math
import os
import platform
import re
from importlib import resources

from wordpl.contest.cage.sandbox import Launcher, Sandbox
from wordpl.contest.entrant.checkout import check_lists
from wordpl.contest.entrant.submission import Submission
from wordpl.contest.limits import Limits
from wordpl.model.channel import channel_name, is_named
from wordpl.model.words import WordList
from wordpl.play.setting import Setting

_IMPORTS_OURS = re.compile(
    rb"^[ \t]*(?:from|import)\b[^#\n]*\b(?:wordpl\b|strategies\b(?!\.utils\b))|import_module|__import__", re.MULTILINE
)
"""Where a file may import more of ours than the contest's `strategies.utils`. A miss costs a slower start, no more."""


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
    # Whether RLIMIT_NPROC counts the sandbox's tasks alone, and not all of the user's.
    release = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))
    tasks_apart = isinstance(launcher, Sandbox) and (launcher.own_user or release >= (5, 14))
    content = {
        "files": submission.files,
        "main": submission.main,
        "maker": submission.maker,
        "lists": {**word_files(setting.words), **submission.companions},
        "words": (setting.words.name, setting.words.answers, setting.words.guesses),
        "rule": setting.rule,
        "channel": channel_name(setting.channel) if is_named(setting.channel) else "",
        "format": str(setting.format),
        "compiled": _compiled(submission, setting, launcher),
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


def _compiled(submission: Submission, setting: Setting, launcher: Launcher) -> dict[str, str]:
    """Where a contestant without a sandbox finds our compiled kernels, by folder of the package, if not in there.

    They are compiled first, if a submission may use them and they are not there yet. A sandbox has them in the package.
    """
    if not any(_IMPORTS_OURS.search(content) for content in submission.files.values()):
        return {}
    from wordpl.simulation.warmup import caches, prepare

    prepare(setting)
    return {} if isinstance(launcher, Sandbox) else {folder: str(place) for folder, place in caches().items()}
