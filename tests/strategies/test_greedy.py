"""Greedy asks what it believes; TwoGuess asks once."""

import pytest

from tests.support.helpers import ORIGINAL, SMALL, direct_bayes
from tests.support.refusals import refusal
from wordpl import Answer, Ask, Setting, Turn, parse_strategy

HISTORIES = [
    (),
    (Turn(SMALL.answers[3], 9.0, 100),),
    (Turn(SMALL.answers[3], 9.0, 3), Turn(SMALL.answers[7], 2.0, 81), Turn(SMALL.guesses[9], 20.0, 240)),
]


def most_probable(words, history):
    chances = direct_bayes(words, history)
    return max(words.answers, key=lambda word: round(chances[word], 12)), max(chances.values())


@pytest.mark.parametrize("history", HISTORIES, ids=len)
@pytest.mark.parametrize("certainty", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_asks_the_most_probable_until_certain(history, certainty):
    word, chance = most_probable(SMALL, history)
    move = parse_strategy(f"Greedy(epsilon=(7, 5), certainty={certainty})").decide(Setting(SMALL), history)
    if chance > certainty:
        assert move == Answer(word)
    else:
        assert move == Ask(word, [7.0, 5.0, 5.0, 5.0][len(history)])


def test_asks_no_more_than_so_often_and_first_what_it_is_told():
    setting = Setting(SMALL)
    weak = tuple(turn._replace(epsilon=0.01) for turn in HISTORIES[2])
    strategy = parse_strategy("Greedy(epsilon=0.01, n_guesses=3)")
    assert isinstance(strategy.decide(setting, weak[:2]), Ask)
    assert strategy.decide(setting, weak) == Answer(most_probable(SMALL, weak)[0])
    for spec, words, move in (
        ("Greedy(epsilon=5, first_guess='soare')", ORIGINAL, Ask("soare", 5.0)),
        (f"Greedy(5, certainty={1 / len(SMALL.answers)})", SMALL, Ask(SMALL.answers[0], 5.0)),
        ("TwoGuess(epsilon=17.9)", ORIGINAL, Ask("trace", 17.9)),
    ):
        assert parse_strategy(spec).decide(Setting(words), ()) == move
    assert parse_strategy("Greedy(9, certainty=1)").exported(setting).certainty == 1 - 1e-12
    for sure in ("Renyi(9)", "NGuess(2, 9)", "MaxClueEntropy(2, 9, None)"):  # all that doubles can tell from 1
        assert parse_strategy(sure).exported(setting).certainty == 1 - 2**-53
    assert "a word is expected" in refusal(parse_strategy, "TwoGuess(9, first_guess=None)")
    assert "write FollowTree(epsilon=inf)" in refusal(parse_strategy, "FollowTree(inf)")
    for code in (0, 17, 121, 242):
        history = (Turn(SMALL.guesses[5], 17.9, code),)
        assert parse_strategy(spec).decide(setting, history) == Answer(most_probable(SMALL, history)[0])
