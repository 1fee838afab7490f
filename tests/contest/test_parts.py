"""The parts of the contest one by one: lines, word files, names, ranks, limits, commands."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers import ORIGINAL, SMALL
from wordpl.contest import protocol
from wordpl.contest.contestant import encode
from wordpl.contest.limits import Limits
from wordpl.contest.receipt import read_receipt
from wordpl.contest.words import lists
from wordpl.errors import WordplError
from wordpl.play.moves import Answer, Ask, InvalidMoveError, read_move

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
        reply = protocol.read_reply(line)
    except protocol.ProtocolError:
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
    assert len(line) <= protocol.MAX_LINE
    reply = protocol.read_reply(line[:-1])
    assert reply.turn == turn
    if reply.kind == "pair":
        assert reply.values[0] == word
        got = reply.values[1]
        assert got == epsilon or (got != got and epsilon != epsilon) or abs(epsilon) > 1e300
    else:
        assert reply.kind == "invalid"
        assert len(word) > protocol.MAX_WORD


@given(MOVES)
@example((SMALL.guesses[0], 2.5))
@example((SMALL.answers[0], 0))
@example(Ask(SMALL.guesses[1], 7.0))
@example(Answer(SMALL.answers[1]))
def test_whatever_is_returned_makes_one_line(move: Any) -> None:
    line = encode(3, move)
    assert len(line) <= protocol.MAX_LINE
    reply = protocol.read_reply(line[:-1])
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
    room = protocol.MAX_LINE + more - len(json.dumps(["crash", 3, ""])) - 1  # the newline
    text = "\U0001f36b" * (room // 12) + "x" * (room % 12)  # that letter takes twelve
    line = protocol.reply("crash", 3, text)
    assert (len(line) == protocol.MAX_LINE) == (more == 0)
    assert protocol.read_reply(line[:-1]).values == (text if more == 0 else text[:100],)


@given(st.text(max_size=5000), KINDS.filter(lambda kind: kind in ("crash", "invalid")))
def test_texts_are_cut_to_what_a_line_holds(text: str, kind: str) -> None:
    line = protocol.reply(kind, 1, text)
    assert len(line) <= protocol.MAX_LINE
    assert protocol.read_reply(line[:-1]).kind == kind


def test_numbers_of_subclasses_are_what_they_are() -> None:
    class Free(float):
        def __float__(self) -> float:
            return 0.0

    assert type(protocol.number(Free(3.5))) is float
    assert protocol.number(Free(3.5)) == 3.5
    assert protocol.number(np.float32(0.5)) == 0.5
    assert protocol.number(np.int64(0)) == 0
    assert protocol.number("1") is None
    assert protocol.number(10**500) == math.inf


# Word files.


def test_the_word_files_are_those_of_the_contest() -> None:
    files = {name: content.decode().split() for name, content in lists(ORIGINAL).items()}
    assert tuple(files["answers.txt"]) == ORIGINAL.answers
    assert tuple(files["valid.txt"]) == ORIGINAL.guesses
    assert 500 < len(files["easy_words.txt"]) < 1500
    assert set(files["easy_words.txt"]) < set(ORIGINAL.answers)
    assert lists(SMALL)["easy_words.txt"] == lists(SMALL)["answers.txt"]


# Limits.


@given(st.sampled_from(sorted(vars(Limits()))), st.sampled_from([0, -1, math.nan]))
def test_limits_are_positive(name: str, value: float) -> None:
    with pytest.raises(WordplError, match=name):
        Limits(**{name: value})  # type: ignore[arg-type]


# The command line.


def command(*arguments: str, cwd: Path, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """The command line, run in a folder; with programs looked for in `path` alone, if given."""
    wordpl_command = str(Path(sys.executable).with_name("wordpl"))
    environment = os.environ if path is None else {**os.environ, "PATH": path}
    return subprocess.run(
        [wordpl_command, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


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
        (["submit", "good.py", "--name", "X", "--max-trials", "5"], "1001"),
        (["submit", "good.py", "--name", "X", "--nonce", "a\nb"], "nonce"),
        (["submit", "good.py", "--name", "X", "--nonce", "x" * 201], "nonce"),
        (["submit", "good.py", "--name", "X", "--start-seconds", "inf"], "start_seconds"),
        (["submit", "good.py", "--name", "X", "--receipt", "no/where.json"], "no folder"),
        (["submit", "good.py", "--name", "X", "--receipt", "good.py"], "not a receipt"),
        (["leaderboard", "--clear", "x"], "--reason"),
        (["leaderboard", "--close", "--ledger", "nowhere.sqlite"], "nowhere.sqlite"),
        (["submit", "good.py", "--name", "X", "--memory", "0"], "memory"),
        (["submit", "good.py", "--name", "X", "--ledger", "good.py"], "not a contest file"),
        (["submit", "good.py:Nowhere()", "--name", "X"], "no class Nowhere"),
        (["submit", "bad.py", "--name", "X"], "cannot be started"),
        (["submit", "good.py"], "name"),
        (["leaderboard", "--ledger", "nowhere.sqlite"], "nowhere.sqlite"),
        (["audit", "--ledger", "nowhere.sqlite"], "nowhere.sqlite"),
        (["try", "--trusted", "bad.py"], "cannot be started"),
        (["try", "--trusted", "good.py", "--trials", "0"], "trials"),
        (["try", "--trusted", "good.py", "--out", "x.sqlite"], "--out"),
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
    submit = ("submit", "good.py", "--max-trials", "1001", "--json")
    done = command(*submit, "--name", "Good", "--nonce", "beacon 17", cwd=folder)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["state"] == "finished"
    assert record["trials"] == 1001
    assert record["nonce"] == "beacon 17"
    before, after = done.stderr.split("finished; secret")
    assert record["commitment"] in before
    assert "beacon 17" in before
    assert record["seed"] not in before
    assert record["seed"] in after
    assert set(record["p05"]) == {"rank", "budget", "win_rate", "win_rate_interval", "wins", "sampled", "decided"}
    (path,) = (folder / "results").glob("*.receipt.json")
    receipt = read_receipt(path)
    assert str(path.relative_to(folder)) in before
    assert receipt.entered.hash in before
    assert receipt.id == record["id"]
    assert receipt.faults() == []
    assert receipt.finished is not None
    assert receipt.finished.facts["seed"] == record["seed"]

    ledger = json.loads(command("leaderboard", "--json", cwd=folder).stdout)
    assert ledger == [record]
    exported = command("leaderboard", "--out", "board.csv", cwd=folder)
    assert "Good" in exported.stdout
    assert (folder / "board.csv").read_text().count("\n") == 2
    checked = command("audit", cwd=folder)
    assert checked.returncode == 0
    assert "no faults found" in checked.stdout

    again = command(*submit, "--name", "Another name", "--receipt", "mine.json", cwd=folder)
    assert json.loads(again.stdout) == record
    assert "as Good" in again.stderr
    assert read_receipt(folder / "mine.json") == receipt
    redrawn = command(*submit, "--name", "Good", "--memory", "2049", cwd=folder)
    assert json.loads(redrawn.stdout)["draw"] == 2
    assert "draw 2" in redrawn.stderr
    assert json.loads(redrawn.stdout)["seed"] != record["seed"]
    assert command(*submit, "--name", "Good", "--nonce", "beacon 18", cwd=folder).returncode == 2


def test_check_runs_nothing_without_a_sandbox_unless_the_file_is_trusted(folder: Path) -> None:
    (folder / "seen.py").write_text((folder / "good.py").read_text() + f"open({str(folder / 'ran')!r}, 'w').close()\n")
    nowhere = str(folder / "nowhere")
    done = command("check", "seen.py", "--games", "1", cwd=folder, path=nowhere)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "bubblewrap is not installed" in done.stderr
    assert "--trusted" in done.stderr
    assert not (folder / "ran").exists()
    done = command("check", "seen.py", "--games", "1", "--trusted", cwd=folder, path=nowhere)
    assert done.returncode == 0, done.stderr
    assert "no sandbox" in done.stdout
    assert (folder / "ran").exists()


def test_trusted_scores_are_labelled(folder: Path) -> None:
    done = command("try", "--trusted", "good.py", "--trials", "5", "--json", cwd=folder)
    assert json.loads(done.stdout)["ranked"] is False
    assert "not ranked" in command("try", "--trusted", "good.py", "--trials", "5", cwd=folder).stdout


BUSY = """
import time


