"""The channel behind the page: its numbers are the formula's, and no clue breaks the promise."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers import SIX
from wordpl import Posterior, RandomizedResponse, clue, load_words


def read(client, **query):
    answer = client.get("/api/channel", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 5.0, 30.0, 1e6, "inf"])
def test_one_tile_is_the_formula(client, epsilon):
    found = read(client, epsilon=epsilon)
    shrink = math.exp(-float(epsilon) / 5)
    keep, flip = 1 / (1 + 2 * shrink), shrink / (1 + 2 * shrink)
    for noisy, true in itertools.product(range(3), repeat=2):
        assert found["mark"][noisy][true] == pytest.approx(keep if noisy == true else flip, abs=1e-12)
    expected = [math.comb(5, k) * keep ** (5 - k) * (2 * flip) ** k for k in range(6)]
    assert found["flipped"] == pytest.approx(expected, abs=1e-12)
    assert found["epsilon"] == epsilon


def test_the_row_is_a_noisy_clue_to_the_guess(client):
    found = read(client, guess="crate", answer="haste", epsilon="inf")
    assert (found["clue"], found["noisy"]) == (str(clue("crate", "haste")), str(clue("crate", "haste")))
    counted = read(client, guess="trees", answer="solve", other="crate", rule="counted")
    assert counted["clue"] == "..i.i"


def test_draws_have_the_probabilities_that_are_shown(client):
    """2,000 seeds: the share of each number of flipped marks, within four standard errors."""
    shown = read(client, epsilon=5)["flipped"]
    flips = []
    for seed in range(2000):
        channel, true = RandomizedResponse(5.0), clue("crate", "haste")
        noisy = channel.sample(int(true), np.random.default_rng(seed).random(5).tolist())
        flips.append(sum(a != b for a, b in zip(np.base_repr(noisy, 3).zfill(5), "00122", strict=True)))
    for k, share in enumerate(shown):
        assert flips.count(k) / 2000 == pytest.approx(share, abs=4 * math.sqrt(share / 2000))
    found = [read(client, epsilon=5, seed=seed) for seed in range(20)]
    assert flips[:20] == [sum(a != b for a, b in zip(one["clue"], one["noisy"], strict=True)) for one in found]


def test_one_seed_is_one_draw_and_less_noise_flips_no_further_mark(client):
    for seed in range(10):
        flipped = []
        for epsilon in (1, 5, 10, 20, 40):
            found = read(client, epsilon=epsilon, seed=seed)
            assert found == read(client, epsilon=epsilon, seed=seed)
            flipped.append({i for i in range(5) if found["clue"][i] != found["noisy"][i]})
        assert all(more >= fewer for more, fewer in itertools.pairwise(flipped))


@settings(max_examples=60, deadline=None)
@given(
    epsilon=st.floats(1e-3, 60),
    prior=st.floats(0.001, 0.999),
    seed=st.integers(0, 2**32 - 1),
    words=st.lists(st.sampled_from(load_words("original").answers), min_size=3, max_size=3, unique=True),
)
@example(epsilon=5.0, prior=0.5, seed=1, words=["crate", "haste", "baste"])
def test_no_clue_breaks_the_promise(client, epsilon, prior, seed, words):
    guess, answer, other = words
    found = read(client, epsilon=epsilon, prior=prior, seed=seed, guess=guess, answer=answer, other=other)
    promise = found["promise"]
    slack = 1 + 1e-9
    assert 1 / promise["most"] / slack <= promise["factor"] <= promise["most"] * slack
    assert abs(math.log(promise["factor"])) <= promise["differing"] * epsilon / 5 + 1e-9
    for one in [promise["chosen"], *promise["curve"]]:
        assert one["low"] / slack <= one["posterior"] <= one["high"] * slack
    assert promise["chosen"]["prior"] == prior
    pair = load_words("original")
    belief = Posterior(
        pair, prior=[prior if word == answer else 1 - prior if word == other else 0.0 for word in pair.answers]
    ).update(guess, epsilon, found["noisy"])
    expected = belief.probabilities[pair.answers.index(answer)]
    assert promise["chosen"]["posterior"] == pytest.approx(expected, rel=1e-9)


def test_without_noise_nothing_is_promised(client):
    promise = read(client, epsilon="inf", guess="crate", answer="haste", other="proud", prior=0.001)["promise"]
    assert (promise["most"], promise["factor"]) == (None, None)
    assert promise["chosen"] == {"prior": 0.001, "low": 0.0, "high": 1.0, "posterior": 1.0}
    same = read(client, epsilon="inf", guess="zzzzz", answer="haste", other="proud")["promise"]
    assert (same["differing"], same["factor"], same["chosen"]["posterior"]) == (0, 1.0, 0.5)


def test_fibble(client):
    found = read(client, channel="fibble", epsilon="inf", seed=3)
    assert found["mark"] == [[pytest.approx(0.8 if i == j else 0.1) for j in range(3)] for i in range(3)]
    assert found["flipped"] == pytest.approx([0, 1, 0, 0, 0, 0])
    assert sum(a != b for a, b in zip(found["clue"], found["noisy"], strict=True)) == 1
    error = client.get("/api/channel", params={"channel": "fibble", "epsilon": 5}).json()["error"]
    assert error["field"] == "epsilon"
    assert "use inf" in error["message"]


@pytest.mark.parametrize("lies", [1, 2, 5])
def test_fibble_with_more_lies(client, lies):
    found = read(client, lies=lies, epsilon="inf", seed=3)
    assert sum(a != b for a, b in zip(found["clue"], found["noisy"], strict=True)) == lies
    assert found["flipped"] == pytest.approx([float(k == lies) for k in range(6)])
    assert found["noise_entropy"] == pytest.approx(math.log2(math.comb(5, lies) * 2**lies))
    assert found["capacity"] == pytest.approx(5 * math.log2(3) - found["noise_entropy"])
    for true in range(3):
        assert sum(found["mark"][noisy][true] for noisy in range(3)) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"lies": 6, "epsilon": "inf"}, "lies"),
        ({"lies": 2, "epsilon": 5}, "epsilon"),
        ({"lies": 5, "epsilon": "inf", "guess": "abc", "answer": "abc", "other": "abd"}, "lies"),
    ],
)
def test_lies_that_cannot_be(client, query, field):
    response = client.get("/api/channel", params=query)
    assert (response.status_code, response.json()["error"]["field"]) == (422, field)


def test_words_of_other_lengths(client):
    guess, answer, other = SIX.answers[:3]
    found = read(client, guess=f" {guess.upper()} ", answer=answer, other=other, epsilon=6)
    assert len(found["flipped"]) == 7
    assert found["mark"][0][0] == pytest.approx(math.e / (2 + math.e))


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"guess": "a"}, "guess"),
        ({"guess": "crate5"}, "guess"),
        ({"guess": "cr\nate"}, "guess"),
        ({"guess": "x" * 61}, "guess"),
        ({"answer": "castle"}, "answer"),
        ({"other": "<b>"}, "other"),
        ({"other": "HASTE"}, "other"),
        ({"epsilon": "0"}, "epsilon"),
        ({"epsilon": "nan"}, "epsilon"),
        ({"epsilon": "1e7"}, "epsilon"),
        ({"prior": "0"}, "prior"),
        ({"prior": "1"}, "prior"),
        ({"seed": "-1"}, "seed"),
        ({"seed": str(2**32)}, "seed"),
        ({"channel": "binary"}, "channel"),
        ({"rule": "none"}, "rule"),
    ],
)
def test_what_is_refused(client, query, field):
    answer = client.get("/api/channel", params=query)
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == field


def test_capacities_rise_from_nothing_to_the_whole_clue(client):
    found = client.get("/api/channel/capacity", params={"length": 6}).json()
    assert found["most"] == pytest.approx(6 * math.log2(3))
    assert all(less < more for less, more in itertools.pairwise(found["bits"]))
    assert found["bits"][0] < 0.01
    assert found["bits"][-1] == pytest.approx(found["most"], abs=1e-3)
    for length in ("2", "9", "x"):
        assert client.get("/api/channel/capacity", params={"length": length}).status_code == 422
