"""What the suite's `conftest.py` refuses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TWICE = """

def pytest_pycollect_makeitem(collector, name, obj):
    if name == "twice":
        return [pytest.Function.from_parent(collector, name=name, callobj=obj) for _ in range(2)]
"""


@pytest.mark.heavy
def test_tests_of_one_node_id_are_an_error(tmp_path):
    own = Path(__file__).with_name("conftest.py").read_text()
    (tmp_path / "conftest.py").write_text(own + TWICE)
    (tmp_path / "test_some.py").write_text("def twice(): pass\n")
    command = [sys.executable, "-m", "pytest", "-q", tmp_path]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 4 and "test_some.py::twice" in done.stderr
