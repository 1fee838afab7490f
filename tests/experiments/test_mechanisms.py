"""Other mechanisms: win rates by plain sums, the corners of the levels, and the tables beside the bounds."""

import math
import re

import pandas as pd
import pytest

from experiments import frontier, mechanisms, pages
from experiments.bounds.converse import budget_bound
from tests.support.helpers import TINY
from tests.support.tops import true_codes, two_level_matrix
from wordpl import load_words

LENGTH = TINY.length
CODES = true_codes(TINY, "letterwise")
SETS = mechanisms.level_sets(LENGTH)


@pytest.mark.heavy
def test_one_clue_of_each_set_of_levels():
    epsilon = 6.0
    assert len(SETS) == len(set(SETS)) == 2 ** (LENGTH + 1) - 2
    for distances in SETS:
        likely, reached, _ = mechanisms.reach(distances, TINY)
        rate = mechanisms.one_clue_win_rate(epsilon, likely, reached, TINY)
        noise = two_level_matrix(LENGTH, epsilon, distances)
        best = max(noise[:, row].max(axis=1).sum() for row in CODES)
        assert rate == pytest.approx(best / len(TINY.answers), rel=1e-6)


@pytest.mark.parametrize(("first", "second"), [((0,), (0, 1)), ((0, 1), (1, 3)), ((1, 3), (0,))])
def test_two_clues_by_plain_sums(first, second):
    opener, row = TINY.guesses[3], CODES[3]
    noise, last_noise = (two_level_matrix(LENGTH, *each) for each in ((2.5, first), (1.5, second)))
    after = [noise[code, row] / len(TINY.answers) for code in range(3**LENGTH)]
    expected = sum(max((last_noise[:, last] * weights).max(axis=1).sum() for last in CODES) for weights in after)
    assert mechanisms.two_clue_win_rate(opener, (2.5, first), (1.5, second), TINY) == pytest.approx(expected)


def test_the_table_stands_above_the_bounds():
    answers = len(load_words("original").answers)
    for row in pages.read_csv(pages.MECHANISMS):
        least, rate = float(row["proved limit"]), float(row["games won"].rstrip("%")) / 100
        if row["mechanism"] == "the answer itself":
            odds = math.exp(least + 0.01)
            assert rate <= odds / (odds + answers - 1)
        else:
            assert least <= float(row["best known"])
            assert rate <= float(row["its clues and win rate"].split()[1])


@pytest.mark.published
def test_the_table_has_the_bounds():
    bounds = {(row["games won"], row["mechanism"]): row["proved limit"] for row in pages.read_csv(pages.MECHANISMS)}
    bound = budget_bound(0.05, load_words("original"), channel="whole_clue")
    assert float(bounds["5%", "whole clue"]) == math.floor(100 * bound) / 100


def test_the_curve_of_the_contests_clues_is_the_frontier():
    points, known = pd.read_csv(pages.MECHANISM_CURVES), pd.read_csv(frontier.FRONTIER)[["best", "win_rate"]].dropna()
    drawn = points.loc[points["curve"] == mechanisms.LETTERWISE, ["budget", "win_rate"]]
    assert drawn.to_numpy() == pytest.approx(known.to_numpy(), rel=1e-4)


def test_nothing_that_is_known_beats_the_best_levels_at_their_budget():
    """Neither a row of a smaller budget nor a strategy in the picture; two digits of the latter are sampled."""
    table, points = pages.read_csv(pages.MECHANISM_LEVELS), pd.read_csv(pages.MECHANISM_CURVES)
    best = [float(row["win rate"]) for row in table]
    assert best == sorted(best)
    for row in table:
        known = points[points["curve"].isin(mechanisms.NAMES) & (points["budget"] <= float(row["budget"]))]["win_rate"]
        assert float(row["win rate"]) >= max(known, default=0) - 0.000006


def test_two_clues_of_the_table_win_what_it_says():
    words = load_words("original")
    row = pages.read_csv(pages.MECHANISM_LEVELS)[-1]
    asks = re.findall(r"\{([\d, ]+)\} at ([\d.]+)", row["best levels known"])
    first, second = ((float(epsilon), tuple(map(int, distances.split(", ")))) for distances, epsilon in asks)
    assert first[0] + second[0] == pytest.approx(float(row["budget"]), abs=0.001)
    rate = mechanisms.two_clue_win_rate(mechanisms.OPENER, first, second, words)
    assert f"{rate:.5f}" == row["win rate"]
