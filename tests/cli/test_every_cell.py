"""Every number that a command tells without a results file, worked out again or as the library has it.

The commands are `contest board`, `frontier`, `win-rate` and `explain`; `test_every_guess.py` has `rank` and `solve`.
What the page tells of a board, the frontier and a game is the JSON of these commands (tests/web), and
`tests/reporting/test_every_cell.py` has all that is told of a results file.
"""

import hashlib
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import wordpl
from tests.cli.conftest import written
from tests.support import plain
from tests.support.cells import table, true_budget
from tests.support.helpers import TINY
from tests.support.ledgers import enter, finish, game, started
from wordpl import Setting, Verdict
from wordpl.base.defaults import RECORD_ERROR, WIN_RATE_ERROR
from wordpl.contest import Credit
from wordpl.simulation import known_budgets

pytestmark = pytest.mark.heavy

INF = math.inf


def number(cell):
    """The number in a cell; NaN for an empty one."""
    return float(cell.replace("∞", "inf").replace("\\", "")) if cell else math.nan


def near(value, digits=4):
    """A number in so many significant digits."""
    return pytest.approx(value, rel=0.51 * 10 ** (1 - digits), abs=1e-15, nan_ok=True)


def finite(value):
    """A number in JSON."""
    return value if value is None or math.isfinite(value) else None


# The contest's board

TRIALS, RECORDS, MARGIN = 40, {0.05: 15.6, 0.5: 36.9}, 0.05
ENTRIES = {"Best": (9.5, 40, 0), "As good": (9.5, 40, 0), "Late": (11.0, 18, 5), "Dear": (36.0, 30, 0)}
ENTRIES |= {"Nothing": (3.0, 0, 1)}
"""By name: the smallest budget of a game, the games that are won, and those that run out of time."""


def board_games(name):
    budget, wins, late = ENTRIES[name]
    verdicts = [*[Verdict.WIN] * wins, *[Verdict.TIMEOUT] * late, *[Verdict.LOSS] * TRIALS]
    return [game(n, verdicts[n], budget + n / 8) for n in range(TRIALS)]


def standings():
    """By name and percentile: score, interval, rank, improvement, and whether it beats the record."""
    scores = {name: np.full(TRIALS, INF) for name in ENTRIES}
    for name, (budget, wins, _) in ENTRIES.items():
        scores[name][:wins] = budget + np.arange(wins) / 8
    found = {}
    for q in plain.QUANTILES.values():
        values = {name: plain.quantile(own, q) for name, own in scores.items()}
        for name, value in values.items():
            rank = None if value == INF else 1 + sum(other < value for other in values.values())
            better = 100 * (1 - value / RECORDS[q]) if q in RECORDS else None
            beats = q in RECORDS and value <= (1 - MARGIN) * RECORDS[q]
            found[name, q] = value, plain.order_statistics(scores[name], q), rank, better, beats
    return found


