"""Where the values of a TOML file stand: what is found there is, read by itself, the value."""

from __future__ import annotations

import datetime
import json
import math
import re
import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wordpl.errors import WordplError
from wordpl.storage.toml import KeyPath, parse_toml, read_toml

ALL_AT_ONCE = '''
# a comment with = and [brackets]
title = "a # no comment = no key" # a comment
'quoted = key' = 1
"tab\\tkey" . inner = [1, [2, 3], # in an array = comment ]
  {a = 1, b.c = "}]"},
]
site."example.com" = 1979-05-27 07:32:00Z
text = """two lines = [
"quoted" and ""two"" \\""" at the end"""""
path = \'\'\'C:\\no 'escapes' \'\'inside\'\'\'\'\'
number = 1_000.5e-3   # after a number
empty = {}
none = []

[game]
words = ["original", {answers = "a.txt"}]
[ game . "stop=" ]
width = inf
[[strategy]]
spec = "Greedy()"
[strategy.more]
depth = 1
[[ strategy ]]
spec = 'NGuess(n_guesses=3)' # it's
  [[strategy.part]]
  x = -nan
  [[strategy.part]]
  x = 0x_f
  [strategy.part.deep]
  y = [ [ ], [[]] ]
'''.replace("0x_f", "0xf")


def flat(value: Any, path: KeyPath = ()) -> dict[KeyPath, Any]:
    """Every value of a document by its path, those inside others as well."""
    found = {path: value}
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inside:
        found |= flat(child, (*path, key))
    return found


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and math.isnan(one):
        return isinstance(other, float) and math.isnan(other)
    return type(one) is type(other) and repr(one) == repr(other)


def check(text: str) -> None:
    found = parse_toml(text, "f.toml")
    expected = flat(found.values)
    del expected[()]
    assert set(found.keys) | set(found.spans) == set(expected)
    for path, span in found.spans.items():
        assert same(tomllib.loads(f"x = {found.text[slice(*span)]}")["x"], expected[path]), path
    for path, span in found.keys.items():
        key = found.text[slice(*span)]
        named = next(part for part in reversed(path) if isinstance(part, str))
        assert tomllib.loads(f"{key} = 0") == {named: 0}
    for path, value in expected.items():
        if path not in found.spans:  # a table with a header, an array of such tables, or one that dots make
            assert isinstance(value, (dict, list)), path


def test_everything_at_once() -> None:
    check(ALL_AT_ONCE)
    check(ALL_AT_ONCE.replace("\n", "\r\n"))


KEYS = st.text("abc-_1", min_size=1, max_size=3) | st.text(max_size=4)
SCALARS = (
    st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.booleans()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | st.sampled_from(["#", "=", "]", "}", '"', "'", '""', "\\", "a\nb", "[x]", datetime.date(2026, 11, 22)])
)


def key_of(draw: Any, key: str) -> str:
    bare = key.isascii() and key and all(letter.isalnum() or letter in "-_" for letter in key)
    if bare and draw(st.booleans()):
        return key
    plain = key.isprintable() and "'" not in key
    return f"'{key}'" if plain and draw(st.booleans()) else quoted(key)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@st.composite
def texts(draw: Any) -> str:
    """A document: values in tables of all kinds, with space and comments wherever they may be."""
    some = lambda *choices: draw(st.sampled_from(choices))  # noqa: E731

    def value(depth: int) -> str:
        kind = some("scalar", "array", "table") if depth else "scalar"
        gap = some("", " ", "\n", " # ] , } = \n", "\n\n\t")
        if kind == "array":
            items = [value(depth - 1) for _ in range(draw(st.integers(0, 3)))]
            return f"[{gap}{f'{gap},{gap}'.join(items)}{some('', ',') if items else ''}{gap}]"
        if kind == "table":
            pairs = [f"{name}{some('', ' ')}={some('', ' ')}{value(depth - 1)}" for name in names()]
            return f"{{{some('', ' ')}{', '.join(pairs)} }}"
        return scalar(draw(SCALARS))

    def scalar(one: Any) -> str:
        if isinstance(one, bool):
            return str(one).lower()
        if isinstance(one, str):
            plain = all(letter.isprintable() or letter in "\n\t" for letter in one)
            forms = [quoted(one), f'"""\n{quoted(one)[1:-1]}"""']
            if plain and "'''" not in one and not one.endswith("'"):
                forms.append(f"'''\n{one}'''")
            if plain and not {"'", "\n"} & set(one):
                forms.append(f"'{one}'")
            return str(some(*forms))
        return repr(one) if not isinstance(one, datetime.date) else one.isoformat()

    def names() -> list[str]:
        return [key_of(draw, key) for key in draw(st.lists(KEYS, max_size=3, unique=True))]

    def pairs() -> str:
        end = some("", " # = [ \" '", "\t")
        dotted = some("", ".x", " . 'y.y'")
        return "".join(f"{some('', '  ')}{name}{dotted} = {value(2)}{end}\n{some('', '# [no] table', chr(10))}\n"
                       for name in names())  # fmt: skip

    parts = [pairs()]
    for name in draw(st.lists(st.text("tuv", min_size=4, max_size=5), max_size=3, unique=True)):
        if some(True, False):
            parts.append(f"[ {name}{some('', '.sub', '. q')} ] # table\n{pairs()}")
        else:
            for _ in range(draw(st.integers(1, 3))):
                parts.append(f"[[{name}]]\n{pairs()}")
                if some(True, False):
                    parts.append(f"[{name}.under1.under2]\n{pairs()}")
    return "".join(parts)


