"""The page while its server still compiles: no request waits for a compiler, and what needs one comes afterwards."""

import sys
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

import wordpl.scoring
from tests.support.helpers import ORIGINAL
from tests.support.pages import NO_ANSWERS, end_of, give_up, played, rows, typed
from tests.support.play_requests import GIVE_UP, KINDS, after, ask, begun, sent
from tests.web.conftest import ADDRESS, answered, refusal
from wordpl import CRITERIA
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

GAMES: dict[str, dict[str, Any]] = {
    "WORDPL": {"words": "original", "turns": [{"guess": "crate", "clue": "..icc", "epsilon": 13}], "epsilon": 13},
    "Wordle": {"turns": [{"guess": "crate", "clue": "....."}]},
    "the end of Fibble": {"channel": "fibble", "game": "wordle:2"},
}
FEWER = "\n".join({*ORIGINAL.answers[::20], "crate"})
"""Answers of a game that is ranked more quickly than one of all words."""
KERNELS = ("kernels", "noise_kernels", "last_guess_kernels")


@pytest.fixture(scope="module")
def compiling():
    """A client of a server that compiles without end, and has no compiled code to turn to."""
    held = Event()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wordpl.web.app.warm", held.wait)
        for name in KERNELS:
            patch.setitem(sys.modules, f"wordpl.scoring.{name}", None)
            patch.delattr(wordpl.scoring, name, raising=False)
        with TestClient(make_app(Settings()), base_url=ADDRESS) as made:
            yield made
        held.set()


@pytest.mark.parametrize("game", GAMES)
def test_coach_ranks_by_every_criterion_without_compiled_code(compiling, game):
    assert not answered(compiling.get("/api/health"))["compiled"]
    few = answered(compiling.post("/api/words", json={"answers": FEWER}))["name"]
    for criterion in sorted(CRITERIA):
        asked = {"words": few} | GAMES[game] | {"criterion": criterion, "count": 3}
        if "channel" not in asked or criterion != "clue_entropy":
            standing = answered(compiling.post("/api/coach/suggestions", json=asked))
            assert len(standing["suggestions"]) == len(standing["scores"]) == 3
            assert "advice" not in standing
    answered(compiling.post("/api/coach/why", json={"words": few} | GAMES[game] | {"word": "slate"}))


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_is_played_and_reviewed_without_compiled_code(compiling, kind):
    game = begun(compiling, kind=kind)
    moves = [ask(NO_ANSWERS[0], 13.0 if kind in ("wordpl", "unlimited") else None)] * (7 if kind == "fibble" else 4)
    found = after(compiling, game, *moves, path="help", show=["guesses", "answers", "bits"])
    assert found["bets"] and found["guesses"] and found["advice"] is None
    moves.append(GIVE_UP)
    assert len(after(compiling, game, *moves, path="analysis")["turns"]) == len(moves) - 1 + (kind == "fibble")
    for path in ("story", "records"):
        if kind == "wordpl":
            assert "still compiles" in refusal(sent(compiling, game, moves, path), 503)[0]
        else:
            after(compiling, game, *moves, path=path)


def test_the_end_of_a_game_is_told_as_soon_as_the_server_is_ready(served, new_page, tmp_path):
    ready = tmp_path / "ready"
    wait = f"while not Path({str(ready)!r}).exists(): sleep(0.05)"
    imports = "from pathlib import Path\nfrom time import sleep\nfrom wordpl.web import app"
    server = served(code=f"{imports}\ndef wait():\n    {wait}\napp.warm = wait")
    page = new_page("about:blank")
    page.route("**/api/health", lambda route: (page.wait_for_timeout(2500), route.continue_()), times=1)  # it is busy
    page.goto(f"{server.address}/play")
    expect(page.locator("#offline")).to_contain_text("the server compiles")
    expect(rows(page).first).to_be_visible()
    typed(page, NO_ANSWERS[0])
    expect(played(page)).to_have_count(1)
    expect(page.locator(".bet")).to_contain_text("Best bet")
    give_up(page)
    expect(end_of(page)).to_contain_text("Skill")
    asked = end_of(page).get_by_role("region", name="What the best known strategies would have asked where you were")
    expect(asked).to_have_count(0)
    ready.touch()
    expect(asked).to_be_visible()
    expect(end_of(page)).to_contain_text("Row 1 told most")
    expect(page.locator(".fault:visible")).to_have_count(0)
    expect(page.locator("#offline")).to_be_hidden()
