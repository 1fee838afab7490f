"""What an error says of a name that is not known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.base.errors import closest, nearest

OPTIONS = ["--json", "--jobs", "--trials", "--first-trial", "--seed", "--out"]


MEANT = {"--trails": "--trials", "--Trials": "--trials", "--job": "--jobs", "-seed": "--seed"}


@pytest.mark.parametrize("typed", [*MEANT, "--epsilon", "--words", "", "--"])
def test_a_name_is_offered_only_if_it_is_near(typed):
    meant = MEANT.get(typed)
    assert closest(typed, OPTIONS) == meant
    assert nearest(typed, OPTIONS).startswith(f"did you mean {meant!r}? choose from" if meant else "choose from")


@given(st.text("abc-", max_size=9), st.lists(st.text("ABCabc", min_size=1, max_size=9), max_size=5))
def test_what_is_offered_shares_most_letters(typed, names):
    found = closest(typed, names)
    if found is None:
        assert typed.lower().lstrip("-") not in [name.lower() for name in names]
    else:
        assert found in names
        letters, rest = typed.lower().lstrip("-"), found.lower()
        common = sum(min(letters.count(letter), rest.count(letter)) for letter in set(letters))
        assert 2 * common >= 0.7 * (len(letters) + len(rest))
