"""The command line in this process, as in tests/cli; and a contest for audits."""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import cli as cli
from tests.support.audits import SHORT, play_two
from wordpl.contest import StopRule
from wordpl.contest.ledger.entries import contest_boards


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an honest ledger of two entries, ours first, and copies from before each run and from the end."""
    folder = tmp_path_factory.mktemp("contest", "audit")
    with pytest.MonkeyPatch.context() as patch:
        drawn = itertools.count(1)
        patch.setattr("secrets.token_hex", lambda size: f"{next(drawn):0{2 * size}x}")
        play_two(folder, SHORT)
    return folder


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    """A copy of that ledger, to be forged."""
    return Path(shutil.copy(made / "contest.sqlite", tmp_path / "contest.sqlite"))


@pytest.fixture
def short_runs() -> Iterator[None]:
    """A run on the contest's own board ends after 10 to 20 trials."""
    contest_boards.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StopRule.__init__, "__defaults__", (10, 5, 20, 0.05))
        yield
    contest_boards.cache_clear()
