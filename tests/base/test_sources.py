"""Two strategies never share an identity, and one keeps its own for as long as its files stay the same."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.held import Hidden
from wordpl import WordplError, parse_strategy
from wordpl.base import sources
from wordpl.base.user_files import load_named

MINE = '''
from dataclasses import dataclass
from wordpl import Answer, HistoryStrategy
from package.part import SHIFT
LIMIT = 3  # asks
print("loaded")
FILES = ["table.json", "no file", "x" * 300, "/etc/passwd"]
@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    """Asks until `LIMIT`."""
    epsilon: float = 9.0
    def decide(self, setting, history):
        import helper, missing.apart
        return Answer(setting.words.answers[SHIFT + helper.deeper.N])
'''
FILES = {
    "mine.py": MINE,
    "helper.py": "import deeper\n",
    "deeper.py": "N = 1\n",
    "package/__init__.py": "X = 1\n",
    "package/part.py": "from . import beside\nSHIFT = 0\n",
    "package/beside.py": "Y = 1\n",
    "table.json": "{}",
    "apart.py": "Z = 1\n",
    "SHIFT.py": "Z = 1\n",
}
COUNTS = [name for name in FILES if name not in ("apart.py", "SHIFT.py")]


def forget():
    for name in [name for name in sys.modules if name.partition(".")[0] in ("mine", "helper", "deeper", "package")]:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "package").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    yield tmp_path
    forget()


def edit(path: Path, text: str = "\nEDITED = 1\n") -> None:
    """An edit that Python sees, too: it believes a compiled file if size and second are those of the source."""
    before = path.stat().st_mtime_ns
    path.write_text(path.read_text() + text)
    os.utime(path, ns=(1, before + 2 * 10**9))


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_a_strategy_counts_and_no_other(folder, name):
    path = f"{folder / 'mine.py'}:Mine()"
    strategy = parse_strategy(path)
    before, code = strategy.identity, strategy.code
    assert {file.path for file in type(strategy).sources.files} == {str(folder / counts) for counts in COUNTS}
    edit(folder / name)
    if name in COUNTS:
        with pytest.raises(WordplError, match=f"^{Path(name).name} was edited after it was loaded; reload it"):
            _ = strategy.identity
    forget()
    sys.modules.pop(type(strategy).__module__)
    again = parse_strategy(path)
    assert (again.identity == before) == (again.code == code) == (name not in COUNTS)


def test_the_file_of_a_value_counts(folder):
    (folder / "deeper.py").write_text("class Value: ...\n")
    held = Hidden(table=importlib.import_module("deeper").Value())
    assert held.identity == held.identity
    edit(folder / "deeper.py")
    with pytest.raises(WordplError, match="deeper"):
        _ = held.identity


def test_a_folder_elsewhere_gives_the_same_identity(folder, capsys):
    before = parse_strategy(f"{folder / 'mine.py'}:Mine()").identity
    shutil.copytree(folder, folder / "copy")
    assert parse_strategy(f"{folder / 'copy' / 'mine.py'}:Mine()").identity == before
    assert capsys.readouterr() == ("", 2 * "loaded\n")  # what a file prints does not mix with results


def test_a_reload_is_accepted_once_all_that_was_edited_is_loaded_anew(folder):
    _, module = importlib.import_module("helper"), importlib.import_module("mine")
    before = module.Mine().identity
    edit(folder / "deeper.py")
    importlib.reload(module)  # which has the old `deeper`
    with pytest.raises(WordplError, match="deeper"):
        _ = module.Mine().identity
    for name in ("deeper", "helper", "mine"):
        importlib.reload(sys.modules[name])
    assert module.Mine().identity != before
    assert module.Mine().identity_problem == ""


def test_a_file_is_run_once_and_anew_once_it_was_edited(tmp_path, monkeypatch):
    path = tmp_path / "own.py"
    path.write_text("VALUES = [1]")
    first = load_named(f"{path}:VALUES")
    monkeypatch.chdir(tmp_path)
    assert load_named("own.py:VALUES") is first
    path.write_text("VALUES = [2]")
    assert load_named("own.py:VALUES") == [2]


def test_an_edit_is_seen_though_its_time_its_size_or_its_file_is_as_before(tmp_path):
    path, seen = tmp_path / "a.py", set[str]()
    for text, replaced in (("1", False), ("22", False), ("33", True)):
        if replaced:
            path.rename(tmp_path / "old")
        path.write_text(text)
        os.utime(path, ns=(1, 10**9))
        seen.add(sources._digest(str(path)))
    assert len(seen) == 3
    os.utime(path, ns=(1, 2 * 10**9))
    assert sources._digest(str(path)) in seen and sources._digest(str(tmp_path / "none")) == ""


def test_an_identity_has_the_class_and_the_engine(monkeypatch):
    of = sources.sources_of(Hidden.__module__)
    before = sources.identity_of(Hidden, of, [1])
    assert before == sources.identity_of(Hidden, of, [1]) != sources.identity_of(Path, of, [1])
    monkeypatch.setattr(sources, "ENGINE_VERSION", 5)
    assert sources.identity_of(Hidden, of, [1]) != before


def test_what_is_python_s_or_installed_or_ours_is_foreign(monkeypatch):
    for foreign in (("json", ""), ("numpy", "/v/site-packages/a.py"), ("wordpl.base.sources", "/x/sources.py")):
        assert sources.is_foreign(*foreign)
    for own in (("wordpl.library.fifth", "/x/fifth.py"), ("mine", "/home/site-packages2/mine.py")):
        assert not sources.is_foreign(*own)
    for name in ("ten_letter", "mine"):  # ten is the code of a line's end
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(__file__="/home/mine.py"))
    pickled = b"".join(b"\x8c" + bytes([len(name)]) + name for name in (b"ten_letter", b"mine", b"json", b"not_loaded"))
    assert sources.modules_in(pickled) == ["mine", "ten_letter"]


LASTING = "import importlib.util\nfrom dataclasses import dataclass\nfrom wordpl import HistoryStrategy\n"
CLASS = "@dataclass(frozen=True, repr=False)\nclass Mine(HistoryStrategy):\n    x: object = None\n    decide = None\n"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (LASTING + CLASS, "mine.py names importlib or __import__"),
        (LASTING.partition("\n")[2] + CLASS + "HELPER = __import__('math')", "mine.py names importlib or __import__"),
        (LASTING.partition("\n")[2] + CLASS, ""),
    ],
)
def test_a_source_that_may_import_anything_has_no_lasting_identity(folder, source, problem):
    (folder / "mine.py").write_text(source)
    kind: Any = type(parse_strategy(f"{folder / 'mine.py'}:Mine()"))
    assert (kind().identity_problem, kind(len).identity_problem) == (problem, problem)
    assert "cannot be pickled" in kind(lambda: 1).identity_problem or problem
    again = "import sys, wordpl; print(wordpl.parse_strategy(sys.argv[1]).identity)"
    command = [sys.executable, "-c", again, f"{folder / 'mine.py'}:Mine()"]
    found = subprocess.check_output(command, text=True).strip()
    assert (found == f"mine.py:{kind().identity}") == (not problem)
