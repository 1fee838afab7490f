"""What `--out` may name: one rule for every command that has it, checked before the command does anything."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import refused
from tests.support.commands import LEAVES
from wordpl import MissingExtraError
from wordpl.cli import targets
from wordpl.cli.targets import PICTURE, TREE, check_target


@pytest.mark.parametrize("path", [path for path, one in LEAVES.items() if any("--out" in p.opts for p in one.params)])
def test_another_ending_is_refused_before_the_work(cli, path):
    needed = [one for one in LEAVES[path].params if one.required and "--out" not in one.opts]
    said = refused(cli, *path, *(one.metavar or one.name for one in needed), "--out", "new.xyz")
    assert "cannot write new.xyz: a name that ends in ." in said


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
