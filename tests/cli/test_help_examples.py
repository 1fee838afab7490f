"""The examples of the help run, with fewer games or words."""

import shlex
import shutil

import pytest

from tests.cli.conftest import written
from tests.support.helpers import SMALL, list_of
from wordpl.cli.index import EXAMPLES

NAMED = ("solar", "crane", "crate", "haste", "grape")
WORDS = list_of("few", (*SMALL.answers[::2], *NAMED), ("salet", "slink", "sound"))
"""A list with the words that the examples name."""
LISTS = ["--answers", "answers.txt", "--guesses", "guesses.txt"]
GAMES = ["-n", "4", "-j", "1", *LISTS]
CHEAPER = dict.fromkeys(("score", "sweep", "compare"), GAMES)
CHEAPER |= dict.fromkeys(("tree prove", "win-rate"), GAMES[2:])
CHEAPER |= dict.fromkeys(("analyze", "tree build", "tree check", "tree optimal"), LISTS)
"""What is added to the examples of a command, so that they take no minutes."""
ELSEWHERE = ("score my_strategy.py", 'score "my_strategy.py', "win-rate --records", "check", "frontier --measure")
ELSEWHERE += ("contest submit", "contest close", "contest replay", "serve", "doctor")
"""How lines begin that take a sandbox, minutes, or the whole machine; other tests run what they do."""


@pytest.mark.heavy
def test_every_example_runs(cli, typed, subtests, tmp_path):
    written(WORDS, tmp_path)
    assert cli(*shlex.split("sweep NGuess(2) Greedy(9) -e 5,9 -o a.sqlite"), *GAMES).code == 0
    shutil.copy("a.sqlite", "b.sqlite")
    for path, lines in EXAMPLES.items():
        if path == "results":
            shutil.copy("a.sqlite", "results/run.sqlite")
        for line in lines:
            if not line.removeprefix("wordpl ").startswith(ELSEWHERE):
                with subtests.test(line):
                    run = typed("quit\n", *shlex.split(line)[1:], *CHEAPER.get(path, []))
                    assert run.code == 0 and "wordpl:" not in run.err and run.out + run.err, run.err
