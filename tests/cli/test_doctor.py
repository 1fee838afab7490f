"""`wordpl doctor`: what there is, what is missing, and what mends it."""

from __future__ import annotations

import json
import os
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import wordpl
from tests.cli.conftest import Cli
from tests.forked import run
from wordpl.contest.cage import cgroup, sandbox

EXTRAS = ("plots", "parquet", "priority", "cluster", "web", "contest")


def test_every_part_has_a_line(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "made").write_bytes(bytes(2_500_000))
    done = cli("doctor")
    assert (done.code, done.err) == (0, "")
    lines = {line.split()[0]: line for line in done.out.splitlines() if not line.startswith(" ")}
    assert set(lines) >= {"wordpl", "python", "packages", *EXTRAS, "sandbox", "memory", "cache", "terminal", "cores"}
    assert wordpl.__version__ in lines["wordpl"] and f"numpy {np.__version__}" in lines["packages"]
    assert f"{tmp_path / 'cache'}, 2.5 MB, writable" in lines["cache"]
    assert "scoring" in lines["kernels"]
    assert f"{len(os.sched_getaffinity(0))} of " in lines["cores"]
    assert sandbox.find().describe() in lines["sandbox"]
    assert "mend" not in done.out or not cgroup.memory_version()


def test_what_is_missing_comes_with_the_command_that_mends_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    version = metadata.version

    def lacking(name: str) -> str:
        if name in ("wordfreq", "uvicorn"):
            raise metadata.PackageNotFoundError(name)
        return version(name)

    def no_sandbox() -> sandbox.Sandbox:
        raise sandbox.NoSandboxError("no sandbox: bubblewrap is not installed")

    monkeypatch.setattr(metadata, "version", lacking)
    monkeypatch.setattr(sandbox, "find", no_sandbox)
    monkeypatch.setattr("shutil.which", lambda name: None)
    (tmp_path / "file").touch()
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "file"))
    monkeypatch.setenv("COLUMNS", "60")
    done = cli("doctor")
    assert done.code == 0  # none of it is needed
    for mend in ("pip install '.[priority]' in a clone", "'.[web]'", "apt-get install bubblewrap", "WORDPL_CACHE="):
        assert mend in done.out
    entries = {entry["name"]: entry for entry in json.loads(cli("doctor", "--json").out)}
    assert [name for name, entry in entries.items() if not entry["ok"]] == ["priority", "web", "sandbox", "cache"]
    assert entries["web"]["state"] == "uvicorn is not installed"


def test_a_package_that_is_needed_and_broken_is_exit_code_1(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    done = cli("doctor")
    assert done.code == 1
    assert "numba: ModuleNotFoundError" in done.out and "pip install --force-reinstall ." in done.out


def test_memory_that_no_group_bounds_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "memory_version", lambda: 0)
    assert "systemd-run --user --scope" in cli("doctor").out


def test_a_terminal_without_unicode_is_told() -> None:
    shown = run("doctor", env={"PYTHONIOENCODING": "ascii"}, check=True).stdout
    assert "ascii, without frames and squares" in " ".join(shown.split())
    assert "mend: export PYTHONIOENCODING=utf-8" in shown
