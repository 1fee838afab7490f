"""Shell completion: the scripts, and what is offered."""

import pytest

from wordpl.cli import options

SHELLS = {
    "bash": "complete -o default -F _wordpl_completion wordpl",
    "zsh": "#compdef wordpl",
    "fish": "complete --command wordpl",
}


@pytest.mark.parametrize(("shell", "line"), SHELLS.items())
def test_there_is_a_script_for_each_shell(shell, line, cli, monkeypatch):
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
}


@pytest.mark.parametrize(("typed", "offered"), BASH.items())
def test_bash_is_offered_commands_names_and_choices(typed, offered, cli):
    run = cli(_WORDPL_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=str(typed.count(" ")))
    assert (run.code, run.err, run.out.split()) == (0, "", offered)
