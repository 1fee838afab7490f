"""What a clue does: against closed forms, against all 243 noisy clues of every channel, and against the referee."""

import functools
import math
from collections import Counter

import numpy as np
import pytest

import wordpl
from tests.support.generators import Scatter
from tests.support.refusals import refusal
from wordpl import Ask, Channel, Clue, DistanceChannel, RandomizedResponse, Referee, Setting, channel_family
from wordpl.limits import Explanation, explain

WORDS = wordpl.load_words("original")
CHANNELS = [
    ("randomized_response", 13.0), ("randomized_response", 0.0), ("randomized_response:9", None),
    ("whole_clue", 6.0), ("ball:1", 4.0), ("ball:3", 2.0), ("levels:4,2,1,1,1,1", None), ("levels:1,3,1,2,1,2", None),
    ("fibble", None), ("fibble:2", None), ("fibble:5", None), ("fibble:0", None),
    ("randomized_response", math.inf), ("whole_clue", math.inf),
]  # fmt: skip


def stick(first: Counter[float], epsilon: float) -> float:
    """Delta at epsilon of losses with their probabilities."""
    return math.fsum(chance * -math.expm1(min(epsilon - loss, 0.0)) for loss, chance in first.items())


def losses(first: np.ndarray, second: np.ndarray) -> Counter[float]:
    found: Counter[float] = Counter()
    for p, q in zip(first.tolist(), second.tolist(), strict=True):
        if p > 0.0:
            found[round(math.log(p / q), 9) if q > 0.0 else math.inf] += p
    return found


@pytest.mark.parametrize(("name", "epsilon"), CHANNELS)
def test_the_numbers_are_those_of_all_noisy_clues(name, epsilon):
    found = explain(epsilon, name)
    laws = channel_family(name)(found.epsilon, 5).matrix().toarray().T  # [true, noisy]
    places = np.array([wordpl.Clue(code).marks for code in range(243)])
    truths = places == places[17]
    assert found.true_clue.code == 17
    assert found.mark_is_true == pytest.approx(laws[17] @ truths[:, 2], abs=1e-12)
    assert found.false_marks == pytest.approx(laws[17] @ (~truths).sum(axis=1), abs=1e-12)
    assert found.clue_is_true == pytest.approx(laws[17, 17], abs=1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        assert found.odds == pytest.approx(np.nanmax(laws[0] / laws), rel=1e-9)
        marginal = np.array([laws[17][places[:, 2] == mark].sum() for mark in range(3)])
        assert found.mark_odds == pytest.approx(np.max(marginal) / np.min(marginal), rel=1e-9)
        terms = np.where(laws > 0.0, laws * np.log2(laws / laws.mean(axis=0)), 0.0)
    assert found.capacity == pytest.approx(terms.sum() / 243, abs=1e-9)
    assert found.exact_capacity == pytest.approx(math.log2(243))
    if math.isinf(found.epsilon):
        assert found.deltas == ()
        return
    assert found.deltas[0] == 0.0
    largest = [0.0] * 4
    for differing in range(1, 6):
        one = losses(laws[0], laws[(3**differing - 1) // 2])
        several: Counter[float] = Counter({0.0: 1.0})
        for clues in range(4):
            more: Counter[float] = Counter()
            for (a, p), (b, q) in ((x, y) for x in several.items() for y in one.items()):
                more[round(a + b, 9)] += p * q
            several = more
            largest[clues] = max(largest[clues], stick(several, found.epsilon))
    assert all(ours >= least - 1e-7 for ours, least in zip(found.deltas, largest, strict=True))
    assert found.deltas == pytest.approx(largest, abs=2e-3 if name.startswith("levels") else 1e-7)


@pytest.mark.parametrize(("name", "epsilon"), [case for case in CHANNELS if case[1] != 0.0])  # no ask is at 0
def test_the_clues_are_those_of_a_game(name, epsilon):
    for guess, answer, rule, seed in (("crate", "haste", "letterwise", 1), ("geese", "eerie", "counted", 2**70)):
        found = explain(epsilon, name, guess=guess.upper(), answer=answer.upper(), rule=rule, seed=seed, count=8)
        setting = Setting(WORDS, rule, channel_family(name), math.isinf(found.epsilon))
        game = Referee(setting, seed).open(0, answer)
        turns = [game.take(Ask(guess, found.epsilon)) for _ in range(8)]
        assert [turn.clue for turn in turns if turn] == [noisy.code for noisy in found.noisy_clues]
        assert (found.guess, found.true_clue) == (guess, wordpl.clue(guess, answer, rule))
        assert (found.answer, found.rule, found.seed) == (answer, rule, seed)


def test_an_infinite_number_is_a_value_of_json():
    free, fixed = explain(math.inf).summary(), explain(1e6, seed=2**200).summary()
    assert (free["epsilon"], free["odds"], free["mark_odds"], free["deltas"]) == ("inf", None, None, [])
    assert (fixed["epsilon"], fixed["odds"], fixed["deltas"][0], fixed["seed"]) == (1e6, None, 0.0, str(2**200))
    assert explain(13).summary()["noisy_clues"] == ["i.icc", "..icc", "..ic.", "..iic", "..icc"]
    assert repr(explain(13)) == "<Explanation of a clue of randomized_response at epsilon 13>"
    assert isinstance(explain(13), Explanation)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "a clue of randomized_response can have any epsilon; give one, such as 13"),
        ({"epsilon": 3.0, "channel": "fibble"}, "a Fibble clue has an infinite budget"),
        ({"epsilon": 3.0, "channel": Scatter}, "it is no distance channel"),
    ],
)
def test_what_cannot_be_explained_is_refused(given, said):
    assert said in refusal(explain, **given)


class Understated(DistanceChannel):
    """Its clues tell twice as much as its epsilon says."""

    def __init__(self, epsilon, length=5):
        super().__init__(epsilon, length, RandomizedResponse(2.0 * epsilon, length).levels)


class Silent(Channel):
    """It never says that a letter is absent, which a finite epsilon cannot promise."""

    mark_matrix = np.array([[0.0, 0.0, 0.0], [1.0, 0.8, 0.1], [0.0, 0.2, 0.9]])

    def __init__(self, epsilon, length=5):
        self.epsilon, self.length = epsilon, length

    def likelihood(self, clue):
        return functools.reduce(np.kron, (self.mark_matrix[mark] for mark in Clue.parse(clue, self.length).marks))

    def sample(self, code, uniforms):
        raise NotImplementedError


def test_the_odds_are_those_of_the_channel_and_not_those_that_its_epsilon_promises():
    belief = wordpl.Posterior(wordpl.load_words(), channel=Understated)
    once = explain(4.0, Understated)
    assert once.odds == pytest.approx(math.exp(8.0))
    p, q = (RandomizedResponse(8.0).likelihood(clue) for clue in (".....", "iiiii"))
    assert once.deltas[0] == pytest.approx(np.maximum(p - math.exp(4.0) * q, 0.0).sum())
    ranked = wordpl.scoring.rank_guesses(belief, [4.0], guesses=["crate"])
    assert ranked["odds"].tolist() == [pytest.approx(math.exp(8.0))]
    silent = wordpl.Posterior(wordpl.load_words(), channel=Silent)
    assert wordpl.scoring.rank_guesses(silent, [4.0], guesses=["crate"])["odds"].tolist() == [math.inf]
