"""The turns of a request, read as the commands read them, and the channel of those with lies."""

from __future__ import annotations

from wordpl.assistant.reading import read_any_word
from wordpl.model.channel import ChannelFamily, channel_family, check_family
from wordpl.model.clues import Clue
from wordpl.model.words import WordList
from wordpl.play.strategy import History, Turn
from wordpl.web.models import TurnsIn
from wordpl.web.problems import FieldError, in_field


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


def fibble_channel(lies: int, words: WordList, hard: bool) -> ChannelFamily:
    """Return the channel of a game of Fibble. Raises `FieldError` for more lies than letters, and for hard mode."""
    if hard:
        raise FieldError("Hard mode goes by true clues, and those of Fibble have lies; leave it out.", "hard")
    with in_field("lies"):
        return check_family(channel_family(f"fibble:{lies}"), words.length)
