"""`wordpl new` and `check`, from an empty file to a strategy that can be scored; and `wordpl contest`, all of one."""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option
from typing_extensions import TypedDict

import wordpl
from wordpl.base.checks import DEFAULT_TRIALS, is_in_file, percent
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc
from wordpl.base.sanitizing import check_name, visible
from wordpl.cli import execution
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import MODULE
from wordpl.cli.watch import print_game
from wordpl.contest import TEMPLATES
from wordpl.reporting.tables import TableStyle, print_json, print_table

_CHECKED = (1.0, 9.0)
"""Epsilons at which a channel is tested."""
_STAGES = ("provisional", "final")


def new(
    file: Annotated[Path, Argument(help="The file to write, such as my_strategy.py.")],
    interface: Annotated[str, opt.choice(TEMPLATES, "Which class to write")] = "contest",
) -> None:
    """Write a working strategy with comments, as a starting point."""
    wordpl.contest.write_template(file, interface)
    typer.echo(f"{file} is written; next: wordpl check {file}")


def check(
    file: Annotated[str, Argument(help=opt.SUBMITTED)],
    *,
    games: Annotated[
        int,
        Option(min=1, max=10_000, help="Play N games with noise, N without noise and N with noise alone."),
    ] = 5,
    seed: opt.Seed = 1,
    limit: opt.LimitOptions,
    game: opt.ContestOptions,
    sandbox: opt.Sandboxed = False,
    json: opt.Json = False,
) -> None:
    """Test that a strategy can be scored, or a channel used, and say what to change.

    Exit code 1: there is something to change.
    """
    family = None
    if is_in_file(file) and not sandbox:
        with suppress(WordplError):  # which the check of a strategy says
            family = wordpl.channel_family(file)
    if family:
        channels = [family(epsilon, game.load().length) for epsilon in _CHECKED]
        findings = [finding for one in channels for finding in wordpl.contest.check_channel(one, seed=seed)]
        _show(file, "at epsilon " + ", ".join(f"{epsilon:g}" for epsilon in _CHECKED), findings, json)
        return
    submission, setting = wordpl.contest.load_submission(file), game.setting()
    launcher = wordpl.contest.launcher(ranked=False) if sandbox else wordpl.contest.Trusted()
    if not sandbox:
        execution.tell_of_trust([file])
    run = wordpl.contest.ContestRun(submission, setting, seed, limit.limits(), launcher)
    with wordpl.show_progress("games") as progress:
        findings = wordpl.contest.check_submission(run, games, progress)
    _show(file, launcher.describe(), findings, json)


def _show(file: str, how: str, findings: Sequence[wordpl.contest.Finding], json: bool) -> None:
    """Print findings, and exit with 1 if there is something to change."""
    if json:
        print_json(findings)
    else:
        rows = [[f"{'ok  ' if f.passed else 'FAIL'} {f.check}", visible(f.message, 600)] for f in findings]
        print_table(f"{file} ({how})", ["", ""], rows)
    if not all(finding.passed for finding in findings):
        raise typer.Exit(1)


def _record(text: str) -> tuple[float, float]:
    """The percentile and the budget of a text such as 5=15.6."""
    try:
        percentile, budget = map(float, text.split("="))
    except ValueError:
        raise ValueError(f"{text!r} is not PERCENTILE=BUDGET, such as 5=15.6") from None
    return percentile / 100, budget


def start(
    ledger: opt.LedgerFile = opt.LEDGER,
    *,
    trials: Annotated[int, Option("--trials", "-n", min=1, max=1_000_000, help="Each entry plays N games.")] = (
        DEFAULT_TRIALS
    ),
    record: Annotated[
        list[Any] | None,
        Option(
            help="A record to beat, such as 5=15.6. Default: those of the contest.",
            metavar="PERCENTILE=BUDGET",
            parser=_record,
        ),
    ] = None,
    margin: Annotated[float, Option(help="Entries must beat a record by X%.", parser=opt.number(percent))] = 5.0,
    limit: opt.LimitOptions,
    game: opt.ChannelOptions,
) -> None:
    """Start a contest: make its ledger, draw its two secret seeds and show their hashes.

    If the variable WORDPL_CONTEST_SECRET is set, both seeds follow from it.
    """
    contest = wordpl.contest.start_contest(
        ledger,
        game.setting(),
        limit.limits(),
        trials=trials,
        records=dict(record) if record else None,
        margin=margin / 100,
    )
    typer.echo(f"the contest is in {ledger}: {contest.title()}")
    for stage, digest in contest.hashes.items():
        typer.echo(f"SHA-256 of the seed of the {stage} games: {digest}")


