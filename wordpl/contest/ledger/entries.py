"""The rows of the ledger: entries with their terms, their boards, their authors' credit, and trials."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, get_type_hints

from wordpl.base.checks import instance
from wordpl.base.displays import counted, cut, line_of
from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import check_name, visible
from wordpl.contest.judge.evidence import COLUMNS, Flag
from wordpl.contest.judge.ranking import RankStanding, Records, Row, StopRule
from wordpl.contest.ledger import cells
from wordpl.contest.ledger.cells import MalformedError, canonical
from wordpl.contest.ledger.seeds import check_nonce, digest
from wordpl.contest.limits import MIB, Limits
from wordpl.contest.submission import Submission, call_key, check_lists
from wordpl.model.words import load_words
from wordpl.play.setting import Setting
from wordpl.simulation.statistics import PERCENTILES
from wordpl.simulation.tasks import ENGINE_VERSION, channel_name

RUNNING, FINISHED, ENDED = "running", "finished", "ended"

_BOARD = ("words_digest", "rule", "channel", "limits", "stop")
_ORIGIN = ("attempt", "engine", "nonce", "commitment", "sandbox", "records", "entered", "author", "link")
ENTERED = ("key", "name", "digest", "files", "call", "contest_files", "words", *_BOARD, *_ORIGIN)
"""What is known of an entry when it is made, and never changes. Its id is a hash of it."""
ENDING = (
    "state", "reason", "trials", "flag", "secret", "seed", "strategy", "interface", "finished", "trials_digest"
)  # fmt: skip
"""What is known of it when its run is over, and never changes, like its standings."""
SEEDED = ("digest", "call", *_BOARD, "attempt", "engine", "nonce")
"""What the seed hashes, besides the entry's secret."""
_MOST_TRIALS, _MOST_LOOKS = 10_000_000, 10_000
_FORMS = {
    "id": "[0-9a-f]{12}", "state": "running|finished|ended", "attempt": "[1-9][0-9]*", "seed": "[0-9]{1,78}|None"
}  # fmt: skip


@dataclass(frozen=True)
class Board:
    """Where entries compete: they play the same games under the same `limits` and `stop` rule.

    `words_digest`, `rule` and `channel` say which games.
    """

    words_digest: str
    rule: str
    channel: str
    limits: Limits
    stop: StopRule

    @classmethod
    def of(cls, setting: Setting, limits: Limits, stop: StopRule) -> Board:
        """The board of this `setting`, `limits` and `stop` rule. Raises `WordplError` for an infinite limit."""
        instance("setting", setting, Setting)
        for name, value in vars(limits).items():
            if not math.isfinite(value):
                raise WordplError(f"limit {name} = {value} is not allowed in ranked play; it must be finite")
        # Of exact types, so that 600 seconds and 600.0 seconds are one board.
        exact = Limits(**{name: kind(getattr(limits, name)) for name, kind in get_type_hints(Limits).items()})
        return cls(setting.words.digest, setting.rule, channel_name(setting.channel), exact, stop)

    @property
    def id(self) -> str:
        terms = canonical({name: cells.stored(value) for name, value in vars(self).items()})
        return hashlib.sha256(terms.encode()).hexdigest()[:8]

    @property
    def is_contest(self) -> bool:
        """Whether this is the contest's own board, the one whose records stand, at one of its two time limits."""
        return self in contest_boards()

    def title(self, words: str) -> str:
        """Return the title of the board; `words` is the name of its word list."""
        known = self.words_digest == contest_boards()[0].words_digest
        name = "original" if known else f"{visible(words)} ({visible(self.words_digest[:8])})"
        parts = [f"word list {name}", f"rule {visible(self.rule)}", visible(self.channel).replace("_", " ")]
        parts += _differences(self.limits, Limits()) or ["default limits"]
        parts += _differences(self.stop, StopRule())
        return f"{'Contest board' if self.is_contest else 'Board'}: {', '.join(parts)} ({self.id})"


def _differences(values: Limits | StopRule, default: Limits | StopRule) -> list[str]:
    """Return the values that differ from `default`, each in a few words."""
    different = {name: value for name, value in vars(values).items() if value != getattr(default, name)}
    shown = {name: f"{value / MIB:g} MiB" for name, value in different.items() if name in ("memory", "scratch")}
    return [f"{name.replace('_', ' ')} {shown.get(name, f'{value:g}')}" for name, value in different.items()]


@cache
def contest_boards() -> tuple[Board, ...]:
    """The contest's own game, with games of 10 seconds, as in its code, and of 5, as in its README."""
    return tuple(Board.of(Setting(load_words()), Limits.for_games_of(seconds), StopRule()) for seconds in (10.0, 5.0))


