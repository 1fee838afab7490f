"""Conditions on tasks: what they select, by another way of finding it, and what is said of those that are none."""

import fnmatch
import operator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.refusals import refusal
from tests.support.selections import ROW, ROWS
from wordpl.simulation.selection import matches, parse_where, select, why_nothing

BIG = 3**90


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("", "ab12 cd34 ef56"),
        ((), "ab12 cd34 ef56"),
        ("family=NGuess", "ab12"),
        ("family=*guess*", "ab12"),
        ("family=NGuess(* and rule=letterwise", "ab12"),
        ("strategy=NGuess(n_guesses=2, epsilon=4.0) AND epsilon<5", "ab12"),
        ("family=NGuess|Greedy", "ab12 cd34"),
        ("family!=NGuess|Greedy", "ef56"),
        ("family=Gu", ""),
        ("epsilon=4", "ab12"),
        ("epsilon=0.1|4.0000000000001", "ab12"),
        ("epsilon=4.0000001", ""),
        ("epsilon!=4.0000001", "ab12 cd34 ef56"),
        ("epsilon>=4", "ab12 cd34"),
        ("epsilon=inf", "cd34"),
        ("epsilon=none", "ef56"),
        ("epsilon!=none", "ab12 cd34"),
        (f"seed={BIG}", "ef56"),
        ("noiseless=true", "cd34"),
        ("task=ab*", "ab12"),
        ("code=C0DE and engine = 2 and WORDS=orig*", "ab12 cd34 ef56"),
        (["epsilon>=4", "noiseless=false"], "ab12"),
        ("words=", ""),
    ],
)
def test_selects(where, ids):
    assert " ".join(row.id for row in select(ROWS, where)) == ids  # type: ignore[arg-type]


MISTAKES = [
    ("famly=Greedy", "unknown property 'famly' in 'famly=Greedy': did you mean 'family'?"),
    ("Greedy", "condition 'Greedy' is not PROPERTY=VALUE"),
    ("rule=letterwise and ", "condition '' is not PROPERTY=VALUE"),
    ("epsilon>=five", "condition 'epsilon>=five': 'five' is not a number"),
    ("epsilon=nan", "'nan' is not a number"),
    ("rule<letterwise", "rule is a text, so use = or !=; only epsilon, seed, engine and trials are numbers"),
    ("x" * 4001, "more than 4,000 letters"),
    (["a=b", 5], "where must be a text"),
]


@pytest.mark.parametrize(("where", "said"), MISTAKES, ids=lambda value: str(value)[:20])
def test_what_is_no_condition_is_an_error_of_one_line(where, said):
    assert said in refusal(parse_where, where)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("family=Gredy", "no task has family=Gredy; did you mean 'Greedy'? family is Fifth(), Greedy(), NGuess(n_g"),
        ("epsilon>=5 and epsilon<inf", "no task has all of epsilon>=5 and epsilon<inf"),
        ("trials>5000", "no task has trials>5000; trials is 40, 1001"),
        ("epsilon=7", "no task has epsilon=7; epsilon is 4.0, inf, none"),
        ("epsilon=4", ""),
        ("", ""),
    ],
)
def test_where_nothing_is_left_it_says_what_there_is(where, said):
    assert why_nothing(ROWS, where).startswith(said) and bool(said) == bool(why_nothing(ROWS, where))


LETTERS = st.text(alphabet="ab*?[]().|-é", max_size=8)


@given(LETTERS, LETTERS)
def test_patterns_match_as_the_shell_has_them_without_sets_of_letters(text, pattern):
    plain = pattern.translate(str.maketrans("[]", "<>"))
    assert matches(text, pattern) == fnmatch.fnmatchcase(text.translate(str.maketrans("[]", "<>")), plain)
    assert not matches("a" * 3000, "*a" * 30 + "*b")  # in no exponential time


ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "!=": operator.ne}


@given(st.lists(st.integers(0, 40), max_size=8), st.sampled_from(sorted(ORDERS)), st.integers(0, 40))
def test_numbers_compare_as_numbers_do(epsilons, comparison, limit):
    rows = [replace(ROW, epsilon=epsilon / 4) for epsilon in epsilons]
    chosen = [row.epsilon for row in select(rows, f"epsilon{comparison}{limit / 4}")]
    assert chosen == [e / 4 for e in epsilons if ORDERS[comparison](e, limit)]
