"""Names of what a decision tree is built by, and of its forms, each with what it stands for. This module loads nothing,
so that help, which lists them, does not wait."""

from typing import NamedTuple


class HeuristicRule(NamedTuple):
    """Criterion by which a heuristic takes a guess."""

    criterion: str
    """One of `wordpl.CRITERIA`; empty for a baseline, which counts no clues."""
    sign: float
    """1 if more of it is better, -1 if less is."""
    account: str


HEURISTICS = {
    "entropy": HeuristicRule("clue_entropy", 1.0, "its clue tells most"),
    "expected_size": HeuristicRule("expected_remaining", -1.0, "fewest answers left on average"),
    "parts": HeuristicRule("parts", 1.0, "most different clues"),
    "minimax": HeuristicRule("largest_part", -1.0, "fewest answers left at worst"),
    "letters": HeuristicRule("", 1.0, "the answer left whose letters, and then their places, most words have"),
    "overlap": HeuristicRule("", 1.0, "splits the answers left most evenly by how many letters they share with it"),
    "greedy": HeuristicRule("", 0.0, "the first answer left"),
}
TIE_BREAKS = {
    "all_absent": "fewest answers left if no letter is in the word",
    "answer": "a possible answer first",
    "letter_entropy": "letters that about half of the answers have",
    "positional": "letters where most answers have them",
}
TIE_BREAK_GROUPS = {"published": tuple(TIE_BREAKS), "none": ()}
PUBLISHED_TIE_BREAKS = TIE_BREAK_GROUPS["published"]
"""Smallest all-absent part, then a possible answer, then letter entropy, then positional frequency."""
FORMS = {
    "wordpl": "text, or JSON for a .json",
    "columns": "as Alex Selby's C++ solver writes it",
    "paths": "the same, but each line has the whole path",
    "maps": "JSON, a map from clues to trees",
}
OBJECTIVES = {
    "total": "guesses over all answers",
    "worst": "guesses for the hardest answer",
    "any": "nothing; take the first tree within --worst",
}
CERTIFICATE_FORMAT = 1
