"""What a submission gets of the contest's own repository, when it lies in a checkout of it.

A strategy may know the contest's `valid.txt` by line numbers, import modules that lie beside it, and read data. What is
offered to it depends on the files alone, never on what it says. Its sources are searched for the names of what is
offered, so that its digest covers what it uses and nothing else. The search takes time in proportion to their length:
sources may be a stranger's.
"""

import os
import stat
import string
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath
from wordpl.contest.reach import CHECKOUT_FOLDERS
from wordpl.model.words import WordList

VARIABLE = "WORDPL_CONTEST_FILES"
LISTS = ("valid.txt", "answers.txt")
DATA = (".txt", ".csv", ".json", ".npy", ".npz", ".pkl", ".pickle")
"""The suffixes of what they may read in both; in `strategies`, modules as well."""
LARGEST = 1 << 20
LARGEST_ALL = 16 << 20
MOST_FILES = 1000
_DATABASE = b"SQLite format 3"
_NAME = frozenset((string.ascii_letters + string.digits + "_-.").encode())
_APART = bytes(byte if byte in _NAME else ord(" ") for byte in range(256))
"""Translates a source to the names in it, with spaces between them."""


def named_checkout(named: StrPath | None = None) -> Path | None:
    """The checkout `named`, or that in WORDPL_CONTEST_FILES, or None. Raises `WordplError` if it has not its lists."""
    place = os.fspath(named) if named is not None else os.environ.get(VARIABLE, "")
    if place and not _has_lists(Path(place)):
        raise WordplError(f"{place!r} is not a checkout of the contest; a folder with {' and '.join(LISTS)} is")
    return Path(place) if place else None


def find_checkout(file: Path, named: StrPath | None = None) -> Path | None:
    """The `named_checkout`; else the folder of a strategy file, or the one above, if it has the lists; else None."""
    around = (folder for folder in (file.parent, file.parent / "..") if _has_lists(folder))
    return named_checkout(named) or next(around, None)


def read_companions(
    checkout: Path, main: str, sources: Mapping[str, bytes], read: Callable[[Path], bytes]
) -> tuple[dict[str, bytes], dict[str, str]]:
    """What `sources` use of a checkout, directly or not: relative path -> content; and path -> why it is left out.

    Python files are searched: for modules of `strategies` in lines that import, and for data by name. `main` is the
    file that holds the strategy, which is no companion of its own. `read` reads a plain file. Raises `WordplError` for
    too large a checkout.
    """
    own = {main, *sources} | {f"strategies/{name}" for name in (main, *sources)}
    waiting = {name: why for name, why in _files(checkout) if name not in own}
    bare = {name: os.fsencode(name.rpartition("/")[2]) for name in waiting}
    companions: dict[str, bytes] = {}
    left_out: dict[str, str] = {}
    new = dict(sources)
    while new:
        python = (content for name, content in new.items() if name.endswith(".py"))
        names = set[bytes]().union(*(_names(source, frozenset(bare.values())) for source in python))
        new = {}
        for name in sorted(name for name in waiting if bare[name] in names):
            why = waiting.pop(name)
            content = b"" if why else read(checkout / name)
            if content.startswith(_DATABASE):
                why = "a database"
            elif sum(map(len, companions.values())) + len(content) > LARGEST_ALL:
                why = f"more than {LARGEST_ALL >> 20} MiB in all"
            if why:
                left_out[name] = why
            else:
                companions[name] = new[name] = content
    return dict(sorted(companions.items())), dict(sorted(left_out.items()))


def reads_valid(files: Mapping[str, bytes]) -> bool:
    """Whether any of these sources names `valid.txt`: then its moves may depend on the order of the words."""
    names = frozenset([b"valid.txt"])
    return any(_names(content, names) for name, content in files.items() if name.endswith(".py"))


def check_lists(companions: Mapping[str, bytes], place: str, words: WordList) -> None:
    """Raise `WordplError` unless the lists among the companions have the words of `words`, in whatever order."""
    for name, expected in zip(LISTS, (words.guesses, words.answers), strict=True):
        entries = companions[name].decode("utf-8", "replace").split() if name in companions else expected
        if count := len(set(entries) ^ set(expected)):
            raise WordplError(
                f"{name} of {place} is another list than {words.name}: {count:,} words are in one of the two only"
            )


def _has_lists(folder: Path) -> bool:
    return all((folder / name).is_file() for name in LISTS)


def _files(checkout: Path) -> Iterator[tuple[str, str]]:
    """The files that submissions may ask for, each with why they do not get it. Raises `WordplError` for too many."""
    for prefix in CHECKOUT_FOLDERS:
        suffixes = (*DATA, ".py") if prefix else DATA
        if prefix and (checkout / prefix.rstrip("/")).is_symlink():
            continue
        try:
            with os.scandir(checkout / prefix) as entries:
                fit = (e for e in entries if e.name.endswith(suffixes) and not e.name.startswith("."))
                for n, entry in enumerate(fit):
                    if n >= MOST_FILES:
                        raise WordplError(f"{checkout / prefix} has more than {MOST_FILES} modules and files of data")
                    yield prefix + entry.name, _fault(entry.stat(follow_symlinks=False))
        except OSError:
            continue


def _fault(status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        return "no plain file"
    if not status.st_mode & stat.S_IROTH:
        return "not readable by all"
    return f"larger than {LARGEST >> 20} MiB" if status.st_size > LARGEST else ""


def _names(source: bytes, wanted: frozenset[bytes]) -> set[bytes]:
    """Those of the names `wanted` that a source may use: it holds the name, or may import it without its .py.

    Takes time in proportion to its length, for any bytes.
    """
    names: set[bytes] = set()
    goes_on = False
    for line in source.replace(b"\\\n", b" ").splitlines():
        words = line.translate(_APART).split()
        names.update(wanted.intersection(words))
        if goes_on or b"strategies" in line or (words[:1] == [b"from"] and words[1:] and words[1].startswith(b".")):
            modules = b" ".join(words).replace(b".", b" ").split()
            names.update(wanted.intersection(word + b".py" for word in modules))
            goes_on = b")" not in line and (goes_on or b"(" in line)
    return names
