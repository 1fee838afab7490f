"""Distributions of clues over HTTP, against the scores that the package gives."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from tests.support.generators import histories
from wordpl.model.channel import make_channel
from wordpl.model.words import load_words

WORDS = load_words("original")


def ask(client, guesses, turns=(), **others):
    given = {"guesses": list(guesses), "turns": list(turns), **others}
    return client.post("/api/distributions", json=given)


@settings(max_examples=30)
@given(
    turns=histories(5, zero=False),
    guess=st.sampled_from(WORDS.guesses),
    epsilon=st.floats(0.1, 60.0) | st.just(math.inf),
    rule=st.sampled_from(wordpl.RULES),
)
def test_the_distribution_and_the_scores_are_those_of_the_package(client, turns, guess, epsilon, rule):
    belief = wordpl.Posterior(WORDS, rule)
    sent = []
    for guessed, spent, clue in turns:
        at = "inf" if math.isinf(spent) else spent
        sent.append({"guess": f"{guessed}!", "clue": str(wordpl.Clue.parse(clue, 5)), "epsilon": at})
    try:
        for turn in turns:
            belief = belief.update(*turn)
    except wordpl.ContradictionError:
        answer = ask(client, [guess], sent, rule=rule)
        assert (answer.status_code, answer.json()["error"]["field"]) == (422, "turns")
        return
    answer = ask(client, [guess], sent, rule=rule, epsilon="inf" if math.isinf(epsilon) else epsilon)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (found["length"], found["entropy"], found["answers"]) == (5, belief.entropy, len(belief.possible))
    expected, sent = wordpl.score_word(belief, epsilon, guess), found["guesses"][0]
    channel = make_channel(wordpl.RandomizedResponse, epsilon, 5)
    assert sent["noisy"] == pytest.approx(channel.transform(np.array(sent["exact"])).tolist(), rel=1e-9, abs=1e-15)
    assert -sum(p * math.log2(p) for p in sent["noisy"] if p > 0) == pytest.approx(sent["clue_entropy"], abs=1e-9)
    chances = dict(zip(WORDS.answers, belief.probabilities.tolist(), strict=True))
    assert sent["chance"] == chances.get(guess, 0)
    names = ["clue_entropy", "information_gain", "expected_top"]
    assert [sent[name] for name in names] == [expected[name] for name in names]
    assert sent["noise_entropy"] == channel.noise_entropy[0]
