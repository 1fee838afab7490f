"""Help and advice: what a reader sees at 80 columns, one name for one thing, and commands that are there and run."""

import re
import shlex
import shutil

import pytest

from tests.cli.conftest import written
from tests.support.commands import ALL, LEAVES, ROOT, fault
from tests.support.helpers import SMALL, list_of
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
    assert {param.default for param in PARAMETERS if param.name == "jobs"} == {0}  # one for each core
    tables = {param.help.partition("Default: ")[2] for param in PARAMETERS if "--format" in param.opts and param.name}
    assert "table, or as --out ends." in tables


def test_all_tie_breaks_that_are_listed_are_known():
    Heuristic(tie_breaks=tie_breaks([*TIE_BREAKS, *TIE_BREAK_GROUPS]))


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
_WORD = r"--?[a-z][\w-]*|[A-Z]+\b|\d+|\"[^\"]+\"|[\w/]+\.\w+"
ADVICE = re.compile(rf"wordpl(?: --?[a-z][\w-]*|(?: [a-z][\w-]*)+)(?: (?:{_WORD}))*")
"""`wordpl` with words, and the options, placeholders, numbers and files behind them."""
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")
NO_COMMANDS = {
    "again", "and", "can", "import", "is", "itself", "made", "need", "never", "proof", "reads", "that", "writes",
}  # fmt: skip
"""What follows the name of the program where it is a subject, or a file's first line."""
FOREIGN = {"--force-reinstall", "--user", "--scope"}
"""Options of pip and systemd-run."""


def mistake(advice: str) -> str | None:
    """What is wrong with a command that is advised."""
    words = shlex.split(advice)[1:]
    at = next((n for n in (2, 1) if tuple(words[:n]) in ALL), 0)
    if not at:
        return None if words[0] in NO_COMMANDS | FLAGS else "no command"
    # After the command, a lower-case word goes on with the sentence.
    end = next((n for n in range(at, len(words)) if re.fullmatch(r"[a-z]+", words[n])), len(words))
    return fault(shlex.join(["wordpl", *words[:end]]), whole=False)


def test_a_command_or_an_option_that_is_advised_is_one():
    found = {path: path.read_text("utf-8") for path in SOURCES}
    advised = {match[0] for text in found.values() for match in ADVICE.finditer(text)}
    assert len(advised) > 50
    assert {advice: said for advice in sorted(advised) if (said := mistake(advice))} == {}
    python = [path for path in SOURCES if path.suffix == ".py" and path.name not in ("sandbox.py", "permissions.py")]
    assert {flag for path in python for flag in FLAG.findall(found[path])} - FLAGS <= FOREIGN
