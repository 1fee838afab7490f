"""The board of a contest: its ranks as data, as a table and as a file.

Until the close it is provisional, and of an entry it has three percentiles with intervals and the counts of verdicts.
Whatever a contestant chose is visible, bounded text here.
"""

import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from wordpl.base.defaults import PERCENTILES, QUANTILES
from wordpl.base.displays import counted, finite
from wordpl.base.json_types import Doc, InfAsNull, InJson, OpenInterval
from wordpl.base.sanitizing import MarkdownText, markdown_cell, visible, write_csv
from wordpl.contest.ledger import Ledger
from wordpl.contest.records import FINAL, STAGES, Contest, Entry, is_link
from wordpl.play.referee import Verdict
from wordpl.reporting.tables import MARKDOWN, TABLE, TableStyle, interval, number, print_table, print_text
from wordpl.simulation.statistics import percentile, percentile_interval

OPEN, FINISHED, ENDED = "open", "finished", "ended"


@dataclass(frozen=True)
class Standing:
    """An entry at one percentile."""

    percentile: Annotated[float, Doc("0.05, 0.5 or 0.95.")]
    score: Annotated[InfAsNull, Doc("The percentile of the scores of all games; null if it is not reached.")]
    interval: Annotated[
        tuple[float, float],
        InJson(lambda ends: [finite(end) for end in ends], OpenInterval),
        Doc("Distribution-free 95% interval; null for infinity."),
    ]
    rank: Annotated[int | None, Doc("1 plus the number of smaller scores; null if the percentile is not reached.")]
    record: Annotated[float | None, Doc("The record to beat; null if the contest has none.")]
    improvement_percent: Annotated[float | None, Doc("Improvement over the record; negative if worse.")]
    beats_record: Annotated[bool, Doc("True if it beats the record by the margin.")]


@dataclass(frozen=True)
class BoardEntry:
    """An entry on the board."""

    id: Annotated[str, Doc("The first 12 digits of its digest.")]
    digest: Annotated[str, Doc("SHA-256 of its files and its call.")]
    name: Annotated[str, Doc("Name on the board.")]
    author: Annotated[str, Doc("Who wrote it; empty if that was not said.")]
    link: Annotated[str, Doc("An https address where it is published; empty if that was not said.")]
    call: Annotated[str, Doc("The call, if one was given.")]
    contest_files: Annotated[str, Doc("Which of the contest's own files it takes along; empty if none.")]
    entered: Annotated[str, Doc("UTC, ISO 8601.")]
    state: Annotated[str, Doc("`open` while games are missing; `ended` has no rank.", (OPEN, FINISHED, ENDED))]
    ended: Annotated[str, Doc("Why it has ended; else empty.")]
    games: Annotated[int, Doc("Games played in the stage that the board shows.")]
    verdicts: Annotated[dict[str, int], Doc("Games by how they ended; empty unless it is finished.")]
    p05: Annotated[Standing | None, Doc("At the 5th percentile; null unless it is finished.")]
    p50: Annotated[Standing | None, Doc("At the 50th percentile; null unless it is finished.")]
    p95: Annotated[Standing | None, Doc("At the 95th percentile; null unless it is finished.")]

    @property
    def standings(self) -> list[Standing]:
        """The three standings; none unless the entry is finished."""
        return [standing for standing in (self.p05, self.p50, self.p95) if standing is not None]

    @property
    def remark(self) -> str:
        """The line about it below the table."""
        if self.state == ENDED:
            return f"has no rank: {self.ended}"
        if self.state == OPEN:
            return f"is open: {counted(self.games, 'game')} played so far"
        counts = ", ".join(f"{n:,} {verdict}" for verdict, n in self.verdicts.items() if n)
        return counts + (f"; {self.contest_files}" if self.contest_files else "")


@dataclass(frozen=True)
class Board:
    """The board of a contest."""

    stage: Annotated[str, Doc("`provisional` until the close, then `final`.", STAGES)]
    terms: Annotated[str, Doc("Words, rule, channel and limits, on one line.")]
    trials: Annotated[int, Doc("Games of each entry.")]
    records: Annotated[
        dict[float, float],
        InJson(lambda records: {str(at): budget for at, budget in records.items()}, dict[str, float]),
        Doc("The records to beat, by percentile."),
    ]
    margin_percent: Annotated[float, Doc("By how much a record must be beaten.")]
    hashes: Annotated[dict[str, str], Doc("SHA-256 of the seeds, by stage.")]
    seeds: Annotated[dict[str, str], Doc("Both seeds, by stage: 64 hexadecimal digits; empty until the close.")]
    closing: Annotated[str, Doc("When the close began, and nothing was entered any more: UTC, ISO 8601, or empty.")]
    entries: Annotated[list[BoardEntry], Doc("The entries, in order of entry.")]
    version: Annotated[str, Doc("A digest that changes with the board.")]

    @property
    def title(self) -> str:
        state = "Final board" if self.stage == FINAL else "Provisional board, until the close"
        return f"{state}: {self.terms}"

    def standings(self, at: float) -> list[tuple[Standing, BoardEntry]]:
        """The finished entries at percentile `at`, such as 0.05, in order of rank; who does not reach it comes last."""
        pairs = [(standing, entry) for entry in self.entries for standing in entry.standings]
        return sorted((pair for pair in pairs if pair[0].percentile == at), key=lambda pair: pair[0].score)

    def table(self) -> tuple[list[str], list[list[str]], list[BoardEntry]]:
        """Columns, rows and the entry of each row, for all percentiles. A column that says nothing is left out."""
        pairs = [pair for at in PERCENTILES for pair in self.standings(at)]
        rows = [_cells(standing, entry) for standing, entry in pairs]
        columns = [name for name in (rows[0] if rows else {}) if any(row[name] for row in rows)]
        return columns, [[row[name] for name in columns] for row in rows], [entry for _, entry in pairs]

    @property
    def notes(self) -> list[str]:
        """A line for each entry, and what there is to say of the seeds."""
        lines = [f"{entry.name} ({entry.id}): {entry.remark}" for entry in self.entries]
        if self.closing and self.stage != FINAL:
            lines.append("the close has begun: wordpl contest close resumes it")
        lines += [f"SHA-256 of the seed of the {stage} games: {digest}" for stage, digest in self.hashes.items()]
        return lines + [f"seed of the {stage} games: {seed}" for stage, seed in self.seeds.items()]


