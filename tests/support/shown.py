"""The output that README shows of its commands. `python -m tests.support.shown [PAGE]` writes it anew, also that of a
notebook."""

import re
import shlex
import sys
from pathlib import Path

import nbformat
from typer.testing import CliRunner

from tests.support.notebooks import executed
from wordpl.cli import app

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```console\n\$ wordpl ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def output(line: str) -> str:
    """What a command prints on a terminal of 80 columns."""
    result = CliRunner().invoke(app, shlex.split(line), env={"COLUMNS": "80"}, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return "".join(f"{row.rstrip()}\n" for row in result.stdout.splitlines())


def timeless(text: str) -> str:
    """The text without times and without the widths that follow from them."""
    text = re.sub(r"[ ━─┏┳┓┡╇┩└┴┘]+", " ", text)
    text = re.sub(r"^(time per move:|slowest game) .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"│ \d+\.\d │$", "│", text, flags=re.MULTILINE)


if __name__ == "__main__":
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else README

    def anew(found: re.Match[str]) -> str:
        commands_alone = found[2].startswith("$ ")
        return found[0] if commands_alone else f"```console\n$ wordpl {found[1]}\n{output(found[1])}```"

    if page.suffix == ".ipynb":
        nbformat.write(executed(page), page)  # type: ignore[no-untyped-call]
    else:
        page.write_text(BLOCK.sub(anew, page.read_text("utf-8")), "utf-8")
