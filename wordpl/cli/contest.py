"""`wordpl new` and `check`: from an empty file to a strategy that can be scored. `wordpl contest submit` and `export`:
enter it, or hand one on to the contest's own repository."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

import wordpl
from wordpl.base.checks import MAX_TRIALS
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.base.progress import show_progress
from wordpl.base.sanitizing import visible
from wordpl.cli import options as opt
from wordpl.cli.faults import stopping
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import MODULE
from wordpl.contest import TEMPLATES
from wordpl.reporting.tables import print_json, print_table

if TYPE_CHECKING:
    from wordpl.contest.ledger.reader import LedgerReader


def new(
    file: Annotated[Path, Argument(help="The file to write, such as my_strategy.py.")],
    interface: Annotated[str, opt.choice(TEMPLATES, "Which class to write")] = "contest",
) -> None:
    """Write a working strategy with comments, as a starting point."""
    wordpl.contest.write_template(file, interface)
    typer.echo(f"{file} is written; next: wordpl check {file}")


def check(
    file: opt.Submitted,
    *,
    games: Annotated[
        int,
        Option(min=1, max=10_000, help="Play N games each with noise, without noise and with noise alone."),
    ] = 5,
    seed: opt.Seed = 1,
    limit: opt.LimitOptions,
    game: opt.ContestOptions,
    sandbox: opt.Sandboxed = False,
    json: opt.Json = False,
) -> None:
    """Test that a strategy can be scored, and say what to change.

    Exit code 1: there is something to change.
    """
    submission, setting, launcher = wordpl.contest.load_submission(file), game.setting(), opt.launcher_of(file, sandbox)
    run = wordpl.contest.ContestRun(submission, setting, seed, limit.limits(), launcher)
    with show_progress("games") as progress:
        findings = wordpl.contest.check_submission(run, games, progress)
    if json:
        print_json(findings)
    else:
        rows = [[f"{'ok  ' if f.passed else 'FAIL'} {f.check}", visible(f.message, 600)] for f in findings]
        print_table(f"{file} ({launcher.describe()})", ["", ""], rows)
    if not all(finding.passed for finding in findings):
        raise typer.Exit(1)


def submit(
    file: opt.Submitted,
    *,
    name: Annotated[str, Option(help="Name of the entry on the leaderboard.")],
    jobs: opt.Jobs = 0,
    ledger: opt.LedgerFile = opt.LEDGER,
    nonce: Annotated[str, Option(help="Any text, as your part of the seed. Default: random.")] = "",
    max_trials: Annotated[
        int | None,
        Option(min=1001, max=MAX_TRIALS, help="Play at most N games. Default: 16001; another N has its own board."),
    ] = None,
    limit: opt.LimitOptions,
    author: Annotated[str, Option(help="Name of the author on the leaderboard.")] = "",
    link: Annotated[str, Option(help="An https address with more about the entry.", metavar="URL")] = "",
    publish_source: Annotated[bool, Option("--publish-source", help="Let anyone read the source.")] = False,
    game: opt.ContestOptions,
    json: opt.Json = False,
) -> None:
    """Score a strategy in the sandbox, and enter it in the ranking.

    The seed is secret until the run is over. To resume a run that was stopped, give the same command again.
    """
    from wordpl.contest.board.leaderboard import entry_record
    from wordpl.contest.contestant import AT_START

    stop = wordpl.contest.StopRule() if max_trials is None else wordpl.contest.StopRule(max_trials=max_trials)
    credit = wordpl.contest.Credit(author, link, publish_source)
    limits, setting = limit.limits(), game.setting()
    submission = wordpl.contest.load_submission(file)
    submission.check_hidden(ledger)  # before one is made there
    # Raises what would be refused, before a ledger is made.
    draft = wordpl.contest.Entry.draft(name, submission, setting, limits, stop=stop, nonce=nonce, credit=credit)
    launcher, workers = wordpl.contest.launcher(), opt.number_of_jobs(jobs)
    draft = dataclasses.replace(draft, sandbox=launcher.describe())
    known = None
    if ledger.exists():
        with wordpl.contest.Ledger(ledger) as book:
            known = book.find(draft)
    if known is None:
        # Raises if it cannot be started: then it gets no entry, and no ledger is made.
        wordpl.contest.evaluate_submission(wordpl.contest.ContestRun(submission, setting, 1, limits, launcher), 1)
    with wordpl.contest.Ledger(ledger) as book:
        entry = book.enter(draft, submission)
        if submission.contest_files:
            typer.echo(opt.contest_files_line(submission), err=True)
        lines = [f"commitment to its secret {entry.commitment}; nonce {entry.nonce}"]
        if entry.name != draft.name:
            lines.append(f"this content was entered before as {visible(entry.name)}, so that entry is resumed or shown")
        if entry.attempt > 1:
            share = entry.attempt * (entry.attempt + 1)
            lines.append(f"attempt {entry.attempt} of this content, so its error is divided by {share}")
        for line in lines:
            NOTES.info("submission %s: %s", entry.id, line)
        resume = f"the games so far are in {ledger}. To resume: {opt.this_command()}"
        with stopping(lambda: resume), show_progress() as progress:
            entry = wordpl.contest.play_entry(
                book, entry, submission, setting, launcher=launcher, jobs=workers, progress=progress
            )
        NOTES.info("submission %s: %s; secret %s; seed %s", entry.id, entry.state, entry.secret, entry.seed)
        if json:
            print_json(entry_record(book, entry))
        elif entry.state == "finished":
            _print_standings(book, entry)
    if entry.state == "ended":
        remark = "cannot be started, so it has no rank" if entry.reason.startswith(AT_START) else "has no rank"
        raise WordplError(f"{file} {remark}: {visible(entry.reason)}")


def export(
    strategies: Annotated[list[str], Argument(help='Strategies, such as "Fifth()". See wordpl list.', metavar="SPEC")],
    out: Annotated[Path, opt.out("Write this file, such as fifth.py", MODULE)],
    author: Annotated[str, Option(help="Your name, for the file and the contest's README.")] = "",
    link: Annotated[str, Option(help="An https address that your name links to.", metavar="URL")] = "",
    force: Annotated[bool, Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write library strategies as one file for the contest's repository.

    The file needs only numpy and the contest's word lists. You also see what to paste into the contest's evaluate.py
    and README.
    """
    configs = [wordpl.parse_strategy(spec) for spec in strategies]
    from wordpl.contest.export import check_target

    check_target(out, force)  # before the work
    credit = wordpl.contest.Credit(author, link)
    with show_progress("moves") as progress:
        file = wordpl.contest.export_strategy(
            configs, wordpl.Setting(wordpl.load_words()), credit=credit, progress=progress
        )
    wordpl.contest.write_export(file, out, force)
    spends = f"at most {file.worst:g}" if math.isfinite(file.worst) else "no bound"
    calls = ", ".join(call for call, _ in file.strategies)
    typer.echo(f"{calls} is written to {out}: {len(file.source)} bytes; budget of a game: {spends}\n")
    typer.echo(file.to_paste(out.stem, credit))


