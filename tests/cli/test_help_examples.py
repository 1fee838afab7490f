"""Each example of the help runs, with fewer games or words."""

import re
import shlex

import pytest

from tests.cli.conftest import written
from tests.support.helpers import SMALL, list_of
from wordpl.cli.index import EXAMPLES

pytestmark = pytest.mark.heavy

NAMED = ("solar", "crane", "crate", "haste", "grape")
WORDS = list_of("few", (*SMALL.answers[::2], *NAMED), ("salet", "slink", "sound"))
"""A list with the words that the examples name."""
LISTS = ["--answers", "answers.txt", "--guesses", "guesses.txt"]
ONE_JOB = ["-j", "1", *LISTS]
FEW = ["-n", "4", "-j", "1"]
CHEAPER: dict[str, list[str]] = {
    "score": FEW,
    "sweep": FEW,
    "compare": [*FEW, *LISTS],
    **dict.fromkeys(("tree prove", "win-rate"), ONE_JOB),
    **dict.fromkeys(("analyze", "tree build", "tree check", "tree optimal"), LISTS),
}
"""What is added to the examples of a command, so that they take no minutes."""
ELSEWHERE = {
    "win-rate --records": "minutes (tests/cli/test_every_cell.py, with other strategies)",
    "check": "a sandbox (tests/cli/test_new.py)",
    "frontier --measure": "an hour (tests/cli/test_tables.py)",
    "contest submit": "1,001 games in the sandbox (tests/contest)",
    "contest close": "as submit (tests/contest/test_entries.py)",
    "contest replay": "as submit (tests/contest/test_entries.py)",
    "serve": "runs until it is stopped (tests/web)",
    "doctor": "looks at the machine (tests/cli/test_doctor.py)",
}
"""How lines begin that are not run here, and why."""
NEEDED = {
    "watch": ["new my_strategy.py", "score TwoGuess(18) -n 6 -j 1 -o results/run.sqlite"],
    "compare": [f"score {spec} -n 6 -j 1 -o results/run.sqlite" for spec in ("NGuess(2,9)", "TwoGuess(18)")],
    "results": [
        f"sweep NGuess(2) Greedy(9) -e 5,9 -n 6 -j 1 -o {name}"
        for name in ("results/run.sqlite", "a.sqlite", "b.sqlite")
    ],
    "plot": [f"sweep NGuess(2) -e 5,9 -n 6 -j 1 -o {name}" for name in ("results/run.sqlite", "a.sqlite", "b.sqlite")],
    "report": ["sweep NGuess(2) -e 5,9 -n 6 -j 1 -o results/run.sqlite"],
    "tree check": ["tree build --first salet --out salet.json --answers answers.txt --guesses guesses.txt"],
    "score": ["new my_strategy.py"],
    "contest board": ["contest start"],
}
"""What has to be there before the examples of a command."""
SESSIONS = {"play", "solve"}


def more(line: str, path: str) -> list[str]:
    return shlex.split(line)[1:] + CHEAPER.get(path, [])


@pytest.mark.parametrize("path", sorted(EXAMPLES))
def test_every_example_runs(cli, typed, path, subtests, tmp_path):
    written(WORDS, tmp_path)
    for command in NEEDED.get(path, []):
        assert cli(*shlex.split(command)).code == 0
    for line in EXAMPLES[path]:
        if line.removeprefix("wordpl ").startswith((*ELSEWHERE,)):
            continue
        with subtests.test(line):
            run = typed("quit\n", *more(line, path)) if path in SESSIONS else cli(*more(line, path))
            assert run.code == 0, run.err
            # Progress is shown after two seconds, which a busy machine may take.
            said = [row for row in run.err.splitlines() if not re.search(r"\d+/\d+ (trials|parts|games)", row)]
            assert not [row for row in said if row.startswith("wordpl:")]
            assert run.out or run.err
