"""The attack corpus: each attack in `tests/attacks/` must get the verdict with which its docstring begins.

In brackets stands a text that the reason for it holds, so that no attack fails by accident.

After the attacks of a test an honest contestant plays, and must do exactly as it does alone; no process may be left of
them, and nothing outside their sandboxes may be changed. Attacks that only try something play in one process, one after
another; those that kill, hang or exhaust have one of their own. What an attack looks for, wherever it looks, is a
canary: an answer, put where a leak would show it. An attack that finds it proposes it, one that gains something else
"crate", and one that gains nothing "aback".
"""

import ast
import hashlib
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import CLOCK_BOOTTIME, clock_gettime
from typing import Any
from unittest import mock

import pytest

import wordpl
from tests.support.helpers import ORIGINAL
from tests.support.submissions import ATTACKS, SETTING, submission_of
from wordpl.contest import ContestRun, Limits, Submission, contestant, load_submission, sandbox, start_contest
from wordpl.contest.contestant import KEPT_ERRORS
from wordpl.contest.limits import MIB, UsageWatch
from wordpl.contest.records import PlayedGame
from wordpl.contest.run import TrialPlayer
from wordpl.play.seeds import Seeds

pytestmark = pytest.mark.alone

SEED = 20
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
# What an attack waits for: the end of the CPU time of a game, or of the time for a move.
SHORT_GAME = {"cpu_seconds": 0.4}
SHORT_MOVE = {"game_seconds": 1.0, "move_seconds": 1.0}
CHANGED: dict[str, dict[str, float]] = {
    "MemoryMappingsForked": {"cpu_seconds": 10.0},
    "Sleep": {"move_seconds": 0.5},
    **dict.fromkeys(("BurnInOrphans", "CancelAlarm"), SHORT_GAME),
    "BurnAtStart": {"start_seconds": 1.0},
    **dict.fromkeys(("SleepInPieces", "SlowLine", "StderrFlood", "StopItself"), SHORT_MOVE),
}


def expected() -> dict[str, tuple[str, str]]:
    """File and class of each attack -> its verdict, and the text that the reason holds."""
    texts: dict[str, Any] = {}
    for file in sorted(ATTACKS.glob("*.py")):
        tree = ast.parse(file.read_text())
        for kind in (part for part in tree.body if isinstance(part, ast.ClassDef)):
            methods = [part for part in kind.body if isinstance(part, ast.FunctionDef)]
            if "first_move" in {method.name for method in methods}:
                texts[f"{file.name}:{kind.name}"] = next(filter(None, map(ast.get_docstring, methods)))
        if not any(isinstance(part, ast.ClassDef) for part in tree.body):
            texts[file.name] = ast.get_docstring(tree)
    return {spec: re.findall(r"^([A-Z]{3,})(?: \((.*?)\))?: ", text)[0] for spec, text in texts.items()}


EXPECTED = expected()
ALONE = ("BurnInUnwaitedChildren", "Daemon", "Descriptors", "PoisonCache", "SignalParent")
"""These may spoil what plays before or after them in the same process."""
TOGETHER = [
    spec for spec, (verdict, _) in EXPECTED.items() if verdict in ("INVALID", "LOSS") and not spec.endswith(ALONE)
]
IN_TURN = """
from importlib import import_module

class InTurn:
    def __init__(self):
        modules = [(import_module("strategies." + file.removesuffix(".py")), name) for file, name in {pairs}]
        self.attacks = [getattr(module, name)() for module, name in modules]

    def first_move(self):
        self.attacks.append(self.attacks.pop(0))
        return self.attacks[-1].first_move()

    def next_move(self, guess, epsilon, clues):
        return self.attacks[-1].next_move(guess, epsilon, clues)
"""
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


def play(submission: Submission, limits: Limits = LIMITS, trials: int = 2) -> tuple[list[PlayedGame], dict[int, float]]:
    """The trials of a submission, and the PID namespaces it ran in: inode -> when it ended."""
    records, namespaces = [], {}

    class Watched(UsageWatch):
        def hold(self, pids: list[int], scratch: str | None) -> None:
            namespaces[Path(f"/proc/{pids[1]}/ns/pid").stat().st_ino] = math.inf
            super().hold(pids, scratch)

        def close(self) -> None:
            namespaces.update((inode, min(end, clock_gettime(CLOCK_BOOTTIME))) for inode, end in namespaces.items())
            super().close()

    run = ContestRun(submission, SETTING, SEED, limits, sandbox.find())
    with mock.patch.object(contestant, "UsageWatch", Watched), TrialPlayer(run) as table:
        for trial in range(trials):
            records.append(table.play(trial))
    return records, namespaces


