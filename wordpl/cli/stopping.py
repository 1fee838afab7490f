"""How a command that is stopped ends: with one line, and an exit code that says why.

The code is 128 plus the signal (130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP), 1 if a worker process was
lost, and 2 if a strategy never ends a game.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from wordpl.base.system import ENDINGS


@contextmanager
def stopping(resume: Callable[[], str] | None = None) -> Iterator[None]:
    """End the command with a line if a signal, a lost worker or an endless game stops the block.

    `resume` tells what was kept, and how to go on. Without it nothing was kept.
    """
    from wordpl.base.stopping import stoppable
    from wordpl.base.workers.calls import WorkerLostError
    from wordpl.simulation.playing import UnfinishedTrialError

    with stoppable(signals=ENDINGS) as stop:
        try:
            yield
            return
        except KeyboardInterrupt:
            message, code = "stopped", 128 + (stop.signum or signal.SIGINT)
        except WorkerLostError as error:
            message, code = str(error), 1
        except UnfinishedTrialError as error:
            message, code = str(error), 2
        if resume is not None:
            message += f"; {resume()}"
    if stop.signum is not None:
        # More signals must not interrupt the clearing up.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    typer.echo(f"wordpl: {message}", err=True)
    raise typer.Exit(code)
