"""Share texts: `turns_from_share` reads what `share_text` writes."""

from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import SMALL
from wordpl import Turn, share_is_hard, turns_from_share
from wordpl.assistant.share import share_text

TURNS = st.lists(st.tuples(st.sampled_from(SMALL.guesses), st.integers(0, 242)), min_size=1, max_size=9)


@given(TURNS, st.sampled_from([1.0, 13.0, 0.01, float("inf")]), st.booleans())
def test_what_is_shared_can_be_read_and_has_no_word_of_the_game(turns, epsilon, hard):
    history = tuple(Turn(guess, epsilon, code) for guess, code in turns)
    text = share_text(f"Wordle {len(turns)}/6{'*' if hard else ''}", history)
    assert turns_from_share([guess for guess, _ in turns], text, SMALL, epsilon) == history
    assert share_is_hard(text) == hard
    assert not any(guess in text.lower() for guess, _ in turns)
