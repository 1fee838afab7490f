"""The command line in this process, as in tests/cli."""

from tests.cli.conftest import cli as cli
