"""Help and advice: what a reader sees at 80 columns, and commands that are there and run; and `wordpl doctor`."""

import os
import re
import shlex
import shutil
import sys

import numpy as np
import pytest

import wordpl
from tests.cli.conftest import written
from tests.support.commands import ALL, LEAVES, ROOT, fault
from tests.support.helpers import SMALL, list_of
from wordpl.base.engine import ENGINE_VERSION
from wordpl.cli.index import EXAMPLES
from wordpl.contest import limits, sandbox


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_fits_80_columns(cli, path):
    run = cli(*path, "-h", COLUMNS="80")
    assert (run.code, run.err) == (0, "") and run.out == cli(*path, "--help", COLUMNS="80").out
    assert run.out.startswith(f"Usage: wordpl {' '.join((*path, ''))}[OPTIONS]")
    assert max(map(len, run.out.splitlines())) <= 80
    assert not re.search(r"[a-z]\.\.\.", run.out.partition("Examples:")[0])  # no summary is cut short


def test_every_command_shows_its_examples_and_takes_them(cli):
    assert set(EXAMPLES) == {" ".join(path) for path in LEAVES}
    for path, lines in EXAMPLES.items():
        shown = cli(*path.split(), "--help").out.rpartition("Examples:\n")[2]
        assert shown.splitlines() == [f"  {line}" for line in lines]
        assert [fault(line, whole=True) for line in lines] == [None] * len(lines)
    (levels,) = re.findall(r"levels:\S+", cli("score", "--help").out)
    assert wordpl.Setting(SMALL, channel=wordpl.channel_family(levels))


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


# Advice: each command or option in a message, a help text, a docstring, a template or the page is one.

PARAMETERS = [param for command in LEAVES.values() for param in command.params]
FLAGS = {"--version", "--help", "-h", *(flag for one in PARAMETERS for flag in (*one.opts, *one.secondary_opts))}
SOURCES = [
    path
    for path in sorted((ROOT / "wordpl").rglob("*"))
    if path.suffix in (".py", ".txt", ".js", ".html") and "data" not in path.parts and path.name != "index.py"
]
_COMMAND = r"wordpl ((?:(?:tree|contest) )?[a-z][a-z-]*)"
ADVICE = re.compile(rf"`{_COMMAND}|{_COMMAND} --")
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")
FOREIGN = {"--force-reinstall", "--user", "--scope"}
"""Options of pip and systemd-run."""


def test_a_command_or_an_option_that_is_advised_is_one():
    found = {path: path.read_text("utf-8") for path in SOURCES}
    advised = {one or other for text in found.values() for one, other in ADVICE.findall(text)}
    assert len(advised) > 20 and {tuple(advice.split()) for advice in advised} <= ALL.keys()
    python = [path for path in SOURCES if path.suffix == ".py" and path.name not in ("sandbox.py", "permissions.py")]
    assert {flag for path in python for flag in FLAG.findall(found[path])} - FLAGS <= FOREIGN


# `wordpl doctor`: what there is, and what is broken.


def test_every_part_has_a_line(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "kept").write_bytes(bytes(2_340_000))
    done = cli("doctor")
    assert (done.code, done.err) == (0, "")
    lines = {line.split()[0]: line for line in done.out.splitlines() if not line.startswith(" ")}
    told = {
        "wordpl": wordpl.__version__,
        "packages": f"numpy {np.__version__}",
        "cache": f"{tmp_path / 'cache'}, 2.3 MB, writable",
        "engine": f"version {ENGINE_VERSION};",
        "cores": f"{len(os.sched_getaffinity(0))} of ",
        "sandbox": sandbox.find().describe(),
    }
    assert {name: text for name, text in told.items() if text not in lines[name]} == {}
    assert "mend" not in done.out or not limits.memory_version()


def test_a_package_that_is_needed_and_broken_is_exit_code_1(cli, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    done = cli("doctor")
    assert done.code == 1
    assert "the files of numba are missing" in done.out and "pip install --force-reinstall ." in done.out
