"""Pages that are made when the site is built: the tutorial, the reference, and files from outside `docs/`.

The tutorial is a notebook without output; it is run for each build. The reference of the command line comes from the
command line itself, and that of the API from the list of public names. So none of them can be out of date.
"""

from __future__ import annotations

import ast
import os
import posixpath
import re
import subprocess
import sys
import tempfile
from base64 import b64decode
from pathlib import Path

import nbformat
from _records import http_tables, json_tables
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nbclient import NotebookClient
from traitlets.config import Config

from wordpl.cli.examples import EXAMPLES

ROOT = Path(__file__).parents[1]
TUTORIAL = ROOT / "docs" / "tutorial.ipynb"
PUBLIC_NAMES = ROOT / "wordpl" / "__init__.pyi"
# Shown at the path that they have in the repository.
INCLUDED = ["CONTRIBUTING.md", "CHANGELOG.md", "wordpl/model/data/PROVENANCE.md"]
DECLARED = {"reference/json.md": json_tables, "reference/http.md": http_tables}
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    tables = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "experiments" / "tables").iterdir())
    for path in [*INCLUDED, *tables]:
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    page, pictures = run_notebook(TUTORIAL)
    files.append(File.generated(config, TUTORIAL.with_suffix(".md").name, content=page))
    for name, picture in pictures.items():
        files.append(File.generated(config, name, content=picture))
    files.append(File.generated(config, "reference/cli.md", content=command_line()))
    for room, page in api().items():
        files.append(File.generated(config, f"reference/api/{room}.md", content=page))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links are written for the repository. The site has the files of `docs/` at its root, and notebooks as pages."""
    uri = page.file.src_uri
    if uri in DECLARED:
        markdown += "\n" + DECLARED[uri]()
    if uri.startswith("reference/") and page.file.generated_by:
        return markdown
    outside = uri in INCLUDED or uri.startswith("experiments/")
    folder = posixpath.dirname(uri if outside else f"docs/{uri}")

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[1])).removeprefix("docs/")
        target = re.sub(r"\.ipynb$", ".md", target)
        return posixpath.relpath(target, posixpath.dirname(uri) or ".")

    return LINK.sub(moved, markdown)


def run_notebook(path: Path) -> tuple[str, dict[str, bytes]]:
    """Run a notebook in an empty folder and return it as a page with its output, and its pictures by name."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        # The kernel's sockets are in that folder, not on the network. The user's settings of IPython have no effect.
        kernel = {"transport": "ipc", "ip": f"{folder}/kernel", "connection_file": f"{folder}/kernel.json"}
        client = NotebookClient(
            notebook,
            timeout=600,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            config=Config({"KernelManager": kernel}),
        )
        client.execute(env={**os.environ, "IPYTHONDIR": folder})
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data:
                name = f"{path.stem}-{len(pictures) + 1}.png"
                pictures[name] = b64decode(data["image/png"])
                parts.append(f"![The picture that this cell draws]({name})")
            else:
                parts.append(f"```text\n{(output.get('text') or data['text/plain']).rstrip()}\n```")
    return "\n\n".join(parts) + "\n", pictures


def command_line() -> str:
    command = [sys.executable, "-m", "typer", "wordpl.cli", "utils", "docs", "--name", "wordpl", "--title", "Commands"]
    page = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S603
    for path, lines in EXAMPLES.items():
        shown = "\n".join(f"$ {line}" for line in lines)
        heading = re.escape(f"# `wordpl {path}`") + "\n.*?(?=^#|\\Z)"
        text = re.search(heading, page, re.MULTILINE | re.DOTALL)
        if text is None:
            raise ValueError(f"the page of commands has no {path}")
        page = page.replace(text[0], f"{text[0].rstrip()}\n\n**Examples**:\n\n```console\n{shown}\n```\n\n")
    return page


def api() -> dict[str, str]:
    """Room -> page with all public names of the room, under the module that defines them."""
    pages: dict[str, str] = {}
    for line in ast.parse(PUBLIC_NAMES.read_text("utf-8")).body:
        if not isinstance(line, ast.ImportFrom):
            continue
        module = line.module or ""
        for name in line.names:
            room = "errors" if module in ("errors", "progress") else module.partition(".")[0]
            if not module:
                continue
            page = pages.setdefault(room, f"# wordpl: {room}\n\n{purpose(room)}\n")
            pages[room] = f"{page}\n::: wordpl.{module}.{name.name}\n"
    return pages


def purpose(room: str) -> str:
    """What the room knows, in the words of its own docstring."""
    path = ROOT / "wordpl" / room / "__init__.py"
    if not path.exists():
        path = ROOT / "wordpl" / f"{room}.py"
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "") + "\n\nImport these names from `wordpl`.\n"
