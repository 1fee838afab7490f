"""Constants and labels of the experiments: their committed tables are of these, and the tables are measured so."""

import itertools
import math
import re
from unittest.mock import Mock

import numpy as np
import pytest

import wordpl
from experiments import (
    converse,
    coverage,
    depth,
    guess_list,
    heuristics,
    looseness,
    optimum,
    orders,
    pages,
    percentiles,
    records,
    variations,
)
from tests.support.helpers import SMALL
from wordpl.limits.frontier import SmallestBudget
from wordpl.simulation import win_rate_to_hold

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


def test_claims_that_are_not_reached_are_told_so(claims):
    slow = heuristics.Result("crane", {1: 1, 3: 2, 8: 1})
    assert (slow.mean, slow.within_six) == (3.75, 0.75)
    said = {claim.what: claim.verdict(slow) for claim in claims}
    assert said["maximum entropy, 12,972 answers, from TARES"] == "not reproduced: 75.00% within six"
    assert said["course project, greedy2"].startswith("not reached by 0.1575, with our weights")
    assert [verdict for verdict in said.values() if verdict == "not reproduced"] == ["not reproduced"] * 4


def test_a_rule_is_replayed_and_counted_over_the_answers():
    tree = wordpl.wordle.build_tree(SMALL, wordpl.wordle.Heuristic())
    found, first = heuristics.play(SMALL, wordpl.wordle.Heuristic()), SMALL.guesses[0]
    assert found == heuristics.Result(tree.root.guess, tree.distribution)
    every = heuristics.play(SMALL.with_every_guess(), wordpl.wordle.Heuristic(), first, SMALL)
    assert every.first == first and sum(every.turns.values()) == len(SMALL.answers) < len(SMALL.guesses)


def test_each_claim_is_played_by_its_rule_and_written(claims, monkeypatch, tmp_path):
    monkeypatch.setattr(heuristics, "play", lambda *given: given)
    rules = {"naive": "entropy", "greedy3": "parts", "greedy4": "greedy", "positional": "letters", "halving": "overlap"}
    for claim, (what, _, ours, _) in zip(claims, ROWS, strict=True):
        words, rule, first, answers = (*claim.play(), None, None)[:4]
        assert f"{len(words.answers):,} answers" in what or "the same" in what or "project" in what
        assert first in (None, ours[:5].lower())
        assert len((answers or words).answers) == sum(map(int, ours.partition(": ")[2].split()))
        criterion = next((rule for name, rule in rules.items() if name in what), "entropy")
        assert (rule.name, rule.answers_only) == (criterion, "project" in what and "greedy4" not in what)
        assert (rule.priority is not None) == ("greedy" in what)
    page, result = tmp_path / "page.md", heuristics.Result("crane", {1: 1, 3: 2})
    page.write_text(heuristics.PAGE.read_text("utf-8"))
    monkeypatch.setattr(heuristics, "PAGE", page)
    monkeypatch.setattr(heuristics, "claims", lambda: [heuristics.Claim("a", "b", lambda: result, lambda r: r.first)])
    heuristics.main()
    found = page.read_text().partition("| claim | published | ours | verdict |\n| --- | --- | --- | --- |\n")[2]
    assert found.startswith("| a | b | CRANE, mean 2.3333: 1 2 | crane |\n\n")


def test_words_weigh_more_where_they_are_common(monkeypatch):
    monkeypatch.setattr(wordpl.wordle, "word_priority", lambda words: {"abaca": 2.5, "there": 5.0, "zzzzz": 0.0})
    found = heuristics.commonness()
    assert [*found.values()] == pytest.approx([0.5, 1 / (1 + math.exp(-10)), 1 / (1 + math.exp(10))])


# Records


@pytest.fixture
def written(tmp_path, monkeypatch):
    """What the tables of the records are written to."""
    monkeypatch.setattr(pages, "write", lambda source: None)
    for name in ("RECORDS", "ALIKE"):
        monkeypatch.setattr(pages, name, tmp_path / f"{name}.csv")
    monkeypatch.setattr(records, "STEPS", tmp_path)


@pytest.mark.usefixtures("written")
def test_the_records_are_measured_with_a_99_percent_interval(monkeypatch):
    asked = []

    def measured(strategy, setting, **how):
        asked.append(how["standard_error"])
        ends = {"interval": lambda confidence: (confidence / 2, confidence)}
        return Mock(budget=14.0, win_rate=0.123456789, exact=False, histories=9, **ends)

    monkeypatch.setattr(records, "compute_win_rate", measured)
    records.measure(jobs=1)
    rows = pages.read_csv(pages.RECORDS)
    assert [(row["percentile"], row["strategy"], row["win_rate"]) for row in rows] == [
        ("0.05", "Fifth()", "0.12345679"), ("0.5", "Median()", "0.12346"), ("0.95", "NinetyFifth()", "0.1235"),
    ]  # fmt: skip
    assert {(row["low"], row["high"], row["histories"]) for row in rows} == {("0.495", "0.99", "9")}
    assert asked == [0.00005] * 3


