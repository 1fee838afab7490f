"""`wordpl serve`: the address that it tells. `tests/web/test_serve.py` has the rest."""

import re

import pytest

import wordpl

EVERY = " and at every address of this machine"


@pytest.mark.parametrize(("host", "more"), [("127.0.0.1", ""), ("0.0.0.0", EVERY)])  # noqa: S104
def test_the_address_of_the_page_is_one_that_a_browser_opens(cli, monkeypatch, host, more):
    pages, missing = [], "wordpl: there is no results file none.db yet; the page shows it once a sweep has made it\n"
    monkeypatch.setattr(wordpl.web, "make_page", lambda **given: pages.append(given))
    monkeypatch.setattr(wordpl.web, "serve", lambda listening, page, ready: [ready(), listening.close()])
    said = cli("serve", "--host", host, "--port", "0", "--allow-host", "words.example", "--results", "none.db").err
    assert re.fullmatch(rf"wordpl: the page is at http://127\.0\.0\.1:\d+/{more} \(Ctrl-C stops it\)\n{missing}", said)
    assert pages[0]["hosts"] == ["127.0.0.1", "words.example"]