def test_each_cell_of_the_board(cli, tmp_path):
    path = tmp_path / "contest.sqlite"
    with started(path, TRIALS, records=RECORDS) as ledger:
        entries = {name: enter(ledger, name, f"# {name}", Credit(f"{name}'s author")) for name in ENTRIES}
        for name, entry in entries.items():
            finish(ledger, entry, board_games(name))
        finish(ledger, enter(ledger, "Open", "# open"), board_games("Best")[:39])
        contest = ledger.contest
    expected = standings()
    shown = json.loads(cli("contest", "board", "--ledger", str(path), "--json").out)
    seeds = {"provisional": contest.provisional_seed, "final": contest.final_seed}
    assert shown["hashes"] == {stage: hashlib.sha256(seed.encode()).hexdigest() for stage, seed in seeds.items()}
    facts = [shown[key] for key in ("stage", "trials", "records", "margin_percent", "seeds", "closing")]
    assert facts == ["provisional", TRIALS, {str(q): record for q, record in RECORDS.items()}, 100 * MARGIN, {}, ""]
    *finished, still_open = shown["entries"]
    assert (still_open["state"], still_open["games"], still_open["verdicts"]) == ("open", 39, {})
    assert [still_open[name] for name in plain.QUANTILES] == [None] * 3
    for one, (name, (_, wins, late)) in zip(finished, ENTRIES.items(), strict=True):
        digest = entries[name].digest
        assert [one[key] for key in ("id", "digest", "name", "author", "link", "call", "contest_files", "ended")] == [
            *(digest[:12], digest, name, f"{name}'s author"), *[""] * 4
        ]  # fmt: skip
        assert (one["state"], one["games"]) == ("finished", TRIALS)
        counts = Counter(WIN=wins, TIMEOUT=late, LOSS=TRIALS - wins - late)
        assert one["verdicts"] == {verdict: counts[verdict] for verdict in plain.VERDICTS}
        for column, q in plain.QUANTILES.items():
            score, ends, rank, better, beats = expected[name, q]
            assert one[column] == {
                "percentile": q,
                "score": finite(score),
                "interval": [finite(end) for end in ends],
                "rank": rank,
                "record": RECORDS.get(q),
                "improvement_percent": None if finite(better) is None else pytest.approx(better),
                "beats_record": beats,
            }
    head, rows = table(cli("contest", "board", "--ledger", str(path), "--format", "csv").out)
    assert head == [
        *("percentile", "rank", "name", "score", "score_low", "score_high", "record", "improvement (%)"),
        *("beats record", "author", "id"),
    ]
    ranked = [(q, name) for q in plain.QUANTILES.values() for name in sorted(ENTRIES, key=lambda n: expected[n, q][0])]
    for (at, place, name, *cells, better, beats, author, own_id), (q, expected_name) in zip(rows, ranked, strict=True):
        score, ends, rank, improvement, is_better = expected[name, q]
        assert (at, name, place) == (f"{100 * q:.0f}th", expected_name, str(rank or ""))
        assert list(map(number, cells)) == [*map(near, (score, *ends)), near(RECORDS.get(q, math.nan))]
        assert better == ("" if finite(improvement) is None else f"{improvement:+.1f}")
        assert beats == ("" if q not in RECORDS else "yes" if is_better else "no")
        assert (author, own_id) == (f"{name}'s author", entries[name].digest[:12])
    head, rows = table(cli("contest", "board", "--ledger", str(path), "--format", "contest").out.replace(";", ","))
    assert head == ["strategy", *plain.QUANTILES, "timeouts"]
    for (_, *scores, late), name in zip(rows, ENTRIES, strict=False):
        assert list(map(number, scores)) == [near(expected[name, q][0], 9) for q in plain.QUANTILES.values()]
        assert late == str(ENTRIES[name][2])


# The frontier

DATA = Path(known_budgets.__file__).with_name("data")


def columns_of(name):
    """The columns of a table of the package."""
    head, rows = table((DATA / name).read_text("utf-8"))
    return {name: [number(cell) for cell in column] for name, column in zip(head, zip(*rows, strict=True), strict=True)}


