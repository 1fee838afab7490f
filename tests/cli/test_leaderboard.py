"""`wordpl leaderboard`: what it loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.contest.test_ledger import enter, finish
from wordpl.contest.ledger import Ledger

COMMAND = """
import sys
from wordpl.cli import main

sys.argv = ["wordpl", "leaderboard", "--ledger", sys.argv[1]]
try:
    main()
finally:
    print({"cgroup", "contestant_process", "payload", "sandbox", "scoring", "seccomp", "submit"}
        & {name.removeprefix("wordpl.contest.") for name in sys.modules})
"""


def test_showing_a_ledger_does_not_load_the_sandbox(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    with Ledger(path) as ledger:
        finish(ledger, enter(ledger))
    done = subprocess.run([sys.executable, "-c", COMMAND, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Mine" in done.stdout
    assert done.stdout.splitlines()[-1] == "set()"
