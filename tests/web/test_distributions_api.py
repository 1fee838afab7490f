"""Distributions of clues over HTTP, against the scores that the package gives."""

import math

import numpy as np
import pytest

import wordpl
from tests.web.conftest import answered
from wordpl.model.channel import make_channel

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
