"""The GitHub workflow in docs/: what may be checked of it without GitHub."""

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


def test_a_maintainer_starts_it_and_foreign_code_meets_no_secret(workflow: Any) -> None:
    assert list(workflow[True]) == ["workflow_dispatch"]  # YAML 1.1 takes the key `on` for true
    jobs = workflow["jobs"]
    assert workflow["permissions"] == jobs["score"]["permissions"] == {}
    assert jobs["comment"]["permissions"] == {"pull-requests": "write"}
    assert "token" not in str(jobs["score"])
    steps = [step["name"] for step in jobs["score"]["steps"] if "secrets." in str(step)]
    assert steps == ["Start"] and "checkout" not in str(jobs["score"]["steps"][:2]), "before the code is there"
    assert "secrets." not in str(jobs["comment"])
    assert "git" not in [word for step in jobs["comment"]["steps"] for word in step["run"].split()]
    assert not [step for job in jobs.values() for step in job["steps"] if "uses" in step], "no action has to be pinned"


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
