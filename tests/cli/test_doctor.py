"""`wordpl doctor`: what there is, and what is broken. test_help.py has what mends it."""

import json
import os
import re
import shutil
import sys
from importlib import metadata
from unittest.mock import Mock

import numpy as np

import wordpl
from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import WordplError
from wordpl.contest import ledger, limits, sandbox
from wordpl.limits import policy
from wordpl.reporting import tables
from wordpl.simulation.store import SCHEMA_VERSION
from wordpl.wordle.trees import tree
from wordpl.wordle.trees.names import CERTIFICATE_FORMAT


def test_every_part_has_a_line(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "kept").write_bytes(bytes(2_340_000))
    done = cli("doctor")
    assert (done.code, done.err) == (0, "")
    lines = {line.split()[0]: line for line in done.out.splitlines() if not line.startswith(" ")}
    told = {
        "wordpl": wordpl.__version__,
        "packages": f"numpy {np.__version__}",
        "cache": f"{tmp_path / 'cache'}, 2.3 MB, writable",
        "engine": f"version {ENGINE_VERSION};",
        "formats": f"results {SCHEMA_VERSION}, ledger {ledger.FORMAT}, tree {tree.FORMAT}, policy {policy.FORMAT}, "
        f"certificate {CERTIFICATE_FORMAT}",
        "cores": f"{len(os.sched_getaffinity(0))} of ",
        "sandbox": sandbox.find().describe(),
        **dict.fromkeys(("python", "plots", "parquet", "gymnasium", "memory", "terminal"), ""),
    }
    assert {name: text for name, text in told.items() if text not in lines[name]} == {}
    assert "mend" not in done.out or not limits.memory_version()


def test_a_package_that_is_needed_and_broken_is_exit_code_1(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    done = cli("doctor")
    assert done.code == 1
    assert "the files of numba are missing" in done.out and "pip install --force-reinstall ." in done.out


def test_what_mends_what_is_not_essential(cli, monkeypatch):
    version, may = metadata.version, os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and may(path, mode))
    monkeypatch.setattr(metadata, "version", lambda name: version(name if name != "matplotlib" else "not there"))
    monkeypatch.setattr(limits, "memory_version", lambda: 0)
    monkeypatch.setattr(tables, "can_show_frames", lambda: False)
    done = cli("doctor", "--json")
    entries = {entry["name"]: entry for entry in json.loads(done.out)}
    assert done.code == 0
    assert set(entries) >= {"plots", "parquet", "priority", "cluster", "web", "contest", "gymnasium", "kernels"}
    for name, state, mend in (
        ("plots", "matplotlib is not installed", f"{sys.executable} -m pip install '.[plots]'"),
        ("cache", " mb, cannot be written", "export WORDPL_CACHE="),
        ("memory", "bounded by no control group", "systemd-run --user --scope wordpl COMMAND"),
        ("terminal", "any columns, no colours, utf-8, without frames and squares", "export PYTHONIOENCODING=utf-8"),
    ):
        one = entries[name]
        assert state in one["state"].lower() and (one["ok"], one["needed"]) == (False, False) and mend in one["mend"]
    for found, wrong, mend in (
        ("/bin/bwrap", "no root", "kernel.apparmor_restrict_unprivileged_userns=0"),
        ("", "it is not there", "sudo apt-get install bubblewrap"),
        ("", "a process needs Linux with /proc", "sudo mount -t proc proc /proc  # in a cont"),
    ):
        monkeypatch.setattr(sandbox, "find", Mock(side_effect=WordplError(wrong)))
        monkeypatch.setattr(shutil, "which", Mock(return_value=found))
        (told,) = re.findall(f"\nsandbox    {wrong}\n +mend: (.*)\n", out := cli("doctor").out)
        assert mend in told and "\nmemory " not in out