def submit(
    files: Annotated[list[str], Argument(help=opt.SUBMITTED, metavar="FILE")],
    *,
    name: Annotated[list[str], Option(help="Name of the entry on the board, one for each FILE.")],
    author: Annotated[str, Option(help="Name of the author on the board.")] = "",
    link: Annotated[str, Option(help="An https address with more about the entry.", metavar="URL")] = "",
    jobs: opt.Jobs = 0,
    ledger: opt.LedgerFile = opt.LEDGER,
    json: opt.Json = False,
) -> None:
    """Enter a strategy, and play it in the sandbox.

    To resume a run that was stopped, give the same command again.
    """
    if len(name) != len(files):
        raise WordplError(f"give a --name for each of {counted(len(files), 'file')}, not {len(name)}")
    credit, names = wordpl.contest.Credit(author, link), list(map(check_name, name))
    submissions = [wordpl.contest.load_submission(file) for file in files]
    execution.tell_of_contest_files(submissions)
    workers, entries = execution.number_of_jobs(jobs), []
    with wordpl.contest.Ledger(ledger) as book:
        launcher = wordpl.contest.launcher()
        with book.playing(), book.transaction():  # all are entered, or none, before the first is played
            for submission, own_name in zip(submissions, names, strict=True):
                book.enter(submission, own_name, credit)
        with execution.stopping(f"the games so far are in {ledger}"), wordpl.show_progress("games") as progress:
            for submission, own_name in zip(submissions, names, strict=True):
                entry = wordpl.contest.submit(
                    book, submission, own_name, credit=credit, launcher=launcher, jobs=workers, progress=progress
                )
                entries.append(entry)
                if entry.name != own_name:
                    NOTES.info("%s was entered before, as %s", submission.path, visible(entry.name))
        board = wordpl.contest.read_board(book)
    own = [shown for entry in entries for shown in board.entries if shown.id == entry.id]
    if json:
        print_json(own)
    else:
        from wordpl.contest.board import print_board

        print_board(replace(board, entries=own))
    ended = [f"{file} has no rank: {entry.ended}" for file, entry in zip(files, entries, strict=True) if entry.ended]
    if ended:
        raise WordplError(f"{'; '.join(ended)}; wordpl check --sandbox says what to change")


@dataclass(frozen=True)
class BoardTable(opt.FormatOptions):
    """Options of the board."""

    format: Annotated[str | None, opt.table_format("contest: the contest's own CSV. ", "contest")] = None


def board(
    entry: Annotated[str, Argument(help="Show only this entry: part of its name or id.")] = "",
    *,
    ledger: opt.LedgerFile = opt.LEDGER,
    host: Annotated[bool, Option("--host", help="Also show why games were lost, which entrants must not see.")] = False,
    table: BoardTable,
) -> None:
    """Show the ranking: the provisional one until the close, then the final one.

    Entries are ranked by the 5th, 50th and 95th percentile of the scores of their games.
    """
    from wordpl.contest.board import contest_csv, print_board

    with wordpl.contest.Ledger(ledger, read_only=True) as book, book.snapshot():
        shown = wordpl.contest.read_board(book, entry)
        losses = [line for row in book.entries(entry) for line in _losses(book, row)] if host else []
    if entry and not shown.entries:
        raise WordplError(f"{ledger} has no entry that matches {entry!r}")

    def print_in(style: TableStyle) -> None:
        if style.format == "contest":
            typer.echo(contest_csv(shown), nl=False)
        else:
            print_board(shown, style)

    table.show(lambda: shown, print_in)
    for line in losses:
        typer.echo(line, err=True)


def close(
    yes: Annotated[bool, Option("--yes", help="Do not ask for confirmation.")] = False,
    jobs: opt.Jobs = 0,
    ledger: opt.LedgerFile = opt.LEDGER,
) -> None:
    """End the contest: play all entries on the final games, and publish both seeds.

    After that, no strategy can be entered. To resume a close that was stopped, give the same command again.
    """
    what = f"this closes the contest in {ledger}: it takes no more entries, and its seeds are published"
    with wordpl.contest.Ledger(ledger) as book:
        if not book.contest.closing:
            if not yes and not sys.stdin.isatty():
                raise WordplError(f"{what}, which cannot be undone; add --yes to confirm")
            if not yes:
                typer.confirm(f"{what}, which cannot be undone. Go on?", abort=True, err=True)
        with execution.stopping(f"the games so far are in {ledger}"), wordpl.show_progress("games") as progress:
            launcher, workers = wordpl.contest.launcher(), execution.number_of_jobs(jobs)
            wordpl.contest.close_contest(book, launcher=launcher, jobs=workers, progress=progress)
        shown = wordpl.contest.read_board(book)
    from wordpl.contest.board import print_board

    print_board(shown)