@pytest.mark.usefixtures("written")
def test_records_are_compared_truly_and_in_nine_of_ten_runs(monkeypatch):
    def curves(points, rates):
        return {family.name: [SmallestBudget(100 * rate, 0.25) for rate in rates] for family in points}

    monkeypatch.setattr(records, "measure_frontier", lambda families, *given, **how: dict.fromkeys(families, ()))
    monkeypatch.setattr(records, "smallest_budgets", curves)
    records.alike()
    told = [(0.05, "G3"), (0.05, "Fifth"), (0.5, "D95"), (0.5, "Median"), (0.95, "D95"), (0.95, "NinetyFifth")]
    for row, (percentile, name) in zip(pages.read_csv(pages.ALIKE), told, strict=True):
        assert (float(row["percentile"]), row["strategy"]) == (percentile, name)
        assert float(row["truly"]) == pytest.approx(100 * percentile, abs=1e-4)
        assert float(row["held"]) == pytest.approx(100 * win_rate_to_hold(percentile, 1001, 0.9), abs=1e-4)
        assert row["error"] == row["held error"] == "0.2500"


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


def test_orders_are_compared_on_common_games(monkeypatch, tmp_path):
    """Each mean, its lead over NGuess in the same games, and the standard error of that."""
    drawn, written = np.random.default_rng(4).random((52, orders.BATCH)), []
    monkeypatch.setattr(orders, "GAMES", 2 * orders.BATCH)
    batches = iter(drawn)
    monkeypatch.setattr(orders, "run_calls", lambda jobs, calls, ordered: [next(batches) for _ in calls])
    monkeypatch.setattr(orders, "tree_ranks", lambda setting, epsilon: [""] * len(orders.ORDERS))
    monkeypatch.setattr(pages, "write", written.append)
    columns = list(pages.read_csv(pages.ORDERS)[0])
    monkeypatch.setattr(pages, "ORDERS", tmp_path / "orders.csv")
    orders.main(jobs=1)
    rows, games = pages.read_csv(pages.ORDERS), drawn.reshape(26, -1)
    assert list(rows[0]) == columns and written == [pages.ORDERS]
    base = games[0]
    for row, chances in zip(rows, games, strict=True):
        base = chances if row["later guesses by"] == "NGuess" else base
        gain = chances - base
        told = [float(row[name]) for name in ("win rate", "lead over NGuess", "standard error")]
        assert told == pytest.approx([chances.mean(), gain.mean(), np.std(gain, ddof=1) / math.sqrt(100)], abs=6e-5)
    regimes = {(int(row["percentile"]), int(row["clues"]), float(row["epsilon"])) for row in rows}
    assert regimes == {(percentile, len(each), each[0]) for percentile, each in orders.REGIMES.items()}


def test_bounds_are_written_rounded_down_and_only_once(monkeypatch, tmp_path):
    computed, written = [], []
    monkeypatch.setattr(converse, "STEPS", tmp_path / "steps.jsonl")
    monkeypatch.setattr(converse, "TABLE", tmp_path / "converse.csv")
    monkeypatch.setattr(pages, "write", written.append)

    def bound(rate, column):
        computed.append((rate, column))
        return math.inf if (rate, column) == (0.99, "one clue") else 10 * rate + len(column) + 0.00099

    monkeypatch.setattr(converse, "bound", bound)
    for _ in range(2):  # the second time from what was kept
        converse.table()
    rows = pages.read_csv(converse.TABLE)
    assert list(rows[0]) == list(pages.read_csv(pages.CONVERSE)[0]) and written == [converse.TABLE] * 2
    assert computed == list(dict.fromkeys(computed)) == [*converse.entries()]
    for row in rows:
        rate = float(row["win rate"])
        for column in converse.COLUMNS:
            expected = f"{10 * rate + len(column):.3f}" if (rate, column) in computed else ""
            assert row[column] == ("inf" if (rate, column) == (0.99, "one clue") else expected)


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


def test_a_variation_changes_the_epsilons_as_its_name_says(monkeypatch):
    """Those that the third and the last clue are asked at, of a pair in the table and of one that is not."""
    asked = []
    told = Mock(value=1.0)
    monkeypatch.setattr(variations, "quick_ask", lambda belief, asks, both, every: asked.append((*asks, both)) or told)
    first, (_, second) = variations.FIRST, variations.SECOND[17]
    known = next(path for path in variations.POLICY.moves if len(path) == 2 and path[0] == 17)
    for pair, change in itertools.product((known, (17, 242)), [*variations.VARIATIONS.values()]):
        assert variations.value(243 * pair[0] + pair[1], change) == pytest.approx(1.0, abs=0.05)
        ((word, third), both) = asked.pop()
        rest = variations.POLICY.budget - first - change.first - second - change.second
        guess, spent = variations.POLICY.moves.get(pair, (word, 0.55 * (variations.POLICY.budget - first - second)))
        share = min(spent / (variations.POLICY.budget - first - second) + change.share, 0.96)
        paid = [change.noise(share * rest, 2), change.noise((1 - share) * rest, 3)]
        assert (word, third, both) == (guess, pytest.approx(paid[0]), pytest.approx(sum(paid)))


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


