"""How comparisons are shown: names, digits, tables that fit, and pictures of what can and cannot be drawn."""

import math
from dataclasses import replace
from typing import Any

import pytest

import wordpl
from tests.support.pictures import Page
from tests.support.selections import ROW
from wordpl.base.defaults import STATISTICS
from wordpl.reporting.comparison_tables import notes_of
from wordpl.reporting.tables import estimate
from wordpl.simulation import ComparedPair, Difference, DifferenceWithin, PairedComparison, TaskRow

INF = math.inf


def task(name: str, epsilon: float | None = 9.0, **more: Any) -> TaskRow:
    spec = f"{name}(epsilon={epsilon})" if epsilon is not None else f"{name}()"
    terms = {"id": f"{spec} {more}", "strategy": spec, "family": f"{name}()", "epsilon": epsilon, "code": "1234567890"}
    return replace(ROW, **terms | more)


def pair(first: TaskRow, second: TaskRow, budgets: int = 3) -> ComparedPair:
    """One that has a difference of each kind."""
    differences = (
        Difference("posterior_win_rate", 0.52, 0.5, 0.02, (0.011, 0.029), 0.0004, 0.002, "first"),
        Difference("p05", 20.0, 20.0, 0.0, (0.0, 0.0), 1.0, 1.0, "level"),
        Difference("p50", 39.0, INF, -INF, (-INF, 2.5), 0.08, 0.6, "undecided"),
        Difference("p95", INF, INF, None, (-INF, INF), 1.0, 1.0, "neither"),
    )
    curve: list[DifferenceWithin] = [
        {"budget": float(at), "difference": at / 50, "interval": (at / 50 - 0.1, at / 50 + 0.1)}
        for at in range(1, budgets + 1)
    ]
    first, second = (replace(row, trials=1001) for row in (first, second))
    return ComparedPair(first, second, (0.51, 0.5), (18.0, 18.0), differences, lambda: curve)


def comparison(*pairs: ComparedPair, statistics: tuple[str, ...] = STATISTICS) -> PairedComparison:
    return PairedComparison(wordpl.ComparisonRule(statistics), pairs)


@pytest.mark.parametrize(
    ("value", "ends", "shown"),
    [
        (0.0213, (0.0112, 0.0314), ("+0.021", "[+0.011, +0.031]")),
        (-3.0, (-5.2, 1.0), ("-3.0", "[-5.2, +1.0]")),
        (0.0, (0.0, 0.0), ("0", "[0, 0]")),
        (-INF, (-INF, 2.53), ("-∞", "[-∞, +2.53]")),
        (12345.6, (1.0, INF), ("+12346", "[+1, +∞]")),
    ],
)
def test_differences_have_a_sign_and_the_digits_that_mean_something(value, ends, shown):
    assert estimate(value, ends, "+") == shown


def test_a_strategy_over_epsilons_has_one_name():
    a5, a9, b5, b9 = (task(name, epsilon) for name in "AB" for epsilon in (5.0, 9.0))
    fixed = task("C", None)
    found = comparison(pair(a5, b5), pair(a9, b9), pair(a5, fixed)).names
    assert [found[row.id] for row in (a5, a9, b5, b9, fixed)] == ["A()", "A()", "B()", "B()", "C()"]
    # One run, or runs that are compared with each other, go by the spec in full.
    found = comparison(pair(a5, a9), pair(a5, b5)).names
    assert [found[row.id] for row in (a5, a9, b5)] == ["A(epsilon=5.0)", "A(epsilon=9.0)", "B(epsilon=5.0)"]
    # Two versions of one strategy differ in their code.
    old = task("A", 5.0, id="old", code="abcdefghij")
    found = comparison(pair(a5, old)).names
    assert [found[row.id] for row in (a5, old)] == ["A(epsilon=5.0), code 12345678", "A(epsilon=5.0), code abcdefgh"]


