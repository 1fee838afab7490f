"""Channels: probabilities, sampling and the privacy they claim."""

import itertools
import math
import pickle

import mpmath
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

import wordpl
from tests.support.generators import Drift, Fade, Scatter, epsilons
from tests.support.oracles import all_marks, differences, keep_and_flip
from tests.support.refusals import refusal
from wordpl import Ball, Fibble, Levels, Posterior, RandomizedResponse, Setting, WordList, channel_family
from wordpl.contest import check, check_channel
from wordpl.model.channel import channel_name, is_named, make_channel, row_epsilon
from wordpl.model.clues import differing_marks

WORDS = WordList("five", ("add", "bad", "cab", "dab"), ("abc", "add", "bad", "cab", "dab"))


@given(epsilons(), st.integers(1, 8))
def test_randomized_response_to_the_last_digits(epsilon, length):
    """Against 50 digits: the two probabilities of a mark, and the likelihoods and logarithms that follow."""
    channel = RandomizedResponse(epsilon, length)
    keep, flip = keep_and_flip(epsilon, length)
    # epsilon/length is rounded before exp, which costs that many units in the last place.
    tolerance = 1e-15 * (2 + min(epsilon / length, 800))
    assert channel.keep == pytest.approx(float(keep), rel=tolerance, abs=0)
    assert channel.flip == pytest.approx(float(flip), rel=tolerance, abs=1e-307)
    noisy = 3**length // 5
    logs, likelihood = channel.log_likelihood(noisy), channel.likelihood(noisy)
    np.testing.assert_allclose(np.exp(logs), likelihood, rtol=1e-12, atol=1e-300)
    assert not np.isnan(logs).any() and math.fsum(likelihood) == pytest.approx(1.0, rel=1e-13)
    if epsilon < math.inf:
        expected = [float(mpmath.log(keep) * (length - w) + mpmath.log(flip) * w) for w in range(length + 1)]
        np.testing.assert_allclose(logs, np.take(expected, differing_marks(noisy, length)), rtol=1e-14, atol=1e-14)


# Sampling; `tests/golden` has the noise of marks and of one lie, game by game

CASES = [
    (Fibble(length=5, lies=3), 17),
    (Ball(2.0, 4, 2), 80),
    (Levels(length=3, weights=(0, 3, 1, 0)), 26),
    (Scatter(1.0, 3), 5),
]


@pytest.mark.parametrize(("channel", "code"), CASES)
def test_samples_follow_the_likelihood(channel, code):
    n = 20_000
    expected = n * channel.matrix().toarray()[:, code]
    uniforms = np.random.default_rng(code).random((n, channel.length)).tolist()
    counts = np.bincount([channel.sample(code, row) for row in uniforms], minlength=3**channel.length)
    assert counts[expected == 0].sum() == 0
    rare = expected < 8  # their counts are put together, or chi-square would not be that
    pooled = [np.append(x[~rare], x[rare].sum()) if rare.any() else x for x in (counts, expected)]
    possible = pooled[1] > 0
    assert scipy.stats.chisquare(pooled[0][possible], pooled[1][possible]).pvalue > 1e-4


def lies(length, count, code, uniforms):
    """Several lies, by plain loops: the set of places, then the way of each."""
    sets = [set(places) for places in itertools.combinations(range(length), count)] * 2
    noisy = code
    for place in sets[int(uniforms[0] * len(sets))]:
        number = length - place if place else 0
        if count == length:
            number -= 1 if place else 1 - length
        mark = code // 3**place % 3
        noisy += ((mark + (1 if uniforms[number] < 0.5 else 2)) % 3 - mark) * 3**place
    return noisy


@pytest.mark.parametrize("length", [2, 3, 5, 6, 8])
def test_several_lies_are_those_of_the_loop(length):
    rng = np.random.default_rng(length)
    for count in range(2, length + 1):
        channel = Fibble(length=length, lies=count)
        for code in rng.integers(0, 3**length, 40):  # numbers of NumPy, as the referee has them
            uniforms = rng.random(length).tolist()
            noisy = channel.sample(code, uniforms)
            assert type(noisy) is int
            assert noisy == lies(length, count, int(code), uniforms)


