"""The cache of arrays: used when whole, never believed when not, and never a reason to fail."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from wordpl.model import clues
from wordpl.model.words import load_words
from wordpl.storage import arrays

SHAPE = (300, 40)
NAME = "squares"


class Rows:
    """The true rows, and how many of them were asked for."""

    def __init__(self):
        self.content = np.random.default_rng(7).integers(0, 243, SHAPE).astype(np.uint8)
        self.calls = 0

    def __call__(self, i):
        self.calls += 1
        return self.content[i]


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def stored(directory):
    """The file of an array that was built once."""
    arrays.array(NAME, SHAPE, np.uint8, Rows())
    return directory / f"{NAME}.bin"


def load(name=NAME):
    """The array as the cache gives it now, checked, and whether it had to be built."""
    rows = Rows()
    array = arrays.array(name, SHAPE, np.uint8, rows)
    assert np.array_equal(array, rows.content)
    assert array.dtype == np.uint8
    assert not array.flags.writeable
    return rows.calls >= SHAPE[0]


def test_built_once_then_loaded(directory):
    assert load()
    assert not load()
    assert [path.name for path in directory.iterdir()] == [f"{NAME}.bin"]


def test_file_is_private(stored):
    assert stored.stat().st_mode & 0o777 == 0o600
    assert stored.parent.stat().st_mode & 0o777 == 0o700


def test_array_cannot_be_written(stored):
    for path in (stored, stored.parent / "no such"):
        array = arrays.array(path.stem, SHAPE, np.uint8, Rows())
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


def flip(position):
    def damage(path):
        content = bytearray(path.read_bytes())
        content[position] ^= 1
        path.write_bytes(content)

    return damage


def forge(path, payload, name=NAME):
    """Write `payload` with a header that fits it."""
    path.write_bytes(arrays._header(name, payload) + payload.tobytes())


def random_content(path):
    forge(path, np.random.default_rng(8).integers(0, 243, SHAPE).astype(np.uint8))


def another_file(path):
    arrays.array("other", SHAPE, np.uint8, lambda i: np.full(SHAPE[1], i % 243, dtype=np.uint8))
    (path.parent / "other.bin").replace(path)


def symlink(path):
    path.rename(path.parent / "real.bin")
    path.symlink_to("real.bin")


def fifo(path):
    path.unlink()
    os.mkfifo(path, 0o600)


DAMAGES = {
    "first byte": flip(0),
    "checksum": flip(16),
    "header's padding": flip(63),
    "first entry": flip(64),
    "last entry": flip(-1),
    "truncated": lambda path: os.truncate(path, path.stat().st_size - 1),
    "header alone": lambda path: os.truncate(path, 64),
    "emptied": lambda path: os.truncate(path, 0),
    "extended": lambda path: os.truncate(path, path.stat().st_size + 1),
    "another array's file": another_file,
    "random content, right checksum": random_content,
    "zeros, right checksum": lambda path: forge(path, np.zeros(SHAPE, dtype=np.uint8)),
    "rows in reverse, right checksum": lambda path: forge(path, Rows().content[::-1]),
    "right content under another name": lambda path: forge(path, Rows().content, "other"),
    "symlink": symlink,
    "dangling symlink": lambda path: (path.unlink(), path.symlink_to("nowhere")),
    "named pipe": fifo,
    "writable by the group": lambda path: path.chmod(0o620),
    "writable by all": lambda path: path.chmod(0o602),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_doubtful_file_is_built_again_and_replaced(stored, damage):
    damage(stored)
    assert load(), "the damaged file was believed"
    assert not load(), "the damaged file was not replaced"
    assert stored.stat().st_mode & 0o777 == 0o600


def test_right_file_is_recognised_as_such(stored):
    """Or the test above would prove nothing: the forger can do it right."""
    forge(stored, Rows().content)
    assert not load()


def test_file_of_another_user(stored, monkeypatch):
    us = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: us + 1)
    assert load()


def test_same_size_in_another_shape(stored):
    turned = arrays.array(NAME, SHAPE[::-1], np.uint8, lambda i: np.full(SHAPE[0], i, dtype=np.uint8))
    assert np.array_equal(turned, np.repeat(np.arange(40)[:, np.newaxis], 300, axis=1))


def test_the_files_used_longest_ago_make_room(directory, monkeypatch):
    one = SHAPE[0] * SHAPE[1] + 64
    monkeypatch.setattr(arrays, "MOST_BYTES", 3 * one)
    for age, name in enumerate("abc"):
        arrays.array(name, SHAPE, np.uint8, Rows())
        os.utime(directory / f"{name}.bin", (1000 + age, 1000 + age))
    (directory / "opening.txt").write_text("of another kind")
    mapped = arrays.array("b", SHAPE, np.uint8, Rows())
    arrays.array("a", SHAPE, np.uint8, Rows())  # used last: "c" goes first, then "b"
    arrays.array("d", SHAPE, np.uint8, Rows())
    assert sorted(path.name for path in directory.iterdir()) == ["a.bin", "b.bin", "d.bin", "opening.txt"]
    os.utime(directory / "b.bin", (1000, 1000))
    arrays.array("e", SHAPE, np.uint8, Rows())
    assert not (directory / "b.bin").exists()
    assert np.array_equal(mapped, Rows().content)
    monkeypatch.setattr(arrays, "MOST_BYTES", one - 1)
    arrays.array("f", SHAPE, np.uint8, Rows())
    assert [path.name for path in directory.glob("*.bin")] == ["f.bin"]


def test_many_small_files_are_looked_at_now_and_then(directory, monkeypatch):
    looks, scandir = [], os.scandir
    monkeypatch.setattr(arrays, "MOST_BYTES", 32 * 10 * 4096)
    monkeypatch.setattr(arrays.os, "scandir", lambda folder: looks.append(folder) or scandir(folder))
    for i in range(400):
        arrays.array(f"small{i}", (2, 2), np.uint8, lambda i: np.zeros(2, dtype=np.uint8))
    assert len(looks) == 1 + 399 // 10  # each counts as 4,096 bytes
    arrays.array("large", (1000, 1000), np.uint8, lambda i: np.zeros(1000, dtype=np.uint8))
    arrays.array("larger", (1000, 1001), np.uint8, lambda i: np.zeros(1001, dtype=np.uint8))
    assert len(looks) == 42
    assert sum(path.stat().st_size for path in directory.iterdir()) <= arrays.MOST_BYTES


def test_directory_that_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "file" / "cache"))
    assert load()
    assert (tmp_path / "file").read_text() == "in the way"


def test_directory_in_the_place_of_the_file(directory):
    (directory / f"{NAME}.bin").mkdir(parents=True)
    assert load()
    assert [path.name for path in directory.iterdir()] == [f"{NAME}.bin"], "a temporary file was left behind"


def test_failed_write_leaves_nothing_behind(directory, monkeypatch):
    def disk_full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", disk_full)
    assert load()
    assert list(directory.iterdir()) == []


def test_default_directory_is_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("WORDPL_CACHE", "")
    assert arrays.directory() == tmp_path / "wordpl"
    monkeypatch.delenv("WORDPL_CACHE")
    assert arrays.directory() == tmp_path / "wordpl"


def test_clue_matrix_survives_a_damaged_cache(directory, tmp_path):
    (tmp_path / "words.txt").write_text("crate\nhaste\nslate\ntrees\nsolve\ncrier\n")
    words = load_words(answers=tmp_path / "words.txt")
    for rule in clues.RULES:
        clues.forget_matrices()
        before = clues.clue_matrix(words, rule).copy()
        (file,) = directory.glob(f"*-{rule}-*.bin")
        assert words.digest in file.name
        file.write_bytes(bytes(file.stat().st_size))
        clues.forget_matrices()
        assert np.array_equal(clues.clue_matrix(words, rule), before)


STARTER = """
import hashlib, sys, time
from pathlib import Path
from wordpl.model.clues import clue_matrix
from wordpl.model.words import load_words
here = Path(sys.argv[1])
(here / f"ready-{sys.argv[2]}").touch()
while not (here / "go").exists():
    time.sleep(0.001)
words = load_words(answers=here / "words.txt")
print(hashlib.sha256(clue_matrix(words, "counted").tobytes()).hexdigest())
"""


@pytest.mark.heavy
def test_processes_that_start_at_once(tmp_path, directory, original):
    (tmp_path / "words.txt").write_text("\n".join(original.answers))
    processes = [
        subprocess.Popen([sys.executable, "-c", STARTER, tmp_path, str(i)], stdout=subprocess.PIPE, text=True)
        for i in range(4)
    ]
    while len(list(tmp_path.glob("ready-*"))) < len(processes) and all(p.poll() is None for p in processes):
        time.sleep(0.01)
    (tmp_path / "go").touch()
    digests = {process.communicate()[0] for process in processes}
    assert [process.returncode for process in processes] == [0] * len(processes)
    assert len(digests) == 1
    (file,) = directory.iterdir()
    words = load_words(answers=tmp_path / "words.txt")
    rows = clues.ClueRows(words, "counted")
    shape = (len(words.answers),) * 2
    loaded = arrays._load(file, file.stem, shape, np.dtype(np.uint8), lambda i: rows(words.guesses[i]))
    assert loaded is not None, "the file they left is not valid"
    assert np.array_equal(loaded, [rows(word) for word in words.guesses])
