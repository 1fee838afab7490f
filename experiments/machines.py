"""A frame for experiments: mistakes are told in one line, and with `--cluster` long jobs run on many machines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any, TypeAlias

import typer

import wordpl

Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Run on these machines, not in --jobs processes: tcp://HOST:PORT or tls://HOST:PORT.",
        metavar="ADDRESS",
        envvar="WORDPL_CLUSTER",
        show_envvar=False,
    ),
]


def on(address: str | None) -> AbstractContextManager[Any]:
    """Run the long jobs of the block on a cluster, if there is an address."""
    return wordpl.base.cluster(address) if address else nullcontext()


def run(command: typer.Typer | Callable[..., None]) -> None:
    """Run a command. A `WordplError` is a line, exit code 2."""
    try:
        command() if isinstance(command, typer.Typer) else typer.run(command)
    except wordpl.WordplError as error:
        typer.echo(f"wordpl: {error}", err=True)
        raise SystemExit(2) from None
