"""The rows of the ledger: entries with their terms, their boards, and trials."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from types import GenericAlias
from typing import Any, get_type_hints

from wordpl.contest import cells
from wordpl.contest.cells import MalformedError
from wordpl.contest.entrant.submission import Submission, call_key
from wordpl.contest.judge.evidence import COLUMNS, Figures, Flag
from wordpl.contest.judge.ranking import RankStanding, StopRule
from wordpl.contest.ledger.receipt import canonical
from wordpl.contest.limits import MIB, Limits
from wordpl.errors import WordplError
from wordpl.model.words import load_words
from wordpl.play.referee import Game, Verdict
from wordpl.play.setting import Setting
from wordpl.simulation.statistics import PERCENTILES
from wordpl.simulation.tasks import ENGINE_VERSION, channel_name
from wordpl.text.displays import counted, cut, line_of
from wordpl.text.sanitizing import visible

RUNNING, FINISHED, ENDED = "running", "finished", "ended"

_BOARD = ("words_digest", "rule", "channel", "limits", "stop")
_MADE = ("attempt", "engine", "nonce", "commitment", "sandbox", "author", "link")
_ENTERED = ("name", "digest", "files", "call", "contest_files", "words", *_BOARD, *_MADE)
SEEDED = ("digest", "call", *_BOARD, "attempt", "engine", "nonce")
_FINISHED = ("state", "reason", "trials", "flag", "secret", "seed", "strategy", "interface")
_AS_JSON = ("limits", "stop", "flag")
_MOST_TRIALS, _MOST_LOOKS = 10_000_000, 10_000


@dataclass(frozen=True)
class Board:
    """Where entries compete with one another: all of one board played the same games under the same limits.

    `limits` and `stop` (the stop rule) are canonical JSON.
    """

    words_digest: str
    rule: str
    channel: str
    limits: str
    stop: str

    @classmethod
    def of(cls, setting: Setting, limits: Limits, stop: StopRule) -> Board:
        """The board of these settings. Raises `WordplError` for a limit that is not finite."""
        exact = {}
        for name, kind in get_type_hints(Limits).items():
            value = getattr(limits, name)
            if not math.isfinite(value):
                raise WordplError(f"limit {name} = {value} is not allowed in ranked play; it must be finite")
            exact[name] = kind(value)  # so that 600 seconds and 600.0 seconds are one board
        return cls(
            setting.words.digest, setting.rule, channel_name(setting.channel), canonical(exact), canonical(asdict(stop))
        )

    @property
    def id(self) -> str:
        return hashlib.sha256(canonical(asdict(self)).encode()).hexdigest()[:8]

    @property
    def is_contest(self) -> bool:
        """Whether this is the contest's own board, the one whose records stand, at one of its two time limits."""
        return self in contest_boards()

    def title(self, words: str) -> str:
        """Return the title of the board; `words` is the name of its word list."""
        known = self.words_digest == contest_boards()[0].words_digest
        listed = "original" if known else f"{visible(words)} ({visible(self.words_digest[:8])})"
        parts = [f"words {listed}", visible(self.rule), visible(self.channel).replace("_", " ")]
        parts += _differences(json.loads(self.limits), asdict(Limits())) or ["default limits"]
        parts += _differences(json.loads(self.stop), asdict(StopRule()))
        return f"{'Contest' if self.is_contest else 'Board'} {self.id}: {', '.join(parts)}"


def _differences(values: dict[str, Any], default: dict[str, Any]) -> list[str]:
    """Return the values that differ from `default`, each in a few words."""
    parts = []
    for name, value in values.items():
        if value != default.get(name):
            large = isinstance(value, int) and name in ("memory", "scratch")
            parts.append(f"{name.replace('_', ' ')} " + (f"{value / MIB:g} MiB" if large else f"{value:g}"))
    return parts


@cache
def contest_boards() -> tuple[Board, ...]:
    """The contest's own game, with games of 10 seconds, as in its code, and of 5, as in its README."""
    setting = Setting(load_words())
    return tuple(Board.of(setting, Limits.for_games_of(seconds), StopRule()) for seconds in (10.0, 5.0))


