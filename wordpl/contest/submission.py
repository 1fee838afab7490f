"""What a contestant hands in: one file, or a folder with a `strategy.py` and data files, read once into memory."""

from __future__ import annotations

import errno
import hashlib
import keyword
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from wordpl.base.displays import counted, cut, line_of
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath
from wordpl.contest.checkout import find_checkout, named_checkout, read_companions, reads_valid
from wordpl.contest.limits import MIB
from wordpl.contest.reach import check_out_of_reach
from wordpl.play.specs import literal_call

MAX_BYTES = 64 * MIB
MAX_FILES = 1000
MAX_DEPTH = 32
MAIN = "strategy.py"
_MAX_LINKS = 40
PASSED_OVER = ("__pycache__", ".git")


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
    companions: dict[str, bytes] = field(default_factory=dict)
    """What it uses of a checkout of the contest, by the path there."""
    left_out: dict[str, str] = field(default_factory=dict)
    """What it names there and does not get, by the path there, with the reason."""
    checkout: str = ""
    """Where the companions were read, for messages."""

    @property
    def reads_sorted_list(self) -> bool:
        """Whether it reads `valid.txt`, and gets a sorted one, where the contest's is not sorted."""
        has_list = "valid.txt" in self.companions or "valid.txt" in self.files
        return not has_list and reads_valid({**self.files, **self.companions})

    @property
    def contest_files(self) -> str:
        """What the files of the contest are for it, in a few words: for the record of a run."""
        left_out = ", ".join(f"{name} ({why})" for name, why in self.left_out.items())
        parts = {
            f"plays with the contest's {', '.join(self.companions)}": self.companions,
            "reads valid.txt, which is sorted here and not in the contest": self.reads_sorted_list,
            f"without {left_out}": left_out,
        }
        return "; ".join(part for part, applies in parts.items() if applies)

    @property
    def files_digest(self) -> str:
        """SHA-256 of the names and contents of the files, of which one is the main file, and of the companions."""
        digest = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            digest.update(f"{len(name.encode())} {len(content)} {name}".encode() + content)
        digest.update(self.main.encode())
        for name, content in sorted(self.companions.items()):
            digest.update(f"\n{len(name.encode())} {len(content)} {name}".encode() + content)
        return digest.hexdigest()

    @property
    def digest(self) -> str:
        """SHA-256 of the files and the call: what tells one submission from another.

        Calls with equal values are one call: the order of keywords, spaces and 1e1 for 10 make no difference.
        """
        return hashlib.sha256(f"{self.files_digest} {call_key(self.call)}".encode()).hexdigest()

    def label(self, identity: str = "", *, leave_out: str = "") -> str:
        """The name in results: that of the file, and the call with equal numbers alike, but for the parameter
        `leave_out`. Without a call, `identity` stands in its place: what the strategy calls itself."""
        name = Path(self.path).resolve().name
        if self.maker is None:
            return f"{name}:{identity}" if identity else name
        kind, arguments, keywords = self.maker
        texts = [_written(value, by_value=True) for value in arguments]
        texts += [f"{key}={_written(value, by_value=True)}" for key, value in keywords.items() if key != leave_out]
        return f"{name}:{kind}({', '.join(texts)})"

    def entered_as(self, call: str) -> Submission:
        """Return this submission with the `call` it was entered with: the same values, perhaps written otherwise."""
        return replace(self, call=call, maker=literal_call(call) if call else None)

    def check_out_of_reach(self, path: Path) -> None:
        """Raise `WordplError` if the file at `path`, such as a ledger, lies where this submission reads."""
        checkout, place = Path(self.checkout) if self.checkout else None, Path(self.path)
        check_out_of_reach(path, checkout=checkout, submitted=place if place.is_dir() else None)

    def __repr__(self) -> str:
        place = f"{cut(self.path)}:{cut(self.call)}" if self.call else cut(self.path)
        return line_of(self, f"{place}: {counted(len(self.files), 'file')}, digest {self.digest[:12]}")


