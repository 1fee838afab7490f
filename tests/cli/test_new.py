"""`wordpl new`: what it writes is a strategy that passes `check` and can be scored, whichever interface it has."""

import json
import re

import pytest

from tests.cli.conftest import written
from tests.support.helpers import SMALL, list_of
from wordpl.contest import TEMPLATES
from wordpl.contest.contestant import ContestantProcess


@pytest.mark.heavy
@pytest.mark.parametrize("interface", TEMPLATES)
def test_a_template_passes_check_and_plays(cli, tmp_path, interface, monkeypatch):
    anew = ContestantProcess.start_anew  # of two new processes it meets one, for time
    monkeypatch.setattr(ContestantProcess, "start_anew", lambda self, seed: anew(self, seed) if seed == 2 else None)
    lists = written(list_of("few", (*SMALL.answers, "trace", "lions")), tmp_path)
    run = cli("new", "mine.py", "--interface", interface)
    assert (run.code, run.out) == (0, "mine.py is written; next: wordpl check mine.py\n")
    findings = json.loads(cli("check", "mine.py", "--games", "1", *lists, "--json").out)
    assert [finding for finding in findings if not finding["passed"]] == []
    assert re.fullmatch(rf"Mine\(.*\), {interface} interface, [\d.e+-]+ s", findings[0]["message"])
    assert "\nwordpl check mine.py " in (tmp_path / "mine.py").read_text()
    tried = json.loads(cli("score", "mine.py", "-n", "60", "-j", "1", *lists, "--json").out)
    assert tried["errors"] == tried["timeouts"] == 0
    # More than 5%, so that it reaches a percentile if it is submitted as it is.
    assert tried["posterior_win_rate_interval"][0] > 0.05
