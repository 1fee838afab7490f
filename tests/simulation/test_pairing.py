"""Comparisons of real games: common trials, one result however they are played or stored, and what is refused."""

import itertools
import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

import wordpl
from tests.support.helpers import SMALL, TINY
from tests.support.refusals import refusal
from wordpl import ComparisonRule, Store, Task, WordplError, compare, make_task
from wordpl.base.defaults import STATISTICS
from wordpl.reporting.comparison_tables import notes_of
from wordpl.simulation import PairedComparison, TaskFilter, compare_outcomes, strategy_at_budget
from wordpl.simulation.pairing import on_common_trials, win_rate_band


def task(spec: str, seed: int = 1, **more: Any) -> Task:
    return wordpl.make_task(spec, seed, **{"words": SMALL, **more})


TASKS = [task("NGuess(2, 9)"), task("TwoGuess(18)"), task("Greedy(6)")]
PAIRS = list(itertools.combinations(TASKS, 2))
RULE = ComparisonRule(draws=300)


def plain(found: PairedComparison) -> Any:
    """All that a comparison says."""
    return [([asdict(one) for one in pair.differences], pair.trials, pair.curve) for pair in found.pairs]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("pairs") / "r.sqlite") as found:
        wordpl.sweep(TASKS, 400, store=found)
        yield found


def test_siblings_take_the_same_arguments(tmp_path):
    """A strategy, a spec or a task; a seed and terms; a results file or its path."""
    specs, path = ["NGuess(2, 9)", "TwoGuess(9)"], tmp_path / "r.sqlite"
    terms: dict[str, Any] = {"words": SMALL, "channel": "whole_clue"}
    tasks = [make_task(spec, 3, **terms) for spec in specs]
    swept = wordpl.sweep(specs, 20, seed=3, store=path, **terms)
    assert swept == wordpl.sweep(tasks, 20) == [wordpl.evaluate(spec, 20, 3, **terms) for spec in specs]
    assert swept == [wordpl.evaluate(one, 20) for one in tasks] == wordpl.simulation.read_outcomes(str(path))
    played = compare(*specs, trials=20, seed=3, by=RULE, **terms)
    stored = compare_outcomes(wordpl.simulation.read_pairs(path), RULE)
    assert plain(played) == plain(compare(*tasks, trials=20, by=RULE, store=str(path))) == plain(stored)
    games = [wordpl.watch(tasks[0], 7).game, wordpl.watch(specs[0], 7, 3, **terms).game]
    assert len({(game.history, game.answer, game.proposed) for game in games}) == 1


def test_a_comparison_has_the_pairs_and_trials_that_were_asked_for(store):
    found = compare(PAIRS, trials=300, by=RULE, store=store)
    assert list(found.frame["statistic"]) == 3 * ["posterior_win_rate", "p05", "p50", "p95"]
    assert set(found.frame["trials"]) == {300} and [one.id for one in found.tasks] == [one.id for one in TASKS]
    for pair in found.pairs:  # at the largest budget, all of the win rate counts
        assert pair.curve[-1]["difference"] == pytest.approx(pair["posterior_win_rate"].difference)
    # Percentiles that differ by rounding alone are level.
    (pair,) = compare([(task("NGuess(2, 13.35)"), task("NGuess(3, 8.9)"))], trials=60, by=RULE).pairs
    found = pair["p05"]
    assert (found.first, found.second, found.difference, found.verdict) == (26.7, 26.7, 0.0, "level")
    assert [point["budget"] for point in pair.curve] == [26.7]


def test_games_of_wordle_are_compared_by_guesses_and_have_no_curve():
    tasks = [task(spec, format="wordle:6") for spec in ("Greedy(inf, n_guesses=6)", "NGuess(6, inf)")]
    pair = compare([(tasks[0], tasks[1])], trials=60, by=RULE).pairs[0]
    one, other = wordpl.sweep(tasks, 60)
    assert (pair["p50"].first, pair["p50"].second) == (one.p50, other.p50)
    assert {point["budget"] for point in pair.curve} <= set(range(1, 7))
    without_noise = task("NGuess(2, inf)"), task("NGuess(1, inf)")
    (pair,) = (found := compare([without_noise], trials=50, by=RULE)).pairs
    assert pair.curve == [] and found.rule == replace(RULE, statistics=STATISTICS[:1])
    assert [one.statistic for one in pair.differences] == ["posterior_win_rate"] and found.differences == 1
    assert "play wordle:6" in " ".join(notes_of(found))
    mixed = compare([(without_noise[0], task("NGuess(2, 9)"))], trials=50, by=RULE)
    assert mixed.rule == RULE and "play wordle:6" not in " ".join(notes_of(mixed))
    level = compare([(task("NGuess(2, 9)"), task("NGuess(2, 9.2)"))], trials=20, by=RULE).ranking()
    assert level["rank"].tolist() == [1, 1] and level["value"].is_monotonic_decreasing


