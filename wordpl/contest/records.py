"""The records of a contest: its terms, an entry and a game.

The columns and cells of the ledger follow from their fields. Anybody may have written a ledger, so
each cell is checked when it is read.
"""

import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass
from enum import EnumType
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from wordpl.base.checks import MOST_TRIALS, whole_number
from wordpl.base.defaults import PERCENTILES
from wordpl.base.displays import cut, line_of
from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import visible
from wordpl.contest.limits import MIB, Limits
from wordpl.model.channel import named_channel
from wordpl.model.names import BUNDLED
from wordpl.model.words import WordList, load_words
from wordpl.play.referee import Game, Verdict
from wordpl.play.setting import Setting, Turn

PROVISIONAL, FINAL = STAGES = ("provisional", "final")
"""Every entry plays the hidden games of the first stage when it is entered, and those of the second at the close."""
MARGIN = 0.05
"""By how much a record must be beaten, unless the contest says otherwise."""
LONGEST_AUTHOR = 80
LONGEST_LINK = 200

_LARGEST_NUMBER = 1 << 62
_LINK = re.compile(
    r"https://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?(/[A-Za-z0-9._~%/?=&+,;@#-]*)?", re.ASCII
)
"""No character of it means anything in Markdown or HTML but &, which is escaped there."""

Record = TypeVar("Record")


