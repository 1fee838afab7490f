"""What the API tells of a contest, with the names and meanings of the JSON of `wordpl leaderboard`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from wordpl.web.models import Model

Percent: TypeAlias = Literal[5, 50, 95]
PercentText: TypeAlias = Annotated[Percent, BeforeValidator(lambda text: {"5": 5, "50": 50, "95": 95}.get(text, text))]
"""The same in a query string."""


class RecordToBeat(Model):
    """What there is to beat at a percentile."""

    percentile: Percent
    budget: float


class EntryStanding(Model):
    """How an entry stands at a percentile, as in the JSON of `wordpl leaderboard`."""

    percentile: Percent
    rank: int | None
    budget: Annotated[float | None, Field(description="Smallest budget that surely wins that often; null if none does")]
    win_rate: float
    win_rate_interval: tuple[float, float]
    wins: int
    sampled: Annotated[float | None, Field(description="Percentile of the first 1,001 scores; null if infinite")]
    decided: bool
    record: Annotated[float | None, Field(description="The record when it was entered; the contest's board only")]
    margin_percent: float | None
    improvement_percent: float | None
    clears: Annotated[bool | None, Field(description="Whether it beats that record by the margin")]


class BoardRow(EntryStanding):
    """An entry on a board."""

    id: str
    name: str
    author: str
    link: Annotated[str, Field(description="An https address, or empty")]
    draw: int
    trials: int


class Remark(Model):
    """What there is to say of an entry beside the table."""

    id: str
    name: str
    text: str


class ContestBoard(Model):
    """A board: entries that played the same games under the same limits."""

    id: str
    title: str
    contest: Annotated[bool, Field(description="Whether the records stand for this board")]
    words: str
    rule: str
    channel: str
    rows: list[BoardRow]
    remarks: list[Remark]
    left_out: Annotated[int, Field(description="Rows and remarks beyond the most that are told")]


class Leaderboard(Model):
    """The boards at one percentile, in order of rank."""

    percentile: Percent
    records: list[RecordToBeat]
    margin_percent: float
    boards: list[ContestBoard]
    entries: Annotated[int, Field(description="Entries that match, of all states")]
    head: Annotated[str, Field(description="Hash of the last event; it changes with the leaderboard")]
    commitment: str
    closed: bool


class BoardName(Model):
    """The board of an entry."""

    id: str
    title: str
    contest: bool


class LossReason(Model):
    """A reason for which trials were lost, other than a wrong proposal."""

    reason: str
    trials: int


class FlagOut(Model):
    """What the evidence against the player comes to."""

    raised: bool
    trials: int
    e_value: float
    e_values: dict[str, float]
    reason: str
    cleared: Annotated[str, Field(description="Why the organiser cleared it; empty if not")]


class SourceName(Model):
    """A published file."""

    name: str
    characters: int


class ChainEvent(Model):
    """An event of the chain."""

    number: int
    hash: str
    time: str


class Chain(Model):
    """Where an entry stands in the chain of events."""

    opened: ChainEvent
    entered: ChainEvent
    finished: ChainEvent | None
    head: str


class WorkerOut(Model):
    """A worker of a cluster as it describes itself, and how many trials it has played."""

    name: str
    host: str
    sandbox: str
    wordpl: str
    engine: int
    platform: str
    trials: int


class ContestEntry(Model):
    """An entry, with the fields of `wordpl leaderboard --json`. What its trials tell is null while it runs."""

    name: str
    id: str
    state: Literal["running", "finished", "ended"]
    ranked: bool
    draw: int
    strategy: str
    interface: str
    digest: str
    call: str
    contest_files: str
    words: str
    words_digest: str
    rule: str
    channel: str
    engine: int
    board: BoardName
    limits: dict[str, float]
    stop_rule: dict[str, float]
    sandbox: str
    author: str
    link: str
    source: list[SourceName]
    entered: str
    commitment: str
    nonce: str
    secret: str | None
    seed: str | None
    reason: str
    trials: int | None
    verdicts: dict[str, int] | None
    timeouts: Annotated[int | None, Field(description="Of the first 1,001 trials")]
    reasons: list[LossReason]
    flag: FlagOut | None
    workers: Annotated[list[WorkerOut], Field(description="Of clusters; none if it was played on one machine")]
    standings: list[EntryStanding]
    chain: Chain


class EntryCurvePoint(Model):
    """The win rate within a budget, with its interval."""

    budget: float
    win_rate: float
    interval: tuple[float, float]


class EntryCurve(Model):
    """Win rate against budget; empty while the entry runs."""

    error: Annotated[float, Field(description="Probability that one interval is wrong")]
    trials: int
    points: list[EntryCurvePoint]


class SourceFile(Model):
    """A published file to look at: what is not visible is replaced, and long lines are cut."""

    name: str
    text: str


class AuditReport(Model):
    """What an audit has found. Faults are one line each; none if all fits."""

    head: Annotated[str, Field(description="The last event of the ledger that was audited")]
    at: str
    ledger: list[str]
    entry: list[str]
    only_terms: Annotated[bool, Field(description="Whether the run was not over, so that no games were replayed")]
    current: Annotated[bool, Field(description="Whether the ledger has had no event since")]


class AuditOut(Model):
    """An audit, if one runs, and the result of the last one."""

    running: bool
    trials: Annotated[int, Field(description="Trials replayed; 0 while it waits")]
    of: int
    result: AuditReport | None
