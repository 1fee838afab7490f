"""What a start writes beside the submission: built once, there for all who play, and nothing else gets through."""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contest.test_attacks import submission_of
from tests.contest.test_run_of_entry import Counted
from tests.helpers import SIX, SMALL
from wordpl.contest import sandbox, start_files
from wordpl.contest.check import check_submission
from wordpl.contest.contestant_process import ContestantProcess
from wordpl.contest.limits import Limits
from wordpl.contest.payload import Payload
from wordpl.contest.sandbox import Launcher
from wordpl.contest.scoring import ContestRun, Played, play_trials
from wordpl.contest.start_files import MOST_FILES, NotKeptError, StartFiles, _Folder
from wordpl.model.words import WordList
from wordpl.play.strategy import Setting

SETTING = Setting(SMALL)
LIMITS = Limits()
BUILDS = f"""
import os, random

class Builds:
    def __init__(self):
        if not os.path.exists("strategies/table.txt"):
            with open("strategies/table.txt", "w") as file:
                file.write(str(random.SystemRandom().uniform(1, 2)).ljust(100_000))
            self.more()
        self.epsilon = float(open("strategies/table.txt").read())

    def more(self):
        pass

    def first_move(self):
        with open("strategies/table.txt", "a") as file:  # a file that is kept stays the strategy's own
            file.write("one more game")
        assert not os.path.exists("played")
        return {SMALL.guesses[0]!r}, self.epsilon

    def next_move(self, guess, epsilon, clues):
        open("played", "w").close()
        os._exit(0)  # so that each game has a start
"""
"""Asks at an epsilon that it drew when it built."""


def play(code: str, launcher: Launcher, trials: int = 4, jobs: int = 1, limits: Limits = LIMITS) -> list[Played]:
    played: list[Played] = []
    run = ContestRun(submission_of(code), SETTING, 3, limits, launcher)
    play_trials(run, range(trials), played.extend, jobs=jobs)
    return sorted(played, key=lambda one: one.game.trial)


def drawn(played: list[Played]) -> set[float]:
    """The epsilons that were drawn: one for each time that the strategy was built."""
    assert all(one.game.history for one in played), [one.game.reason for one in played]
    return {one.game.history[0].epsilon for one in played}


@pytest.mark.heavy
@pytest.mark.parametrize("jobs", [1, 2])
def test_all_who_play_find_what_the_first_start_built_and_nothing_of_a_game(jobs: int) -> None:
    assert len(drawn(play(BUILDS, sandbox.find(), jobs=jobs))) == 1


@pytest.mark.heavy
def test_the_start_that_built_plays_on() -> None:
    launcher = Counted()
    code = BUILDS.replace("os._exit(0)", "return guess, 0").replace('open("played", "w").close()', "pass")
    assert len(drawn(play(code, launcher))) == 1
    assert launcher.starts == 1


@pytest.mark.heavy
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("more", ["self.first = True", "import threading; Builds.lock = threading.Lock()"])
def test_a_start_that_is_not_as_the_one_that_built_builds_for_itself(more: str, jobs: int) -> None:
    assert len(drawn(play(BUILDS.replace("pass", more), Counted(), jobs=jobs))) == 4


@pytest.mark.heavy
@pytest.mark.parametrize(
    "more",
    [
        "os.symlink('/etc/passwd', 'link')",
        "os.mkfifo('pipe')",
        "open('valid.txt', 'a').close(); os.utime('valid.txt')",
        "os.remove('easy_words.txt')",
        f"[open(f'many{{i}}', 'w').close() for i in range({MOST_FILES})]",
        "os.makedirs('/'.join('d' * 20))",
        "open('large', 'wb').write(bytes(2 << 20))",
        "os.chmod('strategies/table.txt', 0); os.mkfifo('pipe')",
    ],
)
def test_otherwise_nothing_is_kept_and_each_start_builds(more: str) -> None:
    limits = replace(LIMITS, scratch=4 << 20) if "large" not in more else replace(LIMITS, scratch=2 << 20)
    code = BUILDS.replace("pass", more)
    assert len(drawn(play(code, Counted(), 2, limits=limits))) == 2


@pytest.mark.heavy
def test_a_strategy_that_cannot_start_from_its_own_files_starts_without_them() -> None:
    code = BUILDS.replace("pass", "open('once', 'x').close()").replace(
        "if not", "assert not os.path.exists('once')\n        if not", 1
    )
    assert len(drawn(play(code, Counted(), 2))) == 2


@pytest.mark.heavy
def test_a_start_ends_when_nothing_is_left_to_play(tmp_path: Path) -> None:
    """The second start waits without end, until the first one, which waits for it, has played all there is."""
    there = tmp_path / "there"
    code = f"""
import os, time

class Waits:
    def __init__(self):
        if os.path.exists("table"):
            open({str(there)!r}, "w").close()
            time.sleep(600)
        open("table", "w").close()

    def first_move(self):
        while not os.path.exists({str(there)!r}):
            time.sleep(0.01)
        return {SMALL.answers[0]!r}, 0
"""
    code += "\n    def next_move(self, guess, epsilon, clues): pass\n"
    launcher = Counted()
    played = play(code, launcher, trials=2, jobs=2)
    assert [one.game.proposed for one in played] == [SMALL.answers[0]] * 2
    assert launcher.starts == 2