def sha256(text: str) -> str:
    """SHA-256 of a text, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_link(text: str) -> bool:
    """Return whether an address may be shown as a link."""
    return len(text) <= LONGEST_LINK and _LINK.fullmatch(text) is not None


@dataclass(frozen=True)
class Contest:
    """The terms of a contest, which never change, its two seeds, and how far it is.

    `words` names the word list, whose `answers` and `guesses` are separated by spaces. `rule`, `channel` and `limits`
    are those of all games, played by version `engine`. `provisional_seed` and `final_seed` are 64 hexadecimal digits
    each, secret until the close: before that nobody but the host has the ledger. `started` is UTC, ISO 8601.
    """

    words: str
    answers: str
    guesses: str
    rule: str
    channel: str
    limits: Limits
    trials: int
    """Games of each entry in each stage."""
    records: dict[float, float]
    """Budget to beat, by percentile."""
    margin: float
    """By how much, as a share of the record."""
    engine: int
    provisional_seed: str
    final_seed: str
    started: str
    closing: str = ""
    """Time at which the close began, after which nothing is entered: UTC, ISO 8601; empty before."""
    closed: str = ""
    """Time at which all games of the final stage were played."""

    def __post_init__(self) -> None:
        whole_number("trials", self.trials, maximum=MOST_TRIALS)
        if not set(self.records) <= set(PERCENTILES) or not all(0.0 < b < math.inf for b in self.records.values()):
            raise WordplError("a record is a number above 0 at percentile 5, 50 or 95")
        if not 0.0 <= self.margin < 1.0:
            raise WordplError(f"margin {self.margin:g} is not allowed; a number from 0 up to 1 is expected")
        for name, value in vars(self.limits).items():
            if not math.isfinite(value):
                raise WordplError(f"limit {name} = {value} is not allowed in a contest; it must be finite")
        for seed in (self.provisional_seed, self.final_seed):
            if not re.fullmatch("[0-9a-f]{64}", seed):
                raise WordplError("a seed of the contest is not 64 hexadecimal digits")

    @property
    def stage(self) -> str:
        """The stage that the board shows."""
        return FINAL if self.closed else PROVISIONAL

    def seed(self, stage: str) -> str:
        """The seed of a `stage`, `provisional` or `final`; secret until the close."""
        return self.final_seed if stage == FINAL else self.provisional_seed

    @property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of both seeds, by stage; public from the start."""
        return {stage: sha256(self.seed(stage)) for stage in STAGES}

    def setting(self) -> Setting:
        """The setting of all games. Raises `WordplError` for one that is not known here."""
        words = WordList(self.words, tuple(self.answers.split()), tuple(self.guesses.split()))
        if self.words in BUNDLED and load_words(self.words) == words:
            words = load_words(self.words)
        return Setting(words, self.rule, named_channel(self.channel))

    def __repr__(self) -> str:
        return line_of(self, cut(self.title(), 160))

    def title(self) -> str:
        """The terms on one line."""
        parts = [f"{self.trials:,} games", f"word list {visible(self.words, 60)}", f"rule {visible(self.rule, 40)}"]
        parts.append(visible(self.channel, 80).replace("_", " "))
        usual = Limits()
        for name, value in vars(self.limits).items():
            if value != getattr(usual, name):
                shown = f"{value / MIB:g} MiB" if name in ("memory", "scratch") else f"{value:g}"
                parts.append(f"{name.replace('_', ' ')} {shown}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Entry:
    """A submission in the ledger.

    `name`, `author` and `link` are as its author gave them. `main` is the file that holds the strategy, and `call` the
    call that makes it, if one was given.
    """

    key: int
    """Its number, from 1."""
    id: str
    """The first 12 digits of its digest."""
    digest: str
    """SHA-256 of its files and its call: `Submission.digest`."""
    name: str
    main: str
    call: str
    contest_files: str
    """The contest's own files that it takes along: `Submission.contest_files`."""
    author: str
    link: str
    entered: str
    """UTC, ISO 8601."""
    ended: str = ""
    """Why it is not played to its end and has no rank: one of the sentences in `run`; else empty."""
    reason: str = ""
    """Text of its own error; for the host until the close."""

    def __repr__(self) -> str:
        return line_of(self, f"{self.id} {cut(self.name, 60)!r}" + (f", ended: {self.ended}" if self.ended else ""))


@dataclass(frozen=True)
class PlayedGame:
    """A finished game of an entry.

    `trial`, `answer`, `proposed`, `verdict`, `reason`, `budget`, `seconds` and `slowest` are as in `wordpl.Game`.
    """

    trial: int
    answer: str
    proposed: str | None
    verdict: Verdict
    reason: str
    budget: float
    log: list[tuple[str, float, int]]
    """Guess, epsilon and clue code of each ask."""
    errors: str
    """The end of what the contestant wrote to stderr."""
    seconds: float
    slowest: float

    @classmethod
    def of(cls, game: Game, errors: str = "") -> "PlayedGame":
        """The record of a `game` that was just played; `errors` is what the contestant wrote to stderr."""
        log = [(turn.guess, turn.epsilon, turn.clue) for turn in game.history]
        facts = (game.trial, game.answer, game.proposed, game.verdict, game.reason, game.budget)
        return cls(*facts, log, errors, game.seconds, game.slowest)

    @property
    def game(self) -> Game:
        """The referee's record of the same game."""
        history = tuple(Turn(*ask) for ask in self.log)
        facts = (self.trial, self.answer, self.verdict, self.proposed, self.reason, history)
        return Game(*facts, self.seconds, self.slowest)


@dataclass(frozen=True)
class Credit:
    """Who is shown as the `author` of an entry, and an https `link` to more about it; both may be empty."""

    author: str = ""
    link: str = ""

    def __post_init__(self) -> None:
        if self.author != visible(self.author.strip(), LONGEST_AUTHOR):
            form = f"up to {LONGEST_AUTHOR} visible characters are"
            raise WordplError(f"author {visible(self.author, 40)!r} is not allowed; {form}")
        if self.link and not is_link(self.link):
            form = f"an address such as https://example.org/page with at most {LONGEST_LINK} characters is expected"
            raise WordplError(f"link {visible(self.link, 60)!r} is not allowed; {form}")


# Cells. Numbers and texts stand as they are, everything else as JSON.

hints_of: Callable[[Any], dict[str, Any]] = cache(get_type_hints)
_PLAIN = (str, int, float, Verdict, str | None)


def cell_of(value: Any) -> Any:
    """A value of a record as it stands in its cell."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    return json.dumps(value, allow_nan=False) if isinstance(value, (dict, list)) else value


def record_of(kind: type[Record], cells: Sequence[object], label: str) -> Record:
    """The record whose fields are the `cells` of a row. Raises `WordplError`."""
    values = {}
    for (name, hint), cell in zip(hints_of(kind).items(), cells, strict=True):
        where = f"{label}: {name}"
        if hint not in _PLAIN:
            try:
                cell = json.loads(typed(cell, str, where), parse_constant=int)  # which refuses NaN and infinity
            except (ValueError, RecursionError):
                raise WordplError(f"{where} is not JSON") from None
        values[name] = typed(cell, hint, where)
    return _made(kind, values, label)


def _made(kind: type[Record], values: dict[str, Any], label: str) -> Record:
    try:
        return kind(**values)
    except WordplError as error:
        raise WordplError(f"{label} is not allowed: {error}") from None


def typed(value: Any, hint: Any, label: str) -> Any:
    """`value` if it is of the type that a hint says. Numbers are from 0 up. Raises `WordplError` for all else."""
    kind, kinds = get_origin(hint) or hint, get_args(hint)
    if hint == str | None:
        return None if value is None else typed(value, str, label)
    if is_dataclass(kind) and isinstance(value, dict) and set(value) == set(hints_of(kind)):
        fields = {name: typed(value[name], inner, f"{label}: {name}") for name, inner in hints_of(kind).items()}
        return _made(kind, fields, label)  # type: ignore[arg-type]
    if kind is dict and isinstance(value, dict):
        with suppress(ValueError):  # of a key
            return {kinds[0](key): typed(item, kinds[1], label) for key, item in value.items()}
    if kind is list and isinstance(value, list):
        return [typed(item, kinds[0], label) for item in value]
    if kind is tuple and isinstance(value, list) and len(value) == len(kinds):
        return tuple(typed(item, inner, label) for item, inner in zip(value, kinds, strict=True))
    if kind is str and isinstance(value, str):
        return value
    if kind is int and type(value) is int and 0 <= value < _LARGEST_NUMBER:
        return value
    if kind is float and type(value) in (int, float) and 0.0 <= value <= sys.float_info.max:
        return float(value)
    if isinstance(kind, EnumType) and value in list(kind):
        return kind(value)
    raise WordplError(f"{visible(label, 120)} is not a valid {getattr(kind, '__name__', kind)}")
