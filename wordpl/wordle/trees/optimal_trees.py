"""Optimal trees, kept once found: one ships with the package, others go to the user's cache."""

from contextlib import suppress
from functools import lru_cache
from importlib import resources

from wordpl.base.errors import WordplError
from wordpl.base.files import cache_folder
from wordpl.base.kernel_folder import kernel_folder
from wordpl.model.words import WordList, as_words, load_words
from wordpl.wordle.trees.files import load_tree
from wordpl.wordle.trees.tree import Tree

SHIPPED = ("original", "salet", "counted")
"""List, first word and rule of the tree in `wordpl/model/data/original_salet.tree`."""


@lru_cache(maxsize=8)
def optimal_tree(words: WordList | str, first: str | None = None, rule: str = "counted") -> Tree:
    """Return the tree with the smallest total for a first guess, or the best that `solve_tree` finds by default.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`; `first` is the first guess, by
    default the best. Trees are kept in the user's cache, as long as the solver's code is the same. Raises `WordplError`
    if `first` is not in the word list or `rule` is unknown.
    """
    words = as_words(words)
    if (words, first, rule) == (load_words(SHIPPED[0]), *SHIPPED[1:]):
        with resources.as_file(resources.files("wordpl.model") / "data" / "original_salet.tree") as path:
            return load_tree(path)
    path = cache_folder() / f"tree-{rule}-{first or 'best'}-{words.digest}-{kernel_folder().name}.tree"
    if path.exists():
        return load_tree(path)
    from wordpl.wordle.trees.optimal.solve import solve_tree  # its kernels take a while to load

    tree = solve_tree(words, first, rule=rule).tree
    assert tree is not None  # noqa: S101 - without a worst case there is always one
    with suppress(WordplError):
        tree.save(path)
    return tree
