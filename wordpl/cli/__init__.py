"""The command line. Each command does what a call of the Python API does, and shows the result.

Commands import what they need when they run, so that help does not wait for numpy.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, TextIO

import typer
from typer.exceptions import TyperException

from wordpl.cli import analyze, contest, frontier, play, questions, results, runs, solve, tree, win_rate
from wordpl.cli.commands import CONTEST, PLAY, SIMULATE, TREES, help_without_command, make_app
from wordpl.errors import WordplError

app = make_app("wordpl", "Wordle under differential privacy: simulate, play, solve and compete.")
for module in (runs, win_rate, results, frontier):
    module.register(app, SIMULATE)
questions.register_list(app, SIMULATE)
for module in (play, solve, analyze, questions):
    module.register(app, PLAY)
tree.register(app, TREES)
contest.register(app, CONTEST)

INTERRUPTED = 130


@app.callback()
def _version(
    ctx: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False
) -> None:
    if version:
        import wordpl

        typer.echo(wordpl.__version__)
        raise typer.Exit
    help_without_command(ctx)


def main() -> None:
    """Run the command line; exits with 2 and one line on stderr for a user's mistake."""
    warnings.showwarning = _show_warning
    try:
        status = app(prog_name="wordpl", standalone_mode=False)
    except TyperException as error:
        status = _fail(error.format_message())
    except WordplError as error:
        status = _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("wordpl: stopped", err=True)
        status = INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (as in `| head`); keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    _say(f"warning: {message}")


def _fail(message: str) -> int:
    _say(message)
    return 2


def _say(message: str) -> None:
    line = " ".join(message.split())
    typer.echo(f"wordpl: {line}", err=True)
