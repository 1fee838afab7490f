"""Optimal trees, kept once found: one ships with the package, others go to the user's cache."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from importlib import resources

from wordpl.errors import WordplError
from wordpl.model.words import WordList, as_words, load_words
from wordpl.storage import files
from wordpl.trees.tree import Tree, load_tree
from wordpl.trees.verify import verify

SHIPPED = ("original", "salet", "counted")
"""List, first word and rule of the tree in `wordpl/model/data/original_salet.tree`."""


@lru_cache(maxsize=8)
def optimal_tree(words: WordList | str, first: str | None = None, rule: str = "counted") -> Tree:
    """Return the tree with the smallest total for a first guess, or the best that `solve_tree` finds by default.

    Trees are stored in the user's cache. A stored tree is replayed before it is used, and one that does not fit is
    replaced. Raises `WordplError` if `first` is not among the guesses or `rule` is unknown.
    """
    words = as_words(words)
    if (words, first, rule) == (load_words(SHIPPED[0]), *SHIPPED[1:]):
        with resources.as_file(resources.files("wordpl.model") / "data" / "original_salet.tree") as path:
            return load_tree(path)
    path = files.cache_folder() / f"tree-{rule}-{first or 'best'}-{words.digest}.tree"
    try:
        stored = load_tree(path)
        verify(stored, words)
        if stored.rule == rule and first in (None, stored.root.guess):
            return stored
    except WordplError:
        pass  # it is made anew
    from wordpl.trees.optimal.solve import solve_tree  # its kernels take a while to load

    tree = solve_tree(words, first, rule=rule).tree
    assert tree is not None  # noqa: S101 - without a worst case there is always one
    with suppress(OSError):  # a cache that cannot be written costs time, not results
        files.write_whole(path, "".join(f"{line}\n" for line in tree.lines()).encode())
    return tree
