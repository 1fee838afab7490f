"""The commands of the experiments that compare: what they write, and in which column."""

import math
from functools import cache, partial

import numpy as np
import pytest

import wordpl
from experiments import guess_list, looseness, pages, variations
from tests.support.helpers import SMALL
from tests.support.tops import noise_matrix, true_codes
from wordpl import WordList
from wordpl.library.records import Fifth


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Where the tables of a command go; its page is not written. Returns the rows of a table and its committed head."""
    monkeypatch.setattr(pages, "write", lambda source: None)
    monkeypatch.setattr(pages, "TABLES", tmp_path)

    def written(command, name):
        committed = getattr(pages, name)
        monkeypatch.setattr(pages, name, tmp_path / committed.name)
        command()
        rows = pages.read_csv(tmp_path / committed.name)
        assert list(rows[0]) == list(pages.read_csv(committed)[0])
        return rows

    return written


def test_bounds_are_shown_beside_what_was_searched(elsewhere, monkeypatch):
    """Beside the bounds of the converse; the free clue's and the small list's budgets are where a line has the rate."""
    committed, bounds = (
        pages.read_csv(pages.LOOSENESS),
        {row["win rate"]: row for row in pages.read_csv(pages.CONVERSE)},
    )
    free = {"Fifth": 0.05 / 12.81, "Median": 0.5 / 31.7}
    monkeypatch.setattr(looseness, "last_clue_free", lambda one, budget: free[type(one).__name__] * budget)
    monkeypatch.setattr(looseness, "optimum", lambda budget, words: budget / 25)
    monkeypatch.setattr(looseness, "searched", lambda budget, words: budget / 26)
    monkeypatch.setattr(looseness, "budget_bound", lambda rate, words, rounds: rate + (rounds or 9) + 0.009)
    rows = elsewhere(looseness.main, "LOOSENESS")
    for row, one, at in zip(rows, committed, ("12.81", "31.70"), strict=False):
        assert row == one | {"last clue free": at}
        told = bounds[f"{float(row['win rate']):g}"]
        for shown, name in (("bound of as many clues", f"{row['clues']} clues"), ("bound", "any strategy")):
            assert row[shown] == f"{math.floor(100 * float(told[name])) / 100:.2f}"
    words = looseness.small_list()
    assert [*rows[2].values()] == ["small", "0.50", "three", "13.00", "12.50", "", "3.50", "9.50"]
    assert (words.length, len(words.answers)) == (3, len({word[:3] for word in wordpl.load_words().answers[::110]}))


@pytest.mark.heavy
def test_an_optimum_is_that_of_all_guesses_and_divisions():
    words, budget = WordList("few", ("abc", "abd", "xbc"), ("abc", "abd", "xbc")), 6.0
    rows, noise = true_codes(words, "letterwise"), cache(partial(noise_matrix, 3))

    def best(weights, epsilon, *rest):
        tables = [noise(epsilon)[:, row] * weights for row in rows]
        if not rest:
            return max(table.max(axis=1).sum() for table in tables)
        return max(sum(best(each, *rest) for each in table) for table in tables)

    value = 0.0
    for row in rows:
        for first in (0.35 * budget, 0.4 * budget):
            after = noise(first)[:, row] / 3
            divisions = [(part * budget, (1 - part) * budget - first) for part in (0.35, 0.4)]
            value = max(value, sum(max(best(each, *division) for division in divisions) for each in after))
    assert looseness.optimum(budget, words) == pytest.approx(value)
    assert 0.99 * value < looseness.searched(budget, words) < value + 1e-9
    assert looseness.last_clue_free(Fifth(), 12.86) == pytest.approx(0.05, abs=5e-5)  # as the table says


def test_variations_are_compared_with_the_policy_as_it_is(elsewhere, monkeypatch, tmp_path):
    """On the same pairs, each of which is valued once; splits are of one pair in 40, by entropy."""
    drawn, asked = np.arange(600) // 2, []
    monkeypatch.setattr(variations, "STEPS", tmp_path / "steps")
    monkeypatch.setattr(variations, "sample", lambda: (drawn, None, None, None))
    monkeypatch.setattr(variations, "split", lambda pair: {"entropy": 9.0 - pair, "one": pair, "two": 2 * pair})
    monkeypatch.setattr(variations, "value", lambda pair, change: asked.append(pair) or change.first + pair / 600)
    monkeypatch.setattr(variations, "win_rate", lambda values, change: (values.mean(), values * [change.second + 1]))
    for _ in range(2):  # the second time from what was kept
        rows = elsewhere(variations.main, "VARIATIONS")
    assert asked == list(range(300)) * len(variations.VARIATIONS)
    plain = drawn / 600
    for row, (name, change) in zip(rows, [*variations.VARIATIONS.items()][1:], strict=True):
        error = np.linalg.norm((plain + change.first) * (1 + change.second) - plain)
        assert row["variation"] == name
        assert [float(cell) for cell in [*row.values()][1:]] == pytest.approx([change.first, error], abs=6e-6)
    splits = pages.read_csv(tmp_path / "splits.csv")
    assert [float(row["one"]) for row in splits] == [280.0 - 20 * k for k in range(15)]


@pytest.mark.heavy
def test_pairs_are_drawn_by_what_is_at_stake_and_stand_for_those_like_them():
    change = variations.Change(first=1.0, second=-0.5)
    masses, tops = variations.pairs(change)
    guess, epsilon = variations.SECOND[17]
    start, first = wordpl.Posterior(wordpl.load_words()), variations.FIRST + 1.0
    belief = start.update(variations.OPENER, first, 17)
    chances = start.clue_probabilities(variations.OPENER, first)[17] * belief.clue_probabilities(guess, epsilon - 0.5)
    assert masses.reshape(243, 243)[17] == pytest.approx(chances)
    assert tops[243 * 17 + 5] == pytest.approx(belief.update(guess, epsilon - 0.5, 5).probabilities.max())
    drawn, stakes, plain, top = variations.sample()
    at_stake = plain * (1 - top)
    assert stakes == pytest.approx(at_stake[drawn]) and (np.diff(top[drawn]) >= 0).all()
    assert np.abs(np.bincount(drawn, minlength=243**2) - 600 * at_stake / at_stake.sum()).max() < 2
    rate, errors = variations.win_rate(tops[drawn] + 0.25 * (1 - tops[drawn]), change)  # a quarter of what is at stake
    assert rate == pytest.approx(0.75 * masses @ tops + 0.25) and errors == pytest.approx(np.zeros(600))
    table = pages.read_csv(pages.TABLES / "splits.csv")
    for pair in drawn[::200].tolist():
        assert {name: f"{value:.4f}" for name, value in variations.split(pair).items()} in table


def test_ways_to_search_are_compared_on_the_same_posteriors(elsewhere, monkeypatch):
    """The largest and the smallest score, found in so many seconds; words are those that were scored."""
    clock, begun = [0.0], wordpl.Posterior(SMALL).update("crate", 9.0, "..icc")

    def way(criterion, name, seconds, best):
        def find(belief, rng):
            clock[0] += seconds
            scores = wordpl.score_guesses(belief, guess_list.EPSILON, criterion)
            return int(scores.argmax() if best else scores.argmin()), 60 + best

        return guess_list.Way(name, find)

    def ways(criterion):
        found = [way(criterion, "best", 4.0, True), way(criterion, "worst", 1.0, False)]
        return found if criterion == "clue_entropy" else [*found, way(criterion, "last", 2.0, True)]

    monkeypatch.setattr(guess_list, "ways", ways)
    monkeypatch.setattr(
        guess_list, "posteriors", lambda clues, n, rng: [wordpl.Posterior(SMALL), begun][-clues:] * (n // clues)
    )
    monkeypatch.setattr(guess_list.time, "process_time", lambda: clock[0])
    rows = elsewhere(guess_list.main, "GUESS_LIST")
    losses = [
        [
            float(np.mean([np.ptp(wordpl.score_guesses(one, 12.3, name)) for one in those]))
            for those in ([begun], [begun, wordpl.Posterior(SMALL)])
        ]
        for name in ("clue_entropy", "expected_top")
    ]
    told = [", ".join(f"{loss:.{digits}f}" for loss in each) for each, digits in zip(losses, (3, 4), strict=True)]
    assert [[*row.values()] for row in rows] == [
        ["best", "61", "1.00", "0, 0", "0, 0"], ["worst", "60", "0.25", *told], ["last", "61", "0.50", "", "0, 0"],
    ]  # fmt: skip
    assert guess_list.POSITIONS == 12


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
