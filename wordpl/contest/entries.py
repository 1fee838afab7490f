"""The rows of the ledger: entries with their terms, their boards, and trials."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from wordpl.contest import cells
from wordpl.contest.cells import MalformedError
from wordpl.contest.evidence import COLUMNS, Flag
from wordpl.contest.limits import MIB, Limits
from wordpl.contest.ranking import Standing, StopRule
from wordpl.contest.receipt import canonical
from wordpl.contest.sanitizing import visible
from wordpl.contest.submission import call_key
from wordpl.displays import counted, cut, line_of
from wordpl.errors import WordplError
from wordpl.play.referee import Verdict
from wordpl.play.strategy import Setting
from wordpl.simulation.statistics import PERCENTILES
from wordpl.simulation.tasks import ENGINE_VERSION, channel_name

if TYPE_CHECKING:  # it comes with the sandbox, which reading a ledger does not need
    from wordpl.contest.scoring import Played

RUNNING, FINISHED, ENDED = "running", "finished", "ended"

_BOARD = ("words_digest", "rule", "channel", "limits", "stop")
_MADE = ("draw", "engine", "nonce", "commitment", "sandbox", "author", "link")
_ENTERED = ("name", "digest", "files", "call", "contest_files", "words", *_BOARD, *_MADE)
_SEEDED = ("digest", "call", *_BOARD, "draw", "engine", "nonce")
FINISH_FACTS = ("state", "reason", "trials", "secret", "seed", "strategy", "interface")
"""What the `finish` event says, beside flag and digests, as the columns of the entry do."""
_AS_JSON = ("limits", "stop")
_VERDICTS = frozenset(map(str, Verdict))
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
        kinds: dict[str, Callable[[Any], Any]] = {"float": float, "int": int}
        exact = {}
        for field in fields(limits):
            value = getattr(limits, field.name)
            if isinstance(value, (int, float)) and not math.isfinite(value):
                raise WordplError(f"limit {field.name} = {value} is not allowed in ranked play; it must be finite")
            # As exact types, so that 600 seconds and 600.0 seconds are one board.
            exact[field.name] = kinds.get(str(field.type), lambda value: value)(value)
        return cls(
            setting.words.digest, setting.rule, channel_name(setting.channel), canonical(exact), canonical(asdict(stop))
        )

    @property
    def id(self) -> str:
        return hashlib.sha256(canonical(asdict(self)).encode()).hexdigest()[:8]

    @property
    def is_contest(self) -> bool:
        """Whether this is the contest's own board, the one whose records stand, at one of its two time limits."""
        return self in _contest_boards()

    def title(self, words: str) -> str:
        """Return the title of the board; `words` is the name of its word list."""
        known = self.words_digest == contest_board().words_digest
        listed = "original" if known else f"{visible(words)} ({visible(self.words_digest[:8])})"
        parts = [f"words {listed}", visible(self.rule), visible(self.channel).replace("_", " ")]
        parts += _differences(json.loads(self.limits), asdict(Limits())) or ["default limits"]
        parts += _differences(json.loads(self.stop), asdict(StopRule()))
        return f"{'Contest' if self.is_contest else 'Board'} {self.id}: {', '.join(parts)}"

    def __repr__(self) -> str:
        return line_of(self, f"{self.id}: {cut(self.rule, 40)}, {cut(self.channel, 60)}")


def _differences(values: dict[str, Any], default: dict[str, Any]) -> list[str]:
    """Return the values that differ from `default`, each in a few words."""
    parts = []
    for name, value in values.items():
        if value != default.get(name):
            large = isinstance(value, int) and name in ("memory", "scratch")
            parts.append(f"{name.replace('_', ' ')} " + (f"{value / MIB:g} MiB" if large else f"{value:g}"))
    return parts


@cache
def contest_board() -> Board:
    """The contest's own: its words, letterwise clues, randomized response, default limits and stop rule."""
    from wordpl.model.words import load_words

    return Board.of(Setting(load_words()), Limits(), StopRule())


@cache
def _contest_boards() -> tuple[Board, ...]:
    """The contest's own for games of 10 seconds, as in its code, and of 5, as in its README."""
    return tuple(replace(contest_board(), limits=canonical(asdict(Limits.for_games_of(s)))) for s in (10.0, 5.0))


