"""The command line. Each command does what a call of the Python API does, and shows the result.

Commands import what they need when they run, so that help does not wait for numpy.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer
from typer import Option
from typer.exceptions import TyperException

import wordpl
from wordpl.base.errors import WordplError
from wordpl.cli import faults, logs
from wordpl.cli.commands import help_without_command, mistake
from wordpl.cli.index import app
from wordpl.cli.logs import tell

COMPLETING = "_WORDPL_COMPLETE"
"""The variable by which a shell's script asks for completions (typer's convention)."""
# The exit codes; 0 is success, and 1 a "no" (see docs/how-to/commands.md).
FAILED, DEFECT, INTERRUPTED, READER_GONE = 2, 70, 130, 141
_LONGEST_ERROR = 600


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
    if COMPLETING in os.environ:
        app(prog_name="wordpl")  # and exit
    faults.make_streams_usable()
    logs.begin()
    try:
        faults.check_environment()
        for position, argument in enumerate(sys.argv[1:], 1):
            if argument != argument.encode(errors="replace").decode():
                raise WordplError(f"argument {position} is not UTF-8 text")
        status = app(prog_name="wordpl", standalone_mode=False)
        sys.stdout.flush()
    except TyperException as error:
        status = _fail(mistake(error))
    except WordplError as error:
        status = _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        tell("stopped")
        status = INTERRUPTED
    except (BrokenPipeError, SystemExit) as stop:
        if isinstance(stop, SystemExit) and not stop.code:  # as `--install-completion` does
            status = 0
        else:
            # The reader has gone, as in `| head`; typer and rich exit then.
            faults.abandon(sys.stdout)
            status = READER_GONE
    except Exception as error:
        if (line := faults.explanation(error)) is not None:
            status = _fail(line)
        else:
            traceback.print_exc()
            tell("this is a defect of wordpl; please report these lines, the command and what `wordpl doctor` shows")
            status = DEFECT
    faults.let_go(sys.stdout)
    logs.end()
    sys.exit(status)


def _fail(message: str) -> int:
    tell(message, longest=_LONGEST_ERROR)
    return FAILED
