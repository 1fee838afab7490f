"""The attack corpus: each `tests/attacks/NAME/strategy.py` must get the verdict in `expected`, and nothing else.

A second line of `expected` is a text that the reason for the verdict holds, so that no attack fails by accident.

After each attack an honest contestant plays, and must do exactly as it does alone; no process may be left of
the attack, and nothing outside its sandbox may be changed. What an attack looks for, wherever it looks, is
a canary: the true answer, put where a leak would show it. An attack that finds it wins, which is never expected.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import wordpl
from tests.helpers import ORIGINAL
from wordpl.contest import sandbox
from wordpl.contest.contestant_process import KEPT_ERRORS
from wordpl.contest.ledger import Ledger
from wordpl.contest.limits import MIB, Limits
from wordpl.contest.scoring import ContestRun, Played, Table
from wordpl.contest.submission import Submission, load_submission
from wordpl.play.seeds import Seeds
from wordpl.play.strategy import Setting

ATTACKS = Path(__file__).parents[1] / "attacks"
SETTING = Setting(ORIGINAL)
SEED = 20
TRIALS = 2
# Of CPU, what an honest game is far from. On the clock, more than a busy machine needs for the verdict of any attack.
LIMITS = Limits(
    game_seconds=30.0,
    move_seconds=30.0,
    cpu_seconds=1.0,
    start_seconds=60.0,
    memory=256 * MIB,
    scratch=64 * MIB,
    files=5000,
    tasks=32,
)
# What an attack waits for: that the start has taken too long, or a move, without any CPU to speak of.
SHORT_START = {"start_seconds": 1.5}
SHORT_MOVE = {"game_seconds": 1.0, "move_seconds": 1.0}
CHANGED: dict[str, dict[str, float]] = {
    **dict.fromkeys(("loop_at_import", "loop_in_init", "loop_in_name"), SHORT_START),
    **dict.fromkeys(("half_line", "sleep", "sleep_in_pieces", "slow_line", "stderr_flood", "stop_itself"), SHORT_MOVE),
}
HONEST = """
class Honest:
    def first_move(self):
        self.asked = 0
        return "salet", 9.0

    def next_move(self, guess, epsilon, clues):
        self.asked += 1
        words = open("answers.txt").read().split()
        return ("courd", 7.5) if self.asked == 1 else (words[hash(clues) % len(words)], 0)
"""


def submission_of(code: str) -> Submission:
    return Submission("honest.py", {"honest.py": code.encode()}, "honest.py")


def play(
    submission: Submission, limits: Limits = LIMITS, trials: int = TRIALS
) -> tuple[list[Played], dict[int, float]]:
    """The trials of a submission, and the PID namespaces it ran in: inode -> when it ended."""
    records = []
    with Table(ContestRun(submission, SETTING, SEED, limits, sandbox.find())) as table:
        for trial in range(trials):
            records.append(table.play(trial))
    return records, table.contestant.namespaces


def outcome(records: list[Played]) -> list[object]:
    """What must not depend on anything: all of a game but its timing."""
    return [replace(record.game, seconds=0.0, slowest=0.0) for record in records]


def left_in(namespaces: dict[int, float]) -> list[str]:
    """The processes of the machine that are in one of these PID namespaces, by those who began before its end."""
    left = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                ended = namespaces.get((entry / "ns/pid").stat().st_ino, 0.0)
                began = int((entry / "stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
                if began <= ended:
                    left.append(entry.name)
    return left


@pytest.fixture(scope="module")
def alone() -> list[object]:
    """What the honest contestant does when there has been no attack."""
    return outcome(play(submission_of(HONEST), trials=4)[0])


@pytest.fixture(scope="module")
def canaries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The true answer of the first trial: in the environment, in files, in results, and on sockets."""
    answer = ORIGINAL.answers[Seeds(SEED).answer(0, len(ORIGINAL.answers))]
    folder = tmp_path_factory.mktemp("canary")
    (folder / "canary").write_text(answer)
    Ledger(folder / "contest.sqlite").close()
    servers = []
    for family, address in ((socket.AF_UNIX, "\0wordpl-canary"), (socket.AF_INET, ("127.0.0.1", 47123))):
        server = socket.socket(family)
        with suppress(OSError):  # another run of these tests on this machine has it
            server.bind(address)
            server.listen()
            threading.Thread(target=_serve, args=(server, answer.encode()), daemon=True).start()
        servers.append(server)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORDPL_CANARY", answer)
        patch.setenv("CANARY", f"CANARY={answer}")
        patch.chdir(folder)
        # What is set here is not in this process's own /proc/PID/environ, but in that of one started now.
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as shown:
            yield folder
            shown.kill()
    for server in servers:
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()


