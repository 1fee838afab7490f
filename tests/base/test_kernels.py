"""Compiled code on disk: it is kept in a place that is safe, and run only if it is as it was written."""

import errno
import importlib
import importlib.util
import itertools
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core.caching import _CacheLocator

from wordpl.base import kept
from wordpl.base.kept import cache_folder_name, code_folder, read_kept, write_kept

BELOW = """
from collections import namedtuple
from wordpl.base.kernels import kernel

STEP = 1
Pair = namedtuple("Pair", "low high")

def weight():
    return 10

@kernel()
def inner(a):
    return a + STEP
"""
ABOVE = """
from wordpl.base.kernels import kernel
from . import below
from .below import inner

@kernel(inline="always")
def inlined(a):
    return inner(a)

@kernel()
def total(a, pair):
    return inlined(a) + below.STEP + 100 * pair.high
"""
SOURCE = """
from wordpl.base.kernels import kernel

@kernel()
def add(a, b):
    return a + b
"""
_NAMES = itertools.count()


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """Folders of this test alone, which are looked for anew."""
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "sources").mkdir()
    yield
    forget()


def forget() -> None:
    code_folder.cache_clear()
    kept.note.cache_clear()


def imported(folder: Path) -> Any:
    """The kernel, as a process finds it that has not run it."""
    file = folder / "kernels.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(f"kernels_{next(_NAMES)}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.add


def loaded(add: Any) -> int:
    """How often it was loaded and not compiled, once it has added numbers."""
    assert add(2, 3) == 5
    return sum(add.stats.cache_hits.values())


def notes(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]


def test_code_is_kept_and_what_is_damaged_is_compiled_again(tmp_path):
    """`read_kept` refuses what is damaged anywhere (tests/chaos/damage.py), or written by others, as below."""
    folder = tmp_path / "sources"
    assert [loaded(imported(folder)) for _ in range(2)] == [0, 1]
    (file,) = (folder / "__pycache__").glob("*.nbc")
    content = file.read_bytes()
    file.write_bytes(content[:-2000] + bytes([content[-2000] ^ 4]) + content[-1999:])
    assert [loaded(imported(folder)) for _ in range(2)] == [0, 1]


ADDING = """
import sys
sys.path.insert(0, sys.argv[1])
from kernels import add
print("ready", flush=True)
sys.stdin.readline()
print(add(2, 3), sum(add.stats.cache_hits.values()))
"""


@pytest.mark.heavy
def test_processes_may_compile_at_once(tmp_path):
    folder = tmp_path / "sources"
    (folder / "kernels.py").write_text(SOURCE)

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-B", "-c", ADDING, str(folder)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    processes = [start() for _ in range(2)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate()[0].split()[0] for process in processes]
    assert said == ["5"] * 2
    assert [path.suffix for path in (folder / "__pycache__").iterdir()] == [".nbc"]
    assert start().communicate("go\n")[0].splitlines() == ["ready", "5 1"]


def package(folder: Path) -> tuple[float, int]:
    """What the kernel of a package of two files gives in a process that has not run it, and how often it was loaded."""
    link = folder / f"link_{next(_NAMES)}"  # another path, of whose files nothing is remembered
    (link / "package").parent.mkdir()
    (link / "package").symlink_to(folder / "sources")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(link)
        try:
            below, above = (importlib.import_module(f"package.{part}") for part in ("below", "above"))
            return float(above.total(1, below.Pair(2, 3))), sum(above.total.stats.cache_hits.values())
        finally:
            for name in [name for name in sys.modules if name.partition(".")[0] == "package"]:
                del sys.modules[name]


@pytest.mark.heavy
def test_code_is_made_anew_when_a_callee_or_a_constant_in_another_file_has_changed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.setattr(kept, "cache_folder_name", lambda folder: "package")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "sources" / "__init__.py").touch()
    below, above = (tmp_path / "sources" / f"{name}.py" for name in ("below", "above"))
    below.write_text(BELOW)
    above.write_text(ABOVE)
    assert [package(tmp_path) for _ in range(2)] == [(303.0, 0), (303.0, 1)]
    below.with_name("tuples.py").write_text('from collections import namedtuple\nPair = namedtuple("Pair", "high low")')
    for old, new, expected in [
        ("return a + STEP", "return a + STEP + 1000", 1303.0),
        ("STEP = 1", "STEP = 2", 1305.0),
        ('"low high"', '"high low"', 1205.0),  # the types of its fields are the same
        ("@kernel()", "@kernel(error_model='numpy')", 1205.0),
        ('Pair = namedtuple("Pair", "high low")', "from .tuples import Pair", 1205.0),  # the same, in another file
    ]:
        below.write_text(below.read_text().replace(old, new))
        assert package(tmp_path) == (expected, 0), new
    above.write_text("# A comment.\n" + above.read_text())
    assert package(tmp_path) == (1205.0, 1)  # that is not compiled into it
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert package(tmp_path) == (1205.0, 0)
    assert len(list((tmp_path / "kept" / "package").glob("above.total.*"))) == 1  # each took the place of another


