"""The frame around the tabs, in a browser."""

import signal

from playwright.sync_api import expect

from tests.support.pages import clues, faults, played, typed


def test_a_server_that_goes_away_is_said_and_games_go_on_when_it_is_back(served, new_page):
    server = served()
    address = server.address
    page = new_page(f"{address}/coach?row=crate:..icc:13")
    expect(page.locator(".tab-coach tbody tr").first).to_be_visible()
    typing = new_page(f"{address}/analyze")
    text, answer = typing.get_by_label("Share text"), typing.get_by_label("Answer, if")
    text.fill("crate=..icc@13")
    answer.fill("haste")
    game = new_page(f"{address}/play?kind=fibble&channel=fibble:2")
    expect(played(game)).to_have_count(1)  # the first guess is given
    clue = clues(game)
    server.end(signal.SIGKILL)
    typed(game, "sloth")
    expect(game.locator("#offline")).to_contain_text("The server has gone away")
    typing.get_by_role("button", name="Analyze").click()
    expect(typing.locator("#offline")).to_contain_text("The server has gone away")
    answer.fill("hast")
    page.get_by_role("link", name="Results").click()
    expect(page.locator("h1 + .fault")).to_have_text("The server does not answer. This page tries again by itself.")
    expect(page.locator("#offline")).to_contain_text("The server has gone away")
    assert faults(page) == []
    server = served("--port", server.port)
    assert server.address == address
    expect(page.locator("h1")).to_have_text("Results")
    expect(page.locator("#offline")).to_be_hidden()
    expect(typing.locator(".review")).to_be_visible()
    expect(played(game)).to_have_count(2)
    assert clues(game)[:1] == clue
    other = new_page(game.url)
    expect(played(other)).to_have_count(2)
    assert clues(game) == clues(other)
    typing.goto(f"{address}/analyze")  # what was typed is kept, and judged when that is asked for
    expect(text).to_have_value("crate=..icc@13")
    expect(answer).to_have_value("hast")
    expect(typing.locator(".review")).to_have_count(0)
    # It was started with nothing to show, and says how to show it.
    expect(page.get_by_role("region", name="Commands")).to_contain_text("wordpl serve --results results/sweep.sqlite")
    page.get_by_role("link", name="Contest").click()
    expect(page.get_by_role("region", name="Commands: wordpl contest start")).to_contain_text("wordpl serve --ledger")
