"""The leaderboard: its boards as tables for a terminal, a README and a file, and its entries as plain JSON values.

Of a running entry nothing is shown. Whatever a contestant chose is visible, bounded text here, and nothing else: no
markup, no link but a checked one, no mention of a user or an issue that GitHub would follow, no formula of a
spreadsheet. `report` escapes it for a page.
"""

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypeAlias, cast

from typing_extensions import TypedDict

from wordpl.base.displays import finite
from wordpl.base.errors import WordplError
from wordpl.base.files import whole_file, write_text
from wordpl.base.json_types import ChannelName, Doc, Engine, Interval, Rule, Words
from wordpl.base.sanitizing import MarkdownText, markdown_cell, visible, write_csv
from wordpl.contest.judge.ranking import CONTEST_TRIALS, RankStanding, Row, StopRule
from wordpl.contest.ledger.entries import ENDED, FINISHED, RUNNING, Board, Entry, is_link, read_source
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.contest.limits import Limits
from wordpl.model.clues import Clue
from wordpl.reporting.tables import TABLE, TableStyle, interval, markdown_table, number, print_table, print_text
from wordpl.simulation.json_records import LossReason
from wordpl.simulation.statistics import PERCENTILES, QUANTILES

Ranks: TypeAlias = dict[tuple[int, float], int]
"""Ranks by entry's key and percentile: `LedgerReader.ranks()`."""
_USUAL = {"author": "", "decided": "yes", "attempt": "1"}
"""A column is left out if all its cells have this value."""


def by_board(entries: list[Entry]) -> list[tuple[Board, list[Entry]]]:
    """Return the boards with their entries: the contest's own first, then in order of their first entry."""
    boards: dict[Board, list[Entry]] = defaultdict(list)
    for entry in entries:
        boards[entry.board].append(entry)
    return sorted(boards.items(), key=lambda item: not item[0].is_contest)


def placed_at(book: LedgerReader, entries: list[Entry]) -> dict[float, list[tuple[RankStanding, Entry]]]:
    """Return, by percentile, the standings of the ranked entries that may reach it, in order of rank."""
    placed: dict[float, list[tuple[RankStanding, Entry]]] = {q: [] for q in PERCENTILES}
    for entry in entries:
        for standing in book.standings(entry) if entry.ranked else []:
            if not (standing.decided and math.isinf(standing.budget)):
                placed[standing.percentile].append((standing, entry))
    return {q: sorted(pairs, key=lambda pair: (pair[0].budget, pair[1].key)) for q, pairs in placed.items()}


def remarks(entries: list[Entry], placed: list[Entry]) -> list[tuple[Entry, str]]:
    """Return what there is to say of entries beside the table: why they are not `placed`, and what else they are."""
    keys = {entry.key for entry in placed}
    notes = [(entry, state_of(entry)) for entry in entries if entry.key not in keys]
    notes += [(entry, f"was flagged, and cleared: {visible(entry.cleared)}") for entry in entries if entry.cleared]
    return notes + [(entry, visible(entry.contest_files, 200)) for entry in entries if entry.contest_files]


def state_of(entry: Entry) -> str:
    """Return the line about an entry that is not in the table."""
    if entry.flagged:
        message = visible(entry.flag.reason) if entry.flag else ""
        return f"is flagged as suspicious, so it has no rank until the organiser has looked at it: {message}"
    if entry.ranked:
        return f"reaches no percentile after {entry.trials or 0:,} trials"
    return f"is {entry.state}" + (f": {visible(entry.reason)}" if entry.reason else "")


class StandingRecord(TypedDict):
    """How an entry stands at a percentile."""

    rank: Annotated[int | None, Doc("Rank on its board; null if it has none.")]
    budget: Annotated[float | None, Doc("Smallest budget that was shown to win this often; null if there is none.")]
    win_rate: Annotated[float, Doc("Win rate within that budget.")]
    win_rate_interval: Annotated[Interval, Doc("Its interval.")]
    wins: Annotated[int, Doc("Games won within that budget.")]
    sampled: Annotated[float | None, Doc("Percentile of the first 1,001 scores; null if it is not reached.")]
    decided: Annotated[bool, Doc("Whether more trials would change nothing.")]
    record: NotRequired[Annotated[float, Doc("The contest's record; only on its board.")]]
    margin_percent: NotRequired[Annotated[float, Doc("By how much it must be beaten; only on the contest's board.")]]
    improvement_percent: NotRequired[
        Annotated[float | None, Doc("Improvement over the record; only on the contest's board.")]
    ]
    clears: NotRequired[Annotated[bool, Doc("Whether it beats the record by the margin; only on the contest's board.")]]


