"""Constants and labels of the experiments, as the committed tables have them; what is searched, drawn and valued; and
what `make run` prints."""

import math
import re
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import wordpl
from experiments import coverage, frontier, heuristics, looseness, mechanisms, optimum, pages, percentiles, variations
from experiments.bounds.converse import budget_bound
from experiments.percentiles import Duel, Grid
from tests.support.helpers import SMALL, TINY
from tests.support.tops import noise_matrix, true_codes, two_level_matrix
from wordpl import WordList, load_words
from wordpl.library.records import Fifth
from wordpl.simulation import read_outcomes

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


def test_the_duels_of_the_table_are_those_of_the_code():
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


# Other mechanisms: win rates by plain sums, the corners of the levels, and the tables beside the bounds

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


# The experiment behind `make run`

SPECS = {"MaxClueEntropy": "TwoGuess({})", "NGuess": "NGuess(1, {})", "Greedy": "NGuess(2, {})"}
EPSILONS = 7.8, 13.0, 32.0


@pytest.mark.heavy
def test_its_tables_are_those_of_its_results_file(tmp_path, monkeypatch, capsys):
    """The duels play more trials of some of the tasks."""
    duels = zip(("5th", "50th", "95th"), EPSILONS, strict=True)
    monkeypatch.setattr(percentiles, "SMALL", Grid("small", (2,), EPSILONS, 20, 60))
    monkeypatch.setattr(percentiles, "DUELS", tuple(Duel(name, 2, epsilon) for name, epsilon in duels))
    monkeypatch.setattr(percentiles, "spec", lambda name, _, e: wordpl.parse_strategy(SPECS[name].format(e)))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    tables, printed, print_table = {}, list[str](), wordpl.print_table

    def noted(title, columns, rows, notes):
        tables[title] = rows
        print_table(title, columns, rows, notes)

    monkeypatch.setattr(wordpl, "print_table", noted)
    for _ in range(2):
        percentiles.main(jobs=1, out=Path("results"))
        printed.append(capsys.readouterr().out)
    first, again = printed
    assert again.startswith("nothing had to be played")
    assert again.partition("drawing")[2] == first.partition("drawing")[2]
    with wordpl.Store(tmp_path / "results" / "small.sqlite", read_only=True) as store:
        outcomes = read_outcomes(store)
    places = {
        str(wordpl.parse_strategy(spec.format(e))): [f"{name}(2)", f"{e:g}"]
        for name, spec in SPECS.items()
        for e in EPSILONS
    }
    for outcome in outcomes:
        (cells,) = (row[2:] for row in tables["Percentiles of the budget"] if row[:2] == places[outcome.task.strategy])
        assert float(cells[0].rstrip("%")) == pytest.approx(100 * outcome.posterior_win_rate, abs=0.051)
        assert [float(cell.replace("∞", "inf")) for cell in cells[2:]] == [
            value for value, _ in outcome.percentiles.values()
        ]
    assert (tmp_path / "results" / "small.png").read_bytes().startswith(b"\x89PNG")
