"""Names: one rule that a stranger understands, over all of Unicode; and what any text may do when it is shown."""

import csv
import io
import re
import string
import unicodedata
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import wordpl
from tests.support.helpers import TINY
from wordpl import WordList, WordplError
from wordpl.base import sanitizing
from wordpl.base.displays import LONGEST, percent
from wordpl.base.sanitizing import check_name, csv_cell, latex_cell, markdown_cell, visible
from wordpl.reporting.tables import TableStyle, print_table, print_text
from wordpl.simulation import exports

ALL = range(0x20000)  # the planes of alphabets, signs and emoji; the others have more Chinese, tags, or nothing
PLAIN = string.ascii_letters + string.digits
MORE = "ÆæŒœßẞØøĐđÐðŁłÞþı"
LETTERS = [letter for letter in map(chr, range(0x3000)) if unicodedata.normalize("NFD", letter)[0] in PLAIN + MORE]
ANY = st.text(st.characters(exclude_categories=()), max_size=80)


def allowed(name: str) -> bool:
    try:
        check_name(name)
    except WordplError:
        return False
    return True


@pytest.mark.parametrize(
    "name", ["Ours", "G3", "O'Brien (2nd try)", "x_1.2-rc", "Łukasz Æ. Straße", "Đặng Ǿ", "a" * 60]
)
def test_ordinary_names_are_allowed(name):
    assert check_name(name) == name
    # As some keyboards type it: letters and accents one by one.
    assert check_name(unicodedata.normalize("NFD", name)) == name


@pytest.mark.parametrize(
    "name",
    [
        "", " ", " a", "a ", "a  b", "a" * 61, "-a", "'a", "(a)", ".a",
        "=1+1", "\uff1d1", "\t=1", "a\r", "a\nb", ":crown:", "[red]G3", "<b>G3</b>", "a&b", "a/b", "`a`", "%41",
        "\u0410da", "G\u0663", "a\u200bb", "\u3164", "a\u202eb", "\ufeffG3", "q\u0303", "e\u0301\u0301",
        "e" + "\u0301" * 50, "\ud800", "\x1b[2J", "\x00", "\u540d\u524d", "\U0001f36b", "\ufb01", "a\u2013b",
    ],
    ids=ascii,
)  # fmt: skip
def test_other_names_are_refused_in_one_line_that_tells_the_rule(name):
    with pytest.raises(WordplError) as told:
        check_name(name)
    assert sanitizing.RULE in str(told.value) and str(told.value).isascii() and str(told.value).isprintable()


def test_of_all_letters_and_signs_only_those_of_the_rule_are_allowed():
    found = {letter for letter in map(chr, ALL) if allowed(f"a{letter}b")}
    # An accent typed after its letter is the letter with the accent.
    accents = {letter for letter in map(chr, ALL) if unicodedata.combining(letter)}
    composed = {mark for mark in accents if len(unicodedata.normalize("NFC", f"a{mark}")) == 1}
    assert found == {*LETTERS, *".'-_() "} | composed
    assert {letter for letter in found - composed if allowed(letter)} == {*LETTERS}
    assert all(
        "LATIN" in unicodedata.name(letter) for letter in found if letter.isalpha() and letter not in "\u212a\u212b"
    )
    assert all(unicodedata.normalize("NFKC", check_name(letter)) == check_name(letter) for letter in LETTERS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("G3", "g3"), ("G3", "G 3"), ("G3", "G-3"), ("G3", "G.3"), ("Zoe", "Zoë"), ("Zoë", "Zoe\u0308"),
        ("Elo", "E1o"), ("Elo", "EIO"), ("Elo", "EL0"), ("Roman", "Rornan"), ("Win", "vVin"), ("Øre", "Ore"),
        ("ıs", "is"), ("ÆON", "AEON"),
        ("Straße", "STRASSE"), ("K2", "\u212a2"), ("Łódź", "Lodz"), ("İs", "is"), ("Ǿ", "o"),
    ],
)  # fmt: skip
def test_look_alikes_are_one_name(one, other):
    assert sanitizing.folded(check_name(one)) == sanitizing.folded(check_name(other))
    assert not any(
        sanitizing.folded(a) == sanitizing.folded(b)
        for a, b in (("G3", "G4"), ("Ours", "Hours"), ("Zoe", "Zoey"), ("5", "S"))
    )


@given(ANY)
@example("\x1b[2J")
@example("a\u202eb")
@example("\ud800")
def test_what_is_shown_of_a_text_acts_on_nothing(text):
    shown = visible(text)
    assert len(shown) == min(len(text), 300)
    assert all(letter.isprintable() for letter in shown)
    assert all(letter in ("\ufffd", own) for letter, own in zip(shown, text, strict=False))
    assert visible(text, 7) == shown[:7] and visible(text * 99, None).startswith(shown)


def test_lines_stay_lines_and_tabs_are_spaces():
    assert sanitizing.visible_lines("a\tb\n\x1bc") == "a       b\n\ufffdc"
    assert sanitizing.html_text("<a b='c'>\n\"&") == "&lt;a b=&#x27;c&#x27;&gt;\n&quot;&amp;"