@dataclass(frozen=True)
class Entry:
    """A submission in the ledger, with the terms of its run. Nothing of its trials is known before it is over.

    `name` and `call` are as its author gave them, `author` and `link` as in `Credit`. `files` is the digest of its
    files. `words`, `words_digest`, `rule` and `channel` are those of the setting, and `engine` is the engine's version.
    `nonce`, `commitment` and `seed` make its games: the author's part, the hash of the secret, and what follows from
    both. `sandbox` says in what it ran, and `limits` what it may use. `strategy` and `interface` are what the file
    calls itself, and `reason` says why it ended.
    """

    key: int = -1
    """Its number, from 1."""
    id: str = ""
    """The first 12 digits of a hash of its terms: `own_id`."""
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
    limits: Limits = field(default_factory=Limits)
    stop: StopRule = field(default_factory=StopRule)
    """As on the board: its error is that of all attempts."""
    attempt: int = 1
    """1 for the first entry of this content, 2 for the next one, on other terms."""
    engine: int = 0
    nonce: str = ""
    commitment: str = ""
    sandbox: str = ""
    records: Records = field(default_factory=Records)
    """Those that stood when it was entered."""
    entered: str = ""
    """UTC, ISO 8601."""
    author: str = ""
    link: str = ""
    source: str = ""
    """What `read_source` reads; empty unless its author lets the ledger publish it."""
    strategy: str = ""
    interface: str = ""
    state: str = RUNNING
    """`running`, `finished`, or `ended` for one that was not played to its end."""
    reason: str = ""
    trials: int | None = None
    """How many count; None while it runs."""
    flag: Flag | None = None
    """What the evidence against the player comes to; None until a run is finished."""
    cleared: str = ""
    """Why the organiser has cleared the flag; empty if that has not been done."""
    secret: str | None = None
    """The entry's own secret, None until the run is over; so with the seed."""
    seed: str | None = None
    finished: str = ""
    """When its run was over: UTC, ISO 8601."""
    trials_digest: str = ""
    """SHA-256 of its trials, `LedgerReader.trials_digest`, once its run is over."""
    results_digest: str = ""
    """SHA-256 of all other results: `digest_of_results`."""

    @classmethod
    def draft(
        cls,
        name: str,
        submission: Submission,
        setting: Setting,
        limits: Limits,
        sandbox: str = "",
        *,
        stop: StopRule | None = None,
        nonce: str = "",
        credit: Credit | None = None,
    ) -> Entry:
        """Return the entry of `submission` under `name`, before it is in a ledger.

        Its terms are `setting`, `limits` and the `stop` rule. `sandbox` says in what it runs, and `credit` names the
        author. `nonce` is the participant's part of the seed; if it is empty, the ledger draws one. Raises
        `WordplError` for what is not allowed, and for a checkout of the contest with other words.
        """
        board, credit = Board.of(setting, limits, stop or StopRule()), credit or Credit()
        check_lists(submission.companions, submission.checkout, setting.words)
        return cls(
            name=check_name(name),
            digest=submission.digest,
            files=submission.files_digest,
            call=submission.call,
            contest_files=submission.contest_files,
            words=setting.words.name,
            engine=ENGINE_VERSION,
            nonce=nonce and check_nonce(nonce),
            sandbox=sandbox,
            author=credit.author,
            link=credit.link,
            source=credit.source(submission),
            **vars(board),
        )

    @property
    def board(self) -> Board:
        return Board(*(getattr(self, name) for name in _BOARD))

    @property
    def own_id(self) -> str:
        """The id that its terms make. One of them follows from the contest's secret, so no two contests share an id."""
        return digest("entry", canonical(self.facts(ENTERED)))[:12]

    @property
    def running(self) -> bool:
        return self.state == RUNNING

    @property
    def flagged(self) -> bool:
        """Whether a flag is raised and nobody has cleared it."""
        return self.flag is not None and self.flag.raised and not self.cleared

    @property
    def ranked(self) -> bool:
        """Whether it has a place on its board: played to its end, and not flagged."""
        return self.state == FINISHED and not self.flagged

    @property
    def stop_rule(self) -> StopRule:
        """When this entry's run ends: as the board has it, with this attempt's share of the error.

        That of attempt k is 1 / (k (k + 1)). All shares add up to 1, so the error of the board is that of all attempts.
        """
        return replace(self.stop, error=self.stop.error / (self.attempt * (self.attempt + 1)))

    def facts(self, names: Sequence[str]) -> dict[str, Any]:
        """The values of `names`, which are fields of this entry, as they are hashed."""
        facts = asdict(self)
        return {name: facts[name] for name in names}

    def __repr__(self) -> str:
        run = f"{self.state}, {counted(self.trials or 0, 'trial')}"
        return line_of(self, f"{self.id} {cut(self.name, 60)!r}: {run}")


def digest_of_results(entry: Entry, standings: Iterable[Sequence[object]]) -> str:
    """The digest that the results of an entry make, with its stored `standings`. A damaged file does not fit it."""
    try:
        return digest("results", canonical([entry.facts(ENDING), *standings]))
    except (TypeError, ValueError):  # bytes, infinities: no wordpl writes them
        return ""


