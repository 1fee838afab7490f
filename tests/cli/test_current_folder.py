"""The current folder may be one of submissions: no command, and no process of one, takes a module from there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.heavy

NAMES = """
random numpy json types abc ast base64 contextlib copyreg ctypes dataclasses enum functools hashlib io joblib logging
multiprocessing os pathlib pickle queue re secrets selectors shutil signal site socket sqlite3 string struct subprocess
tempfile threading typing warnings weakref wordpl
""".split()  # noqa: SIM905
TRAP = 'open(__file__ + ".ran", "w").close()\nraise SystemExit("the module of the current folder was run")\n'
PROGRAM = """
from wordpl import sweep
if __name__ == "__main__":
    print([one.trials for one in sweep(["TwoGuess(18)"], 12, 2)])
"""
MINE = "class Mine:\n    def first_move(self):\n        return 'crate', 0\n    next_move = first_move\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(TRAP)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def ran(folder: Path) -> list[str]:
    """The modules of the folder that were run."""
    return sorted(path.name for path in folder.glob("*.ran"))


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200)


@pytest.mark.parametrize(
    "command",
    [
        "score TwoGuess(18) -n 40 --jobs 2",
        "sweep TwoGuess(18) -n 40 --jobs 2 --out r.sqlite",
        "compare TwoGuess(18) TwoGuess(12) -n 40 --jobs 2",
        "win-rate TwoGuess(18) --jobs 2",
        "score mine.py --sandbox -n 2 --jobs 2",
        "contest submit mine.py --name Mine --jobs 2 --ledger contest.sqlite",
        "doctor",
    ],
)
def test_no_command_runs_a_module_of_the_current_folder(folder: Path, command: str) -> None:
    done = run(folder, str(Path(sys.executable).with_name("wordpl")), *command.split())
    assert ran(folder) == []
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr


def test_python_m_takes_no_module_from_there_either(folder: Path) -> None:
    """But for those that Python has imported by then, and the package itself."""
    for path in folder.glob("*.py"):
        if path.stem not in ("random", "numpy", "json", "joblib", "multiprocessing", "secrets", "sqlite3", "mine"):
            path.unlink()
    done = run(folder, sys.executable, "-m", "wordpl", "score", "TwoGuess(18)", "-n", "40", "--jobs", "2")
    assert (ran(folder), done.returncode) == ([], 0), done.stderr


def test_workers_of_a_program_take_no_module_from_there(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    program = tmp_path_factory.mktemp("program") / "program.py"
    program.write_text(PROGRAM)
    done = run(folder, sys.executable, str(program))
    assert (ran(folder), done.stdout, done.stderr) == ([], "[12]\n", "")
