"""`wordpl contest submit`: when the seed is told. `wordpl score FILE`: the same games, in the sandbox or without."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import wordpl
from tests.support.helpers import ASKS_ONCE
from wordpl.contest.ledger.writer import Ledger

pytestmark = pytest.mark.heavy


def told(text: str, ledger: Path) -> tuple[bool, str]:
    """Whether the seed of the only entry stands in a text, and the state of that entry."""
    with Ledger(ledger) as book:
        (entry,) = book.entries()
        return str(book.seed(entry)) in text, entry.state


def test_the_seed_is_told_when_the_run_is_over_and_not_before(cli, tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("import nowhere\n")
    command = ("contest", "submit", "broken.py", "--name", "Broken", "--ledger", "contest.sqlite")
    monkeypatch.setattr(wordpl.contest, "evaluate_submission", lambda *_: None)  # as if it failed after a first start

    def interrupted(*given: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(wordpl.contest, "play_entry", interrupted)
        stopped = cli(*command)
    assert stopped.code == 130
    assert told(stopped.out + stopped.err, tmp_path / "contest.sqlite") == (False, "running")
    assert "To resume: wordpl contest submit broken.py" in stopped.err

    over = cli(*command)
    assert over.code == 2
    assert told(over.err, tmp_path / "contest.sqlite") == (True, "ended"), "an entry without a rank has a seed, too"
    assert re.search(r"ended; secret [0-9a-f]{64}; seed \d+", over.err)


TWO = "class First:\n    first_move = next_move = None\n\nclass Second(First): ...\n"


@pytest.mark.parametrize(
    ("source", "said"), [(TWO, "several strategies (First, Second)"), ("class Mine", "SyntaxError")]
)
def test_what_cannot_start_gets_no_entry(source, said, cli, tmp_path):
    (tmp_path / "mine.py").write_text(source)
    done = cli("contest", "submit", "mine.py", "--name", "Mine", "--ledger", "contest.sqlite")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "'mine.py' cannot be started: " in done.err and said in done.err
    with Ledger(tmp_path / "contest.sqlite") as book:
        assert book.entries() == []


TIMES = {"seconds", "wall_seconds", "slowest_move", "seconds_per_move"}


def test_the_sandbox_changes_no_figure_and_nothing_is_written(cli, tmp_path):
    (tmp_path / "mine.py").write_bytes(ASKS_ONCE)
    options = ["--trials", "12", "--seed", "3", "--jobs", "1"]
    free, boxed = (cli("score", "mine.py", *options, "--json", *how) for how in ([], ["--sandbox"]))
    assert "mine.py runs with your permissions; score, check and watch confine it with --sandbox" in free.err
    assert "with all that you may do" not in boxed.err
    trusted, figures = json.loads(free.out), json.loads(boxed.out)
    assert figures["trusted"] is figures["ranked"] is False
    assert figures["trials"] == 12 and figures["errors"] == figures["timeouts"] == 0
    same = figures.keys() & trusted.keys() - TIMES
    assert {name: figures[name] for name in same} == {name: trusted[name] for name in same}
    shown = cli("score", "mine.py", *options, "--sandbox").out
    assert "not ranked: the seed is known" in " ".join(shown.split())
    assert not (tmp_path / "results").exists()
