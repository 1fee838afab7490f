"""How a command with worker processes ends before its time: one line, and an exit code that says why.

128 plus the signal for one that was stopped (130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP), 1 if a worker
process was lost, 2 if a strategy never ends a game.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from wordpl.base.system import ENDINGS


@contextmanager
def stopping(resume: Callable[[], str] | None = None) -> Iterator[None]:
    """End the block in a line where a signal, a lost worker or a game without end ends it.

    `resume` says what is kept of what was finished, and how to go on. Without it nothing is kept.
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
        # This process is ending. More of the same signal would only cut its clearing up short.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    typer.echo(f"wordpl: {message}", err=True)
    raise typer.Exit(code)
