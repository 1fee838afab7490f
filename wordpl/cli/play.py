"""`wordpl play`: a game in the terminal, against the referee."""

from __future__ import annotations

import math
import secrets
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.errors import WordplError

if TYPE_CHECKING:
    from rich.console import Console

    from wordpl.moves import Move
    from wordpl.strategy import Setting

_STYLES = {"c": "bold white on green", "i": "bold black on yellow", ".": "bold white on grey37"}
_HELP = """WORD [EPSILON]   ask for a clue to WORD (at {epsilon} unless told)
=WORD            propose WORD as the answer; the game ends
?                the ten most probable answers, by exact Bayes
help, quit"""


def register(app: typer.Typer) -> None:
    app.command()(play)


def play(
    epsilon: Annotated[
        float, typer.Option("--epsilon", "-e", help="Budget of an ask unless you type another; inf for no noise.")
    ] = 13.0,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    rule: Annotated[
        str | None, typer.Option("--rule", help="letterwise (unless told), or counted.", metavar="RULE")
    ] = None,
    channel: opt.ChannelName = "randomized_response",
    seed: Annotated[int | None, typer.Option("--seed", help="Root seed; drawn afresh unless told.")] = None,
    trial: Annotated[int, typer.Option("--trial", min=0, help="Which trial of that seed to play.")] = 0,
) -> None:
    """Play a game: ask for noisy clues, keep the budget low, then propose the answer."""
    from rich.console import Console

    from wordpl.channel import channel_family, check_epsilon
    from wordpl.clues import check_rule
    from wordpl.game import Referee
    from wordpl.strategy import Setting

    if not check_epsilon(epsilon) > 0:
        raise WordplError(f"epsilon {epsilon} is not allowed; a number above 0, or inf, is expected")
    family = channel_family(channel)
    word_list = opt.word_list(words, answers, guesses)
    family(epsilon, word_list.length)  # a channel that has no such epsilon says so now, not in the game
    noiseless = math.isinf(epsilon)
    setting = Setting(word_list, check_rule(rule or "letterwise"), family, noiseless)
    screen = Console(highlight=False)
    player = _Human(setting, epsilon, screen)
    game = Referee(setting, secrets.randbits(64) if seed is None else seed, game_seconds=math.inf).play(trial, player)
    if player.quit:
        screen.print(f"The answer was [bold]{game.answer}[/bold].")
    elif not game.won:
        screen.print(f"Wrong: the answer was [bold]{game.answer}[/bold]. Your score is infinite.")
    elif noiseless:
        screen.print(f"Right, in {game.turns} turn{'s' if game.turns > 1 else ''}.")
    else:
        screen.print(f"Right. Your score is {game.score:g}.")


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
        from wordpl.moves import Answer

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
        from wordpl.moves import Answer, Ask, InvalidMoveError, read_move

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
