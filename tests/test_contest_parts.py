"""The parts of the contest one by one: lines, submissions, names, ranks, limits."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import wordpl
from tests.helpers import ORIGINAL, SMALL
from wordpl.contest import cgroup, seccomp, wire
from wordpl.contest.contestant import encode
from wordpl.contest.limits import Limits
from wordpl.contest.ranking import RECORDS, look_confidence, settled, standings
from wordpl.contest.submission import load_submission
from wordpl.contest.usage import shared_out, tree, usage
from wordpl.contest.words import lists
from wordpl.errors import WordplError
from wordpl.moves import Answer, Ask, InvalidMoveError, read_move
from wordpl.stats import win_interval

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), lambda x: st.lists(x, max_size=4)
)
# Often enough what is legal, or nearly: of texts and numbers at random next to none is.
WORDS = st.sampled_from([*SMALL.answers[:3], *SMALL.guesses[:3]])
PART = JSON | WORDS | st.floats(0, 30) | st.just(0)
MOVES = JSON | st.tuples(PART, PART) | st.builds(Ask, PART, PART) | st.builds(Answer, PART)
KINDS = st.sampled_from(["up", "ready", "pair", "ask", "answer", "invalid", "crash", "memory", "win"])


# Lines.


@given(st.binary(max_size=3000) | st.builds(lambda *v: json.dumps(v).encode(), KINDS, JSON, PART, PART))
@example(b"[" * 2000)
@example(b'["pair", 1, "crate", 1' + b"0" * 1990 + b"]")
@example(b'["pair", 1, "crate", NaN]')
@example(b'["pair", true, "crate", 1.0]')
def test_any_line_is_a_reply_of_plain_values_or_a_protocol_error(line: bytes) -> None:
    try:
        reply = wire.read_reply(line)
    except wire.ProtocolError:
        return
    assert type(reply.kind) is str
    assert type(reply.turn) is int
    assert {type(value) for value in reply.values} <= {str, int, float, bool}
    if reply.kind in ("pair", "ask"):
        move = reply.values if reply.kind == "pair" else Ask(*reply.values)
        try:
            legal = read_move(move, SMALL, False)
        except InvalidMoveError:
            return
        word = legal.guess if isinstance(legal, Ask) else legal.word
        assert type(word) is str
        assert word in SMALL.guess_index


@given(st.integers(0, 10**6), st.text(max_size=80), st.floats() | st.integers(-(10**400), 10**400) | st.booleans())
def test_what_a_contestant_returns_arrives_as_it_is_or_is_no_move(turn: int, word: str, epsilon: Any) -> None:
    line = encode(turn, (word, epsilon))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert len(line) <= wire.MAX_LINE
    reply = wire.read_reply(line[:-1])
    assert reply.turn == turn
    if reply.kind == "pair":
        assert reply.values[0] == word
        got = reply.values[1]
        assert got == epsilon or (got != got and epsilon != epsilon) or abs(epsilon) > 1e300
    else:
        assert reply.kind == "invalid"
        assert len(word) > wire.MAX_WORD


@given(MOVES)
@example((SMALL.guesses[0], 2.5))
@example((SMALL.answers[0], 0))
@example(Ask(SMALL.guesses[1], 7.0))
@example(Answer(SMALL.answers[1]))
def test_whatever_is_returned_makes_one_line(move: Any) -> None:
    line = encode(3, move)
    assert len(line) <= wire.MAX_LINE
    reply = wire.read_reply(line[:-1])
    try:
        there: object = read_move(move, SMALL, False)
    except InvalidMoveError:
        there = None
    kinds = {"pair": lambda v: v, "ask": lambda v: Ask(*v), "answer": lambda v: Answer(*v), "invalid": lambda v: None}
    try:
        here: object = read_move(kinds[reply.kind](reply.values), SMALL, False)
    except InvalidMoveError:
        here = None
    assert here == there, "a move is as legal in the sandbox as in process"


@pytest.mark.parametrize("more", [0, 1])
def test_a_line_of_the_largest_size_is_sent_whole_and_a_longer_one_is_cut(more: int) -> None:
    room = wire.MAX_LINE + more - len(json.dumps(["crash", 3, ""])) - 1  # the newline
    text = "\U0001f36b" * (room // 12) + "x" * (room % 12)  # that letter takes twelve
    line = wire.reply("crash", 3, text)
    assert (len(line) == wire.MAX_LINE) == (more == 0)
    assert wire.read_reply(line[:-1]).values == (text if more == 0 else text[:100],)


@given(st.text(max_size=5000), KINDS.filter(lambda kind: kind in ("crash", "invalid")))
def test_texts_are_cut_to_what_a_line_holds(text: str, kind: str) -> None:
    line = wire.reply(kind, 1, text)
    assert len(line) <= wire.MAX_LINE
    assert wire.read_reply(line[:-1]).kind == kind


def test_numbers_of_subclasses_are_what_they_are() -> None:
    class Free(float):
        def __float__(self) -> float:
            return 0.0

    assert type(wire.number(Free(3.5))) is float
    assert wire.number(Free(3.5)) == 3.5
    assert wire.number(np.float32(0.5)) == 0.5
    assert wire.number(np.int64(0)) == 0
    assert wire.number("1") is None
    assert wire.number(10**500) == math.inf


# Submissions.


def test_a_folder_takes_a_call_and_follows_no_link(tmp_path: Path) -> None:
    inside, outside = tmp_path / "mine", tmp_path / "other"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "strategy.py").write_text("x = 1\n")
    found = load_submission(f"{inside}:Mine(3)")
    assert (found.call, found.path, list(found.files)) == ("Mine(3)", str(inside), ["strategy.py"])
    (inside / "link").symlink_to(outside)
    with pytest.raises(WordplError, match="symbolic link"):
        load_submission(str(inside))


def test_a_file_and_a_folder_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("x = 1\n")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "data.bin").write_bytes(b"\0\1")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "strategy.pyc").write_bytes(b"no")
    folder = load_submission(str(tmp_path))
    assert folder.files == {"strategy.py": b"x = 1\n", "deep/er/data.bin": b"\0\1"}
    file = load_submission(f"{tmp_path}/strategy.py:Mine(3, name='x', epsilon=inf)")
    assert file.files == {"strategy.py": b"x = 1\n"}
    assert file.maker == ("Mine", (3,), {"name": "x", "epsilon": math.inf})
    assert len({folder.digest, file.digest, load_submission(f"{tmp_path}/strategy.py").digest}) == 3


@pytest.mark.parametrize("kind", ["symlink", "link in folder", "folder link", "hard link", "pipe", "device", "socket"])
def test_what_is_no_plain_file_is_refused(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "folder"
    place.mkdir()
    (place / "strategy.py").write_text("")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "file").write_text("secret")
    target = place
    if kind == "symlink":
        target = tmp_path / "link.py"
        target.symlink_to(place / "strategy.py")
    elif kind == "link in folder":
        (place / "data").symlink_to(tmp_path / "secret" / "file")
    elif kind == "folder link":
        (place / "data").symlink_to(tmp_path / "secret")
    elif kind == "hard link":
        (place / "data").hardlink_to(tmp_path / "secret" / "file")
    elif kind == "pipe":
        os.mkfifo(place / "data")
    elif kind == "device":
        target = Path("/dev/zero")
    else:
        import socket

        with socket.socket(socket.AF_UNIX) as end:
            end.bind(str(place / "data"))
    with pytest.raises(WordplError, match=r"plain files only|no Python module"):
        load_submission(str(target))


@pytest.mark.parametrize(
    "text", ["", "nowhere.py", "a\0b.py", "/", "x" * 5000, "README.md", "tests", "a.py:1+1", "a.py:**"]
)
def test_what_is_no_submission_is_one_line(text: str) -> None:
    with pytest.raises(WordplError) as caught:
        load_submission(text)
    assert "\n" not in str(caught.value)


def test_a_submission_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("")
    with (tmp_path / "data").open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(WordplError, match="larger than 64 MiB"):
        load_submission(str(tmp_path))


def test_the_word_files_are_those_of_the_contest() -> None:
    files = {name: content.decode().split() for name, content in lists(ORIGINAL).items()}
    assert tuple(files["answers.txt"]) == ORIGINAL.answers
    assert tuple(files["valid.txt"]) == ORIGINAL.guesses
    assert 500 < len(files["easy_words.txt"]) < 1500
    assert set(files["easy_words.txt"]) < set(ORIGINAL.answers)
    assert lists(SMALL)["easy_words.txt"] == lists(SMALL)["answers.txt"]


# Ranks.


@given(
    st.lists(st.sampled_from([5.0, 10.0, 20.0, math.inf]) | st.floats(0.0, 100.0), min_size=1, max_size=300),
)
def test_the_budget_to_rank_is_the_smallest_that_clears(scores: list[float]) -> None:
    array = np.array(scores)
    for standing in standings(array):
        clears = [
            budget
            for budget in sorted(set(array[np.isfinite(array)]))
            if win_interval(int((array <= budget).sum()), len(array), look_confidence(), "exact")[0]
            >= standing.percentile
        ]
        assert standing.budget == (clears[0] if clears else math.inf)
        assert standing.sampled == wordpl.percentile(scores, standing.percentile)
        assert standing.interval[0] <= standing.win_rate <= standing.interval[1]
        assert standing.clears == (standing.budget <= 0.95 * RECORDS[standing.percentile])


def test_a_lucky_sample_does_not_rank() -> None:
    # Truly 94.5%: of 1,001 games about one run in four has a finite sampled 95th percentile, and none ranks.
    rng = np.random.default_rng(3)
    lucky = 0
    for _ in range(200):
        scores = np.where(rng.random(1001) < 0.945, 60.0, math.inf)
        last = standings(scores)[2]
        lucky += math.isfinite(last.sampled)
        assert last.budget == math.inf
    assert 30 < lucky < 80


def test_a_run_goes_on_until_it_is_settled() -> None:
    half = np.where(np.arange(1001) % 2 == 0, 10.0, math.inf)
    assert not settled(half, 0.02)
    assert settled(np.tile(half, 16), 0.03)
    assert settled(np.full(1001, math.inf), 0.001), "it surely clears nothing"
    assert settled(np.full(1001, 10.0), 0.001), "it surely clears everything"


# Limits.


@given(st.sampled_from(sorted(vars(Limits()))), st.sampled_from([0, -1, math.nan]))
def test_limits_are_positive(name: str, value: float) -> None:
    with pytest.raises(WordplError, match=name):
        Limits(**{name: value})  # type: ignore[arg-type]


def test_the_usage_of_a_tree_is_that_of_all_its_processes() -> None:
    code = "import os, time\nos.fork()\nkept = bytearray(os.urandom(1 << 20)) * 50\nos.write(1, b'1')\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(2) == b"11"
        assert len(list(tree(process.pid))) == 2
        found = usage(process.pid)
        assert found.tasks == 2
        assert 100 << 20 < found.memory < 200 << 20
        assert 100 << 20 < shared_out(process.pid) <= found.memory + (8 << 20)
        for pid in tree(process.pid):
            os.kill(pid, 9)
    assert usage(process.pid).tasks == 0


def test_a_control_group_is_made_where_it_can_be_and_removed(tmp_path: Path) -> None:
    here = tmp_path / "user.slice"
    here.mkdir()
    for place in (tmp_path, here):
        (place / "cgroup.controllers").write_text("cpu memory pids\n")
        (place / "cgroup.subtree_control").write_text("memory\n")
    mounts = f"30 23 0:26 / {tmp_path} rw,nosuid - cgroup2 cgroup2 rw\n"
    group = cgroup.make(1000, 7, mounts, "0::/user.slice\n")
    assert group is not None
    (folder,) = [path for path in here.iterdir() if path.is_dir()]
    assert (folder / "memory.max").read_text() == "1000"
    assert (folder / "pids.max").read_text() == "7"
    group.add([12])
    assert (folder / "cgroup.procs").read_text() == "12"
    assert not group.overran
    (folder / "memory.events").write_text("oom 1\noom_kill 2\n")
    assert group.overran
    for file in folder.iterdir():
        file.unlink()  # as the kernel's own files go with the folder
    folder.rmdir()
    group.close()
    (here / "cgroup.controllers").write_text("cpu\n")
    assert cgroup.make(1000, 7, mounts, "0::/user.slice\n") is not None, "beside it, where its parent may"
    assert cgroup.make(1000, 7, "", "0::/\n") is None
    assert cgroup.make(1000, 7, mounts, "4:memory:/x\n") is None


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_allows_what_is_used_and_denies_what_is_not(machine: str) -> None:
    architecture, calls = {
        "x86_64": (0xC000003E, {"read": 0, "clone": 56, "socket": 41, "ioctl": 16, "ptrace": 101, "memfd": 319}),
        "aarch64": (0xC00000B7, {"read": 63, "clone": 220, "socket": 198, "ioctl": 29, "ptrace": 117, "memfd": 279}),
    }[machine]
    code = seccomp.program(machine)
    assert code is not None

    def run(name: str, first: int = 0, second: int = 0, arch: int = architecture) -> int:
        number = calls.get(name, 435)
        return _run_filter(code, struct.pack("<IIQQQ", number, arch, 0, first, second))

    allow, deny = 0x7FFF0000, 0x00050001
    assert run("read") == allow
    assert run("read", arch=1) == 0x80000000
    assert run("ptrace") == run("memfd") == deny
    assert run("clone3") == 0x00050026
    assert run("clone", 0x003D0F00) == allow, "a thread"
    assert run("clone", 17) == allow, "a fork"
    assert run("clone", 0x10000011) == run("clone", 0x00020011) == deny
    assert [run("socket", family) for family in (1, 2, 10)] == [allow] * 3
    assert [run("socket", family) for family in (16, 17, 38, 40)] == [0x00050061] * 4
    assert run("ioctl", 0, 0x5401) == allow
    assert run("ioctl", 0, 0x5412) == run("ioctl", 0, 0x541C) == deny


def _run_filter(code: bytes, data: bytes) -> int:
    """A classic BPF machine, as far as the filter goes."""
    program = list(struct.iter_unpack("<HBBI", code))
    at, value = 0, 0
    while True:
        operation, yes, no, k = program[at]
        at += 1
        if operation == 0x20:
            # The data: number, architecture, instruction pointer, arguments; low words first.
            (value,) = struct.unpack_from("<I", data, k)
        elif operation == 0x06:
            return int(k)
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[operation]
            at += yes if holds else no


def test_an_unknown_machine_has_no_filter() -> None:
    assert seccomp.program("vax") is None


# The command line.


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    wordpl_command = str(Path(sys.executable).with_name("wordpl"))
    return subprocess.run([wordpl_command, *arguments], cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_text(
        "class Good:\n"
        "    def first_move(self): return 'salet', 5.0\n"
        "    def next_move(self, guess, epsilon, clues): return 'crate', 0\n"
    )
    (tmp_path / "bad.py").write_text("raise RuntimeError('\\x1b[31mred\\nline')")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["submit", "nowhere.py", "--name", "X"], "cannot read"),
        (["submit", "good.py", "--name", "a\x1b[31m"], "name"),
        (["submit", "good.py", "--name", "=1+1"], "name"),
        (["submit", "good.py", "--name", ""], "name"),
        (["submit", "good.py", "--name", "X", "--most", "5"], "1001"),
        (["submit", "good.py", "--name", "X", "--width", "3"], "width"),
        (["submit", "good.py", "--name", "X", "--memory", "0"], "memory"),
        (["submit", "good.py", "--name", "X", "--ledger", "good.py"], "not a contest file"),
        (["submit", "good.py:Nowhere()", "--name", "X"], "no class Nowhere"),
        (["submit", "bad.py", "--name", "X"], "cannot be started"),
        (["submit", "good.py"], "name"),
        (["leaderboard", "--ledger", "nowhere.sqlite"], "nowhere.sqlite"),
        (["audit", "--ledger", "nowhere.sqlite"], "nowhere.sqlite"),
        (["score", "--trusted", "bad.py"], "cannot be started"),
        (["score", "--trusted", "good.py", "--trials", "0"], "trials"),
        (["score", "--trusted", "good.py", "--out", "x.sqlite"], "--out"),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(arguments: list[str], said: str, folder: Path) -> None:
    done = command(*arguments, cwd=folder)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("submission ")]
    assert done.returncode == 2
    assert len(lines) == 1, done.stderr
    assert said in lines[0]
    assert "\x1b" not in done.stderr


def test_submit_leaderboard_audit_and_export(folder: Path) -> None:
    done = command("submit", "good.py", "--name", "Good 2nd", "--most", "1001", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["state"] == "finished"
    assert record["trials"] == 1001
    assert record["commitment"] in done.stderr
    assert set(record["p05"]) >= {"budget", "win_rate", "win_rate_interval", "sampled", "improvement_percent", "clears"}
    ledger = json.loads(command("leaderboard", "--json", cwd=folder).stdout)
    assert ledger == [record]
    exported = command("leaderboard", "--export", "board.csv", cwd=folder)
    assert "Good 2nd" in exported.stdout
    assert (folder / "board.csv").read_text().count("\n") == 2
    checked = command("audit", cwd=folder)
    assert checked.returncode == 0
    assert "all fits" in checked.stdout
    again = command("submit", "good.py", "--name", "Good 2nd", "--most", "1001", "--json", cwd=folder)
    assert json.loads(again.stdout) == record


def test_trusted_scores_are_labelled(folder: Path) -> None:
    done = command("score", "--trusted", "good.py", "--trials", "5", "--json", cwd=folder)
    assert json.loads(done.stdout)["ranked"] is False
    assert "not ranked" in command("score", "--trusted", "good.py", "--trials", "5", cwd=folder).stdout
