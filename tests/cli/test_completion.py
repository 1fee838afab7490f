"""Shell completion: the scripts, what is offered, and that nothing slow is imported meanwhile."""

import pytest

import wordpl
from tests.cli.conftest import Cli
from wordpl.cli import options
from wordpl.cli.options import strategy_names
from wordpl.play.specs import strategies_in

SHELLS = {
    "bash": "complete -o default -F _wordpl_completion wordpl",
    "zsh": "#compdef wordpl",
    "fish": "complete --command wordpl",
}


def ask(cli: Cli, monkeypatch: pytest.MonkeyPatch, **variables: str) -> tuple[int, list[str]]:
    """Exit code and lines of `wordpl` in such an environment."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    run = cli()
    assert run.err == ""
    return run.code, run.out.splitlines()


@pytest.mark.parametrize(("shell", "line"), SHELLS.items())
def test_there_is_a_script_for_each_shell(shell, line, cli, monkeypatch):
    code, lines = ask(cli, monkeypatch, _WORDPL_COMPLETE=f"source_{shell}")
    assert code == 0 and line in "\n".join(lines)
    monkeypatch.delenv("_WORDPL_COMPLETE")
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    run = cli("--show-completion")
    assert run.code == 0 and line in run.out


BASH = {
    "wordpl sc": ["score"],
    "wordpl tree ": ["build", "optimal", "prove", "check"],
    "wordpl score Max": ["MaxClueEntropy"],
    "wordpl win-rate TwoGuess Ren": ["Renyi"],
    "wordpl score X --rule ": list(options.RULES),
    "wordpl score X --game-": ["--game-seconds"],
    "wordpl results ": [],  # bash then offers files
    "wordpl score X --out ": [],
}


@pytest.mark.parametrize(("typed", "offered"), BASH.items())
def test_bash_is_offered_commands_names_and_choices(typed, offered, cli, monkeypatch):
    line = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    code, lines = ask(cli, monkeypatch, _WORDPL_COMPLETE="complete_bash", **line)
    assert (code, [line for line in lines if line]) == (0, offered)


def test_the_names_are_those_of_the_library():
    assert strategy_names("") == sorted(strategies_in(wordpl.library))
    assert strategy_names("Bayes") == ["BayesianGreedy", "BayesianRandom", "BayesianSolver", "BayesianWordle"]
