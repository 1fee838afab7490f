"""The contest's three own strategies beyond the games of `tests/golden`."""

from collections import Counter

import pytest

from tests.support.helpers import ORIGINAL, games, list_of
from tests.support.refusals import refusal
from wordpl import Answer, Ask, Setting, WordList, make_task, parse_strategy, strategies

NAMES = sorted(name for name, kind in strategies().items() if kind.__module__ == "wordpl.library.bayesian")


@pytest.mark.parametrize("spec", [*(f"{name}(8, 1)" for name in NAMES), "Greedy(8, certainty=1)"])
@pytest.mark.parametrize(("epsilon", "move"), [(27.5, Ask), (27.8, Answer)])
def test_all_but_1e_12_is_certain(spec, epsilon, move):
    """The odds of two words of other letters are exp(epsilon) after a clue that fits one of them."""
    setting = Setting(WordList("two", ("aaaaa", "bbbbb"), ("aaaaa", "bbbbb")))
    player = parse_strategy(spec).players(setting)(1)
    player.first_move()
    assert isinstance(player.next_move("aaaaa", epsilon, "ccccc"), move)


@pytest.mark.parametrize(
    "spec", ["BayesianGreedy(8, 0.9)", "BayesianWordle(8, 0.9)", "MaxClueEntropy(2, 8, jitter=0.1)"]
)
def test_jitter_is_not_for_clues_of_one_epsilon(spec):
    assert "varies its epsilons" in refusal(make_task, spec, channel="randomized_response:8")


def letter_score(word, answers):
    """For each different letter, in how many answers it stands at its commonest place in the word."""
    places = Counter((k, letter) for answer in answers for k, letter in enumerate(answer))
    best = Counter()
    for k, letter in enumerate(word):
        best[letter] = max(best[letter], places[k, letter])
    return sum(best.values())


@pytest.mark.parametrize(("answers", "splits"), [(2, False), (3, True), (49, True), (50, False)])
def test_wordle_asks_for_untried_letters_with_3_to_49_answers_left(answers, splits):
    words = list_of("left", ORIGINAL.answers[121 : 121 + 7 * answers : 7], ORIGINAL.guesses[::50])
    held = Counter(letter for answer in words.answers for letter in set(answer))
    untried = {word: sum(held[letter] for letter in set(word)) for word in words.guesses}
    common = {word: letter_score(word, words.answers) for word in words.answers}
    asked = games("BayesianWordle(200, 0.9)", range(1), words)[0].history[0].guess
    assert (untried[asked] == max(untried.values())) == splits
    assert splits or common[asked] == max(common.values())


def test_greedy_asks_on_once_every_answer_was_asked():
    words = WordList("two", ("aaaaa", "bbbbb"), ("aaaaa", "bbbbb"))
    for game in games("BayesianGreedy(0.5, 0.9)", range(5), words):
        assert game.verdict in ("WIN", "LOSS") and {turn.guess for turn in game.history[:2]} == {*words.answers}
        assert len(game.history) > 2
