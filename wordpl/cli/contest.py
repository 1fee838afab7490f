"""`wordpl submit`, `leaderboard`, `audit`, `new`, `check`, `try` and `export`: the contest."""

from __future__ import annotations

import dataclasses
import math
import time
from pathlib import Path
from typing import Annotated

import typer

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.leaderboard import LEDGER, LedgerFile, print_standings
from wordpl.cli.logs import NOTES
from wordpl.cli.runs import print_score
from wordpl.cli.stopping import stopping
from wordpl.cli.targets import MODULE
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.tables import print_json, print_table
from wordpl.text.sanitizing import check_name, visible

Submitted = Annotated[
    str, typer.Argument(help="A .py file or a folder with strategy.py; or FILE:Name(parameter=value).")
]

Trusting = Annotated[bool, typer.Option("--trusted", help="Run the file without a sandbox, with all that you may do.")]


def submit(
    file: Submitted,
    *,
    name: Annotated[str, typer.Option(help="The name in the leaderboard.")],
    jobs: opt.Jobs = 0,
    ledger: LedgerFile = LEDGER,
    nonce: Annotated[str, typer.Option(help="Your part of the seed, any text; by default random.")] = "",
    receipt: Annotated[Path | None, typer.Option(help="Where to write the receipt.")] = None,
    max_trials: Annotated[int | None, typer.Option(help="End here at the latest: another board.")] = None,
    limit: opt.LimitOptions,
    author: Annotated[str, typer.Option(help="Whom the leaderboard names as the author.")] = "",
    link: Annotated[str, typer.Option(help="An https address to read more at.", metavar="URL")] = "",
    publish_source: Annotated[
        bool, typer.Option("--publish-source", help="Let the ledger hold the source, for anyone to read.")
    ] = False,
    game: opt.ContestOptions,
    contest_files: opt.ContestFiles = None,
    json: opt.Json = False,
) -> None:
    """Score a strategy in the sandbox, and enter it in the ranking.

    The seed is secret until the run is over. Run the same command again to resume.
    """
    from wordpl.contest.cage.contestant_process import AT_START
    from wordpl.contest.ledger.receipt import check_target
    from wordpl.reporting.leaderboard import entry_record

    stop = wordpl.StopRule() if max_trials is None else wordpl.StopRule(max_trials=max_trials)
    if stop.max_trials < stop.first:
        raise WordplError(f"max-trials {max_trials} is not allowed; a ranking takes at least {stop.first} trials")
    name, credit = check_name(name), wordpl.Credit(author, link, publish_source)
    limits, setting = limit.limits(), game.setting()
    submission = wordpl.load_submission(file, contest_files)
    submission.check_ledger(ledger)  # before one is made there
    if receipt is not None:
        check_target(receipt)
    launcher, workers = wordpl.launcher(), opt.number_of_jobs(jobs)
    with wordpl.Ledger(ledger) as book:
        if book.find(submission, setting, limits, stop) is None:
            # Raises if it cannot be started: then it gets no entry.
            wordpl.evaluate_submission(wordpl.ContestRun(submission, setting, 1, limits, launcher), 1)
        entry = book.enter(
            name, submission, setting, limits, launcher.describe(), stop=stop, nonce=nonce, credit=credit
        )
        receipt = receipt or ledger.with_name(f"{ledger.stem}-{entry.id}.receipt.json")
        wordpl.write_receipt(receipt, book.receipt(entry))
        if submission.contest_files:
            typer.echo(opt.contest_files_line(submission), err=True)
        for line in _entered(entry, name, book.receipt(entry), receipt):
            NOTES.info("submission %s: %s", entry.id, line)
        resume = f"what was played is in {ledger}. To resume: {opt.this_command()}"
        with stopping(lambda: resume, at_once=True), show_progress() as shown:
            entry = wordpl.play_entry(book, entry, submission, setting, launcher=launcher, jobs=workers, progress=shown)
        wordpl.write_receipt(receipt, book.receipt(entry))
        NOTES.info("submission %s: %s; secret %s; seed %s", entry.id, entry.state, entry.secret, entry.seed)
        if json:
            print_json(entry_record(book, entry))
        elif entry.state == "finished":
            print_standings(book, entry)
    if entry.state == "ended":
        what = "cannot be started, so it has no rank" if entry.reason.startswith(AT_START) else "has no rank"
        raise WordplError(f"{file} {what}: {visible(entry.reason)}")


