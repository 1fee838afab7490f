"""The parts of the contest one by one: lines, word files, names, ranks, limits, commands."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import wordpl
from tests.cli.conftest import Cli, refused
from tests.support.helpers import ASKS_ONCE, ORIGINAL, SMALL, THINKS
from wordpl.base.errors import WordplError
from wordpl.contest.cage import sandbox
from wordpl.contest.cage.contestant_process import word_files
from wordpl.contest.inside import protocol
from wordpl.contest.inside.contestant import encode
from wordpl.contest.ledger.writer import Ledger
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


@given(MOVES)
@example((SMALL.guesses[0], 2.5))
@example((SMALL.answers[0], 0))
@example(Ask(SMALL.guesses[1], 7.0))
@example(Answer(SMALL.answers[1]))
@example(("x" * 3000, 2.5))
@example((SMALL.guesses[0], 10**400))
def test_whatever_is_returned_makes_one_line(move: Any) -> None:
    line = encode(3, move)
    assert len(line) <= protocol.MAX_LINE and line.endswith(b"\n") and line.count(b"\n") == 1
    reply = protocol.read_reply(line[:-1])
    assert reply.turn == 3
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


@pytest.mark.parametrize(
    "value",
    [
        np.array(1.0), np.array([1.0]), np.array(1), np.timedelta64(5, "ns"), np.timedelta64(5, "s"),
        np.datetime64(5, "ns"), np.complex128(1), np.str_("1"), np.bool_(True), np.ma.masked,
        np.float16(1.5), np.float64(1.5), np.longdouble(1.5), np.int8(3), np.uint64(2**63), np.float32("nan"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_a_number_in_the_sandbox_is_one_in_this_process(value: object) -> None:
    def read(epsilon: object) -> Ask | Answer | None:
        try:
            return read_move(("crate", epsilon), ORIGINAL, noiseless=False)
        except InvalidMoveError:
            return None

    reply = protocol.read_reply(encode(1, ("crate", value))[:-1])
    assert read(reply.values[1] if reply.kind == "pair" else None) == read(value)
    number = isinstance(value, (np.number, np.ndarray)) and np.ndim(value) == 0 and value.dtype.kind in "fiu"
    assert (read(value) is not None) == (number and bool(value == value))


# Word files.


def test_the_word_files_are_those_of_the_contest() -> None:
    files = {name: content.decode().split() for name, content in word_files(ORIGINAL).items()}
    assert tuple(files["answers.txt"]) == ORIGINAL.answers
    assert tuple(files["valid.txt"]) == ORIGINAL.guesses
    assert 500 < len(files["easy_words.txt"]) < 1500
    assert set(files["easy_words.txt"]) < set(ORIGINAL.answers)
    assert word_files(SMALL)["easy_words.txt"] == word_files(SMALL)["answers.txt"]


# Limits.


# The command line.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_bytes(ASKS_ONCE)
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary/strategy.py").write_bytes(ASKS_ONCE)
    (tmp_path / "binary/table.npy").write_bytes(b"\xff")
    (tmp_path / "bad.py").write_text("raise RuntimeError('\\x1b[31mred\\nline')")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["contest", "submit", "nowhere.py", "--name", "X"], "cannot read"),
        (["contest", "submit", "good.py", "--name", "=1+1"], "name"),
        (["contest", "submit", "good.py", "--name", "X", "--nonce", "a\nb"], "nonce"),
        (["contest", "submit", "good.py", "--name", "X", "--start-seconds", "inf"], "start_seconds"),
        (["contest", "submit", "binary", "--name", "X", "--publish-source"], "not text in UTF-8"),
        (["contest", "clear", "x"], "--reason"),
        (["contest", "close", "--ledger", "nowhere.sqlite", "--yes"], "nowhere.sqlite"),
        (["contest", "submit", "good.py", "--name", "X", "--memory", "0"], "memory"),
        (["contest", "submit", "good.py", "--name", "X", "--ledger", "good.py"], "not a contest file"),
        (["contest", "submit", "good.py:Nowhere()", "--name", "X"], "no class Nowhere"),
        (["contest", "submit", "bad.py", "--name", "X"], "cannot be started"),
        (["contest", "submit", "good.py"], "name"),
        (["score", "good.py", "--sandbox", "--out", "x.sqlite"], "--out"),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(arguments: list[str], said: str, folder: Path, cli: Cli) -> None:
    done = cli(*arguments)
    # Progress is shown after two seconds, which a busy machine may take.
    lines = [line for line in done.err.splitlines() if not re.match(r"submission |\d+/\d+ trials", line)]
    assert done.code == 2
    assert len(lines) == 1, done.err
    assert said in lines[0]
    assert "\x1b" not in done.err
    assert list(folder.rglob("*.sqlite")) == [], "no ledger is left by what is refused"


def test_a_contest_is_closed_after_a_question_and_then_takes_nothing(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ["--ledger", str(tmp_path / "contest.sqlite")]
    assert cli("contest", "token", "Ann", *ledger).code == 0
    assert "--yes" in refused(cli, "contest", "close", *ledger)
    for answer, code in (("n\n", 130), ("\n", 130), ("y\n", 0)):
        terminal = io.StringIO(answer)
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", terminal)
        done = cli("contest", "close", *ledger)
        assert done.code == code
        assert ("closed; its secret" in done.out) == (answer == "y\n")
    with Ledger(tmp_path / "contest.sqlite", read_only=True) as book:
        assert book.contest.closed
    assert "is closed" in refused(cli, "contest", "token", "Bob", *ledger)
    with pytest.raises(WordplError, match="is closed"):
        wordpl.web.make_page(ledger=tmp_path / "contest.sqlite", accept=True)
    assert "closed; its secret" in cli("contest", "close", "--yes", *ledger).out


NAMESPACE = """
from types import SimpleNamespace

