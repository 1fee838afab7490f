"""Greedy asks what it believes; TwoGuess asks once."""

import pytest

from tests.support.helpers import ORIGINAL, SMALL, direct_bayes
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
    move = parse_strategy(f"Greedy(epsilon=(7, 5, 3), certainty={certainty})").decide(Setting(SMALL), history)
    if chance > certainty:
        assert move == Answer(word)
    else:
        assert move == Ask(word, [7.0, 5.0, 3.0, 3.0][len(history)])


def test_proposes_after_so_many_asks():
    strategy = parse_strategy("Greedy(epsilon=0.01, n_guesses=3)")
    setting = Setting(SMALL)
    assert isinstance(strategy.decide(setting, HISTORIES[2][:2]), Ask)
    weak = tuple(turn._replace(epsilon=0.01) for turn in HISTORIES[2])
    assert strategy.decide(setting, weak) == Answer(most_probable(SMALL, weak)[0])


def test_first_guess():
    strategy = parse_strategy("Greedy(epsilon=5, first_guess='soare')")
    assert strategy.decide(Setting(ORIGINAL), ()) == Ask("soare", 5.0)
    assert parse_strategy("Greedy(5)").decide(Setting(SMALL), ()) == Ask(SMALL.answers[0], 5.0)


def test_two_guess_asks_once_and_proposes_the_most_probable():
    strategy = parse_strategy("TwoGuess(epsilon=17.9)")
    assert strategy.decide(Setting(ORIGINAL), ()) == Ask("trace", 17.9)
    for code in (0, 17, 121, 242):
        history = (Turn(SMALL.guesses[5], 17.9, code),)
        proposed = strategy.decide(Setting(SMALL), history)
        chances = direct_bayes(SMALL, history)
        assert isinstance(proposed, Answer)
        assert chances[proposed.word] == pytest.approx(max(chances.values()), rel=1e-9)