class Busy:
    def first_move(self):
        end = time.process_time() + 0.4
        while time.process_time() < end:
            pass
        return "crate", 0
"""
IDLE = """
import time


class Idle:
    def first_move(self):
        time.sleep(0.4)
        return "crate", 0
"""


@pytest.mark.parametrize(
    ("code", "seconds", "timeouts"),
    [(BUSY, "0.2", 3), (BUSY, "inf", 0), (IDLE, "0.1", 0)],
)
def test_the_clock_of_trusted_games_is_cpu_time(folder: Path, code: str, seconds: str, timeouts: int) -> None:
    with_moves = code + "\n    def next_move(self, guess, epsilon, clues):\n        raise NotImplementedError\n"
    (folder / "timed.py").write_text(with_moves)
    options = ["--trials", "3", "--jobs", "1", "--json", "--game-seconds", seconds]
    done = command("try", "--trusted", "timed.py", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["timeouts"], found["errors"]) == (timeouts, 0)
    if timeouts:
        assert found["reasons"] == [{"reason": "used more than 0.2 s of CPU", "trials": 3}]


def test_the_clock_of_a_game_can_be_set(folder: Path) -> None:
    """For `score` and `sweep`: a strategy of ours that thinks for 0.4 s is too late after 0.1."""
    (folder / "ours.py").write_text(
        f"{BUSY}\n    def next_move(self, guess, epsilon, clues):\n        raise NotImplementedError\n\n\n"
        "import dataclasses\n\nimport wordpl\n\n\n@dataclasses.dataclass(frozen=True, repr=False)\n"
        "class Ours(wordpl.Strategy):\n    def players(self, setting): return lambda seed: Busy()\n"
    )
    for seconds, timeouts in (("0.1", 2), ("inf", 0)):
        options = ["ours.py:Ours()", "--trials", "2", "--jobs", "1", "--json", "--game-seconds", seconds]
        scored = command("score", *options, cwd=folder)
        assert scored.returncode == 0, scored.stderr
        swept = command("sweep", *options, "--out", f"{seconds}.sqlite", cwd=folder)
        assert swept.returncode == 0, swept.stderr
        assert [json.loads(scored.stdout)["timeouts"], json.loads(swept.stdout)[0]["timeouts"]] == [timeouts] * 2


def test_ranked_play_is_decided_by_cpu_time() -> None:
    """10 s, as the contest's code has it for wall clock; six times as much wall clock ends what sleeps."""
    limits = Limits()
    assert (limits.cpu_seconds, limits.game_seconds, limits.move_seconds) == (10.0, 60.0, 60.0)
    assert limits == Limits.for_games_of(10.0)
