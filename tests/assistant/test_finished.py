"""Games as players have them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generators import epsilons
from tests.helpers import ORIGINAL, SMALL
from wordpl.assistant.finished import (
    Finished,
    read_finished,
    read_pasted,
    share_is_hard,
    share_is_noisy,
    share_text,
    turns_from_answer,
    turns_from_share,
)
from wordpl.assistant.reading import write_turn
from wordpl.errors import WordplError
from wordpl.model.clues import NOTATIONS, Clue
from wordpl.play.setting import Turn

GUESSES = ["crate", "slink", "solar"]

SHARED = """Wordle 1,234 3/6*

⬛🟨🟨⬛⬛
🟩🟨⬜⬜⬜
🟩🟩🟩🟩🟩 what a day!
"""


def test_the_share_text() -> None:
    from_text = turns_from_share(GUESSES, SHARED, ORIGINAL)
    assert from_text == turns_from_answer(GUESSES, "solar", ORIGINAL)
    contrast = SHARED.translate({ord("🟩"): "🟧", ord("🟨"): "🟦", ord("⬛"): "⬛\ufe0f"})
    assert turns_from_share(GUESSES, contrast, ORIGINAL) == from_text
    assert {turn.epsilon for turn in turns_from_share(GUESSES, SHARED, ORIGINAL, 13.0)} == {13.0}


@pytest.mark.parametrize(
    ("guesses", "text", "named"),
    [
        (["crate"], "", "no row of squares"),
        (["crate", "haste"], SHARED, "3 rows of squares for 2 guesses"),
        (["crate"], "⬛⬛⬛⬛", "4 marks"),
    ],
)
def test_a_share_text_that_does_not_fit(guesses: list[str], text: str, named: str) -> None:
    with pytest.raises(WordplError, match=named):
        turns_from_share(guesses, text, ORIGINAL)


def test_the_star_of_a_share_text() -> None:
    assert all(map(share_is_hard, ("Wordle 1,234 3/6*", "Wordle 1,234 X/6*\n\n⬛", "Wordle 1.234 x/6*")))
    assert not any(map(share_is_hard, ("Wordle 1,234 3/6", "nothing * here", "4/6 was *hard*")))


# Pasted


TURNS = turns_from_answer(GUESSES, "solar", ORIGINAL)
ROWS = ["⬛🟨🟨⬛⬛", "🟩🟨⬜⬜⬜", "🟩🟩🟩🟩🟩"]


def test_a_pasted_share_text_needs_the_guesses() -> None:
    assert read_pasted(SHARED, ORIGINAL, guesses="crate, slink\nsolar") == Finished(TURNS, True, None)
    assert not read_pasted(SHARED.replace("*", ""), ORIGINAL, guesses="crate slink solar").hard
    with pytest.raises(WordplError, match="only squares"):
        read_pasted(SHARED, ORIGINAL)
    with pytest.raises(WordplError, match="3 rows of squares for 1 guesses"):
        read_pasted(SHARED, ORIGINAL, guesses="crate")
    with pytest.raises(WordplError, match="did you mean 'crate'"):
        read_pasted(SHARED, ORIGINAL, guesses="crtae slink solar")


@pytest.mark.parametrize(("end", "right"), [("right with a budget of 26", True), ("not found", False)])
def test_the_word_after_the_last_clue_of_a_noisy_game_is_the_proposal(end: str, right: bool) -> None:
    turns = tuple(Turn(guess, 13.0, 5) for guess in GUESSES[:2])
    text = share_text(f"WORDPL original, letterwise, ball:1: {end}, 2 asks", turns)
    answer = "solar" if right else None
    game = read_pasted(text, ORIGINAL, guesses="crate slink solar")
    assert game == Finished(turns, False, answer, "solar", right)
    assert read_pasted(text, ORIGINAL, guesses="crate slink").proposed is None
    assert read_pasted("crate ..c.. @13 slink", ORIGINAL).proposed == "slink"
    with pytest.raises(WordplError, match="not a guess with its clue"):
        read_pasted("crate ..c.. slink", ORIGINAL)


def test_guesses_with_the_answer() -> None:
    assert read_pasted("crate slink", ORIGINAL, answer=" Solar ") == Finished(TURNS[:2], False, "solar")
    assert read_pasted("", ORIGINAL, guesses="crate slink", answer="solar").turns == TURNS[:2]
    assert read_pasted("crate=.ii..", ORIGINAL, answer="solar") == Finished(TURNS[:1], False, "solar")
    with pytest.raises(WordplError, match="'zzzzz' is not among the answers of original"):
        turns_from_answer(["crate"], "zzzzz", ORIGINAL)
    with pytest.raises(WordplError, match="clues are missing"):
        read_pasted("crate slink", ORIGINAL)
    with pytest.raises(WordplError, match="given twice"):
        read_finished(["crate=.ii.."], ORIGINAL, share=SHARED)
    with pytest.raises(WordplError, match="do not follow"):
        read_pasted("crate slink", ORIGINAL, answer="solar", epsilon=13.0)


def test_a_row_may_have_an_epsilon_of_its_own() -> None:
    text = "WORDPL\n⬛🟨🟨⬛⬛ @13\n🟩🟨⬛⬛⬛@4.5\n🟩🟩🟩🟩🟩"
    assert [turn.epsilon for turn in turns_from_share(GUESSES, text, ORIGINAL)] == [13.0, 4.5, math.inf]
    assert [turn.epsilon for turn in turns_from_share(GUESSES, text, ORIGINAL, 7.0)] == [13.0, 4.5, 7.0]
    assert share_is_noisy(text)
    assert not share_is_noisy(SHARED.replace("\n", " @inf\n"))
    with pytest.raises(WordplError, match="epsilon 'x' is not allowed"):
        turns_from_share(GUESSES, text.replace("@13", "@x"), ORIGINAL)


@st.composite
def played(draw) -> tuple[Turn, ...]:
    turn = st.builds(Turn, st.sampled_from(ORIGINAL.guesses), epsilons(zero=False), st.integers(0, 242))
    return tuple(draw(st.lists(turn, min_size=1, max_size=5)))


@given(played(), st.sampled_from(sorted(NOTATIONS)), st.sampled_from(["=", " ", " = ", "  "]), st.sampled_from("\n ,;"))
def test_turns_written_are_turns_read(turns: tuple[Turn, ...], notation: str, between: str, separator: str) -> None:
    separator = ",\n" if separator == ";" else separator
    if notation == "emoji":
        separator = "\n"  # a row of squares has its own line
    texts = [
        f"{turn.guess}{between}{Clue(turn.clue).show(notation)}"
        + (f"@{turn.epsilon!r}" if math.isfinite(turn.epsilon) else "")
        for turn in turns
    ]
    assert read_pasted(separator.join(texts), ORIGINAL).turns == turns


@given(played())
def test_turns_are_written_as_they_are_read(turns: tuple[Turn, ...]) -> None:
    assert read_pasted("\n".join(map(write_turn, turns)), ORIGINAL).turns == turns
    assert turns_from_share([turn.guess for turn in turns], share_text("WORDPL", turns), ORIGINAL) == turns


SHARED_TURNS = st.lists(st.tuples(st.sampled_from(SMALL.guesses), st.integers(0, 242)), min_size=1, max_size=9)


@given(SHARED_TURNS, st.sampled_from([1.0, 13.0, 0.01, float("inf")]), st.booleans())
def test_what_is_shared_can_be_read_and_has_no_word_of_the_game(turns, epsilon, hard):
    history = tuple(Turn(guess, epsilon, code) for guess, code in turns)
    text = share_text(f"Wordle {len(turns)}/6{'*' if hard else ''}", history)
    assert turns_from_share([guess for guess, _ in turns], text, SMALL, epsilon) == history
    assert share_is_hard(text) == hard
    assert not any(guess in text.lower() for guess, _ in turns)
