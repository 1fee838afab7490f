"""Clue distributions in a browser: the numbers of the page are those of the package."""

import itertools
import math

import pytest

import wordpl
from wordpl.model.channel import make_channel

_WORK_OUT = """async ([body, epsilon]) => {
  const { post } = await import("/static/api.js");
  const { distributionAt } = await import("/static/explore/distribution.js");
  const found = await post("/api/distributions", body);
  return found.guesses.map((guess) => {
    const { noisy, ...scores } = distributionAt(guess, epsilon, found.length);
    return { noisy: [...noisy], ...scores };
  });
}"""

VIEW = "/explore/clues"


HISTORIES = [(), (("crate", 13.0, "..icc"), ("salet", 9.0, "i....")), (("crate", math.inf, "....."),)]


def test_the_page_and_the_package_agree(explore, new_page, original):
    page, guesses = new_page(explore), ["crate", "salet", "fuzzy", "eerie"]
    for history, epsilon in itertools.product(HISTORIES, (0.1, 12.3, 100.0, math.inf)):
        belief = wordpl.Posterior(original)
        for turn in history:
            belief = belief.update(*turn)
        given = [{"guess": g, "clue": c, "epsilon": "inf" if math.isinf(e) else e} for g, e, c in history]
        body = {"words": "original", "rule": "letterwise", "turns": given, "guesses": guesses}
        found = page.evaluate(_WORK_OUT, [body, "inf" if math.isinf(epsilon) else epsilon])
        noise_entropy = make_channel(wordpl.RandomizedResponse, epsilon, 5).noise_entropy[0]
        for guess, of_page in zip(guesses, found, strict=True):
            scores = wordpl.score_word(belief, epsilon, guess)
            probabilities = belief.clue_probabilities(guess, epsilon).tolist()
            assert of_page["noisy"] == pytest.approx(probabilities, rel=1e-9, abs=0)  # those of rare clues, too
            assert of_page["clueEntropy"] == pytest.approx(scores["clue_entropy"], abs=1e-12)
            assert of_page["informationGain"] == pytest.approx(scores["information_gain"], abs=1e-12)
            assert of_page["expectedTop"] == pytest.approx(scores["expected_top"], abs=1e-12)
            assert of_page["noiseEntropy"] == pytest.approx(noise_entropy, abs=1e-12)
