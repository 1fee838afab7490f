"""`wordpl analyze`: what each guess of a finished game was worth, and how lucky it was."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.terminal import say, screen, tiles
from wordpl.errors import WordplError
from wordpl.reporting.tables import number, print_json, print_table
from wordpl.storage.files import read_text
from wordpl.text.displays import counted

Game = Annotated[
    list[str],
    typer.Argument(
        help="Guesses with clues, as crate=..c..; or the guesses alone, with --answer or a share text.", metavar="GUESS"
    ),
]
_STDIN = Path("-")
_MAX_SHARE = 1 << 20
_BITS = ("expected_bits", "best_bits", "skill_bits", "actual_bits", "luck_bits")


def analyze(
    turns: Game,
    *,
    answer: Annotated[
        str | None, typer.Option(help="The answer: the clues follow from it, or it was not found.", metavar="WORD")
    ] = None,
    share: Annotated[Path | None, typer.Option(help="File with the share text; by default, or as -, stdin.")] = None,
    epsilon: opt.NoisyEpsilon = math.inf,
    hard: Annotated[
        bool, typer.Option("--hard", help="It was played in hard mode; the star of a share text says so too.")
    ] = False,
    game: opt.PlayerOptions,
    json: opt.Json = False,
) -> None:
    """Skill and luck of each guess of a finished game.

    Both are from 0 to 99, and in bits. Skill 99 is the best guess; luck is about 50 on average. Also shown are the
    words left after each turn, and the best guesses from there.

    The game is ordinary Wordle, or WORDPL if its clues have an epsilon. With --lies it is Fibble: skill is then by
    information.
    """
    from wordpl.assistant import analysis
    from wordpl.assistant.finished import are_words, share_is_noisy
    from wordpl.assistant.reading import is_noisy

    pasted = share is not None or (answer is None and are_words(turns))
    text = _share_text(share) if pasted else None
    family, format = game.rows(epsilon, hard) if game.ends_on_hit else (wordpl.RandomizedResponse, wordpl.CONTEST)
    words, rule = game.load(not game.ends_on_hit and (is_noisy(turns, epsilon) or share_is_noisy(text or "")))
    setting = wordpl.Setting(words, rule, family, format=format)
    if format.is_wordle:
        epsilon = setting.row_epsilon
    lies = bool(family(setting.row_epsilon, words.length).false_marks)
    played = wordpl.read_finished(turns, words, rule, answer=answer, share=text, epsilon=epsilon, lies=lies)
    hard = hard or (played.hard and not game.ends_on_hit)
    if format.is_wordle:
        format = wordpl.GameFormat(max(len(played.turns), 1))  # however many rows it had
    found = analysis.analyze(words, played.turns, rule, hard=hard, answer=played.answer, channel=family, format=format)
    if json:
        print_json({"words": words.name, "rule": rule, **found.record()})
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


def _print(found: wordpl.Analysis, where: str) -> None:
    """Nothing is wider than 60 columns."""
    say(f"{where}: {'solved in' if found.solved else 'not solved in'} {counted(len(found.turns), 'guess', 'guesses')}")
    for at, turn in enumerate(found.turns, start=1):
        won = found.solved and at == len(found.turns)
        left = "" if won else f"  {number(turn.remaining_after)} left"
        chance = "sure" if turn.chance == 1 else f"chance {100 * turn.chance:.2g}%"
        screen().print(tiles(turn.guess, turn.clue).append(f"  {chance}{left}"))
    say(f"Skill {_cell(found.skill)}, luck {_cell(found.luck)}, from 0 to 99.")
    columns = ["guess", "steps", "best", "its steps", "skill", "luck"]
    rows = [
        [
            turn.guess,
            _cell(turn.steps, ".2f"),
            turn.best,
            _cell(turn.best_steps, ".2f"),
            _cell(turn.skill),
            _cell(turn.luck),
        ]
        for turn in found.turns
    ]
    print_table("Skill and luck", columns, rows)
    _print_bits(found)
    say(f"Best from the start: {' '.join(found.line)}")
    for turn in found.turns:
        if turn.line:
            say(f"Best after {turn.guess}: {' '.join(turn.line)}")


def _print_bits(found: wordpl.Analysis) -> None:
    def row(name: str, best: str, bits: Callable[[str], float]) -> list[str]:
        expected, its, skill, actual, luck = map(bits, _BITS)
        return [name, f"{expected:.2f}", best, f"{its:.2f}", f"{skill:+.2f}", f"{actual:.2f}", f"{luck:+.2f}"]

    rows = [row(turn.guess, turn.best, partial(getattr, turn)) for turn in found.turns]
    columns = ["guess", "bits", "best", "its bits", "skill", "told", "luck"]
    print_table("In bits", columns, [*rows, row("total", "", found.total)])


def _cell(figure: float | None, form: str = "d") -> str:
    return "-" if figure is None else f"{figure:{form}}"
