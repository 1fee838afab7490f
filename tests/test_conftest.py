"""The switch `WORDPL_NO_SKIP`, and node ids."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import pytest

def test_runs(): assert True

@pytest.mark.skip
def test_skip(): assert True

@pytest.mark.skipif(True, reason="why not")
def test_skipif(): assert True

def test_importorskip(): pytest.importorskip("no_such_module_at_all")

@pytest.mark.xfail(run=False)
def test_not_run(): assert False

@pytest.mark.xfail
def test_known_failure(): assert False
"""


def summary_of(tmp_path, switch, *options):
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    with (tmp_path / "conftest.py").open("a") as conftest:
        conftest.write("\n\ndel pytest_sessionstart  # which compiles kernels\n")
    (tmp_path / "test_some.py").write_text(SUITE)
    (tmp_path / "test_module.py").write_text("import pytest\npytest.importorskip('no_such_module_at_all')\n")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors", *options, tmp_path],
        cwd=tmp_path,
        env={**os.environ, "WORDPL_NO_SKIP": switch},
        capture_output=True,
        text=True,
    )
    return run.stdout


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("switch", "summary"), [("0", "1 passed, 4 skipped, 2 xfailed"), ("1", "1 failed, 1 passed, 1 xfailed, 4 errors")]
)
def test_no_skip(tmp_path, switch, summary):
    assert summary in summary_of(tmp_path, switch)


@pytest.mark.heavy
def test_no_skip_in_workers(tmp_path):
    options = ["-n", "1", "--dist", "loadfile", "--no-loadscope-reorder"]
    assert "1 failed, 1 passed, 1 xfailed, 4 errors" in summary_of(tmp_path, "1", *options)


@pytest.mark.heavy
def test_tests_of_one_node_id_are_an_error(tmp_path):
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    suite = "import pytest\n@pytest.mark.parametrize('x', [1, 2], ids=['{}', '{}'])\ndef test(x): pass\n"
    (tmp_path / "test_some.py").write_text(suite.format("a", "b"))
    run = [sys.executable, "-m", "pytest", "-q", tmp_path]
    assert subprocess.run(run, cwd=tmp_path, capture_output=True).returncode == 0
    made = "def pytest_pycollect_makeitem(collector, name, obj):\n"
    made += "    if name == 'twice':\n"
    made += "        return [pytest.Function.from_parent(collector, name=name, callobj=obj) for _ in range(2)]\n"
    with (tmp_path / "conftest.py").open("a") as conftest:
        conftest.write(made)
    (tmp_path / "test_some.py").write_text("def twice(): pass\n")
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 4 and "test_some.py::twice" in done.stderr