def outcome(records: list[PlayedGame]) -> list[object]:
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
    """The true answer of the first trial: in the environment, in files, in results, on stdin, and on sockets.

    The folder of these files is a checkout of the contest, whose files submissions may use.
    """
    answer = ORIGINAL.answers[Seeds(SEED).answer(0, len(ORIGINAL.answers))]
    folder = tmp_path_factory.mktemp("canary")
    (folder / "canary").write_text(answer)
    for name, listed in (("valid.txt", ORIGINAL.guesses), ("answers.txt", ORIGINAL.answers)):
        (folder / name).write_text("\n".join(listed))
    start_contest(folder / "contest.sqlite")
    with (folder / "contest.sqlite").open("a") as ledger:
        ledger.write(answer)
    kept = os.dup(0)
    with (folder / "canary").open() as file:
        os.dup2(file.fileno(), 0)
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
        patch.setenv("WORDPL_CONTEST_FILES", str(folder))
        patch.chdir(folder)
        # What is set here is not in this process's own /proc/PID/environ, but in that of one started now.
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as shown:
            yield folder
            shown.kill()
    os.dup2(kept, 0)
    os.close(kept)
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


MARKS = [
    Path(folder) / "wordpl-attack"
    for folder in ("/", "/tmp", "/var/tmp", "/dev/shm", "/root", "/home", "/etc", "/usr/lib")  # noqa: S108
]


@pytest.fixture
def harmless(alone: list[object], canaries: Path) -> Iterator[None]:
    """Nothing outside is changed by the test, and the honest contestant plays as it does alone."""
    package = Path(wordpl.__file__).parent
    before = contents(ATTACKS, canaries, package)
    yield
    assert contents(ATTACKS, canaries, package) == before
    assert [mark for mark in MARKS if os.path.lexists(mark)] == []
    assert outcome(play(submission_of(HONEST), trials=4)[0]) == alone


def attack(place: str, specs: list[str]) -> None:
    """Play the submission at a place, one trial for each of these attacks."""
    limits = replace(LIMITS, **CHANGED.get(re.split("[:/]", place)[-1], {}))  # type: ignore[arg-type]
    records, namespaces = play(load_submission(place), limits, len(specs))
    for spec, record in zip(specs, records, strict=True):
        verdict, reason = EXPECTED[spec]
        assert record.game.verdict == verdict and reason in record.game.reason, (spec, record.game)
        assert verdict != "LOSS" or record.game.proposed == "aback", (spec, "has found a word")
        assert len(record.errors) <= KEPT_ERRORS
        for text in (record.game.reason, *record.errors.split("\n")):
            assert text == "" or (text.isascii() and text.isprintable())
        assert len(record.game.history) <= limits.asks
        assert record.game.score == math.inf
        assert record.game.seconds < limits.game_seconds or limits.move_seconds == limits.game_seconds
    assert namespaces
    assert left_in(namespaces) == []


QUICK = ("AnswerBeforeAsked", "BurnInUnwaitedChildren", "MemoryBomb", "MemoryBombShared", ":Sleep", "SleepInPieces")
SLOW = {
    spec for spec in EXPECTED if spec.startswith(("clocks.py", "lines.py", "memory.py")) and not spec.endswith(QUICK)
}
"""Most of these wait for the end of a time or fill the memory; `make published` plays them."""


@pytest.mark.usefixtures("harmless")
@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.published)])
def test_attacks_each_in_a_sandbox_of_its_own(slow: bool) -> None:
    for spec in EXPECTED:
        if (spec in SLOW) == slow and spec not in TOGETHER:
            # Most end their process, and with it all that a second game could meet.
            attack(f"{ATTACKS}/{spec}", [spec] * (2 if spec.endswith(("StateForNextContestant", *ALONE)) else 1))


@pytest.mark.usefixtures("harmless")
def test_attacks_that_only_try_something(tmp_path: Path) -> None:
    for file in {spec.partition(":")[0] for spec in TOGETHER}:
        shutil.copy(ATTACKS / file, tmp_path)
    (tmp_path / "strategy.py").write_text(IN_TURN.format(pairs=[tuple(spec.split(":")) for spec in TOGETHER]))
    attack(str(tmp_path), TOGETHER * 2)


@pytest.mark.parametrize("name", ["Environment", "Files", "Proc", "Sockets"])
def test_an_attack_finds_the_answer_where_there_is_no_sandbox(name: str, canaries: Path) -> None:
    """Else it would get its verdict by looking in the wrong place."""
    code = "import os, runpy, sys\nwalk = os.walk\nos.walk = lambda top: walk(sys.argv[2])\n"
    code += f"print(runpy.run_path(sys.argv[1])['Read{name}']().first_move()[0])"
    command = [sys.executable, "-c", code, str(ATTACKS / "reads.py"), str(canaries)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert found.stdout.strip() == (canaries / "canary").read_text()
