"""Modules made of files of the user's own: any process finds them by their names, and they are the user's."""

import pickle
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.base.user_files import contents, module_of_file

_ANYTHING = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]) | st.just("\udcff"), min_size=1)


@given(_ANYTHING)
def test_a_file_of_any_name_is_found_by_the_name_of_its_module(path: str) -> None:
    module = module_of_file(Path(path), b"X = 1")
    assert module.__file__ == str(Path(path).absolute())
    del sys.modules[module.__name__]
    again = import_module(module.__name__)
    assert again is not module and (again.__file__, again.X) == (module.__file__, 1)
    del sys.modules[module.__name__], contents[module.__name__]


def loaded(pickled: bytes) -> subprocess.CompletedProcess[str]:
    """What another process prints that loads this and calls it."""
    code = "import pickle, sys; print(pickle.loads(bytes.fromhex(sys.argv[1]))())"
    return subprocess.run([sys.executable, "-c", code, pickled.hex()], capture_output=True, text=True)


def test_another_process_has_the_same_content_or_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "my own.py"
    content = b"print('imported')\ndef value():\n    return __file__\n"
    path.write_bytes(content)
    pickled = pickle.dumps(module_of_file(path, content).value)
    done = loaded(pickled)
    assert (done.stdout, done.stderr) == (f"{path}\n", "imported\n")
    path.write_bytes(content + b"\n")
    assert loaded(pickled).stderr.splitlines()[-1] == f"ImportError: {path} has changed since it was read"


STARTS = b"""
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
def one():
    return 1
with ProcessPoolExecutor(1, multiprocessing.get_context(HOW)) as pool:
    found = pool.submit(one).result()
"""


@pytest.mark.heavy
def test_a_file_that_starts_processes_as_it_is_imported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each process that imported it would start the next."""
    path = tmp_path / "mine.py"
    path.write_bytes(STARTS.replace(b"HOW", b"'fork'"))
    assert module_of_file(path, path.read_bytes()).found == 1
    path.write_bytes(STARTS.replace(b"HOW", b"'spawn'"))
    with pytest.raises(BrokenProcessPool):
        module_of_file(path, path.read_bytes())
    line = f"ImportError: {path} starts a process as it is imported, which imports it; start it in a function"
    assert line in capfd.readouterr().err.splitlines()
