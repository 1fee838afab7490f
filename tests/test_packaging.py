"""However WORDPL is installed, and whatever lies about, it plays its own strategies and installs nothing else."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import wordpl
from wordpl import strategies

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[1]
SCORE = ["score", "TwoGuess(17.9)", "-n", "100", "--json"]
TWO_GUESS = """
from wordpl import Strategy
class TwoGuess(Strategy):
    def __init__(self, epsilon):
        raise SystemExit("this is another TwoGuess")
    def players(self, setting): ...
"""


def run(command: list[object], cwd: Path, **environment: str) -> str:
    """What a command prints; it fails if the command does, or warns."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=inherited | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    return done.stdout


def put(files: dict[str, str], folder: Path) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("built")
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder], ROOT)
    return folder


def wheel(folder: Path) -> Path:
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """A folder with what the wheel holds and another `strategies`, to be on the path."""
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(wheel(built)).extractall(folder)  # noqa: S202 - our own
    return put({"strategies/__init__.py": "", "strategies/two_guess.py": TWO_GUESS}, folder)


@pytest.fixture
def elsewhere(tmp_path):
    """A folder with a `strategies` package of its own, which is not to be touched."""
    own = {"__init__.py": "raise SystemExit('imported')", "two_guess.py": TWO_GUESS, "common.py": "raise SystemExit"}
    return put({f"strategies/{name}": content for name, content in own.items()}, tmp_path)


def info(path: Path) -> str:
    """The folder of a wheel's metadata."""
    return "-".join(path.name.split("-")[:2]) + ".dist-info"


def test_a_wheel_has_wordpl_its_licence_and_the_sources_of_its_data(built):
    packed, own = zipfile.ZipFile(wheel(built)), info(wheel(built))
    names = packed.namelist()
    assert {name.split("/")[0] for name in names} == {"wordpl", own} and len(names) == len(set(names))
    sources = {
        path.relative_to(ROOT / "strategies") for path in ROOT.glob("strategies/**/*.*") if path.suffix != ".pyc"
    }
    assert {f"wordpl/library/{source}" for source in sources} == {n for n in names if n.startswith("wordpl/library/")}
    data = {"py.typed", "__init__.pyi", "model/data/original_answers.txt", "reporting/data/report.css"}
    assert {f"wordpl/{name}" for name in data | {"reporting/data/report.js"}} <= set(names)
    assert {path.relative_to(ROOT).as_posix() for path in ROOT.glob("wordpl/web/static/**/*.*")} <= set(names)
    of_data = [*ROOT.glob("wordpl/*/data/PROVENANCE.md"), *ROOT.glob("wordpl/model/data/licences/*")]
    licences = {"LICENSE", *(path.relative_to(ROOT).as_posix() for path in of_data)}
    assert len(licences) == 6
    assert {f"{own}/licenses/{name}" for name in licences} <= set(names)


def test_a_source_distribution_has_just_the_files_of_the_repository(built):
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    of_git = {".gitattributes", ".git_archival.txt"}
    # New ones that nothing ignores are as good as tracked.
    tracked = run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], ROOT).splitlines()
    assert names == {name for name in tracked if (ROOT / name).exists()} - of_git | {"PKG-INFO"}


def test_what_is_imported_is_declared():
    project, of = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"], packages_distributions()
    extras = project["optional-dependencies"]
    of_users = (text for name in extras.keys() - {"dev", "docs"} for text in extras[name])
    declared = {re.split(r"[^\w-]", text.replace("_", "-"))[0] for text in (*project["dependencies"], *of_users)}
    files = (file for folder in ("wordpl", "strategies", "experiments") for file in (ROOT / folder).rglob("*.py"))
    text = "\n".join(file.read_text("utf-8") for file in files)
    imported = re.findall(r"^ *(?:import|from(?= [\w.]+ import)) (\w+)", text, re.M)
    for name in {*imported} - sys.stdlib_module_names - {"wordpl", "strategies", "experiments"}:
        assert {one.lower().replace("_", "-") for one in of[name]} & declared, name


def test_an_install_hides_nobody_s_modules(tmp_path):
    """With the Python of `make`: only `wordpl` is on its path, not the repository's other folders."""
    names = ["strategies", "tests", "experiments", "benchmarks", "docs", "hatch_build", "wordpl"]
    code = f"from importlib.util import find_spec; print([(n, s.origin) for n in {names} if (s := find_spec(n))])"
    assert run([sys.executable, "-c", code], tmp_path) == f"{[('wordpl', wordpl.__file__)]}\n"


def test_a_wheel_plays_its_own_strategies_whatever_lies_about(installed, elsewhere):
    """In worker processes, too, which import it anew."""
    command = [sys.executable, "-m", "wordpl"]
    listed = json.loads(run([*command, "list", "--json"], elsewhere, PYTHONPATH=str(installed)))
    assert [entry["name"] for entry in listed] == list(strategies())
    expected = wordpl.evaluate(wordpl.library.TwoGuess(17.9), trials=100, seed=1).win_rate
    found = json.loads(run([*command, *SCORE, "-j", "2", "--seed", "1"], elsewhere, PYTHONPATH=str(installed)))
    assert (found["strategy"], found["trials"], found["errors"]) == ("TwoGuess(epsilon=17.9)", 100, 0)
    assert found["win_rate"] == expected > 0


def test_the_sources_of_a_checkout_are_the_library_under_another_name():
    from strategies.greedy import Greedy

    assert Greedy is wordpl.library.Greedy
    assert sys.modules["strategies"] is wordpl.library