def load_submission(text: str, contest_files: StrPath | None = None) -> Submission:
    """Return the submission that `text` names: a path, or `PATH:Name(parameter=value)` to say which class is meant.

    `contest_files` is a checkout of the contest; by default the variable WORDPL_CONTEST_FILES names it, or a file lies
    in one. What the submission uses of it, such as the word lists in their own order, comes with it.

    Raises `WordplError` for what cannot be read, is too large, or is no plain file and no folder of such. Links in the
    folders above are followed if they are root's or the caller's own. Whoever owns the folder may change it meanwhile:
    everything is opened in the folder that is open already, so what is read lies in it.
    """
    place, call = _split(text)
    path = Path(place)
    name = path.name or "."  # the folder this is in, or the root
    try:
        with _above(path) as folder:
            if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                files, main = _read_folder(place, folder, name), MAIN
                if main not in files:
                    raise WordplError(f"folder {place!r} has no {MAIN}; a folder with one, or a .py file, is expected")
            else:
                check_module_name(place)
                files, main = {name: _content(folder, name, place, MAX_BYTES)}, name
    except OSError as error:
        raise WordplError(f"cannot read {place!r}: {error.strerror}") from None
    # A folder brings what it needs.
    checkout = find_checkout(path, contest_files) if main == name else named_checkout(contest_files)
    return make_submission(place, files, main, call, checkout)


def check_module_name(file: str) -> None:
    """Raise `WordplError` unless a strategy file may have this name: it is imported by it."""
    path = Path(file)
    if path.suffix == ".ipynb":
        raise WordplError(f"{file!r} is a notebook, and notebooks are not taken; save its code as a .py file")
    if path.suffix != ".py":
        raise WordplError(f"{file!r} is not a Python module; a name such as my_strategy.py is expected")
    # A submission becomes a module of the package `strategies`. A file of the last two names could not.
    if not path.stem.isidentifier() or keyword.iskeyword(path.stem) or path.stem in ("strategies", "__init__"):
        raise WordplError(
            f"{file!r} is not the name of a Python module; one of letters, digits and _, not a digit first, and not a"
            " word of Python's own, strategies or __init__, is expected, as my_strategy.py"
        )


def make_submission(place: str, files: dict[str, bytes], main: str, call: str, checkout: Path | None) -> Submission:
    """The submission of files that are read already, with what they use of a checkout of the contest.

    `place` is for messages. Raises `WordplError` for a call that is none, and for a checkout that cannot be read.
    """
    # The code itself is not looked at here, not even parsed: that, too, is the contestant's process's business.
    companions, left_out = ({}, {}) if checkout is None else read_companions(checkout, main, files, _read_plain)
    maker = literal_call(call) if call else None
    call = written_call(*maker) if maker else ""
    folder = str(checkout.resolve()) if checkout else ""
    return Submission(place, files, main, call, maker, companions, left_out, folder)


def _read_plain(path: Path) -> bytes:
    """The bytes of a plain file, opened with the care that a submission's own files are."""
    with _above(path) as folder:
        return _content(folder, path.name, str(path), MAX_BYTES)


def written_call(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], *, by_value: bool = False) -> str:
    """A call in one way only: keywords sorted, no space, no brackets without an argument.

    With `by_value` equal numbers are written alike (10 for 10.0): fit to compare calls, not to make them.
    """
    texts = [_written(value, by_value) for value in arguments]
    texts += [f"{key}={_written(value, by_value)}" for key, value in sorted(keywords.items())]
    return f"{name}({','.join(texts)})" if texts else name


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
        raise WordplError(f"{text!r} is not a path; a .py file or a folder is expected")
    _check_name(text, text)
    if ".py:" in text:
        stem, call = text.split(".py:", 1)
        return f"{stem}.py", call
    if ":" in text and not os.path.lexists(text):
        place, _, call = text.partition(":")
        return place, call
    return text, ""


