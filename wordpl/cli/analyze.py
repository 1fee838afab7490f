"""`wordpl analyze`: what each guess of a finished game was worth, and how lucky it was."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.errors import WordplError
from wordpl.reporting.tables import number, print_json, print_table
from wordpl.storage.files import read_text

if TYPE_CHECKING:
    from wordpl.assistant.analysis import Analysis
    from wordpl.model.words import WordList
    from wordpl.play.strategy import History

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
        str | None, typer.Option("--answer", help="The answer, from which the clues follow.", metavar="WORD")
    ] = None,
    share: Annotated[
        Path | None,
        typer.Option("--share", help="File with the share text; by default, or as -, stdin.", metavar="FILE"),
    ] = None,
    epsilon: opt.NoisyEpsilon = math.inf,
    game: opt.WordleOptions,
    json: opt.Json = False,
) -> None:
    """Skill and luck of each guess of a finished game, in bits.

    Skill is the expected information of your guess less that of the best guess (0 is perfect). Luck is the
    information that your guess brought less what was expected of it (0 on average).
    """
    from wordpl.assistant import analysis

    word_list = game.load()
    played = _turns(word_list, turns, answer, share, epsilon, game.rule)
    for turn in played:
        if turn.guess not in word_list.guess_index:
            typer.echo(f"wordpl: {turn.guess!r} is not in {word_list.name}; taken as it is", err=True)
    found = analysis.analyze(word_list, played, game.rule)
    if json:
        print_json({"words": word_list.name, "rule": game.rule} | found.record())
    else:
        _print(found, f"{word_list.name}, {game.rule}")


def _turns(
    words: WordList, game: list[str], answer: str | None, share: Path | None, epsilon: float, rule: str
) -> History:
    from wordpl.assistant.analysis import turns_from_answer, turns_from_share
    from wordpl.assistant.session import read_turn, read_word
    from wordpl.cli.solve import joined

    if not all(text.isalpha() for text in game):
        if answer is not None or share is not None:
            raise WordplError("the clues are given twice; leave out --answer and --share, or the clues")
        return tuple(read_turn(text, words.length, epsilon) for text in joined(game))
    chosen = [read_word(text, words.length) for text in game]
    if answer is None:
        return turns_from_share(chosen, _share_text(share), words, epsilon)
    if share is not None:
        raise WordplError("give either --answer or --share, not both")
    if epsilon != math.inf:
        raise WordplError("noisy clues do not follow from the answer; give them as crate=..c..")
    return turns_from_answer(chosen, read_word(answer, words.length), words, rule)


def _share_text(share: Path | None) -> str:
    if share is None and sys.stdin.isatty():
        typer.echo("Paste the share text, then press Ctrl-D on an empty line.", err=True)
    if share not in (None, _STDIN):
        return read_text(share, "share text", _MAX_SHARE)
    text = sys.stdin.read(_MAX_SHARE + 1)
    if "\ufffd" in text:  # what cannot be decoded is read as this
        raise WordplError("the share text is not UTF-8")
    if len(text) > _MAX_SHARE:
        raise WordplError("the share text on stdin is too long")
    return text


def _print(found: Analysis, where: str) -> None:
    columns = ["guess", "clue", "chance", "before", "after", "best", "its bits", "your bits", "skill", "actual", "luck"]
    rows = [
        [
            turn.guess,
            turn.clue,
            f"{100 * turn.chance:.3g}%",
            number(turn.before),
            number(turn.after),
            turn.best,
            *(f"{bits:.2f}" for bits in (turn.best_expected, turn.expected)),
            f"{turn.skill:+.2f}",
            f"{turn.actual:.2f}",
            f"{turn.luck:+.2f}",
        ]
        for turn in found.turns
    ]
    sums = [found.total(figure) for figure in ("best_expected", "expected", "skill", "actual", "luck")]
    total = [f"{value:+.2f}" if i in (2, 4) else f"{value:.2f}" for i, value in enumerate(sums)]
    rows.append(["total", *[""] * 5, *total])
    print_table(f"Skill and luck in bits ({where})", columns, rows)
