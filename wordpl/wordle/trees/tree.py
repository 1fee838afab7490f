"""The decision tree of an ordinary Wordle player, and its files as `docs/reference/formats.md` describes them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from typing_extensions import TypedDict

from wordpl.base.checks import boolean
from wordpl.base.displays import counted, html_table, line_of
from wordpl.base.errors import OtherFormatError, WordplError
from wordpl.base.files import StrPath, read_text, write_text
from wordpl.base.json_types import Doc, Rule, Words
from wordpl.base.sanitizing import html_text
from wordpl.model.clues import Clue, check_rule, clue_strings
from wordpl.model.words import fold_word

FORMAT = 1
_LONGEST = 400  # guesses of a path
_HEADER = re.compile(r"# wordpl tree (\d{1,9}); rule (\w+); (\d{1,9}) answers")


def check_mode(rule: str, hard: bool) -> str:
    """Return `rule` if trees can be made under it. Raises `WordplError` if it is unknown, or letterwise if `hard`."""
    if boolean("hard", hard) and check_rule(rule) != "counted":
        raise WordplError(f"hard mode is ordinary Wordle's; it needs rule counted, not {rule}")
    return check_rule(rule)


class SearchFacts(TypedDict):
    """What a tree was looked for in, and whether there is one."""

    words: Words
    feasible: Annotated[bool, Doc("Whether there is a tree; false if none keeps to `--worst`.")]
    proven: Annotated[
        bool | None, Doc("Whether nothing is better, or nothing feasible; null where nothing was searched.")
    ]
    seconds: Annotated[float, Doc("Seconds that it took.")]


class TreeSummary(TypedDict):
    """The figures of a tree."""

    first: Annotated[str, Doc("First guess.")]
    rule: Rule
    answers: Annotated[int, Doc("Answers found.")]
    total: Annotated[int, Doc("Guesses, summed over all answers.")]
    mean: Annotated[float, Doc("Mean guesses.")]
    worst: Annotated[int, Doc("Most guesses.")]
    distribution: Annotated[dict[str, int], Doc("Answers found on each turn, by turn.")]


class FoundTree(TreeSummary, SearchFacts):
    """The figures of a tree, and what it was looked for in."""

    worst_words: Annotated[list[str] | None, Doc("Answers that take most guesses; null without `--worst-words`.")]


@dataclass(eq=False)
class Node:
    """Guess `guess`; after clue code c that is not all correct, go on at `children[c]`."""

    guess: str
    wins: bool = False
    """Whether some answer of this node is the guess itself."""
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
        """Return the figures of the tree as plain JSON values."""
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
        """Yield the lines of the text format."""
        clues = clue_strings(self.length)
        yield f"# wordpl tree {FORMAT}; rule {self.rule}; {self.answers} answers"
        for path in self.paths():
            yield " ".join(f"{guess} {clues[code]}" for guess, code in path)

    def save(self, path: StrPath) -> None:
        """Write the tree to the file `path`: as JSON if the name ends in .json, else as text."""
        target = Path(path)
        if target.suffix.lower() == ".json":
            document = {"format": FORMAT, "rule": self.rule, "tree": _plain(self.root, clue_strings(self.length))}
            text = json.dumps(document, indent=1) + "\n"
        else:
            text = "".join(f"{line}\n" for line in self.lines())
        write_text(target, text)

    def __repr__(self) -> str:
        return line_of(self, f"{self.root.guess}: {_figures(self)}")

    def _repr_html_(self) -> str:
        clues, sizes = clue_strings(self.length), Counter(path[0][1] for path in self.paths() if len(path) > 1)
        rows = [
            (f"<code>{clues[code]}</code>", f"{n:,}", html_text(self.root.children[code].guess))
            for code, n in sizes.most_common(_SHOWN)
        ]
        return html_table(f"{self.root.guess}, {self.rule}: {_figures(self)}", ("clue", "answers", "next guess"), rows)


_SHOWN = 20
"""Clues to the first guess that a notebook shows, those with the most answers."""


def _figures(tree: Tree) -> str:
    if not tree.answers:
        return "no answers"
    return f"{counted(tree.answers, 'answer')}, total {tree.total}, mean {tree.mean:.5f}, worst {tree.worst}"


def load_tree(path: StrPath) -> Tree:
    """Read the tree file at `path`, text or JSON.

    Raises `WordplError`, with the line, if it is not a tree: a path breaks off, comes twice, or disagrees with
    another about the next guess. It does not check whether the tree fits a word list; `verify` does.
    """
    source = Path(path)
    text = read_text(source, "tree", pipe=True)
    return _from_json(source, text) if text.lstrip().startswith("{") else tree_of_text(source, text)


def tree_of_text(source: Path, text: str) -> Tree:
    """Return the tree of `Tree.lines`; errors, which are those of `load_tree`, call the text `source`."""
    rule, expected, paths = "counted", None, 0
    root: Node | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"{source}, line {number}"
        if line.startswith("#") or not line.strip():
            if header := _HEADER.fullmatch(line.strip()):
                _check_format(source, int(header[1]))
                rule, expected = check_rule(header[2]), int(header[3])
            continue
        steps = _steps(where, line.split())
        root = root or Node(steps[0][0])
        _insert(where, root, steps)
        paths += 1
    if root is None:
        raise WordplError(f"{source} holds no tree; each line is a path, as: salet ..... courd ccccc")
    if expected is not None and paths != expected:
        raise WordplError(f"{source} is truncated or has too many lines: {paths} paths, its first line says {expected}")
    return Tree(root, rule)


def _steps(where: str, fields: list[str]) -> list[tuple[str, int]]:
    if len(fields) % 2:
        raise WordplError(f"{where}: the path breaks off; guesses and clues come in pairs")
    if len(fields) > 2 * _LONGEST:
        raise WordplError(f"{where}: the path is too long to be read as one of a tree")
    guesses = [fold_word(guess) for guess in fields[::2]]
    # Solvers in C++ write the number of the turn behind a clue of letters, as BBBBB1.
    clues = [
        text.removesuffix(str(turn)) if text[:1].isalpha() else text for turn, text in enumerate(fields[1::2], start=1)
    ]
    try:
        codes = [Clue.parse(text, len(guesses[0])).code for text in clues]
    except WordplError as error:
        raise WordplError(f"{where}: {error}") from None
    if any(len(guess) != len(guesses[0]) for guess in guesses):
        raise WordplError(f"{where}: the guesses are not all of one length")
    won = 3 ** len(guesses[0]) - 1
    if codes[-1] != won or won in codes[:-1]:
        raise WordplError(f"{where}: a path ends with its only all-correct clue; this one does not")
    return list(zip(guesses, codes, strict=True))


def _insert(where: str, root: Node, steps: list[tuple[str, int]]) -> None:
    node, code = root, -1
    for i, (guess, clue) in enumerate(steps):
        if i:
            node = node.children.setdefault(code, Node(guess))
        if node.guess != guess:
            raise WordplError(f"{where}: {guess!r} stands where an earlier line has {node.guess!r}")
        code = clue
    if node.wins:
        raise WordplError(f"{where}: the path to {node.guess!r} appears twice")
    node.wins = True


def _check_format(source: Path, version: int) -> None:
    if version != FORMAT:
        raise OtherFormatError(source, "a tree", version, FORMAT)


def _from_json(source: Path, text: str) -> Tree:
    try:
        document = json.loads(text)
        _check_format(source, document["format"])
        rule = check_rule(document["rule"])
        steps = list(_json_paths(document["tree"]))
    except WordplError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise WordplError(f"{source} is not a tree file: it is cut short or not in the documented form") from None
    if not steps:
        raise WordplError(f"{source} holds no path to an answer")
    if not all(isinstance(text, str) for fields in steps for text in fields):
        raise WordplError(f"{source} has a guess that is not text")
    root = Node(fold_word(steps[0][0]))
    for number, fields in enumerate(steps, start=1):
        where = f"{source}, path {number}"
        _insert(where, root, _steps(where, fields))
    return Tree(root, rule)


def _json_paths(node: Any, before: tuple[str, ...] = ()) -> Iterator[list[str]]:
    for clue, child in node["next"].items():
        path = (*before, node["guess"], clue)
        if child is None:
            yield list(path)
        else:
            yield from _json_paths(child, path)


def _plain(node: Node, clues: tuple[str, ...]) -> dict[str, Any]:
    after: dict[str, Any] = {clues[code]: _plain(child, clues) for code, child in sorted(node.children.items())}
    if node.wins:
        after[clues[-1]] = None
    return {"guess": node.guess, "next": after}
