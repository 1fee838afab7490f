"""Explore over HTTP: the channel and clues by the formulas, the frontier by its tables, tiles by the clue matrix."""

import itertools
import math
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import wordpl
from experiments.bounds.accounting import pure_success
from tests.support.helpers import SIX
from tests.web.conftest import answered, refusal
from wordpl import Clue, Posterior, clue, load_words
from wordpl.limits import privacy_of
from wordpl.model.channel import make_channel
from wordpl.model.words import words_from_text
from wordpl.simulation import WIN_RATES, known_errors, known_frontier
from wordpl.simulation.known_budgets import RECORDS
from wordpl.web.api import frontier
from wordpl.web.api.channel import _mechanism
from wordpl.web.api.matrix import order_words

MECHANISMS = ["randomized_response", "whole_clue", "ball:1"]
NAMES = [*MECHANISMS, "ball:3", "fibble", "fibble:3", "randomized_response:0", "randomized_response:12.5"]
NAMES += ["levels:9,0,3,1,1,2"]


def read(client, **query):
    return answered(client.get("/api/channel", params=query))


def chosen(found):
    return next(each for each in found["mechanisms"] if each["channel"] == found["channel"])


def channel_of(name, epsilon, length=5):
    """The channel of a name, at the epsilon unless it has one of its own."""
    family = wordpl.channel_family(name)
    own = getattr(family, "row_epsilon", None)
    return family(float(epsilon) if own is None else own, length)


