"""What a contestant hands in: one file, or a folder with a `strategy.py` and data files, read once into memory."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordpl.contest.limits import MIB
from wordpl.errors import WordplError
from wordpl.registry import literal_call

MAX_BYTES = 64 * MIB
MAX_FILES = 1000
MAIN = "strategy.py"
_PASSED_OVER = ("__pycache__", ".git")


@dataclass(frozen=True)
class Submission:
    """The files of a submission and what to make of them."""

    path: str
    """Where it was read, for messages."""
    files: dict[str, bytes]
    """Relative path -> content."""
    main: str
    """The file that holds the strategy."""
    call: str = ""
    """`Name` or `Name(parameter=value)` if one was given, as `written_call` writes it; else empty."""
    maker: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None
    """Class, arguments and named arguments of `call`."""

    @property
    def files_digest(self) -> str:
        """SHA-256 of the names and contents of the files, and of which one is the main file."""
        found = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            found.update(f"{len(name.encode())} {len(content)} ".encode() + name.encode() + content)
        found.update(self.main.encode())
        return found.hexdigest()

    @property
    def digest(self) -> str:
        """SHA-256 of the files and the call: what tells one submission from another.

        Calls with equal values are one call: the order of keywords, spaces and 1e1 for 10 make no difference.
        """
        return hashlib.sha256(f"{self.files_digest} {call_key(self.call)}".encode()).hexdigest()


def load_submission(text: str) -> Submission:
    """The submission at a path, or `PATH:Name(parameter=value)` to say which class is meant.

    Raises `WordplError` for what cannot be read, is too large, or is neither a file nor a folder: symbolic
    links, hard links, devices and pipes are refused wherever they are.
    """
    place, call = _split(text)
    path = Path(place)
    try:
        kind = path.lstat()
    except (OSError, ValueError) as error:
        raise WordplError(f"cannot read {place!r}: {getattr(error, 'strerror', None) or 'no such file'}") from None
    if stat.S_ISDIR(kind.st_mode):
        files, main = _folder(path), MAIN
        if main not in files:
            raise WordplError(f"folder {place!r} has no {MAIN}; a submission is one .py file or a folder with a {MAIN}")
    else:
        if path.suffix != ".py" or not path.stem.isidentifier():
            raise WordplError(f"{place!r} is no Python module; a file such as my_strategy.py, or a folder, is expected")
        files, main = {path.name: _content(path, MAX_BYTES)}, path.name
    maker = None
    if call:
        name, arguments, named = literal_call(call)
        maker = name, arguments, named
        call = written_call(*maker)
    # The code itself is not looked at here, not even parsed: that, too, is the contestant's process's business.
    return Submission(place, files, main, call, maker)


def written_call(name: str, arguments: tuple[Any, ...], named: dict[str, Any], *, by_value: bool = False) -> str:
    """A call in one way only: keywords sorted, no space, no brackets without an argument.

    With `by_value` equal numbers are written alike (10 for 10.0): fit to compare calls, not to make them.
    """
    written = [_written(value, by_value) for value in arguments]
    written += [f"{key}={_written(value, by_value)}" for key, value in sorted(named.items())]
    return f"{name}({','.join(written)})" if written else name


def call_key(call: str) -> str:
    """What two calls have in common if and only if they are of one name and equal values; empty for no call."""
    return written_call(*literal_call(call), by_value=True) if call else ""


def _written(value: Any, by_value: bool) -> str:
    """A literal as text that `literal_call` reads as the same value."""
    if isinstance(value, dict):
        pairs = (f"{_written(key, by_value)}:{_written(item, by_value)}" for key, item in value.items())
        return f"{{{','.join(sorted(pairs))}}}"
    if isinstance(value, (list, tuple, set)) and value:
        parts = [_written(item, by_value) for item in value]
        if isinstance(value, tuple):
            return f"({','.join(parts)}{',' * (len(parts) == 1)})"
        return f"[{','.join(parts)}]" if isinstance(value, list) else f"{{{','.join(sorted(parts))}}}"
    if by_value and isinstance(value, float) and value.is_integer():
        return repr(int(value))
    return repr(value)


def _split(text: str) -> tuple[str, str]:
    if not text or "\0" in text:
        raise WordplError(f"{text!r} is no path; a .py file or a folder is expected")
    if ".py:" in text:
        stem, call = text.split(".py:", 1)
        return f"{stem}.py", call
    if ":" in text and not os.path.lexists(text):
        place, _, call = text.partition(":")
        return place, call
    return text, ""


def _folder(root: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = MAX_BYTES
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            raise WordplError(f"cannot read {str(folder)!r}: {error.strerror}") from None
        for entry in entries:
            if entry.name in _PASSED_OVER:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
                continue
            if len(files) >= MAX_FILES:
                raise WordplError(f"{str(root)!r} has more than {MAX_FILES} files")
            content = _content(Path(entry.path), left)
            left -= len(content)
            files[str(Path(entry.path).relative_to(root))] = content
        if len(waiting) > MAX_FILES:
            raise WordplError(f"{str(root)!r} has more than {MAX_FILES} folders")
    return files


def _content(path: Path, most: int) -> bytes:
    """The bytes of a plain file, checked on the open file, so that nothing can be put in its place."""
    refused = None
    try:
        # O_NONBLOCK: opening a named pipe must not wait for a writer.
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                refused = "is no plain file"
            elif status.st_nlink > 1:
                refused = "is a hard link"
            elif status.st_size > most:
                refused = f"makes the submission larger than {MAX_BYTES // MIB} MiB"
            else:
                content = file.read(most + 1)
                if len(content) <= most:
                    return content
                refused = "grows while it is read"
    except OSError as error:
        refused = "is a symbolic link" if path.is_symlink() else f"cannot be read: {error.strerror}"
    raise WordplError(f"{str(path)!r} {refused}; a submission holds plain files only, at most {MAX_BYTES // MIB} MiB")
