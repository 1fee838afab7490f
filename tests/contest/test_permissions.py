"""What lies beside wordpl's own files, a submission and a ledger is hidden from a submission."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import wordpl
from tests.support.helpers import ORIGINAL
from tests.support.refusals import refusal
from wordpl import Setting
from wordpl.contest import ContestRun, Limits, load_submission, permissions, sandbox, start_contest
from wordpl.contest.run import TrialPlayer

pytestmark = pytest.mark.heavy

ROOT = Path(wordpl.__file__).parents[1]
SECRET = "PLANTED-SECRET"  # noqa: S105
EVIL = """
import os
import stat
from contextlib import suppress

class Looks:
    def first_move(self):
        self.move = vars(self).get("move") or self.look()  # there is nothing new to see in a later game
        return self.move

    next_move = None

    def look(self):
        looked = 0
        for folder, _, files in os.walk("/"):
            for name in files:
                path = f"{folder}/{name}"
                with suppress(OSError):
                    status = os.lstat(path)
                    if stat.S_ISREG(status.st_mode) and status.st_ctime > PLANTED and status.st_size < 50_000:
                        looked += 1
                        with open(path, "rb") as file:
                            # In two parts, so that this file has no such mark.
                            assert b"PLANTED-" + b"SECRET" not in file.read(), f"the secret is in {path}"
        assert looked > 100, "this looked in the wrong places"
        return "aback", 0
"""
"""Looks for the mark in every file that it can read, but for those that were there before the mark was planted."""
PLAYED = """
import sys
from wordpl import Setting, load_words
from wordpl.cli import main
from wordpl.contest import Ledger, launcher, load_submission, start_contest, submit

start_contest(sys.argv[1], Setting(load_words()), trials=2)
with Ledger(sys.argv[1]) as book:
    entry = submit(book, load_submission("evil.py"), "Evil", launcher=launcher())
    reasons = [*book.reasons(entry, "provisional").values()]
    print("reasons of", len(reasons), "games:", reasons)
sys.argv = ["wordpl", "score", "evil.py", "--sandbox", "--trials", "1", "--game-seconds", "30", "--json"]
main()
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of wordpl in which an organiser keeps things that are nobody's business, for all users to read."""
    before = time.time() - 1.0
    folder = tmp_path_factory.mktemp("organiser") / "checkout"
    for path, name in permissions.own_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / name)
    shutil.copy(ROOT / "wordpl/contest/system_calls.csv", folder / "wordpl/contest")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    planted = ["wordpl/.env", "wordpl/notes.txt", "wordpl/model/data/.env", "wordpl/scoring/passwords", "results/a.txt"]
    planted += ["strategies/.env", "strategies/rival.py", "strategies/results/contest-1.json", "key.pem"]
    for name in planted:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(SECRET)
        (folder / name).chmod(0o644)
    (folder / "strategies/evil.py").write_text(EVIL.replace("PLANTED", str(before), 1))
    return folder


def run(checkout: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code of a checkout's wordpl where its library lies."""
    command = [sys.executable, "-P", "-c", code, *arguments]
    environment = {"PYTHONPATH": str(checkout), "PATH": "/usr/bin:/bin:/usr/sbin", "NUMBA_CACHE_DIR": ""}
    environment["GIT_DIR"] = "/nowhere"  # as a hook of another checkout has it
    return subprocess.run(command, cwd=checkout / "strategies", env=environment, capture_output=True, text=True)


def test_a_submission_finds_nothing_that_lies_beside_wordpls_own_files(checkout: Path, tmp_path: Path) -> None:
    """Nor what lies beside the ledger: it looks in the games of an entry, and in one that is only tried."""
    (tmp_path / ".env").write_text(SECRET)
    done = run(checkout, PLAYED, str(tmp_path / "contest.sqlite"))
    assert done.returncode == 0, done.stderr
    assert "secret" not in done.stdout
    assert "reasons of" in done.stdout and "reasons of 0" not in done.stdout
    assert '"errors": 0' in done.stdout
    blind = "import os; os.environ['PATH'] = ''; from wordpl.contest.permissions import own_files; list(own_files())"
    assert "git cannot list what it tracks" in run(checkout, blind).stderr
    # Without a sandbox it finds them, so it looks in the right way.
    code = f"import os, runpy; walk = os.walk; os.walk = lambda top: walk({str(checkout)!r})\n"
    found = run(checkout, code + "runpy.run_path('evil.py')['Looks']().first_move()")
    assert "the secret is in" in found.stderr


def test_a_submission_may_use_the_library_with_its_policies(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from wordpl.library import Fifth\nstrategy = Fifth()\n")
    run = ContestRun(load_submission(str(tmp_path / "mine.py")), Setting(ORIGINAL), 1, Limits(), sandbox.find())
    with TrialPlayer(run) as table:
        game = table.play(0).game
    assert game.verdict in ("WIN", "LOSS"), game.reason


def test_what_is_bound_is_what_no_ledger_may_lie_in() -> None:
    folders = (
        ROOT / "wordpl",
        *permissions.own_folders(),
        *permissions.libraries(),
        *permissions.installation(),
        Path("/usr/lib"),
    )
    extras = {"fastapi", "joblib", "matplotlib", "numpy", "pytest"} & {path.name for path in permissions.libraries()}
    assert extras == {"joblib", "numpy"}  # nothing that is only an extra's
    for folder in (*folders, Path("/lib")):
        assert "which submissions read" in refusal(start_contest, folder / "not there" / "contest.sqlite")
    copies_folder = permissions._copies()._folder
    arguments = permissions.mounts(Limits())
    assert arguments[-2:] == ["--remount-ro", "/"], "what is written there would be in memory, which nothing counts"
    bound = [arguments[at + 1] for at, option in enumerate(arguments) if option in ("--ro-bind", "--ro-bind-try")]
    sources = [source for source in bound if not source.startswith(str(copies_folder))]
    assert len(sources) > 10
    for source in sources:
        assert "which submissions read" in refusal(permissions.check_hidden, Path(source, "contest.sqlite"))
    copies = {path.relative_to(copies_folder) for path in copies_folder.rglob("*.*")}
    own = {name for _, name in permissions.own_files()}
    assert own <= copies
    assert {path.suffix for path in copies - own} <= {".pyc"}


def test_what_is_shown_of_wordpl_can_be_read_by_all_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the modes and the umask of the host; and its time is kept, by which Python knows compiled files."""
    (tmp_path / "own.py").touch(0o600)
    os.utime(tmp_path / "own.py", (5, 5))
    monkeypatch.setattr(permissions, "own_files", lambda: iter([(tmp_path / "own.py", Path("wordpl/deep/own.py"))]))
    before = os.umask(0o077)
    try:
        kept = permissions._Copies()
    finally:
        os.umask(before)
    (top,) = kept.folders()
    places = [top, top / "deep", top / "deep/own.py"]
    assert [oct(place.stat().st_mode & 0o777) for place in places] == ["0o755", "0o755", "0o644"]
    assert places[-1].stat().st_mtime == 5
