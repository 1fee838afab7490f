"""Submissions: one file, or a folder with a `strategy.py` and data files, read once into memory."""

from __future__ import annotations

import hashlib
import keyword
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordpl.base.displays import counted, cut, line_of
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath
from wordpl.contest.limits import MIB
from wordpl.contest.permissions import CHECKOUT_FOLDERS
from wordpl.model.words import WordList
from wordpl.play.specs import literal_call, parse_strategy

MAX_BYTES = 64 * MIB
MAX_FILES = 1000
MAX_DEPTH = 32
MAIN = "strategy.py"
_OF_LIBRARY = "of_library.py"
"""The only file of a submission that is a strategy of the library."""
PASSED_OVER = {"__pycache__", ".git"}
_VARIABLE = "WORDPL_CONTEST_FILES"
_LISTS = ("valid.txt", "answers.txt")
_DATA = (".txt", ".csv", ".json", ".npy", ".npz", ".pkl", ".pickle")
"""The suffixes of what a submission may read in both folders of a checkout; in `strategies`, modules as well."""
_MAX_COMPANION, _MAX_COMPANIONS = 1 * MIB, 16 * MIB
"""Bytes of one file of a checkout, and of all that a submission gets."""


@dataclass(frozen=True)
class Submission:
    """The files of a submission and what to make of them."""

    path: str
    """The place where it was read, for messages."""
    files: dict[str, bytes]
    """Relative path -> content."""
    main: str
    """The file that holds the strategy."""
    call: str = ""
    """`Name` or `Name(parameter=value)` if one was given, as `written_call` writes it; else empty."""
    maker: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None
    """Class, arguments and named arguments of `call`."""
    companions: dict[str, bytes] = field(default_factory=dict)
    """Files that it uses of a checkout of the contest: path there -> content."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Files that it names there and gets only without a sandbox, where they lie: path there -> reason."""
    versions: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Size and time of change of each of these, by which an edited one is known."""
    checkout: str = ""
    """The folder of all these."""

    @property
    def reads_sorted_list(self) -> bool:
        """True if it reads `valid.txt`, and gets a sorted one, where the contest's is not sorted."""
        files = {**self.files, **self.companions}
        sources = (content for name, content in files.items() if name.endswith(".py"))
        return "valid.txt" not in files and any("valid.txt" in _names_in(source) for source in sources)

    @property
    def contest_files(self) -> str:
        """A few words on the files of the contest that it uses, for the record of a run."""
        left_out = ", ".join(f"{name} ({why})" for name, why in self.left_out.items())
        parts = {
            f"plays with the contest's {', '.join(self.companions)}": self.companions,
            "reads valid.txt, which is sorted here and not in the contest": self.reads_sorted_list,
            f"in a sandbox without {left_out}": left_out,
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
    def trusted_digest(self) -> str:
        """The same with the versions of what is read where it lies. Raises `WordplError` if that was edited."""
        if not self.read_in_place():
            return self.files_digest
        return hashlib.sha256(f"{self.files_digest} {self.versions}".encode()).hexdigest()

    def read_in_place(self) -> dict[str, str]:
        """Return the files that it gets only without a sandbox: path there -> place. Raises `WordplError` for edits."""
        places = {name: Path(self.checkout, name) for name in self.versions}
        for name, place in places.items():
            if _version(place) != self.versions[name]:
                raise WordplError(f"{str(place)!r} was edited after it was loaded; load it anew")
        return {name: str(place) for name, place in places.items()}

    @property
    def digest(self) -> str:
        """SHA-256 of the files and the call, by which one submission is told from another."""
        return hashlib.sha256(f"{self.files_digest} {self.call}".encode()).hexdigest()

    def label(self, identity: str = "", *, leave_out: str = "") -> str:
        """The name in results: that of the file, and the call, 10.0 as 10, but for the parameter
        `leave_out`. Without a call, `identity` stands in its place: what the strategy calls itself."""
        if self.main == _OF_LIBRARY:
            return self.path
        name = Path(self.path).resolve().name
        if self.maker is None:
            return f"{name}:{identity}" if identity else name
        kind, arguments, keywords = self.maker
        given = [*(("", value) for value in arguments), *((f"{key}=", value) for key, value in keywords.items())]
        whole = [(key, int(v) if isinstance(v, float) and v.is_integer() else v) for key, v in given]
        texts = [f"{key}{_written(value)}" for key, value in whole if key != f"{leave_out}="]
        return f"{name}:{kind}({', '.join(texts)})"

    def __repr__(self) -> str:
        place = f"{cut(self.path)}:{cut(self.call)}" if self.call else cut(self.path)
        return line_of(self, f"{place}: {counted(len(self.files), 'file')}, digest {self.digest[:12]}")


def load_submission(text: str, contest_files: StrPath | None = None) -> Submission:
    """Return the submission that `text` names: a path, `PATH:Name(parameter=value)` to say which class is meant, or the
    spec of a strategy of the library.

    `contest_files` is a checkout of the contest; by default the variable WORDPL_CONTEST_FILES names it, or a file lies
    in one. What the submission uses of it, such as the word lists in their own order, comes with it.

    Raises `WordplError` for what cannot be read, is too large, or is no plain file and no folder of such. The code is
    not looked at here, not even parsed: that is the contestant's process's business.
    """
    if re.fullmatch(r"\w+(\(.*\))?", text, re.DOTALL) and not os.path.lexists(text):
        spec = repr(parse_strategy(text))
        source = f"import wordpl\n\nstrategy = wordpl.parse_strategy({spec!r})\n"
        return Submission(spec, {_OF_LIBRARY: source.encode()}, _OF_LIBRARY)
    place, call = _split(text)
    path = Path(place)
    if os.path.isdir(place) and not path.is_symlink():  # noqa: PTH112 - no error for a name that no file can have
        files, main = _read_folder(path), MAIN
        if main not in files:
            raise WordplError(f"folder {place!r} has no {MAIN}; a folder with one, or a .py file, is expected")
        checkout = named_checkout(contest_files)  # a folder brings what it needs
    else:
        check_module_name(place)
        files, main = {path.name: _content(path, MAX_BYTES)}, path.name
        around = (folder for folder in (path.parent, path.parent / "..") if _has_lists(folder))
        checkout = named_checkout(contest_files) or next(around, None)
    companions, left_out = ({}, {}) if checkout is None else _read_companions(checkout, main, files)
    versions = {name: _version(Path(checkout or "", name)) for name in left_out}
    maker = literal_call(call) if call else None
    call = written_call(*maker) if maker else ""
    folder = str(checkout.resolve()) if checkout else ""
    return Submission(place, files, main, call, maker, companions, left_out, versions, folder)


def check_module_name(file: str) -> None:
    """Raise `WordplError` unless a strategy file may have this name: it is imported by it."""
    path = Path(file)
    if path.suffix == ".ipynb":
        raise WordplError(f"{file!r} is a notebook, and notebooks are not taken; save its code as a .py file")
    if path.suffix != ".py":
        name = path.stem if path.suffix.lower() == ".py" else "my_strategy"
        raise WordplError(f"{file!r} is not a Python module; a name such as {name}.py is expected")
    # A submission becomes a module of the package `strategies`. A file of the last two names could not.
    if not path.stem.isidentifier() or keyword.iskeyword(path.stem) or path.stem in ("strategies", "__init__"):
        raise WordplError(
            f"{file!r} is not the name of a Python module; one of letters, digits and _, not a digit first, and not a"
            " word of Python's own, strategies or __init__, is expected, as my_strategy.py"
        )


def written_call(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """A call in one way only: keywords sorted, no space, no brackets without an argument."""
    texts = [*map(_written, arguments), *(f"{key}={_written(value)}" for key, value in sorted(keywords.items()))]
    return f"{name}({','.join(texts)})" if texts else name


def _written(value: Any) -> str:
    """A literal as text that `literal_call` reads as the same value."""
    if isinstance(value, dict):
        return f"{{{','.join(sorted(f'{_written(key)}:{_written(item)}' for key, item in value.items()))}}}"
    if isinstance(value, (list, tuple, set)) and value:
        parts = list(map(_written, value))
        if isinstance(value, tuple):
            return f"({','.join(parts)}{',' * (len(parts) == 1)})"
        return f"[{','.join(parts)}]" if isinstance(value, list) else f"{{{','.join(sorted(parts))}}}"
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


def _read_folder(top: Path) -> dict[str, bytes]:
    """Relative path -> content, of the plain files in a folder and in those below it."""

    def refuse(error: OSError) -> None:
        raise _refusal(Path(error.filename), f"cannot be read as a folder: {error.strerror}")

    files: dict[str, bytes] = {}
    for count, (place, folders, names) in enumerate(os.walk(top, onerror=refuse)):
        if count >= MAX_FILES or len(Path(place).relative_to(top).parts) > MAX_DEPTH:
            raise WordplError(
                f"{str(top)!r} has more than {MAX_FILES} folders, or some more than {MAX_DEPTH} levels deep"
            )
        names += [name for name in folders if Path(place, name).is_symlink()]
        folders[:] = sorted(set(folders) - PASSED_OVER)
        for path in (Path(place, name) for name in sorted(set(names) - PASSED_OVER)):
            if len(files) >= MAX_FILES:
                raise WordplError(f"{str(top)!r} has more than {MAX_FILES} files")
            name = path.relative_to(top).as_posix()
            _check_name(name, str(path))
            files[name] = _content(path, MAX_BYTES - sum(map(len, files.values())))
    return files


def _content(path: Path, max_bytes: int) -> bytes:
    """The bytes of a plain file."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise _refusal(path, "is not a plain file")
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except OSError as error:
        raise WordplError(f"cannot read {str(path)!r}: {error.strerror}") from None
    if len(content) > max_bytes:
        raise _refusal(path, f"makes the submission larger than {MAX_BYTES // MIB} MiB")
    return content


def _refusal(path: Path, why: str) -> WordplError:
    return WordplError(f"{str(path)!r} {why}; a submission holds plain files only, at most {MAX_BYTES // MIB} MiB")


# What a submission gets of the contest's own repository, when it lies in a checkout of it. A strategy may know the
# contest's `valid.txt` by line numbers, import modules that lie beside it, and read data. What is offered depends on
# the files of the checkout alone. A submission gets what its sources name, so that its digest covers what it uses.


def named_checkout(named: StrPath | None = None) -> Path | None:
    """The checkout `named`, or that in WORDPL_CONTEST_FILES, or None. Raises `WordplError` if it has not its lists."""
    place = os.fspath(named) if named is not None else os.environ.get(_VARIABLE, "")
    if place and not _has_lists(Path(place)):
        raise WordplError(f"{place!r} is not a clone of the contest; one has {' and '.join(_LISTS)}")
    return Path(place) if place else None


def _has_lists(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _LISTS)


def _read_companions(
    checkout: Path, main: str, sources: Mapping[str, bytes]
) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files that `sources` name of a checkout, directly or not: path -> content; and path -> why it is left out.

    `main` is the file that holds the strategy, which is no companion of its own.
    """
    own = {main, *sources} | {f"strategies/{name}" for name in (main, *sources)}
    waiting = {name: path for name, path in _offered(checkout) if name not in own}
    companions: dict[str, bytes] = {}
    left_out: dict[str, str] = {}
    new = dict(sources)
    while new:
        said = set[str]().union(*(_names_in(content) for name, content in new.items() if name.endswith(".py")))
        new = {}
        for name in [name for name, path in waiting.items() if path.name in said]:
            path = waiting.pop(name)
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or not status.st_mode & stat.S_IROTH:
                left_out[name] = "no plain file that all users can read"
            elif status.st_size > _MAX_COMPANION:
                left_out[name] = f"larger than {_MAX_COMPANION // MIB} MiB"
            elif sum(map(len, companions.values())) + status.st_size > _MAX_COMPANIONS:
                left_out[name] = f"more than {_MAX_COMPANIONS // MIB} MiB in all"
            else:
                companions[name] = new[name] = _content(path, _MAX_COMPANION)
    return dict(sorted(companions.items())), dict(sorted(left_out.items()))


def _version(path: Path) -> tuple[int, int]:
    """Size and time of change; zeros for what is not there, such as the end of a broken link."""
    with suppress(OSError):
        status = path.stat()
        return status.st_size, status.st_mtime_ns
    return 0, 0


def _offered(checkout: Path) -> Iterator[tuple[str, Path]]:
    """The files of a checkout that submissions may use, by their path there."""
    for prefix in CHECKOUT_FOLDERS:
        suffixes = (*_DATA, ".py") if prefix else _DATA
        folder = checkout / prefix
        if folder.is_dir() and not (prefix and folder.is_symlink()):
            for path in sorted(folder.iterdir()):
                if path.name.endswith(suffixes) and not path.name.startswith("."):
                    yield prefix + path.name, path


def _names_in(source: bytes) -> set[str]:
    """The names in a source, and those of the modules that these may stand for."""
    text = source.decode("utf-8", "replace")
    return {*re.findall(r"[\w.-]+", text), *(f"{word}.py" for word in re.findall(r"\w+", text))}


def check_lists(companions: Mapping[str, bytes], place: str, words: WordList) -> None:
    """Raise `WordplError` unless the lists among the companions have the words of `words`, in whatever order."""
    for name, expected in zip(_LISTS, (words.guesses, words.answers), strict=True):
        entries = companions[name].decode("utf-8", "replace").split() if name in companions else expected
        if count := len(set(entries) ^ set(expected)):
            raise WordplError(
                f"{name} of {place} is another list than {words.name}: {count:,} words are in one of the two only"
            )
