"""The experiments that compare: what they search, draw and value, and what their tables say."""

from functools import cache, partial

import numpy as np
import pytest

import wordpl
from experiments import guess_list, looseness, pages, variations
from tests.support.helpers import SMALL
from tests.support.tops import noise_matrix, true_codes
from wordpl import WordList
from wordpl.library.records import Fifth


def test_the_bounds_beside_what_was_searched_are_those_of_the_converse():
    bounds = {float(row["win rate"]): row for row in pages.read_csv(pages.CONVERSE)}
    for row in pages.read_csv(pages.LOOSENESS)[:2]:
        for shown, name in (("bound of as many clues", f"{row['clues']} clues"), ("bound", "any strategy")):
            assert float(row[shown]) == looseness.down(float(bounds[float(row["win rate"])][name]))


@pytest.mark.heavy
def test_an_optimum_is_that_of_all_guesses_and_divisions(monkeypatch):
    words, budget = WordList("few", ("abc", "xbd"), ("abc", "xbd")), 6.0
    rows, noise = true_codes(words, "letterwise"), cache(partial(noise_matrix, 3))

    def best(weights, epsilon, *rest):
        tables = [noise(epsilon)[:, row] * weights for row in rows]
        if not rest:
            return max(table.max(axis=1).sum() for table in tables)
        return max(sum(best(each, *rest) for each in table) for table in tables)

    value = 0.0
    for row in rows:
        for first in (0.35 * budget, 0.4 * budget):
            after = noise(first)[:, row] / 2
            divisions = [(part * budget, (1 - part) * budget - first) for part in (0.35, 0.4)]
            value = max(value, sum(max(best(each, *division) for division in divisions) for each in after))
    assert looseness.optimum(budget, words) == pytest.approx(value)
    monkeypatch.setattr(looseness, "SPLITS", (0.4,))  # the better one, for time
    assert 0.99 * value < looseness.searched(budget, words) < value + 1e-9
    assert looseness.last_clue_free(Fifth(), 12.86) == pytest.approx(0.05, abs=5e-5)  # as the table says


def test_pairs_are_drawn_by_what_is_at_stake_and_stand_for_those_like_them(monkeypatch):
    change = variations.Change(first=1.0, second=-0.5)
    guess, epsilon = variations.SECOND[17]
    monkeypatch.setattr(variations, "SECOND", {17: (guess, epsilon)})
    with np.errstate(all="ignore"):  # of the other first clues there is nothing
        masses, tops = variations.pairs(change)
    start, first = wordpl.Posterior(wordpl.load_words()), variations.FIRST + 1.0
    belief = start.update(variations.OPENER, first, 17)
    chances = start.clue_probabilities(variations.OPENER, first)[17] * belief.clue_probabilities(guess, epsilon - 0.5)
    assert masses.reshape(243, 243)[17] == pytest.approx(chances)
    assert tops[243 * 17 + 5] == pytest.approx(belief.update(guess, epsilon - 0.5, 5).probabilities.max())
    rng = np.random.default_rng(1)
    masses, tops = rng.dirichlet(np.ones(243**2)), rng.random(243**2)
    monkeypatch.setattr(variations, "pairs", lambda change: (masses, tops))
    drawn, stakes, *_ = variations.sample()
    at_stake = masses * (1 - tops)
    assert stakes == pytest.approx(at_stake[drawn]) and (np.diff(tops[drawn]) >= 0).all()
    assert np.abs(np.bincount(drawn, minlength=243**2) - 600 * at_stake / at_stake.sum()).max() < 2
    rate, errors = variations.win_rate(tops[drawn] + 0.25 * (1 - tops[drawn]), change)  # a quarter of what is at stake
    assert rate == pytest.approx(0.75 * masses @ tops + 0.25) and errors == pytest.approx(np.zeros(600))


@pytest.mark.published
def test_two_clues_in_place_of_one_are_worth_what_the_table_says():
    drawn, *_ = variations.sample()
    table = pages.read_csv(pages.TABLES / "splits.csv")
    assert {name: f"{value:.4f}" for name, value in variations.split(int(drawn[200])).items()} in table


def test_each_way_scores_the_words_of_its_name():
    belief, rng = wordpl.Posterior(SMALL).update("crate", 9.0, "..icc"), np.random.default_rng(2)
    for criterion in ("clue_entropy", "expected_top"):
        scores = wordpl.score_guesses(belief, guess_list.EPSILON, criterion)
        for way in guess_list.ways(criterion):
            guess, scored = way.find(belief, rng)
            some = SMALL.answers_as_guesses if way.name.startswith("answers") else np.arange(len(SMALL.guesses))
            assert scored == len(some) and guess in some
            assert scores[guess] == pytest.approx(scores[some].max(), abs=0.0 if "exact" in way.name else 0.2)
    start, turns = wordpl.Posterior(wordpl.load_words()), range(243)
    after = [start.update("salet", 12.3, code).probabilities for code in turns]
    (found,) = guess_list.posteriors(1, 1, rng)
    assert any(np.allclose(found.probabilities, each) for each in after)
