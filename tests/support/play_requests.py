"""Requests of games that are played over HTTP."""

from tests.web.conftest import answered

GAMES = "/api/play/games"
KINDS = ("wordpl", "unlimited", "wordle", "daily", "adversarial", "fibble")
GIVE_UP = {"action": "give_up"}


def begun(client, **terms):
    return answered(client.post(GAMES, json=terms), 201)


def ask(word, epsilon=None):
    return {"word": word, "epsilon": epsilon}


def sent(client, game, moves, path="", **more):
    return client.post(f"{GAMES}/{game['id']}{path and '/'}{path}", json={"moves": moves} | more)


def after(client, game, *moves, path="", status=200, **more):
    """What the server says of the game after these moves."""
    return answered(sent(client, game, moves, path, **more), status)


def answer_of(client, game) -> str:
    return after(client, game, GIVE_UP)["result"]["answer"]
