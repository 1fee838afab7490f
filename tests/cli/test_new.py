"""`wordpl new` and `wordpl contest export`: the files that they write pass `check` and can be scored."""

import json
import re

import pytest

from tests.cli.conftest import refused, written
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


@pytest.mark.heavy
def test_the_command_writes_a_file_that_conforms(cli):
    made = cli("contest", "export", "NGuess(n_guesses=2, epsilon=7.8)", "-o", "mine.py")
    assert made.code == 0 and "at most 15.6" in made.out.splitlines()[0]
    assert "from strategies.mine import WordplNGuess" in made.out
    checked = cli("check", "mine.py", "--games", "1", "--sandbox")
    assert checked.code == 0, checked.out + checked.err


def test_a_file_is_written_over_by_force_alone(cli, tmp_path):
    (tmp_path / "there.py").write_text("mine")
    two, link = ["Greedy(10)", "Greedy(9)", "-o", "mine.py", "--link", "javascript:x"], "https://example.org/ann"
    assert "https" in refused(cli, "contest", "export", *two)
    assert "--force" in refused(cli, "contest", "export", "Greedy(10)", "-o", "there.py")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
    over = ["Greedy(10)", "-o", "there.py", "--force", "--author", "Ann Lee", "--link", link]
    made = cli("contest", "export", *over)
    assert made.code == 0 and "no bound" in made.out and f"| [Ann Lee]({link}) |" in made.out
    written = (tmp_path / "there.py").read_text()
    assert "class Greedy(_Exported)" in written and f"\n# Author: Ann Lee <{link}>\n" in written
