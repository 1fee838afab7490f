"""Reading what a seat on a worker reports (`seat.exchange`): it may hold anything, so all of it is checked.

Only what follows from the seed and the moves is believed. The chance and the evidence of a game are not worked out
again, which would take longer than all else; `wordpl audit` does that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wordpl.contest import cells
from wordpl.contest.cells import MalformedError
from wordpl.contest.contestant_process import KEPT_ERRORS
from wordpl.contest.entries import ROW_COLUMNS, read_row
from wordpl.contest.evidence import Figures
from wordpl.contest.machines import Machine
from wordpl.contest.protocol import MAX_TEXT
from wordpl.contest.replay import Replay, game_of
from wordpl.contest.sanitizing import visible
from wordpl.contest.scoring import Played
from wordpl.displays import counted, line_of
from wordpl.errors import WordplError

_COLUMNS = ROW_COLUMNS.count(",") + 1
_FIELDS = {"rows", "open", "starting", "starts", "start_seconds", "name", "interface", "problem"}


@dataclass(frozen=True)
class Report:
    """What a seat has said."""

    rows: list[tuple[Played, int]]
    """Trials that it has finished, each with the failed starts in a row up to then."""
    open: set[int]
    """Trials that it still has."""
    starting: bool
    starts: int
    start_seconds: float
    name: str
    interface: str

    def __repr__(self) -> str:
        return line_of(self, f"{counted(len(self.rows), 'trial')}, {len(self.open)} open")


def read_report(returned: object, given: set[int], replay: Replay, machine: Machine) -> Report | None:
    """Return the report of a seat that was given these trials; None if it is gone.

    Raises `MalformedError` for what no seat says, or what no referee with this seed could have seen, and `WordplError`
    for the problem that a seat reports.
    """
    if not isinstance(returned, str) or len(returned) > cells.LARGEST_CELL * (1 + len(given)):
        raise MalformedError("its report is no text, or too long")
    told = cells.from_json(returned, "its report")
    if told == {"gone": True}:
        return None
    if not isinstance(told, dict) or told.keys() != _FIELDS or not isinstance(told["rows"], list):
        raise MalformedError("its report has not the fields of one")
    if problem := cells.text(told["problem"], "its problem"):
        raise WordplError(visible(problem))
    rows = _rows(told["rows"], given, replay, machine)
    report = Report(
        rows,
        _open(told["open"], given - {record.game.trial for record, _ in rows}),
        told["starting"] is True,
        cells.whole(told["starts"], "its starts"),
        cells.real(told["start_seconds"], "its time for starts"),
        cells.text(told["name"], "the strategy's name"),
        cells.text(told["interface"], "the strategy's interface"),
    )
    if len(report.name) > MAX_TEXT or report.interface not in ("", "contest", "wordpl") or report.start_seconds < 0.0:
        raise MalformedError("the strategy's name or interface, or the time of its starts, cannot be")
    return report


def _rows(told: list[Any], given: set[int], replay: Replay, machine: Machine) -> list[tuple[Played, int]]:
    left, found = set(given), []
    for pair in told:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], list) or len(pair[0]) != _COLUMNS:
            raise MalformedError(f"a trial has not {_COLUMNS} values")
        row, failed = read_row(pair[0]), cells.whole(pair[1], "the number of failed starts")
        if row.trial not in left:
            raise MalformedError(f"trial {row.trial} was not given to it, or is there twice")
        left.discard(row.trial)
        faults = replay.faults(row)
        if not 0.0 <= row.chance <= 1.0 or row.seconds < 0.0 or row.slowest < 0.0:
            faults.append("a chance or a time is out of range")
        if len(row.reason) > MAX_TEXT or len(row.errors) > KEPT_ERRORS:
            faults.append("a text is too long")
        if faults:
            raise MalformedError(f"trial {row.trial}: {faults[0]}")
        found.append((Played(game_of(row), Figures(row.chance, row.evidence), row.errors, machine), failed))
    return found


def _open(told: object, allowed: set[int]) -> set[int]:
    if not isinstance(told, list) or len(told) > len(allowed) or not all(type(trial) is int for trial in told):
        raise MalformedError("what it still has is no list of trials that it was given")
    if not allowed.issuperset(told):
        raise MalformedError("it still has trials that it was not given, or has finished")
    return set(told)
