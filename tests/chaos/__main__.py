"""`python -m tests.chaos`: many kills and generated inputs. Exit code 1 says that something is wrong.

What is wrong is printed, with the number by which it can be tried again: `kills --only sweep --first 17 --count 1`.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.chaos import fuzz, kills


def report(lines: Iterable[str]) -> int:
    """Print what is wrong, and return how much that is."""
    return sum(print(line, flush=True) or 1 for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("what", choices=("kills", "fuzz"))
    parser.add_argument("--count", type=int, default=100, help="of each work or reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one work or reader")
    parser.add_argument("--first", type=int, default=0, help="the number of the first kill or input")
    options = parser.parse_args()
    every = {"kills": [*kills.WORKS], "fuzz": [*fuzz.READERS]}[options.what]
    names = [options.only] if options.only else every
    wrong = 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="wordpl-chaos-") as folder:
            if options.what == "kills":
                wrong += report(kills.strikes(name, options.count, options.seed, Path(folder), options.first))
            else:
                wrong += report(fuzz.faults(name, options.count, options.seed, options.first))
        print(f"{name}: {options.count} {options.what}, {wrong} wrong so far", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
