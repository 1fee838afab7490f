"""What the server of `tests.support.forked` imports, loads and makes once for all its commands.

No thread of numba or joblib may be alive where it forks.
"""

import functools
import gc
import os
from importlib import import_module

import typer.main
from rich.console import Console
from rich.table import Table

import tests.support.commands  # noqa: F401 - which makes all commands
from tests.support.kernels import compile_kernels
from tests.support.public import places
from wordpl.cli import app
from wordpl.web.app import warm

gc.disable()
for name in ("pytest", "pexpect.fdpexpect", "readline", "scipy.optimize", "typer.rich_utils"):
    import_module(name)
for name in sorted({place for names in places().values() for place in names.values()}):
    import_module(name)
compile_kernels()
warm()
with open(os.devnull, "w") as nowhere:
    Console(file=nowhere).print(Table("rich imports a part of itself when it first prints"))
typer.main.get_command = functools.cache(typer.main.get_command)
typer.main.get_command(app)
gc.freeze()  # else a command would copy all pages of this, where the collector marks what it has seen
gc.enable()
