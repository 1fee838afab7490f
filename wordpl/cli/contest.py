"""`wordpl new` and `check`: from an empty file to a strategy that can be scored; and `wordpl contest export`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import wordpl
from wordpl.base.checks import is_in_file
from wordpl.base.errors import WordplError
from wordpl.base.progress import show_progress
from wordpl.base.sanitizing import visible
from wordpl.cli import execution
from wordpl.cli import options as opt
from wordpl.cli.targets import MODULE
from wordpl.contest import TEMPLATES
from wordpl.reporting.tables import print_json, print_table

_CHECKED = (1.0, 9.0)
"""Epsilons at which a channel is tested."""


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
    with show_progress("games") as progress:
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
    with show_progress("moves") as progress:
        file = wordpl.contest.export_strategy(
            configs, wordpl.Setting(wordpl.load_words()), credit=credit, progress=progress
        )
    wordpl.contest.write_export(file, out, force)
    spends = f"at most {file.worst:g}" if math.isfinite(file.worst) else "no bound"
    calls = ", ".join(call for call, _ in file.strategies)
    typer.echo(f"{calls} is written to {out}: {len(file.source)} bytes; budget of a game: {spends}\n")
    typer.echo(file.to_paste(out.stem, credit))
