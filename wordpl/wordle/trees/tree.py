"""The decision tree of an ordinary Wordle player, and how it is written (`docs/reference/formats.md`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from typing_extensions import TypedDict

from wordpl.base.checks import boolean
from wordpl.base.displays import counted, html_table, line_of
from wordpl.base.errors import WordplError, nearest
from wordpl.base.files import StrPath, write_text
from wordpl.base.json_types import Doc, Rule, Words
from wordpl.base.sanitizing import html_text
from wordpl.model.clues import Clue, check_rule, clue_strings
from wordpl.wordle.trees.names import FORMS

FORMAT = 1


def check_mode(rule: str, hard: bool) -> str:
    """Return `rule` if trees can be made under it. Raises `WordplError` if it is unknown, or letterwise if `hard`."""
    if boolean("hard", hard) and check_rule(rule) != "counted":
        raise WordplError(f"hard mode is ordinary Wordle's; it needs rule counted, not {rule}")
    return check_rule(rule)


class SearchFacts(TypedDict):
    """The words for which a tree was searched, and whether the search found one."""

    words: Words
    feasible: Annotated[bool, Doc("True if there is a tree; false if none finds every answer within `--worst`.")]
    proven: Annotated[bool | None, Doc("True if nothing is better, or nothing feasible; null if nothing was searched.")]
    seconds: Annotated[float, Doc("Seconds that it took.")]


class TreeSummary(TypedDict):
    """The statistics of a tree."""

    first: Annotated[str, Doc("First guess.")]
    rule: Rule
    answers: Annotated[int, Doc("Answers found.")]
    total: Annotated[int, Doc("Guesses, summed over all answers.")]
    mean: Annotated[float, Doc("Mean guesses.")]
    worst: Annotated[int, Doc("Most guesses.")]
    distribution: Annotated[dict[str, int], Doc("Answers found on each turn, by turn.")]


class FoundTree(TreeSummary, SearchFacts):
    """The statistics of a tree, and what it was looked for in."""

    worst_words: Annotated[list[str] | None, Doc("Answers that take most guesses; null without `--worst-words`.")]


@dataclass(eq=False)
class Node:
    """Guess `guess`; after clue code c that is not all correct, go on at `children[c]`."""

    guess: str
    wins: bool = False
    """True if some answer of this node is the guess itself."""
    children: dict[int, Node] = field(default_factory=dict)

    def __repr__(self) -> str:
        return line_of(self, f"{self.guess}: {len(self.children) + self.wins} clues")


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree from its node `root`, made under a repeat `rule`."""

    root: Node
    rule: str = "counted"

    @property
    def length(self) -> int:
        """Letters in each word."""
        return len(self.root.guess)

    def paths(self) -> Iterator[tuple[tuple[str, int], ...]]:
        """Yield, for each answer, the guesses down to it, each with its clue code; the last is all correct."""
        won = 3**self.length - 1
        stack: list[tuple[Node, tuple[tuple[str, int], ...]]] = [(self.root, ())]
        while stack:
            node, before = stack.pop()
            if node.wins:
                yield (*before, (node.guess, won))
            for code in sorted(node.children, reverse=True):
                stack.append((node.children[code], (*before, (node.guess, code))))

    @cached_property
    def distribution(self) -> dict[int, int]:
        """Number of answers found on each turn: {turn: answers}."""
        return dict(sorted(Counter(len(path) for path in self.paths()).items()))

    @property
    def answers(self) -> int:
        """Number of answers that the tree finds."""
        return sum(self.distribution.values())

    @property
    def total(self) -> int:
        """Number of guesses, summed over all answers."""
        return sum(turn * n for turn, n in self.distribution.items())

    @property
    def mean(self) -> float:
        """Mean number of guesses for an answer."""
        return self.total / self.answers

    @property
    def worst(self) -> int:
        """Largest number of guesses for an answer."""
        return max(self.distribution)

    @property
    def worst_words(self) -> list[str]:
        """The answers that take most guesses."""
        return sorted(path[-1][0] for path in self.paths() if len(path) == self.worst)

    def next_guess(self, path: tuple[tuple[str, int], ...]) -> str | None:
        """Return the guess after `path`, for each clue so far a (guess, clue code); None if the tree has no entry."""
        node = self.root
        for guess, code in path:
            child = node.children.get(code) if guess == node.guess else None
            if child is None:
                return None
            node = child
        return node.guess

    def summary(self) -> TreeSummary:
        """Return the statistics of the tree as plain JSON values."""
        return {
            "first": self.root.guess,
            "rule": self.rule,
            "answers": self.answers,
            "total": self.total,
            "mean": self.mean,
            "worst": self.worst,
            "distribution": {str(turn): n for turn, n in self.distribution.items()},
        }

    # Files

    def lines(self) -> Iterator[str]:
        """Yield the lines of our text form."""
        clues = clue_strings(self.length)
        yield f"# wordpl tree {FORMAT}; rule {self.rule}; {self.answers} answers"
        for path in self.paths():
            yield " ".join(f"{guess} {clues[code]}" for guess, code in path)

    def save(self, path: StrPath, form: str = "wordpl") -> None:
        """Write the tree to the file `path`.

        `form` is `wordpl` for our own form, which is JSON if the name ends in .json, else text; or a form in which
        trees are published. `paths` has one line for each answer, `columns` leaves out what the line above it has, and
        `maps` is JSON. These name no repeat rule. Raises `WordplError` for another form.
        """
        if form not in FORMS:
            raise WordplError(f"unknown form {form!r}: {nearest(form, FORMS)}")
        target = Path(path)
        if form == "maps":
            text = json.dumps(_map(self.root, self.length), indent=1) + "\n"
        elif form == "wordpl" and target.suffix.lower() == ".json":
            document = {"format": FORMAT, "rule": self.rule, "tree": _plain(self.root, clue_strings(self.length))}
            text = json.dumps(document, indent=1) + "\n"
        else:
            lines = self.lines() if form == "wordpl" else self._published(columns=form == "columns")
            text = "".join(f"{line}\n" for line in lines)
        write_text(target, text)

    def _published(self, columns: bool) -> Iterator[str]:
        """The lines of published trees: a clue has the number of its turn behind it."""
        above: list[str] = []
        letters = [Clue(code, self.length).show("gyb").upper() for code in range(3**self.length)]
        turns = ([(guess, f"{letters[code]}{turn}") for turn, (guess, code) in enumerate(p, 1)] for p in self.paths())
        for fields in sorted(list(chain.from_iterable(path)) for path in turns):
            pairs = enumerate(zip(fields, above, strict=False)) if columns else ()
            same = next((k for k, (field, other) in pairs if field != other), 0)
            above = fields
            yield " ".join([*(" " * len(text) for text in fields[:same]), *fields[same:]])

    def __repr__(self) -> str:
        return line_of(self, f"{self.root.guess}: {_statistics(self)}")

    def _repr_html_(self) -> str:
        clues, sizes = clue_strings(self.length), Counter(path[0][1] for path in self.paths() if len(path) > 1)
        rows = [
            (f"<code>{clues[code]}</code>", f"{n:,}", html_text(self.root.children[code].guess))
            for code, n in sizes.most_common(_SHOWN)
        ]
        title = f"{self.root.guess}, {self.rule}: {_statistics(self)}"
        return html_table(title, ("clue", "answers", "next guess"), rows)


_SHOWN = 20
"""Clues to the first guess that a notebook shows, those with the most answers."""


def _statistics(tree: Tree) -> str:
    if not tree.answers:
        return "no answers"
    return f"{counted(tree.answers, 'answer')}, total {tree.total}, mean {tree.mean:.5f}, worst {tree.worst}"


def _map(node: Node, length: int) -> dict[str, Any]:
    """A node as nested maps, in which an answer that is certain is a text."""
    after: dict[str, Any] = {
        Clue(code, length).show("210"): _map(child, length) if child.children else child.guess
        for code, child in sorted(node.children.items())
    }
    if node.wins:
        after["2" * length] = node.guess
    return {"guess": node.guess, "map": after}


def _plain(node: Node, clues: tuple[str, ...]) -> dict[str, Any]:
    after: dict[str, Any] = {clues[code]: _plain(child, clues) for code, child in sorted(node.children.items())}
    if node.wins:
        after[clues[-1]] = None
    return {"guess": node.guess, "next": after}