def opening():
    return "trace", 12.0

class Mine:
    def __init__(self, options):
        self.options = options

    def __repr__(self):
        return f"Mine({self.options})"

    def first_move(self):
        return self.options.opening()

    def next_move(self, guess, epsilon, clues):
        return "crane", 0

strategy = Mine(SimpleNamespace(opening=opening, cache=object()))
"""


def test_an_entry_with_a_namespace_for_a_parameter_is_submitted_shown_and_audited(tmp_path: Path, cli: Cli) -> None:
    """Its name would say where a function and an object lie in memory: elsewhere when it plays again."""
    (tmp_path / "mine.py").write_text(NAMESPACE)
    submit = ("contest", "submit", "mine.py", "--max-trials", "1001", "--json")
    done = cli(*submit, "--name", "Good", "--nonce", "beacon 17")
    assert done.code == 0, done.err
    record = json.loads(done.out)
    assert record["state"] == "finished"
    assert record["trials"] == 1001
    assert record["nonce"] == "beacon 17"
    assert record["strategy"] == "Mine(namespace(opening=<function opening>, cache=<object object>))"
    before, after = done.err.split("finished; secret")
    assert record["commitment"] in before
    assert "beacon 17" in before
    assert record["seed"] not in before
    assert record["seed"] in after
    assert set(record["p05"]) == {"rank", "budget", "win_rate", "win_rate_interval", "wins", "sampled", "decided"}

    assert json.loads(cli("contest", "board", "--json").out) == [record]
    assert "Good" in cli("contest", "board", "--out", "board.csv").out
    assert (tmp_path / "board.csv").read_text().count("\n") == 2
    checked = cli("contest", "audit", "--file", "mine.py", "--json")
    (entry,) = json.loads(checked.out)["entries"]
    assert (checked.code, entry["played_again"], entry["faults"]) == (0, 1001, [])

    again = cli(*submit, "--name", "Another name")
    assert json.loads(again.out) == record
    assert "as Good" in again.err
    assert cli(*submit, "--name", "Good", "--nonce", "beacon 18").code == 2


def test_check_runs_nothing_without_a_sandbox_unless_the_file_is_trusted(
    folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "seen.py").write_text((folder / "good.py").read_text() + f"open({str(folder / 'ran')!r}, 'w').close()\n")
    monkeypatch.setenv("PATH", str(folder / "nowhere"))
    for found_before in (sandbox.find, sandbox._bwrap):
        found_before.cache_clear()
    done = cli("check", "seen.py", "--games", "1", "--sandbox")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert "bubblewrap is not installed" in done.err
    assert "without --sandbox" in done.err
    assert not (folder / "ran").exists()
    done = cli("check", "seen.py", "--games", "1")
    assert done.code == 0, done.err
    assert "no sandbox" in done.out
    assert (folder / "ran").exists()


@pytest.mark.parametrize(
    ("command", "seconds", "timeouts"),
    [("score timed.py", "0.2", 2), ("score timed.py", "inf", 0)],
)
def test_the_clock_of_games_can_be_set(command: str, seconds: str, timeouts: int, folder: Path, cli: Cli) -> None:
    (folder / "timed.py").write_text(THINKS)
    done = cli(*command.split(), "--trials", "2", "--jobs", "1", "--json", "--game-seconds", seconds)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["timeouts"], found["errors"]) == (timeouts, 0)
    if timeouts:
        assert found["reasons"] == [{"reason": "used more than 0.2 s of CPU", "trials": 2}]
