"""The turns of a request, read as the commands read them."""

from __future__ import annotations

from wordpl.assistant.reading import read_any_word
from wordpl.model.clues import Clue
from wordpl.model.words import WordList
from wordpl.play.strategy import History, Turn
from wordpl.web.models import TurnsIn
from wordpl.web.problems import in_field


def history_of(turns: TurnsIn, words: WordList) -> History:
    """Return the turns. Raises `FieldError` for a word or a clue that cannot be, with its place in the request."""
    history = []
    for i, turn in enumerate(turns):
        with in_field(f"turns.{i}.guess"):
            guess = read_any_word(turn.guess, words)
        with in_field(f"turns.{i}.clue"):
            clue = Clue.parse("".join(turn.clue.split()), words.length)
        history.append(Turn(guess, turn.epsilon, clue.code))
    return tuple(history)