@given(texts())
@example("")
@example("a = 1")
def test_any_document(text: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise AssertionError(f"{text!r} is no TOML: {error}") from None
    check(text)


@pytest.mark.parametrize(
    ("path", "of_key", "number", "expected"),
    [
        (("title",), False, 3, '"a # no'),
        (("tab\tkey", "inner", 1, 1), False, 5, "3], # in"),
        (("tab\tkey", "inner", 2, "b", "c"), False, 6, '"}]"},'),
        (("tab\tkey", "inner", 2, "b", "c"), True, 6, "c = "),
        (("game", "words", 1, "answers"), True, 17, 'answers = "a.txt"}]'),
        (("game", "stop="), True, 18, '"stop=" ]'),
        (("strategy", 1, "spec"), False, 25, "'NGuess("),
        (("strategy", 1, "part", 1, "x"), False, 29, "0xf"),
        (("strategy", 1, "missing"), False, 24, "strategy ]]"),
        (("strategy", 0), True, 20, "strategy]]"),
    ],
)
def test_places(path: KeyPath, of_key: bool, number: int, expected: str) -> None:
    found = parse_toml(ALL_AT_ONCE, "f.toml")
    line, column = map(int, re.findall(r"\d+", found.where(path, of_key=of_key)))
    assert line == number
    assert ALL_AT_ONCE.split("\n")[line - 1][column - 1 :].startswith(expected)
    assert found.where(("nowhere",)) == "f.toml"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb 2\n", "line 2, column 3: not TOML: "),
        ("a = 1\na = 2\n", "line 2, column 6: not TOML: "),
        ("a = [1,\n", "line 2, column 1: not TOML: "),
        ('a = "x', "line 1, column 7: not TOML: "),
        ("[t]\n[t]\n", "line 2, column 3: not TOML: "),
        ("a = " + 5000 * "9", "not TOML that can be read"),
        ("a = " + 5000 * "[" + 5000 * "]", "nested too deeply"),
        ("a = " + 400 * "[" + 400 * "]", None),
        ("x" + 19 * ".x" + " = 1", None),
        ("x" + 20 * ".x" + " = 1", "nested too deeply"),
    ],
    ids=range(10),
)
def test_what_is_no_toml_is_told_in_a_line(text: str, said: str | None) -> None:
    if said is None:
        parse_toml(text, "f.toml")
        return
    with pytest.raises(WordplError) as refused:
        parse_toml(text, "f.toml")
    assert str(refused.value).startswith("f.toml")
    assert said in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@given(st.text(max_size=30) | st.text("[]{}=\"'.#\\\n ,ab1", max_size=30))
def test_any_text_is_toml_or_an_error_in_a_line(text: str) -> None:
    try:
        tomllib.loads(text)
    except ValueError:
        with pytest.raises(WordplError, match=r"^f.toml, line \d+, column \d+: not TOML: [^\n]+$"):
            parse_toml(text, "f.toml")
    else:
        check(text)


def test_files(tmp_path: Any) -> None:
    path = tmp_path / "f.toml"
    path.write_bytes("\ufeffa = 'é'\r\n".encode())
    assert read_toml(path, "study").values == {"a": "é"}
    path.write_bytes(b"a = 1\nb = '\xff'\n")
    with pytest.raises(WordplError, match="line 2: not UTF-8"):
        read_toml(path, "study")
    for bad in (tmp_path, tmp_path / "none.toml", "/dev/zero", "/dev/stdin"):
        with pytest.raises(WordplError, match="cannot read study"):
            read_toml(bad, "study")
    path.write_bytes(b"#" * (1 << 20) + b"\n")
    with pytest.raises(WordplError, match="larger than 1 MiB"):
        read_toml(path, "study")
