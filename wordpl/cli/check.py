"""`wordpl new` and `check`: from an empty file to a strategy that can be scored."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

import wordpl
from wordpl.base.progress import show_progress
from wordpl.base.sanitizing import visible
from wordpl.cli import options as opt
from wordpl.reporting.tables import print_json, print_table


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
    file: opt.Submitted,
    *,
    games: Annotated[int, typer.Option(min=1, max=10_000, help="Games to play at each noise level.")] = 5,
    seed: opt.Seed = 1,
    limit: opt.LimitOptions,
    game: opt.ContestOptions,
    sandbox: opt.Sandboxed = False,
    json: opt.Json = False,
) -> None:
    """Test that a strategy can be scored, and say what to change.

    Exit code 1 says that there is something to change.
    """
    submission, setting, launcher = wordpl.contest.load_submission(file), game.setting(), opt.launcher_of(file, sandbox)
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
