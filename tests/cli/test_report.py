"""`wordpl report`: where the page goes, and what is chosen for it."""

from __future__ import annotations

import pytest

from tests.support.helpers import SMALL
from wordpl import Store, make_task, parse_strategy, sweep


@pytest.fixture
def files(tmp_path):
    with Store(tmp_path / "run.sqlite", command="wordpl sweep 'TwoGuess()' # <b>") as store:
        sweep([make_task(parse_strategy(f"TwoGuess({e})"), words=SMALL) for e in (4, 20)], 30, store=store)
    return tmp_path


def test_the_page_is_named_as_the_file(cli, files):
    assert cli("report", "run.sqlite").out == "run.html\n"
    page = (files / "run.html").read_text("utf-8")
    assert "<title>run.sqlite</title>" in page
    assert "wordpl sweep &#x27;TwoGuess()&#x27; # &lt;b&gt;</pre>" in page


def test_options_choose_place_title_and_tasks(cli, files):
    options = ("--title", "Two <words>", "--where", "epsilon>5 and family=twoguess", "--out", "deep/r.html")
    assert cli("report", "run.sqlite", *options).out == "deep/r.html\n"
    page = (files / "deep" / "r.html").read_text("utf-8")
    assert "<title>Two &lt;words&gt;</title>" in page and "1 strategy, 1 task, 30 games" in page
