"""The command line. Each command does what a call of the Python API does, and shows the result.

Commands import what they need when they run, so that help does not wait for numpy.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import traceback
from typing import Annotated

import typer
from typer import Option
from typer.exceptions import TyperException

import wordpl
from wordpl.base.errors import WordplError
from wordpl.cli.commands import help_without_command, make_app
from wordpl.cli.logs import tell

# The exit codes; 0 is success, and 1 a "no" (see docs/how-to/commands.md).
FAILED, DEFECT = 2, 70

app = make_app("wordpl")


@app.callback()
def _version(
    ctx: typer.Context, version: Annotated[bool, Option("--version", help="Print the version and exit.")] = False
) -> None:
    if version:
        typer.echo(wordpl.__version__)
        raise typer.Exit
    help_without_command(ctx)


def main() -> None:
    """Run the command line, and exit.

    A mistake of the user, and whatever goes wrong outside of the program, is one line on stderr. A defect shows its
    traceback.
    """
    # No Python that a command starts, by itself or by a library, takes modules from the folder where it is run.
    os.environ["PYTHONSAFEPATH"] = "1"
    status = FAILED
    try:
        status = app(prog_name="wordpl", standalone_mode=False)
        sys.stdout.flush()
    except TyperException as error:
        context = getattr(error, "ctx", None)
        tell(error.format_message().rstrip(".") + (f"; see {context.command_path} --help" if context else ""))
    except WordplError as error:
        tell(str(error))
    except typer.Abort:
        tell("stopped")
    except Exception as error:
        if (line := _explanation(error)) is not None:
            tell(line)
        else:
            traceback.print_exc()
            tell("this is a defect of wordpl; please report these lines, the command and what `wordpl doctor` shows")
            status = DEFECT
    sys.exit(status)


def _explanation(error: Exception) -> str | None:
    """The line about an error of the machine or of a file; None for any other, which is a defect of ours."""
    if isinstance(error, MemoryError):
        return f"out of memory: {error}" if str(error) else "out of memory"
    if isinstance(error, sqlite3.Error):
        return f"a database cannot be used: {error}"
    if not isinstance(error, OSError):
        return None
    return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