FORMULA = ["=1+1", "+A1", "-1-1", "@SUM(A1)"] + [f"{sign}1" for sign in "\uff1d\uff0b\uff0d\uff20\ufe63\u207a\u2212"]
BEFORE = ["", *" \t\r\n'\"`\u201c\u00a0\u3000\ufeff\u200b\x00", "\r\n\t", "''", " \"' "]


@pytest.mark.parametrize("formula", FORMULA, ids=ascii)
def test_no_cell_is_a_formula(formula):
    for before in BEFORE:
        assert csv_cell(before + formula) == f"'{visible(before + formula)}"


@given(ANY | st.text(st.sampled_from([*LETTERS, *" .'-_()", "\u0301", "\u0323"]), max_size=70))
@example("e\u0323\u0302")
def test_an_allowed_name_is_safe_wherever_it_is_shown(name):
    try:
        checked = check_name(name)
    except WordplError:
        return
    assert check_name(checked) == visible(checked) == csv_cell(checked) == checked
    assert 0 < len(checked) <= sanitizing.LONGEST_NAME and checked.isprintable()
    assert not set(checked) & set(':[]<>&=+@,;"\\/|`*#$%')
    assert sanitizing.folded(checked)


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


@examples
@given(NAMES)
def test_a_row_of_csv_stays_one_row_of_texts(name):
    file = io.StringIO(newline="")
    sanitizing.write_csv(file, [["before", name, 1.5, "after"], [name]])
    one, other = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert one == ["before", csv_cell(name), "1.5", "after"]
    assert other == ([csv_cell(name)] if name else [""])
    assert csv_cell("-0.013") == "-0.013" and csv_cell("+∞") == "+∞" and csv_cell("-3.5%") == "-3.5%"
    bare = csv_cell(name).lstrip(' "\ufffd')
    assert not bare.startswith(("=", "+", "-", "@")) or re.fullmatch(r"[-+](\d[\d.,e+-]*%?|∞)", bare)


@examples
@given(NAMES)
def test_no_name_acts_on_a_terminal_or_is_markup(name):
    out = io.StringIO()
    with redirect_stdout(out):
        print_text(name)
        print_table("", ["first"], [[name], [name]], (), TableStyle("latex"))
    assert all(line.isprintable() for line in [*out.getvalue().split("\n"), markdown_cell(name)])
    assert not re.search(r"\\\\\n[\[*]", out.getvalue())  # which would belong to the end of the row before
    left = re.sub(r"\\.|@<!-- -->", "", markdown_cell(name).replace("\\#<!-- -->", ""))
    assert not set(left) & set("<>`*_[]@#|\\!") or set(name) <= set("0123456789+-.,%∞≤ []")
    words = r"\\(textbackslash|textasciitilde|textasciicircum|textbar)\{\}|\$\\(infty|le)\$|\$[<>]\$|\\[&%$#_{}]"
    assert not set(re.sub(words, "", latex_cell(name))) & set("\\&%$#_{}~^<>|")


def test_nothing_else_writes_a_cell():
    root = Path(exports.__file__).parents[1]
    writers = re.compile(r"csv\.(writer|DictWriter)|to_csv|to_latex|to_markdown|to_html|import escape\b|html\.escape")
    files = [file for file in root.rglob("*.py") if writers.search(file.read_text("utf-8"))]
    assert [file.name for file in files] == ["sanitizing.py"]


# A name that would break a line, a terminal and a page.
HOSTILE = '<script>alert("1")</script>\x1b[2J\n' + 9 * "long "
BAD_WORDS = WordList(HOSTILE + 300 * "x", TINY.answers, TINY.guesses)


def test_what_people_look_at_is_one_short_line():
    run = wordpl.sweep(["NGuess(1, 9.0)"], 4, words=BAD_WORDS)
    for thing in (
        *(wordpl.Setting(BAD_WORDS), BAD_WORDS, wordpl.Posterior(BAD_WORDS), run, *run),
        *(wordpl.limits.Policy(9.0, 1, {(): ("crate", 9.0)}, made_by=HOSTILE), wordpl.contest.Limits()),
        *(wordpl.wordle.Assistant(wordpl.Setting(BAD_WORDS)), wordpl.watch("NGuess(1, 9.0)", 0, words=BAD_WORDS)),
    ):
        line = repr(thing)
        assert len(line) <= LONGEST and line.isprintable() and type(thing).__name__ in line, line
        assert " object at 0x" not in line and "array(" not in line, line


def test_only_what_is_certain_or_cannot_be_is_0_or_100_percent():
    shown = {0: "0", 1e-6: "0.0001%", 0.1234: "12.3%", 0.9949: "99.5%", 0.9996: "99.96%", 0.9999: "99.99%"}
    shown |= {0.99991: "over 99.99%", 1 - 1e-11: "over 99.99%", 1 - 1e-13: "100%", 1: "100%"}
    assert {chance: percent(chance) for chance in shown} == shown
    assert [percent(chance, 2) for chance in (0.994, 0.996)] == ["99%", "99.6%"]
