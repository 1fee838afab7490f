"""Constants and labels of the experiments: the committed tables are of these."""

import math
import re

import numpy as np
import pytest

import wordpl
from experiments import (
    coverage,
    heuristics,
    looseness,
    optimum,
    orders,
    pages,
    percentiles,
    variations,
)
from tests.support.helpers import SMALL

# Published heuristics

ROWS = [line[2:-2].split(" | ") for line in heuristics.PAGE.read_text("utf-8").splitlines() if line[:2] == "| "][2:]


@pytest.fixture
def claims(monkeypatch):
    monkeypatch.setattr(heuristics, "commonness", dict)
    monkeypatch.setattr(heuristics, "most_on_the_second_guess", lambda: 150)
    return heuristics.claims()


def test_the_verdicts_on_published_claims_follow_from_the_counts_beside_them(claims):
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
