"""Steps of long work, each a line of JSON in a file, so that it can be stopped at any time."""

import json
from pathlib import Path
from typing import Any

from wordpl import WordplError


def read_steps(path: Path) -> list[dict[str, Any]]:
    """Return the steps in the file at `path`, none if it does not exist. A last one that a kill cut off is removed."""
    whole, end, cut = (path.read_text(encoding="utf-8") if path.exists() else "").rpartition("\n")
    try:
        steps = [json.loads(line) for line in whole.splitlines()]
    except ValueError:
        raise WordplError(f"{path} is not a file of finished steps; remove it") from None
    if cut:
        path.write_text(whole + end, encoding="utf-8")
    return steps


def add_step(path: Path, step: dict[str, Any]) -> None:
    """Append `step`, of JSON values, to the file at `path`, or to a new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(step) + "\n")