class BoardName(TypedDict):
    """The board of an entry."""

    id: Annotated[str, Doc("Id of the board.")]
    title: Annotated[str, Doc("Its title.")]
    contest: Annotated[bool, Doc("Whether it is the contest's own.")]


class FlagRecord(TypedDict):
    """What the evidence against the player comes to; only `cleared` if the run was not finished."""

    e_value: NotRequired[Annotated[float, Doc("All evidence together.")]]
    e_values: NotRequired[Annotated[dict[str, float], Doc("Evidence by test.")]]
    raised: NotRequired[Annotated[bool, Doc("Whether the entry is flagged.")]]
    trials: NotRequired[Annotated[int, Doc("After how many trials.")]]
    reason: NotRequired[Annotated[str, Doc("Why.")]]
    cleared: Annotated[str, Doc("Why the organiser cleared it; empty if that has not been done.")]


class EntryFacts(TypedDict):
    """An entry without its source."""

    name: Annotated[str, Doc("Name on the board.")]
    id: Annotated[str, Doc("Id of the entry.")]
    state: Annotated[str, Doc("State of the run.", (RUNNING, FINISHED, ENDED))]
    ranked: Annotated[bool, Doc("Whether it has a place on its board.")]
    attempt: Annotated[int, Doc("1 for the first entry of this content, 2 for the next one.")]
    strategy: Annotated[str, Doc("What the strategy calls itself.")]
    interface: Annotated[str, Doc("Interface of the strategy; empty before it has started.")]
    digest: Annotated[str, Doc("Digest of files and call.")]
    call: Annotated[str, Doc("The call, if one was given.")]
    contest_files: Annotated[str, Doc("Which of the contest's own files it takes along; empty if none.")]
    words: Words
    words_digest: Annotated[str, Doc("Digest of the words.")]
    rule: Rule
    channel: ChannelName
    engine: Engine
    board: Annotated[BoardName, Doc("Where it competes.")]
    limits: Annotated[Limits, Doc("What the strategy may use.")]
    stop_rule: Annotated[StopRule, Doc("When the run ends.")]
    sandbox: Annotated[str, Doc("What it ran in.")]
    author: Annotated[str, Doc("Who wrote it; empty if that was not said.")]
    link: Annotated[str, Doc("An https address where it is published; empty if that was not said.")]
    entered: Annotated[str, Doc("UTC, ISO 8601.")]
    commitment: Annotated[str, Doc("Commitment to the secret.")]
    nonce: Annotated[str, Doc("The participant's part of the seed.")]
    secret: Annotated[str | None, Doc("Null until the run is over.")]
    seed: Annotated[str | None, Doc("Digits, as text; null until the run is over.")]
    reason: Annotated[str, Doc("Why a run ended without a rank; else empty.")]
    trials: NotRequired[Annotated[int | None, Doc("Trials that count; this and all below only once the run is over.")]]
    verdicts: NotRequired[Annotated[dict[str, int], Doc("Games by how they ended.")]]
    timeouts: NotRequired[Annotated[int, Doc("Games lost by the clock, of the first 1,001.")]]
    reasons: NotRequired[Annotated[list[LossReason], Doc("The commonest reasons other than a wrong word.")]]
    flag: NotRequired[Annotated[FlagRecord, Doc("Evidence that the strategy knew more than its clues.")]]
    p05: NotRequired[Annotated[StandingRecord, Doc("Standing at the 5th percentile; only if the run is finished.")]]
    p50: NotRequired[Annotated[StandingRecord, Doc("Standing at the 50th percentile; only if the run is finished.")]]
    p95: NotRequired[Annotated[StandingRecord, Doc("Standing at the 95th percentile; only if the run is finished.")]]


