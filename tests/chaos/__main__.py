"""`python -m tests.chaos`: many kills. Exit code 1 says that something is wrong.

What is wrong is printed, with the number by which it can be tried again: `--only sweep --first 17 --count 1`.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.chaos import kills


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="of each work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one work")
    parser.add_argument("--first", type=int, default=0, help="the number of the first kill")
    options = parser.parse_args()
    wrong = 0
    for name in [options.only] if options.only else kills.WORKS:
        with tempfile.TemporaryDirectory(prefix="wordpl-chaos-") as folder:
            found = kills.strikes(name, options.count, options.seed, Path(folder), options.first)
        wrong += len(found)
        print(*found, f"{name}: {options.count} kills, {wrong} wrong so far", sep="\n", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
