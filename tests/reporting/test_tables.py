"""Numbers and tables on a screen."""

import csv
import io
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import wordpl
from tests.support.helpers import SMALL
from wordpl import WordplError
from wordpl.cli.runs import print_score
from wordpl.reporting import tables
from wordpl.reporting.layout import TableColumn, lay_out, wrapped
from wordpl.reporting.outcome_tables import crossing_cell, print_evaluations, statistic_cells
from wordpl.reporting.tables import Pair, TableStyle, estimate, number, numbers, print_table


def test_numbers_and_intervals():
    for value, digits, shown in (
        (None, 4, "∞"), (math.inf, 4, "∞"), (0.0, 4, "0"), (12.34567, 4, "12.35"), (-0.98765, 2, "-0.99"),
        (1234567.0, 6, "1234567"), (12345.6, 4, "12346"), (1e-9, 4, "1e-09"), (999_999.5, 6, "1000000"),
        (999_999_999_999_999.0, 4, "999999999999999"), (1e15, 4, "1e+15"),
    ):  # fmt: skip
        assert number(value, digits) == shown
    assert (tables.interval((12.0, 13.04321)), tables.interval([0.5, None], 1)) == ("[12, 13.04]", "[0.5, ∞]")


def test_numbers_of_a_column_have_the_same_places():
    assert numbers([3.0, 2.99312, 0.00126]) == ["3.000", "2.993", "0.001"]
    assert numbers([140.31, 139.7]) == ["140.3", "139.7"]
    assert numbers([0.0254399, 0.02559]) == ["0.02544", "0.02559"]
    assert numbers([12345.6, math.inf, 0.0]) == ["12346", "∞", "0"]
    assert numbers([1e-5, 0.0, 1.00023e-6]) == ["1.000e-05", "0", "1.000e-06"]
    assert numbers([10.0, 9.99], 2) == ["10", "10"] and numbers([9.99, 1.0], 2) == ["10.0", "1.0"]
    assert numbers([1e-4, 1e-6], 2) == ["0.00010", "0.00000"]


def test_digits_follow_the_interval_and_a_difference_has_a_sign():
    for value, ends, shown in (
        (0.053946, (0.041582, 0.069718), ("0.054", "[0.042, 0.070]")),
        (0.5, (0.499, 0.501), ("0.5000", "[0.4990, 0.5010]")),
        (18.0, (18.0, 18.0), ("18", "[18, 18]")),
        (18.0, (18.0, math.inf), ("18", "[18, ∞]")),
        (math.inf, (18.0, math.inf), ("∞", "[18, ∞]")),
        (None, (None, None), ("∞", "[∞, ∞]")),
        (0.0213, (0.0112, 0.0314), ("+0.021", "[+0.011, +0.031]")),
        (-3.0, (-5.2, 1.0), ("-3.0", "[-5.2, +1.0]")),
        (-math.inf, (-math.inf, 2.53), ("-∞", "[-∞, +2.53]")),
        (12345.6, (1.0, math.inf), ("+12346", "[+1, +∞]")),
    ):
        assert estimate(value, ends, *"+" * ("+" in shown[1])) == shown
    assert estimate(0.0, (0.0, 0.0), "+") == ("0", "[0, 0]")


def test_a_score_is_one_that_games_had_however_wide_its_interval(capsys):
    played = wordpl.evaluate("NGuess(3, 12.3)", 60)
    assert (played.p05, played.percentile_interval(0.05)) == (36.9, (0.0, 36.9))
    assert ("36.9", "[0, 36.9]") in statistic_cells(played)
    assert ">36.9</td>" in played._repr_html_()
    print_score(played, TableStyle("markdown"))
    assert re.search(r"5th percentile \| 36\.90 \| \[0\.00, 36\.90\]", capsys.readouterr().out)


def test_a_screen_without_unicode_gets_plain_frames(monkeypatch):
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", screen)
    print_table("a title", ["name", "value", "more"], [["spec", "∞", "≤10"]])
    screen.seek(0)
    shown = screen.read().splitlines()
    assert "| spec |   inf | <=10 |" in shown and shown[1] == shown[3] == "+------+-------+------+"


COLUMNS = [TableColumn("strategy", kind="text"), TableColumn("p05"), TableColumn("95%", full_name="95% of p05")]
COLUMNS += [TableColumn("one/two")]
ROWS = [
    ["A(b='x|y')", "9.5", Pair("9", "∞"), Pair("1", "0.25", "{}/{}")],
    ["C_1", "∞", "", ""],
    ["D", "-1,000.25", Pair("-∞", "-0.5"), Pair("∞", "2", "{}/{}")],
    ["E", "none", "", ""],
]


