"""What `--out` may name: one rule for every command that has it, checked before the command does anything."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import refused
from tests.support.commands import LEAVES
from wordpl import MissingExtraError
from wordpl.cli import targets
from wordpl.cli.targets import PICTURE, TREE, check_target


def with_out() -> dict[str, str]:
    """The commands that write a file -> what help says of it."""
    texts = {
        " ".join(path): param.help for path, one in LEAVES.items() for param in one.params if "--out" in param.opts
    }
    assert len(texts) > 10
    return texts


@pytest.mark.parametrize("command", with_out())
def test_another_ending_is_refused_before_the_work(cli, command):
    endings = with_out()[command].rpartition(" (")[2].removesuffix(").")
    needed = [one for one in LEAVES[tuple(command.split())].params if one.required and "--out" not in one.opts]
    given = [one.metavar or one.name for one in needed]
    said = refused(cli, *command.split(), *given, "--out", "new.xyz")
    assert f"cannot write new.xyz: a name that ends in {endings} is expected" in said


@pytest.mark.parametrize("place", ["words.txt/new.tree", "folder.tree", "shut/new.tree"])
def test_a_place_where_nothing_can_be_made(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    Path("words.txt").touch()
    Path("folder.tree").mkdir()
    Path("shut").mkdir()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "shut" and allowed(path, mode))
    check_target(Path("new/folder/t.TREE"), [TREE])
    check_target(Path("words.txt"), [TREE])
    with pytest.raises(ValueError, match="cannot be written"):
        check_target(Path(place), [TREE])


def test_what_a_picture_needs_is_asked_for_before_the_work(monkeypatch, tmp_path):
    monkeypatch.setattr(targets.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install '.\[plots\]'"):
        check_target(tmp_path / "p.png", [PICTURE])
