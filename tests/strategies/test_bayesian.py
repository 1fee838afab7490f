"""The contest's three own strategies: what they ask, and when they stop."""

from collections import Counter

import numpy as np
import pytest
import scipy

from tests.support.helpers import ORIGINAL, SMALL, direct_bayes, games, list_of
from tests.support.refusals import refusal
from wordpl import Answer, Ask, Setting, WordList, make_task, parse_strategy, strategies

NAMES = sorted(name for name, kind in strategies().items() if kind.__module__ == "wordpl.library.bayesian")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("certainty", [0.3, 0.9])
def test_stops_at_the_first_clue_that_makes_it_certain(name, certainty):
    for game in games(f"{name}(epsilon=12, certainty={certainty})", range(15)):
        after = [max(direct_bayes(SMALL, game.history[: n + 1]).values()) for n in range(len(game.history))]
        assert all(chance <= certainty for chance in after[:-1])
        assert after[-1] > certainty
        last = direct_bayes(SMALL, game.history)
        assert last[game.proposed] == pytest.approx(max(last.values()), rel=1e-9)


@pytest.mark.parametrize(
    ("name", "jitter"), [("BayesianRandom", 0.0), ("BayesianGreedy", 0.1), ("BayesianWordle", 0.1)]
)
def test_jitter_as_published(name, jitter):
    ratios = [turn.epsilon / 8.0 for game in games(f"{name}(8, 0.9)", range(60)) for turn in game.history]
    if not jitter:
        assert set(ratios) == {1.0}
        return
    assert scipy.stats.kstest(ratios, "uniform", args=(1 - jitter, 2 * jitter)).pvalue > 1e-3
    assert "varies its epsilons" in refusal(make_task, f"{name}(8, 0.9)", channel="randomized_response:8")


@pytest.mark.parametrize("spec", [*(f"{name}(8, 1)" for name in NAMES), "Greedy(8, certainty=1)"])
@pytest.mark.parametrize(("epsilon", "move"), [(27.5, Ask), (27.8, Answer)])
def test_all_but_1e_12_is_certain(spec, epsilon, move):
    """The odds of two words of other letters are exp(epsilon) after a clue that fits one of them."""
    setting = Setting(WordList("two", ("aaaaa", "bbbbb"), ("aaaaa", "bbbbb")))
    player = parse_strategy(spec).players(setting)(1)
    player.first_move()
    assert isinstance(player.next_move("aaaaa", epsilon, "ccccc"), move)


def test_random_asks_any_word_evenly():
    asked = Counter(turn.guess for game in games("BayesianRandom(2, 0.9)", range(40)) for turn in game.history)
    counts = np.array([asked[word] for word in SMALL.guesses])
    assert counts.sum() > 1000
    assert scipy.stats.chisquare(counts).pvalue > 1e-3


def test_greedy_draws_from_the_posterior_and_no_word_twice():
    first = Counter(game.history[0].guess for game in games("BayesianGreedy(8, 0.9)", range(500)))
    counts = [first[word] for word in SMALL.answers]
    assert sum(counts) == 500  # answers only
    assert scipy.stats.chisquare(counts).pvalue > 1e-3
    for game in games("BayesianGreedy(8, 0.95)", range(60)):
        words = [turn.guess for turn in game.history][: len(SMALL.answers)]
        assert len(set(words)) == len(words)


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
