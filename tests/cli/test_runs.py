"""`score` and `sweep` of strategies that are broken."""

from pathlib import Path

from tests.cli.conftest import Cli


def test_a_strategy_that_errs_in_every_trial_is_no_success(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def first_move(self):\n        return 1 / 0\n    def next_move(self, *clue): ...\n"
    )
    for command in ("score", "sweep"):
        run = cli(command, "mine.py:Mine()", "--trials", "5", "--jobs", "1", "--json")
        assert run.code == 2
        assert run.err.splitlines()[-1] == (
            "wordpl: mine.py:Mine() lost all 5 trials by errors: mine.py:3: ZeroDivisionError: division by zero"
        )


def test_a_strategy_that_is_no_dataclass(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import wordpl\n"
        "class Mine(wordpl.Strategy):\n"
        "    def __repr__(self): return 'Mine()'\n"
        "    def players(self, setting): return None\n"
    )
    run = cli("sweep", "mine.py:Mine()", "--trials", "5", "--jobs", "1", "--out", "r.sqlite")
    assert run.code == 2
    assert "Mine cannot be told from other strategies" in run.err
    assert len(run.err.splitlines()) == 1
