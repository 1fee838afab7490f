"""The GitHub workflow in docs/: what may be checked of it without GitHub."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

FILE = Path(__file__).parents[2] / "docs" / "how-to" / "score-pull-request.yml"


@pytest.fixture(scope="module")
def workflow() -> Any:
    return yaml.safe_load(FILE.read_text())


def test_a_maintainer_starts_it_and_the_job_with_foreign_code_has_no_token(workflow: Any) -> None:
    assert list(workflow[True]) == ["workflow_dispatch"]  # YAML 1.1 takes the key `on` for true
    jobs = workflow["jobs"]
    assert workflow["permissions"] == jobs["score"]["permissions"] == {}
    assert jobs["comment"]["permissions"] == {"pull-requests": "write"}
    assert "token" not in str(jobs["score"]) and "secrets" not in FILE.read_text()
    assert "git" not in [word for step in jobs["comment"]["steps"] for word in step["run"].split()]
    assert not [step for job in jobs.values() for step in job["steps"] if "uses" in step], "no action has to be pinned"


def test_no_input_is_written_into_a_command(workflow: Any) -> None:
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"]]
    assert len(commands) == 3
    for command in commands:
        assert "${{" not in command
        assert subprocess.run(["bash", "-n"], input=command, text=True, capture_output=True).returncode == 0
    for step in workflow["jobs"]["score"]["steps"]:
        assert step["working-directory"] == "${{ runner.temp }}"


@pytest.mark.parametrize("commit", ["COMMIT", "main", "v0.1.0", "c60b1f0"])
def test_it_installs_nothing_before_a_commit_is_named_in_full(workflow: Any, commit: str) -> None:
    score = workflow["jobs"]["score"]
    assert 'tools/bin/pip install "git+$WORDPL_REPOSITORY@$WORDPL_COMMIT"' in score["steps"][0]["run"]
    run = subprocess.run(
        [shutil.which("bash") or "bash", "-e"],
        input=score["steps"][0]["run"],
        env=score["env"] | {"WORDPL_COMMIT": commit, "PATH": ""},  # no command beyond the shell's own
        text=True,
        capture_output=True,
    )
    assert (run.returncode, run.stderr) == (1, "") and run.stdout.startswith("::error::Set WORDPL_REPOSITORY")


def test_the_commands_of_wordpl_are_there(workflow: Any) -> None:
    from typer.main import get_command

    from wordpl.cli import app

    group: Any = get_command(app)
    contest = group.commands["contest"]
    run = workflow["jobs"]["score"]["steps"][1]["run"].replace("\\\n", " ")
    found = re.findall(r"tools/bin/wordpl contest (\w+) (.*)", run)
    assert [name for name, _ in found] == ["submit", "board"]
    for name, rest in found:
        known = {option for parameter in contest.get_command(None, name).params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known
