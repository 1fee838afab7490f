"""Interpreters of their own: from where commands import, and the same results whatever locale and hash seed."""

import json
import os
import re
import subprocess
import sys

import pytest

import wordpl
from tests.support.helpers import ASKS_ONCE

CODE = """
import sys
from wordpl.cli import main
for line in sys.stdin.read().splitlines():
    sys.argv = ["wordpl", *line.split()]
    try:
        main()
    except SystemExit as stop:
        print("\\nended:", stop.code or 0, flush=True)
"""
NAMES = {*sys.stdlib_module_names, "joblib", "lazy_loader", "numba", "numpy", "typer", "wordpl"}
TRAP = 'open(__file__ + ".ran", "w").close()\nraise SystemExit("the module of the current folder was run")\n'
LINES = """score mine.py --sandbox -n 4 --jobs 2
sweep mine.py TwoGuess(18) -n 4 --jobs 2
plot results/sweep.sqlite"""


@pytest.mark.heavy
def test_no_command_and_no_process_of_one_runs_a_module_of_the_current_folder(tmp_path):
    """In one process, which has no current folder on its path."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(TRAP)
    (tmp_path / "mine.py").write_bytes(ASKS_ONCE)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", CODE], input=LINES, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert ([*tmp_path.glob("*.ran")], re.findall(r"\nended: (\d+)", done.stdout)) == ([], ["0"] * 3), done.stderr


@pytest.mark.heavy
@pytest.mark.parametrize("locale", ["C", "tr_TR.UTF-8"])
def test_locales(locale, tmp_path):
    """In Turkish the small letter of I is another one; in C without coercion stdout is ASCII."""
    variables = {"LC_ALL": locale, "LANG": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "wordpl", "clue", "PIXIE", "TITLE"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True)
    shown = f"{wordpl.clue('pixie', 'title')}  letterwise\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, shown, "")


SET = """
from dataclasses import dataclass
from wordpl import Answer, Ask, HistoryStrategy

@dataclass(frozen=True, repr=False)
class First(HistoryStrategy):
    def decide(self, setting, history):
        words = {"crate", "slate", "adieu", "roate", "trace", "salet"}
        return Answer(setting.belief(history).top[0]) if history else Ask(next(iter(words)), 13.0)
"""


@pytest.mark.heavy
def test_the_order_of_a_set_is_the_same_in_every_run_of_a_file(tmp_path):
    """By themselves, these hash seeds have two words first."""
    (tmp_path / "first.py").write_text(SET)
    command, shown = [sys.executable, "-m", "wordpl", "watch", "first.py", "--json"], set()
    for seed in ("0", "2"):
        done = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True)
        shown.add(json.loads(done.stdout)["moves"][0]["word"])
    assert len(shown) == 1