def test_pairs_of_a_store(store, tmp_path):
    def specs(pairs: Any) -> list[tuple[str, str]]:
        return [(one.task.strategy, other.task.strategy) for one, other in pairs]

    assert len(wordpl.simulation.read_pairs(store)) == 3
    (pair,) = specs(wordpl.simulation.read_pairs(store, TaskFilter(["NGuess*", "Two*"])))
    assert pair == ("NGuess(n_guesses=2, epsilon=9.0)", "TwoGuess(epsilon=18.0)")
    assert "do not all cost the same" in refusal(strategy_at_budget, "Greedy(certainty=0.5)", 18, words=SMALL)
    assert "has no open epsilon" in refusal(strategy_at_budget, "NGuess(2, 9)", 18, words=SMALL)
    assert "nothing to compare" in refusal(wordpl.simulation.read_pairs, store, TaskFilter(["Greedy*"]))
    with Store(tmp_path / "grid.sqlite") as grid:
        grid_tasks = [task(f"{name}, {e})") for name in ("NGuess(2", "NGuess(1") for e in (5, 7)]
        wordpl.sweep([*grid_tasks, task("TwoGuess(9)")], 20, store=grid)
        found = wordpl.simulation.read_pairs(grid)
        epsilons = [(one.task.epsilon, other.task.epsilon) for one, other in found]
        # At common epsilons; the one that was run once against all.
        assert sorted(epsilons) == [(5.0, 5.0), (5.0, 9.0), (5.0, 9.0), (7.0, 7.0), (7.0, 9.0), (7.0, 9.0)]
        assert len(wordpl.simulation.read_pairs(grid, TaskFilter(["NGuess(n_guesses=2*"]))) == 1
        wordpl.sweep([task("TwoGuess(11)")], 20, store=grid)  # at two epsilons, neither of which the others have
        found = wordpl.simulation.read_pairs(grid)
        assert [(one.task.epsilon, other.task.epsilon) for one, other in found] == [(5.0, 5.0), (7.0, 7.0)]


def test_trials_that_only_one_has_do_not_count():
    one, other, third = (wordpl.sweep([task], n)[0] for task, n in zip(TASKS, (60, 90, 90), strict=True))
    assert compare_outcomes([(one, other)], RULE).pairs[0].trials == 60
    assert plain(compare_outcomes([(one, other)], RULE)) == plain(compare([(TASKS[0], TASKS[1])], trials=60, by=RULE))
    older = replace(one, task=replace(one.task, id="older", code="older"))
    found = compare_outcomes([(each, other) for each in (one, older, *wordpl.sweep([task("NGuess(2, 5)")], 60))], RULE)
    assert len({*found.names.values()}) == 4, "where two runs have one epsilon, names tell the epsilon and more"
    table = compare_outcomes([(other, third), (one, other)], RULE).ranking().sort_values("trials")
    assert table["trials"].tolist() == [60, 90, 90], "a row is of the pair with the most trials"
    assert sorted(table["budget"]) == [18.0, 18.0, pytest.approx(third.costs.mean())]
    empty = wordpl.Evaluation(other.task, other.results[60:])
    assert "no trials in common" in refusal(compare_outcomes, [(one, empty)], RULE)
    both = on_common_trials(one, other)
    curve = compare_outcomes([(one, other)], ComparisonRule(error=0.3)).pairs[0].curve
    assert curve == win_rate_band(both, error=0.3) != win_rate_band(both, error=0.05)
    failed, misplaced = (wordpl.Evaluation(one.task, one.results.copy()) for _ in range(2))
    misplaced.results["answer"][[7, 9]] = "zzzzz"
    assert "have different answers in trial 7" in refusal(compare_outcomes, [(misplaced, other)])
    failed.results["verdict"], failed.results["reason"] = "CRASH", "no idea"
    said = "lost all 60 trials by errors, so it cannot be compared: no idea"
    assert said in refusal(compare_outcomes, [(other, failed)], RULE)


