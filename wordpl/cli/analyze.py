"""`wordpl analyze`: what each guess of a finished game was worth, and how lucky it was."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.logs import NOTES
from wordpl.cli.lying import LyingOptions
from wordpl.cli.terminal import say, screen, tiles
from wordpl.displays import counted
from wordpl.errors import WordplError
from wordpl.reporting.tables import number, print_json, print_table
from wordpl.storage.files import read_text

if TYPE_CHECKING:
    from wordpl.assistant.analysis import Analysis

Game = Annotated[
    list[str],
    typer.Argument(
        help="Guesses with clues, as crate=..c..; or the guesses alone, with --answer or a share text.",
        metavar="GUESS",
    ),
]
_STDIN = Path("-")
_MAX_SHARE = 1 << 20


def register(app: typer.Typer, section: str) -> None:
    add(app, analyze, section)


def analyze(
    turns: Game,
    *,
    answer: Annotated[
        str | None,
        typer.Option("--answer", help="The answer: the clues follow from it, or it was not found.", metavar="WORD"),
    ] = None,
    share: Annotated[
        Path | None,
        typer.Option("--share", help="File with the share text; by default, or as -, stdin.", metavar="FILE"),
    ] = None,
    epsilon: opt.NoisyEpsilon = math.inf,
    hard: Annotated[
        bool, typer.Option("--hard", help="It was played in hard mode; the star of a share text says so too.")
    ] = False,
    game: LyingOptions,
    json: opt.Json = False,
) -> None:
    """Skill and luck of each guess of a finished game.

    Both are from 0 to 99, and in bits. Skill 99 is the best guess; luck is about 50 on average. Also shown are the
    words left after each turn, and the best guesses from there.

    The game is ordinary Wordle, or WORDPL if its clues have an epsilon. With --lies it is Fibble: skill is then by
    information.
    """
    from wordpl.assistant import analysis
    from wordpl.assistant.finished import are_words, read_finished, share_is_noisy
    from wordpl.assistant.reading import is_noisy
    from wordpl.model.channel import RandomizedResponse
    from wordpl.play.formats import CONTEST, GameFormat
    from wordpl.play.strategy import Setting

    pasted = share is not None or (answer is None and are_words(turns))
    text = _share_text(share) if pasted else None
    family, format = game.rows(epsilon, hard) if game.lying else (RandomizedResponse, CONTEST)
    words, rule = game.load(not game.lying and (is_noisy(turns, epsilon) or share_is_noisy(text or "")))
    setting = Setting(words, rule, family, format=format)
    if format.is_wordle:
        epsilon = setting.row_epsilon
    lies = bool(family(setting.row_epsilon, words.length).false_marks)
    played = read_finished(turns, words, rule, answer=answer, share=text, epsilon=epsilon, lies=lies)
    hard = hard or (played.hard and not game.lying)
    if format.is_wordle:
        format = GameFormat(max(len(played.turns), 1))  # however many rows it had
    found = analysis.analyze(words, played.turns, rule, hard=hard, answer=played.answer, channel=family, format=format)
    if json:
        print_json({"words": words.name, "rule": rule} | found.record())
    else:
        _print(found, f"{words.name}, {rule}{', hard mode' if hard else ''}")


def _share_text(share: Path | None) -> str:
    if share is None and sys.stdin.isatty():
        NOTES.info("Paste the share text, then press Ctrl-D on an empty line.")
    if share not in (None, _STDIN):
        return read_text(share, "share text", _MAX_SHARE, pipe=True)
    text = sys.stdin.read(_MAX_SHARE + 1)
    if "\ufffd" in text:  # what cannot be decoded is read as this
        raise WordplError("the share text is not UTF-8")
    if len(text) > _MAX_SHARE:
        raise WordplError("the share text on stdin is too long")
    return text


def _print(found: Analysis, where: str) -> None:
    """Nothing is wider than 60 columns."""
    say(f"{where}: {'solved in' if found.solved else 'not solved in'} {counted(len(found.turns), 'guess', 'guesses')}")
    for at, turn in enumerate(found.turns, start=1):
        won = found.solved and at == len(found.turns)
        left = "" if won else f"  {number(turn.after)} left"
        screen().print(tiles(turn.guess, turn.clue).append(f"  {_chance(turn.chance)}{left}"))
    say(f"Skill {_grade(found.skill)}, luck {_grade(found.luck)}, from 0 to 99.")
    columns = ["guess", "steps", "best", "its steps", "skill", "luck"]
    rows = [
        [
            turn.guess,
            _steps(turn.steps),
            turn.best,
            _steps(turn.best_steps),
            _grade(turn.skill),
            _grade(turn.luck),
        ]
        for turn in found.turns
    ]
    print_table("Skill and luck", columns, rows)
    _print_bits(found)
    say(f"Best from the start: {' '.join(found.line)}")
    for turn in found.turns:
        if turn.line:
            say(f"Best after {turn.guess}: {' '.join(turn.line)}")


def _print_bits(found: Analysis) -> None:
    columns = ["guess", "bits", "best", "its bits", "skill", "told", "luck"]
    rows = [
        [
            turn.guess,
            f"{turn.expected:.2f}",
            turn.best,
            f"{turn.best_expected:.2f}",
            f"{turn.skill_bits:+.2f}",
            f"{turn.actual:.2f}",
            f"{turn.luck_bits:+.2f}",
        ]
        for turn in found.turns
    ]
    total = [found.total(name) for name in ("expected", "best_expected", "skill_bits", "actual", "luck_bits")]
    expected, best, skill, actual, luck = total
    rows.append(["total", f"{expected:.2f}", "", f"{best:.2f}", f"{skill:+.2f}", f"{actual:.2f}", f"{luck:+.2f}"])
    print_table("In bits", columns, rows)


def _chance(chance: float) -> str:
    return "sure" if chance == 1 else f"chance {100 * chance:.2g}%"


def _grade(figure: int | None) -> str:
    return "-" if figure is None else str(figure)


def _steps(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.2f}"
