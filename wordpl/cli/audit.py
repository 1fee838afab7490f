"""`wordpl contest audit`: check a ledger and its entries, by themselves and against an earlier copy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, cast

import typer
from typer import Argument, Option
from typing_extensions import TypedDict

import wordpl
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc
from wordpl.base.progress import show_progress
from wordpl.base.sanitizing import visible
from wordpl.cli import options as opt
from wordpl.reporting.tables import print_json

if TYPE_CHECKING:
    from wordpl.base.progress import Progress


def audit(
    match: Annotated[str, Argument(help="An id, or part of a name. Default: every entry.")] = "",
    *,
    ledger: opt.LedgerFile = opt.LEDGER,
    file: Annotated[str, Option(help="Also play this submission again and compare its moves.")] = "",
    games: Annotated[int | None, Option(min=1, help="With --file: play only N trials again. Default: all.")] = None,
    jobs: opt.Jobs = 0,
    against: Annotated[Path | None, Option(help="Check that nothing in this earlier copy has changed.")] = None,
    game: opt.WordOptions,
    json: opt.Json = False,
) -> None:
    """Check the ledger, and replay its games from their seeds.

    Exit code 1: something is wrong, or could not be checked.
    """
    if games is not None and not file:
        raise WordplError("--games needs --file: it says how many trials of the file are played again")
    opt.check_there(ledger, kind="contest file")
    opt.check_there(against, kind="copy")
    setting = wordpl.Setting(game.load())
    report = _Report(json)
    with show_progress() as progress:
        rerun = None
        if file:
            submission, workers = wordpl.contest.load_submission(file), opt.number_of_jobs(jobs)
            rerun = wordpl.contest.PlayAgain(submission, wordpl.contest.launcher(ranked=False), games, workers)
        try:
            with wordpl.contest.Ledger(ledger, read_only=True) as book, book.copied():
                report.add("ledger", "ledger", wordpl.contest.audit_ledger(book))
                if against is not None:
                    with wordpl.contest.Ledger(against, read_only=True) as copy:
                        report.add("against", f"against {against}", wordpl.contest.audit_against(book, copy))
                _entries(book, match, setting, rerun, report, progress)
        except wordpl.contest.ForeignSchemaError as error:
            report.add("ledger", "ledger", error.faults)
    if json:
        print_json({**report.lists, "entries": report.entries})
    if report.wrong:
        raise typer.Exit(1)


def _entries(
    book: wordpl.contest.Ledger,
    match: str,
    setting: Any,
    rerun: wordpl.contest.PlayAgain | None,
    report: _Report,
    progress: Progress,
) -> None:
    """Audit the entries that match. Without `match`, a submission to be played again selects its own entries."""
    for key in book.keys(match):
        try:
            entry = book.by_key(key)
        except WordplError as error:
            report.add_entry({"key": key}, f"entry {key}", [str(error)])
            continue
        if match or rerun is None or entry.digest == rerun.submission.digest:
            report.add_entry(*_facts(entry, rerun), wordpl.contest.audit_entry(book, entry, setting, rerun, progress))
    if report.entries:
        return
    if match:
        raise WordplError(f"{book.path} has no submission that matches {match!r}")
    if rerun is not None:
        raise WordplError(f"{book.path} has no submission of this file and call (digest {rerun.submission.digest})")
    if not report.json:
        typer.echo("the ledger has no entries, so there is no game to replay")


def _facts(entry: wordpl.contest.Entry, rerun: wordpl.contest.PlayAgain | None) -> tuple[dict[str, Any], str]:
    """What JSON says of an entry beside its faults, and what the title of its faults says."""
    facts = {name: getattr(entry, name) for name in ("key", "id", "name", "state", "trials", "seed")}
    facts |= {"name": visible(entry.name), "played_again": 0 if rerun is None else len(rerun.trials(entry))}
    title = f"{entry.id} {facts['name']}: "
    if entry.running:
        return facts, f"{title}is running, so only its terms are checked"
    note = f", {facts['played_again']} of them played again" if rerun is not None else ""
    return facts, f"{title}{entry.state}, {counted(entry.trials or 0, 'trial')}{note}, seed {entry.seed}"


class AuditedEntry(TypedDict):
    """An entry that was audited; only `key` and `faults` where it cannot be read."""

    key: Annotated[int, Doc("Its number in the ledger.")]
    id: NotRequired[Annotated[str, Doc("Id of the entry.")]]
    name: NotRequired[Annotated[str, Doc("Name on the board.")]]
    state: NotRequired[Annotated[str, Doc("State of the run.")]]
    trials: NotRequired[Annotated[int | None, Doc("Trials that count; null while it runs.")]]
    seed: NotRequired[Annotated[str | None, Doc("Null while it runs.")]]
    played_again: NotRequired[Annotated[int, Doc("Trials that were played again.")]]
    faults: Annotated[list[str], Doc("What does not fit; empty if all does.")]


class AuditRecord(TypedDict):
    """Faults, each a line of text. An empty list says that no faults were found."""

    ledger: Annotated[list[str], Doc("Faults of the ledger as a whole.")]
    against: NotRequired[Annotated[list[str], Doc("What of the copy has changed; only with `--against`.")]]
    entries: Annotated[list[AuditedEntry], Doc("One object for each entry.")]


class _Report:
    """The findings: lines as they come, or what JSON has of them."""

    def __init__(self, json: bool) -> None:
        self.json, self.wrong = json, False
        self.lists: dict[str, list[str]] = {}
        self.entries: list[AuditedEntry] = []

    def add(self, key: str, title: str, faults: list[str]) -> None:
        self.lists[key] = self._say(title, faults)

    def add_entry(self, facts: dict[str, Any], title: str, faults: list[str]) -> None:
        self.entries.append(cast(AuditedEntry, {**facts, "faults": self._say(title, faults)}))

    def _say(self, title: str, faults: list[str]) -> list[str]:
        lines = [visible(" ".join(fault.split()), 600) for fault in faults]
        self.wrong = self.wrong or bool(lines)
        if not self.json:
            typer.echo("\n    ".join([f"{title}: {'' if lines else 'no faults found'}", *lines]))
        return lines
