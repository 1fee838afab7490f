"""`wordpl submit`, `leaderboard`, `audit`, `new`, `check` and `export`: the contest."""

from __future__ import annotations

import csv
import itertools
import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.errors import WordplError
from wordpl.progress import progress
from wordpl.show import interval, number, print_json, print_table

if TYPE_CHECKING:
    from wordpl.contest.ledger import Entry, Ledger
    from wordpl.contest.ranking import Standing

LedgerFile = Annotated[Path, typer.Option("--ledger", help="The contest's file.")]
_LEDGER = Path("results/contest.sqlite")
Submitted = Annotated[
    str, typer.Argument(help="A .py file or a folder with strategy.py; or FILE:Name(parameter=value).")
]


def register(app: typer.Typer) -> None:
    app.command()(submit)
    app.command()(leaderboard)
    app.command()(audit)
    app.command()(new)
    app.command()(check)
    app.command()(export)


def submit(
    file: Submitted,
    name: Annotated[str, typer.Option("--name", help="The name in the leaderboard.")],
    jobs: opt.Jobs = 1,
    ledger: LedgerFile = _LEDGER,
    most: Annotated[int, typer.Option("--most", help="Trials to play at most, whatever is settled by then.")] = 16001,
    width: Annotated[float, typer.Option("--width", help="Intervals of win rates that are narrow enough.")] = 0.02,
    memory: Annotated[int, typer.Option("--memory", help="MiB that the strategy may use.")] = 2048,
    start_seconds: Annotated[float, typer.Option("--start-seconds", help="Time to import and prepare.")] = 600.0,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    rule: opt.Rule = "letterwise",
    json: opt.Json = False,
) -> None:
    """Score a strategy in the sandbox with a secret seed, and enter it in the leaderboard; again to resume."""
    from wordpl.clues import check_rule
    from wordpl.contest import submit as contest
    from wordpl.contest.ledger import Ledger
    from wordpl.contest.limits import MIB, Limits
    from wordpl.contest.names import check_name
    from wordpl.contest.ranking import LOOKS
    from wordpl.contest.submission import load_submission
    from wordpl.strategy import Setting

    if most < LOOKS[0]:
        raise WordplError(f"most {most} is not allowed; a ranking takes at least {LOOKS[0]} trials")
    if not 0 < width < 1:
        raise WordplError(f"width {width} is not allowed; a number between 0 and 1 is expected")
    check_name(name)
    limits = Limits(memory=memory * MIB, start_seconds=start_seconds)
    setting = Setting(opt.word_list(words, answers, guesses), check_rule(rule))
    submission = load_submission(file)
    launcher = contest.launcher()
    with Ledger(ledger) as book:
        entry = book.enter(name, submission, setting, limits, launcher.describe())
        typer.echo(f"submission {entry.id}; commitment to its secret seed: {entry.commitment}", err=True)
        try:
            with progress() as shown:
                entry = contest.submit(
                    book,
                    entry,
                    submission,
                    setting,
                    limits=limits,
                    launcher=launcher,
                    jobs=opt.number_of_jobs(jobs),
                    looks=[*(look for look in LOOKS if look < most), most],
                    width=width,
                    progress=shown,
                )
        except KeyboardInterrupt:
            again = shlex.join(["wordpl", *sys.argv[1:]])
            typer.echo(f"wordpl: stopped; {book.count(entry)} trials are in {ledger}. To resume: {again}", err=True)
            raise typer.Exit(130) from None
        record = _record(book, entry)
        if json:
            print_json(record)
        elif entry.state == "finished":
            _print_standings(book, entry)
    if entry.state == "ended":
        raise WordplError(f"{file} cannot be started, so it has no rank: {entry.reason}")


def leaderboard(
    ledger: LedgerFile = _LEDGER,
    match: Annotated[str, typer.Option("--match", "-m", help="Only names that contain this text, or an id.")] = "",
    export: Annotated[Path | None, typer.Option("--export", help="Also write it to a .csv or .json.")] = None,
    errors: Annotated[bool, typer.Option("--errors", help="Also show how the first lost trials ended.")] = False,
    json: opt.Json = False,
) -> None:
    """Show, per percentile, the smallest budget that surely wins often enough, and how it compares with the record."""
    from wordpl.contest.ledger import Ledger
    from wordpl.contest.names import visible

    with Ledger(ledger, must_exist=True) as book:
        entries = book.entries(match)
        records = [_record(book, entry) for entry in entries]
        boards = [(q, *_board(book, entries, q)) for q in (0.05, 0.50, 0.95)]
        running = [f"{visible(e.name)} ({e.id}) is {e.state}{_why(e)}" for e in entries if e.state != "finished"]
        lost = [line for entry in entries for line in _lost(book, entry)] if errors else []
    if export is not None:
        _export(export, records)
        typer.echo(f"{len(records)} submissions written to {export}", err=True)
    if json:
        print_json(records)
        return
    if not entries:
        raise WordplError(f"{ledger} has no submission" + (f" that matches {match!r}" if match else ""))
    for q, record, rows in boards:
        columns = ["name", "id", "budget", "win rate there", "interval", "sampled", "trials", "improvement", "wins"]
        print_table(f"{_ordinal(q)} percentile; record {record:g}", columns, rows)
    for line in [*running, *lost]:
        typer.echo(line)


