"""Which files a submission sees, and which not; `tests/attacks/reads.py` looks for others."""

import os
import subprocess
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
OURS = ("wordpl/__init__.py", "wordpl/py.pyi", "wordpl/model/data/words.txt", "wordpl/model/data/best.tree")
TRACKED = ("strategies/__init__.py", "strategies/ours.py", "strategies/policies/fifth.json")
HIDDEN = ("wordpl/.env", "wordpl/notes.txt", "wordpl/model/data/.env.txt", "wordpl/scoring/passwords", "wordpl/a-b.py")
UNTRACKED = ("strategies/rival.py", "strategies/policies/rival.json")


def test_what_lies_beside_wordpls_own_files_is_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the strategy library of a checkout, what git does not track is not shown either."""
    for name in (*OURS, *TRACKED, *HIDDEN, *UNTRACKED):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "wordpl/link.py").symlink_to(tmp_path / "strategies/rival.py")
    (tmp_path / "wordpl/folder.py").mkdir()
    monkeypatch.setattr(permissions, "own_folders", lambda: (tmp_path / "wordpl", tmp_path / "strategies"))

    def shown() -> set[str]:
        found = dict(permissions.own_files())
        assert all(path == tmp_path / name for path, name in found.items())
        return set(map(str, found.values()))

    assert shown() == {*OURS, *TRACKED, *UNTRACKED}, "as a source archive that was unpacked"
    for command in (["init", "-q"], ["add", *TRACKED]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # as a hook of another checkout has it
    assert shown() == {*OURS, *TRACKED}
    monkeypatch.setenv("PATH", "")
    assert "git cannot list what it tracks" in refusal(shown)


def test_a_submission_may_use_the_library_with_its_policies(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from wordpl.library import Fifth\nstrategy = Fifth()\n")
    run = ContestRun(load_submission(str(tmp_path / "mine.py")), Setting(ORIGINAL), 1, Limits(), sandbox.find())
    with TrialPlayer(run) as table:
        game = table.play(0).game
    assert game.verdict in ("WIN", "LOSS"), game.reason


def test_what_is_bound_is_what_no_ledger_may_lie_in() -> None:
    folders = (*permissions.own_folders(), *permissions.libraries(), *permissions.installation())
    extras = {"fastapi", "joblib", "matplotlib", "numpy", "pytest"} & {path.name for path in permissions.libraries()}
    assert extras == {"joblib", "numpy"}  # nothing that is only an extra's
    for folder in (*folders, ROOT / "wordpl", Path("/usr/lib"), Path("/lib")):
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
