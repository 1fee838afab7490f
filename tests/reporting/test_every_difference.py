"""Every cell of a comparison, in the table, JSON, report and picture, computed from the trials by plain NumPy.

The trials are made by `tests/support/plain.py`, which also says what follows from them.
"""

import json
import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.support import plain
from tests.support.cells import alike, are_shown, grouped, is_shown, parts, printed
from tests.support.pictures import Page
from tests.support.plain import INF
from wordpl import write_report
from wordpl.base.json_types import json_of
from wordpl.reporting.comparison_plots import draw_comparison, draw_tournament
from wordpl.reporting.comparison_tables import comparison_record, print_comparison, print_tournament
from wordpl.reporting.plot_points import MARKERS
from wordpl.simulation import compare_outcomes, pairing, read_outcomes

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("cells") / "r.sqlite"
    return path, plain.three_settings(path)


def texts_of(value: float | None) -> Any:
    """A difference in JSON."""
    return value if value is None or math.isfinite(value) else "inf" if value > 0 else "-inf"


def are_differences(rows: list[list[str]], differences: Sequence[dict[str, Any]], ahead: dict[str, str]) -> bool:
    """Whether rows show differences: statistic, both values, difference, both ends, p, who is ahead."""
    for (name, a, b, difference, low, high, p, verdict), one in zip(rows, differences, strict=True):
        places = (0.0, 0.01) if one["statistic"] == "posterior_win_rate" else None
        assert name == one["statistic"].replace("_", " ")
        assert is_shown(a, one["first"], places) and is_shown(b, one["second"], places), one
        if one["difference"] is None:
            assert (difference, low, high) in (("none", "", ""), ("", "", ""))
        else:
            assert are_shown((difference, low, high), one["difference"], one["interval"]), one
        exact = one["corrected_p_value"]
        assert (p == "<0.001" and exact < 1e-3) or abs(float(p) - exact) <= 6e-4 + 0.02 * exact, one
        assert verdict == ahead.get(one["verdict"], one["verdict"])
    return True


def test_each_cell_of_a_comparison(store, made, capsys, tmp_path):
    write_report(store, tmp_path / "r.html")
    page = Page((tmp_path / "r.html").read_text("utf-8"))
    seen = set()
    for setting in ("small, seed 1", "six, seed 1", "small, seed 2"):
        chosen = {one.task.id: one for one in made if one.label.endswith(setting)}
        found = [outcome for outcome in read_outcomes(store) if outcome.task.id in chosen]
        pairs = list(pairing.pairs_of(found))
        own = [(chosen[first.task.id], chosen[second.task.id]) for first, second in pairs]
        expected, comparison = plain.differences(own), compare_outcomes(pairs)
        n = len(expected[0])
        record = json.loads(json.dumps(json_of(comparison_record(comparison, ranked=True)), allow_nan=False))
        assert (record["error"], record["margin"], record["corrected_for"]) == (0.05, 0.01, n * len(pairs))
        assert record["settled"] == all(told["settled"] for told in record["pairs"])
        head, *rows = printed(capsys, print_comparison, comparison)
        ends = "difference", "difference_low", "difference_high", "p", "ahead"
        assert (head[0], head[-8:]) == ("strategies", ["statistic", "first", "second", *ends])
        words, _, seed = setting.partition(", ")
        caption = f"Differences, {words}, letterwise, randomized_response, contest, {seed}"
        in_report = grouped(page.tables[caption])
        assert page.tables[caption][0] == ["statistic", "first", "second", "difference", "p", "ahead"]
        for pair, differences, told in zip(own, expected, record["pairs"], strict=True):
            both = plain.common(pair)
            rates = [float((one.column("verdict") == "WIN").mean()) for one in both]
            assert (told["trials"], told["win_rates"]) == (len(both[0].trials), pytest.approx(rates))
            assert [told[side]["task"] for side in ("first", "second")] == [one.task.id for one in pair]
            assert told["settled"] == all(one["verdict"] != "undecided" for one in differences)
            for one, cells in zip(differences, told["differences"], strict=True):
                seen.add(one["verdict"])
                assert (cells["statistic"], cells["verdict"]) == (one["statistic"], one["verdict"])
                for key in ("first", "second"):
                    assert cells[key] == (pytest.approx(one[key]) if one[key] < INF else None)
                assert alike(cells["difference"], texts_of(one["difference"]))
                assert [float(x) for x in cells["interval"]] == pytest.approx(one["interval"], abs=2e-5)
                for key in ("p_value", "corrected_p_value"):
                    assert cells[key] == pytest.approx(one[key], rel=0.02, abs=1e-12)
            names = rows[0][0].split(" less ")
            assert {(row[0], *row[1:-8][-1:]) for row in rows[: n + 1]} == {(" less ".join(names), *rows[0][1:-8][-1:])}
            shares, *shown = (row[-8:] for row in rows[: n + 1])
            assert shares == ["win rate", *(f"{rate:.4f}" for rate in rates), *[""] * 5]
            assert are_differences(shown, differences, dict(zip(("first", "second"), names, strict=True)))
            del rows[: n + 1]
            at = f", epsilon {pair[0].epsilon:g}" if len(own) > 1 else ""
            head = f"{names[0]} and {names[1]}{at}: {len(both[0].trials)} games"
            shown = [row[1:] for row in in_report if row[0] == head]
            assert shown[0] == ["win rate", *(f"{rate:.4f}" for rate in rates), "", "", ""]
            split = [[*row[:3], *[*parts(row[3]), "", ""][:3], *row[4:]] for row in shown[1:]]
            assert are_differences(split, differences, dict(zip(("first", "second"), names, strict=True)))
        assert rows == [] and len(in_report) == (n + 1) * len(own)
        places = {
            (texts_of(task.epsilon), task.task.row.strategy): (i, j)
            for i, pair in enumerate(own)
            for j, task in enumerate(pair)
        }
        for ranked in record["ranking"]:
            place, side = places[ranked["epsilon"], ranked["strategy"]]
            task, difference = plain.common(own[place])[side], expected[place][plain.NAMES.index(ranked["statistic"])]
            verdict, sides = difference["verdict"], ("first", "second")
            counts = [verdict == sides[side], verdict == sides[1 - side], verdict in ("level", "neither")]
            assert [ranked[key] for key in ("ahead", "behind", "level")] == counts
            assert ranked["undecided"] == (verdict == "undecided")
            best, budget = difference[sides[side]], float(task.column("budget").mean())
            assert (ranked["rank"], ranked["trials"]) == (1 + counts[1], len(task.trials))
            assert alike([ranked["value"], ranked["budget"]], [best if best < INF else None, texts_of(budget)])
        head, *rows = printed(capsys, print_tournament, comparison)
        for cells, ranked in zip((dict(zip(head, row, strict=True)) for row in rows), record["ranking"], strict=True):
            shown = cells.get("value") or cells["posterior win rate"]
            assert cells.get("statistic", "posterior win rate") == ranked["statistic"].replace("_", " ")
            keys = ("strategy", "rank", "ahead", "behind", "level", "undecided")
            columns = [cells[name] for name in ("strategy", "rank", "W", "L", "T", "?")]
            assert columns == [str(ranked[key]) for key in keys]
            assert cells.get("round", "1") == str(ranked["round"])
            best, share = ranked["value"], ranked["statistic"] == plain.NAMES[0]
            assert is_shown(cells["budget"], float(ranked["budget"]))
            assert is_shown(shown, INF if best is None else best, (0.0, 0.01) if share else None)
    assert seen == {"first", "second", "level", "neither", "undecided"}


