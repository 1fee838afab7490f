"""The same results, or a line, on machines and under users that are not the developer's."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

import wordpl
from tests.support.forked import Forked, run
from tests.support.helpers import ASKS_ONCE, SMALL
from tests.support.runs import exported
from wordpl.contest import limits
from wordpl.contest.limits import Limits, UsageWatch

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[1]
SWEEP = ("sweep", "TwoGuess(12)", "-n", "40", "--answers", "words.txt", "--seed", "3", "--out", "r.sqlite")
CLUE = f"{SMALL.answers[0]}={wordpl.clue(SMALL.answers[0], SMALL.answers[5], 'counted')}"
WITHOUT_STREAMS = "import os, sys; os.closerange(0, 3); sys.stdin = sys.stdout = sys.stderr = None"
WITHOUT_STREAMS += "; sys.__stdin__ = sys.__stdout__ = sys.__stderr__ = None"
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
FAST_CLOCK = """
import time
for name in ("time", "monotonic", "perf_counter"):
    def fast(clock=getattr(time, name), start=getattr(time, name)()):
        return start + 2000 * (clock() - start)
    setattr(time, name, fast)
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
    *commands: tuple[str, ...], cwd: Path, before: tuple[str, ...] = (), first: str = "", last: str = "", **env: str
) -> tuple[dict[str, str], str, str]:
    """Commands one after another, by an interpreter that starts anew: exit codes by their names, stdout and stderr.

    `before` is what the interpreter is started by; `first` and `last` are code.
    """
    python = [*before, sys.executable, "-c", COMMANDS.format(first=first, commands=commands, last=last)]
    env = os.environ | {"PYTHONPATH": str(ROOT)} | env
    done = subprocess.run(python, cwd=cwd, env=env, capture_output=True, text=True)
    ends = dict(line.split()[1:] for line in done.stderr.splitlines() if line.startswith("ended "))
    assert "Traceback" not in done.stderr
    return ends, done.stdout, "".join(line for line in done.stderr.splitlines(True) if not line.startswith("ended "))


# The interpreter may lie in a home that only root can read, so the same command imports all that it needs before.
ORDINARY = """
import os
from wordpl.cli import main
try:
    main()
except SystemExit:
    os.remove("r.sqlite")
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
"""


@pytest.mark.parametrize(
    "code", [ORDINARY, "import os; os.umask(0o77)", WITHOUT_STREAMS], ids=["user", "umask", "closed"]
)
def test_a_sweep_of_another_user(code, undisturbed):
    # Not in the folder of the tests: those above it may be closed to others.
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = place(Path(name, "open"))
        for path in (folder, folder.parent):
            path.chmod(0o777)
        done = run(*SWEEP, "-j", "1", cwd=folder, env={"HOME": "/nowhere", "WORDPL_CACHE": str(folder)}, code=code)
        # A table that nobody sees is an error, but the trials are kept.
        assert done.returncode == (2 if code == WITHOUT_STREAMS else 0), done.stderr
        assert exported(folder / "r.sqlite") == undisturbed


def test_a_folder_with_a_name_that_few_would_choose_and_a_sweep_that_is_stopped_and_continued(tmp_path, undisturbed):
    folder = place(tmp_path / 'it\'s a "né"\nb')
    command = Forked(*SWEEP, "-j", "2", cwd=folder)
    for signum in (signal.SIGSTOP, signal.SIGCONT):
        time.sleep(0.5)
        with suppress(ProcessLookupError):  # it has not begun, or has ended
            os.killpg(command.pid, signum)
    _, err = command.communicate()
    assert command.returncode == 0, err
    assert exported(folder / "r.sqlite") == undisturbed
    done = run("report", folder / "r.sqlite", "--out", folder / "p.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert run("score", f"{folder / 'mine.py'}", "-n", "1", "-j", "1", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("locale", ["C", "tr_TR.UTF-8"])
def test_locales(locale, tmp_path):
    """In Turkish the small letter of I is another one; in C without coercion stdout is ASCII."""
    variables = {"LC_ALL": locale, "LANG": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    ends, out, err = own_process(("clue", "PIXIE", "TITLE"), cwd=tmp_path, **variables)
    assert (ends, out, err) == ({"clue": "0"}, f"{wordpl.clue('pixie', 'title')}  letterwise\n", "")


def test_a_clock_2000_times_too_fast_and_a_temporary_folder_that_is_full(tmp_path, undisturbed):
    """No trial is given up, and no verdict changes: games are measured in CPU time."""
    place(tmp_path)
    (tmp_path / "sitecustomize.py").write_text(FAST_CLOCK)
    full = tmp_path / "full"
    full.mkdir()
    small = ("bwrap", "--dev-bind", "/", "/", "--size", "4096", "--tmpfs", str(full))
    fill = ("bash", "-c", 'head -c 10000 /dev/zero > full/file; exec "$@"', "bash")
    variables = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "TMPDIR": str(full)}
    ends, _, err = own_process((*SWEEP, "-j", "2"), cwd=tmp_path, before=(*small, *fill), **variables)
    assert ends == {"sweep": "0"}, err
    assert exported(tmp_path / "r.sqlite") == undisturbed


def test_without_proc_all_works_but_the_sandbox(tmp_path, undisturbed):
    hidden = ("bwrap", "--dev-bind", "/", "/", "--tmpfs", "/proc")
    commands = ((*SWEEP, "-j", "2"), ("doctor",), ("check", "mine.py"), ("score", "mine.py"))
    ends, out, err = own_process(*commands, cwd=place(tmp_path), before=hidden)
    assert ends == {"sweep": "0", "doctor": "0", "check": "2", "score": "2"}, err
    assert exported(tmp_path / "r.sqlite") == undisturbed
    assert " ".join((out + err).split()).count("a contestant's process needs Linux with /proc") == 3


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
