"""`wordpl doctor`: what an installation has, what it lacks, and the command that mends it."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from typing_extensions import TypedDict

import wordpl
from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import IN_SOURCE, SOURCE, WordplError
from wordpl.base.json_types import Doc
from wordpl.cli import options as opt
from wordpl.cli.terminal import screen
from wordpl.reporting import tables

_CORE = "packages"
_EXTRAS = ("plots", "parquet", "priority", "cluster", "web", "contest", "gymnasium")
_PIP = f"{shlex.quote(sys.executable)} -m pip"  # that of another Python would install elsewhere
_NAMESPACES = "sudo sysctl -e kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0"


class HealthRecord(TypedDict):
    """One thing that an installation has or lacks."""

    name: Annotated[str, Doc("The thing that was checked.")]
    state: Annotated[str, Doc("Its state, or its fault.")]
    ok: Annotated[bool, Doc("True if nothing is wrong.")]
    needed: Annotated[bool, Doc("True if it is essential.")]
    mend: Annotated[str | None, Doc("A command for the shell that mends it; null if nothing is wrong.")]


def doctor(*, json: opt.Json = False) -> None:
    """Show what is installed, and how to fix what is missing.

    Include the output when you report a defect. Exit code 1: something essential is broken.
    """
    entries = [*_packages(), *_formats(), *_sandbox(), *_surroundings()]
    if json:
        tables.print_json(entries)
    for entry in () if json else entries:
        width, head = tables.screen_width() or sys.maxsize, f"{entry['name']:10} "
        typer.echo(textwrap.fill(entry["state"], width, initial_indent=head, subsequent_indent=" " * len(head)))
        if entry["mend"]:
            typer.echo(f"{'':10} mend: {entry['mend']}")  # as it is, to be copied
    if any(entry["needed"] and not entry["ok"] for entry in entries):
        raise typer.Exit(1)


def _entry(name: str, state: str, mend: str = "") -> HealthRecord:
    """The entry of a thing; if there is something to mend, it is not right."""
    return {"name": name, "state": state, "ok": not mend, "needed": name == _CORE, "mend": mend or None}


def _packages() -> Iterator[HealthRecord]:
    """wordpl, Python, the packages that are needed, and those of each extra."""
    from importlib import metadata  # help does not wait for it
    from importlib.util import find_spec

    yield _entry("wordpl", f"{wordpl.__version__} in {Path(wordpl.__file__).parent}")
    yield _entry("python", f"{platform.python_version()} on {platform.platform()}")
    for part in (_CORE, *_EXTRAS):
        there, wrong = [], []
        for text in metadata.requires("wordpl") or []:
            extra, name = re.search(r"extra == ['\"](\w+)", text), re.split(r"[^\w-]", text)[0]
            if part != (extra[1] if extra else _CORE):
                continue
            try:
                there.append(f"{name} {metadata.version(name)}")
                if part == _CORE and find_spec(name.replace("-", "_")) is None:  # importing all would take a second
                    wrong.append(f"the files of {name} are missing")
            except metadata.PackageNotFoundError:
                wrong.append(f"{name} is not installed")
        mend = f"--force-reinstall {SOURCE}" if part == _CORE else f"'{SOURCE}[{part}]'"
        yield _entry(part, ", ".join(wrong or there), f"{_PIP} install {mend}  #{IN_SOURCE}" if wrong else "")


def _formats() -> Iterator[HealthRecord]:
    """The engine, and the formats of files that are read; nothing if a package that is needed is missing."""
    try:
        from wordpl.contest import ledger
        from wordpl.limits import policy
        from wordpl.simulation import store
        from wordpl.wordle.trees import names, tree
    except ImportError:
        return
    yield _entry("engine", f"version {ENGINE_VERSION}; results and policies name it")
    state = f"results {store.SCHEMA_VERSION}, ledger {ledger.FORMAT}, tree {tree.FORMAT}, policy {policy.FORMAT}, "
    yield _entry("formats", f"{state}certificate {names.CERTIFICATE_FORMAT}")


def _sandbox() -> Iterator[HealthRecord]:
    """The sandbox of the contest, and what bounds memory in it."""
    try:
        from wordpl.contest import limits, sandbox

        yield _entry("sandbox", sandbox.find().describe())
    except (WordplError, ImportError) as error:
        mend = _NAMESPACES if shutil.which("bwrap") else "sudo apt-get install bubblewrap"
        if "/proc" in str(error):
            mend = "sudo mount -t proc proc /proc  # in a container; elsewhere use Linux, or WSL on Windows"
        yield _entry("sandbox", str(error), mend)
        return
    version = limits.memory_version()
    state = f"bounded by control groups of version {version}" if version else "bounded by no control group"
    yield _entry("memory", state, "" if version else "systemd-run --user --scope wordpl COMMAND  # or run it as root")


def _surroundings() -> Iterator[HealthRecord]:
    """The folders of what can be made again, the terminal, and the cores."""
    from wordpl.base.files import cache_folder
    from wordpl.base.kernel_folder import kernel_folder

    yield _entry("kernels", str(kernel_folder()))
    cache = cache_folder()
    size = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) / 1e6
    writable = os.access(next(p for p in (cache, *cache.parents) if p.exists()), os.W_OK)
    mend = "" if writable else "export WORDPL_CACHE=$HOME/wordpl-cache"
    yield _entry("cache", f"{cache}, {size:.1f} MB, {'writable' if writable else 'cannot be written'}", mend)
    width, colours = tables.screen_width(), screen().color_system
    mend = "" if tables.can_show_frames() else "export PYTHONIOENCODING=utf-8"
    signs = f"{sys.stdout.encoding}{', without frames and squares' if mend else ''}"
    yield _entry("terminal", f"{width or 'any'} columns, {colours or 'no'} colours, {signs}", mend)
    with suppress(ImportError):  # which is told above
        import joblib

        yield _entry("cores", f"{joblib.cpu_count()} of {os.cpu_count()}")