def read_board(ledger: Ledger, match: str = "") -> Board:
    """The board of the contest in `ledger`: the provisional one until the close, then the final one.

    With `match` it has only the entries whose name or id contains it; ranks are among all.
    """
    contest = ledger.contest
    entries = _ranked([_board_entry(ledger, contest, entry) for entry in ledger.entries()])
    return Board(
        stage=contest.stage,
        terms=contest.title(),
        trials=contest.trials,
        records=contest.records,
        margin_percent=100.0 * contest.margin,
        hashes=contest.hashes,
        seeds={stage: contest.seed(stage) for stage in STAGES} if contest.closed else {},
        closing=contest.closing,
        entries=[entry for entry in entries if match.lower() in entry.name.lower() or match.lower() in entry.id],
        version=ledger.version,
    )


def _board_entry(ledger: Ledger, contest: Contest, entry: Entry) -> BoardEntry:
    """An entry without its ranks."""
    results = ledger.results(entry, contest.stage)
    state = ENDED if entry.ended else FINISHED if len(results) == contest.trials else OPEN
    standings: dict[float, Standing] = {}
    counts: Counter[Verdict] = Counter()
    if state == FINISHED:
        scores = [budget if verdict is Verdict.WIN else math.inf for verdict, budget in results]
        standings = {at: _standing(contest, scores, at) for at in PERCENTILES}
        counts.update(verdict for verdict, _ in results)
    return BoardEntry(
        id=visible(entry.id, 12),
        digest=visible(entry.digest, 64),
        name=visible(entry.name),
        author=visible(entry.author),
        link=entry.link if is_link(entry.link) else "",
        call=visible(entry.call),
        contest_files=visible(entry.contest_files, 200),
        entered=visible(entry.entered, 40),
        state=state,
        ended=visible(entry.ended),
        games=len(results),
        verdicts={str(verdict): counts[verdict] for verdict in Verdict} if counts else {},
        **{name: standings.get(at) for name, at in QUANTILES.items()},
    )


def _standing(contest: Contest, scores: Sequence[float], at: float) -> Standing:
    score, record = percentile(scores, at), contest.records.get(at)
    # As exact as the decimals of the record: 14.82 is 5% below 15.6.
    beats = record is not None and score <= record * (1.0 - contest.margin) * (1.0 + 1e-12)
    improvement = None if record is None else finite(100.0 * (1.0 - score / record))
    return Standing(at, score, percentile_interval(scores, at), None, record, improvement, beats)


def _ranked(entries: list[BoardEntry]) -> list[BoardEntry]:
    """The entries with their ranks."""
    for name in QUANTILES:
        standings = {i: standing for i, entry in enumerate(entries) if (standing := getattr(entry, name))}
        scores = [standing.score for standing in standings.values()]
        for i, standing in standings.items():
            if math.isfinite(standing.score):
                rank = 1 + sum(score < standing.score for score in scores)
                entries[i] = replace(entries[i], **{name: replace(standing, rank=rank)})
    return entries


def _cells(standing: Standing, entry: BoardEntry) -> dict[str, str]:
    """A row of the table by column, the most important first."""
    improvement = standing.improvement_percent
    return {
        "percentile": f"{round(100 * standing.percentile)}th",
        "rank": str(standing.rank or "-"),
        "name": entry.name,
        "score": number(standing.score),
        "interval": interval(standing.interval),
        "record": "" if standing.record is None else f"{standing.record:g}",
        "improvement (%)": "" if improvement is None else f"{improvement:+.1f}",
        "beats record": "" if standing.record is None else "yes" if standing.beats_record else "no",
        "author": entry.author,
        "id": entry.id,
    }


def print_board(board: Board, style: TableStyle | None = None) -> None:
    """Print the board with its notes, in Markdown for a README; as CSV or LaTeX only the table, if it has rows."""
    style, (columns, rows, entries) = style or TableStyle(), board.table()
    markdown = style.format == MARKDOWN
    if markdown:
        typer.echo(f"### {markdown_cell(board.title)}\n")
        for row, entry in zip(rows, entries, strict=True):
            if entry.link:
                at = columns.index("author" if entry.author else "name")
                row[at] = MarkdownText(f"[{markdown_cell(row[at])}](<{entry.link}>)")
    if rows:
        print_table(board.title, columns, rows, board.notes, style)
    if markdown:
        typer.echo("\n".join([*([""] if rows else []), *(f"- {markdown_cell(note)}" for note in board.notes)]))
    elif style.format == TABLE and not rows:
        for line in (board.title, *board.notes):
            print_text(line)


def contest_csv(board: Board) -> str:
    """The board as the CSV that the contest's own evaluate.py writes."""
    text = io.StringIO()
    rows = [["strategy", *QUANTILES, "timeouts"]]
    for entry in board.entries:
        scores = [str(standing.score) for standing in entry.standings] or [""] * len(QUANTILES)
        rows.append([entry.name, *scores, str(entry.verdicts.get(Verdict.TIMEOUT, ""))])
    write_csv(text, rows, delimiter=";")
    return text.getvalue()
