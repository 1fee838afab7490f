"""`wordpl new`: what it writes is a strategy that passes `check` and can be scored, whichever interface it has."""

import json

import pytest

from tests.support.helpers import ASKS_ONCE
from wordpl.base.errors import WordplError
from wordpl.contest import TEMPLATES, Ledger, Trusted


@pytest.mark.heavy
@pytest.mark.parametrize("interface", TEMPLATES)
def test_a_template_passes_check_and_plays(cli, interface):
    run = cli("new", "mine.py", "--interface", interface)
    assert (run.code, run.out) == (0, "mine.py is written; next: wordpl check mine.py\n")
    findings = json.loads(cli("check", "mine.py", "--games", "1", "--json").out)
    assert [finding for finding in findings if not finding["passed"]] == []
    assert f"{interface} interface" in findings[0]["message"]
    tried = json.loads(cli("score", "mine.py", "-n", "60", "-j", "1", "--json").out)
    assert tried["errors"] == tried["timeouts"] == 0
    # So surely more than 5% that it is ranked after the first 1,001 games, if it is submitted as it is.
    assert tried["posterior_win_rate_interval"][0] > 0.05


@pytest.mark.parametrize(("given", "seconds", "wall"), [([], 10.0, 60.0), (["--game-seconds", "20"], 20.0, 120.0)])
def test_the_clock_is_a_term_of_an_entry(given, seconds, wall, cli, tmp_path, monkeypatch):
    def stop(*_: object, **__: object) -> None:
        raise WordplError("stop")

    monkeypatch.setattr("wordpl.contest.play_entry", stop)
    monkeypatch.setattr("wordpl.contest.launcher", Trusted)
    (tmp_path / "mine.py").write_bytes(ASKS_ONCE)
    submit = ("contest", "submit", "mine.py", "--name", "Mine", "--ledger", "l.sqlite")
    assert cli(*submit, *given).err.endswith("wordpl: stop\n")
    with Ledger(tmp_path / "l.sqlite") as book:
        (entry,) = book.entries()
    assert (entry.limits.cpu_seconds, entry.limits.game_seconds) == (seconds, wall)
    assert entry.board.is_contest == (seconds == 10.0)