def _serve(server: socket.socket, answer: bytes) -> None:
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection:
                connection.sendall(answer)


def contents(*folders: Path) -> dict[str, str]:
    """Path -> hash of the content of every file in some folders, but for what Python caches."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
            elif path.is_symlink():
                found[str(path)] = str(path.readlink())
    return found


@pytest.mark.parametrize("name", ["read_environment", "read_files", "read_proc", "read_sockets"])
def test_an_attack_that_looks_for_the_answer_finds_it_where_there_is_no_sandbox(name: str, canaries: Path) -> None:
    """Else it would get its verdict by looking in the wrong place."""
    code = "import os, runpy, sys\nwalk = os.walk\nos.walk = lambda top: walk(sys.argv[2])\n"
    code += "print(runpy.run_path(sys.argv[1])['Attack']().first_move()[0])"
    command = [sys.executable, "-c", code, str(ATTACKS / name / "strategy.py"), str(canaries)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert found.stdout.strip() == (canaries / "canary").read_text()


MARKS = [
    Path(folder) / "wordpl-attack"
    for folder in ("/", "/tmp", "/var/tmp", "/dev/shm", "/root", "/home", "/etc", "/usr/lib")  # noqa: S108
]


# Those that may win by luck are played often enough to tell, in tests/contest/test_reply_time.py.
BY_CHANCE = {"reply_time"}


@pytest.mark.parametrize("name", sorted({path.name for path in ATTACKS.iterdir()} - BY_CHANCE))
def test_attack(name: str, alone: list[object], canaries: Path) -> None:
    package = Path(wordpl.__file__).parent
    before = contents(ATTACKS / name, canaries, package)
    expected, _, reason = (ATTACKS / name / "expected").read_text().strip().partition("\n")
    if expected == "REFUSED":
        with pytest.raises(wordpl.WordplError, match="plain files only"):
            load_submission(str(ATTACKS / name))
        return
    limits = replace(LIMITS, **CHANGED.get(name, {}))  # type: ignore[arg-type]
    records, namespaces = play(load_submission(str(ATTACKS / name)), limits)

    verdicts = [(str(record.game.verdict), record.game.reason) for record in records]
    assert [verdict for verdict, _ in verdicts] == [expected] * TRIALS, verdicts
    assert all(reason in said for _, said in verdicts), verdicts
    for record in records:
        assert len(record.errors) <= KEPT_ERRORS
        for text in (record.game.reason, *record.errors.split("\n")):
            assert text == "" or (text.isascii() and text.isprintable())
        assert len(record.game.history) <= limits.asks
        assert record.game.score == math.inf  # of a win, too: what it spent is beyond all numbers
    assert namespaces
    assert left_in(namespaces) == []
    assert contents(ATTACKS / name, canaries, package) == before
    assert [mark for mark in MARKS if os.path.lexists(mark)] == []
    assert outcome(play(submission_of(HONEST), trials=4)[0]) == alone


def test_every_attack_has_its_verdict_and_the_documents_their_number() -> None:
    folders = sorted(ATTACKS.iterdir())
    expected = [(folder / "expected").read_text().splitlines() for folder in folders]
    for folder, lines in zip(folders, expected, strict=True):
        assert len(lines) in (1, 2), folder
        assert all(line.strip() for line in lines), folder
        assert (folder / "strategy.py").is_file(), folder
    verdicts = {"WIN", "LOSS", "INVALID", "TIMEOUT", "MEMORY", "CRASH", "PROTOCOL"}
    assert {verdict for verdict, *_ in expected} == verdicts | {"REFUSED", "CHANCE"}
    page = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text()
    assert re.findall(r"(\d+) attacks", page) == [str(len(folders))]
