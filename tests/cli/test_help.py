"""Help: what a reader sees at 80 columns, one name for one thing, and choices that are those of the library."""

import re

import pytest

from tests.support.commands import ALL, LEAVES, fault
from wordpl.cli.compare import RuleOptions
from wordpl.cli.index import EXAMPLES
from wordpl.cli.options import SHARED
from wordpl.wordle.trees.heuristic import Heuristic, tie_breaks
from wordpl.wordle.trees.names import TIE_BREAK_GROUPS, TIE_BREAKS

FIRSTS = ["score", "play", "tree", "new"]
"""The first command of each section."""


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_fits_80_columns(cli, path):
    run = cli(*path, "-h")
    assert (run.code, run.err) == (0, "")
    assert run.out == cli(*path, "--help").out
    assert run.out.startswith(f"Usage: wordpl {' '.join((*path, ''))}[OPTIONS]")
    assert max(map(len, run.out.splitlines())) <= 80
    assert not re.search(r"[a-z]\.\.\.", run.out.partition("Examples:")[0])  # no summary is cut short
    sections = re.findall(r"^([A-Z][\w ,]*):$", run.out, re.MULTILINE)
    if path == ():
        firsts = dict(re.findall(r"^([A-Z][\w ]*):\n  ([\w-]+) ", run.out, re.MULTILINE))
        assert [firsts[name] for name in ("Simulate", "Play and solve", "Trees", "Contest")] == FIRSTS
    if path in LEAVES:
        assert LEAVES[path].help
        assert all(param.help.endswith((".", ").", ")")) for param in LEAVES[path].params if param.name != "help")
        in_order = ("Arguments", "Options", RuleOptions.section, SHARED, "Look", "Examples")
        assert sections == [name for name in in_order if name in sections]
        assert (SHARED in sections) == ("--answers" in run.out)


def test_every_command_shows_its_examples_and_takes_them(cli):
    assert set(EXAMPLES) == {" ".join(path) for path in LEAVES}
    for path, lines in EXAMPLES.items():
        shown = cli(*path.split(), "--help").out.rpartition("Examples:\n")[2]
        assert shown.splitlines() == [f"  {line}" for line in lines]
        assert [fault(line, whole=True) for line in lines] == [None] * len(lines)


def test_one_thing_has_one_name():
    flags: dict[str, set[tuple[str, ...]]] = {}
    for command in LEAVES.values():
        for param in command.params:
            if param.param_type_name == "option":
                for flag in param.opts:
                    flags.setdefault(flag, set()).add(tuple(param.opts))
    assert {flag: found for flag, found in flags.items() if len(found) > 1} == {}
    for long, short in {"--out": "-o", "--trials": "-n", "--jobs": "-j", "--count": "-k", "--epsilon": "-e"}.items():
        assert flags[long] == {(long, short)}
    assert {"--words", "--rule", "--channel", "--seed", "--json", "--until-width"} <= set(flags)
    assert not {"--output", "--export", "--plot"} & set(flags)
    params = [param for command in LEAVES.values() for param in command.params]
    assert {param.default for param in params if param.name == "jobs"} == {0}  # one for each core
    tables = {param.help.partition("Default: ")[2] for param in params if "--format" in param.opts and param.name}
    assert "table, or as --out ends." in tables


def test_all_tie_breaks_that_are_listed_are_known():
    Heuristic(tie_breaks=tie_breaks([*TIE_BREAKS, *TIE_BREAK_GROUPS]))
