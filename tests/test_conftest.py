"""The switch `WORDPL_NO_SKIP`, and node ids."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.heavy

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
TWICE = """

def pytest_pycollect_makeitem(collector, name, obj):
    if name == "twice":
        return [pytest.Function.from_parent(collector, name=name, callobj=obj) for _ in range(2)]
"""


def suite(folder, *options, more="", **files):
    """What pytest does with these files and the suite's `conftest.py`, to which `more` is added."""
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    with (folder / "conftest.py").open("a") as conftest:
        conftest.write(more)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", *options, folder]
    environment = {**os.environ, "WORDPL_NO_SKIP": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_no_skip(tmp_path):
    """In the workers of pytest-xdist, as in its own process."""
    workers = ["-n", "1", "--dist", "loadfile", "--no-loadscope-reorder", "--continue-on-collection-errors"]
    module = "import pytest\npytest.importorskip('no_such_module_at_all')\n"
    without_kernels = "\n\ndel pytest_sessionstart\n"
    done = suite(tmp_path, *workers, more=without_kernels, test_some=SUITE, test_module=module)
    assert "1 failed, 1 passed, 1 xfailed, 4 errors" in done.stdout


def test_tests_of_one_node_id_are_an_error(tmp_path):
    done = suite(tmp_path, more=TWICE, test_some="def twice(): pass\n")
    assert done.returncode == 4 and "test_some.py::twice" in done.stderr