def shown(capsys: pytest.CaptureFixture[str], **style: str) -> str:
    print_table("Title", COLUMNS, ROWS, ["a note"], TableStyle(**style))
    return capsys.readouterr().out


def test_a_table_for_other_programs(capsys):
    """With one number of decimals in a column, and in CSV one number in a cell."""
    assert list(csv.reader(io.StringIO(shown(capsys, format="csv")))) == [
        ["strategy", "p05", "p05_low", "p05_high", "one", "two"],
        ["A(b='x|y')", "9.50", "9.0", "inf", "1.00", "0.25"],
        ["C_1", "inf", "", "", "", ""],
        ["D", "-1000.25", "-inf", "-0.5", "inf", "2.00"],
        ["E", "", "", "", "", ""],
    ]
    lines = shown(capsys, format="markdown").splitlines()
    assert lines[:2] == ["| strategy | p05 | 95\\% of p05 | one\\/two |", "| --- | --- | --- | --- |"]
    assert lines[2] == r"| A\(b\=\'x\|y\'\) | 9.50 | [9.0, ∞] | 1\.00\/0\.25 |" and len(lines) == 6
    lines = shown(capsys, format="latex").splitlines()
    assert lines[0] == r"\begin{tabular}{lrrr}" and lines[-1] == r"\end{tabular}"
    assert lines[5:7] == [r"C\_1 & $\infty$ &  &  \\", r"D & -1000.25 & [-$\infty$, -0.5] & $\infty$/2.00 \\"]
    assert [lines[i] for i in (1, 3, -2)] == [r"\toprule", r"\midrule", r"\bottomrule"]
    # After the end of a row, a bracket or a star would be an argument of it.
    print_table("", ["a", "b"], [["[1, 2]", "3"], ["*", "4"]], style=TableStyle("latex"))
    assert capsys.readouterr().out.splitlines()[4:6] == [r"{}[1, 2] & 3 \\", r"{}* & 4 \\"]
    print_table("", ["difference"], [["+0.5"], ["-1.25"]], style=TableStyle("csv"))
    assert capsys.readouterr().out.split() == ["difference", "+0.50", "-1.25"]
    print_table("", ["a", "b"], [["+∞", "≤5"], ["-∞", "-"], ["∞", "7"]], style=TableStyle("csv"))
    assert capsys.readouterr().out.split() == ["a,b", "inf,", "-inf,", "inf,7"]
    # From the numbers, not from what is shown of them; in CSV a bound is no value.
    cells = [[*estimate(0.25, (0.2447, 0.2553))], [*estimate(0.5, (0.36, 0.64))], ["none", ""]]
    cells = [[*row, p] for row, p in zip(cells, (tables.Number("<0.001", 2e-7), "0.020", ">7"), strict=True)]
    for form, told in (
        ("csv", ["0.250,0.245,0.255,2e-07", "0.500,0.360,0.640,0.020", ",,,"]),
        ("latex", [r"0.250 & [0.245, 0.255] & $<$0.001 \\", r"none &  & $>$7.000 \\"]),
    ):
        print_table("", ["a", "95%", "p"], cells, style=TableStyle(form))
        lines = capsys.readouterr().out.splitlines()
        assert [line for line in told if line not in lines] == [], lines


def test_a_table_in_order_of_a_column(capsys):
    def order(sort: str) -> list[str]:
        return [line[0] for line in shown(capsys, format="csv", sort=sort).splitlines()[1:]]

    assert order("p05") == ["D", "A", "C", "E"]  # what is no number comes last
    assert order("-p05") == ["C", "A", "D", "E"]
    assert order("-strategy") == ["E", "D", "C", "A"]
    with pytest.raises(WordplError, match=r"no such column.*p05"):
        order("p5")
    # By the numbers, not by what is shown of them, and a bound beside its number.
    cells = [*(number(value, 2) for value in (51.4, 50.68, 51.22, math.inf)), estimate(50.9, (1.0, 99.0))[0]]
    rows = [[text] for text in (*cells, ">51", "≤51", "51", "none")]
    found = [getattr(cell, "value", cell) for (cell,) in TableStyle(sort="a").sorted([TableColumn("a")], rows)]
    assert found == [50.68, 50.9, "≤51", "51", ">51", 51.22, 51.4, math.inf, "none"]
    budgets = crossing_cell("above", math.inf, 40.02), crossing_cell("below", 40.04, 60.0), tables.interval((9.5, 99.0))
    ordered = TableStyle(sort="a").sorted(
        [TableColumn("a")], [[cell] for cell in (*budgets, tables.interval((40.03, 41)))]
    )
    assert [cell for (cell,) in ordered] == ["[9.5, 99]", ">40", "[40.03, 41]", "≤40"]
    ordered = TableStyle(sort="a").sorted([TableColumn("a")], [["10%"], ["9%"], ["1,000"]])
    assert [cell for (cell,) in ordered] == ["9%", "10%", "1,000"]


