"""Reading a submission: plain files alone, whatever its owner does meanwhile."""

from __future__ import annotations

import math
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from wordpl.contest.submission import load_submission
from wordpl.errors import WordplError


def test_a_folder_takes_a_call_and_follows_no_link(tmp_path: Path) -> None:
    inside, outside = tmp_path / "mine", tmp_path / "other"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "strategy.py").write_text("x = 1\n")
    found = load_submission(f"{inside}:Mine(3)")
    assert (found.call, found.path, list(found.files)) == ("Mine(3)", str(inside), ["strategy.py"])
    (inside / "link").symlink_to(outside)
    with pytest.raises(WordplError, match="symbolic link"):
        load_submission(str(inside))


def test_a_file_and_a_folder_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("x = 1\n")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "data.bin").write_bytes(b"\0\1")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "strategy.pyc").write_bytes(b"no")
    folder = load_submission(str(tmp_path))
    assert folder.files == {"strategy.py": b"x = 1\n", "deep/er/data.bin": b"\0\1"}
    file = load_submission(f"{tmp_path}/strategy.py:Mine(3, name='x', epsilon=inf)")
    assert file.files == {"strategy.py": b"x = 1\n"}
    assert file.maker == ("Mine", (3,), {"name": "x", "epsilon": math.inf})
    assert len({folder.digest, file.digest, load_submission(f"{tmp_path}/strategy.py").digest}) == 3


@pytest.mark.parametrize("kind", ["symlink", "link in folder", "folder link", "hard link", "pipe", "device", "socket"])
def test_what_is_no_plain_file_is_refused(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "folder"
    place.mkdir()
    (place / "strategy.py").write_text("")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "file").write_text("secret")
    target = place
    if kind == "symlink":
        target = tmp_path / "link.py"
        target.symlink_to(place / "strategy.py")
    elif kind == "link in folder":
        (place / "data").symlink_to(tmp_path / "secret" / "file")
    elif kind == "folder link":
        (place / "data").symlink_to(tmp_path / "secret")
    elif kind == "hard link":
        (place / "data").hardlink_to(tmp_path / "secret" / "file")
    elif kind == "pipe":
        os.mkfifo(place / "data")
    elif kind == "device":
        target = Path("/dev/zero")
    else:
        import socket

        with socket.socket(socket.AF_UNIX) as end:
            end.bind(str(place / "data"))
    with pytest.raises(WordplError, match=r"plain files only|not a Python module"):
        load_submission(str(target))


def test_a_folder_swapped_for_a_link_while_it_is_read_gives_nothing_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the worst moment: between listing a folder and opening what is in it."""
    place, secret = tmp_path / "folder", tmp_path / "secret"
    for folder in (place / "data", secret):
        folder.mkdir(parents=True)
        (folder / "file").write_text("secret" if folder is secret else "mine")
    (place / "strategy.py").write_text("")
    scandir = os.scandir

    class Listed(list[Any]):
        def __enter__(self) -> Listed:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    def swap(folder: int | str) -> Any:
        listed = Listed(scandir(folder))
        if (place / "data").is_dir() and not (place / "data").is_symlink():
            (place / "data").rename(tmp_path / "aside")
            (place / "data").symlink_to(secret)
        return listed

    monkeypatch.setattr(os, "scandir", swap)
    with pytest.raises(WordplError, match=r"folder/data' cannot be read as a folder.*plain files only"):
        load_submission(str(place))


@pytest.mark.heavy
def test_a_folder_that_is_swapped_all_the_time_gives_nothing_away(tmp_path: Path) -> None:
    place, secret = tmp_path / "folder", tmp_path / "secret"
    for folder in (place / "data", secret):
        folder.mkdir(parents=True)
        (folder / "file").write_text("secret" if folder is secret else "mine")
    (place / "strategy.py").write_text("")
    (tmp_path / "link").symlink_to(secret)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for first, second in (("folder/data", "aside"), ("link", "folder/data"), ("folder/data", "link")):
                (tmp_path / first).rename(tmp_path / second)
            (tmp_path / "aside").rename(place / "data")

    swapping = threading.Thread(target=swap)
    swapping.start()
    outcomes = set()
    try:
        for turn in range(50_000):
            try:
                outcomes.add(load_submission(str(place)).files.get("data/file"))
            except WordplError:
                outcomes.add(b"refused")
            if turn >= 2000 and outcomes >= {b"mine", b"refused"}:
                break
    finally:
        done.set()
        swapping.join()
    assert b"secret" not in outcomes
    assert outcomes >= {b"mine", b"refused"}, "both sides of the race were seen"


def test_a_link_above_is_followed_if_it_is_the_callers_and_refused_if_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "real" / "deep" / "mine.py").write_text("x = 1\n")
    (tmp_path / "near").symlink_to("real/../real")
    (tmp_path / "far").symlink_to(tmp_path / "near" / "deep")
    (tmp_path / "circle").symlink_to("circle")
    monkeypatch.chdir(tmp_path)
    for text in ("far/mine.py", "near/deep/mine.py", f"{tmp_path}/far/../deep/mine.py", "./real/deep/mine.py"):
        assert load_submission(text).files == {"mine.py": b"x = 1\n"}
    with pytest.raises(WordplError, match=r"cannot read 'circle/mine\.py': Too many levels"):
        load_submission("circle/mine.py")
    if os.geteuid() == 0:
        os.chown("near", 1234, 1234, follow_symlinks=False)
        with pytest.raises(WordplError, match=r"'near' in 'near/deep/mine\.py' is a symbolic link of another user"):
            load_submission("near/deep/mine.py")
        with pytest.raises(WordplError, match="of another user"):
            load_submission("far/mine.py")


def test_the_folder_one_is_in_is_a_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "strategy.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path / "inner")
    assert load_submission("..").files == load_submission("../").files == {"strategy.py": b"x = 1\n"}
    monkeypatch.chdir(tmp_path)
    assert load_submission(".").files == {"strategy.py": b"x = 1\n"}


@pytest.mark.parametrize("name", [b"data\xff", b"deep/\xe9.txt", b"bad\xff.py"])
def test_a_name_that_is_not_utf8_is_refused_on_one_line(name: bytes, tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("")
    (tmp_path / "deep").mkdir()
    bad = os.fsencode(tmp_path) + b"/" + name
    with open(bad, "w"):
        pass
    for text in (str(tmp_path), os.fsdecode(bad)):
        with pytest.raises(WordplError, match="is not UTF-8") as caught:
            load_submission(text)
        assert "\n" not in str(caught.value)
        str(caught.value).encode()


def test_a_folder_of_too_many_or_too_deep_folders_is_refused(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("")
    (tmp_path / "/".join("a" * 32)).mkdir(parents=True)
    assert set(load_submission(str(tmp_path)).files) == {"strategy.py"}
    (tmp_path / "/".join("a" * 33)).mkdir()
    with pytest.raises(WordplError, match="32 in each other"):
        load_submission(str(tmp_path))


@pytest.mark.parametrize(
    "text", ["", "nowhere.py", "a\0b.py", "/", "x" * 5000, "README.md", "tests", "a.py:1+1", "a.py:**"]
)
def test_what_is_no_submission_is_one_line(text: str) -> None:
    with pytest.raises(WordplError) as caught:
        load_submission(text)
    assert "\n" not in str(caught.value)


def test_a_submission_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("")
    with (tmp_path / "data").open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(WordplError, match="larger than 64 MiB"):
        load_submission(str(tmp_path))