@dataclass(frozen=True)
class Entry:
    """A submission in the ledger, with the terms of its run. Nothing of its trials is known before it is over."""

    key: int = -1
    """The number of its `enter` event; -1 before it has one."""
    id: str = ""
    """The first 12 digits of that event's hash."""
    name: str = ""
    digest: str = ""
    """Of the files and the call: `Submission.digest`."""
    files: str = ""
    call: str = ""
    contest_files: str = ""
    """What the contest's own files are for it: `Submission.contest_files`."""
    words: str = ""
    words_digest: str = ""
    rule: str = ""
    channel: str = ""
    limits: str = ""
    """Canonical JSON of `Limits`."""
    stop: str = ""
    """Canonical JSON of `StopRule`, as on the board: its error is that of all attempts."""
    attempt: int = 1
    """1 for the first entry of this content, 2 for the next one, on other terms."""
    engine: int = 0
    nonce: str = ""
    commitment: str = ""
    sandbox: str = ""
    entered: str = ""
    """UTC, ISO 8601."""
    author: str = ""
    link: str = ""
    source: str = ""
    """What `credit.read_source` reads; empty unless its author lets the ledger publish it."""
    strategy: str = ""
    interface: str = ""
    state: str = RUNNING
    """`running`, `finished`, or `ended` for one that was not played to its end."""
    reason: str = ""
    trials: int | None = None
    """How many count; None while it runs."""
    flag: str = ""
    """JSON of `Flag`: what the evidence against the player comes to. Empty until a run is finished."""
    cleared: str = ""
    """Why the organiser has cleared the flag; empty if that has not been done."""
    secret: str | None = None
    """The entry's own secret, None until the run is over; so with the seed."""
    seed: str | None = None
    finished: int | None = None
    """The number of its `finish` event."""

    @classmethod
    def draft(cls, submission: Submission, setting: Setting, limits: Limits, stop: StopRule) -> Entry:
        """Return the entry that a submission would be on these terms, as far as they tell."""
        return cls(
            digest=submission.digest,
            files=submission.files_digest,
            call=submission.call,
            contest_files=submission.contest_files,
            words=setting.words.name,
            engine=ENGINE_VERSION,
            **asdict(Board.of(setting, limits, stop)),
        )

    @property
    def board(self) -> Board:
        return Board(*(getattr(self, name) for name in _BOARD))

    @property
    def running(self) -> bool:
        return self.state == RUNNING

    @property
    def flagged(self) -> bool:
        """Whether a flag is raised and nobody has cleared it."""
        return bool(self.flag) and bool(json.loads(self.flag)["raised"]) and not self.cleared

    @property
    def ranked(self) -> bool:
        """Whether it has a place on its board: played to its end, and not flagged."""
        return self.state == FINISHED and not self.flagged

    @property
    def board_rule(self) -> StopRule:
        """The stop rule of the board."""
        return StopRule(**json.loads(self.stop))

    @property
    def stop_rule(self) -> StopRule:
        """When this entry's run ends: as the board has it, with this attempt's share of the error.

        That of attempt k is 1 / (k (k + 1)). All shares add up to 1, so the error of the board is that of all attempts.
        """
        return replace(self.board_rule, error=self.board_rule.error / (self.attempt * (self.attempt + 1)))

    @property
    def played_under(self) -> Limits:
        return Limits(**json.loads(self.limits))

    @property
    def terms(self) -> dict[str, Any]:
        """What the seed hashes, besides the entry's secret."""
        return self._facts(SEEDED)

    @property
    def entered_facts(self) -> dict[str, Any]:
        """What the `enter` event says of this entry."""
        return self._facts(_ENTERED)

    @property
    def finished_facts(self) -> dict[str, Any]:
        """What the `finish` event says of this entry, beside the hash of the `enter` event and two digests."""
        return self._facts(_FINISHED)

    def _facts(self, names: Sequence[str]) -> dict[str, Any]:
        facts = {name: getattr(self, name) for name in names}
        return {n: (json.loads(value) if value else None) if n in _AS_JSON else value for n, value in facts.items()}

    def __repr__(self) -> str:
        run = f"{self.state}, {counted(self.trials or 0, 'trial')}"
        return line_of(self, f"{self.id} {cut(self.name, 60)!r}: {run}")


def same_strategy(call: str, other: str) -> bool:
    """Whether two calls of the same files may be one strategy, so that the second entry is another attempt.

    No call at all makes the file's only class: the same as that class without arguments.
    """
    keys = call_key(call), call_key(other)
    return keys[0] == keys[1] or ("" in keys and "(" not in "".join(keys))


