"""The command line: `wordpl`, or `python -m wordpl`."""

import os
import sys

from wordpl.base.defaults import HASH_SEED


def main() -> None:
    """Run the command line.

    A command that names a file of Python starts anew if its hash seed is another than in the sandbox, before anything
    slow is loaded, so that a strategy in that file makes the same moves in every run.
    """
    if os.environ.get("PYTHONHASHSEED") != str(HASH_SEED) and any(".py" in argument for argument in sys.argv[1:]):
        os.environ["PYTHONHASHSEED"] = str(HASH_SEED)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - the same command
    from wordpl.cli import main as run

    run()


if __name__ == "__main__":
    main()
