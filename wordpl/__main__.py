"""`python -m wordpl`: the command line."""

import os
import sys

if __name__ == "__main__":
    # `python -m` puts the folder where it is run on the path, in front of the standard library.
    if not sys.flags.safe_path and sys.path[0] == os.getcwd():  # noqa: PTH109
        del sys.path[0]
    from wordpl.cli import main

    main()
