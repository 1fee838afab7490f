"""What may take over a second is slow work, whatever asks for it, and holds up nothing else."""

import asyncio
import threading
from itertools import product

import pytest

from tests.support.helpers import ORIGINAL
from tests.web.conftest import answered, refusal
from wordpl import load_words
from wordpl.web import costs
from wordpl.web.api import frontier
from wordpl.web.pool import QUICK, SLOW_OF_CLIENT

NYT = load_words("nyt2023")
WORDS = ["".join(letters) for letters in product("abcdefghijklm", repeat=4)]
LONG = {"answers": "\n".join(WORDS[:1200]), "guesses": "\n".join(WORDS)}
"""A list whose clue matrix takes long to make."""
LONG_GAME = "\n".join(f"{word}=c....@3" for word in ORIGINAL.guesses[:50])
MOVES = [{"action": "ask", "word": word, "epsilon": 3} for word in ORIGINAL.guesses[:40]] + [{"action": "give_up"}]


@pytest.fixture
def held(client):
    """The slow thread is at work, and the client of the tests has as much in hand as it may have."""
    slow, gate = client.app.state.server.slow, threading.Event()

    async def fill():
        return [asyncio.ensure_future(slow.run("testclient", gate.wait, 60)) for _ in range(SLOW_OF_CLIENT)]

    async def end():
        await asyncio.gather(*calls)

    calls = client.portal.call(fill)
    yield
    gate.set()
    client.portal.call(end)


@pytest.mark.heavy
def test_slow_work_of_every_door_waits_for_its_own_and_quick_work_passes(client, held, monkeypatch):
    monkeypatch.setattr(frontier, "_frontiers", {})
    words = answered(client.post("/api/words", json=LONG))["name"]
    small = answered(client.post("/api/words", json={"answers": "otter\nvivid\nwheel\nzebra"}))["name"]
    game = answered(client.post("/api/play/games", json={}), 201)["id"]
    slow = {
        "/api/analyze": {"words": "original", "text": LONG_GAME},
        "/api/coach/suggestions": {"words": words},
        "/api/coach/why": {"words": words, "word": "abcd"},
        "/api/distributions": {"words": words, "guesses": ["abcd"]},
        "/api/play/games": {"words": words},
        f"/api/play/games/{game}/analysis": {"moves": MOVES},
        f"/api/play/games/{game}/records": {"moves": MOVES},
    }
    answers = {door: client.post(door, json=body) for door, body in slow.items()}
    one_line = {"words": "original", "text": LONG_GAME.replace("=c....@3\n", " "), "answer": "haste"}
    answers["guesses on a line"] = client.post("/api/analyze", json=one_line)
    for door in (f"/api/matrix/{small}/order?guess_order=similarity", "/api/frontier?clues=9"):
        answers[door] = client.get(door)
    for door, answer in answers.items():
        assert refusal(answer, 429)[0].startswith("You have 2 long requests in hand"), door
        assert answer.headers["retry-after"]
    quick = {
        "/api/coach/suggestions": {"words": "original", "epsilon": 13},
        "/api/analyze": {"words": "nyt2023", "text": "crate\nslink\nsolar\nsolar\nhaste\nproud", "answer": "light"},
        f"/api/play/games/{game}": {"moves": MOVES},
        f"/api/play/games/{game}/story": {"moves": MOVES},
    }
    for door, body in quick.items():
        answered(client.post(door, json=body))
    answered(client.post("/api/play/games", json={}), 201)


def test_costs_grow_with_what_is_asked_and_ordinary_games_are_quick(tmp_path):
    assert costs.scoring(ORIGINAL) < costs.scoring(NYT) < costs.scoring(NYT, 6) <= QUICK < costs.scoring(NYT, 50)
    assert costs.playing(ORIGINAL) == 0.0
    (tmp_path / "large").touch()
    with (tmp_path / "large").open("r+b") as file:
        file.truncate(1 << 30)
    assert costs.reading(tmp_path / "none") == 0.0 < QUICK < costs.reading(tmp_path / "none", tmp_path / "large")
