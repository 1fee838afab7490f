"""The current folder may be one of submissions: no command, and no process of one, takes a module from there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.helpers import ASKS_ONCE

pytestmark = pytest.mark.heavy

NAMES = {*sys.stdlib_module_names, "joblib", "lazy_loader", "numba", "numpy", "typer", "wordpl"}
TRAP = 'open(__file__ + ".ran", "w").close()\nraise SystemExit("the module of the current folder was run")\n'
PROGRAM = """
from wordpl import sweep
if __name__ == "__main__":
    print([one.trials for one in sweep(["TwoGuess(18)"], 12, 2)])
"""
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
IN_PROCESSES = """
doctor
score mine.py --sandbox -n 4 --jobs 2
sweep mine.py TwoGuess(18) -n 4 --jobs 2 -o s.sqlite
plot s.sqlite -o p.png --kind wins
report s.sqlite -o p.html
"""
"""Commands that start processes, or import what the usual ones do not."""


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(TRAP)
    (tmp_path / "mine.py").write_bytes(ASKS_ONCE)
    return tmp_path


def ran(folder: Path) -> list[str]:
    """The modules of the folder that were run."""
    return sorted(path.name for path in folder.glob("*.ran"))


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=200)


def test_no_command_runs_a_module_of_the_current_folder(folder):
    """In one process, which has no current folder on its path."""
    done = run(folder, sys.executable, "-P", "-c", COMMANDS, *IN_PROCESSES.strip().splitlines())
    assert (ran(folder), done.returncode) == ([], 0), done.stderr


def test_workers_of_a_program_take_no_module_from_there(folder, tmp_path_factory):
    program = tmp_path_factory.mktemp("program") / "program.py"
    program.write_text(PROGRAM)
    done = run(folder, sys.executable, str(program))
    assert (ran(folder), done.stdout, done.stderr) == ([], "[12]\n", "")
