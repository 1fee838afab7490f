"""Run a notebook."""

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

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