class ReplayRecord(TypedDict):
    """The games of an entry in a stage, played again."""

    id: Annotated[str, Doc("Id of the entry.")]
    name: Annotated[str, Doc("Name on the board.")]
    stage: Annotated[str, Doc("Which games.", _STAGES)]
    differences: Annotated[list[str], Doc("Differences from the ledger, each a line; empty if there are none.")]


def replay(
    entry: Annotated[str, Argument(help="The id or the name of an entry. Default: every entry.")] = "",
    *,
    trial: Annotated[int | None, Option(min=0, help="Play only game number N, and show it move by move.")] = None,
    stage: Annotated[str | None, opt.choice(_STAGES, "Which games", "Default: those that the board shows.")] = None,
    jobs: opt.Jobs = 0,
    ledger: opt.LedgerFile = opt.LEDGER,
    json: opt.Json = False,
) -> None:
    """Play the games of entries again, from the seed and the files in the ledger, and compare.

    Anybody can do so once the contest is closed. Exit code 1: something differs.
    """
    records: list[ReplayRecord] = []
    games: list[wordpl.simulation.GameRecord] = []
    with wordpl.contest.Ledger(ledger, read_only=True) as book, wordpl.show_progress("games") as progress:
        stage, launcher = stage or book.contest.stage, wordpl.contest.launcher(ranked=False)
        if stage == _STAGES[1] and not book.contest.closing:
            raise WordplError("there are no final games yet; wordpl contest close plays them")
        workers, seed = execution.number_of_jobs(jobs), book.contest.seed(stage)
        for row in [book.entry(entry)] if entry else book.entries():
            if trial is not None:
                game, line = wordpl.contest.replay_game(book, row, stage, trial, launcher=launcher)
                games.append(game)
                lines = [line] if line else []
            else:
                lines = wordpl.contest.replay_entry(
                    book, row, stage, launcher=launcher, jobs=workers, progress=progress
                )
            records.append({"id": row.id, "name": visible(row.name), "stage": stage, "differences": lines})
    if json:
        print_json(records)
    else:
        for game in games:
            print_game(game, seed=seed)
        for record in records:
            said = record["differences"] or ["no difference from the ledger"]
            typer.echo("\n    ".join([f"{record['name']} ({record['id']}), {record['stage']} games:", *said]))
    if any(record["differences"] for record in records):
        raise typer.Exit(1)


def _losses(book: wordpl.contest.Ledger, entry: wordpl.contest.Entry) -> Iterator[str]:
    """The commonest reasons for which an entry lost games, and what it wrote to stderr in the first of these."""
    stage = book.contest.stage
    if entry.reason:
        yield f"{entry.id} has ended: {visible(entry.reason)}"
    for reason, n in Counter(filter(None, book.reasons(entry, stage).values())).most_common(5):
        yield f"{entry.id}: {counted(n, 'game')} lost: {visible(reason)}"
    for game in itertools.islice((game for game in book.games(entry, stage) if game.reason), 5):
        yield f"{entry.id} trial {game.trial}: {game.verdict}: {visible(game.reason)}"
        yield from (f"    {visible(line)}" for line in game.errors.splitlines()[-12:])


def export(
    strategies: Annotated[list[str], Argument(help='Strategies, such as "Fifth()". See wordpl list.', metavar="SPEC")],
    out: Annotated[Path, opt.out("Write this file, such as fifth.py", MODULE)],
    author: Annotated[str, Option(help="Your name, for the file and the contest's README.")] = "",
    link: Annotated[str, Option(help="An https address that your name links to.", metavar="URL")] = "",
    force: Annotated[bool, Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write library strategies as one file for the contest's repository.

    The file needs only numpy and the contest's word lists. You also see what to paste into the contest's evaluate.py
    and README, and the text of a pull request.
    """
    configs = [wordpl.parse_strategy(spec) for spec in strategies]
    from wordpl.contest.export import check_target

    check_target(out, force)  # before the work
    credit = wordpl.contest.Credit(author, link)
    with wordpl.show_progress("moves") as progress:
        file = wordpl.contest.export_strategy(
            configs, wordpl.Setting(wordpl.load_words()), credit=credit, progress=progress
        )
    wordpl.contest.write_export(file, out, force)
    spends = f"at most {file.worst:g}" if math.isfinite(file.worst) else "no bound"
    calls = ", ".join(call for call, _ in file.strategies)
    typer.echo(f"{calls} is written to {out}: {len(file.source)} bytes; budget of a game: {spends}\n")
    typer.echo(file.to_paste(out.stem, credit))