@dataclass(frozen=True)
class Entry:
    """A submission in the ledger, with the terms of its run. Nothing of its trials is known before it is over."""

    key: int
    """The number of its `enter` event."""
    id: str
    """The first 12 digits of that event's hash."""
    name: str
    digest: str
    """Of the files and the call: `Submission.digest`."""
    files: str
    call: str
    contest_files: str
    """What the contest's own files are for it: `Submission.contest_files`."""
    words: str
    words_digest: str
    rule: str
    channel: str
    limits: str
    """Canonical JSON of `Limits`."""
    stop: str
    """Canonical JSON of `StopRule`, as on the board: its error not yet divided by the draw."""
    draw: int
    """1 for the first entry of this content, 2 for the next one, on other terms."""
    engine: int
    nonce: str
    commitment: str
    sandbox: str
    entered: str
    """UTC, ISO 8601."""
    author: str
    link: str
    source: str
    """What `credit.read_source` reads; empty unless its author lets the ledger publish it."""
    strategy: str
    interface: str
    state: str
    """`running`, `finished`, or `ended` for one that was not played to its end."""
    reason: str
    trials: int | None
    """How many count; None while it runs."""
    flag: str
    """JSON of `Flag`: what the evidence against the player comes to. Empty until a run is finished."""
    cleared: str
    """Why the organiser has cleared the flag; empty if that has not been done."""
    secret: str | None
    """The entry's own secret, None until the run is over; so with the seed."""
    seed: str | None
    finished: int | None
    """The number of its `finish` event."""

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
        """When this entry's run ends: as the board has it, but with the error divided by the number of the draw."""
        return replace(self.board_rule, error=self.board_rule.error / self.draw)

    @property
    def played_under(self) -> Limits:
        return Limits(**json.loads(self.limits))

    @property
    def terms(self) -> dict[str, Any]:
        """What the seed hashes, besides the entry's secret."""
        return _facts(vars(self), _SEEDED)

    @property
    def entered_facts(self) -> dict[str, Any]:
        """What the `enter` event says of this entry."""
        return _facts(vars(self), _ENTERED)

    def __repr__(self) -> str:
        told = f"{self.state}, {counted(self.trials or 0, 'trial')}"
        return line_of(self, f"{self.id} {cut(self.name, 60)!r}: {told}")


def seeded_facts(entered: Mapping[str, Any]) -> dict[str, Any]:
    """Return those facts of an `enter` event that the seed hashes: `Entry.terms`."""
    return {name: entered.get(name) for name in _SEEDED}


def entered_facts(columns: dict[str, Any]) -> dict[str, Any]:
    """The same, of columns not yet in the ledger."""
    return _facts(columns, _ENTERED)


def _facts(columns: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: json.loads(columns[name]) if name in _AS_JSON else columns[name] for name in names}


def same_draws(call: str, other: str) -> bool:
    """Whether two calls of the same files may be one strategy, so that the second entry is another draw.

    No call at all makes the file's only class: the same as that class without arguments.
    """
    one, two = call_key(call), call_key(other)
    return one == two or ("" in (one, two) and "(" not in one + two)


def terms_now(setting: Setting, limits: Limits, stop: StopRule) -> dict[str, Any]:
    """The columns of an entry that is made now on these terms."""
    board = Board.of(setting, limits, stop)
    return {**asdict(board), "words": setting.words.name, "engine": ENGINE_VERSION}


@dataclass(frozen=True)
class Row:
    """A trial in the ledger; `log` holds (guess, epsilon, clue code) of each ask."""

    trial: int
    answer: str
    proposed: str | None
    verdict: str
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


ROW_COLUMNS = "trial, answer, proposed, verdict, reason, budget, chance, evidence, log, errors, seconds, slowest"


def stored_row(record: Played) -> tuple[Any, ...]:
    """A finished trial as a row of the ledger, in the order of `ROW_COLUMNS`."""
    game, figures = record.game, record.figures
    return (
        game.trial,
        game.answer,
        game.proposed,
        str(game.verdict),
        game.reason,
        game.budget if math.isfinite(game.budget) else None,
        figures.chance,
        json.dumps(figures.evidence),
        json.dumps([[turn.guess, turn.epsilon, turn.clue] for turn in game.history]),
        record.errors,
        game.seconds,
        game.slowest,
    )


def read_row(stored: Sequence[Any]) -> Row:
    """The trial of a stored row. Raises `MalformedError` for one that cannot be a trial."""
    cell = dict(zip(ROW_COLUMNS.split(", "), stored, strict=True))
    trial = cells.whole(cell["trial"], "a trial's number")
    label = f"trial {trial}: "
    budget = None if cell["budget"] is None else cells.real(cell["budget"], label + "budget")
    return Row(
        trial,
        cells.text(cell["answer"], label + "answer"),
        None if cell["proposed"] is None else cells.text(cell["proposed"], label + "proposed word"),
        read_verdict(cell["verdict"], label),
        cells.text(cell["reason"], label + "reason"),
        math.inf if budget is None else budget,
        cells.real(cell["chance"], label + "chance"),
        read_evidence(cell["evidence"], label),
        _read_log(cell["log"], label),
        cells.text(cell["errors"], label + "errors"),
        cells.real(cell["seconds"], label + "seconds"),
        cells.real(cell["slowest"], label + "slowest"),
    )


