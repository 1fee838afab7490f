"""`wordpl doctor`: what there is, and what is broken. test_advice.py has what mends it."""

import json
import os
import sys

import numpy as np

import wordpl
from wordpl.base.engine import ENGINE_VERSION
from wordpl.contest import ledger, limits, sandbox
from wordpl.limits import policy
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


def test_a_cache_that_cannot_be_written_is_no_essential_fault(cli, monkeypatch):
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and may(path, mode))
    done = cli("doctor", "--json")
    (cache,) = (entry for entry in json.loads(done.out) if entry["name"] == "cache")
    assert cache["state"].endswith(" MB, cannot be written") and cache["mend"].startswith("export WORDPL_CACHE=")
    assert (done.code, cache["ok"], cache["needed"]) == (0, False, False)


def test_a_package_that_is_needed_and_broken_is_exit_code_1(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    done = cli("doctor")
    assert done.code == 1
    assert "the files of numba are missing" in done.out and "pip install --force-reinstall ." in done.out
