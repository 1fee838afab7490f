"""The figures of a word and the ranking of all, against the definitions."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from tests.generators import RULE, Fade, Scatter, beliefs, epsilons, small_words, words_of
from tests.helpers import ORIGINAL, SMALL, list_of
from wordpl.errors import WordplError
from wordpl.model.channel import RandomizedResponse, make_channel
from wordpl.model.posterior import Posterior
from wordpl.scoring import guess_figures
from wordpl.scoring.criteria import CRITERIA
from wordpl.scoring.guess_scores import score_guesses

BY_PARTS = ("information_gain", "clue_entropy", "expected_remaining", "parts", "largest_part")

# So many guesses that 32 drawn at random show that the last hundred are not the best.
MEDIUM = list_of("medium", ORIGINAL.answers[::60], ORIGINAL.guesses[::20])


def table_of(belief: Posterior, guess: str, noise: oracles.NoiseFunction) -> oracles.Table:
    return oracles.joint_table(belief.words.answers, belief.rule, list(belief.probabilities), guess, noise)


@given(beliefs(max_length=4), epsilons(zero=False), st.data())
def test_figures_of_any_word_in_the_list_or_not(belief: Posterior, epsilon: float, data: st.DataObject) -> None:
    guess = data.draw(words_of(belief.words.length))
    table = table_of(belief, guess, oracles.randomized_response(epsilon, len(guess)))
    sizes = oracles.part_sizes(belief.words.answers, belief.rule, list(np.exp(belief.log_weights)), guess)
    found = guess_figures.figures_of(belief, epsilon, guess)
    assert found.bits == pytest.approx(oracles.information_gain(table), abs=1e-9)
    assert found.clue_entropy == pytest.approx(oracles.clue_entropy(table), abs=1e-9)
    assert found.expected_remaining == pytest.approx(oracles.expected_remaining(table), rel=1e-9)
    assert (found.parts, found.largest_part) == (len(sizes), max(sizes.values()))
    at = belief.words.answer_index.get(guess)
    assert found.chance == (0.0 if at is None else belief.probabilities[at])


@pytest.mark.parametrize("family", [Fade, Scatter])
def test_figures_under_other_channels(family: type[Fade] | type[Scatter]) -> None:
    belief = Posterior(SMALL, "counted", family)
    noise = oracles.from_matrix(make_channel(family, 3.0, 5).dense)
    found = guess_figures.figures_of(belief, 3.0, "crate")
    table = table_of(belief, "crate", noise)
    assert found.bits == pytest.approx(oracles.information_gain(table), abs=1e-9)
    assert found.expected_remaining == pytest.approx(oracles.expected_remaining(table), rel=1e-9)


@given(beliefs(max_length=4), epsilons(), st.data())
def test_scores_of_a_word_are_those_of_the_kernels(belief: Posterior, epsilon: float, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(belief.words.guesses) - 1))
    found = guess_figures.score_word(belief, epsilon, belief.words.guesses[at])
    assert found.keys() == CRITERIA.keys() - {"renyi"}
    for criterion, score in found.items():
        assert score == pytest.approx(score_guesses(belief, epsilon, criterion, guesses=[at])[0], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("family", [Fade, Scatter])
def test_scores_of_a_word_under_other_channels(family: type[Fade] | type[Scatter]) -> None:
    belief = Posterior(SMALL, "counted", family)
    noise = oracles.from_matrix(make_channel(family, 3.0, 5).dense)
    table = table_of(belief, "crate", noise)
    found = guess_figures.score_word(belief, 3.0, "crate")["expected_top"]
    assert found == pytest.approx(oracles.expected_top(table), rel=1e-9)


@pytest.mark.parametrize(("epsilon", "word"), [(-1.0, "crate"), (math.nan, "crate"), (3.0, "crates")])
def test_scores_of_no_word_or_no_epsilon_are_refused(epsilon: float, word: str) -> None:
    with pytest.raises(WordplError):
        guess_figures.score_word(Posterior(SMALL), epsilon, word)


@given(beliefs(max_length=4), epsilons(zero=False), st.sampled_from(BY_PARTS))
def test_ranking_is_by_score_then_chance_then_alphabet(belief: Posterior, epsilon: float, criterion: str) -> None:
    found = list(guess_figures.ranking(belief, epsilon, criterion))
    sign = 1 if CRITERIA[criterion].larger_is_better else -1
    scores = sign * score_guesses(belief, epsilon, criterion)
    chances = [guess_figures.figures_of(belief, epsilon, word).chance for word in belief.words.guesses]
    assert sorted(found) == list(range(len(belief.words.guesses)))
    for one, other in itertools.pairwise(found):
        assert scores[one] > scores[other] - 2e-9
        if scores[one] == scores[other]:
            assert (-chances[one], one) < (-chances[other], other)


@pytest.mark.heavy
@given(small_words(), RULE, st.sampled_from(BY_PARTS), st.data())
def test_sizes_of_parts_give_the_scores_of_the_kernels(words, rule: str, criterion: str, data: st.DataObject) -> None:
    n = len(words.answers)
    left = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    belief = Posterior(words, rule, RandomizedResponse, [float(i in left) for i in range(n)])
    sign = 1 if CRITERIA[criterion].larger_is_better else -1
    scores = guess_figures._by_parts(belief, np.arange(len(words.guesses)), criterion)
    assert scores == pytest.approx(sign * score_guesses(belief, math.inf, criterion), abs=1e-9)


@given(beliefs(), epsilons(zero=False))
def test_sums_by_clue_give_the_information_of_the_kernels(belief: Posterior, epsilon: float) -> None:
    channel = make_channel(RandomizedResponse, epsilon, belief.words.length)
    scores = guess_figures._by_sums(belief, channel, np.arange(len(belief.words.guesses)))
    assert scores == pytest.approx(score_guesses(belief, epsilon, "information_gain"), abs=1e-9)


def test_rankings_are_the_same_with_and_without_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    belief = Posterior(SMALL, "counted").update("crate", 9.0, "..i..")
    guess_figures.load_kernels()
    by_kernels = guess_figures.ranking(belief, 9.0, kernels=True)
    with monkeypatch.context() as patch:
        patch.setattr(guess_figures, "_by_kernels", no_ranking)
        assert list(guess_figures.ranking(belief, 9.0)) == list(by_kernels)
    monkeypatch.setattr(guess_figures, "_by_sums", no_ranking)
    assert list(guess_figures.ranking(belief, 9.0, kernels=True)) == list(by_kernels)


def test_a_ranking_by_information_loads_no_kernels() -> None:
    script = (
        "import sys, wordpl; from wordpl.scoring import guess_figures;"
        " belief = wordpl.Posterior(wordpl.load_words()).update('crate', 9.0, '..i..');"
        " guess_figures.ranking(belief, 9.0); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_ranking_among_some_guesses_only() -> None:
    belief = Posterior(SMALL, "counted")
    allowed = np.array([3, 5, 11])
    for epsilon in (5.0, math.inf):
        assert sorted(guess_figures.ranking(belief, epsilon, allowed=allowed)) == [3, 5, 11]
        assert guess_figures.ranking(belief, epsilon, allowed=allowed[:0]).size == 0
    assert sorted(guess_figures.ranking(belief, math.inf, "expected_top", allowed)) == [3, 5, 11]


def test_original_opens_with_the_reference_numbers(original) -> None:
    best = guess_figures.opening(Posterior(original, "counted"), math.inf, "information_gain", 1)[0]
    assert (best.word, best.parts, best.largest_part) == ("soare", 127, 183)
    assert best.bits == pytest.approx(5.885960, abs=5e-7)
    tarse = guess_figures.figures_of(Posterior(original, "counted"), math.inf, "tarse")
    assert (tarse.parts, tarse.largest_part, tarse.chance) == (147, 227, 0.0)
    assert tarse.bits == pytest.approx(5.946725, abs=5e-7)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache directory."""
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def opening(n: int = 10, epsilon: float = math.inf) -> list[str]:
    return [found.word for found in guess_figures.opening(Posterior(MEDIUM, "counted"), epsilon, "information_gain", n)]