def _print_standings(book: LedgerReader, entry: wordpl.contest.Entry) -> None:
    """Print the table of an entry whose run is over."""
    from wordpl.contest.board.leaderboard import ShownBoard, ordinal, row_of, state_of

    board, standings, ranks = entry.board, book.standings(entry), book.ranks()
    of_entry = ("name", "author", "trials", "id")
    rows = [row_of(book, standing, entry, ranks) for standing in standings]
    rows = [{name: cell for name, cell in row.items() if name not in of_entry} for row in rows]
    counts = ", ".join(f"{verdict} {n}" for verdict, n in book.verdicts(entry).items() if n)
    notes = [f"verdicts: {counts}", *(f"{counted(n, 'trial')} lost: {reason}" for reason, n in book.reasons(entry))]
    for standing in standings:
        if not standing.decided:
            advice = "a smaller budget may be enough"
            if math.isinf(standing.budget):
                advice = f"the win rate is too close to {standing.percentile:.0%}, and a larger budget may get a rank"
            after = f"undecided after {entry.trials or 0:,} trials, the maximum"
            notes.append(f"{ordinal(standing.percentile)} percentile: {after}; {advice}")
    notes += [f"this entry {state_of(entry)}"] if entry.flagged else []
    notes += [f"this entry {visible(entry.contest_files, 200)}"] if entry.contest_files else []
    notes.append(board.title(entry.words))
    title = f"{visible(entry.name)}: {visible(entry.strategy)}, {entry.trials or 0:,} trials"
    ShownBoard(title, rows, [], notes).print()
