"""What a submission can read of this machine. The sandbox shows this and nothing else, so no ledger may lie in it."""

import functools
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from wordpl import library
from wordpl.base.errors import WordplError
from wordpl.base.kernel_folder import kernel_folder

PACKAGE = Path(__file__).resolve().parents[1]
LIBRARIES = ("numpy", "scipy", "pandas", "numba", "attrs", "tqdm")
"""What a strategy may import, with all that these and wordpl itself need."""
SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache", "/lib", "/lib64")
CHECKOUT_FOLDERS = ("", "strategies/")
"""Where submissions read in a checkout of the contest; not in the folders below these."""
_DATA = (".csv", ".json", ".tree", ".txt")
_DATA_FOLDERS = ("data", "policies")


def interpreter() -> Path:
    return Path(sys.executable).resolve()


@functools.cache
def installation() -> tuple[Path, ...]:
    """The interpreter, its standard library and its shared library."""
    places = {interpreter(), Path(sysconfig.get_path("stdlib")).resolve()}
    places.add(Path(sys.base_prefix) / "lib" / Path(sysconfig.get_path("platstdlib")).name)
    if shared := sysconfig.get_config_var("INSTSONAME"):
        places.add(Path(sysconfig.get_config_var("LIBDIR") or "") / shared)
    # A library path that was fixed when Python was built may lie where this user cannot look; then it is not in use.
    paths = (place for place in places if os.path.exists(place))  # noqa: PTH110
    return tuple(sorted(place for place in paths if not place.is_relative_to("/usr/lib")))


@functools.cache
def libraries() -> tuple[Path, ...]:
    """The top-level files and folders of the libraries that may be imported, and of all that they and wordpl need."""
    places: dict[str, Path] = {}
    waiting, seen = [*LIBRARIES, "wordpl"], set[str]()
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # not needed on this system
            continue
        required = (text for text in distribution.requires or [] if "extra ==" not in text)
        waiting += [re.split(r"[^\w.-]", text)[0] for text in required]
        for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
            # Of wordpl itself its metadata, by which its strategies are found.
            if name != "wordpl" or top.endswith(".dist-info"):
                places.setdefault(top, Path(str(distribution.locate_file(top))))
    return tuple(path.resolve() for _, path in sorted(places.items()) if path.exists())


def own_folders() -> tuple[Path, ...]:
    """The package, and in a checkout the strategy library, which lies beside it."""
    beside = (folder for folder in map(Path, library.__path__) if PACKAGE not in folder.resolve().parents)
    return (PACKAGE, *beside)


def own_files() -> Iterator[tuple[Path, Path]]:
    """The files of wordpl, each with its path below where wordpl is installed. Other files there are none of them.

    They are the modules and the data of the package and of the strategy library. Of a library that lies in a git
    checkout they are what git tracks: somebody may keep strategies there that others must not see.
    """
    for folder in own_folders():
        tracked = None if folder.name == "wordpl" else _tracked(folder)
        for path in sorted(folder.rglob("*")):
            module = path.suffix in (".py", ".pyi") and path.stem.isidentifier()
            data = path.suffix in _DATA and path.parent.name in _DATA_FOLDERS and not path.name.startswith(".")
            wanted = (module or data) and (tracked is None or path in tracked)
            if wanted and path.is_file() and not path.is_symlink():
                yield path, path.relative_to(folder.parent)


def _tracked(folder: Path) -> set[Path] | None:
    """The files that git tracks in a folder; None if that is no checkout, as where a source archive was unpacked."""
    # Without the variables that git sets for hooks, which name another checkout.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), "ls-files", "-z"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True, env=variables)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        if any((above / ".git").exists() for above in folder.parents):
            why = f"git cannot list what it tracks in {str(folder)!r}; install git, or mend the clone"
            raise WordplError(why) from None
        return None
    return {folder / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name}


def check_out_of_reach(path: Path, *, checkout: Path | None = None, submitted: Path | None = None) -> None:
    """Raise `WordplError` if a file of the contest, such as its ledger, lies where submissions can read.

    They read the Python installation, wordpl and other libraries, two folders of a `checkout` of the contest, and the
    folder that is `submitted`.
    """
    place = path.resolve()
    read = [*own_folders(), *libraries(), *installation(), *map(Path, SYSTEM), kernel_folder()]
    inside = [folder for folder in read if place.is_relative_to(folder.resolve())]
    if checkout is not None:
        inside += [place.parent for name in CHECKOUT_FOLDERS if place.parent == (checkout / name).resolve()]
    if submitted is not None and place.is_relative_to(submitted.resolve()):
        inside.append(submitted)
    if inside:
        raise WordplError(
            f"{str(path)!r} lies in {str(inside[0])!r}, which submissions read; name a file elsewhere"
            " (docs/trust.md says what to do with a ledger that was in reach)"
        )
