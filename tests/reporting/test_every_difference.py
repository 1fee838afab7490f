"""Every cell of a comparison in the table, JSON, report and picture is that of the comparison.

`tests/simulation/test_differences.py` and `tests/simulation/test_pairing.py` have what follows from the trials, which
`tests/support/plain.py` makes.
"""

import json
import math
from itertools import product

import numpy as np
import pytest

from tests.support import plain
from tests.support.cells import are_shown, grouped, is_shown, parts, printed
from tests.support.pictures import Page
from tests.support.plain import INF
from wordpl import Store, write_report
from wordpl.base.json_types import json_of
from wordpl.reporting.comparison_plots import draw_comparison, draw_tournament
from wordpl.reporting.comparison_tables import comparison_record, print_comparison, print_tournament
from wordpl.reporting.plot_points import MARKERS
from wordpl.simulation import ComparedPair, PairedComparison, compare_outcomes, pairing, read_outcomes

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("cells") / "r.sqlite"
    return path, plain.three_settings(path)


def p_is_shown(cell: str, p: float) -> bool:
    return (cell == "<0.001" and p < 1e-3) or abs(float(cell) - p) <= 6e-4 + 0.02 * p


def are_differences(rows: list[list[str]], pair: ComparedPair, names: list[str]) -> bool:
    """Whether rows show a pair: statistic, both values, difference, both ends, p, who is ahead."""
    ahead = dict(zip(("first", "second"), names, strict=True))
    shares, *others = rows
    assert shares[:3] == ["win rate", *(f"{rate:.4f}" for rate in pair.win_rates)] and not any(shares[3:])
    for (name, a, b, difference, low, high, p, verdict), one in zip(others, pair.differences, strict=True):
        places = (0.0, 0.01) if one.statistic == "posterior_win_rate" else None
        assert name == one.statistic.replace("_", " ")
        assert is_shown(a, one.first, places) and is_shown(b, one.second, places), one
        if one.difference is None:
            assert (difference, low, high) in (("none", "", ""), ("", "", ""))
        else:
            assert are_shown((difference, low, high), one.difference, one.interval), one
        assert p_is_shown(p, one.corrected_p_value), one
        assert verdict == ahead.get(one.verdict, one.verdict)
    return True


def compared(store: Store, setting: str) -> PairedComparison:
    words, _, seed = setting.partition(", seed ")
    found = [one for one in read_outcomes(store) if (one.task.words, str(one.task.seed)) == (words, seed)]
    return compare_outcomes(list(pairing.pairs_of(found)))


