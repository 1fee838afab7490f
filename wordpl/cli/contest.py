"""`wordpl submit`, `leaderboard`, `audit`, `new`, `check`, `try` and `export`: the contest."""

from __future__ import annotations

import dataclasses
import math
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.audit import audit
from wordpl.cli.commands import add
from wordpl.cli.leaderboard import LEDGER, LedgerFile, leaderboard, print_standings
from wordpl.cli.logs import NOTES
from wordpl.cli.runs import print_score
from wordpl.cli.stopping import LOST
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.tables import print_json, print_table

if TYPE_CHECKING:
    from wordpl.contest.entries import Entry
    from wordpl.contest.limits import Limits
    from wordpl.contest.receipt import Receipt

Submitted = Annotated[
    str, typer.Argument(help="A .py file or a folder with strategy.py; or FILE:Name(parameter=value).")
]

Trusting = Annotated[bool, typer.Option("--trusted", help="Run the file without a sandbox, with all that you may do.")]


def register(app: typer.Typer, section: str) -> None:
    add(app, new, section)
    add(app, check, section)
    add(app, try_out, section, name="try")
    for command in (submit, leaderboard, audit, export):
        add(app, command, section)


def submit(
    file: Submitted,
    name: Annotated[str, typer.Option("--name", help="The name in the leaderboard.")],
    jobs: opt.Jobs = 0,
    cluster: opt.Cluster = None,
    ledger: LedgerFile = LEDGER,
    nonce: Annotated[str, typer.Option("--nonce", help="Your part of the seed, any text; by default random.")] = "",
    receipt: Annotated[Path | None, typer.Option("--receipt", help="Where to write the receipt.")] = None,
    max_trials: Annotated[
        int | None, typer.Option("--max-trials", help="End here at the latest: another board.")
    ] = None,
    memory: Annotated[int, typer.Option("--memory", min=1, max=1 << 20, help="MiB that the strategy may use.")] = 2048,
    start_seconds: Annotated[float, typer.Option("--start-seconds", help="Time to import and prepare.")] = 600.0,
    game_seconds: opt.GameSeconds = None,
    author: Annotated[str, typer.Option("--author", help="Whom the leaderboard names as the author.")] = "",
    link: Annotated[str, typer.Option("--link", help="An https address to read more at.", metavar="URL")] = "",
    publish_source: Annotated[
        bool, typer.Option("--publish-source", help="Let the ledger hold the source, for anyone to read.")
    ] = False,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    rule: opt.Rule = "letterwise",
    contest_files: opt.ContestFiles = None,
    json: opt.Json = False,
) -> None:
    """Score a strategy in the sandbox, and enter it in the ranking.

    The seed is secret until the run is over. Run the same command again to resume. With --cluster the games are played
    in the sandboxes of its workers, which learn the answers of the games that they play.
    """
    from wordpl.contest.credit import Credit
    from wordpl.contest.ledger import Ledger
    from wordpl.contest.ranking import StopRule
    from wordpl.contest.receipt import check_target, write_receipt
    from wordpl.contest.sanitizing import check_name, visible
    from wordpl.contest.submission import load_submission
    from wordpl.contest.submit import launcher as find_sandbox
    from wordpl.contest.submit import play_entry
    from wordpl.model.clues import check_rule
    from wordpl.play.strategy import Setting
    from wordpl.reporting.leaderboard import entry_record

    stop = StopRule() if max_trials is None else StopRule(max_trials=max_trials)
    if stop.max_trials < stop.first:
        raise WordplError(f"max-trials {max_trials} is not allowed; a ranking takes at least {stop.first} trials")
    name, credit = check_name(name), Credit(author, link, publish_source)
    limits = _limits(memory, start_seconds, game_seconds)
    setting = Setting(opt.word_list(words, answers, guesses), check_rule(rule))
    submission = load_submission(file, contest_files)
    if receipt is not None:
        check_target(receipt)
    workers = opt.number_of_jobs(jobs, cluster)
    with opt.on_cluster(cluster):
        launcher = find_sandbox()
        with Ledger(ledger) as book:
            entry = book.enter(
                name, submission, setting, limits, launcher.describe(), stop=stop, nonce=nonce, credit=credit
            )
            receipt = receipt or ledger.with_name(f"{ledger.stem}-{entry.id}.receipt.json")
            write_receipt(receipt, book.receipt(entry))
            if submission.contest_files:
                typer.echo(opt.told_of(submission), err=True)
            for line in _entered(entry, name, book.receipt(entry), receipt):
                NOTES.info("submission %s: %s", entry.id, line)
            with _resumable(ledger), show_progress() as shown:
                entry = play_entry(book, entry, submission, setting, launcher=launcher, jobs=workers, progress=shown)
            write_receipt(receipt, book.receipt(entry))
            NOTES.info("submission %s: %s; secret %s; seed %s", entry.id, entry.state, entry.secret, entry.seed)
            if json:
                print_json(entry_record(book, entry))
            elif entry.state == "finished":
                print_standings(book, entry)
    if entry.state == "ended":
        what = "cannot be started, so it has no rank" if entry.reason.startswith("at start") else "has no rank"
        raise WordplError(f"{file} {what}: {visible(entry.reason)}")


@contextmanager
def _resumable(ledger: Path) -> Iterator[None]:
    """End the command in a line that says how to resume, where Ctrl-C or the loss of the cluster ends the block."""
    from wordpl.workers import WorkerLostError

    try:
        yield
        return
    except KeyboardInterrupt:
        said, code = "stopped", 130
    except WorkerLostError as error:
        said, code = str(error), LOST
    again = shlex.join(["wordpl", *sys.argv[1:]])
    typer.echo(f"wordpl: {said}; what was played is in {ledger}. To resume: {again}", err=True)
    raise typer.Exit(code)


