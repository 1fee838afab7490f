"""The channel behind the page: its numbers are the formula's, and no clue breaks the promise."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import wordpl
from tests.support.helpers import SIX
from tests.web.conftest import answered
from wordpl import Clue, Posterior, clue, load_words
from wordpl.limits import privacy_of
from wordpl.model.channel import make_channel
from wordpl.web.api.channel import _mechanism

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
