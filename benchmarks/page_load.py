"""Many clients that play noisy games and ask for suggestions: `python -m benchmarks.page_load [CLIENTS [SECONDS]]`."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from statistics import quantiles
from time import perf_counter
from typing import Any

import httpx2

import wordpl
from benchmarks.page_server import serving

PAUSE = (1.0, 5.0)
"""Seconds that a client thinks between two clues: fast for a person."""


@dataclass
class Load:
    """What the clients have seen."""

    times: dict[str, list[float]] = field(default_factory=dict)
    """Seconds of each answer, by kind of request."""
    statuses: Counter[int] = field(default_factory=Counter)
    lags: list[float] = field(default_factory=list)
    """Seconds of an answer that the event loop gives by itself, asked ten times a second."""
    games: int = 0
    peak_mib: float = 0.0

    @property
    def errors(self) -> int:
        """Return how many answers were no success."""
        return sum(count for status, count in self.statuses.items() if status >= 300)

    def percentile(self, kind: str | None = None, percent: int = 95) -> float:
        """Return a percentile of the seconds, of one kind of request or of all."""
        times = [one for name, many in self.times.items() if kind in (None, name) for one in many]
        return quantiles(times, n=100, method="inclusive")[percent - 1]


class Client:
    """One player, in a coroutine."""

    def __init__(self, http: httpx2.AsyncClient, load: Load, seed: int) -> None:
        self._http, self._load = http, load
        self._random = random.Random(seed)  # noqa: S311 - the words of a benchmark
        self._words = wordpl.load_words("original").guesses

    async def play(self, until: float) -> None:
        """Play games until a time of `perf_counter`."""
        await asyncio.sleep(self._random.uniform(0, PAUSE[1]))
        while perf_counter() < until:
            game = await self._ask("begin", "POST", "/api/play/games", {"kind": "wordpl"})
            path, moves = f"/api/play/games/{game['id']}", list[dict[str, Any]]()
            for _ in range(self._random.randint(2, 4)):
                moves.append({"word": self._random.choice(self._words), "epsilon": self._random.choice([8, 13, 16])})
                game = await self._ask("move", "POST", path, {"moves": moves})
                turns = [{name: turn[name] for name in ("guess", "clue", "epsilon")} for turn in game["rows"]]
                asked = {"words": "original", "rule": "letterwise", "turns": turns, "epsilon": 13}
                await self._ask("suggestions", "POST", "/api/coach/suggestions", asked)
                await asyncio.sleep(self._random.uniform(*PAUSE))
                if perf_counter() >= until:
                    return
            moves.append({"action": "propose", "word": "crate"})
            await self._ask("propose", "POST", path, {"moves": moves})
            self._load.games += 1

    async def _ask(self, kind: str, method: str, path: str, body: object) -> Any:
        begun = perf_counter()
        answer = await self._http.request(method, path, json=body)
        self._load.times.setdefault(kind, []).append(perf_counter() - begun)
        self._load.statuses[answer.status_code] += 1
        return answer.raise_for_status().json()


async def _probe(http: httpx2.AsyncClient, load: Load, until: float) -> None:
    while perf_counter() < until:
        begun = perf_counter()
        await http.get("/api/health")
        load.lags.append(perf_counter() - begun)
        await asyncio.sleep(0.1)


async def _run(address: str, clients: int, seconds: float, load: Load) -> None:
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(base_url=address, timeout=60, limits=limits) as http:
        # What is compiled and built once is not counted.
        first = Client(http, Load(), 0)
        await first.play(perf_counter() + 1)
        until = perf_counter() + seconds
        await asyncio.gather(
            *(Client(http, load, seed).play(until) for seed in range(clients)), _probe(http, load, until)
        )


def measure(clients: int = 50, seconds: float = 60) -> Load:
    """Start a server, let `clients` play for some seconds, and return what they have seen."""
    load = Load()
    with serving() as server:
        asyncio.run(_run(server.address, clients, seconds, load))
        load.peak_mib = server.peak_mib()
    return load


def main() -> None:
    clients, seconds = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 50), (2, 60)))
    load = measure(clients, seconds)
    shown = {kind: [len(times), round(1e3 * load.percentile(kind, 50)), round(1e3 * load.percentile(kind))]
             for kind, times in load.times.items()}  # fmt: skip
    print(json.dumps({"games": load.games, "statuses": load.statuses, "count, p50, p95 in ms": shown}))
    longest, quick = max(map(max, load.times.values())), quantiles(load.lags, n=100)[98]
    print(f"95% within {1e3 * load.percentile():.0f} ms, all within {1e3 * longest:.0f} ms, {load.peak_mib:.0f} MiB")
    print(f"event loop: 99% within {1e3 * quick:.0f} ms, all within {1e3 * max(load.lags):.0f} ms")


if __name__ == "__main__":
    main()
