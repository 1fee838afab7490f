"""What `--out` may name: one rule for every command that has it, checked before the command does anything."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli import conftest
from tests.cli.conftest import Cli
from tests.support.commands import LEAVES
from tests.support.helpers import SMALL
from wordpl import MissingExtraError, Store, WordplError
from wordpl.cli.targets import TRIALS, check_target, writable
from wordpl.contest.ledger.writer import Ledger

LISTS = ["--answers", "words.txt"]
COMMANDS = {
    "score": ["score", "TwoGuess(9)", "-n", "1", "-j", "1", *LISTS],
    "sweep": ["sweep", "TwoGuess(9)", "-n", "1", "-j", "1", *LISTS],
    "compare": ["compare", "TwoGuess(9)", "NGuess(1, 9)", "-n", "1", "-j", "1", *LISTS],
    "results": ["results", "read.sqlite"],
    "plot": ["plot", "read.sqlite"],
    "report": ["report", "read.sqlite"],
    "win-rate": ["win-rate", "TwoGuess(9)", "-j", "1", *LISTS],
    "frontier": ["frontier", "--family", "1 clue", "--no-bound", "--points", "read.jsonl"],
    "tree build": ["tree", "build", *LISTS],
    "tree optimal": ["tree", "optimal", *LISTS],
    "tree prove": ["tree", "prove", "--certificate", "read.txt", *LISTS],
    "tree check": ["tree", "check", "read.tree", *LISTS],
    "contest export": ["contest", "export", "Fifth()"],
    "list": ["list", "--words", "nyt2023"],
    "contest board": ["contest", "board", "--ledger", "ledger.sqlite"],
    "contest fetch": ["contest", "fetch", "abc", "--ledger", "ledger.sqlite"],
}
"""Each command with `--out`, as it is called, and what it reads."""

KEPT = {
    "strategy.py": b"class Mine:\n",
    "words.csv": b"crate\nhaste\n",
    "notes.tree": b"oak\n",
    "data.json": b'{"wordpl_policy": 1}\n',
    "page.html": b"mine\n",
    "picture.png": b"SQLite format 3\0",
    "mine.sqlite": b"mine\n",
}
"""Files that no command made, by each ending that some command takes."""


@pytest.fixture
def files(tmp_path):
    for name, content in KEPT.items():
        tmp_path.joinpath(name).write_bytes(content)
    tmp_path.joinpath("words.txt").write_text("\n".join(SMALL.answers) + "\n")
    Store(tmp_path / "read.sqlite").close()
    Ledger(tmp_path / "ledger.sqlite").close()


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def refused(cli: Cli, *arguments: str) -> str:
    """The line of a command that changes no file, makes none, and gets nowhere."""
    before = contents()
    said = conftest.refused(cli, *arguments)
    assert contents() == before
    return said


def test_the_commands_are_all_that_have_the_option():
    found = {" ".join(path) for path, one in LEAVES.items() if any("--out" in param.opts for param in one.params)}
    assert found == COMMANDS.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_names_that_do_not_fit_and_files_of_another_kind_are_refused(cli, files, command, monkeypatch):
    for name in ("new.xyz", "new"):
        said = refused(cli, *COMMANDS[command], "--out", name)
        assert "cannot write" in said and "is expected" in said
    for name in (*KEPT, "ledger.sqlite"):
        refused(cli, *COMMANDS[command], "--out", name)
    # The file to write comes from `writable`, so that streams work for each command.
    monkeypatch.setattr("wordpl.cli.commands.writable", _asked)
    assert "asked for -" in refused(cli, *COMMANDS[command], "--out", "-")


@contextmanager
def _asked(target: Path, *rest: object) -> Iterator[Path]:
    raise WordplError(f"asked for {target}")
    yield target


@pytest.mark.parametrize(
    ("command", "ending"),
    {"results": ".json", "plot": ".svg", "report": ".html", "tree check": ".tree", "contest board": ".csv"}.items(),
)
def test_what_a_command_reads_is_not_what_it_writes(cli, files, command, ending):
    """Whatever it is called, by whatever path, and by the name that it chooses itself."""
    read = [word for word in COMMANDS[command] if Path(word).is_file()]
    source = Path(read[-1] if command == "tree check" else read[0])
    os.link(source, f"same{ending}")
    Path(f"link{ending}").symlink_to(source)
    for name in (f"same{ending}", f"link{ending}"):
        assert "reads it" in refused(cli, *COMMANDS[command], "--out", name)
    if command in ("plot", "report"):
        own = {"plot": "run.png", "report": "run.html"}[command]
        source.rename(own)
        assert "reads it" in refused(cli, command, own)


def test_no_other_file_is_written_over(cli, files):
    """The table beside a picture, or a strategy by its own export."""
    Path("p.data.csv").write_text("mine\n")
    assert "p.data.csv: it is there already" in refused(cli, "plot", "read.sqlite", "--out", "p.png", "--data")

    assert "reads it" in refused(cli, "contest", "export", "strategy.py:Mine()", "--out", "strategy.py", "--force")


@pytest.mark.parametrize("place", ["words.txt/new", "folder", "shut/new"])
def test_a_place_where_nothing_can_be_made(cli, files, monkeypatch, place):
    Path("folder.tree").mkdir()
    Path("shut").mkdir()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "shut" and allowed(path, mode))
    assert "cannot write" in refused(cli, *COMMANDS["tree build"], "--out", f"{place}.tree")


@pytest.mark.heavy
def test_its_own_files_are_written_again_and_folders_are_made(cli, files):
    lines = [
        [*COMMANDS["score"], "--out", "run.sqlite"],
        [*COMMANDS["tree build"], "--out", "new/folder/t.TREE"],
        [*COMMANDS["contest board"], "--json", "--out", "new/folder/b.json"],
        ["results", "run.sqlite", "--out", "t.csv"],
        ["plot", "run.sqlite", "--kind", "wins", "--out", "p.svg", "--data"],
        ["report", "run.sqlite"],
    ]
    for line in lines * 2:
        assert cli(*line).code == 0, line


STREAMED = {
    "score": b"SQLite format 3\0",
    "results": b"id,strategy,",
    "plot": b"\x89PNG",
    "report": b"<!DOCTYPE html>",
    "tree build": b'{\n "format": ',
}
"""How begins what a command sends to a stream that has no name of its own."""


@contextmanager
def reading(pipe: Path) -> Iterator[list[bytes]]:
    """Read a pipe to its end in the block; the bytes are there after it."""
    os.mkfifo(pipe)
    reader, parts = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), []
    writer = os.open(pipe, os.O_WRONLY)  # so that it does not end before it has begun
    os.set_blocking(reader, True)

    def read() -> None:
        while part := os.read(reader, 1 << 16):
            parts.append(part)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield parts
    finally:
        os.close(writer)
        thread.join()
        os.close(reader)
        pipe.unlink()


@pytest.fixture
def played(cli, files):
    Path("read.sqlite").unlink()
    assert cli(*COMMANDS["score"], "--out", "read.sqlite").code == 0


@pytest.mark.heavy
@pytest.mark.parametrize("command", STREAMED)
def test_a_stream_gets_the_file_that_the_command_would_write(cli, played, command):
    before = contents()
    with reading(Path("pipe")) as parts:
        assert cli(*COMMANDS[command], "--out", "pipe").code == 0
    assert b"".join(parts).startswith(STREAMED[command])
    assert contents() == before


def test_a_pipe_has_what_its_name_says_or_nothing(cli, played):
    for where, code in (([], 0), (["--where", "epsilon=7"], 2)):  # no trials, which fails
        with reading(Path("pipe.json")) as parts:
            assert cli("results", "read.sqlite", *where, "--out", "pipe.json").code == code
        assert json.loads(b"".join(parts) or b"0") if code == 0 else parts == []


@pytest.mark.parametrize("name", ["-", "/dev/fd/1"])
def test_what_goes_to_stdout_goes_there_alone(cli, played, name):
    assert cli("results", "read.sqlite", "--out", "t.csv").code == 0
    shown = cli("results", "read.sqlite", "--out", name)
    assert (shown.code, shown.out) == (0, Path("t.csv").read_text())
    tree = cli(*COMMANDS["tree build"], "--out", name)
    assert tree.code == 0 and json.loads(tree.out)["format"] and "mean" in tree.err
    said = cli("plot", "read.sqlite", "--data", "--out", name)  # two files
    assert (said.code, said.out) == (2, "") and "give --out the name of a file" in said.err
    assert not {"-", "out.csv"} & {path.name for path in Path().iterdir()}


def test_a_shell_keeps_what_it_appends_to(tmp_path):
    """It has the file open: to put another in its place would lose what stands there."""
    with (tmp_path / "log").open("wb", buffering=0) as log:
        log.write(b"before\n")
        with writable(Path(f"/dev/fd/{log.fileno()}"), [TRIALS], []) as beside:
            beside.write_bytes(b"table\n")
        log.write(b"after\n")
    assert (tmp_path / "log").read_bytes() == b"before\ntable\nafter\n"


def test_a_stream_that_takes_nothing_is_an_error(cli, played):
    Path("full").symlink_to("/dev/full")
    os.mkfifo("pipe")
    said = cli("results", "read.sqlite", "--out", "full")
    assert (said.code, said.out) == (2, "") and "cannot write full: No space left on device" in said.err
    for name, why in (("pipe", "No such device or address"), ("/dev/fd/99", "Bad file descriptor")):
        assert f"cannot write {name}: {why}" in refused(cli, "results", "read.sqlite", "--out", name)


def test_what_a_picture_needs_is_asked_for_before_the_work(monkeypatch, tmp_path):
    from wordpl.cli import targets

    monkeypatch.setattr(targets.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install '.\[plots\]'"):
        check_target(tmp_path / "p.png", [targets.PICTURE])