class EntryRecord(EntryFacts):
    """An entry, as in the leaderboard."""

    source: Annotated[dict[str, str], Doc("Its files by name, if their author lets them be shown.")]


def entry_record(book: LedgerReader, entry: Entry, ranks: Ranks | None = None) -> EntryRecord:
    """Return an entry as plain JSON values; of a running one nothing of its trials. `ranks` are `book.ranks()`."""
    board = entry.board
    known: dict[str, Any] = asdict(entry)
    known |= {name: visible(value, 1000) for name, value in known.items() if isinstance(value, str)}
    known |= {"ranked": entry.ranked, "stop_rule": known["stop"], "link": entry.link if is_link(entry.link) else ""}
    known["board"] = {"id": board.id, "title": board.title(entry.words), "contest": board.is_contest}
    known["source"] = {visible(name): text for name, text in read_source(entry.source, entry.files).items()}
    if entry.running:
        del known["trials"], known["flag"]
    else:
        known["verdicts"] = book.verdicts(entry)
        known["timeouts"] = book.verdicts(entry, CONTEST_TRIALS)["TIMEOUT"]
        known["reasons"] = [{"reason": reason, "trials": n} for reason, n in book.reasons(entry)]
        known["flag"] = {**(known["flag"] or {}), "cleared": entry.cleared}
        ranks = book.ranks() if ranks is None else ranks
        standings = book.standings(entry)
        known |= {f"p{round(100 * s.percentile):02}": standing_record(s, entry, ranks) for s in standings}
    return cast(EntryRecord, {name: known[name] for name in EntryRecord.__annotations__ if name in known})


def standing_record(standing: RankStanding, entry: Entry, ranks: Ranks) -> StandingRecord:
    """Return a standing as plain JSON values; None for an infinite budget."""
    records = entry.records
    record: StandingRecord = {
        "rank": ranks.get((entry.key, standing.percentile)),
        "budget": finite(standing.budget),
        "win_rate": standing.win_rate,
        "win_rate_interval": standing.interval,
        "wins": standing.wins,
        "sampled": finite(standing.sampled),
        "decided": standing.decided,
    }
    if entry.board.is_contest:
        record["record"] = records.budgets[standing.percentile]
        record["margin_percent"] = 100 * records.margin
        record["improvement_percent"] = finite(records.improvement(standing))
        record["clears"] = records.clears(standing) and entry.ranked
    return record


def trial_record(row: Row) -> dict[str, Any]:
    """Return a trial of an entry whose run is over as plain JSON values; None for an infinite budget."""
    log = []
    for guess, epsilon, code in row.log:
        try:
            clue = str(Clue(code, len(guess)))
        except WordplError:  # in a ledger that somebody has changed
            clue = visible(str(code), 40)
        log.append({"guess": guess, "epsilon": epsilon, "clue": clue})
    return asdict(row) | {"budget": finite(row.budget), "reason": visible(row.reason), "log": log}


def ordinal(q: float) -> str:
    """Return a percentile as 5th, 50th or 95th."""
    return f"{round(100 * q)}th"


@dataclass(frozen=True)
class ShownBoard:
    """A board as text: a row for each percentile and entry, by column, and a note for each entry without a row."""

    title: str
    rows: list[dict[str, str]]
    entries: list[Entry]
    """The entry of each row."""
    notes: list[str]

    @property
    def columns(self) -> list[str]:
        """The columns that say something."""
        first = self.rows[0] if self.rows else {}
        return [name for name in first if any(row[name] != _USUAL.get(name) for row in self.rows)]

    def print(self, style: TableStyle | None = None) -> None:
        """Print the table with its notes; in a style for a program or a paper, only the table, if it has rows."""
        if self.rows:
            cells = [[row[name] for name in self.columns] for row in self.rows]
            print_table(self.title, self.columns, cells, self.notes, style)
        elif style is None or style.format == TABLE:
            for line in (self.title, *self.notes):
                print_text(line)

    def markdown(self) -> str:
        """Return it for a README."""
        lines = [f"### {markdown_cell(self.title)}", ""]
        if self.rows:
            rows = []
            for row, entry in zip(self.rows, self.entries, strict=True):
                cells: dict[str, str] = {column: row[column] for column in self.columns}
                if linked := linked_column(entry):
                    cells[linked] = MarkdownText(f"[{markdown_cell(cells[linked])}](<{entry.link}>)")
                rows.append([*cells.values()])
            lines += [*markdown_table(self.columns, rows), ""]
        notes = [f"- {markdown_cell(note)}" for note in self.notes]
        return "\n".join([*lines, *notes, *([""] if notes else [])])