@dataclass(frozen=True)
class Played:
    """A finished trial: the game, the referee's figures, and the end of what the contestant wrote to stderr."""

    game: Game
    figures: Figures
    errors: str = ""

    @property
    def log_bytes(self) -> int:
        """Roughly the bytes stored of a trial: its asks, a few numbers each, and its texts."""
        game = self.game
        return sum(len(guess) + 32 for guess, _, _ in game.history) + len(game.reason) + len(self.errors)

    @property
    def row(self) -> dict[str, Any]:
        """The cells of a row of the ledger by column."""
        game = self.game
        same = {name: getattr(game, name) for name in ("trial", "answer", "proposed", "reason", "seconds", "slowest")}
        return same | {
            "verdict": str(game.verdict),
            "budget": game.budget if math.isfinite(game.budget) else None,
            "chance": self.figures.chance,
            "evidence": json.dumps(self.figures.evidence),
            "log": json.dumps(game.history),
            "errors": self.errors,
        }


@dataclass(frozen=True)
class Row:
    """A trial in the ledger; `log` holds (guess, epsilon, clue code) of each ask."""

    trial: int
    answer: str
    proposed: str | None
    verdict: Verdict
    reason: str
    budget: float
    chance: float
    """The referee's posterior probability of the proposed word; 0 if there was none."""
    evidence: tuple[float, ...]
    """What `evidence.figures` gives beside it."""
    log: list[tuple[str, float, int]]
    errors: str
    seconds: float
    slowest: float


# The columns of each table, with what a cell may be. NULL stands for an infinite budget.
_ENTRY = get_type_hints(Entry)
_ROW = get_type_hints(Row) | {"budget": float | None, "evidence": GenericAlias(tuple, (float,) * COLUMNS)}
_STANDING: dict[str, Any] = dict.fromkeys(
    ("percentile", "budget", "win_rate", "low", "high", "wins", "sampled", "decided"), float
)
_STANDING |= {"budget": float | None, "wins": int, "sampled": float | None, "decided": int}
ENTRY_COLUMNS, ROW_COLUMNS, STANDING_COLUMNS = map(", ".join, (_ENTRY, _ROW, _STANDING))


def read_row(stored: Sequence[Any]) -> Row:
    """The trial of a stored row. Raises `MalformedError` for one that cannot be a trial."""
    values = cells.row(_ROW, stored, f"trial {visible(str(stored[0]), 20)}")
    return Row(**values | {"budget": math.inf if values["budget"] is None else values["budget"]})


def read_entry(stored: Sequence[Any]) -> Entry:
    """The entry of a stored row. Raises `MalformedError` for one that cannot be an entry, and says which cell."""
    label = f"entry {visible(str(stored[0]), 20)}"
    entry = Entry(**cells.row(_ENTRY, stored, label))
    if not re.fullmatch("[0-9a-f]{12}", entry.id):
        raise MalformedError(f"{label}: id is not 12 hexadecimal digits")
    if entry.state not in (RUNNING, FINISHED, ENDED):
        raise MalformedError(f"{label}: state {visible(entry.state, 40)!r} is not known")
    if entry.attempt < 1:
        raise MalformedError(f"{label}: attempt is not a number from 1 up")
    if entry.seed is not None and not re.fullmatch("[0-9]{1,78}", entry.seed):
        raise MalformedError(f"{label}: seed is not a whole number of 256 bits")
    cells.record(Limits, entry.limits, f"{label}: limits")
    stop = cells.record(StopRule, entry.stop, f"{label}: stop rule")
    if stop.max_trials > _MOST_TRIALS or (stop.max_trials - stop.first) // stop.step > _MOST_LOOKS:
        raise MalformedError(
            f"{label}: stop rule is longer than any: {_MOST_TRIALS} trials, {_MOST_LOOKS} looks at most"
        )
    if entry.flag:
        cells.record(Flag, entry.flag, f"{label}: flag")
    return entry


def stored_standing(standing: RankStanding) -> dict[str, Any]:
    """A standing as a row of the ledger; NULL for an infinite budget."""
    values = {name: getattr(standing, name) for name in _STANDING if name not in ("low", "high")}
    values |= {name: values[name] if math.isfinite(values[name]) else None for name in ("budget", "sampled")}
    low, high = standing.interval
    return values | {"low": low, "high": high, "decided": int(standing.decided)}


def read_standing(stored: Sequence[Any], trials: int) -> RankStanding:
    """The standing of a stored row, after so many trials. Raises `MalformedError` for one that cannot be one."""
    label = f"standing at percentile {visible(str(stored[0]), 20)}"
    values = cells.row(_STANDING, stored, label)
    if values["percentile"] not in PERCENTILES:
        raise MalformedError(f"{label}: there is no such percentile")
    values |= {name: math.inf if values[name] is None else values[name] for name in ("budget", "sampled")}
    interval = values.pop("low"), values.pop("high")
    return RankStanding(**values | {"interval": interval, "trials": trials, "decided": bool(values["decided"])})