def audit(
    match: Annotated[str, typer.Argument(help="An id, or part of a name; every finished submission unless told.")] = "",
    ledger: LedgerFile = _LEDGER,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    json: opt.Json = False,
) -> None:
    """Replay the log of scored runs from their published seeds; exit code 1 if anything does not fit."""
    from wordpl.contest.audit import audit as replay
    from wordpl.contest.ledger import Ledger
    from wordpl.contest.names import visible
    from wordpl.strategy import Setting

    word_list = opt.word_list(words, answers, guesses)
    found: dict[str, list[str]] = {}
    with Ledger(ledger, must_exist=True) as book:
        entries = [entry for entry in book.entries(match) if match or entry.state != "running"]
        if not entries:
            raise WordplError(f"{ledger} has no finished submission" + (f" that matches {match!r}" if match else ""))
        for entry in entries:
            found[entry.id] = [visible(fault) for fault in replay(book, entry, Setting(word_list, entry.rule))]
            if not json:
                said = "; ".join(found[entry.id]) or "all fits"
                typer.echo(f"{entry.id} {visible(entry.name)}: {book.count(entry)} trials, seed {entry.seed}: {said}")
    if json:
        print_json(found)
    if any(found.values()):
        raise typer.Exit(1)


def new(file: Annotated[Path, typer.Argument(help="The file to write, such as my_strategy.py.")]) -> None:
    """Write a commented, working strategy to begin with."""
    from wordpl.contest.check import write_template

    write_template(file)
    typer.echo(f"{file} is written; next: wordpl check {file}")


def check(
    file: Submitted,
    games: Annotated[int, typer.Option("--games", min=1, help="Games to play at each noise level.")] = 5,
    seed: opt.Seed = 1,
    memory: Annotated[int, typer.Option("--memory", help="MiB that the strategy may use.")] = 2048,
    start_seconds: Annotated[float, typer.Option("--start-seconds", help="Time to import and prepare.")] = 600.0,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    rule: opt.Rule = "letterwise",
    trusted: Annotated[
        bool, typer.Option("--trusted", help="Run the file without a sandbox, with all that you may do.")
    ] = False,
    json: opt.Json = False,
) -> None:
    """Test that a strategy can be scored, and say what to change; exit code 1 if there is anything."""
    import dataclasses

    from wordpl.clues import check_rule
    from wordpl.contest.check import check_submission
    from wordpl.contest.limits import MIB, Limits
    from wordpl.contest.names import visible
    from wordpl.contest.sandbox import Launcher, NoSandboxError, Trusted, find
    from wordpl.contest.submission import load_submission
    from wordpl.strategy import Setting

    submission = load_submission(file)
    try:
        launcher: Launcher = Trusted() if trusted else find()
    except NoSandboxError as error:
        raise WordplError(
            f"{error}; wordpl check --trusted runs the file without one, with all that you may do"
        ) from None
    limits = Limits(memory=memory * MIB, start_seconds=start_seconds)
    setting = Setting(opt.word_list(words, answers, guesses), check_rule(rule))
    findings = check_submission(submission, setting, limits, launcher, seed=seed, games=games)
    if json:
        print_json([dataclasses.asdict(finding) for finding in findings])
    else:
        rows = [[f"{'ok  ' if f.passed else 'FAIL'} {f.what}", visible(f.said, 600)] for f in findings]
        print_table(f"{file} ({launcher.describe()})", ["", ""], rows)
    if not all(finding.passed for finding in findings):
        raise typer.Exit(1)


