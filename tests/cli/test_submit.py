"""`wordpl submit`: when the seed is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from wordpl.contest import submit
from wordpl.contest.ledger import Ledger

pytestmark = pytest.mark.heavy


def told(text: str, ledger: Path) -> tuple[bool, str]:
    """Whether the seed of the only entry stands in a text, and the state of that entry."""
    with Ledger(ledger) as book:
        (entry,) = book.entries()
        return str(book.seed(entry)) in text, entry.state


def test_the_seed_is_told_when_the_run_is_over_and_not_before(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text("import nowhere\n")
    command = ("submit", "broken.py", "--name", "Broken", "--ledger", "contest.sqlite")

    def interrupted(*given: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(submit, "play_entry", interrupted)
        stopped = cli(*command)
    assert stopped.code == 130
    assert told(stopped.out + stopped.err, tmp_path / "contest.sqlite") == (False, "running")
    assert "To resume: wordpl submit broken.py" in stopped.err
    receipt = next(tmp_path.glob("*.receipt.json")).read_text()
    assert told(receipt, tmp_path / "contest.sqlite") == (False, "running")

    over = cli(*command)
    assert over.code == 2
    assert told(over.err, tmp_path / "contest.sqlite") == (True, "ended"), "an entry without a rank has a seed, too"
    assert re.search(r"ended; secret [0-9a-f]{64}; seed \d+", over.err)
    again = cli(*command)
    assert told(again.err, tmp_path / "contest.sqlite") == (True, "ended")
