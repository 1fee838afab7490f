"""The output that README shows of its commands. `python -m tests.support.shown [PAGE]` writes it anew, also that of a
notebook."""

import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config
from typer.testing import CliRunner

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


KEPT = ("text/plain", "image/png")
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def executed(path: Path) -> Any:
    """The notebook at `path` with the output of a run in an empty folder, without notes, progress and colours."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as folder:
        # The kernel's sockets are in that folder, not on the network. The user's settings of IPython have no effect.
        kernel = {"transport": "ipc", "ip": f"{folder}/kernel", "connection_file": f"{folder}/kernel.json"}
        client = NotebookClient(
            notebook,
            timeout=600,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            config=Config({"KernelManager": kernel}),
            record_timing=False,
        )
        commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        client.execute(env={**os.environ, "IPYTHONDIR": folder, "PATH": commands})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, kept(cell.outputs)
    return notebook


def kept(outputs: list[Any]) -> list[Any]:
    """What was printed on stdout, as one output, then what the cell returns."""
    printed = "".join(each.text for each in outputs if each.output_type == "stream" and each.name == "stdout")
    stream = {"output_type": "stream", "name": "stdout", "text": COLOUR.sub("", printed)}
    shown = [nbformat.from_dict(stream)] if printed else []  # type: ignore[no-untyped-call]
    for each in outputs:
        if each.output_type in ("execute_result", "display_data"):
            each.data = {kind: content for kind, content in each.data.items() if kind in KEPT}
            each.metadata = {}
            if each.output_type == "execute_result":
                each.execution_count = None
            shown.append(each)
    return shown


if __name__ == "__main__":
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else README

    def anew(found: re.Match[str]) -> str:
        commands_alone = found[2].startswith("$ ")
        return found[0] if commands_alone else f"```console\n$ wordpl {found[1]}\n{output(found[1])}```"

    if page.suffix == ".ipynb":
        nbformat.write(executed(page), page)  # type: ignore[no-untyped-call]
    else:
        page.write_text(BLOCK.sub(anew, page.read_text("utf-8")), "utf-8")
