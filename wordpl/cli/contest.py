"""`wordpl submit`, `new`, `check`, `try`, `export` and `leaderboard`: the contest."""

from __future__ import annotations

import dataclasses
import itertools
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import wordpl
from wordpl.base.checks import MAX_TRIALS, percent
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.base.progress import show_progress
from wordpl.base.sanitizing import visible
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.runs import print_score, refuse_broken
from wordpl.cli.stopping import stopping
from wordpl.cli.targets import BOARD, LEDGER_COPY, MODULE
from wordpl.reporting.tables import TABLE, TABLE_FORMATS, print_json, print_table

if TYPE_CHECKING:
    from wordpl.contest.ledger.reader import LedgerReader
    from wordpl.reporting.tables import TableStyle

LedgerFile = Annotated[Path, typer.Option("--ledger", help="The contest's file.")]
LEDGER = Path("results/contest.sqlite")
Submitted = Annotated[str, typer.Argument(help="A .py file, folder with strategy.py, or FILE:Name(parameter=value).")]
Trusting = Annotated[bool, typer.Option("--trusted", help="Run the file without a sandbox, with all that you may do.")]


def submit(
    file: Submitted,
    *,
    name: Annotated[str, typer.Option(help="The name in the leaderboard.")],
    jobs: opt.Jobs = 0,
    ledger: LedgerFile = LEDGER,
    nonce: Annotated[str, typer.Option(help="Your part of the seed, any text; by default random.")] = "",
    max_trials: Annotated[
        int | None, typer.Option(min=1001, max=MAX_TRIALS, help="End here at the latest: another board.")
    ] = None,
    limit: opt.LimitOptions,
    author: Annotated[str, typer.Option(help="Whom the leaderboard names as the author.")] = "",
    link: Annotated[str, typer.Option(help="An https address to read more at.", metavar="URL")] = "",
    publish_source: Annotated[bool, typer.Option("--publish-source", help="Let anyone read the source.")] = False,
    game: opt.ContestOptions,
    contest_files: opt.ContestFiles = None,
    json: opt.Json = False,
) -> None:
    """Score a strategy in the sandbox, and enter it in the ranking.

    The seed is secret until the run is over. Run the same command again to resume.
    """
    from wordpl.contest.board.leaderboard import entry_record
    from wordpl.contest.cage.contestant_process import AT_START

    stop = wordpl.contest.StopRule() if max_trials is None else wordpl.contest.StopRule(max_trials=max_trials)
    credit = wordpl.contest.Credit(author, link, publish_source)
    limits, setting = limit.limits(), game.setting()
    submission = wordpl.contest.load_submission(file, contest_files)
    submission.check_out_of_reach(ledger)  # before one is made there
    # Raises what would be refused, before a ledger is made.
    name = wordpl.contest.Ledger.draft(name, submission, setting, limits, stop=stop, nonce=nonce, credit=credit).name
    launcher, workers = wordpl.contest.launcher(), opt.number_of_jobs(jobs)
    known = None
    if ledger.exists():
        with wordpl.contest.Ledger(ledger) as book:
            known = book.find(submission, setting, limits, stop)
    if known is None:
        # Raises if it cannot be started: then it gets no entry, and no ledger is made.
        wordpl.contest.evaluate_submission(wordpl.contest.ContestRun(submission, setting, 1, limits, launcher), 1)
    with wordpl.contest.Ledger(ledger) as book:
        entry = book.enter(
            name, submission, setting, limits, launcher.describe(), stop=stop, nonce=nonce, credit=credit
        )
        if submission.contest_files:
            typer.echo(opt.contest_files_line(submission), err=True)
        lines = [f"commitment to its secret {entry.commitment}; nonce {entry.nonce}"]
        if entry.name != name:
            lines.append(f"this content was entered before, as {visible(entry.name)}; that entry is continued or shown")
        if entry.attempt > 1:
            share = entry.attempt * (entry.attempt + 1)
            lines.append(f"attempt {entry.attempt} of this content, so its error is divided by {share}")
        for line in lines:
            NOTES.info("submission %s: %s", entry.id, line)
        resume = f"what was played is in {ledger}. To resume: {opt.this_command()}"
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


def launcher_of(trusted: bool) -> wordpl.contest.Launcher:
    """What starts a submission that gets no rank."""
    return wordpl.contest.Trusted() if trusted else wordpl.contest.launcher(ranked=False)


def new(
    file: Annotated[Path, typer.Argument(help="The file to write, such as my_strategy.py.")],
    interface: Annotated[
        str, opt.choice(opt.INTERFACES, "A class as the contest's, or as ours with a posterior")
    ] = "contest",
) -> None:
    """Write a working strategy with comments, to begin with."""
    wordpl.contest.write_template(file, interface)
    typer.echo(f"{file} is written; next: wordpl check {file}")