@pytest.mark.parametrize(
    ("name", "epsilon"),
    [*((name, 5.0) for name in NAMES), *(("ball:3", epsilon) for epsilon in (1e-9, 0.1, 30.0, 1e6, "inf"))],
)
def test_the_numbers_of_all_mechanisms_are_those_of_the_package(client, name, epsilon):
    found = read(client, epsilon=epsilon, channel=name, asks=3)
    assert [each["channel"] for each in found["mechanisms"]] == [*MECHANISMS, *({name} - set(MECHANISMS))]
    for each in found["mechanisms"]:
        channel = channel_of(each["channel"], epsilon)
        matrix = channel.matrix().toarray()
        marks = np.array([code // 81 for code in range(243)])
        for noisy, true in itertools.product(range(3), repeat=2):
            share = matrix[np.ix_(marks == noisy, marks == true)].sum(axis=0)
            assert share == pytest.approx(np.full(81, each["mark"][noisy][true]), abs=1e-12)
        differing = [sum(a != b for a, b in zip(str(Clue(0)), str(Clue(code)), strict=True)) for code in range(243)]
        flipped = np.bincount(differing, weights=matrix[:, 0], minlength=6)
        assert each["flipped"] == pytest.approx(flipped.tolist(), abs=1e-12)
        assert each["false_marks"] == pytest.approx(float(flipped @ np.arange(6)), abs=1e-12)
        entropy = -sum(p * math.log2(p) for p in matrix[:, 0] if p > 0)
        assert each["noise_entropy"] == pytest.approx(entropy, abs=1e-9)
        assert each["capacity"] == pytest.approx(5 * math.log2(3) - entropy, abs=1e-9)
        assert float(each["epsilon"]) == channel.epsilon
    channel = channel_of(name, epsilon)
    promised, privacy = privacy_of(channel, 3), found["privacy"]
    assert float(privacy["epsilon"]) == promised.epsilon == 3 * channel.epsilon
    assert found["promise"]["most"] == (None if channel.epsilon > 700 else pytest.approx(math.exp(channel.epsilon)))
    assert privacy["deltas"] == [[at, promised.delta(at)] for at in np.multiply([0.25, 0.5, 0.75], promised.epsilon)
                                 if promised.epsilon < math.inf]  # fmt: skip
    nats = {order: promised.renyi(order) for order in (2, 8)}
    assert privacy["renyi"] == [[order, None if math.isinf(most) else most] for order, most in nats.items()]


def test_the_row_is_a_noisy_clue_to_the_guess(client):
    guess, answer, other = SIX.answers[:3]
    found = read(client, guess=f" {guess.upper()} ", answer=answer, other=other, epsilon="inf")
    assert found["clue"] == chosen(found)["noisy"] == str(clue(guess, answer))
    counted = read(client, guess="trees", answer="solve", other="crate", rule="counted")
    # The clue for the other answer is ici...; by letter it would be icii., in which four marks differ.
    assert (counted["clue"], counted["promise"]["differing"]) == ("..i.i", 3)
    drawn = [chosen(read(client, epsilon=1, seed=seed))["noisy"] for seed in range(6)]
    true = Clue.parse("..icc")
    usual = {"guess": "crate", "answer": "haste", "other": "proud", "epsilon": 5, "seed": 1, "asks": 1}
    assert read(client) == read(client, **usual, channel="randomized_response", rule="letterwise")
    assert drawn == [_mechanism("", channel_of(MECHANISMS[0], 1), true, seed).noisy for seed in range(6)]
    assert len(set(drawn)) > 3


@pytest.mark.parametrize("name", [*MECHANISMS, "fibble:2"])
def test_what_is_sent_follows_the_channel(name):
    channel, true, draws = channel_of(name, 3.0, 3), Clue.parse("i.c"), 1500
    counts = Counter(int(Clue.parse(_mechanism(name, channel, true, seed).noisy)) for seed in range(draws))
    for code, chance in enumerate(channel.matrix().toarray()[:, true.code]):
        # Within five standard errors.
        assert abs(counts[code] - draws * chance) <= 5 * math.sqrt(draws * chance * (1 - chance)) + 1e-6


@settings(max_examples=25, deadline=None)
@given(
    epsilon=st.floats(1e-3, 60),
    at=st.integers(0, 98),
    seed=st.integers(0, 2**32 - 1),
    words=st.lists(st.sampled_from(load_words("original").answers), min_size=3, max_size=3, unique=True),
)
@example(epsilon=5.0, at=49, seed=1, words=["crate", "haste", "baste"])
def test_no_clue_breaks_the_promise(client, epsilon, at, seed, words):
    guess, answer, other = words
    found = read(client, epsilon=epsilon, seed=seed, guess=guess, answer=answer, other=other)
    promise = found["promise"]
    seen, others = (str(clue(guess, word)) for word in (answer, other))
    assert promise["differing"] == sum(map(str.__ne__, seen, others))
    kept, held = (sum(map(str.__eq__, true, chosen(found)["noisy"])) for true in (seen, others))
    assert promise["factor"] == pytest.approx(math.exp((kept - held) * epsilon / 5), rel=1e-9)
    slack = 1 + 1e-9
    assert 1 / promise["most"] / slack <= promise["factor"] <= promise["most"] * slack
    assert abs(math.log(promise["factor"])) <= promise["differing"] * epsilon / 5 + 1e-9
    for one in promise["curve"]:
        assert one["low"] / slack <= one["posterior"] <= one["high"] * slack
    prior = promise["curve"][at]["prior"]
    assert prior == (at + 1) / 100
    pair = load_words("original")
    belief = Posterior(
        pair, prior=[prior if word == answer else 1 - prior if word == other else 0.0 for word in pair.answers]
    ).update(guess, epsilon, chosen(found)["noisy"])
    expected = belief.probabilities[pair.answers.index(answer)]
    assert promise["curve"][at]["posterior"] == pytest.approx(expected, rel=1e-9)


def test_without_noise_nothing_is_promised(client):
    promise = read(client, epsilon="inf", guess="crate", answer="haste", other="proud")["promise"]
    assert (promise["most"], promise["factor"]) == (None, None)
    assert promise["curve"][0] == {"prior": 0.01, "low": 0.0, "high": 1.0, "posterior": 1.0}
    same = read(client, epsilon="inf", guess="zzzzz", answer="haste", other="proud")["promise"]
    assert (same["differing"], same["factor"], same["curve"][49]["posterior"]) == (0, 1.0, 0.5)


def test_capacities_are_those_of_the_package(client):
    found = client.get("/api/channel/capacity", params={"length": 6, "channel": "ball:2"}).json()
    assert list(found["bits"]) == [*MECHANISMS, "ball:2"]
    for usual in ("ball:1", "fibble:2"):  # the latter has an epsilon of its own
        assert list(client.get(f"/api/channel/capacity?channel={usual}").json()["bits"]) == MECHANISMS
    assert found["epsilons"] == pytest.approx([10 ** (k / 20 - 1) for k in range(61)])  # from 0.1 to 100
    for name, bits in found["bits"].items():
        capacities = [channel_of(name, epsilon, 6).capacity for epsilon in found["epsilons"]]
        assert bits == capacities == sorted(capacities)


# Distributions of clues.

NOISY = [("crate", 13.0, "..icc"), ("haste", 9.5, ".c.i.")]


@pytest.mark.parametrize(
    ("turns", "guess", "epsilon", "rule"),
    [([], "zesty", 0.1, "letterwise"), (NOISY, "salet", 20.0, "counted"), (NOISY, "taste", math.inf, "letterwise"),
     ([("geese", math.inf, "...i.")], "eerie", 6.0, "counted")],
)  # fmt: skip
def test_the_distribution_and_the_scores_are_those_of_the_package(client, turns, guess, epsilon, rule):
    belief, written = wordpl.Posterior("original", rule), {math.inf: "inf"}
    for turn in turns:
        belief = belief.update(*turn)
    sent = [{"guess": f"{word}!", "clue": clue, "epsilon": written.get(spent, spent)} for word, spent, clue in turns]
    body = {"guesses": [guess], "turns": sent, "rule": rule, "epsilon": written.get(epsilon, epsilon)}
    found = answered(client.post("/api/distributions", json=body))
    assert (found["length"], found["entropy"], found["answers"]) == (5, belief.entropy, len(belief.possible))
    expected, sent = wordpl.score_word(belief, epsilon, guess), found["guesses"][0]
    channel = make_channel(wordpl.RandomizedResponse, epsilon, 5)
    assert sent["exact"] == pytest.approx(belief.clue_probabilities(guess, math.inf).tolist(), abs=1e-15)
    assert sent["noisy"] == pytest.approx(channel.transform(np.array(sent["exact"])).tolist(), rel=1e-9, abs=1e-15)
    assert sent["chance"] == dict(zip(belief.words.answers, belief.probabilities, strict=True)).get(guess, 0)
    names = ["clue_entropy", "information_gain", "expected_top"]
    assert [sent[name] for name in names] == [expected[name] for name in names]
    assert sent["noise_entropy"] == channel.noise_entropy[0]


# The frontier.


def curves_of(client, **query):
    found = answered(client.get("/api/frontier", params=query))
    return found, {curve["name"]: curve["budgets"] for curve in found["curves"]}


@pytest.mark.heavy
def test_the_curves_are_the_table_s_and_the_records_the_contest_s_and_ours(client):
    found, curves = curves_of(client)
    assert found["win_rates"] == list(WIN_RATES)
    kinds = {"best": "best", "bound": "bound", "bound, 2 clues": "two_clues", "privacy, any clues": "privacy"}
    kinds |= dict.fromkeys(("Fifth", "Median", "NinetyFifth"), "record")
    kinds |= dict.fromkeys(("TwoGuess", "NGuess", "MaxClueEntropy", "G3", "D95"), "published")
    assert {one["name"]: one["kind"] for one in found["curves"]} == {name: kinds.get(name, "clues") for name in curves}
    told = {one["name"]: one["errors"] for one in found["curves"] if one["errors"] is not None}
    errors = {name: [at if math.isfinite(at) else None for at in column] for name, column in known_errors().items()}
    assert told == {name: column for name, column in errors.items() if name in curves} != {}
    for name, budgets in known_frontier().items():
        assert curves[name] == [pytest.approx(budget) if math.isfinite(budget) else None for budget in budgets]
    before = {one["win_rate"]: one["budget"] for one in found["records"] if not one["ours"]}
    ours = {one["win_rate"]: one for one in found["records"] if one["ours"]}
    assert before == RECORDS
    assert ours.keys() == RECORDS.keys()
    for rate, one in ours.items():
        assert one["budget"] < RECORDS[rate]
        at = found["win_rates"].index(rate)
        assert 0.995 * one["budget"] < curves[one["name"]][at] <= one["budget"]


@pytest.mark.heavy
def test_twenty_clients_wait_for_one_computation(client, monkeypatch):
    computed = []
    monkeypatch.setattr(frontier, "approximate_budget", lambda *given: computed.append(given) or 9.0)
    with ThreadPoolExecutor(20) as clients:
        first, *others = clients.map(lambda _: curves_of(client, clues=10), range(20))  # that no other test asks for
    assert all(other == first for other in others)
    assert len(computed) == len(WIN_RATES)


@pytest.mark.heavy
def test_accounting_is_inverted(client):
    _, curves = curves_of(client, clues=2)
    for rate, pure, accounted in zip(WIN_RATES, curves["privacy, any clues"], curves["privacy, 2 clues"], strict=True):
        assert pure_success(pure, 2315) == pytest.approx(rate)
        assert wordpl.limits.approximate_success(accounted, 2, 2315) == pytest.approx(rate, rel=1e-6)


# Tiles of the matrix.

MATRIX = "/api/matrix/original"


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
    fixed = client.get(f"{MATRIX}/tile", params={"row": 0, "column": 0, "version": version})
    assert fixed.headers["Cache-Control"] == "public, max-age=31536000, immutable"  # a year
    assert fixed.content.partition(b"\n")[0].count(b" ") == 127  # a tile of 128 rows, unless it is told otherwise
    words = client.post("/api/words", json={"answers": "crate\nhaste"}).json()["name"]
    others = [{"words": words}, {"rule": "counted"}, {"guess_order": "entropy"}, {"answer_order": "entropy"}]
    assert len({version, *(order_of(client, **query)["version"] for query in others)}) == 5
    assert client.get(f"{MATRIX}/tile", params={"row": 0, "column": 0}).headers["Cache-Control"] == "no-cache"
    other = client.get(f"{MATRIX}/tile", params={"row": 0, "column": 0, "version": "0" * 16})
    assert refusal(other, 409)[1] == "version"


def test_a_word_is_found_in_every_order(client, original):
    listed = {"name": "original", "length": 5, "answers": 2315, "guesses": 12972}
    assert client.get("/api/words").json()[0] == listed
    found = client.get(f"{MATRIX}/find", params={"word": " CRATE "}).json()
    assert found == {"word": "crate", "row": original.guess_index["crate"], "column": original.answer_index["crate"]}
    order = {"guess_order": "entropy", "answer_order": "entropy"}
    found = client.get(f"{MATRIX}/find", params={"word": "slate", **order}).json()
    _, guesses, _ = tile_of(client, order_of(client, **order), found["row"] // 128, 0, **order)
    _, _, answers = tile_of(client, order_of(client, **order), 0, found["column"] // 128, **order)
    assert (guesses[found["row"] % 128], answers[found["column"] % 128]) == ("slate", "slate")
    assert client.get(f"{MATRIX}/find", params={"word": "soare"}).json()["column"] is None