def _limits(memory: int, start_seconds: float, game_seconds: float | None) -> Limits:
    """The usual limits but for these; ranked play with others than the usual ones is on a board of its own."""
    from wordpl.contest.limits import MIB, Limits

    usual = Limits.for_games_of(opt.GamesOptions(game_seconds=game_seconds).seconds)
    return dataclasses.replace(usual, memory=memory * MIB, start_seconds=start_seconds)


def _entered(entry: Entry, name: str, receipt: Receipt, path: Path) -> list[str]:
    """Return the lines that are printed before the first game."""
    from wordpl.reporting.leaderboard import shown_name

    lines = [f"commitment to its secret {entry.commitment}; nonce {entry.nonce}", f"receipt in {path}: {receipt}"]
    if entry.name != name:
        lines.append(f"this content was entered before, as {shown_name(entry)}; that entry is continued or shown")
    if entry.draw > 1:
        lines.append(f"draw {entry.draw} of this content, so its error is divided by {entry.draw}")
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
    from wordpl.contest.check import write_template

    write_template(file, interface)
    typer.echo(f"{file} is written; next: wordpl check {file}")


def check(
    file: Submitted,
    games: Annotated[int, typer.Option("--games", min=1, max=10_000, help="Games to play at each noise level.")] = 5,
    seed: opt.Seed = 1,
    memory: Annotated[int, typer.Option("--memory", min=1, max=1 << 20, help="MiB that the strategy may use.")] = 2048,
    start_seconds: Annotated[float, typer.Option("--start-seconds", help="Time to import and prepare.")] = 600.0,
    game_seconds: opt.GameSeconds = None,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    rule: opt.Rule = "letterwise",
    trusted: Trusting = False,
    contest_files: opt.ContestFiles = None,
    json: opt.Json = False,
) -> None:
    """Test that a strategy can be scored, and say what to change.

    Exit code 1 says that there is something to change.
    """
    from wordpl.contest import sandbox
    from wordpl.contest.check import check_submission
    from wordpl.contest.sandbox import Launcher, NoSandboxError, Trusted
    from wordpl.contest.sanitizing import visible
    from wordpl.contest.submission import load_submission
    from wordpl.model.clues import check_rule
    from wordpl.play.strategy import Setting

    submission = load_submission(file, contest_files)
    try:
        launcher: Launcher = Trusted() if trusted else sandbox.find()
    except NoSandboxError as error:
        raise WordplError(
            f"{error}; wordpl check --trusted runs the file without one, with all that you may do"
        ) from None
    limits = _limits(memory, start_seconds, game_seconds)
    setting = Setting(opt.word_list(words, answers, guesses), check_rule(rule))
    with show_progress("games") as shown:
        findings = check_submission(submission, setting, limits, launcher, seed=seed, games=games, progress=shown)
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
    from wordpl.contest.limits import Limits
    from wordpl.contest.sandbox import Launcher, Trusted
    from wordpl.contest.scoring import ContestRun
    from wordpl.contest.submission import load_submission
    from wordpl.contest.submit import evaluate_submission, launcher
    from wordpl.play.strategy import Setting

    limits = Limits.for_games_of(run.seconds)
    submission = load_submission(file, contest_files)
    chosen: Launcher = Trusted() if trusted else launcher()
    begun = time.perf_counter()
    with show_progress() as shown:
        evaluation = evaluate_submission(
            ContestRun(submission, Setting(game.load(), game.rule), run.seed, limits, chosen),
            run.max_trials,
            jobs=run.workers,
            progress=shown,
        )
    if json:
        wall = time.perf_counter() - begun
        told = evaluation.summary() | {"wall_seconds": wall, "trusted": trusted, "ranked": False}
        # Both would be of a stand-in: the strategy itself is never in this process.
        print_json({key: value for key, value in told.items() if key not in ("task", "code")})
    else:
        print_score(evaluation)
        if submission.contest_files:
            typer.echo(opt.told_of(submission))
        typer.echo(f"not ranked: the seed is known ({chosen.describe()})")


def export(
    strategies: Annotated[list[str], typer.Argument(help='Specs, as "Fifth()"; see wordpl list.', metavar="SPEC...")],
    out: Annotated[Path, opt.out("The file to write, such as fifth.py.")],
    author: Annotated[str, typer.Option("--author", help="Your name, for the file and the contest's README.")] = "",
    link: Annotated[str, typer.Option("--link", help="An https address that your name links to.", metavar="URL")] = "",
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write strategies of ours as a file for the contest.

    The file stands alone in the contest's own repository, and needs nothing but numpy. What to paste into the
    contest's evaluate.py and README is printed.
    """
    from wordpl.contest.credit import Credit
    from wordpl.contest.export import check_target, export_strategy, write_export
    from wordpl.model.words import load_words
    from wordpl.play.strategy import Setting
    from wordpl.specs import parse_strategy

    check_target(out, force)  # before the work
    credit = Credit(author, link)
    made = [parse_strategy(spec) for spec in strategies]
    with show_progress("moves") as shown:
        exported = export_strategy(made, Setting(load_words()), credit=credit, progress=shown)
    write_export(exported, out, force)
    spends = f"at most {exported.worst:g}" if math.isfinite(exported.worst) else "no bound"
    calls = ", ".join(call for call, _ in exported.strategies)
    typer.echo(f"{calls} is written to {out}: {len(exported.source)} bytes; budget of a game: {spends}\n")
    typer.echo(exported.to_paste(out.stem, credit))
