"""The host that changes its answer: consistent, greedy, and no worse than the worst case."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import RULE, small_words, words_of
from tests.support.helpers import SMALL, list_of
from tests.support.refusals import refusal
from wordpl import Clue, clue
from wordpl.wordle import Adversary


@given(small_words(), RULE, st.data())
def test_each_clue_is_that_of_the_largest_part(words, rule, data):
    host, left = Adversary(words, rule), list(words.answers)
    for guess in data.draw(st.lists(words_of(words.length) | st.sampled_from(words.guesses), max_size=6)):
        sizes = Counter(clue(guess, word, rule).code for word in left)
        given = host.clue(guess).code
        largest = [str(Clue(code, words.length)) for code in sizes if sizes[code] == max(sizes.values())]
        fewest = min((text.count("c"), text.count("i"), Clue.parse(text).code) for text in largest)
        assert given == fewest[-1]
        if given == words.n_clues - 1:
            assert left == [guess]  # it wins only when forced
        left = [word for word in left if clue(guess, word, rule).code == given]
        assert host.left == tuple(left)
        assert left


def test_ties_go_as_in_absurdle():
    host = Adversary("original")
    asked = "sonar", "plied", "beech", "fugue"
    assert [str(host.clue(guess)) for guess in ("SONAR", *asked[1:])][2:] == [".i...", "ccccc"]
    assert [turn.guess for turn in host.history] == [*asked] and host.is_answer("fugue")
    assert not Adversary("original").is_answer("fugue"), "others are left"
    assert Adversary(list_of("two", ("xax", "cxb"))).clue("abc").show() == "i..", "fewer marks"
    one_mark_each = list_of("three", ("axx", "xbx", "xxc"))
    assert Adversary(one_mark_each).clue("abc").show() == "..c", "the smallest code"


def test_what_is_refused():
    assert "letters" in refusal(Adversary(SMALL).clue, "cat")
    assert "'counted'" in refusal(Adversary, SMALL, "count")