def same_strategy(call: str, other: str) -> bool:
    """Whether two calls of the same files may be one strategy; no call at all makes the file's only class."""
    keys = call_key(call), call_key(other)
    return keys[0] == keys[1] or ("" in keys and "(" not in "".join(keys))


# Credit: text that a stranger has chosen, bounded and visible when it is entered, and escaped where it is shown.

LONGEST_AUTHOR = 80
LONGEST_LINK = 200
LARGEST_SOURCE = 256 * 1024
"""Bytes of all files together. As JSON they take up to six times as many, which is checked, too."""

_LINK = re.compile(
    r"https://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?(/[A-Za-z0-9._~%/?=&+,;@#-]*)?", re.ASCII
)
"""No character of it means anything in Markdown or HTML but &, which is escaped there."""


@dataclass(frozen=True)
class Credit:
    """The `author` of an entry and a `link`, both perhaps empty, and whether the entry `publishes_source`."""

    author: str = ""
    link: str = ""
    publishes_source: bool = False

    def __post_init__(self) -> None:
        if self.author != visible(self.author.strip(), LONGEST_AUTHOR):
            form = f"up to {LONGEST_AUTHOR} visible characters are"
            raise WordplError(f"author {visible(self.author, 40)!r} is not allowed; {form}")
        if self.link and not is_link(self.link):
            form = f"an address such as https://example.org/page with at most {LONGEST_LINK} characters is expected"
            raise WordplError(f"link {visible(self.link, 60)!r} is not allowed; {form}")

    def source(self, submission: Submission) -> str:
        """The files of `submission` as a cell; empty if kept. Raises `WordplError` for what is too large or no text."""
        if not self.publishes_source:
            return ""
        if sum(map(len, submission.files.values())) > LARGEST_SOURCE:
            raise WordplError(f"the source has more than {LARGEST_SOURCE // 1024} KiB; it is entered if not published")
        try:
            files = {name: content.decode() for name, content in submission.files.items()}
        except UnicodeDecodeError:
            raise WordplError("the source is not text in UTF-8; it is entered if not published") from None
        cell = canonical({"main": submission.main, "files": files})
        if len(cell) > cells.LARGEST_CELL // 2:
            raise WordplError("the source has too many characters beyond ASCII; it is entered if not published")
        return cell


def is_link(text: str) -> bool:
    """Whether an address may be made a link of."""
    return len(text) <= LONGEST_LINK and _LINK.fullmatch(text) is not None


def read_source(cell: str, files_digest: str) -> dict[str, str]:
    """Name -> text of the published files; none if none are. Raises `MalformedError` if others were entered."""
    if not cell:
        return {}
    source = cells.from_json(cell, "source")
    with suppress(TypeError, KeyError, AttributeError, UnicodeEncodeError):  # of texts that are no source
        files: dict[str, str] = source["files"]
        content = {name: text.encode() for name, text in files.items()}
        if Submission("", content, source["main"]).files_digest == files_digest:
            return files
    raise MalformedError("source is not what was entered")


ENTRY_COLUMNS, ROW_COLUMNS, STANDING_COLUMNS = (
    ", ".join(get_type_hints(record)) for record in (Entry, Row, RankStanding)
)


def read_row(stored: Sequence[Any]) -> Row:
    """The trial of a stored row. Raises `MalformedError` for one that cannot be a trial."""
    label = f"trial {visible(str(stored[0]), 20)}"
    row = cells.row(Row, stored, label)
    if len(row.evidence) != COLUMNS:
        raise MalformedError(f"{label}: evidence has not {COLUMNS} numbers")
    return row


def read_entry(stored: Sequence[Any]) -> Entry:
    """The entry of a stored row. Raises `MalformedError` for one that cannot be an entry, and says which cell."""
    label = f"entry {visible(str(stored[0]), 20)}"
    entry = cells.row(Entry, stored, label)
    for name, form in _FORMS.items():
        if not re.fullmatch(form, value := str(getattr(entry, name))):
            raise MalformedError(f"{label}: {name} {visible(value, 40)!r} is not known")
    stop = entry.stop
    if stop.max_trials > _MOST_TRIALS or (stop.max_trials - stop.first) // stop.step > _MOST_LOOKS:
        raise MalformedError(f"{label}: stop rule is longer than any: {_MOST_TRIALS} trials, {_MOST_LOOKS} looks")
    return entry


def read_standing(stored: Sequence[Any]) -> RankStanding:
    """The standing of a stored row. Raises `MalformedError` for one that cannot be one."""
    label = f"standing at percentile {visible(str(stored[0]), 20)}"
    standing = cells.row(RankStanding, stored, label)
    if standing.percentile not in PERCENTILES:
        raise MalformedError(f"{label}: there is no such percentile")
    return standing