def _check_name(name: str, path: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise WordplError(f"the name {path!r} is not UTF-8; names in UTF-8 are expected") from None


@contextmanager
def _above(path: Path) -> Iterator[int]:
    """The folder that holds `path`, opened (O_PATH).

    Raises OSError for what is not there, and `WordplError` for a link that somebody else could turn elsewhere.
    """
    if not hasattr(os, "O_PATH"):
        raise WordplError(f"cannot read strategy file {path}: that takes Linux; on Windows use WSL")
    parts, links = list(reversed(path.parent.parts)), 0
    flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
    folder = os.open("/" if path.is_absolute() else ".", flags)
    try:
        while parts:
            part = parts.pop()
            inner = os.open(part, flags, dir_fd=folder)
            status = os.fstat(inner)
            if not stat.S_ISLNK(status.st_mode):
                os.close(folder)
                folder = inner
                continue
            parts += reversed(Path(os.readlink("", dir_fd=inner)).parts)
            os.close(inner)
            links += 1
            if status.st_uid not in (0, os.geteuid()):
                raise WordplError(f"{part!r} in {str(path)!r} is a symbolic link of another user")
            if links > _MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        yield folder
    finally:
        os.close(folder)


def _read_folder(place: str, parent: int, name: str) -> dict[str, bytes]:
    """Relative path -> content, of the folder `name` in the open folder `parent`; `place` is for messages."""
    files: dict[str, bytes] = {}
    folders = 0

    def read(parent: int, name: str, parts: tuple[str, ...]) -> None:
        nonlocal folders
        folders += 1
        if folders > MAX_FILES or len(parts) > MAX_DEPTH:
            raise WordplError(f"{place!r} has more than {MAX_FILES} folders, or some more than {MAX_DEPTH} levels deep")
        try:
            folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        except OSError as error:
            raise _refusal("/".join((place, *parts)), f"cannot be read as a folder: {error.strerror}") from None
        try:
            with os.scandir(folder) as scan:
                children = (entry for entry in scan if entry.name not in PASSED_OVER)
                entries = list(islice(children, 2 * MAX_FILES + 1))  # too many files or too many folders
            for entry in sorted(entries, key=lambda entry: entry.name):
                inner = (*parts, entry.name)
                path = "/".join((place, *inner))
                _check_name(entry.name, path)
                if entry.is_dir(follow_symlinks=False):
                    read(folder, entry.name, inner)
                    continue
                if len(files) >= MAX_FILES:
                    raise WordplError(f"{place!r} has more than {MAX_FILES} files")
                files["/".join(inner)] = _content(folder, entry.name, path, MAX_BYTES - sum(map(len, files.values())))
        finally:
            os.close(folder)

    read(parent, name, ())
    return files


def _content(folder: int, name: str, path: str, max_bytes: int) -> bytes:
    """The bytes of a plain file in an open folder, checked on the open file, so that nothing can take its place."""
    try:
        # O_NONBLOCK: opening a named pipe must not wait for a writer.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        with open(os.open(name, flags, dir_fd=folder), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise _refusal(path, "is not a plain file")
            if status.st_nlink > 1:
                raise _refusal(path, "is a hard link")
            content = file.read(max_bytes + 1)  # no more, even if it grows meanwhile
    except OSError as error:
        link = error.errno == errno.ELOOP
        raise _refusal(path, "is a symbolic link" if link else f"cannot be read: {error.strerror}") from None
    if len(content) > max_bytes:
        raise _refusal(path, f"makes the submission larger than {MAX_BYTES // MIB} MiB")
    return content


def _refusal(path: str, why: str) -> WordplError:
    return WordplError(f"{path!r} {why}; a submission holds plain files only, at most {MAX_BYTES // MIB} MiB")
