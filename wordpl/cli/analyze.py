"""`wordpl analyze`: what each guess of a finished game was worth, and how lucky it was."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

import wordpl
from wordpl.base.displays import counted, percent
from wordpl.base.files import read_text
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.terminal import PlayerOptions, say, screen, tiles
from wordpl.reporting.tables import TABLE, TableStyle, number, print_table

_STDIN = Path("-")
_BITS = ("expected_bits", "best_bits", "skill_bits", "actual_bits", "luck_bits")


def analyze(
    turns: Annotated[
        list[str] | None,
        Argument(help="Such as crate=..c.., or crate, if --answer or a text is given.", metavar="GUESS"),
    ] = None,
    *,
    answer: Annotated[str | None, Option(help="The answer, if guesses have no clues or none is right.")] = None,
    share: Annotated[Path | None, Option(help="Read the share text from this file. - is stdin, the default.")] = None,
    epsilon: opt.NoisyEpsilon = math.inf,
    every: Annotated[bool, Option("--list", help="Show the words left after each turn.")] = False,
    game: PlayerOptions,
    table: opt.FormatOptions,
) -> None:
    """Rate the skill and luck of each guess of a finished game.

    You see both from 0 to 99, and in bits. The best guess has skill 99; luck is about 50 on average. You also see how
    many words were left after each turn, and the best guesses from there.

    The game is ordinary Wordle, or WORDPL if its clues have an epsilon. With --lies it is Fibble, and skill counts
    information only.
    """
    from wordpl.wordle.finished import are_words, finished_is_noisy

    turns = turns or []
    pasted = share is not None or not turns or (answer is None and are_words(turns))
    text = _share_text(share or _STDIN) if pasted else None
    whole = "\n".join([*turns, text or ""])
    if "\n" in "".join(turns):
        turns = ["\n".join(turns)]  # a text, and below it the guesses of its rows
    setting = game.shared(whole).setting(finished_is_noisy(whole, epsilon), epsilon)
    words, rule, row_epsilon = setting.words, setting.rule, setting.row_epsilon
    epsilon = row_epsilon if setting.format.is_wordle else epsilon
    lies = setting.format.is_wordle and not setting.channel(row_epsilon, words.length).exact
    record = wordpl.wordle.read_finished(turns, words, rule, answer=answer, share=text, epsilon=epsilon, lies=lies)
    hard = game.hard_mode or (record.hard and not lies)
    analysis = wordpl.wordle.analyze(setting, record.turns, hard=hard, answer=record.answer, proposed=record.proposed)
    if record.remark:
        NOTES.info("%s", record.remark)
    where = f"{words.name}, {rule}{', hard mode' if hard else ''}"
    table.show(lambda: replace(analysis, remark=record.remark), partial(_print, analysis, where, every))


def _share_text(share: Path) -> str:
    if share != _STDIN:
        return read_text(share, "share text")
    if sys.stdin.isatty():
        NOTES.info("Paste the share text, then press Ctrl-D on an empty line.")
    return sys.stdin.buffer.read().decode(errors="replace")


def _print(game: wordpl.wordle.Analysis, where: str, every: bool, style: TableStyle) -> None:
    """Nothing is wider than 60 columns but the words left, which are shown if `every` one is asked for."""
    names = ["guess", "steps", "best", "its steps", "skill", "luck"]
    steps = [
        [t.guess, _cell(t.steps, ".2f"), t.best, _cell(t.best_steps, ".2f"), _cell(t.skill), _cell(t.luck)]
        for t in game.turns
    ]
    bits = [_bits(turn.guess, turn.best, asdict(turn)) for turn in game.turns]
    if style.format != TABLE:
        both = [[*row, one[1], *one[3:]] for row, one in zip(steps, bits, strict=True)]
        print_table("", [*names, *(name.replace("_", " ") for name in _BITS)], both, style=style)
        return
    end = {True: "solved in", False: "not solved in", None: "played in"}[game.solved]
    if game.unlisted:
        say(f"{game.unlisted} is not among the answers of {game.words}, so it is added to them.")
    say(f"{where}: {end} {counted(len(game.turns), 'guess', 'guesses')}")
    for at, turn in enumerate(game.turns, start=1):
        left = "" if game.solved and at == len(game.turns) else f"  {number(turn.remaining_after)} left"
        chance = "sure" if turn.chance == 1 else f"chance {percent(turn.chance, 2)}"
        screen().print(tiles(turn.guess, turn.clue).append(f"  {chance}{left}"))
    for turn in game.turns[: -1 if game.solved else None] if every else ():
        what = "Left" if len(turn.left) == round(turn.remaining_after) else "Most probable"
        say(f"{what} after {turn.guess}: {' '.join(turn.left)}")
    say(f"Skill {_cell(game.skill)}, luck {_cell(game.luck)}, from 0 to 99.")
    print_table("Skill and luck", names, steps)
    columns = ["guess", "bits", "best", "its bits", "skill", "told", "luck"]
    print_table("In bits", columns, [*bits, _bits("total", "", game.total)])
    say(f"Best from the start: {' '.join(game.line)}")
    for turn in game.turns:
        if turn.line:
            say(f"Best after {turn.guess}: {' '.join(turn.line)}")


def _bits(name: str, best: str, bits: Mapping[str, Any]) -> list[str]:
    expected, gain, skill, actual, luck = (bits[key] for key in _BITS)
    return [name, f"{expected:.2f}", best, f"{gain:.2f}", f"{skill:+.2f}", f"{actual:.2f}", f"{luck:+.2f}"]


def _cell(value: float | None, form: str = "d") -> str:
    return "-" if value is None else f"{value:{form}}"
