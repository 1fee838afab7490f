"""The current folder may be one of submissions: no command, and no process of one, takes a module from there."""

import os
import subprocess
import sys

import pytest

from tests.support.helpers import ASKS_ONCE

pytestmark = pytest.mark.heavy

NAMES = {*sys.stdlib_module_names, "joblib", "lazy_loader", "numba", "numpy", "typer", "wordpl"}
TRAP = 'open(__file__ + ".ran", "w").close()\nraise SystemExit("the module of the current folder was run")\n'
COMMANDS = """
import shlex, sys
from wordpl.cli import main
for line in sys.argv[1:]:
    sys.argv = ["wordpl", *shlex.split(line)]
    try:
        main()
    except SystemExit as end:
        assert not end.code, line
"""
LINES = (
    "score mine.py --sandbox -n 4 --jobs 2",
    "sweep mine.py TwoGuess(18) -n 4 --jobs 2",
    "plot results/sweep.sqlite",
)


def test_no_command_and_no_process_of_one_runs_a_module_of_the_current_folder(tmp_path):
    """In one process, which has no current folder on its path."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(TRAP)
    (tmp_path / "mine.py").write_bytes(ASKS_ONCE)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [sys.executable, "-P", "-c", COMMANDS, *LINES]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert ([*tmp_path.glob("*.ran")], done.returncode) == ([], 0), done.stderr