def read_verdict(stored: object, label: str) -> str:
    """The verdict of a stored row."""
    verdict = cells.text(stored, label + "verdict")
    if verdict not in _VERDICTS:
        raise MalformedError(f"{label}verdict {visible(verdict, 40)!r} is not known")
    return verdict


def read_evidence(stored: object, label: str) -> tuple[float, ...]:
    """The evidence of a stored row."""
    found = cells.from_json(stored, label + "evidence")
    if not isinstance(found, list) or len(found) != COLUMNS:
        raise MalformedError(f"{label}evidence is not a list of {COLUMNS} numbers")
    return tuple(cells.real(value, label + "evidence") for value in found)


def _read_log(stored: object, label: str) -> list[tuple[str, float, int]]:
    found = cells.from_json(stored, label + "log")
    if not isinstance(found, list) or not all(isinstance(turn, list) and len(turn) == 3 for turn in found):
        raise MalformedError(f"{label}log is not a list of asks")
    return [
        (cells.text(guess, label + "guess"), cells.real(epsilon, label + "epsilon"), cells.whole(clue, label + "clue"))
        for guess, epsilon, clue in found
    ]


def read_entry(stored: Sequence[Any]) -> Entry:
    """The entry of a stored row. Raises `MalformedError` for one that cannot be an entry, and says which cell."""
    declared = Entry.__dataclass_fields__
    cell = dict(zip(declared, stored, strict=True))
    for name, field in declared.items():
        hint, label = str(field.type), f"entry {visible(str(cell['key']), 20)}: {name}"
        if cell[name] is not None or not hint.endswith(" | None"):
            (cells.whole if hint.startswith("int") else cells.text)(cell[name], label)
    entry = Entry(**cell)
    label = f"entry {entry.key}: "
    if not re.fullmatch("[0-9a-f]{12}", entry.id):
        raise MalformedError(f"{label}id is not 12 hexadecimal digits")
    if entry.state not in (RUNNING, FINISHED, ENDED):
        raise MalformedError(f"{label}state {visible(entry.state, 40)!r} is not known")
    if entry.draw < 1:
        raise MalformedError(f"{label}draw is not a number from 1 up")
    if entry.seed is not None and not re.fullmatch("[0-9]{1,78}", entry.seed):
        raise MalformedError(f"{label}seed is not a whole number of 256 bits")
    cells.record(Limits, entry.limits, label + "limits")
    stop = cells.record(StopRule, entry.stop, label + "stop rule")
    if stop.max_trials > _MOST_TRIALS or (stop.max_trials - stop.first) // stop.step > _MOST_LOOKS:
        raise MalformedError(f"{label}stop rule is longer than any: {_MOST_TRIALS} trials, {_MOST_LOOKS} looks at most")
    if entry.flag:
        cells.record(Flag, entry.flag, label + "flag")
    return entry


STANDING_COLUMNS = "percentile, budget, win_rate, low, high, wins, sampled, decided"


def stored_standing(standing: Standing) -> tuple[Any, ...]:
    """A standing as a row of the ledger, in the order of `STANDING_COLUMNS`; NULL for an infinite budget."""
    budget, sampled = (value if math.isfinite(value) else None for value in (standing.budget, standing.sampled))
    low, high = standing.interval
    return standing.percentile, budget, standing.win_rate, low, high, standing.wins, sampled, int(standing.decided)


def read_standing(stored: Sequence[Any], trials: int) -> Standing:
    """The standing of a stored row, after so many trials. Raises `MalformedError` for one that cannot be one."""
    cell = dict(zip(STANDING_COLUMNS.split(", "), stored, strict=True))
    q = cells.real(cell["percentile"], "a standing's percentile")
    if q not in PERCENTILES:
        raise MalformedError(f"standing at percentile {q:g}: there is no such percentile")
    label = f"standing at percentile {q:g}: "
    budget, sampled = (
        math.inf if cell[name] is None else cells.real(cell[name], label + name) for name in ("budget", "sampled")
    )
    win_rate, low, high = (cells.real(cell[name], label + name) for name in ("win_rate", "low", "high"))
    wins, decided = cells.whole(cell["wins"], label + "wins"), cells.whole(cell["decided"], label + "decided")
    return Standing(q, budget, win_rate, (low, high), wins, trials, sampled, bool(decided))
