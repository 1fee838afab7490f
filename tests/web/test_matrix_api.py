"""The clue matrix over HTTP: tiles against the matrix itself."""

import math

import numpy as np
import pytest

import wordpl
from tests.web.conftest import answered, refusal
from wordpl.model.words import words_from_text
from wordpl.web.api.matrix import order_words

ORIGINAL = "/api/matrix/original"


def order_of(client, words: str = "original", **query) -> dict:
    return answered(client.get(f"/api/matrix/{words}/order", params=query))


def tile_of(client, shape: dict, row: int, column: int, size: int = 128, words: str = "original", **query):
    """Codes [rows, columns], guesses and answers of a tile."""
    answer = client.get(f"/api/matrix/{words}/tile", params={"row": row, "column": column, "size": size, **query})
    assert answer.status_code == 200, answer.text
    rows, columns = min(size, shape["guesses"] - row * size), min(size, shape["answers"] - column * size)
    end = rows * columns * shape["bytes_per_code"]
    codes = np.frombuffer(answer.content[:end], dtype=f"<u{shape['bytes_per_code']}").reshape(rows, columns)
    guesses, answers = (line.split(" ") for line in answer.content[end:].decode().split("\n"))
    assert (len(guesses), len(answers)) == (rows, columns)
    return codes, guesses, answers


@pytest.mark.parametrize("rule", wordpl.RULES)
@pytest.mark.parametrize(("row", "column", "size"), [(101, 18, 128), (3, 7, 128), (25, 4, 512)])
def test_a_tile_has_the_clues_of_its_words(client, original, rule, row, column, size):
    codes, guesses, answers = tile_of(client, order_of(client), row, column, size, rule=rule)
    assert guesses == list(original.guesses[row * size :][:size])
    assert answers == list(original.answers[column * size :][:size])
    assert (codes == wordpl.clue_matrix(original, rule)[row * size :, column * size :][:size, :size]).all()


@pytest.mark.parametrize(("guess_order", "answer_order"), [("entropy", "word"), ("word", "entropy")])
def test_a_tile_is_in_the_order_that_was_asked_for(client, original, guess_order, answer_order):
    order = {"guess_order": guess_order, "answer_order": answer_order}
    codes, guesses, answers = tile_of(client, order_of(client, **order), 1, 1, **order)
    rows = order_words(original, "guesses", guess_order, "letterwise")[128:256]
    columns = order_words(original, "answers", answer_order, "letterwise")[128:256]
    assert guesses == [original.guesses[i] for i in rows]
    assert answers == [original.answers[i] for i in columns]
    assert (codes == wordpl.clue_matrix(original)[rows][:, columns]).all()


@pytest.mark.parametrize("rule", wordpl.RULES)
def test_by_entropy_the_clue_tells_less_and_less(rule):
    words = words_from_text("small", "abc\nabd\ncab\ndad\n", "abc\nabd\ncab\ndad\naaa\nbbb\nbcd\n")
    matrix = wordpl.clue_matrix(words, rule)
    for axis, rows in (("guesses", matrix), ("answers", matrix.T)):
        shares = [np.unique(row, return_counts=True)[1] / len(row) for row in rows]
        bits = [-sum(p * math.log2(p) for p in each) for each in shares]
        found = [(-round(bits[i], 9), i) for i in order_words(words, axis, "entropy", rule)]
        assert found == sorted(found) and sorted(i for _, i in found) == list(range(len(rows)))


def test_a_list_of_longer_words_has_two_bytes_to_a_code(client):
    text = "planet\nplanes\nsilver\n"
    name = client.post("/api/words", json={"answers": text}).json()["name"]
    shape = order_of(client, name)
    codes, guesses, answers = tile_of(client, shape, 0, 0, words=name)
    assert codes.tolist() == [[int(wordpl.clue(guess, answer)) for answer in answers] for guess in guesses]
    assert (shape["bytes_per_code"], codes.max()) == (2, 728)


def test_a_tile_of_a_version_never_changes_and_another_is_fetched(client):
    version = order_of(client)["version"]
    fixed = client.get(f"{ORIGINAL}/tile", params={"row": 0, "column": 0, "version": version})
    assert fixed.headers["Cache-Control"] == "public, max-age=31536000, immutable"  # a year
    assert fixed.content.partition(b"\n")[0].count(b" ") == 127  # a tile of 128 rows, unless it is told otherwise
    words = client.post("/api/words", json={"answers": "crate\nhaste"}).json()["name"]
    others = [{"words": words}, {"rule": "counted"}, {"guess_order": "entropy"}, {"answer_order": "entropy"}]
    assert len({version, *(order_of(client, **query)["version"] for query in others)}) == 5
    assert client.get(f"{ORIGINAL}/tile", params={"row": 0, "column": 0}).headers["Cache-Control"] == "no-cache"
    other = client.get(f"{ORIGINAL}/tile", params={"row": 0, "column": 0, "version": "0" * 16})
    assert refusal(other, 409)[1] == "version"


def test_a_word_is_found_in_every_order(client, original):
    listed = {"name": "original", "length": 5, "answers": 2315, "guesses": 12972}
    assert client.get("/api/words").json()[0] == listed
    found = client.get(f"{ORIGINAL}/find", params={"word": " CRATE "}).json()
    assert found == {"word": "crate", "row": original.guess_index["crate"], "column": original.answer_index["crate"]}
    order = {"guess_order": "entropy", "answer_order": "entropy"}
    found = client.get(f"{ORIGINAL}/find", params={"word": "slate", **order}).json()
    _, guesses, _ = tile_of(client, order_of(client, **order), found["row"] // 128, 0, **order)
    _, _, answers = tile_of(client, order_of(client, **order), 0, found["column"] // 128, **order)
    assert (guesses[found["row"] % 128], answers[found["column"] % 128]) == ("slate", "slate")
    assert client.get(f"{ORIGINAL}/find", params={"word": "soare"}).json()["column"] is None