def test_each_cell_of_the_frontier(cli):
    kept = columns_of("frontier.csv")
    rates = kept.pop("win_rate")
    curves = [name for name in kept if not name.endswith(", error")]
    families = [kept[name] for name in curves if name != "best" and not name.startswith("bound")]
    for best, *others in zip(kept["best"], *families, strict=True):
        assert best == min(budget for budget in others if not math.isnan(budget))
    # What says how to measure is a mistake here, but not what the environment says, and cores.
    assert json.loads(cli("frontier", "--json", "-j", "2", WORDPL_CLUSTER="tcp://127.0.0.1:1").out) == {
        name: [finite(value) for value in column] for name, column in kept.items()
    }
    head, rows = table(cli("frontier", "--format", "csv").out)
    assert head == ["win_rate", *kept]
    for row, *values in zip(rows, rates, *kept.values(), strict=True):
        assert list(map(number, row)) == [near(value, 12) for value in values]
    lines = cli("frontier", "--format", "markdown").out.splitlines()
    head, _, *rows = ([cell.strip().replace("\\", "") for cell in line.split("|")[1:-1]] for line in lines)
    assert head == ["win rate", *curves]
    assert [row[0] for row in rows] == [f"{percent}%" for percent in (1, 5, 10, 25, 50, 75, 90, 95, 99)]
    for percent, *cells in rows:
        at = int(percent.removesuffix("%")) - 1
        for name, cell in zip(curves, cells, strict=True):
            budget, _, error = cell.partition(" ± ")
            exact = kept.get(f"{name}, error", [0.0] * 99)[at]
            assert number(budget) == near(true_budget(name, kept[name][at]), 9)
            assert number(error or "0") == near(0.0 if math.isnan(kept[name][at]) else exact, 2)


# Win rates


@pytest.mark.parametrize("rule", ["letterwise", "counted"])
def test_each_cell_of_win_rates(cli, tmp_path, rule):
    def rate(spec: str) -> float:
        return wordpl.limits.compute_win_rate(spec, Setting(TINY, rule)).win_rate

    options = ["-e", "4,9", "--rule", rule, "-j", "1", *written(TINY, tmp_path)]
    command = ["win-rate", "TwoGuess", "NGuess(2)", *options]
    expected = [("TwoGuess", "", e, e, rate(f"TwoGuess({e})")) for e in (4.0, 9.0)]
    expected += [("NGuess", "n_guesses=2", e, 2 * e, rate(f"NGuess(2, {e})")) for e in (4.0, 9.0)]
    shown, by = json.loads(cli(*command, "--json").out), {}
    for one, (name, given, epsilon, budget, rate) in zip(shown, expected, strict=True):
        by[given, epsilon] = [one["method"], str(one["histories"])]
        told = [one[key] for key in ("name", "strategy", "epsilon", "budget", "exact", "confidence", "standard_error")]
        call = f"{name}({', '.join(filter(None, (given, f'epsilon={epsilon}')))})"
        assert told == [name, call, epsilon, budget, True, 0.95, 0.0] and by[given, epsilon][1] in ("1", "243")
        assert [one["win_rate"], *one["win_rate_interval"]] == [pytest.approx(rate)] * 3
    head, rows = table(cli(*command, "--format", "csv").out)
    assert head[:6] == ["strategy", "epsilon", "budget", "win rate", "win rate_low", "win rate_high"]
    for (call, *cells), (name, given, epsilon, budget, rate) in zip(rows, expected, strict=True):
        assert (call, cells[5:7]) == (f"{name}({given})", by[given, epsilon])
        assert list(map(number, cells[:5])) == [epsilon, budget, *[pytest.approx(rate, abs=6e-7)] * 3]
    sampled = ["win-rate", "NGuess(2)", *options, "--sample", "--standard-error", "0.01", "--confidence", "0.9"]
    sampled += ["--seed", "3"]
    _, rows = table(cli(*sampled, "--format", "csv").out)
    told = json.loads(cli(*sampled, "--out", "new/curve.png", "--json").out)
    assert (tmp_path / "new" / "curve.png").read_bytes().startswith(b"\x89PNG")
    for row, one, (*_, rate) in zip(rows, told, expected[2:], strict=True):
        setting, how = Setting(TINY, rule), {"exact": False, "standard_error": 0.01, "seed": 3}
        assert one["win_rate"] == wordpl.limits.compute_win_rate(one["strategy"], setting, **how).win_rate
        (low, high), error = one["win_rate_interval"], one["standard_error"]
        assert not one["exact"] and 0 < error < 0.013 and abs(one["win_rate"] - rate) < 4 * error
        assert high - low == pytest.approx(2 * 1.645 * error, rel=0.35) and low < one["win_rate"] < high
        assert list(map(number, row[3:6])) == [pytest.approx(x, abs=6e-5) for x in (one["win_rate"], low, high)]


