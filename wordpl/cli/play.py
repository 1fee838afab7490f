"""`wordpl play`: a game in the terminal, of WORDPL against the referee, or of ordinary Wordle."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.lying import LyingGameOptions
from wordpl.cli.terminal import Lines, say, screen, tiles
from wordpl.displays import counted
from wordpl.errors import WordplError

if TYPE_CHECKING:
    from wordpl.assistant.wordle import Wordle
    from wordpl.model.posterior import Posterior
    from wordpl.play.moves import Move
    from wordpl.play.referee import Game, OpenGame
    from wordpl.play.strategy import Setting

_HELP = """WORD             ask for a clue to WORD at epsilon {epsilon}
WORD @EPSILON    ask at another epsilon
=WORD            propose WORD as the answer; the game ends
?                the ten most probable answers
help, quit"""
_WORDLE_HELP = """WORD         guess WORD
?            how many answers fit the clues, and ten of them
help, quit"""
_MOST_SHOWN = 10


def register(app: typer.Typer, section: str) -> None:
    add(app, play, section)


@dataclass(frozen=True)
class PlayOptions(LyingGameOptions):
    """What a game is played with."""

    first_guess: Annotated[
        str | None,
        typer.Option(
            "--first-guess",
            help="The first guess, given; with --lies alone, a random word as on fibble.xyz.",
            metavar="WORD",
            rich_help_panel=opt.SHARED,
        ),
    ] = None

    @property
    def lying(self) -> bool:
        return self.lies is not None or self.format not in (None, "contest")


def play(
    *,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon",
            "-e",
            help="Budget of an ask that names none, by default 13; inf is ordinary Wordle.",
            metavar="E",
        ),
    ] = None,
    hard: Annotated[bool, typer.Option("--hard", help="Hard mode of ordinary Wordle.")] = False,
    adversarial: Annotated[
        bool, typer.Option("--adversarial", help="Ordinary Wordle whose host gives the clue that leaves most words.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Root seed of all random draws; by default a new one.", metavar="N")
    ] = None,
    trial: Annotated[
        int, typer.Option("--trial", min=0, max=2**63 - 1, help="Which trial of that seed to play.", metavar="N")
    ] = 0,
    game: PlayOptions,
) -> None:
    """Play a game in the terminal.

    In WORDPL you ask for noisy clues, keep the budget low, then propose the answer. With --epsilon inf you play
    ordinary Wordle: exact clues and six turns. With --lies you play Fibble: nine turns, the first guess is given, and
    so many marks of each clue are false.
    """
    drawn = secrets.randbits(64) if seed is None else seed
    if adversarial:
        if seed is not None or trial or game.channel not in (None, "randomized_response") or game.lying:
            told = "leave out --seed, --trial, --channel, --lies and --format"
            raise WordplError(f"the adversarial host draws nothing; {told}")
        if epsilon not in (None, math.inf):
            raise WordplError(f"the adversarial host gives exact clues; leave out --epsilon {epsilon}, or give inf")
        _play_adversary(game, hard)
    elif game.lying and not hard:
        _play_rows(game, math.inf if epsilon is None else epsilon, drawn, trial)
    elif game.first_guess is not None and not game.lying:
        raise WordplError("a first guess is given in games of --lies or --format wordle:N; leave out --first-guess")
    elif epsilon == math.inf and game.channel in (None, "randomized_response") and not game.lying:
        _play_wordle(game, hard, drawn, trial)
    elif hard:
        raise WordplError("hard mode belongs to ordinary Wordle; give --epsilon inf alone, or leave out --hard")
    else:
        _play_referee(game, 13.0 if epsilon is None else epsilon, drawn, trial)


# Ordinary Wordle


def _play_wordle(given: PlayOptions, hard: bool, seed: int, trial: int) -> None:
    from wordpl.assistant.wordle import Wordle

    words, rule = given.load(noisy=False)
    _play_turns(Wordle.drawn(words, seed, trial, rule, hard))


def _play_adversary(given: PlayOptions, hard: bool) -> None:
    from wordpl.assistant.wordle import Wordle
    from wordpl.play.adversary import Adversary

    words, rule = given.load(noisy=False)
    _play_turns(Wordle(words, Adversary(words, rule).clue, rule, hard, max_turns=None))


def _play_turns(game: Wordle) -> None:
    from wordpl.assistant.reading import read_word

    lines, words = Lines(), game.words
    mode = ", hard mode" if game.hard else ""
    say(f"Wordle{mode}: one of {len(words.answers)} words of {words.length} letters ({words.name}).")
    say("Type a word, or help.")
    while not game.over:
        turn = len(game.turns) + 1
        line = lines.read(f"{turn}/{game.max_turns}> " if game.max_turns else f"{turn}> ")
        if line is None or line.lower() in ("quit", "exit"):
            break
        try:
            if line.lower() == "help":
                say(_WORDLE_HELP)
            elif line == "?":
                say(_fitting(_belief(game)))
            elif line:
                word = read_word(line.removeprefix("="), words)
                screen().print(tiles(word, str(game.guess(word))))
        except WordplError as error:
            say(str(error))
    if game.won:
        n = len(game.turns)
        say(f"Right, in {n} of {game.max_turns} turns." if game.max_turns else f"Right, in {counted(n, 'turn')}.")
    elif game.answer:
        say(f"The answer was {game.answer}.")
    else:
        belief = _belief(game)
        others = len(belief.possible) - 1
        more = f" or {counted(others, 'other')}" if others else ""
        say(f"It could have been {words.answers[belief.possible[0]]}{more}.")


def _belief(game: Wordle) -> Posterior:
    from wordpl.play.strategy import Setting

    return Setting(game.words, game.rule, noiseless=True).belief(game.turns)


def _fitting(belief: Posterior) -> str:
    if not belief.log_weights[belief.possible].any():
        return _equally_likely(belief)
    return _probable(belief)


def _equally_likely(belief: Posterior) -> str:
    n = len(belief.possible)
    some = "  ".join(belief.words.answers[i] for i in belief.possible[:_MOST_SHOWN])
    return f"{n} answer{'s fit' if n > 1 else ' fits'}: {some}{'  …' if n > _MOST_SHOWN else ''}"


# Wordle whose clues may be false


def _play_rows(given: PlayOptions, epsilon: float, seed: int, trial: int) -> None:
    from wordpl.assistant.reading import read_word
    from wordpl.play.moves import Ask

    opened = _open(given, epsilon, seed, trial)
    lines, setting, game = Lines(), opened.rules.setting, opened.game
    words, most = setting.words, setting.format.guesses
    say(f"{_name(setting)}: one of {len(words.answers)} words of {words.length} letters ({words.name}).")
    say("Type a word, or help.")
    line, over = setting.format.first_guess, False
    if line:
        say("The first guess is given.")
    while True:
        try:
            if line == "help":
                say(_WORDLE_HELP)
            elif line == "?":
                say(_fitting(setting.belief(game.history)))
            elif line:
                word = read_word(line.removeprefix("="), words)
                over = opened.take(Ask(word, setting.row_epsilon)) is None
                _show_row(game)
        except WordplError as error:
            say(str(error))
        if over:
            break
        typed = lines.read(f"{len(game.history) + 1}/{most}> ")
        if typed is None or typed.lower() in ("quit", "exit"):
            break
        line = typed.lower()
    _show_end(setting, game, over)


def _open(given: PlayOptions, epsilon: float, seed: int, trial: int) -> OpenGame:
    """The game that the options name. With lies and no format, its first guess is given, as on fibble.xyz."""
    from dataclasses import replace

    import numpy as np

    from wordpl.assistant.reading import positive, read_word
    from wordpl.play.referee import Referee
    from wordpl.play.strategy import Setting

    words, rule = given.load(noisy=False)
    family, format = given.rows(epsilon, False, given.format)
    setting = Setting(words, rule, family, format=format)
    positive(setting.row_epsilon)
    first = format.first_guess if given.first_guess is None else read_word(given.first_guess, words)
    if first is None and given.format is None and given.lies and len(words.answers) > 1:
        answer = Referee(setting, seed).open(trial).game.answer
        others = [word for word in words.answers if word != answer]
        first = others[np.random.default_rng([seed, trial]).integers(len(others))]
    setting = replace(setting, format=replace(format, first_guess=first))
    return Referee(setting, seed, game_seconds=math.inf).open(trial)


def _name(setting: Setting) -> str:
    """What the game is called, with its lies or its epsilon."""
    lies = _lies(setting)
    if lies:
        return f"Fibble, {counted(lies, 'lie')} a row"
    return "Wordle" if setting.noiseless else f"Wordle at epsilon {setting.row_epsilon:g} a row"


def _lies(setting: Setting) -> int | None:
    return setting.channel(setting.row_epsilon, setting.words.length).false_marks


def _show_row(game: Game) -> None:
    from wordpl.model.clues import Clue

    turn = game.history[-1]
    shown = str(Clue(turn.clue, len(turn.guess)))
    screen().print(tiles(turn.guess, shown))
    if set(shown) == {"c"} and turn.guess != game.answer:
        say(f"It is not {turn.guess}: this row lies.")


def _show_end(setting: Setting, game: Game, over: bool) -> None:
    """Who has won, which marks were false, and what to share."""
    from wordpl.assistant.share import share_text
    from wordpl.model.clues import Clue, clue

    rows, most = len(game.history), setting.format.guesses
    say(f"Right, in {rows} of {most} turns." if game.won else f"The answer was {game.answer}.")
    if not setting.noiseless or _lies(setting):
        if rows:
            say("The true clues:")
        for turn in game.history:
            shown, true = Clue(turn.clue, len(turn.guess)), clue(turn.guess, game.answer, setting.rule)
            places = [
                str(k + 1) for k, pair in enumerate(zip(shown.marks, true.marks, strict=True)) if len({*pair}) > 1
            ]
            told = f"  shown {shown}, false: {' '.join(places)}" if places else ""
            screen().print(tiles(turn.guess, str(true)).append(told))
    if over:
        heading = f"{_name(setting)}, {setting.words.name} {rows if game.won else 'X'}/{most}"
        say(f"\n{share_text(heading, game.history)}")


# WORDPL


def _play_referee(given: PlayOptions, epsilon: float, seed: int, trial: int) -> None:
    from wordpl.assistant.reading import positive
    from wordpl.play.referee import Referee
    from wordpl.play.strategy import Setting

    words, rule = given.load(noisy=True)
    family = given.family()
    family(positive(epsilon), words.length)  # a channel that has no such epsilon says so now, not in the game
    noiseless = math.isinf(epsilon)
    setting = Setting(words, rule, family, noiseless)
    player = _Human(setting, epsilon)
    game = Referee(setting, seed, game_seconds=math.inf).play(trial, player)
    if player.quit:
        said = f"The answer was {game.answer}."
    elif not game.won:
        said = f"Wrong: the answer was {game.answer}.{'' if noiseless else ' Your score is infinite.'}"
    elif noiseless:
        said = f"Right, in {counted(game.turns, 'turn')}."
    else:
        said = f"Right. Your score is {game.score:g}."
    say(said)


class _Human:
    """A player who types."""

    def __init__(self, setting: Setting, epsilon: float) -> None:

        self._setting, self._epsilon, self._lines = setting, epsilon, Lines()
        self._spent = 0.0
        self.quit = False

    def first_move(self) -> Move:
        self._belief = self._setting.belief()
        words = self._setting.words
        say(f"One of {len(words.answers)} words of {words.length} letters ({words.name}).")
        say("Type a word, or help.")
        return self._read()

    def next_move(self, guess: str, epsilon: float, clues: str) -> Move:

        self._belief = self._belief.update(guess, epsilon, clues)
        self._spent += epsilon
        line = tiles(guess, clues)
        screen().print(line if math.isinf(epsilon) else line.append(f"  spent {self._spent:g}"))
        return self._read()

    def _read(self) -> Move:
        while True:
            line = self._lines.read("> ")
            if line is None or line.lower() in ("quit", "exit"):
                self.quit = True
                raise _QuitError
            try:
                if line.lower() == "help":
                    say(_HELP.format(epsilon=f"{self._epsilon:g}"))
                elif line == "?":
                    say(_probable(self._belief))
                elif line:
                    return self._move(line)
            except WordplError as error:
                say(str(error))

    def _move(self, line: str) -> Move:
        from wordpl.assistant.reading import read_epsilon, read_word
        from wordpl.play.moves import Answer, Ask, InvalidMoveError, read_move

        words = self._setting.words
        if line.startswith("="):
            move: Move = Answer(read_word(line[1:], words))
        else:
            word, *rest = line.replace("@", " @ ", 1).split(maxsplit=1)
            epsilon = read_epsilon(rest[0].removeprefix("@")) if rest else self._epsilon
            move = Ask(read_word(word, words), epsilon)
        try:
            return read_move(move, words, self._setting.noiseless)
        except InvalidMoveError as error:
            raise WordplError(str(error)) from None


def _probable(belief: Posterior) -> str:
    probabilities = belief.probabilities
    best = (-probabilities).argsort(kind="stable")[:_MOST_SHOWN]
    return "  ".join(f"{belief.words.answers[i]} {probabilities[i]:.4f}" for i in best)


class _QuitError(Exception):
    """The player has left; the referee records it as a crash, which nobody sees."""