def test_the_versions_of_numba_whose_private_parts_are_known():
    """For another version, look at what `wordpl/base/kernels.py` says it uses, run this file, and name it here."""
    assert (0, 62) <= tuple(map(int, numba.__version__.split(".")[:2])) <= (0, 68)
    for folder in ("/site/wordpl/scoring", "/a b/\u00fc/x", "/x"):
        assert cache_folder_name(Path(folder)) == _CacheLocator.get_suitable_cache_subpath(f"{folder}/kernels.py")


def test_code_of_others_is_not_run(tmp_path):
    file = tmp_path / "code"
    write_kept(file, b"context", b"code")
    assert file.stat().st_mode & 0o777 == 0o644
    assert read_kept(file, b"another function's", tmp_path) is None
    for mode in (0o664, 0o646):
        file.chmod(mode)
        assert read_kept(file, b"context", tmp_path) is None
    file.chmod(0o644)
    if os.getuid() == 0:
        os.chown(file, 12345, -1)
        assert read_kept(file, b"context", tmp_path) is None
        os.chown(tmp_path, 12345, -1)  # whose sources are run, too
        assert read_kept(file, b"context", tmp_path) == b"code"
    os.mkfifo(tmp_path / "pipe")
    assert read_kept(tmp_path / "pipe", b"context", tmp_path) is None


@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_a_folder_that_others_can_write_is_refused(tmp_path, monkeypatch, caplog, mode):
    caplog.set_level(logging.INFO, "wordpl")
    sources, asked = tmp_path / "sources", tmp_path / "asked"
    asked.mkdir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(asked))
    assert code_folder(sources) == asked / cache_folder_name(sources)
    assert notes(caplog) == []
    forget()
    asked.chmod(mode)
    assert code_folder(sources) == sources / "__pycache__"
    refused = f"{asked} cannot be used, or others can write to it"
    assert notes(caplog) == [f"wordpl: compiled kernels are kept in {sources}/__pycache__: {refused}"]
    forget()
    (sources / "__pycache__").chmod(mode)
    assert code_folder(sources) == tmp_path / "cache" / "kernels" / cache_folder_name(sources)


def test_where_no_folder_is_writable_it_is_a_temporary_one(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "wordpl")
    sources, last = tmp_path / "sources", tmp_path / f"wordpl-{os.getuid()}"
    (sources / "__pycache__").touch()
    monkeypatch.setenv("WORDPL_CACHE", "/dev/null/cache")
    assert code_folder(sources) == last / cache_folder_name(sources)
    assert [f"are kept in {last}: {sources}/__pycache__ cannot be used" in note for note in notes(caplog)] == [True]
    assert [loaded(imported(sources)) for _ in range(2)] == [0, 1]
    forget()
    caplog.clear()
    last.chmod(0o777)  # somebody else's, perhaps
    assert code_folder(sources) is None
    assert len(notes(caplog)) == 1 and "compiled in each run" in notes(caplog)[0]
    assert imported(sources)(2, 3) == 5


def test_a_full_disk_names_the_path_and_ends_nothing(tmp_path, monkeypatch, caplog):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    caplog.set_level(logging.INFO, "wordpl")
    monkeypatch.setattr(os, "fsync", full)
    folder = tmp_path / "sources"
    assert loaded(imported(folder)) == 0
    (note,) = notes(caplog)
    assert note.startswith("wordpl: kernels.add.")
    assert note.endswith(f"cannot be kept in {folder}/__pycache__: No space left on device")
    assert list((folder / "__pycache__").glob("*.nbc*")) == []


def test_a_contestants_program_loads_no_numpy():
    heavy = {"numpy", "numba", "pandas", "sqlite3"}
    code = f"import sys, wordpl.contest.inside; print({heavy} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
