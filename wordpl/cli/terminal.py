"""What the commands for players share: lines that somebody types, and clues as coloured tiles."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import wordpl

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from rich.console import Console
    from rich.text import Text


_STYLES = {"c": "bold white on green", "i": "bold black on yellow", ".": "bold white on grey37"}


def screen() -> Console:
    """Standard output; coloured on a terminal, unless NO_COLOR is set. Text is shown as it is, never as markup."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def say(text: str) -> None:
    """A text on standard output, wrapped between words on a terminal."""
    screen().print(text)


def tiles(guess: str, clue: str) -> Text:
    """A guess with its clue, as tiles and as letters, which can be told apart without colours."""
    from rich.text import Text

    text = Text()
    for letter, mark in zip(guess, clue, strict=True):
        text.append(f" {letter.upper()} ", _STYLES[mark])
    return text.append(f"  {clue}")


def turn_clue(turn: wordpl.Turn) -> str:
    """The clue of a turn, as it is typed."""
    return str(wordpl.Clue(turn.clue, len(turn.guess)))


class Lines:
    """The lines that a person types: edited and recalled in a terminal, read as they are from a file or a pipe."""

    def __init__(self) -> None:
        self.terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._pasted: list[str] = []
        self._session: PromptSession[str] | None = None

    def read(self, prompt: str) -> str | None:
        """The next line without spaces around it; None at the end. There is a prompt on a terminal only."""
        if not self._pasted:
            try:
                line = self._edited(prompt) if self.terminal else input()
            except EOFError:
                return None
            except UnicodeDecodeError:
                line = "\ufffd"  # no text, so the reply will be that it means nothing
            self._pasted = line.splitlines() or [""]
        return self._pasted.pop(0).strip()

    def _edited(self, prompt: str) -> str:
        if self._session is None:
            # Asking the terminal for the place of its cursor is for menus, of which there are none; some do not answer.
            os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
            from prompt_toolkit import PromptSession

            self._session = PromptSession(reserve_space_for_menu=0)
        return self._session.prompt(prompt)
