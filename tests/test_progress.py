"""The progress bar gives way to a narrow terminal in the right place."""

from __future__ import annotations

import io
import re
import sys

import pytest

from wordpl.progress import show_progress

SPEC = "MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=200)"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [60, 80, 160])
def test_bar_count_and_time_stay_and_the_text_gives_way(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with show_progress() as shown:
        shown(SPEC, 30_030, 30_030, 60_060)
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sys.stderr.getvalue())  # type: ignore[attr-defined]
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", said) if "30030/60060" in line]
    assert lines and max(map(len, lines)) <= width
    assert re.match(r"━{8,}\S* +━* *30030/60060 .*\d:\d\d|━+.* 30030/60060 .*-:--:--", lines[-1])
    text = lines[-1].rpartition(":")[2].split(" ", 1)[1] if " Max" in lines[-1] else ""
    assert lines[-1].endswith(SPEC) if width == 160 else text.endswith("…") and SPEC.startswith(text[:-1])