# Tables that fit: never wider than the terminal, and no number is folded

TEXT = st.text(st.sampled_from("ab1 2.,(=)/[]漢é"), max_size=40)
NAME = st.text(st.sampled_from("ab1 2.,(=)/[]é"), max_size=12)
TABLES = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(
            st.builds(TableColumn, NAME, st.integers(0, 4), st.sampled_from(["number", "text"])), min_size=n, max_size=n
        ),
        st.lists(st.lists(TEXT, min_size=n, max_size=n), max_size=4),
    )
)


@given(TABLES, st.integers(20, 120))
def test_no_line_is_wider_than_the_terminal(table, width):
    columns, rows = table
    assert all(cell_len(line) <= width for line in lay_out(columns, rows, width))


NUMBERS = st.tuples(*[st.integers(0, 10**7).map(str)] * 3)


@given(st.lists(NUMBERS, min_size=1, max_size=3), st.integers(20, 70))
def test_no_number_is_folded_and_what_is_missing_is_named(rows, width):
    columns = [TableColumn("strategy", kind="text"), *(TableColumn(f"n{rank}", rank) for rank in (1, 2, 3))]
    lines = lay_out(columns, [["TwoGuess(epsilon=12.5)", *row] for row in rows], width)
    missing = " ".join(lines).partition("left out: ")[2]
    for column, *cells in zip(columns[1:], *rows, strict=True):
        assert column.name in missing or {*cells} <= {word for line in lines for word in line.split()}
    assert "TwoGuess(epsilon=12.5)" in "".join("".join(lines).split())


def test_what_is_left_out_is_told_with_what_it_says_in_every_row():
    columns = [TableColumn("name", kind="text"), *(TableColumn(name, 9) for name in ("one", "none", "differs"))]
    rows = [["a" * 25, "5", "", "1", "7"], ["b" * 25, "5", "", "2", "7"]]
    for width, more in ((30, ", differs"), (38, "")):  # which says more, so it goes last
        told = f"left out: one (5 in every row), none (empty in every row){more}; to see all, widen the terminal or add"
        assert " ".join(lay_out([*columns, TableColumn("p")], rows, width)).endswith(f"{told} --json")
    # A row alone is lines of name and value, without the values that are empty.
    assert lay_out([*columns[1:], TableColumn("text", full_name="prose")], [["5", "", "1", "a" * 12]], 20) == [
        "one      5", "differs  1", "prose    aaaaaaaaaaa", "         a",
    ]  # fmt: skip


def test_a_table_of_games_says_what_they_cost_and_budgets_follow(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    wordle = wordpl.evaluate("Greedy(inf)", 20, words=SMALL, format="wordle:6")
    print_evaluations([wordle])
    (title, *_), terms = capsys.readouterr().out.splitlines(), "small, letterwise, randomized_response"
    assert title == f"Percentiles of the number of guesses: {terms}, wordle:6, seed 1, 20 trials"
    curve = wordpl.sweep(["TwoGuess(4)", "TwoGuess(12)", "Greedy((4, 12), 2)"], 20, words=SMALL)  # whose label says its
    print_evaluations(curve, TableStyle(sort="-epsilon"))
    title, *rest = capsys.readouterr().out.splitlines()
    assert title == f"Percentiles of the privacy budget: {terms}, seed 1, 20 trials"
    assert "Smallest budget to win 5%, 50% and 95% of games" in rest
    assert [line.split()[3] for line in rest if line.startswith("│ TwoGuess")][:2] == ["12", "4"]


@given(TEXT, st.integers(20, 60))
def test_wrapped_keeps_every_word_and_the_indent(text, width):
    lines = wrapped(f"  {text}", width)
    assert " ".join(lines).split() == text.split()
    assert all(line.startswith("  ") for line in lines if line)
