"""What help shows as an example is run, cheaply: each line of the examples, and what the texts of options name."""

import re
import shlex

import pytest

from tests.cli.conftest import written
from tests.support.commands import LEAVES
from tests.support.helpers import SMALL, list_of
from wordpl.cli.index import EXAMPLES
from wordpl.play.grids import epsilon_grid, value_grid

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
AS_IT_IS = {
    "wordpl results results/run.sqlite --compare --all",
    "wordpl tree optimal --first salet --out salet.json",
}
ELSEWHERE = {
    "wordpl win-rate --records": "minutes (tests/cli/test_every_cell.py, with other strategies)",
    "wordpl check my_strategy.py": "a sandbox (tests/cli/test_new.py)",
    "wordpl frontier --measure": "an hour (tests/cli/test_tables.py)",
    'wordpl contest submit my_strategy.py --name "My strategy"': "1,001 games in the sandbox (tests/contest)",
    "wordpl contest close --yes": "as submit (tests/contest/test_entries.py)",
    "wordpl contest replay": "as submit (tests/contest/test_entries.py)",
    'wordpl contest replay "My strategy" --trial 3': "as submit (tests/contest/test_entries.py)",
    "wordpl serve": "runs until it is stopped (tests/web)",
    'wordpl serve --ledger results/contest.sqlite --how-to-submit "Mail it to Ann"': "as serve",
    "wordpl doctor": "looks at the machine (tests/cli/test_doctor.py)",
}
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
    return shlex.split(line)[1:] + ([] if line in AS_IT_IS else CHEAPER.get(path, []))


@pytest.mark.parametrize("path", sorted(EXAMPLES))
def test_every_example_runs(cli, typed, path, subtests, tmp_path):
    written(WORDS, tmp_path)
    for command in NEEDED.get(path, []):
        assert cli(*shlex.split(command)).code == 0
    for line in [line for line in EXAMPLES[path] if line not in ELSEWHERE]:
        with subtests.test(line):
            run = typed("quit\n", *more(line, path)) if path in SESSIONS else cli(*more(line, path))
            assert run.code == 0, run.err
            # Progress is shown after two seconds, which a busy machine may take.
            said = [row for row in run.err.splitlines() if not re.search(r"\d+/\d+ (trials|parts|games)", row)]
            assert not [row for row in said if row.startswith("wordpl:")]
            assert run.out or run.err


def test_what_does_not_run_here_is_an_example():
    lines = {line for of_command in EXAMPLES.values() for line in of_command}
    assert ELSEWHERE.keys() | AS_IT_IS <= lines


TEXTS = {
    (" ".join(path), max(param.opts, key=len)): param.help
    for path, command in LEAVES.items()
    for param in command.params
}
"""What help says of each option and argument."""
SPECS = sorted({spec for text in TEXTS.values() for spec in re.findall(r'"([A-Z]\w+\(.*?\))"', text)})


@pytest.mark.parametrize("spec", SPECS)
def test_a_strategy_that_a_text_names_plays(cli, spec):
    assert cli("score", spec, "-n", "1", "-j", "1").code == 0


def test_what_the_texts_of_options_name_is_taken(cli):
    grids = re.findall(r"\b\w+=[\w:,]+\w", TEXTS["sweep", "--grid"])
    epsilons = re.search(r"such as ([\d:,inf]+)", TEXTS["sweep", "--epsilon"])[1]
    assert [len(value_grid(*grid.split("="))) for grid in grids] == [3, 2]
    assert len(epsilon_grid(epsilons)) == 6
    assert cli("score", "Greedy(12)", "-n", "2", "-j", "1", "-o", "r.sqlite").code == 0
    pattern, label = (
        re.search(r"'(.+)'", TEXTS[option])[1] for option in (("results", "--strategy"), ("plot", "--label"))
    )
    assert cli("results", "r.sqlite", "--strategy", pattern).code == 0
    assert cli("plot", "r.sqlite", "--label", label.replace("NGuess", "Greedy"), "--kind", "wins").code == 0
    for name in re.findall(r"[a-z_]+:[\d,]+\d", TEXTS["score", "--channel"]):
        fixed = "inf" if name.startswith("fibble") else "12" if ":12" in name else "9"
        run = cli("score", f"Greedy({fixed})", "-n", "1", "-j", "1", "--channel", name)
        assert run.code == 0 or "each clue of channel levels" in run.err, run.err
