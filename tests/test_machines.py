"""The same results, or a line, on machines that are not the developer's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import wordpl
from tests.support.forked import run
from tests.support.helpers import ASKS_ONCE, SMALL
from tests.support.runs import exported
from wordpl.contest import limits
from wordpl.contest.limits import Limits, UsageWatch

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[1]
SWEEP = ("sweep", "TwoGuess(12)", "-n", "40", "--answers", "words.txt", "--seed", "3", "--out", "r.sqlite")
CLUE = f"{SMALL.answers[0]}={wordpl.clue(SMALL.answers[0], SMALL.answers[5], 'counted')}"
COMMANDS = """
import sys
{first}
from wordpl.cli import main
for command in {commands}:
    sys.argv = ["wordpl", *command]
    try:
        main()
    except SystemExit as end:
        print("ended", command[0], end.code or 0, file=sys.stderr)
{last}
"""


def place(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "words.txt").write_text("\n".join(SMALL.answers))
    (folder / "mine.py").write_bytes(ASKS_ONCE)
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The trials of `SWEEP`, as text."""
    folder = place(tmp_path_factory.mktemp("undisturbed"))
    assert run(*SWEEP, "-j", "1", cwd=folder).returncode == 0
    return exported(folder / "r.sqlite")


def own_process(
    *commands: tuple[str, ...], cwd: Path, first: str = "", last: str = "", **env: str
) -> tuple[dict[str, str], str, str]:
    """Commands one after another, by an interpreter that starts anew: exit codes by their names, stdout and stderr.

    `first` and `last` are code.
    """
    python = [sys.executable, "-c", COMMANDS.format(first=first, commands=commands, last=last)]
    env = os.environ | {"PYTHONPATH": str(ROOT)} | env
    done = subprocess.run(python, cwd=cwd, env=env, capture_output=True, text=True)
    ends = dict(line.split()[1:] for line in done.stderr.splitlines() if line.startswith("ended "))
    assert "Traceback" not in done.stderr
    return ends, done.stdout, "".join(line for line in done.stderr.splitlines(True) if not line.startswith("ended "))


@pytest.mark.parametrize("locale", ["C", "tr_TR.UTF-8"])
def test_locales(locale, tmp_path):
    """In Turkish the small letter of I is another one; in C without coercion stdout is ASCII."""
    variables = {"LC_ALL": locale, "LANG": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    ends, out, err = own_process(("clue", "PIXIE", "TITLE"), cwd=tmp_path, **variables)
    assert (ends, out, err) == ({"clue": "0"}, f"{wordpl.clue('pixie', 'title')}  letterwise\n", "")


@pytest.mark.parametrize(("seconds", "charged"), [(100.0, 0.0), (1.0, 1.0)])
def test_a_referee_that_was_stopped_charges_the_contestant_nothing(seconds, charged, monkeypatch):
    """The contestant, in a session of its own, has long answered. A look that is a little late changes nothing."""
    moment = 1000.0
    monkeypatch.setattr(limits, "monotonic", lambda: moment)
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as contestant:
        watch = UsageWatch(Limits(), contestant.pid)
        watch.look()
        watch.begin_turn()
        moment += seconds
        watch.look()
        contestant.kill()
    assert watch.spent() == pytest.approx(charged, abs=0.2)


PAGE = """
import wordpl
from fastapi.testclient import TestClient
with TestClient(wordpl.web.make_page(), base_url="http://localhost") as page:
    print("ended", "page", page.get("/").status_code, file=sys.stderr)
"""


def test_without_fork_proc_and_posix_signals(tmp_path, undisturbed):
    """As on macOS and Windows: all but contestants' files, in one process."""
    words = ("--answers", "words.txt")
    commands: tuple[tuple[str, ...], ...] = (
        (*SWEEP, "-j", "1"),
        ("results", "r.sqlite"),
        ("solve", CLUE, *words),
        ("tree", "build", *words),
        ("doctor",),
        ("check", "mine.py"),
    )
    first = "from tests.support.foreign import take_away; take_away()"
    ends, out, err = own_process(*commands, cwd=place(tmp_path), first=first, last=PAGE)
    expected = dict.fromkeys(("sweep", "results", "solve", "tree", "doctor"), "0")
    assert ends == expected | {"check": "2", "page": "200"}, err
    assert " ".join((out + err).split()).count("a contestant's process needs Linux with /proc") == 2
    assert exported(tmp_path / "r.sqlite") == undisturbed