def export(
    strategy: Annotated[str, typer.Argument(help='A spec, as "Fifth()"; see wordpl list.', metavar="SPEC")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write, such as fifth.py.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write one of our strategies as a single file for the contest's repository, which needs numpy alone."""
    from wordpl.export import check_target, export_strategy, write_export
    from wordpl.registry import parse_strategy
    from wordpl.strategy import Setting
    from wordpl.words import load_words

    check_target(output, force)  # before the work
    made = parse_strategy(strategy)
    exported = export_strategy(made, Setting(load_words()))
    write_export(exported, output, force)
    spends = f"at most {exported.worst:g}" if math.isfinite(exported.worst) else "no bound"
    typer.echo(f"{made!r} is written to {output}: {len(exported.source)} bytes; budget of a game: {spends}")


def _record(book: Ledger, entry: Entry) -> dict[str, Any]:
    """An entry as plain JSON values; what is still secret is not among them."""
    from wordpl.contest.names import visible
    from wordpl.evaluation import finite

    standings, trials = book.standings(entry)
    record: dict[str, Any] = {
        "name": visible(entry.name),
        "id": entry.id,
        "state": entry.state,
        "strategy": visible(entry.strategy),
        "interface": entry.interface,
        "digest": entry.digest,
        "words": entry.words,
        "rule": entry.rule,
        "sandbox": entry.sandbox,
        "commitment": entry.commitment,
        "seed": entry.seed,
        "nonce": entry.nonce,
        "trials": trials or book.count(entry),
        "verdicts": book.verdicts(entry),
        "reasons": [{"reason": reason, "trials": n} for reason, n in book.reasons(entry)],
        "reason": visible(entry.reason),
    }
    for standing in standings:
        record[f"p{round(100 * standing.percentile):02d}"] = {
            "budget": finite(standing.budget),
            "win_rate": standing.win_rate,
            "win_rate_interval": list(standing.interval),
            "sampled": finite(standing.sampled),
            "record": standing.record,
            "improvement_percent": finite(standing.improvement),
            "clears": standing.clears,
        }
    return record


def _board(book: Ledger, entries: list[Entry], q: float) -> tuple[float, list[list[str]]]:
    from wordpl.contest.names import visible
    from wordpl.contest.ranking import RECORDS

    ranked: list[tuple[float, int, list[str]]] = []
    for entry in entries:
        standings, trials = book.standings(entry)
        for standing in standings:
            if standing.percentile == q:
                row = [visible(entry.name), entry.id, *_cells(standing, trials)]
                ranked.append((standing.budget, entry.key, row))
    return RECORDS[q], [row for *_, row in sorted(ranked, key=lambda item: item[:2])]


def _cells(standing: Standing, trials: int) -> list[str]:
    return [
        number(standing.budget),
        number(standing.win_rate),
        interval(standing.interval),
        number(standing.sampled),
        str(trials),
        f"{standing.improvement:+.1f}%" if math.isfinite(standing.budget) else "",
        "yes" if standing.clears else "no",
    ]


def _print_standings(book: Ledger, entry: Entry) -> None:
    from wordpl.contest.names import visible

    standings, trials = book.standings(entry)
    columns = ["percentile", "budget", "win rate there", "interval", "sampled", "trials", "improvement", "wins"]
    rows = [[f"{_ordinal(s.percentile)} (record {s.record:g})", *_cells(s, trials)] for s in standings]
    counts = ", ".join(f"{verdict} {n}" for verdict, n in book.verdicts(entry).items() if n)
    notes = [f"verdicts: {counts}", *(f"{n} trials lost: {reason}" for reason, n in book.reasons(entry))]
    print_table(f"{visible(entry.name)}: {visible(entry.strategy)}", columns, rows, notes)


def _lost(book: Ledger, entry: Entry, most: int = 5) -> list[str]:
    """What is known of the first trials lost by anything but a wrong proposal, stderr included."""
    from wordpl.contest.names import visible

    rows = itertools.islice((row for row in book.rows(entry) if row.reason), most)
    return [
        line
        for row in rows
        for line in [
            f"{entry.id} trial {row.trial}: {row.verdict}: {visible(row.reason)}",
            *(f"    {visible(said)}" for said in row.errors.splitlines()[-12:]),
        ]
    ]


def _why(entry: Entry) -> str:
    from wordpl.contest.names import visible

    return f": {visible(entry.reason)}" if entry.reason else ""


def _ordinal(q: float) -> str:
    return f"{round(100 * q)}th"


def _export(target: Path, records: list[dict[str, Any]]) -> None:
    import json

    from wordpl.contest.names import cell

    if target.suffix not in (".csv", ".json"):
        raise WordplError(f"cannot export to {target.name!r}; a name that ends in .csv or .json is expected")
    try:
        if target.suffix == ".json":
            target.write_text(json.dumps(records, indent=2, allow_nan=False) + "\n", encoding="utf-8")
            return
        with target.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            flat = [_flat(record) for record in records]
            columns = list(dict.fromkeys(key for row in flat for key in row))
            writer.writerow(columns)
            for row in flat:
                values = [row.get(column) for column in columns]
                writer.writerow([cell(value) if isinstance(value, str) else value for value in values])
    except OSError as error:
        raise WordplError(f"cannot write {target}: {error.strerror}") from None


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= {f"{key}_{inner}": v for inner, v in value.items() if not isinstance(v, list)}
        elif not isinstance(value, list):
            flat[key] = value
    return flat
