"""Word lists: what there is, and lists of one's own."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from wordpl.model.names import BUNDLED
from wordpl.model.words import WordList, load_words
from wordpl.web.models import Model, WordsName
from wordpl.web.problems import FieldError
from wordpl.web.server import Here
from wordpl.web.settings import MAX_PASTED

router = APIRouter(prefix="/api/words", tags=["words"])


class ListSummary(Model):
    name: str
    length: int
    answers: int
    guesses: int


class PastedList(Model):
    """A list of one's own: one word per line; without guesses, only the answers can be guessed."""

    answers: Annotated[str, Field(max_length=MAX_PASTED)]
    guesses: Annotated[str | None, Field(max_length=MAX_PASTED)] = None


@router.get("")
def list_word_lists(here: Here, pasted: Annotated[WordsName, Query()] = "original") -> list[ListSummary]:
    """The bundled word lists, and a pasted one if the server has it."""
    lists = {name: load_words(name) for name in BUNDLED}
    with suppress(FieldError):
        lists[pasted] = here.word_lists.get(pasted)
    return [_summary(words) for words in lists.values()]


@router.post("")
def paste_word_list(pasted: PastedList, here: Here) -> ListSummary:
    """Keep a list of one's own, and name it; other calls take the name."""
    return _summary(here.word_lists.paste(pasted.answers, pasted.guesses))


def _summary(words: WordList) -> ListSummary:
    return ListSummary(name=words.name, length=words.length, answers=len(words.answers), guesses=len(words.guesses))
