"""Word lists: what there is, and lists of one's own."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from wordpl.model.words import BUNDLED, WordList, load_words
from wordpl.web import costs
from wordpl.web.models import Model, WordsName
from wordpl.web.server import MAX_PASTED, Here, Run

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


class Words(Model):
    name: str
    answers: tuple[str, ...]
    guesses: tuple[str, ...]


@router.get("")
def list_word_lists() -> list[ListSummary]:
    """The bundled word lists."""
    return [_summary(load_words(name)) for name in BUNDLED]


@router.post("", max_body_size=3 * MAX_PASTED)
async def paste_word_list(pasted: PastedList, here: Here, run: Run) -> ListSummary:
    """Keep a list of one's own, and name it; other calls take the name."""
    return _summary(await run(costs.LITTLE, here.word_lists.paste, pasted.answers, pasted.guesses))


@router.get("/{name}")
def read_word_list(name: WordsName, here: Here) -> Words:
    """The words of a list."""
    words = here.word_lists.get(name, "name")
    return Words(name=words.name, answers=words.answers, guesses=words.guesses)


def _summary(words: WordList) -> ListSummary:
    return ListSummary(name=words.name, length=words.length, answers=len(words.answers), guesses=len(words.guesses))