@pytest.mark.heavy
def test_check_builds_once_too(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = BUILDS.replace("pass", f"open({str(log)!r}, 'a').write('built ')")
    found = check_submission(submission_of(code), SETTING, LIMITS, Counted(), games=2)
    assert {finding.check for finding in found if finding.passed} >= {"starts", "same moves for same clues and seed"}
    assert log.read_text() == "built "


@pytest.mark.heavy
def test_files_are_shared_among_those_who_are_given_the_same() -> None:
    """Copies of one `StartFiles` in other processes, too: here, pickled ones."""
    with StartFiles(LIMITS) as one:
        copy = pickle.loads(pickle.dumps(one))  # noqa: S301
        found = [started(each, words) for words in (SMALL, SIX) for each in (one, copy)]
        assert found[0] == found[1] != found[2] == found[3]
    assert started(copy, SMALL) not in found


@pytest.mark.heavy
def test_a_copy_that_does_not_find_the_files_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on another machine, where one process then builds once."""
    with StartFiles(LIMITS) as here:
        packed = pickle.dumps(here)
        first = started(here, SMALL)
        monkeypatch.setattr(start_files.tempfile, "tempdir", str(tmp_path))
        shutil.rmtree(here._top)
        there = pickle.loads(packed)  # noqa: S301
        found = [started(there, SMALL) for _ in range(2)]
        assert found[0] == found[1] != first
        there.close()
    assert list(tmp_path.iterdir()) == []


def started(start_files: StartFiles, words: WordList) -> float:
    launcher = Counted()
    payload = Payload(submission_of(BUILDS), Setting(words), LIMITS, launcher)
    contestant = ContestantProcess(launcher, payload, LIMITS)
    try:
        start_files.ready(contestant)
        move = contestant.player(0).first_move()
        assert isinstance(move, tuple)
        return float(move[1])
    finally:
        contestant.stop()
        payload.close()


@pytest.mark.heavy
def test_nothing_is_left_on_disk_when_the_run_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_files.tempfile, "tempdir", str(tmp_path))
    play(BUILDS, Counted(), 2)
    assert not list(tmp_path.glob("wordpl-start-*"))


@pytest.mark.heavy
def test_what_a_killed_run_has_left_is_removed_by_a_later_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_files.tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    names = [f"wordpl-start-{who}-ab" for who in (ended.pid, os.getppid(), "nobody")]
    for name in names:
        (tmp_path / name / "built").mkdir(parents=True)
    play(BUILDS, Counted(), 1)
    assert sorted(path.name for path in tmp_path.glob("wordpl-start-*")) == sorted(names[1:])


def built(tmp_path: Path, write: Callable[[Path], object], max_bytes: int = 1000) -> Path:
    """The folder that is kept after `write` has written to a contestant's."""
    play, target = tmp_path / "play", tmp_path / "kept"
    play.mkdir()
    target.mkdir()
    (play / "mine.py").write_text("its own")
    with _Folder() as folder:
        folder.hold(os.open(play, os.O_PATH))
        write(play)
        folder.copy(folder.written(), target, max_bytes)
    return target


def test_content_is_kept_and_no_mode_owner_or_time(tmp_path: Path) -> None:
    def write(play: Path) -> None:
        (play / "a" / "b").mkdir(parents=True)
        (play / "a" / "b" / "program").write_text("content")
        (play / "a" / "b" / "program").chmod(0o6777)
        os.utime(play / "a" / "b" / "program", (1, 1))
        (play / "a" / "empty").mkdir(mode=0o1777)

    kept = built(tmp_path, write)
    assert sorted(str(path.relative_to(kept)) for path in kept.rglob("*")) == ["a", "a/b", "a/b/program", "a/empty"]
    found = (kept / "a" / "b" / "program").stat()
    assert (found.st_mode & 0o7777, found.st_uid) == (0o444, os.geteuid()) and found.st_mtime > 1
    assert (kept / "a" / "empty").stat().st_mode & 0o7777 == 0o755


def test_hard_links_become_files_of_their_own_and_count_each(tmp_path: Path) -> None:
    def write(play: Path) -> None:
        (play / "one").write_bytes(bytes(600))
        (play / "other").hardlink_to(play / "one")

    with pytest.raises(NotKeptError):
        built(tmp_path, write)


def test_holes_count_as_what_they_are_read_as(tmp_path: Path) -> None:
    def write(play: Path) -> None:
        with (play / "hole").open("wb") as file:
            file.truncate(1 << 40)

    with pytest.raises(NotKeptError):
        built(tmp_path, write)
    assert sum(path.stat().st_size for path in (tmp_path / "kept").iterdir()) <= 1000


def test_a_socket_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(play: Path) -> None:
        monkeypatch.chdir(play)
        with socket.socket(socket.AF_UNIX) as end:
            end.bind("socket")

    with pytest.raises(NotKeptError):
        built(tmp_path, write)


@pytest.mark.parametrize("swap", ["folder", "file", "pipe"])
def test_what_is_swapped_for_a_link_while_it_is_read_is_not_followed(tmp_path: Path, swap: str) -> None:
    secret, play, target = tmp_path / "secret", tmp_path / "play", tmp_path / "kept"
    for folder in (secret, play / "sub", target / "sub"):
        folder.mkdir(parents=True)
    (secret / "file").write_text("the referee's")
    with _Folder() as folder:
        folder.hold(os.open(play, os.O_PATH))
        (play / "sub" / "file").write_text("its own")
        names = [name for name in folder.written() if name.endswith("file")] or ["sub/file"]
        (play / "sub" / "file").unlink()
        if swap == "folder":
            (play / "sub").rmdir()
            (play / "sub").symlink_to(secret)
        elif swap == "file":
            (play / "sub" / "file").symlink_to(secret / "file")
        else:
            os.mkfifo(play / "sub" / "file")
        with pytest.raises((NotKeptError, OSError)):
            folder.copy(names, target, 1000)
    assert not [path for path in target.rglob("*") if path.is_file()]
