"""How comparisons are shown: names, digits, tables that fit, and pictures of what can and cannot be drawn."""

import csv
import io
import math
from dataclasses import replace
from typing import Any

import pytest

import wordpl
from tests.support.pictures import Page
from tests.support.runs import ROW
from wordpl.base.defaults import STATISTICS
from wordpl.reporting.comparison_tables import notes_of
from wordpl.reporting.tables import TableStyle
from wordpl.simulation import ComparedPair, Difference, DifferenceWithin, PairedComparison, TaskRow

INF = math.inf


def task(name: str, epsilon: float | None = 9.0, **more: Any) -> TaskRow:
    spec = f"{name}(epsilon={epsilon})" if epsilon is not None else f"{name}()"
    terms = {"id": f"{spec} {more}", "strategy": spec, "family": f"{name}()", "epsilon": epsilon, "code": "1234567890"}
    return replace(ROW, **terms | more)


def pair(first: TaskRow, second: TaskRow) -> ComparedPair:
    """One that has a difference of each kind."""
    differences = (
        Difference("posterior_win_rate", 0.52, 0.5, 0.02, (0.011, 0.029), 0.0004, 0.002, "first"),
        Difference("p05", 20.0, 20.0, 0.0, (0.0, 0.0), 1.0, 1.0, "level"),
        Difference("p50", 39.0, INF, -INF, (-INF, 2.5), 0.08, 0.6, "undecided"),
        Difference("p95", INF, INF, None, (-INF, INF), 1.0, 1.0, "neither"),
    )
    curve: list[DifferenceWithin] = [
        {"budget": float(at), "difference": at / 50, "interval": (at / 50 - 0.1, at / 50 + 0.1)} for at in (1, 2, 3)
    ]
    first, second = (replace(row, trials=1001) for row in (first, second))
    return ComparedPair(first, second, (0.51, 0.5), (18.0, 18.0), differences, lambda: curve)


def comparison(*pairs: ComparedPair, statistics: tuple[str, ...] = STATISTICS) -> PairedComparison:
    return PairedComparison(wordpl.ComparisonRule(statistics), pairs)


def test_a_strategy_over_epsilons_has_one_name():
    a5, a9, b5, b9 = (task(name, epsilon) for name in "AB" for epsilon in (5.0, 9.0))
    fixed = task("C", None)
    found = comparison(pair(a5, b5), pair(a9, b9), pair(a5, fixed)).names
    assert [found[row.id] for row in (a5, a9, b5, b9, fixed)] == ["A()", "A()", "B()", "B()", "C()"]
    # One run, or runs that are compared with each other, go by the spec in full.
    found = comparison(pair(a5, a9), pair(a5, b5)).names
    assert [found[row.id] for row in (a5, a9, b5)] == ["A(epsilon=5.0)", "A(epsilon=9.0)", "B(epsilon=5.0)"]
    old = task("A", 5.0, id="old", code="abcdefghij")
    found = comparison(pair(a5, old)).names
    assert [found[row.id] for row in (a5, old)] == ["A(epsilon=5.0), code 12345678", "A(epsilon=5.0), code abcdefgh"]


def test_what_a_notebook_shows_of_a_comparison():
    a, b = "A(epsilon=9.0)", "B(epsilon=9.0)"
    page = Page(comparison(pair(task("A"), task("B")))._repr_html_().replace("<table>", "<table><caption></caption>"))
    assert page.tables[""][1:] == [
        [a, b, "posterior_win_rate", "+0.02", "[0.011, 0.029]", "0.002", a],
        [a, b, "p05", "+0", "[0, 0]", "1", "level"],
        [a, b, "p50", "-inf", "[-inf, 2.5]", "0.6", "undecided"],
        [a, b, "p95", "", "[-inf, inf]", "1", "neither"],
    ]


def test_the_notes_have_the_numbers_of_the_rule(capsys):
    both, rule = pair(task("A"), task("B")), wordpl.ComparisonRule(margin=0.02, error=0.1)
    notes = notes_of(replace(comparison(both), rule=rule))
    for said in ("probability 90%", "4 differences", "is at most 10%", "0.02, or 2%"):
        assert any(said in note for note in notes), said
    wordpl.reporting.print_tournament(replace(comparison(both), rule=rule))
    shown = " ".join(capsys.readouterr().out.split())
    for said in ("W: strategies that it is ahead of; L: that are ahead", "within 2%", "at most 10%, in all 1 pair"):
        assert said in shown
    larger, smaller = "A larger posterior win rate is better.", "A smaller percentile is better."
    for statistics, better in ((STATISTICS, [larger, smaller]), (STATISTICS[:1], [larger]), (("p05",), [smaller])):
        notes = notes_of(comparison(both, statistics=statistics))
        assert [f"{note.partition('.')[0]}." for note in notes if "is better" in note] == better


def test_a_difference_is_drawn_at_the_epsilon_that_varies():
    pairs = [(task("A", 9.0), task("B", epsilon)) for epsilon in (5.0, 20.0)]
    for drawn in (pairs, [both[::-1] for both in pairs]):
        axes = wordpl.reporting.plot_differences(comparison(*(pair(*both) for both in drawn))).axes[0]
        assert [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1] == [5.0, 20.0]


