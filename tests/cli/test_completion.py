"""Shell completion: the scripts, what is offered, and that nothing slow is imported meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import wordpl
from wordpl.cli import main, options
from wordpl.cli.completion import strategy_names
from wordpl.play.specs import strategies_in

SHELLS = {
    "bash": "complete -o default -F _wordpl_completion wordpl",
    "zsh": "#compdef wordpl",
    "fish": "complete --command wordpl",
}


def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], **variables: str) -> tuple[int, list[str]]:
    """Exit code and lines of `wordpl` in such an environment."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["wordpl"])
    with pytest.raises(SystemExit) as stop:
        main()
    shown = capsys.readouterr()
    assert shown.err == ""
    return int(stop.value.code or 0), shown.out.splitlines()


@pytest.mark.parametrize(("shell", "line"), SHELLS.items())
def test_there_is_a_script_for_each_shell(shell, line, monkeypatch, capsys):
    code, lines = ask(monkeypatch, capsys, _WORDPL_COMPLETE=f"source_{shell}")
    assert code == 0 and line in "\n".join(lines)


BASH = {
    "wordpl sc": ["score"],
    "wordpl tree ": ["build", "optimal", "prove", "check"],
    "wordpl score Max": ["MaxClueEntropy"],
    "wordpl win-rate TwoGuess Ren": ["Renyi"],
    "wordpl score X --rule ": list(options.RULES),
    "wordpl rank --criterion renyi --words nyt": ["nyt2022", "nyt2023"],
    "wordpl score X --game": ["--game-seconds"],
    "wordpl results ": [],  # bash then offers files
    "wordpl score ./my": [],
    "wordpl submit ": [],
    "wordpl score X --out ": [],
}


@pytest.mark.parametrize(("typed", "offered"), BASH.items())
def test_bash_is_offered_commands_names_and_choices(typed, offered, monkeypatch, capsys):
    code, lines = ask(
        monkeypatch,
        capsys,
        _WORDPL_COMPLETE="complete_bash",
        COMP_WORDS=typed,
        COMP_CWORD=str(len(typed.split(" ")) - 1),
    )
    assert (code, [line for line in lines if line]) == (0, offered)


def test_zsh_and_fish_are_offered_the_same_with_summaries(monkeypatch, capsys):
    zsh = {"_WORDPL_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "wordpl aud"}
    assert ask(monkeypatch, capsys, **zsh) == (
        0,
        ["""_arguments '*: :(("audit":"Check the ledger, and replay its games from their seeds."))'"""],
    )
    fish = {"_WORDPL_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert ask(monkeypatch, capsys, **fish) == (0, ["audit\tCheck the ledger, and replay its games from their seeds."])
    for typed, code in (("wordpl aud", 0), ("wordpl results ", 1)):  # 1: fish then offers files
        fish |= {"_TYPER_COMPLETE_FISH_ACTION": "is-args", "_TYPER_COMPLETE_ARGS": typed}
        assert ask(monkeypatch, capsys, **fish) == (code, [])


def test_the_names_are_those_of_the_library():
    assert strategy_names("") == sorted(strategies_in(wordpl.library))
    assert strategy_names("Bayes") == ["BayesianGreedy", "BayesianRandom", "BayesianSolver", "BayesianWordle"]


LOADED = """
import sys
from wordpl.cli import main
sys.argv = ["wordpl"]
try:
    main()
finally:
    print("loaded:", *{"numpy", "numba", "scipy", "pandas", "joblib"} & set(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("typed", ["wordpl score M", "wordpl score X --rule "])
def test_completing_imports_nothing_slow(typed):
    variables = {"_WORDPL_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    environment = {**os.environ, **variables, "PYTHONPATH": str(Path(wordpl.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True)
    assert done.stderr == "loaded:\n" and done.stdout.strip()


def test_the_script_for_the_current_shell_is_no_failure(monkeypatch, capsys):
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: "zsh")
    monkeypatch.setattr(sys, "argv", ["wordpl", "--show-completion"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert (stop.value.code, capsys.readouterr().out.splitlines()[0]) == (0, "#compdef wordpl")
