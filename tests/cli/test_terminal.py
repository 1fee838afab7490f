"""Lines that are typed or piped, and coloured tiles."""

import io
import sys

import pytest

from tests.support.commands import Terminal
from wordpl.cli.terminal import Lines, screen, tiles


def piped(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
    lines = Lines()
    assert not lines.terminal
    return list(iter(lambda: lines.read("> "), None))


def test_lines_come_as_they_are(monkeypatch, capsys):
    """Piped, and pasted together: one by one."""
    assert piped(b" crate ..c.. \n\nundo\r\nlast", monkeypatch) == ["crate ..c..", "", "undo", "last"]
    assert capsys.readouterr().out == ""  # no prompt
    assert piped(b"", monkeypatch) == []
    assert piped(b"\xff\xfe\n", monkeypatch)[0] == "\ufffd"
    pasted = iter(["crate ..c..\nslink .i...", ""])
    monkeypatch.setattr("builtins.input", lambda: next(pasted))
    lines = Lines()
    assert [lines.read("> ") for _ in range(3)] == ["crate ..c..", "slink .i...", ""]


@pytest.mark.parametrize(("no_colour", "coloured"), [("", True), ("1", False)])
def test_tiles_have_colours_on_a_terminal_only(monkeypatch, no_colour, coloured):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", no_colour)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys, "stdout", Terminal())
    screen().print(tiles("crate", ".ic.."))
    assert ("43m" in sys.stdout.getvalue()) == coloured
    assert sys.stdout.getvalue().rstrip().endswith(".ic..")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    screen().print(tiles("crate", ".ic.."))
    assert sys.stdout.getvalue() == " C  R  A  T  E   .ic..\n"
