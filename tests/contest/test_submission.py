"""Reading a submission: plain files alone."""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.helpers import SMALL
from tests.support.refusals import refusal
from wordpl import Setting, evaluate
from wordpl.contest import ContestRun, Limits, Trusted, evaluate_submission, load_submission, submission, write_template
from wordpl.contest.file_strategy import read_source
from wordpl.contest.submission import written_call
from wordpl.play.specs import literal_call


def test_a_file_and_a_folder_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in {"strategy.py": b"x = 1\n", "deep/er/data.bin": b"\0\1", "__pycache__/a.pyc": b"no"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    folder = load_submission(f"{tmp_path}:Mine(3)")
    assert (folder.call, folder.path) == ("Mine(3)", str(tmp_path))
    assert folder.files == {"strategy.py": b"x = 1\n", "deep/er/data.bin": b"\0\1"}
    file = load_submission(f"{tmp_path}/strategy.py:Mine(3, name='x', epsilon=inf)")
    assert (file.files, file.call) == ({"strategy.py": b"x = 1\n"}, "Mine(3,epsilon=inf,name='x')")
    assert file.maker == ("Mine", (3,), {"name": "x", "epsilon": math.inf})
    monkeypatch.chdir(tmp_path)
    assert load_submission(".").label("Mine") == f"{tmp_path.name}:Mine"
    assert len({folder.digest, file.digest, load_submission(f"{tmp_path}/strategy.py").digest}) == 3
    assert replace(folder, main="deep/er/data.bin").digest != folder.digest
    content = b"16 2 deep/er/data.bin\0\1" + b"11 6 strategy.pyx = 1\n" + b"strategy.py" + b"\n4 1 a.py#"
    files_digest = hashlib.sha256(content).hexdigest()
    expected = hashlib.sha256(f"{files_digest} Mine(3)".encode()).hexdigest()
    assert replace(folder, companions={"a.py": b"#"}).digest == expected


@pytest.mark.heavy
def test_a_strategy_of_the_library_is_a_submission_by_its_spec() -> None:
    found, same, other = map(load_submission, ("TwoGuess(12)", "TwoGuess(epsilon=12.0)", "TwoGuess(13)"))
    assert found.digest == same.digest != other.digest
    assert found.label("anything") == "TwoGuess(epsilon=12.0)"
    played = evaluate_submission(ContestRun(found, Setting(SMALL), 1, Limits(), Trusted()), 30)
    assert played.scores.tolist() == evaluate("TwoGuess(12)", 30, words=SMALL).scores.tolist()
    assert "did you mean 'TwoGuess'?" in refusal(load_submission, "TwoGues(12)")


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    place, more = tmp_path / "folder", tmp_path / "folder/more"
    place.mkdir()
    (place / "strategy.py").write_text("")
    for kind in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFSOCK):
        more.symlink_to(tmp_path) if kind == stat.S_IFLNK else os.mknod(more, kind)
        assert "plain files only" in refusal(load_submission, str(place))
        more.unlink()
    (tmp_path / "link.py").symlink_to(place / "strategy.py")
    assert "plain files only" in refusal(load_submission, str(tmp_path / "link.py"))


def test_a_folder_has_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (submission.MAX_FILES, submission.MAX_BYTES) == (1000, 64 << 20)
    (tmp_path / "strategy.py").write_text("")
    (tmp_path / "/".join("a" * 32)).mkdir(parents=True)
    assert set(load_submission(str(tmp_path)).files) == {"strategy.py"}
    (tmp_path / "/".join("a" * 33)).mkdir()
    assert "more than 32 levels deep" in refusal(load_submission, str(tmp_path))
    shutil.rmtree(tmp_path / "a")
    monkeypatch.setattr(submission, "MAX_FILES", 5)
    for number in range(4):  # with the file and the folder themselves they are five
        (tmp_path / f"f{number}").touch()
        (tmp_path / f"d{number}").mkdir()
    assert len(load_submission(str(tmp_path)).files) == 5
    (tmp_path / "more").touch()
    assert "has more than 5 files" in refusal(load_submission, str(tmp_path))
    (tmp_path / "more").unlink()
    monkeypatch.setattr(submission, "MAX_BYTES", 4 << 20)
    for size, others in ((5 << 20, 0), (2 << 20, (2 << 20) + 1)):  # in all
        for name, length in (("f0", size), ("f1", others)):
            (tmp_path / name).write_bytes(bytes(length))
        assert "larger than 4 MiB" in refusal(load_submission, str(tmp_path))


# What is read from a source without running it.