def test_noises_of_as_many_marks_are_in_the_order_of_their_codes():
    noises = sorted(range(3**5), key=lambda code: sum(code // 3**place % 3 > 0 for place in range(5)))
    assert [Ball(0.0, 5).sample(0, [(n + 0.5) / 3**5]) for n in range(3**5)] == noises


def test_families_by_name_and_a_fixed_epsilon_which_is_the_only_one(tmp_path):
    (tmp_path / "mine.py").write_text("class Mine:\n    pass\n")
    assert "is no class of channels" in refusal(channel_family, f"{tmp_path}/mine.py:Mine")
    assert channel_name(Fade) == "tests.support.generators.Fade" and not is_named(Fade)
    assert repr(Fade(2.0, 3)) == "<tests.support.generators.Fade at epsilon 2>"
    assert {name: channel_family(name) for name in wordpl.CHANNELS} == wordpl.CHANNELS
    assert "unknown channel 'fible': did you mean 'fibble'" in refusal(channel_family, "fible")
    assert "channel 3 is not allowed; a channel family such as" in refusal(channel_family, 3)
    assert make_channel(RandomizedResponse, 5.0, 4) is make_channel(RandomizedResponse, 5.0, 4)
    own, free = (Posterior(WORDS, channel=channel_family(f"randomized_response{two}")) for two in (":2", ""))
    assert np.array_equal(*(belief.update("abc", 2.0, "..i").probabilities for belief in (own, free)))
    for epsilon in (3.0, math.inf):
        assert "a clue of randomized_response:2 has epsilon 2" in refusal(own.update, "abc", epsilon, "..i")


@pytest.mark.parametrize(
    ("typed", "name", "channel"),
    [
        ("fibble:3", "fibble:3", "Fibble(length=5, lies=3)"),
        ("fibble", "fibble", "Fibble(length=5)"),
        ("fibble:01", "fibble", "Fibble(length=5)"),
        ("randomized_response:12", "randomized_response:12", "RandomizedResponse(epsilon=12.0, length=5)"),
        ("randomized_response:1.250e1", "randomized_response:12.5", "RandomizedResponse(epsilon=12.5, length=5)"),
        ("randomized_response:-0", "randomized_response:0", "RandomizedResponse(epsilon=0.0, length=5)"),
        ("ball:0", "whole_clue", "Ball(epsilon=inf, length=5, radius=0)"),
        ("ball:02", "ball:2", "Ball(epsilon=inf, length=5, radius=2)"),
        (
            "levels:1,0,0,0,1e0,0",
            "levels:1,0,0,0,1,0",
            f"Levels(length=5, weights={[1 / 81, 0.0, 0.0, 0.0, 1 / 81, 0.0]})",
        ),
    ],
)
def test_families_with_a_parameter(typed, name, channel):
    family = channel_family(typed)
    assert channel_name(family) == name
    assert is_named(family)
    for other in (channel_family(name), pickle.loads(pickle.dumps(family))):  # noqa: S301 - made here
        assert other == family
        assert hash(other) == hash(family)
    epsilon = row_epsilon(family)
    assert repr(make_channel(family, epsilon, 5)) == channel
    assert make_channel(family, epsilon, 5) is make_channel(channel_family(name), epsilon, 5)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *((f"fibble:{typed}", "lies") for typed in ("9", "-1", "x", "", "1.0", "1_0", " 3", "9" * 5000, "٣")),
        *((f"randomized_response:{typed}", "epsilon") for typed in ("-1", "nan", "x", "", "1_0", "1 2", "-inf")),
        *((f"ball:{typed}", "radius") for typed in ("8", "-1", "x", "", "1.5")),
        *((f"levels:{typed}", "level") for typed in ("", "1", "1,", "-1,2", "nan,1", "0,0", "1e400,1", "1,x")),
        (f"levels:1{9 * ',1'}", "number of levels 10 is not allowed; a whole number from 2 to 9 is expected"),
        ("fible:3", "did you mean 'fibble'"),
    ],
)
def test_what_is_no_name_of_a_family_is_refused_in_a_line(name, wrong):
    assert wrong in refusal(channel_family, name)
    assert channel_name(channel_family("ball:7")) == "ball:7"  # for words of eight letters


