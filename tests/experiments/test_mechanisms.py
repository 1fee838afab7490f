"""Other mechanisms: win rates by plain sums, the corners of the levels, and the tables beside the bounds."""

import math
import re
from unittest.mock import Mock

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


def one_clue(noise):
    """The best win rate of one clue: over all guesses, the sum of the largest joint weights."""
    return max(noise[:, row].max(axis=1).sum() for row in CODES) / len(TINY.answers)


@pytest.mark.heavy
def test_one_clue_of_each_set_of_levels():
    epsilon = 6.0
    assert len(SETS) == len(set(SETS)) == 2 ** (LENGTH + 1) - 2
    for distances in SETS:
        likely, reached, _ = mechanisms.reach(distances, TINY)
        rate = mechanisms.one_clue_win_rate(epsilon, likely, reached, TINY)
        assert rate == pytest.approx(one_clue(two_level_matrix(LENGTH, epsilon, distances)), rel=1e-6)


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


def test_the_table_is_written_anew_from_its_numbers(monkeypatch, tmp_path):
    """Every label, digit and interval of its rows, and what the command writes."""
    rows, written = pages.read_csv(pages.MECHANISMS), []
    of = {(float(row["games won"].rstrip("%")) / 100, row["mechanism"]): row for row in rows}

    def row_of(channel, rate):
        return of[round(rate, 4), mechanisms.NAMES[channel]]

    def measured(steps, spec, channel, error):
        assert error == {"whole_clue": 0.0006, "ball:1": 0.0012}[channel]
        kinds = mechanisms.PERCENTILES.items()
        rate = next(r for r, kind in kinds if spec in (mechanisms.BALLS[r], f"{kind}(channel='whole_clue')"))
        told = row_of(channel, rate)
        exact, *ends = map(float, re.findall(r" ?(0\.\d+)", told["its clues and win rate"]))
        low, high = ends or (exact, exact)
        return {"budget": float(told["best known"]), "win_rate": exact, "low": low, "high": high}

    monkeypatch.setattr(mechanisms, "measured", measured)
    monkeypatch.setattr(mechanisms, "bound", lambda steps, channel, rate: float(row_of(channel, rate)["proved limit"]))
    monkeypatch.setattr(mechanisms, "Steps", Mock)
    table = pd.read_csv(pages.MECHANISM_CURVES)
    monkeypatch.setattr(mechanisms, "curves", lambda steps: table)
    monkeypatch.setattr(mechanisms, "draw", lambda table: Mock())
    monkeypatch.setattr(mechanisms, "print_table", Mock())
    before = pages.MECHANISMS.read_text("utf-8"), pages.MECHANISM_CURVES.read_text("utf-8")
    monkeypatch.setattr(pages, "write", written.append)
    for name in ("MECHANISMS", "MECHANISM_CURVES", "MECHANISM_PICTURE"):
        monkeypatch.setattr(pages, name, tmp_path / name)
    mechanisms.main(Mock(invoked_subcommand=None))
    assert (pages.MECHANISMS.read_text("utf-8"), pages.MECHANISM_CURVES.read_text("utf-8")) == before
    assert written == [pages.MECHANISMS]


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
