"""`python -m docs._pages` writes the sources of the site to `build/docs-src`, for any builder that reads `mkdocs.yml`.

They are the pages of `docs/`, files from outside it, the tutorials and the reference. The tutorials are notebooks with
their output, which the suite compares. The reference of the command line comes from the command line itself, and that
of the API from the list of public names. So none of them can be out of date.
"""

from __future__ import annotations

import ast
import posixpath
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import nbformat

from docs._records import http_tables, json_tables
from tests.support.public import places
from wordpl.cli.index import EXAMPLES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.ipynb"))
# Shown at the path that they have in the repository.
INCLUDED = ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "wordpl/model/data/PROVENANCE.md"]
FOLDERS = ["experiments/tables", "wordpl/simulation/data"]
DECLARED = {"reference/json.md": json_tables, "reference/http.md": http_tables}
SHELL = "%%bash\n"
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")


def sources() -> dict[str, bytes]:
    """Path in the site -> content."""
    made = {"reference/cli.md": command_line()}
    made |= {f"reference/api/{room}.md": page for room, page in api().items()}
    files = {name: page.encode() for name, page in made.items()}
    for path in TUTORIALS:
        page, pictures = notebook_page(path)
        files[f"tutorials/{path.stem}.md"] = moved(page, f"docs/tutorials/{path.stem}.md").encode()
        files |= {f"tutorials/{name}": picture for name, picture in pictures.items()}
    others = [*(ROOT / name for name in INCLUDED), *(path for name in FOLDERS for path in (ROOT / name).iterdir())]
    for path in [*(path for kind in ("md", "yml", "css") for path in DOCS.rglob(f"*.{kind}")), *others]:
        name = path.relative_to(ROOT).as_posix()
        content = path.read_bytes()
        files[name.removeprefix("docs/")] = moved(content.decode(), name).encode() if path.suffix == ".md" else content
    for name, tables in DECLARED.items():
        files[name] += b"\n" + tables().encode()
    return files


def moved(markdown: str, path: str) -> str:
    """Links are written for the repository. The site has the files of `docs/` at its root, and notebooks as pages."""
    folder = posixpath.dirname(path)

    def link(written: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, written[1])).removeprefix("docs/")
        target = re.sub(r"\.ipynb$", ".md", target)
        return posixpath.relpath(target, folder.removeprefix("docs").lstrip("/") or ".")

    return LINK.sub(link, markdown)


def notebook_page(path: Path) -> tuple[str, dict[str, bytes]]:
    """A notebook as a page with its output, and its pictures by name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in nbformat.read(path, as_version=4).cells:  # type: ignore[no-untyped-call]
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        shell = cell.source.startswith(SHELL)
        parts.append(f"```bash\n{cell.source.removeprefix(SHELL)}\n```" if shell else f"```python\n{cell.source}\n```")
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
    for package, names in places().items():
        for name, module in names.items():
            if name.startswith("_"):
                continue
            folder = "play" if module == "wordpl.library" else module.split(".")[1]
            pages.setdefault(folder, f"# wordpl: {folder}\n\n{purpose(folder)}\n")
            place = module.replace("wordpl.library", "strategies")
            pages[folder] += f"\nImport from `{package}`:\n\n::: {place}.{name}\n"
    return pages


def purpose(folder: str) -> str:
    """What the folder knows, in the words of its own docstring."""
    return ast.get_docstring(ast.parse((ROOT / "wordpl" / folder / "__init__.py").read_text("utf-8"))) or ""


if __name__ == "__main__":
    target = ROOT / "build" / "docs-src"
    shutil.rmtree(target, ignore_errors=True)
    for name, content in sources().items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
