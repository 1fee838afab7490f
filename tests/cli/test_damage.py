"""A file that a disk has changed gives what it gave before, or one line: never another number, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.contest.test_ledger import enter, finish
from tests.damage import believed
from tests.helpers import SMALL, Sometimes
from wordpl import Store, parse_strategy, sweep
from wordpl.contest.ledger.writer import Ledger
from wordpl.simulation.sweep import make_task


def asked(
    cli: Cli, path: Path, *arguments: str, written: Path | None = None
) -> Callable[[bytes], tuple[int, str, str]]:
    """What a command says of the content of a file at `path`, and what it writes."""

    def answer(content: bytes) -> tuple[int, str, str]:
        for beside in ("", "-journal", "-wal", "-shm"):
            Path(f"{path}{beside}").unlink(missing_ok=True)
        path.write_bytes(content)
        if written is not None:
            written.unlink(missing_ok=True)
        run = cli(*arguments)
        text = written.read_text() if written is not None and written.exists() else ""
        return run.code, "" if run.code == 2 else run.out + text, run.err

    return answer


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The content of a results file: a curve of two epsilons, and a strategy that loses for reasons."""
    path = tmp_path_factory.mktemp("damage") / "r.sqlite"
    tasks = [
        make_task(strategy, words=SMALL) for strategy in (*map(parse_strategy, ("Greedy(6)", "Greedy(9)")), Sometimes())
    ]
    with Store(path, command="wordpl sweep") as store:
        sweep(tasks, 40, store=store)
    return path.read_bytes()


@pytest.mark.parametrize(
    "command", [[], ["--json"], ["--provenance"], ["--out", "t.csv"], ["--out", "t.json"]], ids=str
)
def test_results(cli: Cli, results: bytes, tmp_path: Path, command: list[str]) -> None:
    written = tmp_path / command[1] if len(command) == 2 else None
    assert not believed(results, asked(cli, tmp_path / "r.sqlite", "results", "r.sqlite", *command, written=written))


def test_leaderboard(cli: Cli, tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        finish(ledger, enter(ledger))
    content = (tmp_path / "l.sqlite").read_bytes()
    for form in ([], ["--json"]):
        assert not believed(content, asked(cli, tmp_path / "l.sqlite", "leaderboard", "--ledger", "l.sqlite", *form))