def read_boards(book: LedgerReader, entries: list[Entry], ranks: Ranks) -> list[ShownBoard]:
    """Return the table of each board of some entries, in order of rank; `ranks` are `book.ranks()`."""
    boards = []
    for board, group in by_board(entries):
        pairs = [pair for placed in placed_at(book, group).values() for pair in placed]
        on_board = [entry for _, entry in pairs]
        notes = [f"{visible(entry.name)} ({entry.id}) {remark}" for entry, remark in remarks(group, on_board)]
        rows = [row_of(book, standing, entry, ranks) for standing, entry in pairs]
        boards.append(ShownBoard(board.title(group[0].words), rows, on_board, notes))
    return boards


def row_of(book: LedgerReader, standing: RankStanding, entry: Entry, ranks: Ranks) -> dict[str, str]:
    """Return a standing by column, the most important first."""
    records, reached = entry.records, math.isfinite(standing.budget)
    row = {
        "percentile": ordinal(standing.percentile),
        "rank": str(ranks.get((entry.key, standing.percentile), "-")),
        "name": visible(entry.name),
        "budget": number(standing.budget) if reached else "none" if standing.decided else "undecided",
        "win rate there": f"{number(standing.win_rate)} {interval(standing.interval)}",
    }
    if entry.board.is_contest:
        row["record"] = f"{records.budgets[standing.percentile]:g}"
        row["improvement"] = f"{records.improvement(standing):+.1f}%" if reached else ""
        row["beats record"] = "yes" if records.clears(standing) and entry.ranked else "no"
    return row | {
        f"sampled ({CONTEST_TRIALS:,} trials)": number(standing.sampled),
        "won there": f"{standing.wins:,}",
        "decided": "yes" if standing.decided else "no",
        "attempt": str(entry.attempt),
        "author": visible(entry.author),
        "trials": f"{entry.trials or 0:,}",
        "id": entry.id,
    }


def linked_column(entry: Entry) -> str:
    """Return the column that links to where an entry is published: its author, or its name; empty without a link."""
    return ("author" if entry.author else "name") if is_link(entry.link) else ""


def write_board(target: Path, form: str, records: Sequence[Mapping[str, Any]], boards: list[ShownBoard]) -> None:
    """Write the leaderboard as `json`, `md`, `contest` (the CSV of the contest's own program), or else as CSV."""
    if form == "json":
        write_text(target, json.dumps(records, indent=2, allow_nan=False) + "\n")
    elif form == "md":
        write_text(target, "\n".join(board.markdown() for board in boards))
    elif form == "contest":
        rows: list[list[Any]] = [["strategy", *QUANTILES, "timeouts"]]
        for record in records:
            # As the contest's evaluate.py has it: the percentiles of the first 1,001 scores; none while it runs.
            sampled = [record[key]["sampled"] if key in record else "" for key in QUANTILES]
            scores = ("inf" if value is None else value for value in sampled)
            rows.append([record["strategy"] or record["name"], *scores, record.get("timeouts", "")])
        _write_rows(target, rows, delimiter=";")
    else:
        flat = [_flat(record) for record in records]
        columns = list(dict.fromkeys(key for row in flat for key in row))
        _write_rows(target, [columns, *([row.get(column) for column in columns] for row in flat)])


def _write_rows(target: Path, rows: list[list[Any]], delimiter: str = ",") -> None:
    with whole_file(target) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        write_csv(file, rows, delimiter)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        inner = {f"{key}_{name}": v for name, v in value.items()} if isinstance(value, dict) else {key: value}
        flat |= {name: v for name, v in inner.items() if key != "source" and not isinstance(v, (list, tuple, dict))}
    return flat