BY_NAME = [
    *(
        (name, epsilon)
        for name in ("randomized_response", "whole_clue", "ball:1", "ball:2")
        for epsilon in (0.0, 0.3, 8.0, 50.0)
    ),
    ("randomized_response", math.inf),
    ("levels:4,2,1,1", math.log(4)),
    ("levels:1,3,2,0.5", math.log(6)),
    ("levels:1,0,2,0", math.inf),
    *((f"fibble:{lies}", math.inf) for lies in range(4)),
]


@pytest.mark.parametrize(("name", "epsilon"), BY_NAME)
def test_a_distance_channel_is_the_matrix_of_its_levels(name, epsilon):
    """All that follows from the levels, against the matrix of all pairs of clues, written out."""
    channel, marks = channel_family(name)(epsilon, 3), all_marks(3)
    weight = {"whole_clue": lambda d: 1 if d == 0 else math.exp(-epsilon)}
    weight |= {f"ball:{r}": lambda d, r=r: 1 if d <= r else math.exp(-epsilon) for r in (1, 2)}
    weight |= {f"fibble:{lies}": lambda d, lies=lies: float(d == lies) for lies in range(4)}
    weight["randomized_response"] = lambda d: math.exp(-epsilon / 3 * d) if d else 1.0
    of_distance = weight.get(name) or [float(level) for level in name.partition(":")[2].split(",")].__getitem__
    law = np.array([[of_distance(differences(noisy, true)) for true in marks] for noisy in marks])
    law /= law.sum(axis=0)
    np.testing.assert_allclose(channel.matrix().toarray(), law, rtol=1e-12)
    np.testing.assert_allclose([channel.likelihood(code) for code in range(27)], law, rtol=1e-12)
    np.testing.assert_allclose(np.exp([channel.log_likelihood(code) for code in range(27)]), law, rtol=1e-12)
    np.testing.assert_allclose(channel.noise_entropy, scipy.stats.entropy(law, base=2), rtol=1e-9, atol=1e-15)
    assert channel.symmetric and channel.exact == np.array_equal(law, np.eye(27))
    if (each := channel.mark_matrix) is not None:
        np.testing.assert_allclose(np.kron(np.kron(each, each), each), law, rtol=1e-12)
    weights = np.random.default_rng(3).random((27, 2))
    for power in (1, 2):
        np.testing.assert_allclose(channel.transform(weights, power), law**power @ weights, rtol=1e-12)
        np.testing.assert_allclose(channel.transform(weights[:, 0], power), law**power @ weights[:, 0], rtol=1e-12)
        largest = (law[:, :, None] ** power * weights).max(axis=1)
        np.testing.assert_allclose(channel.transform(weights, power, largest=True), largest, rtol=1e-12)
        np.testing.assert_allclose(channel.transform(weights[:, 0], power, largest=True), largest[:, 0], rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ball(1.0, 3, 3), "radius 3 is not allowed; a whole number from 0 to 2"),
        (lambda: Levels(length=3, weights=(1, 2)), "4 levels are expected for words of 3 letters"),
        (lambda: Levels(length=1, weights=(0, 0)), "numbers from 0 up, not all 0"),
        (lambda: Levels(2.0, 1, (1, 2)), "a clue of these levels has epsilon 0.69314718056; 2 is not allowed"),
        (lambda: Levels(0.6931, 1, (1, 2)), "has epsilon 0.69314718056; 0.6931 is not"),
        (lambda: Setting(WORDS, channel=channel_family("ball:4")), "ball:4 is not for words of 3 letters: radius 4"),
        (lambda: Setting(WORDS, channel=channel_family("fibble:4")), "fibble:4 is not for words of 3 letters: lies 4"),
        (lambda: Setting(WORDS, channel=channel_family("levels:1,2")), "levels:1,2 is not for words of 3 letters"),
        (lambda: channel_family("levels:1,2")(2.0, 1), "levels:1,2 has epsilon 0.6931471805599453; 2 is not"),
    ],
)
def test_levels_that_are_no_channel_and_capacities_that_are_not_known_are_refused(make, message):
    assert message in refusal(make)
    for uneven in (Fade(2.0, 3), Drift(2.0, 3)):
        assert "is not known" in refusal(lambda channel=uneven: channel.capacity)


