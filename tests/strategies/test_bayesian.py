"""The contest's own strategies, Greedy and TwoGuess: what they ask, and when they stop."""

from collections import Counter

import numpy as np
import pytest
import scipy

from tests.support.helpers import ORIGINAL, SMALL, direct_bayes, games, list_of
from tests.support.refusals import refusal
from wordpl import Answer, Ask, Setting, Turn, WordList, make_task, parse_strategy, strategies

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
    two = WordList("two", ("aaaaa", "bbbbb"), ("aaaaa", "bbbbb"))  # it asks on once every answer was asked
    for game in games("BayesianGreedy(0.5, 0.9)", range(5), two):
        assert game.verdict in ("WIN", "LOSS") and {turn.guess for turn in game.history[:2]} == {*two.answers}
        assert len(game.history) > 2


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


ONE = (Turn(SMALL.answers[3], 9.0, 100),)
THREE = (ONE[0]._replace(clue=3), Turn(SMALL.answers[7], 2.0, 81), Turn(SMALL.guesses[9], 20.0, 240))


def most_probable(words, history):
    chances = direct_bayes(words, history)
    return max(words.answers, key=lambda word: round(chances[word], 12)), max(chances.values())


@pytest.mark.parametrize("history", [(), ONE, THREE], ids=len)
@pytest.mark.parametrize("certainty", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_asks_the_most_probable_until_certain(history, certainty):
    word, chance = most_probable(SMALL, history)
    move = parse_strategy(f"Greedy(epsilon=(7, 5), certainty={certainty})").decide(Setting(SMALL), history)
    assert move == (Answer(word) if chance > certainty else Ask(word, 5.0 if history else 7.0))


def test_asks_no_more_than_so_often_and_first_what_it_is_told():
    setting = Setting(SMALL)
    weak = tuple(turn._replace(epsilon=0.01) for turn in THREE)
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