def check(
    file: Submitted,
    *,
    games: Annotated[int, typer.Option(min=1, max=10_000, help="Games to play at each noise level.")] = 5,
    seed: opt.Seed = 1,
    limit: opt.LimitOptions,
    game: opt.ContestOptions,
    trusted: Trusting = False,
    contest_files: opt.ContestFiles = None,
    json: opt.Json = False,
) -> None:
    """Test that a strategy can be scored, and say what to change.

    Exit code 1 says that there is something to change.
    """
    submission, setting, launcher = (
        wordpl.contest.load_submission(file, contest_files),
        game.setting(),
        launcher_of(trusted),
    )
    with show_progress("games") as progress:
        findings = wordpl.contest.check_submission(
            submission, setting, limit.limits(), launcher, seed=seed, games=games, progress=progress
        )
    if json:
        print_json([dataclasses.asdict(finding) for finding in findings])
    else:
        rows = [[f"{'ok  ' if f.passed else 'FAIL'} {f.check}", visible(f.message, 600)] for f in findings]
        print_table(f"{file} ({launcher.describe()})", ["", ""], rows)
    if not all(finding.passed for finding in findings):
        raise typer.Exit(1)


def try_(
    file: Submitted,
    *,
    trusted: Trusting = False,
    run: opt.GamesOptions,
    game: opt.ContestOptions,
    contest_files: opt.ContestFiles = None,
    json: opt.Json = False,
) -> None:
    """Score a submission as submit does, without a rank.

    The seed is known, and nothing is written to the ledger.
    """
    submission, launcher = wordpl.contest.load_submission(file, contest_files), launcher_of(trusted)
    contest_run = wordpl.contest.ContestRun(
        submission, game.setting(), run.seed, wordpl.contest.Limits.for_games_of(run.game_seconds), launcher
    )
    workers, start = opt.number_of_jobs(run.jobs), time.perf_counter()
    with show_progress() as progress:
        evaluation = wordpl.contest.evaluate_submission(contest_run, run.max_trials, jobs=workers, progress=progress)
    if json:
        wall = time.perf_counter() - start
        figures = {**evaluation.summary(), "wall_seconds": wall, "trusted": trusted, "ranked": False}
        # Both would be of a stand-in: the strategy itself is never in this process.
        print_json({key: value for key, value in figures.items() if key not in ("task", "code")})
    else:
        print_score(evaluation)
        if submission.contest_files:
            typer.echo(opt.contest_files_line(submission))
        typer.echo(f"not ranked: the seed is known ({launcher.describe()})")
    refuse_broken([evaluation], run.max_trials)


