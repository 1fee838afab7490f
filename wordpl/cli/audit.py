"""`wordpl audit`: check a ledger, its entries and receipts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.cli.leaderboard import LEDGER, LedgerFile
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.tables import print_json

if TYPE_CHECKING:
    from wordpl.contest.audit import PlayAgain
    from wordpl.contest.entries import Entry
    from wordpl.contest.ledger import Ledger
    from wordpl.progress import Progress


def audit(
    match: Annotated[str, typer.Argument(help="An id, or part of a name. Default: every submission.")] = "",
    ledger: LedgerFile = LEDGER,
    file: Annotated[
        str, typer.Option("--file", help="Also play this submission again and compare its moves.", metavar="SUBMISSION")
    ] = "",
    games: Annotated[
        int | None, typer.Option("--games", min=1, help="With --file: play so many trials, evenly drawn. Default: all.")
    ] = None,
    jobs: opt.Jobs = 0,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", help="Compare this receipt with the ledger, and audit its entry.")
    ] = None,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    contest_files: opt.ContestFiles = None,
    json: opt.Json = False,
) -> None:
    """Check the ledger, and replay its games from their seeds.

    Exit code 1 says that something does not fit, or could not be checked.
    """
    from wordpl.contest.audit_chain import audit_chain, audit_receipt
    from wordpl.contest.ledger import Ledger
    from wordpl.contest.receipt import read_receipt
    from wordpl.contest.schema import ForeignSchemaError
    from wordpl.play.strategy import Setting

    if games is not None and not file:
        raise WordplError("--games goes with --file: it says how many trials are played again")
    held = None if receipt is None else read_receipt(receipt)
    setting = Setting(opt.word_list(words, answers, guesses))
    report = _Report(json)
    with show_progress() as shown:
        again = _play_again(file, contest_files, games, jobs, shown) if file else None
        try:
            with Ledger(ledger, read_only=True) as book, book.copied():
                report.add("ledger", "ledger", audit_chain(book))
                if held is not None:
                    report.add("receipt", f"receipt of {held.id}", audit_receipt(book, held))
                _entries(book, held.id if held is not None and not match else match, setting, again, report, shown)
        except ForeignSchemaError as error:
            report.add("ledger", "ledger", error.faults)
    report.end()


def _play_again(
    file: str, contest_files: Path | None, games: int | None, jobs: int, progress: Progress | None
) -> PlayAgain:
    from wordpl.contest.audit import PlayAgain
    from wordpl.contest.submission import load_submission
    from wordpl.contest.submit import launcher

    return PlayAgain(load_submission(file, contest_files), launcher(), games, opt.number_of_jobs(jobs), progress)


def _entries(
    book: Ledger, match: str, setting: Any, again: PlayAgain | None, report: _Report, progress: Progress
) -> None:
    """Audit the entries that match. Without `match`, a submission to be played again selects its own entries."""
    from wordpl.contest.audit import audit_entry

    audited = 0
    for key in book.keys(match):
        try:
            entry = book.by_key(key)
        except WordplError as error:
            report.add_entry({"key": key}, f"entry {key}", [str(error)])
            audited += 1
            continue
        if again is not None and not match and entry.digest != again.submission.digest:
            continue
        audited += 1
        faults = audit_entry(book, entry, setting, again, progress)
        report.add_entry(_facts(entry, again), _said(entry, again), faults)
    if not audited:
        raise WordplError(f"{book.path} has no submission" + _that(match, again))


def _that(match: str, again: PlayAgain | None) -> str:
    if match or again is None:
        return f" that matches {match!r}" if match else ""
    return f" of this file and call (digest {again.submission.digest})"


def _facts(entry: Entry, again: PlayAgain | None) -> dict[str, Any]:
    from wordpl.contest.sanitizing import visible

    facts = {"key": entry.key, "id": entry.id, "name": visible(entry.name), "state": entry.state}
    facts |= {"trials": entry.trials, "seed": entry.seed}
    played = 0 if again is None else len(again.trials(entry))
    return facts | {"played_again": played}


def _said(entry: Entry, again: PlayAgain | None) -> str:
    facts = _facts(entry, again)
    if entry.running:
        return f"{entry.id} {facts['name']}: is running, so only its terms are checked"
    played = f", {facts['played_again']} of them played again" if again is not None else ""
    return f"{entry.id} {facts['name']}: {entry.state}, {entry.trials} trials{played}, seed {entry.seed}"


class _Report:
    """The findings: lines as they come, or one JSON value at the end."""

    def __init__(self, json: bool) -> None:
        self._json = json
        self._found: dict[str, Any] = {}
        self._entries: list[dict[str, Any]] = []
        self._wrong = False

    def add(self, key: str, title: str, faults: list[str]) -> None:
        self._found[key] = self._say(title, faults)

    def add_entry(self, facts: dict[str, Any], title: str, faults: list[str]) -> None:
        self._entries.append({**facts, "faults": self._say(title, faults)})

    def _say(self, title: str, faults: list[str]) -> list[str]:
        from wordpl.contest.sanitizing import visible

        shown = [visible(" ".join(fault.split()), 600) for fault in faults]
        self._wrong = self._wrong or bool(shown)
        if not self._json:
            typer.echo(f"{title}: " + ("no faults found" if not shown else ""))
            for fault in shown:
                typer.echo(f"    {fault}")
        return shown

    def end(self) -> None:
        """Print the JSON value, if asked for. Exits with 1 if anything does not fit."""
        if self._json:
            print_json({**self._found, "entries": self._entries})
        if self._wrong:
            raise typer.Exit(1)
