"""Word lists: the bundled ones are the right ones, and a bad file is refused with its place."""

import hashlib
import json
import pickle
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import small_words
from tests.support.refusals import refusal
from wordpl.base.errors import WordplError
from wordpl.model.words import WordList, capitals, fold_word, load_words, words_from_text

NYT_GUESSES = "ba86911aea83d038d53c0999fe6cbe310c8f59d2b79626c73bd0cd0773adc320"

LISTS = [
    ("original", "answers", 2315, "f40e47975cf360ff9febe7d49c8e285054d8fa3fb9644cea575922060951d6ee"),
    ("original", "guesses", 12972, "feacc549249b5dcb43e2799fbbcda14ebc33d55904fb15d043779104e60c1579"),
    ("nyt2022", "answers", 2309, "c495f6cbc36475358a89e30ac16bd5c0c05073c8c7647bb6c35dd01f7bae6e32"),
    ("nyt2022", "guesses", 14855, NYT_GUESSES),
    ("nyt2023", "answers", 3158, "3e443482b78dee0f6f8de4f74dbb67537db781524279b1d40ca3353c592b03ce"),
    ("nyt2023", "guesses", 14855, NYT_GUESSES),
    ("fibble", "answers", 1428, "926c12bda77f5f7c41d80e2f8efa2a8159b76afc884f55bcc5c151c0da1abee0"),
]