SOURCE = b"""
from dataclasses import dataclass, field
from typing import ClassVar
import strategies.utils as utils
from elsewhere import Base
from .beside import more
import attrs, near.by as by
raise SystemExit  # it is not run

class Base1:
    def first_move(self): ...
    def next_move(self, guess, epsilon, clues): ...

@dataclass
class Data(Base1):
    kind: ClassVar[str] = "x"
    epsilon: float
    again: int = 1
    seen: list = field(default_factory=list)
    state: int = field(init=False)

class Written(Base1):
    def __init__(self, epsilon, /, n=3, *, other): ...

class Inherited(Written): ...
@dataclass
class Based(Base):
    n: int
@attrs.define
class Private:
    _n: int
    seen: list = attrs.field(factory=list)
@attrs.frozen
class Fixed(Private):
    m: float = 1.0
class More(Base1):
    def __init__(self, n, **more): ...
class Ours:
    def players(self, setting): ...
class _Hidden(Base1): ...
class NoPlayer: ...
class Assigned:
    first_move = next_move = print
"""


def test_classes_and_parameters():
    found = read_source(SOURCE, "mine.py")
    assert found.classes == {
        "Base1": {},
        "Data": {"epsilon": True, "again": False, "seen": False},
        "Written": {"epsilon": True, "n": False, "other": True},
        "Inherited": {"epsilon": True, "n": False, "other": True},
        "Based": None,
        "Private": {"n": True, "seen": False},
        "Fixed": {"n": True, "seen": False, "m": False},
        "More": None,
        "Ours": {},
        "NoPlayer": {},
        "Assigned": {},
    }
    assert list(found.classes["Fixed"] or {}) == ["n", "seen", "m"], "those of the base come first"
    assert found.players == ["Base1", "Data", "Written", "Inherited", "More", "Ours", "Assigned"]
    assert found.packages == {"dataclasses", "typing", "strategies", "elsewhere", "attrs", "near"}
    player = b"class Mine:\n    first_move = next_move = print\n"
    for plays in (b"strategy = Mine(3)", b"strategy: object = Mine(3)"):
        assert read_source(player + plays, "mine.py").players == []
    # Published ones keep a table in a variable of that name.
    tables = b"strategy = [1, 2]\nstrategy = 'crate'\nstrategy = {}\nstrategy = 1, 2"
    assert read_source(player + tables, "mine.py").players == ["Mine"]


@pytest.mark.parametrize("name", ["numpy", "random", "wordpl", "utils", "tqdm"])
def test_a_new_file_hides_no_module(name: str, tmp_path: Path) -> None:
    assert "the name of a module that a strategy may import" in refusal(write_template, tmp_path / f"{name}.py")
    assert list(tmp_path.iterdir()) == []
    write_template(tmp_path / "my_strategy.py")
    assert "there already" in refusal(write_template, tmp_path / "my_strategy.py")
    assert "class Mine:" in (tmp_path / "my_strategy.py").read_text(), "a plain class, if nothing else is said"


@pytest.mark.parametrize(
    "name", ["1st.py", "my-strategy.py", "class.py", "strategies.py", "__init__.py", "mine.ipynb", "x.PY"]
)
def test_names_that_are_not_allowed_are_neither_written_nor_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    told = {".ipynb": "notebooks are not taken", ".PY": "a name such as x.py"}
    said = told.get(path.suffix, "letters, digits and _, not a digit first")
    assert said in refusal(write_template, path)
    path.write_text("{}")
    assert said in refusal(load_submission, f"{path}:Mine()")


def test_a_call_is_written_in_one_way_and_read_back() -> None:
    values = [None, True, -0.0, 10.0, 10, math.inf, "it's", b"x", [], [1, [2.5]], (), (1,), ((1, 2), "a")]
    values.append({"b": 1, "a": {}})
    written = written_call("Name", tuple(values), {"n": {16, 1}, "epsilon": (9.0,)})
    assert written == (
        "Name(None,True,-0.0,10.0,10,inf,\"it's\",b'x',[],[1,[2.5]],(),(1,),((1,2),'a'),{'a':{},'b':1},"
        "epsilon=(9.0,),n={1,16})"
    )
    read = literal_call(written)
    assert read == ("Name", tuple(values), {"epsilon": (9.0,), "n": {1, 16}}) and written_call(*read) == written
    assert repr(read[1]).replace(repr({"a": {}, "b": 1}), repr({"b": 1, "a": {}})) == repr(tuple(values))
    assert written_call("Name", (), {}) == "Name"