class Biased(RandomizedResponse):
    """Its samples keep marks more often than its likelihood says."""

    def sample(self, code, uniforms):
        return super().sample(code, [0.95 * uniform for uniform in uniforms])


class Stray(Fibble):
    """Now and then a sample is a clue that cannot be: the true one."""

    def sample(self, code, uniforms):
        return code if uniforms[0] < 0.0002 else super().sample(code, uniforms)


class Leaky(Scatter):
    def make(self):
        return (0.99 * super().make() + 1e-4) * np.linspace(1.0, 1.1, 3**self.length)[:, np.newaxis]


class Other(RandomizedResponse):
    def likelihood(self, clue):
        return super().likelihood(clue)[::-1]

    def matrix(self):
        return RandomizedResponse(self.epsilon, self.length).matrix()

    log_likelihood = RandomizedResponse.log_likelihood


@pytest.mark.parametrize(
    ("channel", "wrong"),
    [
        (RandomizedResponse(9.0), []),
        (Fibble(math.inf, 5, 2), []),
        (Scatter(1.0, 3), []),
        (Fade(1.0, 3), []),
        (Biased(9.0), ["sample"] * 3),
        (Stray(math.inf, 5, 2), ["sample"] * 3),
        (Leaky(1.0, 3), ["columns"]),
        (Other(9.0), ["likelihood"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_channel_of_ones_own(channel, wrong, monkeypatch):
    monkeypatch.setattr(check, "_DRAWS", 6_000)
    findings = check_channel(channel)
    failed = [finding.check for finding in findings if not finding.passed]
    assert set(wrong) <= set(failed) and bool(wrong) == bool(failed)
    said = [finding for finding in findings if finding.check not in ("columns", "epsilon")]
    assert [" not " in finding.message for finding in said] == [not finding.passed for finding in said]
    law = channel.matrix().toarray()
    factors = [row.max() / row.min() if row.min() else math.inf for row in law if row.any()]
    assert channel.odds == pytest.approx(max(factors), rel=1e-9)
    assert [finding.check for finding in findings] == [
        "columns", "likelihood", "log_likelihood", "transform", "epsilon", *["sample"] * 3
    ]  # fmt: skip


@pytest.mark.parametrize(("epsilon", "factor"), [(0.5, "1.64872"), (9.0, "8103.08"), (1e4, "inf")])
def test_a_check_says_how_private_the_clues_are(epsilon, factor, monkeypatch):
    monkeypatch.setattr(check, "_DRAWS", 100)
    channel, told = RandomizedResponse(epsilon, 3), []
    for channel.epsilon in (epsilon, 0.4):
        told += [one.message for one in check_channel(channel) if one.check == "epsilon"]
    assert f"by a factor of up to {factor}" in told[0] and "more than" not in told[0]
    assert ", more than e^0.4: its epsilon is a price" in told[1]


@pytest.mark.parametrize("length", range(1, 9))
@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 0.7, 13.0, 50.0])
def test_no_distance_channel_tells_more_than_its_epsilon(length, epsilon):
    for channel in (RandomizedResponse(epsilon, length), *(Ball(epsilon, length, radius) for radius in range(length))):
        likelihood = channel.likelihood(3**length // 2)  # of a noisy clue given each true one: a row of the channel
        assert math.log(likelihood.max() / likelihood.min()) == pytest.approx(epsilon, rel=1e-12, abs=1e-12)
        assert math.fsum(likelihood) == pytest.approx(1.0, rel=1e-13)