def export(
    strategies: Annotated[list[str], typer.Argument(help='Specs, as "Fifth()"; see wordpl list.', metavar="SPEC...")],
    out: Annotated[Path, opt.out("The file to write, such as fifth.py.", MODULE)],
    author: Annotated[str, typer.Option(help="Your name, for the file and the contest's README.")] = "",
    link: Annotated[str, typer.Option(help="An https address that your name links to.", metavar="URL")] = "",
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write strategies of ours as a file for the contest.

    The file stands alone in the contest's own repository, and needs nothing but numpy. What to paste into the
    contest's evaluate.py and README is printed.
    """
    configs = [wordpl.parse_strategy(spec) for spec in strategies]
    from wordpl.contest.export.export import check_target

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


def leaderboard(
    ledger: LedgerFile = LEDGER,
    match: Annotated[str, typer.Option("--match", "-m", help="Only names that contain this text, or an id.")] = "",
    out: Annotated[
        Path | None, opt.out("A .md, .html, .csv or .json to write; or copy the ledger to .sqlite.", BOARD, LEDGER_COPY)
    ] = None,
    format: Annotated[
        str, opt.choice((*TABLE_FORMATS, "contest"), "Print tables so", "contest: --out is the contest's own CSV.")
    ] = TABLE,
    sort: opt.Sort = "",
    errors: Annotated[bool, typer.Option("--errors", help="Also show how the first lost trials ended.")] = False,
    clear: Annotated[str, typer.Option(help="Rank the flagged entry with this id; needs --reason.")] = "",
    reason: Annotated[str, typer.Option(help="Why the flag is cleared.")] = "",
    close: Annotated[bool, typer.Option("--close", help="Publish the contest's secret; no more entries.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Close without a question.")] = False,
    record: Annotated[list[str] | None, typer.Option(help="The record to beat from now on, as 5=15.6.")] = None,
    margin: Annotated[
        float | None, typer.Option(help="By how many percent to beat a record from now on.", parser=opt.number(percent))
    ] = None,
    json: opt.Json = False,
) -> None:
    """Show the ranking of each board.

    The rank at a percentile goes by the smallest budget that surely wins that often.
    """
    if bool(clear) != bool(reason):
        raise WordplError("--clear ID and --reason TEXT go together")
    if out is None:  # what else is wrong with --out is said first
        opt.check_there(ledger, kind="contest file")
    from wordpl.contest.audit.whole import check_shown
    from wordpl.contest.board.files import write_board
    from wordpl.contest.board.leaderboard import by_board, entry_record, ordinal, read_board

    style = opt.TableOptions(TABLE if format == "contest" else format, sort).style(json)
    if format == "contest" and out is None:
        raise WordplError("--format contest is for a file; --out FILE is expected")
    written_as = format if format == "contest" or out is None else out.suffix.lower()[1:]
    if close and not yes:
        _ask_to_close(ledger)
    if record or margin is not None or clear or close:
        with wordpl.contest.Ledger(ledger, must_exist=True) as book:
            if record or margin is not None:
                target = book.set_records(_budgets(record or []), None if margin is None else margin / 100)
                budgets = ", ".join(f"{ordinal(q)} {budget:g}" for q, budget in target.budgets.items())
                typer.echo(f"records for entries from now on: {budgets}; to beat by {100 * target.margin:g}%", err=True)
            if clear:
                book.clear(book.entry(clear), reason)
            if close:
                typer.echo(f"the contest is closed; its secret: {book.close_contest()}", err=True)
    with wordpl.contest.Ledger(ledger, read_only=True) as book, book.snapshot():
        entries = book.entries(match)
        check_shown(book, entries if json or errors or out is not None else ())
        ranks = book.ranks()
        records = [entry_record(book, entry, ranks) for entry in entries]
        boards = [read_board(book, board, group, ranks) for board, group in by_board(entries)]
        losses = [line for entry in entries for line in _lost(book, entry)] if errors else []
        hidden = f"commitment to the contest's secret {visible(book.commitment)}"
    if out is not None and written_as == "sqlite":
        with wordpl.contest.Ledger(ledger, read_only=True) as book:
            book.publish(out)
        NOTES.info("the ledger is copied to %s, without what is secret", out)
    elif out is not None:
        write_board(out, written_as, records, boards)
        NOTES.info("%s written to %s", counted(len(records), "submission"), out)
    if json:
        print_json(records)
        return
    if not entries:
        raise WordplError(f"{ledger} has no submission" + (f" that matches {match!r}" if match else ""))
    for board in boards:
        if board.rows:
            _print_rows(board.title, board.rows, board.notes, style)
        elif style.format == TABLE:
            typer.echo("\n".join((board.title, *board.notes)))
    typer.echo("\n".join((*losses, hidden)), err=style.format != TABLE)


def _ask_to_close(ledger: Path) -> None:
    """Ask at the terminal. Raises `WordplError` where nobody can be asked, and `Abort` if the answer is no."""
    what = f"closing the contest of {ledger} publishes its secret and ends running entries, for good"
    if not sys.stdin.isatty():
        raise WordplError(f"{what}; --yes says that this is meant")
    typer.confirm(f"{what}. Close it?", abort=True, err=True)


def _budgets(texts: list[str]) -> dict[float, float]:
    """Return the budgets by percentile of texts such as 5=15.6."""
    from wordpl.simulation.statistics import PERCENTILES

    budgets = {}
    for text in texts:
        percent, _, budget = text.partition("=")
        try:
            q, value = float(percent) / 100, float(budget)
        except ValueError:
            q, value = math.nan, math.nan
        if q not in PERCENTILES:
            raise WordplError(f"record {text[:40]!r} is not allowed; 5, 50 or 95, = and a budget are expected: 5=15.6")
        budgets[q] = value
    return budgets


def _print_rows(title: str, rows: list[dict[str, str]], notes: list[str], style: TableStyle | None = None) -> None:
    from wordpl.contest.board.leaderboard import told_columns

    columns = told_columns(rows)
    print_table(title, columns, [[row[name] for name in columns] for row in rows], notes, style)


def _print_standings(book: LedgerReader, entry: wordpl.contest.Entry) -> None:
    """Print the table of an entry whose run is over."""
    from wordpl.contest.board.leaderboard import cells_of, ordinal, state_of

    board, standings, ranks = entry.board, book.standings(entry), book.ranks()
    rows, records = [], book.records(entry)
    for standing in standings:
        rank = str(ranks.get((entry.key, standing.percentile), "-"))
        rows.append({"percentile": ordinal(standing.percentile), "rank": rank} | cells_of(standing, entry, records))
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
    _print_rows(f"{visible(entry.name)}: {visible(entry.strategy)}, {entry.trials or 0:,} trials", rows, notes)


def _lost(book: LedgerReader, entry: wordpl.contest.Entry, max_trials: int = 5) -> list[str]:
    """Return lines about the first trials lost other than by a wrong proposal, with their stderr."""
    lines: list[str] = []
    rows = () if entry.running else book.rows(entry)
    for row in itertools.islice((row for row in rows if row.reason), max_trials):
        lines.append(f"{entry.id} trial {row.trial}: {row.verdict}: {visible(row.reason)}")
        lines += [f"    {visible(message)}" for message in row.errors.splitlines()[-12:]]
    return lines
