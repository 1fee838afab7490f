"""The number of guesses that is enough for every answer.

    python -m experiments.depth       about 2 minutes on one core, including the clue matrix of 12,972 by 12,972

Answer three questions, each by a tree that is replayed or by a search through all openers: the 2,315 answers within 5
in hard mode; all 12,972 guesses as answers within 6 (LANTS does it); and the same within 5 (impossible). Published by
Alex Selby, "The best strategies for Wordle", 2022.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import wordpl
from experiments import machines


@dataclass(frozen=True)
class Question:
    """Can every answer be found within this many guesses?"""

    every_guess: bool
    within: int
    hard: bool
    first: str | None
    """One opener, or None for all of them."""
    published: str


QUESTIONS = (
    Question(False, 5, True, "scamp", "possible"),
    Question(True, 6, False, "lants", "possible"),
    Question(True, 5, False, None, "impossible"),
)


def row(question: Question) -> list[str]:
    """Search for a tree, replay it if there is one, and return the cells of the question's row."""
    words = wordpl.load_words("original")
    if question.every_guess:
        words = words.with_every_guess()
    begun = time.perf_counter()
    found = wordpl.wordle.solve_tree(
        words, question.first, objective="any", worst=question.within, hard=question.hard, openers=None
    )
    seconds = time.perf_counter() - begun
    answer = "impossible: all openers searched"
    if found.tree is not None:
        turns = wordpl.wordle.verify(found.tree, words, hard=question.hard)
        answer = f"possible: {found.tree.root.guess}, worst {max(turns)}"
    mode = "hard" if question.hard else "easy"
    return [f"{len(words.answers):,}", mode, str(question.within), question.published, answer, f"{seconds:.0f}"]


def main() -> None:
    """Print the worst cases, ours beside the published ones."""
    columns = ["answers", "mode", "within", "published", "found", "seconds"]
    wordpl.print_table("Worst cases", columns, [row(question) for question in QUESTIONS])


if __name__ == "__main__":
    machines.run(main)
