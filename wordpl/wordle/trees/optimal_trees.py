"""Optimal trees, kept once found: one ships with the package, others go to the user's cache."""

import hashlib
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.files import cache_folder
from wordpl.base.kept import is_ours, read_kept, write_kept
from wordpl.model.words import WordList, as_words, load_words
from wordpl.wordle.trees.files import load_tree, tree_of_text
from wordpl.wordle.trees.tree import Tree
from wordpl.wordle.trees.verify import verify

SHIPPED = ("original", "salet", "counted")
"""List, first word and rule of the tree in `wordpl/model/data/original_salet.tree`."""


@lru_cache(maxsize=8)
def optimal_tree(words: WordList | str, first: str | None = None, rule: str = "counted") -> Tree:
    """Return the tree with the smallest total for a first guess, or the best that `solve_tree` finds by default.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`; `first` is the first guess, by
    default the best. Trees are kept in the user's cache (`wordpl.base.kept` says which of them are believed), and
    replayed before they are used. Raises `WordplError` if `first` is not among the guesses or `rule` is unknown.
    """
    words = as_words(words)
    if (words, first, rule) == (load_words(SHIPPED[0]), *SHIPPED[1:]):
        with resources.as_file(resources.files("wordpl.model") / "data" / "original_salet.tree") as path:
            return load_tree(path)
    path = cache_folder() / f"tree-{rule}-{first or 'best'}-{words.digest}.tree"
    made_from = f"{rule} {first} {words.digest} {_solver()}".encode()
    tree = _kept(path, made_from, words)
    if tree is None:
        from wordpl.wordle.trees.optimal.solve import solve_tree  # its kernels take a while to load

        tree = solve_tree(words, first, rule=rule).tree
        assert tree is not None  # noqa: S101 - without a worst case there is always one
        if is_ours(path.parent):
            write_kept(path, made_from, "\n".join((str(tree.total), *tree.lines())).encode())
    return tree


def _kept(path: Path, made_from: bytes, words: WordList) -> Tree | None:
    """The tree in a file of the cache, if it may be believed and finds every answer in the total that was found."""
    content = read_kept(path, made_from) if is_ours(path.parent) else None
    if content is None:
        return None
    total, _, lines = content.decode().partition("\n")
    tree = tree_of_text(path, lines)
    turns = verify(tree, words)
    return tree if sum(turn * n for turn, n in turns.items()) == int(total) else None


@cache
def _solver() -> str:
    """Return a digest of the code that makes trees, to tell it from another version."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return f"{ENGINE_VERSION} {hashlib.sha256(b''.join(file.read_bytes() for file in files)).hexdigest()}"
