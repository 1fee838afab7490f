"""Names of word lists, repeat rules and notations. They stand apart so that help, which lists them, loads no numpy."""

from typing import NamedTuple


class BundledList(NamedTuple):
    """A word list of the package: two files in `wordpl/model/data`; PROVENANCE.md there says where they came from."""

    answers: str
    guesses: str
    account: str


BUNDLED = {
    "original": BundledList("original_answers.txt", "original_guesses.txt", "Wordle 2021, used by the contest"),
    "nyt2022": BundledList("nyt2022_answers.txt", "nyt_guesses.txt", "New York Times, February 2022"),
    "nyt2023": BundledList("nyt2023_answers.txt", "nyt_guesses.txt", "New York Times, July 2023"),
    "fibble": BundledList("fibble_answers.txt", "original_guesses.txt", "fibble.xyz"),
}
CURRENT = "nyt2023"
"""The newspaper's list of today, for ordinary Wordle."""
RULE_ACCOUNTS = {"letterwise": "as in the contest", "counted": "as in ordinary Wordle"}
RULES = tuple(RULE_ACCOUNTS)
NOTATIONS = {"ci.": ".ic", "210": "012", "gyb": "byg", "emoji": "⬛🟨🟩"}
"""Notation of a clue -> the signs of the marks 0, 1 and 2."""
