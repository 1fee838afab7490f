"""Names from a file in every format that wordpl prints and writes: they are shown, and act on nothing."""

import csv
import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.conftest import Cli, cli, refused  # noqa: F401 - the first is a fixture
from wordpl.base.sanitizing import csv_cell, latex_cell, markdown_cell, write_csv
from wordpl.reporting.tables import TABLE_FORMATS, TableStyle, print_json, print_table, print_text
from wordpl.simulation import exports

NASTY = (
    "\x1b]0;owned\x07", "\x1b[2J\x1b[31m", "a\rb", "a\nb", "a\x00b", "a\u202eb\u2066c", "\u200b", "\x9b2J",
    '=HYPERLINK("http://a.b","c")', "+A1", "-2+3", "@SUM(A1)", "\uff1d1", "\t=1", "a|b", "a\\b", "a\\|b",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>", "[a](javascript:b)", "![a](b)", "`a`", "#1", "@user",
    "a & b % c $ d # e _ f { g } ~ ^",
    "\\input{a}", "[3pt] a", "*", "<!-- a", "\ud800", "e" + "\u0301" * 40,
)  # fmt: skip
NAMES = st.text(st.characters(exclude_categories=()), max_size=60) | st.lists(st.sampled_from(NASTY)).map("".join)


def examples(test):
    for text in NASTY:
        test = example(text)(test)
    return test


def printed(name: str, form: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        print_table(name, ["first", name], [[name, "1"], [f"a {name}", name]], [name], TableStyle(form))
        print_text(name)
    return out.getvalue()


def is_plain(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


@examples
@given(NAMES)
def test_a_row_of_csv_stays_one_row_of_texts(name):
    file = io.StringIO(newline="")
    write_csv(file, [["before", name, 1.5, "after"], [name]])
    one, other = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert one == ["before", csv_cell(name), "1.5", "after"]
    assert other == ([csv_cell(name)] if name else [""])
    assert csv_cell("-0.013") == "-0.013" and csv_cell("+∞") == "+∞" and csv_cell("-3.5%") == "-3.5%"
    bare = csv_cell(name).lstrip(' "\ufffd')
    assert not bare.startswith(("=", "+", "-", "@")) or re.fullmatch(r"[-+](\d[\d.,e+-]*%?|∞)", bare)


@examples
@given(NAMES)
def test_no_name_acts_on_a_terminal_or_is_markup(name):
    for form in TABLE_FORMATS:
        assert is_plain(printed(name, form))
    out = io.StringIO()
    with redirect_stdout(out):
        print_json({name: [name]})
    assert out.getvalue().isascii() and is_plain(out.getvalue()) and json.loads(out.getvalue()) == {name: [name]}
    left = re.sub(r"\\.|@<!-- -->", "", markdown_cell(name).replace("\\#<!-- -->", ""))
    assert not set(left) & set("<>`*_[]@#|\\!") or set(name) <= set("0123456789+-.,%∞≤ []")
    words = r"\\(textbackslash|textasciitilde|textasciicircum|textbar)\{\}|\$\\(infty|le)\$|\$[<>]\$|\\[&%$#_{}]"
    assert not set(re.sub(words, "", latex_cell(name))) & set("\\&%$#_{}~^<>|")
    assert not re.search(r"\\\\\n[\[*]", printed(name, "latex"))  # which would belong to the end of the row before


def test_nothing_else_writes_a_cell():
    root = Path(exports.__file__).parents[1]
    writers = re.compile(r"csv\.(writer|DictWriter)|to_csv|to_latex|to_markdown|to_html|import escape\b|html\.escape")
    files = [file for file in root.rglob("*.py") if writers.search(file.read_text("utf-8"))]
    assert [file.name for file in files] == ["sanitizing.py"]
