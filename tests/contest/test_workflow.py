"""The GitHub workflow in docs/: what may be checked of it without GitHub."""

from pathlib import Path

import yaml

FILE = Path(__file__).parents[2] / "docs" / "how-to" / "score-pull-request.yml"


def test_a_maintainer_starts_it_and_foreign_code_meets_no_secret() -> None:
    workflow = yaml.safe_load(FILE.read_text())
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