def test_the_bounds_beside_our_records(cli, monkeypatch):
    """With other strategies in the place of ours, for time."""
    assert wordpl.cli.win_rate.RECORD_HOLDERS == {"Fifth()": 5, "Median()": 50, "NinetyFifth()": 95}
    cheap = {5: 17.9, 50: 30.0, 95: 60.0}
    holders = {f"TwoGuess({epsilon})": percent for percent, epsilon in cheap.items()}
    monkeypatch.setattr(wordpl.cli.win_rate, "RECORD_HOLDERS", holders)
    bounds = [columns_of("bounds.csv")[name] for name in ("bound", "bound, 2 clues")]
    errors, compute = list[float](), wordpl.limits.compute_win_rate

    def computed(*given, **more):
        errors.append(more["standard_error"])
        return compute(*given, **more)

    monkeypatch.setattr(wordpl.limits, "compute_win_rate", computed)
    told = json.loads(cli("win-rate", "--records", "-j", "1", "--json").out)
    head, rows = table(cli("win-rate", "--records", "-j", "1", "--format", "csv").out)
    for one, row, (percent, budget) in zip(told, rows, cheap.items(), strict=True):
        cells, known = dict(zip(head, row, strict=True)), [column[percent - 1] for column in bounds]
        assert (one["percentile"], one["budget"]) == (percent, budget)
        assert [float(one[key]) for key in ("bound", "two_clue_bound")] == known
        assert (cells["strategy"], number(cells["budget"])) == (f"TwoGuess(epsilon={budget})", budget)
        shown = [number(cells[name]) for name in ("no strategy below", "no 2 clues below")]
        assert shown == [near(x, 6) for x in known]
    cli("win-rate", "TwoGuess(9)", "-j", "1")
    assert errors == [*[RECORD_ERROR] * 6, WIN_RATE_ERROR]


# What a clue tells


@pytest.mark.parametrize("epsilon", [0.7, 13.0])
def test_each_number_of_an_explanation(cli, epsilon):
    found = wordpl.limits.explain(epsilon, seed=7).summary()
    assert json.loads(cli("explain", f"{epsilon}", "--seed", "7", "--json").out) == json.loads(json.dumps(found))
    head, rows = table(cli("explain", f"{epsilon}", "--format", "csv").out)
    assert head == ["clues", "budget", f"delta at epsilon {epsilon:g}"]
    place = 0.6 * 10.0 ** (math.floor(math.log10(max(found["deltas"]))) - 3)
    for row, clues, value in zip(rows, (1, 2, 3, 4), found["deltas"], strict=True):
        assert list(map(number, row)) == [clues, near(clues * epsilon), pytest.approx(value, abs=place)]
    text = " ".join(cli("explain", f"{epsilon}", "--seed", "7").out.split())
    true, false, odds, bits = (found[name] for name in ("mark_is_true", "false_marks", "mark_odds", "capacity"))
    for sentence in (
        f"A mark is true with probability {100 * true:.4g}%, and false with {100 * false / 5:.4g}%.",
        f"Of 5 marks, {false:.4g} are false on average. With probability {100 * found['clue_is_true']:.4g}%, none is.",
        f"A clue tells at most {bits:.4g} bits about the answer. A clue without noise tells at most 7.925.",
        f"at most e^{epsilon:g} = {found['odds']:,.{0 if epsilon > 9 else 3}f} times as likely as the other.",
        f"One mark alone can make one of them at most e^{epsilon / 5:.4g} = {odds:.4g} times as likely",
    ):
        assert sentence in text
    wrong = [sum(a != b for a, b in zip(noisy, found["true_clue"], strict=True)) for noisy in found["noisy_clues"]]
    assert re.findall(r"(\d) false mark", text) == list(map(str, wrong))
