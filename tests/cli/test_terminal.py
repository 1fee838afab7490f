"""Lines that are typed or piped."""

import io
import sys

import pytest

from wordpl.cli.terminal import Lines


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
