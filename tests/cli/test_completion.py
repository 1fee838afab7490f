"""The scripts with which a shell completes."""

import pytest

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