def ranked(epsilon: float = math.inf) -> list[str]:
    return [MEDIUM.guesses[i] for i in guess_figures.ranking(Posterior(MEDIUM, "counted"), epsilon)]


def no_ranking(*_: object) -> None:
    raise AssertionError("ranked afresh")


@pytest.mark.parametrize("epsilon", [13.0, math.inf])
def test_the_opening_is_kept(kept: Path, monkeypatch: pytest.MonkeyPatch, epsilon: float) -> None:
    assert opening(epsilon=epsilon) == ranked(epsilon)[:10]
    assert len(list(kept.glob("opening-*"))) == 1
    monkeypatch.setattr(guess_figures, "ranking", no_ranking)
    assert opening(20, epsilon) == ranked_words(epsilon)[:20]


def ranked_words(epsilon: float) -> list[str]:
    """As `ranked`, by the kernels."""
    belief = Posterior(MEDIUM, "counted")
    scores = score_guesses(belief, epsilon, "information_gain").round(9)
    is_answer = [word in MEDIUM.answer_index for word in MEDIUM.guesses]
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], not is_answer[i], i))
    return [MEDIUM.guesses[i] for i in order]


SPOILT = {
    "empty": lambda words: [],
    "cut short": lambda words: words[:50],
    "turned round": lambda words: words[::-1],
    "two exchanged": lambda words: [words[1], words[0], *words[2:]],
    "one twice": lambda words: [words[0], words[0], *words[1:-1]],
    "an unknown word": lambda words: ["zzzzz", *words[1:]],
    "the worst in order": lambda words: ranked()[-100:],
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_kept_opening_that_does_not_hold_is_made_again(kept: Path, spoil) -> None:
    right = opening()
    file = next(kept.glob("opening-*"))
    good = file.read_text()
    file.write_text("\n".join(spoil(good.split())))
    assert opening() == right
    assert file.read_text() == good


def test_a_file_that_cannot_be_read_is_made_again(kept: Path) -> None:
    right = opening()
    file = next(kept.glob("opening-*"))
    file.write_bytes(b"\xff\xfe\x00")
    assert opening() == right
    file.unlink()
    os.mkfifo(file)
    assert opening() == right


def test_without_a_place_to_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a directory")
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "file"))
    assert opening() == ranked()[:10]


def test_more_than_is_kept_and_criteria_that_are_not(kept: Path) -> None:
    assert opening(1000) == ranked()
    best = guess_figures.opening(Posterior(MEDIUM, "counted"), math.inf, "expected_top", 3)
    assert len(best) == 3
    assert not list(kept.glob("*expected_top*"))


def test_unknown_criteria_are_refused() -> None:
    assert all(guess_figures.check_criterion(name) == name for name in CRITERIA)
    with pytest.raises(WordplError, match="did you mean 'parts'"):
        guess_figures.check_criterion("part")
