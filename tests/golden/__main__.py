"""Write the golden file anew, and say which strategies play otherwise than before."""

import json

from tests.golden import FILE, examples, kept, play
from wordpl.base.engine import ENGINE_VERSION


def main() -> None:
    before = kept() if FILE.exists() else {}
    games = {name: play(name, strategy) for name, strategy in sorted(examples().items())}
    FILE.write_text(json.dumps({"engine": ENGINE_VERSION, "games": games}, indent=0) + "\n")
    for name in sorted({*before, *games}):
        if before.get(name) != games.get(name):
            print(
                f"{name}: {'changed' if name in before and name in games else 'added' if name in games else 'removed'}"
            )
    print(f"{FILE}: {sum(map(len, games.values()))} games of {len(games)} strategies")


main()