def test_each_cell_of_a_comparison(store, made, capsys, tmp_path):
    write_report(store, tmp_path / "r.html")
    page = Page((tmp_path / "r.html").read_text("utf-8"))
    won = {one.task.id: {trial.trial: trial.verdict == "WIN" for trial in one.trials} for one in made}
    seen = set()
    for setting in ("small, seed 1", "six, seed 1", "small, seed 2"):
        comparison = compared(store, setting)
        pairs, n = comparison.pairs, len(comparison.pairs[0].differences)
        record = json.loads(json.dumps(json_of(comparison_record(comparison, ranked=True)), allow_nan=False))
        assert (record["error"], record["margin"], record["corrected_for"]) == (0.05, 0.01, n * len(pairs))
        assert record["settled"] == all(told["settled"] for told in record["pairs"])
        head, *rows = printed(capsys, print_comparison, comparison)
        ends = "difference", "difference_low", "difference_high", "p", "ahead"
        assert (head[0], head[-8:]) == ("strategies", ["statistic", "first", "second", *ends])
        caption = f"Differences, {setting.replace(',', ', letterwise, randomized_response, contest,')}"
        in_report = grouped(page.tables[caption])
        assert page.tables[caption][0] == ["statistic", "first", "second", "difference", "p", "ahead"]
        for pair, told in zip(pairs, record["pairs"], strict=True):
            seen |= {one.verdict for one in pair.differences}
            one, other = won[pair.first.id], won[pair.second.id]
            common = [(one[n], other[n]) for n in one if n in other]
            assert (pair.trials, pair.win_rates) == (len(common), pytest.approx(np.mean(common, axis=0)))
            assert (told["trials"], told["win_rates"], told["settled"]) == (
                *(pair.trials, list(pair.win_rates)),
                all(one.verdict != "undecided" for one in pair.differences),
            )
            assert [told[side]["task"] for side in ("first", "second")] == [pair.first.id, pair.second.id]
            for one, cells in zip(pair.differences, told["differences"], strict=True):
                values = {key: float(cells[key]) for key in ("first", "second", "difference") if cells[key] is not None}
                assert values == {key: vars(one)[key] for key in values} and cells["difference"] != math.inf
                assert [math.isinf(vars(one)[key]) for key in ("first", "second")] == [
                    cells[key] is None for key in ("first", "second")
                ]
                assert [*map(float, cells["interval"])] == [*one.interval]
                for name in ("statistic", "p_value", "corrected_p_value", "verdict"):
                    assert cells[name] == vars(one)[name]
            names = rows[0][0].split(" less ")
            assert {(row[0], *row[1:-8][-1:]) for row in rows[: n + 1]} == {(" less ".join(names), *rows[0][1:-8][-1:])}
            assert are_differences([row[-8:] for row in rows[: n + 1]], pair, names)
            del rows[: n + 1]
            at = f", epsilon {pair.first.epsilon:g}" if len(pairs) > 1 else ""
            head = f"{names[0]} and {names[1]}{at}: {pair.trials} games"
            first, *shown = [row[1:] for row in in_report if row[0] == head]
            split = [[*row[:3], *[*parts(row[3]), "", ""][:3], *row[4:]] for row in shown]
            assert are_differences([first, *split], pair, names)
        assert rows == [] and len(in_report) == (n + 1) * len(pairs)
        head, *rows = printed(capsys, print_tournament, comparison)
        for cells, ranked in zip((dict(zip(head, row, strict=True)) for row in rows), record["ranking"], strict=True):
            shown = cells.get("value") or cells["posterior win rate"]
            assert cells.get("statistic", "posterior win rate") == ranked["statistic"].replace("_", " ")
            named = {"strategy": "strategy", "rank": "rank", "W": "ahead", "L": "behind", "T": "level"}
            named |= {"?": "undecided"}
            assert {name: cells[name] for name in named} == {name: str(ranked[key]) for name, key in named.items()}
            assert cells.get("round", "1") == str(ranked["round"])
            best, share = ranked["value"], ranked["statistic"] == "posterior_win_rate"
            assert is_shown(cells["budget"], float(ranked["budget"]))
            assert is_shown(shown, INF if best is None else best, (0.0, 0.01) if share else None)
    assert seen == {"first", "second", "level", "neither", "undecided"}


def test_each_point_of_the_pictures_of_a_comparison(store, figures, tmp_path):
    comparison = compared(store, "small, seed 1")
    draw_comparison(comparison, tmp_path / "p.svg")
    assert " ".join(figures[0].get_suptitle().split()).endswith("; 95% intervals; filled: one of the two is ahead")
    for i, axes in enumerate(figures[0].axes[:4]):
        marks = [line for line in axes.lines if line.get_marker() in tuple(MARKERS) and len(line.get_xdata()) == 1]
        told = {float(line.get_xdata()[0]): line for line in marks}
        for pair in comparison.pairs:
            one, (low, high), mark = pair.differences[i], axes.get_ylim(), told.pop(pair.first.epsilon, None)
            if mark is None:
                assert one.difference is None
                continue
            assert (mark.get_markerfacecolor() != "white") == (one.verdict in ("first", "second"))
            finite, y = math.isfinite(one.difference), mark.get_ydata()[0]
            assert y == pytest.approx(one.difference) if finite else low < y < high
        assert not told
    draw_tournament(comparison, tmp_path / "t.svg")
    heat = [axes for axes in figures[1].axes if axes.images]
    for axes, (i, pair) in zip(heat, product(range(4), comparison.pairs), strict=True):
        colours, difference = axes.images[0].get_array(), pair.differences[i].difference
        is_first = axes.get_yticklabels()[0].get_text() == f"1. {pair.first.strategy}"
        better = (1 if is_first else -1) * (1 if i == 0 else -1) * np.sign(difference or 0.0)
        assert difference is None or np.sign([colours[0, 1], colours[1, 0]]).tolist() == [better, -better]