def test_what_a_notebook_shows_of_a_comparison():
    one = pair(task("A"), task("B"))
    assert repr(one.differences[2]) == "<Difference of p50: -inf [-inf, 2.5], undecided>"
    assert repr(one.differences[3]) == "<Difference of p95: none [-inf, inf], neither>"
    a, b = "A(epsilon=9.0)", "B(epsilon=9.0)"
    verdicts = "posterior_win_rate first, p05 level, p50 undecided, p95 neither"
    assert repr(one) == f"<ComparedPair {a} and {b}: {verdicts}>"
    page = Page(comparison(one)._repr_html_().replace("<table>", "<table><caption></caption>"))
    assert page.tables[""][1:] == [
        [a, b, "posterior_win_rate", "+0.02", "[0.011, 0.029]", "0.002", a],
        [a, b, "p05", "+0", "[0, 0]", "1", "level"],
        [a, b, "p50", "-inf", "[-inf, 2.5]", "0.6", "undecided"],
        [a, b, "p95", "", "[-inf, inf]", "1", "neither"],
    ]


def test_a_ranking_counts_all_pairs_and_has_the_values_of_the_longest():
    a, b, c = (task(name, None) for name in "ABC")
    many, few = pair(a, b), pair(a, c)
    few = replace(few, first=replace(a, trials=10), second=replace(c, trials=10), costs=(99.0, 7.0))
    for pairs in ((many, few), (few, many)):
        found = comparison(*pairs).ranking().set_index("strategy")
        columns = ["rank", "budget", "trials", "value", "ahead", "behind", "level", "undecided"]
        assert list(found.loc["A()", columns]) == [1, 18.0, 1001, 0.52, 2, 0, 0, 0]
        assert list(found.loc["C()", columns]) == [2, 7.0, 10, 0.5, 0, 1, 0, 0]


def test_the_notes_have_the_numbers_of_the_rule(capsys):
    both = pair(task("A"), task("B"))
    for differences in (both.differences, both.differences[:1]):
        told = replace(both, differences=differences)
        found = replace(comparison(told), rule=wordpl.ComparisonRule(margin=0.02, error=0.1))
        notes = notes_of(found)
        for said in ("probability 90%", "4 differences", "is at most 10%"):
            assert any(said in note for note in notes), said
        verdicts = {note.partition(":")[0]: note for note in notes if note.startswith(("level:", "neither:"))}
        assert verdicts.keys() == {"level", "neither"} & {one.verdict for one in differences}
        assert not verdicts or "0.02, or 2%" in verdicts["level"]
    wordpl.reporting.print_tournament(replace(comparison(both), rule=wordpl.ComparisonRule(margin=0.02, error=0.1)))
    shown = " ".join(capsys.readouterr().out.split())
    assert "within 2%" in shown and "at most 10%, in all 1 pair" in shown


@pytest.mark.parametrize("swapped", [False, True])
def test_a_difference_is_drawn_at_the_epsilon_that_varies(swapped):
    pairs = [(task("A", 9.0), task("B", epsilon)) for epsilon in (5.0, 20.0)]
    drawn = comparison(*(pair(*(both[::-1] if swapped else both)) for both in pairs))
    axes = wordpl.reporting.plot_differences(drawn).axes[0]
    assert [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 1] == [5.0, 20.0]


def test_the_last_difference_of_a_curve_holds_for_larger_budgets():
    axes = wordpl.reporting.plot_differences(comparison(pair(task("A"), task("B"))), "curve").axes[0]
    (steps,) = ([*line.get_xydata().tolist()] for line in axes.lines if line.get_drawstyle() == "steps-post")
    assert steps == [[1.0, 0.02], [2.0, 0.04], [3.0, 0.06], [pytest.approx(3.1), 0.06]]


def test_the_table(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    a5, a9, b5, b9 = (task(name, epsilon) for name in "AB" for epsilon in (5.0, 9.0))
    wordpl.reporting.print_comparison(comparison(pair(a5, b5), pair(a9, b9)))
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 60
    assert shown.startswith("A is A()\nB is B()\n")
    assert "corrected for 8 differences" in " ".join(shown.split())
