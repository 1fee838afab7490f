"""Compiled code on disk: it is kept whole or not at all, and an edited source makes a new folder."""

import ast
import errno
import importlib.util
import logging
import os
import shutil
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numba
import pytest

from wordpl.base import kernel_folder as place
from wordpl.base import kernels
from wordpl.base.kernel_folder import PACKAGE, SOURCES, kernel_folder

SOURCE = """
from wordpl.base.kernels import kernel

@kernel()
def add(a, b):
    return a + b
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of this test alone, which is not there yet."""
    monkeypatch.setattr(kernels, "_FOLDER", tmp_path / "kernels" / "wordpl-0")
    return tmp_path / "kernels" / "wordpl-0"


def imported(tmp_path: Path) -> Any:
    """The kernel, as a process finds it that has not run it."""
    file = tmp_path / "adding.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("adding", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.add


def loaded(add: Any) -> int:
    """How often it was loaded and not compiled, once it has added numbers."""
    assert add(2, 3) == 5
    return sum(add.stats.cache_hits.values())


def test_code_is_compiled_once_and_only_a_new_folder_is_told(folder, tmp_path, caplog):
    caplog.set_level(logging.INFO, "wordpl")
    before = os.umask(0o077)
    try:
        assert [loaded(imported(tmp_path)) for _ in range(2)] == [0, 1]
    finally:
        os.umask(before)
    (file,) = folder.iterdir()
    assert file.name.startswith("adding.add-") and file.suffix == ".nbc"
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o755, 0o644)
    file.unlink()
    assert loaded(imported(tmp_path)) == 0
    assert [record.getMessage() for record in caplog.records] == [
        "wordpl: compiling kernels; this takes some seconds, and only once"
    ]


def test_what_cannot_be_written_is_compiled_each_time_and_leaves_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    assert loaded(imported(tmp_path)) == 0
    assert [*folder.iterdir()] == []
    monkeypatch.setattr(kernels, "_FOLDER", Path("/dev/null/kernels"))
    assert [loaded(imported(tmp_path)) for _ in range(2)] == [0, 0]


@pytest.mark.parametrize("name", SOURCES)
def test_an_edited_source_makes_a_new_folder(name, tmp_path, monkeypatch):
    for path in (path for pattern in (*SOURCES, "cli/index.py") for path in PACKAGE.glob(pattern)):
        copy = tmp_path / path.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    before = kernel_folder()
    monkeypatch.setattr(place, "PACKAGE", tmp_path)
    with (tmp_path / "cli/index.py").open("a") as other:
        other.write("EDITED = True\n")
    assert kernel_folder() == before
    with next(tmp_path.glob(name)).open("a") as source:
        source.write("EDITED = True\n")
    assert kernel_folder() != before


def test_kernels_lie_in_these_sources_and_import_nothing_else():
    """Else an edit would not make new code."""
    sources = {path for name in SOURCES for path in PACKAGE.glob(name)}
    with_kernels = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        tree = ast.parse(text if "numba" in text or "kernel" in text else "")
        decorators = {ast.unparse(mark) for node in ast.walk(tree) for mark in getattr(node, "decorator_list", ())}
        if decorators & {"kernel", "inner", "intrinsic"} or any(text.startswith("kernel(") for text in decorators):
            with_kernels.add(path)
    assert len(with_kernels) >= 8 and with_kernels <= sources
    for path in with_kernels:
        for node in ast.walk(ast.parse(path.read_text())):
            assert not isinstance(node, ast.ImportFrom) or not node.level, path
            modules = [node.module] if isinstance(node, ast.ImportFrom) else []
            modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            for module in modules:
                top, *rest = module.split(".")
                own = top == "wordpl" and (PACKAGE / "/".join(rest)).with_suffix(".py") in sources
                assert own or top in {"numpy", "numba"} | sys.stdlib_module_names, (path, module)


def test_the_versions_of_numba_whose_private_parts_are_known():
    """For another version, look at what `wordpl/base/kernels.py` imports, run this file, and name it here."""
    assert (0, 62) <= tuple(map(int, numba.__version__.split(".")[:2])) <= (0, 68)