def test_the_table_of_simulated_cases_has_the_headings_of_the_code(monkeypatch, tmp_path):
    lines, written = iter(pages.COVERAGE.read_text("utf-8").splitlines()), tmp_path / "coverage.md"
    monkeypatch.setattr(pages, "COVERAGE", written)
    for name in ("comparisons", "intervals"):
        monkeypatch.setattr(coverage, name, lambda runs, name=name: [[name]])
    coverage.main()
    told = written.read_text("utf-8")
    assert all(line in lines for line in told.splitlines() if line not in ("| comparisons |", "| intervals |"))
    places = [told.index(f"| {name} |") for name in ("ours", "comparisons", "our width", "intervals")]
    assert places == sorted(places)


def test_how_often_intervals_hold_is_counted_from_both_ends():
    case, ends = coverage.DIFFERENCES[0], np.array([[-0.2, 0.1], [0.1, 0.2], [-0.3, -0.1], [0.0, 0.5]])
    found = coverage.Found(case, ends, 2 * ends)
    assert (found.covers(ends), found.wider) == (0.5, "2.00")


def test_a_last_clue_that_is_free_wins_what_its_parts_allow():
    weights = np.array([0.2, 0.1, 0.3, 0.05])
    assert looseness.free_win_rate(weights, 4.0, parts=1) == pytest.approx(0.3)
    assert looseness.free_win_rate(weights, 0.0, parts=3) == pytest.approx(0.3)
    assert looseness.free_win_rate(weights, 200.0, parts=3) == pytest.approx(0.6)
    assert (looseness.down(12.349), looseness.down(12.3)) == (12.34, 12.3)
    assert looseness.reaching(0.5, lambda budget: budget / 20, 8.0, 12.0) == pytest.approx(10.0)


def test_words_are_searched_from_one_to_those_that_are_similar():
    found = guess_list.similar(("crate", "grate", "slimy", "trace"))
    assert [each.tolist() for each in found] == [[0, 1, 3], [0, 1], [2], [0, 3]]
    belief = wordpl.Posterior(SMALL)
    scores = wordpl.score_guesses(belief, guess_list.EPSILON, "clue_entropy")
    whole = guess_list.climb(belief, "clue_entropy", np.random.default_rng(1))
    assert whole == (scores.argmax(), len(SMALL.guesses)), "it starts at more words than there are"
    losses = {"clue_entropy": [0.1234, 1e-13], "expected_top": [0.01652, 0.0199]}
    row = guess_list.Measured([309.2, 1318.4], [0.062, 0.064], losses).row("way")
    assert row == ["way", "309 to 1,318", "0.06", "0.123, 0", "0.0165, 0.0199"]


@pytest.fixture
def shown(monkeypatch):
    """Runs a command of one row, and returns its cells by column, but for the time."""

    def run(module, name, one):
        found = []
        monkeypatch.setattr(module, name, (one,))
        monkeypatch.setattr(wordpl, "print_table", lambda title, columns, rows: found.append((columns, *rows)))
        module.main()
        cells = dict(zip(*found[0], strict=True))
        del cells["seconds"]
        return cells

    return run


@pytest.mark.parametrize("hard", [False, True])
def test_published_trees_are_compared_with_ours(shown, monkeypatch, hard):
    monkeypatch.setattr(wordpl, "load_words", lambda name: SMALL)
    first, mode = SMALL.guesses[0], "hard" if hard else "easy"
    tree = wordpl.wordle.solve_tree(SMALL, first, hard=hard, worst=5).tree
    for more, verdict in ((0, "reproduced"), (1, "bettered"), (-1, "not reached")):
        published = optimum.Published("small", first, tree.total + more, hard, 5)
        assert shown(optimum, "PUBLISHED", published) == {
            "first word": first,
            "list": "small",
            "mode": f"{mode}, at most 5",
            "published": str(tree.total + more),
            "ours": str(tree.total),
            "mean": f"{tree.mean:.5f}",
            "verdict": verdict,
        }
    found = shown(optimum, "PUBLISHED", optimum.Published("small", first, 9, hard, 1))
    assert [*found.values()][4:] == ["none", "", "not reproduced"]
    told = {"answers": str(len(SMALL.answers)), "mode": mode, "within": "5", "published": "possible"}
    found = shown(depth, "QUESTIONS", depth.Question(False, 5, hard, first, "possible"))
    assert re.fullmatch(rf"possible: {first}, worst [3-5]", found.pop("found")) and found == told
    found = shown(depth, "QUESTIONS", depth.Question(True, 1, hard, None, "impossible"))
    assert (found["answers"], found["found"]) == (str(len(SMALL.guesses)), "impossible: all openers searched")