def written(folder, content, name="answers.txt"):
    """The path of a new file of words, from text or bytes."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


@pytest.mark.parametrize(("name", "part", "count", "digest"), LISTS)
def test_bundled_lists_are_the_published_ones(name, part, count, digest):
    words = getattr(load_words(name), part)
    assert len(words) == count and list(words) == sorted(words) and set(words) <= set(load_words(name).guesses)
    assert hashlib.sha256("".join(f"{word}\n" for word in sorted(words)).encode()).hexdigest() == digest


BAD_FILES = {
    "mixed lengths": ("crate\nhaste\nslates\n", ["line 3", "'slates'", "6 letters", "5"]),
    "duplicate": ("crate\nhaste\ncrate\n", ["line 3", "'crate'", "duplicate of line 1"]),
    "duplicate after folding": ("crate\n\nCRATE\n", ["line 3", "'crate'", "duplicate of line 1"]),
    "space inside": ("crate\nas te\n", ["line 2", "'as te'", "not letters"]),
    "old Mac line ends": ("crate\rhaste\r", ["line 1", "not letters"]),
    "too short": ("at\n", ["line 1", "'at'", "2 letters", "3 to 8"]),
    "too long": ("crate\nabcdefghi\n", ["line 2", "'abcdefghi'", "9 letters", "3 to 8"]),
    "empty": ("", ["no words"]),
    "not UTF-8": (b"crate\nhaste\nna\xefve\n", ["line 3", "not UTF-8"]),
}


@pytest.mark.parametrize(("content", "said"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_file_is_refused_in_one_line_that_names_the_place(tmp_path, content, said):
    path = written(tmp_path, content)
    message = refusal(load_words, answers=path)
    assert [part for part in (str(path), *said) if part not in message] == []


def test_lists_and_files_that_are_not_there_or_do_not_go_together(tmp_path):
    assert "unknown word list 'NYT2022': did you mean 'nyt2022'" in refusal(load_words, "NYT2022")
    with pytest.raises(WordplError, match=r"cannot read word list .*none\.txt: No such file"):
        load_words(answers=tmp_path / "none.txt")
    answers, guesses = written(tmp_path, "crate\nhaste\n"), written(tmp_path, "crate\nslate\n", "guesses.txt")
    assert "answers.txt, line 2: answer 'haste' is not in " in refusal(load_words, answers=answers, guesses=guesses)
    assert "not both" in refusal(load_words, "original", answers=answers)
    assert "without an answers file" in refusal(load_words, guesses=guesses)
    said = refusal(words_from_text, "pasted", "crate\nhaste", "slink\nsolar")
    assert said == "answers, line 1: answer 'crate' is not in guesses; join both lists"


@pytest.mark.parametrize(
    "content",
    [
        "äöüß\nétés\n",
        "étés\r\näöüß\r\n",
        b"\xef\xbb\xbf" + "étés\näöüß\n".encode(),
        "\n\nétés\n \t\näöüß\n\n",
        "  ÉTÉS \nÄöÜß\t\n",
    ],
    ids=["plain", "CRLF", "BOM", "blank lines", "padding"],
)
def test_spellings_of_one_file_and_of_one_text(tmp_path, content):
    words = load_words(answers=str(written(tmp_path, content)))
    assert words.answers == words.guesses == ("äöüß", "étés")
    if isinstance(content, str):
        given = words_from_text("given", content, f"ähem\n{content}")
        assert (given.answers, given.guesses, given.name) == (words.answers, ("ähem", *words.answers), "given")
        assert given.answers_as_guesses.tolist() == [1, 2] and given.answer_index == {"äöüß": 0, "étés": 1}


def test_equality_is_of_words_and_not_of_names_and_lasts_in_a_pickle():
    words, some, more = load_words("nyt2022"), ("crate",), ("crate", "haste")
    assert pickle.loads(pickle.dumps(words)) is words  # noqa: S301
    namesake, plain = WordList("nyt2022", some, more), WordList("few", some, more)
    assert pickle.loads(pickle.dumps(namesake)) == namesake == plain != words  # noqa: S301
    assert len({plain, namesake, WordList("few", some, some), WordList("few", ("crate", "crate"), ("haste",))}) == 3


LETTER = st.sampled_from("aäéñzßẞıIİiſςσΣÅŁłЖжЁёカガñǅǆƏə") | st.characters(categories=["Ll", "Lu", "Lo", "Lt"])
CASES = json.loads(Path(__file__).with_name("folded_words.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["typed"] for case in CASES])
def test_words_are_folded_as_the_table_says(case):
    assert fold_word(case["typed"]) == case["word"]
    assert capitals(case["word"]) == "".join(
        letter if letter in "ßıǰ" or len(letter.upper()) > 1 else letter.upper() for letter in case["word"]
    )


@given(st.lists(LETTER, min_size=1, max_size=8).map("".join))
def test_folding_goes_letter_by_letter_and_keeps_their_number(text):
    composed = unicodedata.normalize("NFC", text)
    folded = fold_word(text)
    assert len(folded) == len(composed)
    assert folded == "".join(map(fold_word, composed))  # whatever stands before and after
    assert fold_word(folded) == folded == fold_word(capitals(folded)) and len(capitals(folded)) == len(folded)
    apart = unicodedata.normalize("NFD", text)
    assert fold_word(apart) == folded or re.search("[\u1100-\u11ff]", apart)  # Korean letters are not joined
    for letter in composed:
        if len(lower := letter.lower()) == 1:
            assert fold_word(lower) == fold_word(letter)


def test_lists_in_scripts_whose_capitals_are_special():
    assert words_from_text("greek", "ΛΟΓΟΣ\nΣΕΙΡΑ\nΤΟΠΟΣ\nΣΩΜΑΤ").answers == ("λογοσ", "σειρα", "σωματ", "τοποσ")
    assert words_from_text("turkish", "İZMİR\nİSLAM").length == 5
    assert words_from_text("korean", "\u1112\u1161\u11ab\u1100\u1173\n\u1109\u1161\u1105\u1161\u11bc").length == 5
    assert words_from_text("german", "STRAẞE\nschöße").answers == ("schöße", "straße")
    assert "line 2: 'λογοσ' is a duplicate of line 1" in refusal(words_from_text, "greek", "ΛΟΓΟΣ\nλογος")


def test_a_list_takes_one_more_answer():
    words = words_from_text("few", "crate\nhaste", "crate\nhaste\nslink")
    more = words.with_answer("slink")
    assert (more.answers, more.guesses) == (("crate", "haste", "slink"), words.guesses)
    assert words.with_answer("aback").guesses == ("aback", *words.guesses)
    assert more.name == words.name and more != words
    every = more.with_every_guess()
    assert (every.name, every.answers, every.guesses) == ("few-every-guess", words.guesses, words.guesses)


LETTERS = st.text("abcdef", max_size=3)


@given(small_words(), st.data(), LETTERS, LETTERS)
def test_answers_are_chosen_by_their_letters(words, data, has, absent):
    one = data.draw(st.sampled_from(words.answers))
    known = "".join(letter if data.draw(st.booleans()) else data.draw(st.sampled_from(".-_?")) for letter in one)
    has += data.draw(st.sampled_from(["", one[0], one]))
    counts, elsewhere = has, data.draw(st.sets(st.integers(1, len(one))))
    letters = [letter for letter in known if letter.isalpha()]

    def fits(word: str) -> bool:
        placed = all(a == b for a, b in zip(known, word, strict=True) if a.isalpha())
        there = not elsewhere or ("a" in word and not any(word[place - 1] == "a" for place in elsewhere))
        return placed and there and not Counter(counts) - Counter(word) and not set(word) & set(absent)

    if elsewhere:
        has = f"{has},a:{''.join(f'-{place}' for place in elsewhere)}"
    if set(absent) & {*letters, *filter(str.isalpha, has)}:
        assert "cannot be in the word and absent" in refusal(words.with_letters, known, has, absent)
        return
    expected = tuple(filter(fits, words.answers))
    if not expected:
        with pytest.raises(WordplError, match=r"no answer of small fits .*; check the letters"):
            words.with_letters(known, has, absent)
        return
    chosen = words.with_letters(known.upper(), f" {has} ", absent)
    assert (chosen.answers, chosen.guesses) == (expected, words.guesses)
    assert words.with_letters() == words


def test_letters_are_named_in_several_ways_or_refused():
    """A letter with a place is no further one, in any order."""
    words = load_words()
    expected = tuple(word for word in words.answers if "r" in word and word[3] != "r")
    for has in ("r:-4", "r,r:-4", "r:-4,r", "r:-4 r"):
        assert words.with_letters(has=has).answers == expected
    assert words.with_letters(absent="s, t,n").answers == words.with_letters(absent="stn").answers
    assert words.with_letters("..a.e", "r", "stn").name == "original (..a.e, with r, without stn)"
    assert words.with_letters("", "r").name == "original (with r)"
    assert words.with_letters("__A_E", "R", "STN").name == "original (..a.e, with r, without stn)"
    assert words.with_letters(has="st:-1").answers == tuple(
        word for word in words.answers if {"s", "t"} <= {*word} and word[0] not in "st"
    )
    for known, has, absent, said in (
        ("..a.", "", "", "'..a.' is not a pattern of 5 places"),
        ("..a..e", "", "", "'..a..e' is not a pattern of 5 places"),
        ("", "r:4", "", "has signs that are not letters"),
        ("", "r:-6", "", "'r:-6' has no place from 1 to 5"),
        ("", "r:-", "", "'r:-' has no place from 1 to 5"),
        ("", "", "5", "'5' has signs that are not letters"),
    ):
        assert said in refusal(words.with_letters, known, has, absent)
