"""Helpers of the commands for players: options, typed lines, and clues as coloured tiles."""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

import wordpl
from wordpl.base.checks import is_in_file
from wordpl.base.defaults import FIBBLE_GUESSES, WORDLE_GUESSES
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.cli import options as opt
from wordpl.model.names import CURRENT, RULE_ACCOUNTS
from wordpl.reporting.tables import print_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from wordpl.wordle.rules import HardMode


_MOST_SHOWN = 10
_GUESSES = (
    "What ends a game: contest (a proposal), unlimited (the right guess), or wordle:N (that, or N guesses). Default:"
    f" wordle:{WORDLE_GUESSES}, wordle:{FIBBLE_GUESSES} with --lies, contest if clues have an epsilon."
)
_STYLES = {"c": "bold white on green", "i": "bold black on yellow", ".": "bold white on grey37"}


def screen() -> Console:
    """Standard output; coloured on a terminal, unless NO_COLOR is set. Text is shown as it is, never as markup."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def say(text: str) -> None:
    """A text on standard output, folded between words where a line of the terminal ends."""
    for line in text.split("\n"):
        print_text(line)


def tiles(guess: str, clue: str) -> Text:
    """A guess with its clue, as tiles and as letters, which can be told apart without colours."""
    from rich.text import Text

    from wordpl.model.words import capitals

    text = Text()
    for letter, mark in zip(guess, clue, strict=True):
        text.append(f" {capitals(letter)} ", _STYLES[mark])
    return text.append(f"  {clue}")


def fitting(belief: wordpl.Posterior) -> str:
    """Show the number of answers that fit, and some of them; the most probable where they are not equally likely."""
    if belief.log_weights[belief.possible].any():
        return "  ".join(f"{word} {chance:.4f}" for word, chance in belief.most_probable(_MOST_SHOWN).items())
    n = len(belief.possible)
    words = "  ".join(belief.words.answers[i] for i in belief.possible[:_MOST_SHOWN])
    return f"{counted(n, 'answer fits', 'answers fit')}: {words}{'  …' if n > _MOST_SHOWN else ''}"


def turn_clue(turn: wordpl.Turn) -> str:
    """The clue of a turn, as it is typed."""
    return str(wordpl.Clue(turn.clue, len(turn.guess)))


class Lines:
    """The lines that a person types: edited and recalled in a terminal, read as they are from a file or a pipe."""

    def __init__(self) -> None:
        self.terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._pasted: list[str] = []
        if self.terminal:
            with suppress(ImportError):  # on Windows the terminal itself edits
                import readline  # noqa: F401 - with it, `input` edits and recalls

    def read(self, prompt: str) -> str | None:
        """The next line without spaces around it; None at the end. There is a prompt on a terminal only."""
        if not self._pasted:
            try:
                line = input(prompt if self.terminal else "")
            except (EOFError, KeyboardInterrupt) as end:
                if self.terminal:
                    say("")  # after the prompt
                if isinstance(end, EOFError):
                    return None
                raise
            except UnicodeDecodeError:
                line = "\ufffd"  # no text, so the reply will be that it means nothing
            self._pasted = line.splitlines() or [""]
        return self._pasted.pop(0).strip()


@dataclass(frozen=True)
class PlayerOptions(opt.WordOptions):
    """Options of a game: by default ordinary Wordle, or WORDPL where clues are noisy; with lies Fibble."""

    words: Annotated[
        str | None,
        opt.choice(opt.WORD_LISTS, "Use this word list", f"Default: {CURRENT}; with noise original, with lies fibble."),
    ] = None
    rule: Annotated[
        str | None,
        opt.choice(RULE_ACCOUNTS, "How repeated letters are marked", "Default: counted, or letterwise with noise."),
    ] = None
    lies: Annotated[int | None, Option(min=0, max=8, help="Play Fibble: N marks of each clue are false.")] = None
    channel: Annotated[
        str | None,
        opt.channel_option("fibble:K, the same as --lies K; or randomized_response:E."),
    ] = None
    game: Annotated[str | None, Option(help=_GUESSES)] = None
    hard: Annotated[bool, Option("--hard", help="Ordinary Wordle in hard mode: marked letters are used again.")] = False
    extra_hard: Annotated[
        bool, Option("--extra-hard", help="The same, and letters known to be absent are forbidden.")
    ] = False

    @property
    def hard_mode(self) -> HardMode:
        return "extra" if self.extra_hard else self.hard

    def shared(self, text: str) -> PlayerOptions:
        """These options, and where none was typed what a share text says of its game.

        Raises `WordplError` if the text names a channel of a file: whoever wrote it decides nothing that is run.
        """
        from wordpl.wordle.finished import shared_terms

        synonyms = {"words": self.answers, "channel": self.lies}  # what says the same in another way
        terms: dict[str, Any] = {
            name: value
            for name, value in shared_terms(text).items()
            if getattr(self, name) is None and synonyms.get(name) is None
        }
        if is_in_file(channel := terms.get("channel", "")):
            raise WordplError(f"the game has a channel of its own; if you trust its file, add --channel {channel}")
        return replace(self, **terms)

    def words_and_rule(self, noisy: bool, lies: bool = False) -> tuple[wordpl.WordList, str]:
        """Words and rule that the options name, or those of the game."""
        from wordpl.wordle.reading import usual_rule, usual_words

        usual = self.words or (None if self.answers or self.guesses else usual_words(noisy, lies))
        return replace(self, words=usual).load(), self.rule or usual_rule(noisy)

    def setting(self, noisy: bool, epsilon: float) -> wordpl.Setting:
        """The setting of the game. It is one of Wordle, unless each clue is paid for or --game names another format.

        Raises `WordplError` for two channels, and an epsilon or hard mode that does not go with a game that the right
        guess ends.
        """
        from wordpl.wordle.rules import check_hard_mode, player_format

        if self.lies is not None and self.channel is not None:
            both = f"--lies {self.lies} and --channel {self.channel}"
            raise WordplError(f"{both} both name the channel; leave out one")
        named = f"fibble:{self.lies}" if self.lies else self.channel or "randomized_response"
        family = wordpl.channel_family(named)
        fixed = getattr(family, "row_epsilon", None) is not None
        typed = None if self.game is None else wordpl.GameFormat.parse(self.game)
        ends = typed.is_wordle if typed is not None else self.lies is not None or not noisy
        if not (fixed or ends):
            return wordpl.Setting(*self.words_and_rule(noisy), family, format=typed or wordpl.CONTEST)
        row_epsilon, format = wordpl.row_epsilon(family), player_format(self.game, family, noisy=False)
        if epsilon not in (row_epsilon, math.inf):
            raise WordplError(
                f"every clue of this game has epsilon {row_epsilon:g}; leave out --epsilon {epsilon:g}, or "
                + (f"--lies {self.lies}" if self.lies else f"use --channel randomized_response:{epsilon:g}")
            )
        words, rule = self.words_and_rule(noisy=False, lies=named.startswith("fibble"))
        setting = wordpl.Setting(words, rule, family, format=format)
        check_hard_mode(self.hard_mode, setting.channel(row_epsilon, setting.words.length).exact)
        return setting
