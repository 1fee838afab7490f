"""The channel behind the page: its numbers are the formula's, and no clue breaks the promise."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers import SIX
from tests.web.conftest import answered, refusal
from wordpl import Clue, Posterior, RandomizedResponse, clue, load_words


def read(client, **query):
    return answered(client.get("/api/channel", params=query))


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


def test_a_seed_is_a_draw_of_the_channel_and_less_noise_flips_no_further_mark(client):
    for seed in range(3):
        flipped = []
        for epsilon in (1.0, 5.0, 10.0, 20.0, 40.0):
            found = read(client, epsilon=epsilon, seed=seed)
            numbers = np.random.default_rng(seed).random(5).tolist()
            assert found["noisy"] == str(Clue(RandomizedResponse(epsilon).sample(int(clue("crate", "haste")), numbers)))
            flipped.append({i for i in range(5) if found["clue"][i] != found["noisy"][i]})
        assert all(more >= fewer for more, fewer in itertools.pairwise(flipped))


@settings(max_examples=25, deadline=None)
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


@pytest.mark.parametrize(("query", "lies"), [({"channel": "fibble"}, 1), ({"lies": 2}, 2)])
def test_fibble(client, query, lies):
    found = read(client, **query, epsilon="inf", seed=3)
    assert sum(a != b for a, b in zip(found["clue"], found["noisy"], strict=True)) == lies
    assert found["flipped"] == pytest.approx([float(k == lies) for k in range(6)])
    assert found["noise_entropy"] == pytest.approx(math.log2(math.comb(5, lies) * 2**lies))
    assert found["capacity"] == pytest.approx(5 * math.log2(3) - found["noise_entropy"])
    kept = 1 - lies / 5
    assert found["mark"] == [[pytest.approx(kept if i == j else (1 - kept) / 2) for j in range(3)] for i in range(3)]


def test_words_of_other_lengths(client):
    guess, answer, other = SIX.answers[:3]
    found = read(client, guess=f" {guess.upper()} ", answer=answer, other=other, epsilon=6)
    assert len(found["flipped"]) == 7
    assert found["mark"][0][0] == pytest.approx(math.e / (2 + math.e))


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"guess": "a"}, "guess"),
        ({"guess": "x" * 61}, "guess"),
        ({"answer": "castle"}, "answer"),
        ({"other": "<b>"}, "other"),
        ({"other": "HASTE"}, "other"),
        ({"epsilon": "nan"}, "epsilon"),
        ({"prior": "0"}, "prior"),
        ({"lies": 2, "epsilon": 5}, "epsilon"),
        ({"lies": 5, "epsilon": "inf", "guess": "abc", "answer": "abc", "other": "abd"}, "lies"),
    ],
)
def test_what_is_refused(client, query, field):
    assert refusal(client.get("/api/channel", params=query))[1] == field


def test_capacities_rise_from_nothing_to_the_whole_clue(client):
    found = client.get("/api/channel/capacity", params={"length": 6}).json()
    assert found["most"] == pytest.approx(6 * math.log2(3))
    assert all(less < more for less, more in itertools.pairwise(found["bits"]))
    assert found["bits"][-1] == pytest.approx(found["most"], abs=1e-3)
