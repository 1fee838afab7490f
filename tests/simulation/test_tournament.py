"""Tournaments: the ranking and the matrix against a count of all pairs by hand, and strategies at equal budgets."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import wordpl
from tests.support.helpers import SMALL
from wordpl import ComparisonRule, WordplError, make_task
from wordpl.limits import compute_win_rate
from wordpl.simulation import compare_outcomes, strategy_at_budget

SPECS = ["TwoGuess(24)", "NGuess(2, 12)", "TwoGuess(1)", "NGuess(3, 5)", "TwoGuess(24.01)"]
RULE = ComparisonRule(("posterior_win_rate", "p05"), margin=0.2, draws=200)


@pytest.fixture(scope="module")
def played():
    found = wordpl.sweep([make_task(spec, words=SMALL) for spec in SPECS], 400)
    return {one.task.strategy: one for one in found}


@pytest.fixture(scope="module")
def tournament(played):
    return compare_outcomes(itertools.combinations(played.values(), 2), RULE)


@pytest.mark.parametrize("figure", RULE.figures)
def test_ranking_and_matrix_count_the_verdicts_of_all_pairs(played, tournament, figure):
    ranking, matrix = tournament.ranking(figure), tournament.matrix(figure)
    gaps = tournament.matrix(figure, differences=True)
    assert sorted(ranking["strategy"]) == sorted(played) and ranking["rank"].is_monotonic_increasing
    assert list(matrix) == list(matrix.index) == list(ranking["strategy"])
    verdicts = {(p.first.strategy, p.second.strategy): p[figure].verdict for p in tournament.pairs}
    verdicts |= {(b, a): {"first": "second", "second": "first"}.get(v, v) for (a, b), v in verdicts.items()}
    letters = {"first": "W", "second": "L", "undecided": "?", "level": "T", "neither": "T"}
    points = {}
    for row in ranking.to_dict("records"):
        mine = {other: letters[verdicts[row["strategy"], other]] for other in played if other != row["strategy"]}
        assert {other: matrix.at[row["strategy"], other] for other in mine} == mine
        counts = [list(mine.values()).count(letter) for letter in "WLT?"]
        assert [row[name] for name in ("ahead", "behind", "level", "undecided")] == counts
        points[row["strategy"]] = counts[0] - counts[1]
        one = played[row["strategy"]]
        value = one.posterior_win_rate if figure == "posterior_win_rate" else one.p05
        assert (row["value"], row["budget"], row["trials"]) == (value, one.mean_budget, 400)
        for other in mine:
            worth = played[other].posterior_win_rate if figure == "posterior_win_rate" else played[other].p05
            both = math.isinf(value) and math.isinf(worth)
            assert gaps.at[row["strategy"], other] == pytest.approx(math.nan if both else value - worth, nan_ok=True)
    ranks = [1 + sum(other > points[name] for other in points.values()) for name in ranking["strategy"]]
    assert list(ranking["rank"]) == ranks
    assert {*matrix.to_numpy().ravel()} >= ({"W", "L", "T", ""} if figure == "posterior_win_rate" else {"T", "?", ""})
    assert set(np.diag(matrix)) == {""} and np.isnan(np.diag(gaps)).all()


def test_whoever_is_ahead_has_the_larger_exact_win_rate(tournament):
    setting = wordpl.Setting(SMALL)
    exact = {name: compute_win_rate(name, setting).win_rate for name in tournament.ranking()["strategy"]}
    matrix = tournament.matrix()
    ahead = [(a, b) for a, b in itertools.permutations(exact, 2) if matrix.at[a, b] == "W"]
    assert len(ahead) > 5 and all(exact[a] > exact[b] for a, b in ahead)


def test_there_is_a_round_for_each_epsilon(tournament):
    tasks = {(n, e): make_task(f"NGuess({n}, {e})", words=SMALL) for n in (1, 2, 3) for e in (3, 5)}
    pairs = [(tasks[a, e], tasks[b, e]) for e in (5, 3) for a, b in itertools.combinations((1, 2, 3), 2)]
    found = wordpl.compare(pairs, 30, rule=ComparisonRule(("posterior_win_rate",)))
    assert [[task.epsilon for task in part.tasks] for part in found.rounds] == [[5.0] * 3, [3.0] * 3]
    assert [pair for part in found.rounds for pair in part.pairs] == list(found.pairs)
    assert [len(part.matrix()) for part in found.rounds] == [3, 3]
    chain = replace(found, pairs=(found.pairs[0], tournament.pairs[0], found.pairs[2]))
    assert [len(part.pairs) for part in chain.rounds] == [2, 1], "A-B and B-C are one round"
    with pytest.raises(WordplError, match="unknown figure 'p50'"):
        found.matrix("p50")


def test_budgets_are_equal():
    for spec, epsilon in (("NGuess(2)", 9.0), ("TwoGuess()", 18.0)):
        strategy = strategy_at_budget(spec, 18, words=SMALL)
        assert strategy.epsilon == epsilon  # type: ignore[attr-defined]
        assert set(wordpl.evaluate(strategy, 5, words=SMALL).results["budget"]) == {18.0}
    with pytest.raises(WordplError, match="do not all cost the same"):
        strategy_at_budget("Greedy(certainty=0.5)", 18, words=SMALL)
    with pytest.raises(WordplError, match="leaves no epsilon open"):
        strategy_at_budget("TwoGuess(18)", 18, words=SMALL)