def test_the_last_difference_of_a_curve_holds_for_larger_budgets():
    axes = wordpl.reporting.plot_differences(comparison(pair(task("A"), task("B"))), "curve").axes[0]
    (steps,) = ([*line.get_xydata().tolist()] for line in axes.lines if line.get_drawstyle() == "steps-post")
    assert steps == [[1.0, 0.02], [2.0, 0.04], [3.0, 0.06], [pytest.approx(3.1), 0.06]]
    (band,) = axes.collections
    corners = {(round(x, 6), round(y, 6)) for x, y in band.get_paths()[0].vertices.tolist()}
    ends = [(1.0, 1), (2.0, 1), (2.0, 2), (3.0, 2), (3.0, 3), (3.1, 3)]
    assert corners == {(x, round(at / 50 + side, 6)) for x, at in ends for side in (-0.1, 0.1)}


def test_a_difference_has_its_interval_and_infinity_lies_beside_others():
    for statistic, better, ends, at, texts in (
        ("posterior_win_rate", "more", [(0.011, 0.029)], [0.02], {}),
        ("p05", "less", [(0.0, 0.0)], [0.0], {}),
        ("p50", "less", [(-0.25, 2.5)], [-0.25], {"-∞": -0.25, "+∞": 2.75}),
        ("p95", "less", [], [], {"-∞": -1.0, "+∞": 1.0, "reached by neither": 0.6}),
    ):
        axes = wordpl.reporting.plot_differences(comparison(pair(task("A"), task("B"))), statistic).axes[0]
        lines = [line.get_xydata().tolist() for line in axes.lines]
        assert [(a[1], b[1]) for a, b in (line for line in lines if len(line) == 2) if a[0] == b[0]] == ends
        marks = [line for line in axes.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
        assert [line.get_ydata()[0] for line in marks] == at
        assert {text.get_text(): text.get_position()[1] for text in axes.texts} == texts
        assert axes.get_ylabel() == f"difference ({better} is better)"
        assert [text.get_text() for text in axes.get_legend().get_texts()] == ["A(epsilon=9.0) minus B(epsilon=9.0)"]


def test_a_heat_map_has_the_letters_of_the_rows_the_best_first(figures, tmp_path):
    wordpl.reporting.draw_tournament(comparison(pair(task("B"), task("A"))), tmp_path / "t.svg")
    maps = [axes for axes in figures[0].axes if axes.images]
    letters = [{text.get_position(): text.get_text() for text in axes.texts} for axes in maps]
    for found, (row, column) in zip(letters, map(tuple, ("WL", "TT", "??", "TT")), strict=True):
        assert found == {(0, 0): "", (1, 0): row, (0, 1): column, (1, 1): ""}
    names = [[text.get_text() for text in maps[0].get_yticklabels()], [x.get_text() for x in maps[0].get_xticklabels()]]
    assert names == [["1. B(epsilon=9.0)", "2. A(epsilon=9.0)"], ["1", "2"]]
    assert [axes.get_title() for axes in maps] == ["posterior win rate", *(f"{n}th percentile" for n in (5, 50, 95))]


def test_the_titles_of_the_tables_say_what_is_compared(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    a5, a9, b5, b9 = (task(name, epsilon) for name in "AB" for epsilon in (5.0, 9.0))
    terms = "original, letterwise, randomized_response, seed 1, 1,001 trials"
    wordpl.reporting.print_comparison(comparison(pair(a5, b5), pair(a9, b9)))
    shown = capsys.readouterr().out
    assert shown.startswith(f"A is A()\nB is B()\nDifferences on common trials: {terms}\n")
    assert "corrected for 8 differences" in " ".join(shown.split())
    wordpl.reporting.print_tournament(comparison(pair(a5, b5), pair(a9, b9), statistics=STATISTICS[::-1]))
    lines = capsys.readouterr().out.splitlines()
    told = [f"Who beats whom, by {name.replace('_', ' ')}, round {n}" for name in STATISTICS for n in (1, 2)]
    assert lines[0] == f"Ranking: {terms}" and [line for line in lines if "beats" in line] == told


def test_the_matrix_says_who_beats_whom(capsys):
    a, b, c = (task(name, None) for name in "ABC")
    found = comparison(pair(c, b), pair(c, a), pair(b, a), statistics=STATISTICS[:1])
    wordpl.reporting.print_tournament(found, TableStyle("markdown"))
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    assert [row[:3] for row in lines[2:5]] == [["1", "A", "C\\(\\)"], ["2", "B", "B\\(\\)"], ["3", "C", "A\\(\\)"]]
    assert lines[-3:] == [["A", "", "W", "W"], ["B", "L", "", "W"], ["C", "L", "L", ""]]


def test_a_table_of_pairs_of_several_epsilons_and_trials(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    a5, a9, b5, b9 = (task(name, epsilon) for name in "AB" for epsilon in (5.0, 9.0))
    few = replace(pair(a9, b5), first=replace(a9, trials=10), second=replace(b5, trials=10))
    wordpl.reporting.print_comparison(comparison(pair(a5, b9), few, statistics=STATISTICS[:1]), TableStyle("csv"))
    head, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert head[:4] == ["strategies", "epsilon", "trials", "statistic"]
    assert [rows[0][:3], rows[-1][:3]] == [["A() less B()", "5 / 9", "1001"], ["A() less B()", "9 / 5", "10"]]
