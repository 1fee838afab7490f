"""`wordpl play`: a game in the terminal, against the referee."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.errors import WordplError

if TYPE_CHECKING:
    from rich.console import Console

    from wordpl.model.words import WordList
    from wordpl.play.moves import Move
    from wordpl.play.strategy import Setting

_STYLES = {"c": "bold white on green", "i": "bold black on yellow", ".": "bold white on grey37"}
_HELP = """WORD [EPSILON]   ask for a clue to WORD (by default at {epsilon})
=WORD            propose WORD as the answer; the game ends
?                the ten most probable answers, by exact Bayes
help, quit"""


def register(app: typer.Typer, section: str) -> None:
    add(app, play, section)


_RULE = "By default letterwise, and counted with --adversarial."


@dataclass(frozen=True)
class PlayOptions(opt.WordOptions):
    """What a game is played with; the default of the rule depends on the host."""

    rule: Annotated[
        str | None, opt.choice(opt.RULES, "--rule", summary="Repeat rule", note=_RULE, section=opt.SHARED)
    ] = None
    channel: opt.Channel = "randomized_response"


def play(
    *,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon", "-e", help="Budget of an ask that names none; by default 13, inf for no noise.", metavar="E"
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Root seed of all random draws; by default a new one.", metavar="N")
    ] = None,
    trial: Annotated[
        int, typer.Option("--trial", min=0, max=2**63 - 1, help="Which trial of that seed to play.", metavar="N")
    ] = 0,
    adversarial: Annotated[
        bool, typer.Option("--adversarial", help="The host has no answer: it gives the clue that leaves most words.")
    ] = False,
    game: PlayOptions,
) -> None:
    """Play a game in the terminal.

    Ask for noisy clues, keep the budget low, then propose the answer.
    """
    if adversarial:
        if seed is not None or trial or game.channel != "randomized_response":
            raise WordplError("the adversarial host draws nothing; leave out --seed, --trial and --channel")
        if epsilon not in (None, math.inf):
            raise WordplError(f"the adversarial host gives exact clues; leave out --epsilon {epsilon}, or give inf")
        _play_adversary(game.load(), game.rule or "counted")
    else:
        drawn = secrets.randbits(64) if seed is None else seed
        budget = 13.0 if epsilon is None else epsilon
        _play_referee(game, budget, drawn, trial)


def _play_referee(given: PlayOptions, epsilon: float, seed: int, trial: int) -> None:
    from rich.console import Console

    from wordpl.model.channel import channel_family, check_epsilon
    from wordpl.play.referee import Referee
    from wordpl.play.strategy import Setting

    if not check_epsilon(epsilon) > 0:
        raise WordplError(f"epsilon {epsilon} is not allowed; a number above 0, or inf, is expected")
    words, family = given.load(), channel_family(given.channel)
    family(epsilon, words.length)  # a channel that has no such epsilon says so now, not in the game
    noiseless = math.isinf(epsilon)
    setting = Setting(words, given.rule or "letterwise", family, noiseless)
    screen = Console(highlight=False)
    player = _Human(setting, epsilon, screen)
    game = Referee(setting, seed, game_seconds=math.inf).play(trial, player)
    if player.quit:
        screen.print(f"The answer was [bold]{game.answer}[/bold].")
    elif not game.won:
        screen.print(f"Wrong: the answer was [bold]{game.answer}[/bold]. Your score is infinite.")
    elif noiseless:
        screen.print(_right_in(game.turns))
    else:
        screen.print(f"Right. Your score is {game.score:g}.")


def _play_adversary(words: WordList, rule: str) -> None:
    from rich.console import Console

    from wordpl.play.adversary import Adversary
    from wordpl.play.strategy import Setting

    host = Adversary(words, rule)
    screen = Console(highlight=False)
    try:
        duel = host.play(_Human(Setting(words, rule, noiseless=True), math.inf, screen))
    except _QuitError:
        screen.print(f"It could have been [bold]{host.left[0]}[/bold]{_or_others(len(host.left) - 1)}.")
    else:
        if duel.won:
            screen.print(_right_in(duel.turns))
        else:
            screen.print(f"Wrong: it could still be [bold]{duel.answer}[/bold].")


def _or_others(n: int) -> str:
    return f" or {n} other{'s' if n > 1 else ''}" if n else ""


def _right_in(turns: int) -> str:
    return f"Right, in {turns} turn{'s' if turns > 1 else ''}."


class _Human:
    """A player who types."""

    def __init__(self, setting: Setting, epsilon: float, screen: Console) -> None:
        self._setting, self._epsilon, self._screen = setting, epsilon, screen
        self._spent = 0.0
        self.quit = False

    def first_move(self) -> Move:
        self._belief = self._setting.belief()
        n = len(self._setting.words.answers)
        self._screen.print(f"One of {n} words of {self._setting.words.length} letters. Type help for help.")
        return self._read()

    def next_move(self, guess: str, epsilon: float, clues: str) -> Move:
        from wordpl.play.moves import Answer

        self._belief = self._belief.update(guess, epsilon, clues)
        self._spent += epsilon
        tiles = "".join(f"[{_STYLES[mark]}] {letter.upper()} [/]" for letter, mark in zip(guess, clues, strict=True))
        self._screen.print(f"{tiles}  {clues}  spent {self._spent:g}")
        if set(clues) == {"c"} and self._certain(guess):
            return Answer(guess)
        return self._read()

    def _certain(self, guess: str) -> bool:
        """Whether nothing but `guess` is left, so that an ordinary game would be over."""
        possible = self._belief.possible
        return len(possible) == 1 and self._setting.words.answers[possible[0]] == guess

    def _read(self) -> Move:
        while True:
            try:
                line = input("> ").strip().lower()
            except EOFError:
                line = "quit"
            if line in ("quit", "exit"):
                self.quit = True
                raise _QuitError
            if line == "help":
                self._screen.print(_HELP.format(epsilon=f"{self._epsilon:g}"), markup=False)
            elif line == "?":
                self._suggest()
            elif line:
                move = self._parse(line)
                if move is not None:
                    return move

    def _parse(self, line: str) -> Move | None:
        from wordpl.play.moves import Answer, Ask, InvalidMoveError, read_move

        try:
            if line.startswith("="):
                return read_move(Answer(line[1:].strip()), self._setting.words, self._setting.noiseless)
            word, *rest = line.split()
            epsilon = float(rest[0]) if rest else self._epsilon
            if len(rest) > 1:
                raise ValueError
            return read_move(Ask(word, epsilon), self._setting.words, self._setting.noiseless)
        except InvalidMoveError as error:
            self._screen.print(str(error), markup=False)
        except ValueError:
            self._screen.print(f"{line!r} is no move; type WORD, WORD EPSILON, =WORD or help", markup=False)
        return None

    def _suggest(self) -> None:
        probabilities = self._belief.probabilities
        best = (-probabilities).argsort(kind="stable")[:10]
        self._screen.print("  ".join(f"{self._setting.words.answers[i]} {probabilities[i]:.4f}" for i in best))


class _QuitError(Exception):
    """The player has left; the referee records it as a crash, which nobody sees."""
