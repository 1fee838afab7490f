"""The output that README shows of its commands. `python -m tests.shown` writes it anew."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from wordpl.cli import app

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"^```console\n\$ wordpl ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def output(line: str) -> str:
    """What a command prints on a terminal of 80 columns."""
    result = CliRunner().invoke(app, shlex.split(line), env={"COLUMNS": "80"}, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return "".join(f"{row.rstrip()}\n" for row in result.stdout.splitlines())


def timeless(text: str) -> str:
    """The text without times and without the widths that follow from them."""
    text = re.sub(r"[ ━─┏┳┓┡╇┩└┴┘]+", " ", text)
    text = re.sub(r"^│ time per move .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"│ \d+\.\d │$", "│", text, flags=re.MULTILINE)


if __name__ == "__main__":
    text = README.read_text("utf-8")
    README.write_text(BLOCK.sub(lambda block: f"```console\n$ wordpl {block[1]}\n{output(block[1])}```", text), "utf-8")
