"""The option `--cluster` of experiments: their long jobs run on many machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated, TypeAlias

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


@contextmanager
def on(address: str | None) -> Iterator[None]:
    """Run the long jobs of the block on a cluster, if there is an address. A `WordplError` is a line, exit code 2."""
    try:
        with wordpl.base.cluster(address) if address else nullcontext():
            yield
    except wordpl.WordplError as error:
        typer.echo(f"wordpl: {error}", err=True)
        raise typer.Exit(2) from None
