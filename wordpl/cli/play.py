"""`wordpl play`: a game in the terminal, of WORDPL against the referee, or of ordinary Wordle."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import typer

import wordpl
from wordpl.checks import clue_epsilon
from wordpl.cli import options as opt
from wordpl.cli.terminal import Lines, say, screen, tiles, turn_clue
from wordpl.errors import WordplError
from wordpl.text.displays import counted

_HELP = """WORD             ask for a clue to WORD at epsilon {epsilon}
WORD @EPSILON    ask at another epsilon
=WORD            propose WORD as the answer; the game ends
?                the ten most probable answers
help, quit"""
_WORDLE_HELP = """WORD         guess WORD
?            how many answers fit the clues, and ten of them
help, quit"""
_MOST_SHOWN = 10


@dataclass(frozen=True)
class PlayOptions(opt.RowOptions):
    """What a game is played with."""

    first_guess: Annotated[str | None, typer.Option(help="The given first guess; fibble, as with --lies: drawn.")] = (
        None
    )


def play(
    *,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon", "-e", help="Budget of an ask, by default 13; inf is ordinary Wordle.", parser=opt.EPSILON
        ),
    ] = None,
    hard: Annotated[bool, typer.Option("--hard", help="Hard mode of ordinary Wordle.")] = False,
    adversarial: Annotated[
        bool, typer.Option("--adversarial", help="Ordinary Wordle whose host gives the clue that leaves most words.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Root seed of all random draws; by default a new one.", parser=opt.SEED)
    ] = None,
    trial: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Which trial of that seed to play.")] = 0,
    game: PlayOptions,
) -> None:
    """Play a game in the terminal.

    In WORDPL you ask for noisy clues, keep the budget low, then propose the answer. With --epsilon inf you play
    ordinary Wordle: exact clues and six turns. With --lies you play Fibble: nine turns, the first guess is given, and
    so many marks of each clue are false.
    """
    from wordpl.model.hard_mode import check_hard_mode

    rows = game.lies is not None or game.format not in (None, "contest")
    without_lies = game.channel in (None, "randomized_response") and not rows
    root = secrets.randbits(64) if seed is None else seed
    if adversarial:
        if seed is not None or trial or not without_lies:
            raise WordplError(
                "the adversarial host draws nothing; leave out --seed, --trial, --channel, --lies and --format"
            )
        if epsilon not in (None, math.inf):
            raise WordplError(f"the adversarial host gives exact clues; leave out --epsilon {epsilon}, or give inf")
        _play_adversary(*game.load(noisy=False), hard)
    elif game.first_guess is not None and not rows:
        raise WordplError("a first guess is given in games of --lies or --format wordle:N; leave out --first-guess")
    elif rows or (without_lies and epsilon == math.inf):
        open_game = _open_rows(game, math.inf if epsilon is None else epsilon, hard, root, trial)
        _play_rows(open_game, hard, share=rows)
    else:
        check_hard_mode(hard, exact=False)
        _play_contest(game, 13.0 if epsilon is None else epsilon, root, trial)


def _over(prompt: Callable[[], str], help: str, hint: Callable[[], str], move: Callable[[str], bool]) -> bool:
    """Read lines until `move` says that one has ended the game, which is True, or until the player leaves.

    A mistake is said, and the game goes on.
    """
    from wordpl.play.moves import InvalidMoveError

    lines = Lines()
    while (line := lines.read(prompt())) is not None and line.lower() not in ("quit", "exit"):
        try:
            if line.lower() == "help":
                say(help)
            elif line == "?":
                say(hint())
            elif line and move(line):
                return True
        except (WordplError, InvalidMoveError) as error:
            say(str(error))
    return False


def _fitting(belief: wordpl.Posterior) -> str:
    """How many answers fit, and some of them; the most probable where they are not equally likely."""
    if belief.log_weights[belief.possible].any():
        return _probable(belief)
    n = len(belief.possible)
    words = "  ".join(belief.words.answers[i] for i in belief.possible[:_MOST_SHOWN])
    return f"{counted(n, 'answer fits', 'answers fit')}: {words}{'  …' if n > _MOST_SHOWN else ''}"


def _probable(belief: wordpl.Posterior) -> str:
    probabilities = belief.probabilities
    best = (-probabilities).argsort(kind="stable")[:_MOST_SHOWN]
    return "  ".join(f"{belief.words.answers[i]} {probabilities[i]:.4f}" for i in best)


# Ordinary Wordle, and Wordle whose clues may be false


def _begin(game: str, words: wordpl.WordList) -> None:
    say(f"{game} of {counted(len(words.answers), 'word')} of {words.length} letters ({words.name}).")
    say("Type a word, or help.")


def _play_adversary(words: wordpl.WordList, rule: str, hard: bool) -> None:
    from wordpl.assistant.reading import read_word

    game = wordpl.Wordle(words, wordpl.Adversary(words, rule).clue, rule, hard, max_turns=None)
    setting = wordpl.Setting(words, rule, noiseless=True)

    def guess(line: str) -> bool:
        word = read_word(line.removeprefix("="), words)
        screen().print(tiles(word, str(game.guess(word))))
        return game.over

    _begin(f"Wordle{', hard mode' if hard else ''}: one", words)
    if _over(lambda: f"{len(game.turns) + 1}> ", _WORDLE_HELP, lambda: _fitting(setting.belief(game.turns)), guess):
        say(f"Right, in {counted(len(game.turns), 'turn')}.")
    else:
        first, *others = setting.belief(game.turns).possible
        more = f" or {counted(len(others), 'other')}" if others else ""
        say(f"It could have been {words.answers[first]}{more}.")


def _play_rows(open_game: wordpl.OpenGame, hard: bool, share: bool) -> None:
    from wordpl.assistant.reading import read_word
    from wordpl.assistant.wordle import hard_mode_fault

    setting, game = open_game.rules.setting, open_game.game
    words, most = setting.words, setting.format.guesses

    def guess(line: str) -> bool:
        word = read_word(line.removeprefix("="), words)
        if hard and (fault := hard_mode_fault(word, game.history, setting.rule)):
            raise WordplError(f"hard mode: {fault}")
        over = open_game.take(wordpl.Ask(word, setting.row_epsilon)) is None
        clue = turn_clue(game.history[-1])
        screen().print(tiles(word, clue))
        if set(clue) == {"c"} and word != game.answer:
            say(f"It is not {word}: this row lies.")
        return over

    _begin(f"{_name(setting)}{', hard mode' if hard else ''}: one", words)
    over = False
    if setting.format.first_guess:
        say("The first guess is given.")
        over = guess(setting.format.first_guess)
    over = over or _over(
        lambda: f"{len(game.history) + 1}/{most}> ",
        _WORDLE_HELP,
        lambda: _fitting(setting.belief(game.history)),
        guess,
    )
    rows = len(game.history)
    say(f"Right, in {rows} of {most} turns." if game.won else f"The answer was {game.answer}.")
    if not setting.noiseless or _lies(setting):
        _show_truth(setting, game)
    if over and share:
        heading = f"{_name(setting)}, {words.name} {rows if game.won else 'X'}/{most}"
        say(f"\n{wordpl.share_text(heading, game.history)}")


def _show_truth(setting: wordpl.Setting, game: wordpl.Game) -> None:
    """The true clue of each row, and which marks were false."""
    if game.history:
        say("The true clues:")
    for turn in game.history:
        noisy, true = turn_clue(turn), str(wordpl.clue(turn.guess, game.answer, setting.rule))
        places = [str(k) for k, (a, b) in enumerate(zip(noisy, true, strict=True), start=1) if a != b]
        note = f"  shown {noisy}, false: {' '.join(places)}" if places else ""
        screen().print(tiles(turn.guess, true).append(note))


def _open_rows(options: PlayOptions, epsilon: float, hard: bool, seed: int, trial: int) -> wordpl.OpenGame:
    """The game that the options name. With lies and no format, its first guess is given, as on fibble.xyz."""
    from wordpl.assistant.reading import read_word
    from wordpl.play.formats import FIBBLE_FIRST_GUESS

    words, rule = options.load(noisy=False)
    family, format = options.rows(epsilon, hard)
    clue_epsilon("epsilon", wordpl.Setting(words, rule, family, format=format).row_epsilon)
    first = format.first_guess if options.first_guess is None else options.first_guess.lower()
    if first is None and options.format is None and options.lies:
        first = FIBBLE_FIRST_GUESS
    elif first not in (None, FIBBLE_FIRST_GUESS):
        first = read_word(first, words)
    setting = wordpl.Setting(words, rule, family, format=replace(format, first_guess=first))
    return wordpl.Referee(setting, seed, game_seconds=math.inf).open(trial)


def _name(setting: wordpl.Setting) -> str:
    """What the game is called, with its lies or its epsilon."""
    lies = _lies(setting)
    if lies:
        return f"Fibble, {counted(lies, 'lie')} a row"
    return "Wordle" if setting.noiseless else f"Wordle at epsilon {setting.row_epsilon:g} a row"


def _lies(setting: wordpl.Setting) -> int | None:
    return setting.channel(setting.row_epsilon, setting.words.length).false_marks


# WORDPL


def _play_contest(options: PlayOptions, epsilon: float, seed: int, trial: int) -> None:
    words, rule = options.load(noisy=True)
    family = options.family()
    family(epsilon, words.length)  # a channel that has no such epsilon says so before the game
    noiseless = math.isinf(epsilon)
    setting = wordpl.Setting(words, rule, family, noiseless)
    open_game = wordpl.Referee(setting, seed, game_seconds=math.inf).open(trial)
    game = open_game.game

    def move(line: str) -> bool:
        turn = open_game.take(_read_move(line, words, epsilon))
        if turn is not None:
            row = tiles(turn.guess, turn_clue(turn))
            screen().print(row if math.isinf(turn.epsilon) else row.append(f"  spent {game.budget:g}"))
        return turn is None

    _begin("One", words)
    if not _over(
        lambda: "> ", _HELP.format(epsilon=f"{epsilon:g}"), lambda: _probable(setting.belief(game.history)), move
    ):
        say(f"The answer was {game.answer}.")
    elif not game.won:
        say(f"Wrong: the answer was {game.answer}.{'' if noiseless else ' Your score is infinite.'}")
    elif noiseless:
        say(f"Right, in {counted(game.turns, 'turn')}.")
    else:
        say(f"Right. Your score is {game.score:g}.")


def _read_move(line: str, words: wordpl.WordList, epsilon: float) -> wordpl.Move:
    """The move that a line stands for; `epsilon` is that of an ask that names none."""
    from wordpl.assistant.reading import read_epsilon, read_word

    if line.startswith("="):
        return wordpl.Answer(read_word(line[1:], words))
    word, *rest = line.replace("@", " @ ", 1).split(maxsplit=1)
    if rest:
        epsilon = read_epsilon(rest[0].removeprefix("@"))
    return wordpl.Ask(read_word(word, words), epsilon)
