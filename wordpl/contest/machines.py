"""Which workers of a cluster played which trials of a ranked run, as the ledger's chain records it.

What a worker says of itself is data: it is bounded and made visible before it is stored, and read with the same care.
Nobody can prove that it is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from time import monotonic
from typing import TYPE_CHECKING, Any

from wordpl.contest import cells
from wordpl.contest.cells import MalformedError
from wordpl.contest.sanitizing import visible
from wordpl.displays import cut, line_of

if TYPE_CHECKING:  # it comes with the sandbox, which reading a ledger does not need
    from wordpl.contest.scoring import Played

LONGEST = 80
"""Characters of each thing that a worker says of itself."""
MOST_WORKERS, MOST_RANGES = 1000, 5000
"""Workers, and ranges of trials of all of them, in one event."""
_FIRST_PAUSE = 60.0

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Machine:
    """What a worker of a cluster says of itself, bounded and visible."""

    name: str
    """What the cluster calls it."""
    host: str
    sandbox: str
    """`Sandbox.describe()` there."""
    wordpl: str
    engine: int
    platform: str
    """Versions of Python and numpy, and the processor's architecture."""

    @classmethod
    def of(cls, told: Mapping[str, object], label: str) -> Machine:
        """Return the machine of what a worker says. Raises `MalformedError` for anything but short texts and numbers.

        `told` may hold anything. What cannot be shown in its texts is replaced.
        """
        values: dict[str, Any] = {}
        for field in fields(cls):
            value = told.get(field.name)
            whole = str(field.type) == "int"
            values[field.name] = cells.whole(value, f"{label}: {field.name}") if whole else _text(value, label)
        return cls(**values)

    def __repr__(self) -> str:
        return line_of(self, f"{cut(self.name)} on {cut(self.host)}: {cut(self.sandbox)}")


def _text(value: object, label: str) -> str:
    return visible(cells.text(value, label), LONGEST)


class Parts:
    """Who has played which trials of a run since the chain last said so.

    It is due when a worker has played that the chain has not named yet, and then after a minute, two minutes, four: so
    the chain stays short, and names every worker at the latest with its first trial.
    """

    def __init__(self) -> None:
        self._open: dict[Machine, list[int]] = {}
        self._named: set[Machine] = set()
        self._pause, self._last = _FIRST_PAUSE, monotonic()

    def add(self, played: Iterable[Played]) -> None:
        for record in played:
            if record.machine is not None:
                self._open.setdefault(record.machine, []).append(record.game.trial)

    @property
    def due(self) -> bool:
        return (
            not self._open.keys() <= self._named
            or monotonic() - self._last > self._pause
            or sum(map(len, self._open.values())) >= MOST_RANGES
        )

    def take(self) -> list[dict[str, Any]]:
        """Return what the chain is to say now, for `Ledger.add`; nothing if nobody has played."""
        found = [{**asdict(machine), "trials": _ranges(trials)} for machine, trials in self._open.items()]
        self._named |= self._open.keys()
        self._open = {}
        if monotonic() - self._last > self._pause:
            self._pause *= 2
        self._last = monotonic()
        return found


def _ranges(trials: Iterable[int]) -> list[list[int]]:
    """Trials as [first, last] of each unbroken row of them."""
    found: list[list[int]] = []
    for trial in sorted(set(trials)):
        if found and found[-1][1] == trial - 1:
            found[-1][1] = trial
        else:
            found.append([trial, trial])
    return found


def read_played(facts: Mapping[str, Any], label: str) -> list[tuple[Machine, Ranges]]:
    """Return what a `played` event says. Raises `MalformedError` for what wordpl never writes."""
    told = facts.get("workers")
    if not isinstance(told, list) or not 0 < len(told) <= MOST_WORKERS:
        raise MalformedError(f"{label} does not name 1 to {MOST_WORKERS} workers")
    found = []
    for worker in told:
        if not isinstance(worker, dict) or set(worker) != {field.name for field in fields(Machine)} | {"trials"}:
            raise MalformedError(f"{label} does not say of a worker what is said of one")
        machine = Machine.of(worker, label)
        if machine != Machine(**{name: value for name, value in worker.items() if name != "trials"}):
            raise MalformedError(f"{label} calls a worker by what cannot be shown")
        found.append((machine, _read_ranges(worker["trials"], label)))
    return found


def _read_ranges(told: object, label: str) -> Ranges:
    if not isinstance(told, list) or len(told) > MOST_RANGES:
        raise MalformedError(f"{label} does not list up to {MOST_RANGES} ranges of trials")
    found: list[tuple[int, int]] = []
    for pair in told:
        if not isinstance(pair, list) or len(pair) != 2:
            raise MalformedError(f"{label} has a range of trials that is none")
        first, last = (cells.whole(trial, label) for trial in pair)
        if last < first or (found and first <= found[-1][1] + 1):
            raise MalformedError(f"{label} has ranges of trials out of order")
        found.append((first, last))
    return tuple(found)


def shares(parts: Iterable[tuple[Machine, Ranges]], trials: int) -> dict[Machine, int]:
    """Return how many of the first `trials` trials each machine has played, in order of appearance.

    The sum may be less than `trials`, for what the organiser's own machine has played, and more, where two referees
    ran an entry at once.
    """
    found: dict[Machine, int] = {}
    for machine, ranges in parts:
        found[machine] = found.get(machine, 0) + sum(
            max(0, min(last, trials - 1) - first + 1) for first, last in ranges
        )
    return found
