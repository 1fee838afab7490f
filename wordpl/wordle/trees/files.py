"""Tree files as `docs/reference/formats.md` describes them: our own, and those in which trees are published."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wordpl.base.errors import OtherFormatError, WordplError, one_line
from wordpl.base.files import StrPath, read_text
from wordpl.model.clues import Clue, check_rule
from wordpl.model.words import fold_word
from wordpl.wordle.trees.tree import FORMAT, Node, Tree

_LONGEST = 400  # guesses of a path
_HEADER = re.compile(r"# wordpl tree (\d{1,9}); rule (\w+); (\d{1,9}) answers")
_JSON = re.compile(r"^[ \t]*(?:export default\b\s*)?(?=[\[{])", re.MULTILINE)
"""The beginning of the JSON in a published file, which may have lines of text before it, or be JavaScript."""
_NUMBERED = re.compile(r"(\D{3,8})(\d{1,3})")
_FORM = "the file is cut short or not in the documented form"


def load_tree(path: StrPath, rule: str = "counted") -> Tree:
    """Read the tree file at `path`, in any of the forms that `Tree.save` writes. `rule` is for a file that names none.

    Raises `WordplError` if it is not a tree: a path breaks off, comes twice, or disagrees with another about the next
    guess. It names the line, or in JSON the path. Whether the tree fits a word list is for `verify` to check.
    """
    source, rule = Path(path), check_rule(rule)
    text = read_text(source, "tree")
    if begin := _JSON.search(text):
        above = "\n" * text.count("\n", 0, begin.end())  # so that errors name the lines of the file
        return _tree_of_json(source, above + text[begin.end() :].rstrip().removesuffix(";"), rule)
    return tree_of_text(source, text, rule)


def tree_of_text(source: Path, text: str, rule: str = "counted") -> Tree:
    """Return the tree of `Tree.lines`, or of published lines; errors, which are those of `load_tree`, call it `source`.

    `rule` is that of a text that names none.
    """
    expected, paths = None, list[tuple[str, list[str]]]()
    above: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#") or not line.strip():
            if header := _HEADER.fullmatch(line.strip()):
                _check_format(source, int(header[1]))
                rule, expected = _rule(f"{source}, line {number}", header[2]), int(header[3])
            continue
        fields = [(field.start(), field[0]) for field in re.finditer(r"\S+", line)]
        # The blanks at the start of a line stand for what is above them.
        start = fields[0][0]
        kept = [field for field in above if field[0] < start]
        if kept and start not in [at for at, _ in above]:
            raise WordplError(f"{source}, line {number}: its first word is not below a word or clue of the line above")
        above = kept + fields
        paths.append((f"line {number}", [field for _, field in above]))
    if paths and re.fullmatch(r"\S+ \S+ \d+ .*", " ".join(paths[0][1])):
        # Published with the number of answers after each clue, and without the clue to the answer.
        paths = [
            (place, [*(f for at, f in enumerate(fields) if at % 3 < 2), "2" * len(fields[-1])])
            for place, fields in paths
        ]
    if not paths:
        raise WordplError(f"{source} holds no tree; each line is a path, as: salet ..... courd ccccc")
    tree = _tree(source, paths, rule)
    if expected is not None and len(paths) != expected:
        counts = f"{len(paths)} paths, its first line says {expected}"
        raise WordplError(f"{source} is truncated or has too many lines: {counts}")
    return tree


def _tree(source: Path, paths: Iterable[tuple[str, list[str]]], rule: str) -> Tree:
    """The tree of paths, each with the place in the file that an error names."""
    root: Node | None = None
    for place, fields in paths:
        try:
            steps = _steps(fields)
            root = root or Node(steps[0][0])
            _insert(root, steps)
        except WordplError as error:
            raise WordplError(f"{source}, {place}: {error}") from None
    if root is None:
        raise WordplError(f"{source} holds no path to an answer")
    return Tree(root, rule)


def _steps(fields: list[str]) -> list[tuple[str, int]]:
    if len(fields) % 2:
        raise WordplError("the path breaks off; guesses and clues come in pairs")
    if len(fields) > 2 * _LONGEST:
        raise WordplError("the path is too long to be read as one of a tree")
    guesses = [fold_word(guess) for guess in fields[::2]]
    length = len(guesses[0])
    codes = [_marks(text, turn, length).code for turn, text in enumerate(fields[1::2], start=1)]
    if any(len(guess) != length for guess in guesses):
        raise WordplError("the guesses are not all of one length")
    won = 3**length - 1
    if codes[-1] != won or won in codes[:-1]:
        raise WordplError("a path ends with its only all-correct clue; this one does not")
    return list(zip(guesses, codes, strict=True))


def _marks(text: str, turn: int, length: int) -> Clue:
    """A clue, which published trees have the number of its turn behind, as BBBBB1."""
    numbered = _NUMBERED.fullmatch(text) if len(text) > length else None
    if numbered and int(numbered[2]) != turn:
        raise WordplError(f"clue {text!r} has the number of another turn: here it is the clue to guess {turn}")
    return Clue.parse(numbered[1] if numbered else text, length)


def _insert(root: Node, steps: list[tuple[str, int]]) -> None:
    node, code = root, -1
    for i, (guess, clue) in enumerate(steps):
        if i:
            node = node.children.setdefault(code, Node(guess))
        if node.guess != guess:
            raise WordplError(f"{guess!r} stands where an earlier line has {node.guess!r}")
        code = clue
    if node.wins:
        raise WordplError(f"the path to {node.guess!r} appears twice")
    node.wins = True


def _check_format(source: Path, version: int) -> None:
    if version != FORMAT:
        raise OtherFormatError(source, "a tree", version, FORMAT)


def _rule(where: str, rule: Any) -> str:
    try:
        return check_rule(rule)
    except WordplError as error:
        raise WordplError(f"{where}: {error}") from None


# JSON


def _tree_of_json(source: Path, text: str, rule: str) -> Tree:
    try:
        document = root = json.loads(text)
        if isinstance(document, dict) and "format" in document:
            _check_format(source, document["format"])
            rule, root = _rule(str(source), document["rule"]), document["tree"]
        paths = [(_at(path), path) for path in _json_paths(source, root)]
    except WordplError:
        raise
    except json.JSONDecodeError as error:
        raise WordplError(f"{source}, line {error.lineno}: {_FORM}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise WordplError(f"{source} is not a tree file: {_FORM}") from None
    return _tree(source, paths, rule)


def _at(path: Sequence[str]) -> str:
    return f"path {one_line(' '.join(path))}" if path else "at the root"


def _json_paths(source: Path, node: Any, before: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """The paths below a node, which comes after the guesses and clues in `before`."""
    if isinstance(node, str):  # an answer that is certain
        node = {"guess": node}
    if isinstance(node, list) and len(node) in (1, 2):  # a guess, and what comes after it
        node = dict(zip(("guess", "next"), node, strict=False))
    if not isinstance(node, dict):
        raise WordplError(f"{source}, {_at(before)}: a guess or an object with a guess is expected")
    guess, after = node.get("guess"), node.get("next", node.get("map"))
    if guess is after is None and len(node) == 1:  # a guess with its map
        guess, after = next(iter(node.items()))
    if not isinstance(guess, str):
        raise WordplError(f"{source}, {_at(before)}: an object has no guess that is text")
    if after is None:
        yield [*before, guess, "2" * len(guess)]
        return
    if isinstance(after, list):  # of objects with the clues that lead to them
        after = {"".join(map(str, child["pattern"])): child for child in after}
    if not isinstance(after, dict):
        raise WordplError(f"{source}, {_at((*before, guess))}: the clues after a guess are no object or list")
    for clue, child in after.items():
        path = (*before, guess, clue)
        only = child.get("guess") if isinstance(child, dict) and not {"next", "map"} & child.keys() else child
        if child is None or (isinstance(only, str) and fold_word(only) == fold_word(guess)):
            yield list(path)
        else:
            yield from _json_paths(source, child, path)
