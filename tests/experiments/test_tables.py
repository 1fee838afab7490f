"""Constants and labels of the experiments, as the committed tables have them; what is searched, drawn and valued."""

import math
import re
from functools import cache, partial

import numpy as np
import pytest

import wordpl
from experiments import coverage, guess_list, heuristics, looseness, optimum, orders, pages, percentiles, variations
from tests.support.helpers import SMALL
from tests.support.tops import noise_matrix, true_codes
from wordpl import WordList
from wordpl.library.records import Fifth

# Published heuristics

ROWS = [line[2:-2].split(" | ") for line in heuristics.PAGE.read_text("utf-8").splitlines() if line[:2] == "| "][2:]


def test_the_verdicts_on_published_claims_follow_from_the_counts_beside_them(monkeypatch):
    monkeypatch.setattr(heuristics, "commonness", dict)
    monkeypatch.setattr(heuristics, "most_on_the_second_guess", lambda: 150)
    claims = heuristics.claims()
    assert [row[:2] for row in ROWS] == [[claim.what, claim.published] for claim in claims]
    for claim, (*_, ours, verdict) in zip(claims, ROWS, strict=True):
        counts = list(map(int, ours.partition(": ")[2].split()))
        mean, from_one = float(ours.split()[2][:-1]), np.dot(counts, np.arange(1, len(counts) + 1)) / sum(counts)
        begins = 1 if mean < from_one + 0.5 else 2
        result = heuristics.Result(ours[:5].lower(), dict(enumerate(counts, begins)))
        assert (str(result), claim.verdict(result)) == (ours, verdict)
        assert sum(counts) in (2309, 2315, 12972)


# Tables of others


def test_the_tables_are_of_the_grids_in_the_code():
    found = {tuple(row[key] for key in ("percentile", "clues", "epsilon", "games", "later guesses by"))
             for row in pages.read_csv(pages.ORDERS)}  # fmt: skip
    assert found == {
        (str(percentile), str(len(epsilons)), f"{epsilons[0]:g}", str(orders.GAMES), name)
        for percentile, epsilons in orders.REGIMES.items()
        for name in orders.contenders(epsilons)
    }
    duels = pages.read_csv(pages.DUELS)
    assert list(duels[0]) == percentiles.DUEL_COLUMNS
    told = [(f"{one.percentile}", f"{one.rounds} x {one.epsilon:g}") for one in percentiles.DUELS]
    assert [(row["ranking"], row["budget"]) for row in duels] == told


def test_a_variation_is_what_its_name_says():
    assert [row["variation"] for row in pages.read_csv(pages.VARIATIONS)] == list(variations.VARIATIONS)[1:]
    for name, change in variations.VARIATIONS.items():
        words, size = name.split(), re.search(r"[-+][\d.]+$", name)
        by = float(size[0]) if size else 0.0
        truthful = ["first", "second", "third", "last"].index(words[0]) if words[-1] == "truthful" else None
        first, second, share = (by if word in words else 0.0 for word in ("first", "second", "share"))
        assert change == variations.Change(first, second, share, truthful)
        noises = [change.noise(9.0, clue) for clue in range(4)]
        assert noises == [variations.TRUTHFUL if clue == truthful else 9.0 for clue in range(4)]


def test_the_simulated_cases_have_the_mean_that_the_table_says():
    lines = pages.COVERAGE.read_text("utf-8").splitlines()
    rows = [line[2:-2].split(" | ")[:3] for line in lines if re.match(r"\| .* \| [\d,]+ \|", line)]
    cases = [*coverage.DIFFERENCES, *coverage.CHANCES]
    assert f" {coverage.RUNS:,} runs of each case" in lines[2]
    for case, (name, games, mean) in zip(cases, rows, strict=True):
        assert (case.name, f"{case.games:,}") == (name, games)
        assert float(mean) == pytest.approx(case.mean, rel=1e-3, abs=5e-5)
        values = case.draw(np.random.default_rng(1), 200_000)
        assert abs(values.mean() - case.mean) < 4.5 * values.std() / math.sqrt(200_000)


def test_a_last_clue_that_is_free_wins_what_its_parts_allow():
    weights = np.array([0.2, 0.1, 0.3, 0.05])
    assert looseness.free_win_rate(weights, 4.0, parts=1) == pytest.approx(0.3)
    assert looseness.free_win_rate(weights, 0.0, parts=3) == pytest.approx(0.3)
    assert looseness.free_win_rate(weights, 200.0, parts=3) == pytest.approx(0.6)
    assert (looseness.down(12.349), looseness.down(12.3)) == (12.34, 12.3)
    assert looseness.reaching(0.5, lambda budget: budget / 20, 8.0, 12.0) == pytest.approx(10.0)


def test_published_totals_of_trees_are_compared_with_ours(monkeypatch):
    monkeypatch.setattr(wordpl, "load_words", lambda name: SMALL)
    total = wordpl.wordle.solve_tree(SMALL, SMALL.guesses[0], worst=5).tree.total
    for more, verdict in ((0, "reproduced"), (1, "bettered"), (-1, "not reached")):
        row = optimum.row(optimum.Published("small", SMALL.guesses[0], total + more, worst=5))
        assert [row[2], row[3], row[4], row[6]] == ["easy, at most 5", str(total + more), str(total), verdict]


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
