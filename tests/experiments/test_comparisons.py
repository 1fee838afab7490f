"""The experiments that compare: what they search, draw and value, and what their tables say."""

from functools import cache, partial

import pytest

from experiments import looseness, pages, variations
from tests.support.tops import noise_matrix, true_codes
from wordpl import WordList
from wordpl.library.records import Fifth


def test_the_bounds_beside_what_was_searched_are_those_of_the_converse():
    bounds = {float(row["win rate"]): row for row in pages.read_csv(pages.CONVERSE)}
    for row in pages.read_csv(pages.LOOSENESS)[:2]:
        for shown, name in (("bound of as many clues", f"{row['clues']} clues"), ("bound", "any strategy")):
            assert float(row[shown]) == looseness.down(float(bounds[float(row["win rate"])][name]))


@pytest.mark.heavy
def test_an_optimum_is_that_of_all_guesses_and_divisions():
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
    assert 0.99 * value < looseness.searched(budget, words) < value + 1e-9
    assert looseness.last_clue_free(Fifth(), 12.86) == pytest.approx(0.05, abs=5e-5)  # as the table says


@pytest.mark.published
def test_two_clues_in_place_of_one_are_worth_what_the_table_says():
    drawn, *_ = variations.sample()
    table = pages.read_csv(pages.TABLES / "splits.csv")
    assert {name: f"{value:.4f}" for name, value in variations.split(int(drawn[200])).items()} in table
