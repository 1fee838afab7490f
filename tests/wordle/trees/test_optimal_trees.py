"""Trees that are kept: which of them are believed."""

import os
from pathlib import Path

from tests.support.helpers import list_of
from wordpl import WordList, clue
from wordpl.base.kept import write_kept
from wordpl.wordle import Tree, optimal_tree
from wordpl.wordle.trees import optimal_trees
from wordpl.wordle.trees.files import tree_of_text

FAMILY = list_of("family", tuple(f"{letter}igh" for letter in "bdfklmnrstw"), ("bdfk", "lmnr", "stwb"))


def test_a_kept_tree_is_believed_only_from_this_user_and_this_version(tmp_path, monkeypatch):
    """A valid tree with a larger total stands for one that another user, or another version, has made."""
    words, folder = FAMILY, tmp_path / "cache"
    monkeypatch.setenv("WORDPL_CACHE", str(folder))
    first = words.answers[0]
    best = optimal_tree.__wrapped__(words, first)
    (kept,) = folder.glob("*.tree")
    worse = _in_order(words, first)
    assert worse.total > best.total

    def plant(total: int = worse.total, version: str = optimal_trees._solver()) -> int:
        """The total of the tree that is taken, with a worse one in the file."""
        text = "\n".join((str(total), *worse.lines())).encode()
        write_kept(kept, f"counted {first} {words.digest} {version}".encode(), text)
        return taken()

    def taken() -> int:
        return optimal_tree.__wrapped__(words, first).total

    assert plant() == worse.total  # so this is how one is kept
    assert plant(total=best.total) == best.total
    assert plant(version="2 abc") == best.total
    kept.write_text("\n".join(worse.lines()))
    assert taken() == best.total
    plant()
    kept.chmod(0o666)
    assert taken() == best.total
    plant()
    folder.chmod(0o777)
    assert taken() == best.total
    if os.getuid() == 0:
        folder.chmod(0o755)
        plant()
        os.chown(folder, 12345, -1)
        assert taken() == best.total


def _in_order(words: WordList, first: str) -> Tree:
    """The tree that tries the answers left in their order after a first guess."""
    lines = []
    for answer in words.answers:
        path = [first]
        left = [other for other in words.answers if clue(first, other, "counted") == clue(first, answer, "counted")]
        while path[-1] != answer:
            path.append(left[0])
            left = [
                other for other in left[1:] if clue(path[-1], other, "counted") == clue(path[-1], answer, "counted")
            ]
        lines.append(" ".join(f"{guess} {clue(guess, answer, 'counted')}" for guess in path))
    return tree_of_text(Path("in order"), "\n".join(lines))
