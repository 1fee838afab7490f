"""Tables that fit: never wider than the terminal, and no figure is folded."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from wordpl.reporting.layout import TableColumn, columns_of, lay_out, wrapped

WIDTHS = (20, 40, 60, 80, 160)
SPEC = "MaxClueEntropy(n_guesses={}, epsilon={}, monte_carlo=200)"
COLUMNS = [
    TableColumn("strategy", kind="text"),
    TableColumn("trials", 3),
    TableColumn("win rate"),
    TableColumn("95%", 2, full_name="95% of win rate"),
    TableColumn("p05", 1),
    TableColumn("95%", 5, full_name="95% of p05"),
    TableColumn("p95", 1),
    TableColumn("95%", 5, full_name="95% of p95"),
]
FIGURES = ["1001", "0.471", "[0.440, 0.502]", "39.25", "[37.5, 41.75]", "∞", "[141.25, ∞]"]
OTHERS = ["1000", "0.472", "[0.440, 0.503]", "39.26", "[37.5, 41.76]", "∞∞", "[141.26, ∞]"]
ROWS = [[SPEC.format(n, e), *FIGURES] for n in (2, 3) for e in (5.0, 12.5, 25.0)] + [[SPEC.format(4, 5.0), *OTHERS]]
TEXT = st.text(st.sampled_from("ab1 2.,(=)/[]漢é"), max_size=40)
NAME = st.text(st.sampled_from("ab1 2.,(=)/[]é"), max_size=12)
TABLES = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(
            st.builds(TableColumn, NAME, st.integers(0, 4), st.sampled_from(["figure", "text"])), min_size=n, max_size=n
        ),
        st.lists(st.lists(TEXT, min_size=n, max_size=n), max_size=4),
    )
)


@given(TABLES, st.integers(20, 120))
def test_no_line_is_wider_than_the_terminal(table, width):
    columns, rows = table
    assert all(cell_len(line) <= width for line in lay_out(columns, rows, width))


@pytest.mark.parametrize("width", WIDTHS[1:])
@pytest.mark.parametrize("rows", [ROWS, ROWS[:1]], ids=["many", "one"])
def test_every_figure_is_whole_or_left_out_and_every_spec_is_there(rows, width):
    lines = lay_out(COLUMNS, rows, width)
    for i, column in enumerate(COLUMNS[1:], 1):
        shown = sum(rows[0][i] in line for line in lines)
        missing = re.split(r", |;", " ".join(lines).partition("left out: ")[2])
        assert shown == 0 if (column.full_name or column.name) in missing else shown >= len(rows[:-1])
    for row in rows:
        assert row[0].replace(" ", "") in re.sub(
            r"0\.47[12]|\[0\.440, 0\.50[23]\]|39\.2[56]|100[01]|∞|[│\s]", "", "".join(lines)
        )


def test_columns_go_in_order_of_rank_and_are_named():
    missing: list[set[str]] = []
    for width in range(150, 30, -1):
        text = " ".join(lay_out(COLUMNS, ROWS, width))
        found = re.search(r"left out: (.*); to\s+see all", text)
        if found:
            missing.append({name.strip() for name in found[1].split(",")})
    assert all(before <= after for before, after in itertools.pairwise(missing))
    order = sorted(missing, key=len)
    assert order[0] == {"95% of p95"} and {"95% of p05", "95% of p95"} in order
    assert order[-1] >= {"trials", "95% of win rate"} and not order[-1] & {"strategy", "win rate"}


def test_columns_that_say_the_same_in_every_row_go_first_and_are_told():
    columns = [
        TableColumn("a", kind="text"),
        TableColumn("one", 1),
        TableColumn("two", 2),
        TableColumn("three", 3),
        TableColumn("fixed"),
    ]
    rows = [[letter, "∞" * 9, f"{n}" * 9, f"{n}" * 9, "=" * 9] for n, letter in enumerate("xyz")]
    left_out = [
        found[1] for width in range(60, 20, -1)
        if (found := re.search(r"left out: (.*); to\s+see all", " ".join(lay_out(columns, rows, width))))
    ]  # fmt: skip
    one = f"one ({'∞' * 9} in every row)"
    assert list(dict.fromkeys(left_out)) == [one, f"{one}, three", f"{one}, two, three"]


def test_plain_names_become_columns_and_with_room_all_is_in_a_box():
    lines = lay_out(COLUMNS, ROWS, None)
    assert lines == lay_out(COLUMNS, ROWS, 160)
    for line, row in zip(lines[3:-1], ROWS, strict=True):
        assert [cell.strip() for cell in line.strip("│").split("│")] == row
    lines = lay_out(COLUMNS, ROWS[:1], 60)  # one row that is too wide becomes names and values
    assert "95% of win rate  [0.440, 0.502]" in lines
    assert not any("left out" in line for line in lines)
    made = columns_of(["check", "trials", "what it says"], [["a", "12", "this is how to go on"]])
    assert [(column.rank, column.kind) for column in made] == [(0, "text"), (1, "figure"), (2, "text")]


def test_texts_are_broken_between_words():
    rows = [["ok   first", "a message of several words that goes on and on", "12"]]
    lines = lay_out(columns_of(["", "", ""], rows * 2), rows * 2, 40)
    assert max(map(len, lines)) <= 40
    assert " ".join(" ".join(lines).split()).count("on and") == 2


@given(TEXT, st.integers(20, 60))
def test_wrapped_keeps_every_word(text, width):
    lines = wrapped(text, width)
    assert " ".join(lines).split() == text.split()
