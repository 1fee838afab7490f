"""Trees that are kept: which of them are believed."""

import os

from tests.support.helpers import list_of
from wordpl.base.kept import write_kept
from wordpl.wordle import Heuristic, build_tree, optimal_tree
from wordpl.wordle.trees import optimal_trees

FAMILY = list_of("family", tuple(f"{letter}igh" for letter in "bdfklmnrstw"), ("bdfk", "lmnr", "stwb"))


def test_a_kept_tree_is_believed_only_from_this_user_and_this_version(tmp_path, monkeypatch):
    """A valid tree with a larger total stands for one that another user, or another version, has made."""
    words, folder = FAMILY, tmp_path / "cache"
    monkeypatch.setenv("WORDPL_CACHE", str(folder))
    first = words.answers[0]
    best = optimal_tree.__wrapped__(words, first)
    (kept,) = folder.glob("*.tree")
    worse = build_tree(words, Heuristic("greedy"), first)
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
