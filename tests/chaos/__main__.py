"""`python -m tests.chaos`: many kills, damaged files and generated inputs. Exit code 1 says that something is wrong.

What is wrong is printed, with the number by which it can be tried again: `kills --only sweep --first 17 --count 1`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.chaos import damage, fuzz, kills

STATE = Path("results/fuzz.json")
"""How far the generated inputs of a seed were read, and what was wrong."""
PART = 100
"""Inputs of a reader between two notes of the state."""


def report(lines: Iterable[str]) -> int:
    """Print what is wrong, and return how much that is."""
    return sum(print(line, flush=True) or 1 for line in lines)


def read_inputs(names: list[str], count: int, seed: int) -> int:
    """Read `count` inputs in all, and go on where an earlier run with this seed has stopped."""
    state = json.loads(STATE.read_text()) if STATE.exists() else {}
    state = state if state.get("seed") == seed else {"seed": seed, "numbers": {}, "faults": []}
    numbers = state["numbers"]
    while sum(numbers.values()) < count:
        name = min(names, key=lambda name: numbers.get(name, 0))
        state["faults"] += fuzz.faults(name, PART, seed, numbers.get(name, 0))
        numbers[name] = numbers.get(name, 0) + PART
        STATE.parent.mkdir(exist_ok=True)
        STATE.write_text(json.dumps(state, indent=1))
    print(f"{sum(numbers.values()):,} inputs, as {STATE} says")
    return report(state["faults"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("what", choices=("kills", "damage", "fuzz"))
    parser.add_argument("--count", type=int, default=100, help="of each work or kind; of fuzz, in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one work, kind of file or reader")
    parser.add_argument("--first", type=int, default=0, help="the number of the first kill")
    options = parser.parse_args()
    every = {"kills": [*kills.WORKS], "damage": [*damage.KINDS], "fuzz": [*fuzz.READERS]}[options.what]
    names = [options.only] if options.only else every
    if options.what == "fuzz":
        return int(read_inputs(names, options.count, options.seed) > 0)
    wrong = 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="wordpl-chaos-") as folder:
            if options.what == "kills":
                wrong += report(kills.strikes(name, options.count, options.seed, Path(folder), options.first))
            else:
                wrong += report(damage.faults(name, options.count, options.seed, Path(folder)))
        print(f"{name}: {options.count} {options.what}, {wrong} wrong so far", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