OTHER = wordpl.WordList(SMALL.name, SMALL.answers[1:], SMALL.guesses)
REFUSED: list[tuple[Any, str]] = [
    ([], "nothing to compare"),
    ([(TASKS[0], TASKS[0])], "compared with itself"),
    ([(TASKS[0], task("TwoGuess(18)", 2))], r"differ in seed \(1 and 2\)"),
    ([(TASKS[0], task("TwoGuess(18)", words=TINY))], "differ in words"),
    ([(TASKS[0], task("TwoGuess(18)", rule="counted"))], "differ in rule"),
    (
        [(TASKS[0], task("TwoGuess(18)", channel="whole_clue"))],
        "differ in channel .*; --channel randomized_response takes",
    ),
    ([(TASKS[0], task("TwoGuess(18)", words=OTHER))], "different answers"),
    ([(task("NGuess(2, inf)"), task("NGuess(3, inf)", format="wordle:4"))], "differ in format"),
]


def test_what_cannot_be_compared():
    for pairs, said in REFUSED:
        with pytest.raises(WordplError, match=said):
            compare(pairs, trials=5)


# Tournaments: the ranking and the matrix against a count of all pairs by hand, and strategies at equal budgets

SPECS = ["TwoGuess(24)", "NGuess(2, 12)", "TwoGuess(1)", "NGuess(3, 5)", "TwoGuess(24.01)"]
BOTH = ComparisonRule(("posterior_win_rate", "p05"), margin=0.2, draws=200)


@pytest.fixture(scope="module")
def played():
    found = wordpl.sweep([make_task(spec, words=SMALL) for spec in SPECS], 400)
    return {one.task.strategy: one for one in found}


@pytest.fixture(scope="module")
def tournament(played):
    return compare_outcomes(itertools.combinations(played.values(), 2), BOTH)


@pytest.mark.parametrize("statistic", BOTH.statistics)
def test_ranking_and_matrix_count_the_verdicts_of_all_pairs(played, tournament, statistic):
    ranking, matrix = tournament.ranking(statistic), tournament.matrix(statistic)
    letters = {"first": "W", "second": "L", "undecided": "?", "level": "T", "neither": "T"}
    said = {(p.first.strategy, p.second.strategy): letters[p[statistic].verdict] for p in tournament.pairs}
    said |= {(b, a): {"W": "L", "L": "W"}.get(letter, letter) for (a, b), letter in said.items()}
    names = list(ranking["strategy"])
    expected = [[said.get((one, other), "") for other in names] for one in names]
    assert sorted(names) == sorted(played) and list(matrix) == list(matrix.index) == names
    assert matrix.to_numpy().tolist() == expected
    counts = [[row.count(letter) for letter in "WLT?"] for row in expected]
    assert ranking[["ahead", "behind", "level", "undecided"]].to_numpy().tolist() == counts
    points = [ahead - behind for ahead, behind, *_ in counts]
    assert ranking["rank"].tolist() == [1 + sum(other > own for other in points) for own in points]
    values = np.array([getattr(played[name], statistic) for name in names])
    told = [(value, played[name].mean_budget, 400) for name, value in zip(names, values, strict=True)]
    assert [*ranking[["value", "budget", "trials"]].itertuples(index=False, name=None)] == told
    sign = -1 if statistic == "posterior_win_rate" else 1  # among those that share a rank, the best first
    order = [*zip(ranking["rank"], sign * values, strict=True)]
    assert order == sorted(order) and len(set(ranking["rank"])) < len(ranking)
    with np.errstate(invalid="ignore"):
        gaps = np.subtract.outer(values, values)  # of two infinite values there is none
    np.fill_diagonal(gaps, math.nan)
    np.testing.assert_allclose(tournament.matrix(statistic, differences=True), gaps, atol=1e-12)
    assert {*matrix.to_numpy().ravel()} >= ({"W", "L", "T"} if statistic == "posterior_win_rate" else {"T", "?"})


def test_there_is_a_round_for_each_epsilon(tournament):
    tasks = {(n, e): make_task(f"NGuess({n}, {e})", words=SMALL) for n in (1, 2, 3) for e in (3, 5)}
    pairs = [(tasks[a, e], tasks[b, e]) for e in (5, 3) for a, b in itertools.combinations((1, 2, 3), 2)]
    found = wordpl.compare(pairs, trials=30, by=ComparisonRule(("posterior_win_rate",)))
    assert [[task.epsilon for task in one.tasks] for one in found.rounds] == [[5.0] * 3, [3.0] * 3]
    assert [pair for one in found.rounds for pair in one.pairs] == list(found.pairs)
    assert [len(one.matrix()) for one in found.rounds] == [3, 3]
    chain = replace(found, pairs=(found.pairs[0], tournament.pairs[0], found.pairs[2]))
    assert [len(one.pairs) for one in chain.rounds] == [2, 1], "A-B and B-C are one round"
    assert "unknown statistic 'p50'" in refusal(found.matrix, "p50")