def launcher_of(trusted: bool) -> wordpl.Launcher:
    """What starts a submission that gets no rank."""
    return wordpl.Trusted() if trusted else wordpl.launcher(ranked=False)


def _entered(entry: wordpl.Entry, name: str, receipt: wordpl.Receipt, path: Path) -> list[str]:
    """Return the lines that are printed before the first game."""
    lines = [f"commitment to its secret {entry.commitment}; nonce {entry.nonce}", f"receipt in {path}: {receipt}"]
    if entry.name != name:
        lines.append(f"this content was entered before, as {visible(entry.name)}; that entry is continued or shown")
    if entry.attempt > 1:
        share = entry.attempt * (entry.attempt + 1)
        lines.append(f"attempt {entry.attempt} of this content, so its error is divided by {share}")
    return lines


def new(
    file: Annotated[Path, typer.Argument(help="The file to write, such as my_strategy.py.")],
    interface: Annotated[
        str,
        opt.choice(
            opt.INTERFACES,
            "--interface",
            summary="What to write",
            note="contest is a class as in the contest's repository; wordpl is a class with our posterior and scores.",
        ),
    ] = "contest",
) -> None:
    """Write a working strategy with comments, to begin with."""
    wordpl.write_template(file, interface)
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
    from wordpl.contest.cage import sandbox
    from wordpl.contest.cage.sandbox import NoSandboxError

    submission = wordpl.load_submission(file, contest_files)
    try:
        launcher: wordpl.Launcher = wordpl.Trusted() if trusted else sandbox.find()
    except NoSandboxError as error:
        raise WordplError(
            f"{error}; wordpl check --trusted runs the file without one, with all that you may do"
        ) from None
    limits, setting = limit.limits(), game.setting()
    with show_progress("games") as shown:
        findings = wordpl.check_submission(
            submission, setting, limits, launcher, seed=seed, games=games, progress=shown
        )
    if json:
        print_json([dataclasses.asdict(finding) for finding in findings])
    else:
        rows = [[f"{'ok  ' if f.passed else 'FAIL'} {f.check}", visible(f.message, 600)] for f in findings]
        print_table(f"{file} ({launcher.describe()})", ["", ""], rows)
    if not all(finding.passed for finding in findings):
        raise typer.Exit(1)


def try_out(
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
    limits = wordpl.Limits.for_games_of(run.seconds)
    submission = wordpl.load_submission(file, contest_files)
    launcher, evaluate = launcher_of(trusted), wordpl.evaluate_submission
    begun = time.perf_counter()
    with show_progress() as shown:
        evaluation = evaluate(
            wordpl.ContestRun(submission, game.setting(), run.seed, limits, launcher),
            run.max_trials,
            jobs=run.workers,
            progress=shown,
        )
    if json:
        wall = time.perf_counter() - begun
        tried = {**evaluation.summary(), "wall_seconds": wall, "trusted": trusted, "ranked": False}
        # Both would be of a stand-in: the strategy itself is never in this process.
        print_json({key: value for key, value in tried.items() if key not in ("task", "code")})
    else:
        print_score(evaluation)
        if submission.contest_files:
            typer.echo(opt.contest_files_line(submission))
        typer.echo(f"not ranked: the seed is known ({launcher.describe()})")


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
    from wordpl.contest.export.export import check_target

    check_target(out, force)  # before the work
    credit = wordpl.Credit(author, link)
    made = [wordpl.parse_strategy(spec) for spec in strategies]
    with show_progress("moves") as shown:
        exported = wordpl.export_strategy(made, wordpl.Setting(wordpl.load_words()), credit=credit, progress=shown)
    wordpl.write_export(exported, out, force)
    spends = f"at most {exported.worst:g}" if math.isfinite(exported.worst) else "no bound"
    calls = ", ".join(call for call, _ in exported.strategies)
    typer.echo(f"{calls} is written to {out}: {len(exported.source)} bytes; budget of a game: {spends}\n")
    typer.echo(exported.to_paste(out.stem, credit))