def test_each_point_of_the_pictures_of_a_comparison(store, made, figures, tmp_path):
    chosen = {one.task.id: one for one in made if one.label.endswith("small, seed 1")}
    pairs = list(pairing.pairs_of([outcome for outcome in read_outcomes(store) if outcome.task.id in chosen]))
    comparison = compare_outcomes(pairs)
    draw_comparison(comparison, tmp_path / "p.svg")
    assert " ".join(figures[0].get_suptitle().split()).endswith("; 95% intervals; filled: one of the two is ahead")
    expected = plain.differences([(chosen[first.task.id], chosen[second.task.id]) for first, second in pairs])
    for i, axes in enumerate(figures[0].axes[:4]):
        marks = [line for line in axes.lines if line.get_marker() in tuple(MARKERS) and len(line.get_xdata()) == 1]
        told = {float(line.get_xdata()[0]): line for line in marks}
        for (first, _), found in zip(pairs, expected, strict=True):
            one, (low, high), mark = found[i], axes.get_ylim(), told.pop(first.task.epsilon, None)
            if mark is None:
                assert one["difference"] is None
                continue
            assert (mark.get_markerfacecolor() != "white") == (one["verdict"] in ("first", "second"))
            finite, y = math.isfinite(one["difference"]), mark.get_ydata()[0]
            assert y == pytest.approx(one["difference"]) if finite else low < y < high
        assert not told
    draw_tournament(comparison, tmp_path / "t.svg")
    heat = [axes for axes in figures[1].axes if axes.images]
    for axes, (i, (pair, found)) in zip(heat, product(range(4), zip(pairs, expected, strict=True)), strict=True):
        colours, difference = axes.images[0].get_array(), found[i]["difference"]
        is_first = axes.get_yticklabels()[0].get_text() == f"1. {pair[0].task.strategy}"
        better = (1 if is_first else -1) * (1 if i == 0 else -1) * np.sign(difference or 0.0)
        assert difference is None or np.sign([colours[0, 1], colours[1, 0]]).tolist() == [better, -better]
