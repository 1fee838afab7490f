"""The command line. Each command does what a call of the Python API does, and shows the result.

Commands import what they need when they run, so that help does not wait for numpy.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from contextlib import suppress
from typing import Annotated, TextIO

import typer
from typer.exceptions import TyperException

from wordpl import clock
from wordpl.cli import analyze, contest, faults, frontier, play, questions, results, runs, solve, tree, win_rate
from wordpl.cli.commands import CONTEST, PLAY, SIMULATE, TREES, help_without_command, make_app
from wordpl.cli.environment import check_environment
from wordpl.errors import WordplError

app = make_app("wordpl", "Wordle under differential privacy: simulate, play, solve and compete.")
for module in (runs, win_rate, results, frontier):
    module.register(app, SIMULATE)
questions.register_list(app, SIMULATE)
for module in (play, solve, analyze, questions):
    module.register(app, PLAY)
tree.register(app, TREES)
contest.register(app, CONTEST)

# The exit codes; 0 is success, and 1 a "no" (see docs/how-to/commands.md).
FAILED, DEFECT, INTERRUPTED, READER_GONE = 2, 70, 130, 141
_LONGEST_WORD, _LONGEST_LINE = 300, 2000
# Where stderr is a file, no line about waiting is written before this.
_SILENT_SECONDS = 2.0


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
    """Run the command line, and exit.

    A mistake of the user, and whatever goes wrong outside of the program, is one line on stderr. A defect shows its
    traceback.
    """
    faults.make_streams_usable()
    warnings.showwarning = _show_warning
    try:
        for line in check_environment():
            _say(f"warning: {line}")
        _check_arguments()
        clock.when_compiling(_say_what_takes_long, 0.0 if sys.stderr.isatty() else _SILENT_SECONDS)
        status = app(prog_name="wordpl", standalone_mode=False)
        sys.stdout.flush()
    except TyperException as error:
        status = _fail(error.format_message())
    except WordplError as error:
        status = _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        _say("stopped")
        status = INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader has gone, as in `| head`; typer and rich exit then.
        faults.abandon(sys.stdout)
        status = READER_GONE
    except Exception as error:
        status = _explain(error)
    faults.let_go(sys.stdout)
    sys.exit(status)


def _say_what_takes_long() -> None:
    _say("compiling kernels, once: this takes some seconds")


def _check_arguments() -> None:
    for position, argument in enumerate(sys.argv[1:], 1):
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise WordplError(f"argument {position} is not UTF-8 text") from None


def _explain(error: Exception) -> int:
    line = faults.explanation(error)
    if line is not None:
        return _fail(line)
    with suppress(OSError):
        traceback.print_exc()
    _say("this is a defect of wordpl; please report the lines above, the command and what `wordpl --version` says")
    return DEFECT


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
    return FAILED


def _say(message: str) -> None:
    """One line on stderr, whatever was typed: nothing in it moves the cursor, and it has an end."""
    words = (word if len(word) <= _LONGEST_WORD else f"{word[:80]}...{word[-40:]}" for word in message.split())
    line = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in " ".join(words))
    with suppress(OSError):
        typer.echo(f"wordpl: {line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + '...'}", err=True)
