"""MaxClueEntropy against entropies summed up clue by clue."""

import math

import pytest

from tests.helpers import ORIGINAL, SMALL, TINY, direct_bayes, likelihood
from wordpl import CRITERIA, RULES, Answer, Ask, Clue, Referee, Setting, Turn, clue, parse_strategy, score_guesses

HISTORY = (Turn(TINY.answers[2], 9.0, 100),)
EPSILON = 11.0


def clue_chances(words, history, guess, rule):
    """P(noisy clue, answer) for each noisy clue: a list for each."""
    belief = direct_bayes(words, history, rule)
    true = {answer: int(clue(guess, answer, rule)) for answer in words.answers}
    return [
        [belief[answer] * likelihood(noisy, true[answer], EPSILON) for answer in words.answers] for noisy in range(243)
    ]


def entropy(table):
    return -sum(sum(row) * math.log2(sum(row)) for row in table)


def expected_top(table):
    return sum(max(row) for row in table)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("history", [(), HISTORY], ids=len)
@pytest.mark.parametrize(("guesses", "candidates"), [("answers", TINY.answers), ("all", TINY.guesses)])
@pytest.mark.parametrize(("more", "value"), [("", entropy), (", final='expected_top'", expected_top)])
def test_asks_the_best_guess(rule, history, guesses, candidates, more, value):
    n = len(history) + 1
    spec = f"MaxClueEntropy({n}, {EPSILON}, monte_carlo=None, first_guess=None, guesses={guesses!r}{more})"
    move = parse_strategy(spec).decide(Setting(TINY, rule), history)
    values = {guess: value(clue_chances(TINY, history, guess, rule)) for guess in candidates}
    assert isinstance(move, Ask)
    assert values[move.guess] == pytest.approx(max(values.values()), rel=1e-9)


def test_final_is_for_the_last_clue_alone():
    spec = f"MaxClueEntropy(2, {EPSILON}, monte_carlo=None, first_guess=None, final='expected_top')"
    plain = f"MaxClueEntropy(2, {EPSILON}, monte_carlo=None, first_guess=None)"
    setting = Setting(SMALL)
    assert parse_strategy(spec).decide(setting, ()) == parse_strategy(plain).decide(setting, ())
    for criterion in CRITERIA:
        assert isinstance(parse_strategy(spec.replace("expected_top", criterion)).decide(setting, HISTORY), Ask)


def test_defaults_are_those_published():
    strategy = parse_strategy("MaxClueEntropy(3, 13)")
    assert (strategy.monte_carlo, strategy.first_guess, strategy.guesses) == (200, "crate", "answers")
    assert (strategy.jitter, strategy.shared_draws, strategy.final) == (None, False, None)


def games(spec, trials, words=ORIGINAL):
    strategy = parse_strategy(spec)
    setting = Setting(words, noiseless=strategy.noiseless)
    referee, maker = Referee(setting, 2), strategy.players(setting)
    return [referee.play(trial, maker(referee.seeds.player(trial, spec))) for trial in range(trials)]


@pytest.mark.parametrize("more", ["", ", monte_carlo=None", ", shared_draws=True"])
def test_opens_with_crate_asks_answers_and_proposes_the_most_probable(more):
    for game in games(f"MaxClueEntropy(3, (14.5, 12.0, 9.5){more})", 4):
        assert [turn.epsilon for turn in game.history] == [14.5, 12.0, 9.5]
        assert game.history[0].guess == "crate"
        assert all(turn.guess in ORIGINAL.answers for turn in game.history)
        chances = direct_bayes(ORIGINAL, game.history)
        assert chances[game.proposed] == pytest.approx(max(chances.values()), rel=1e-9)


def test_jitter_scales_the_epsilons_of_a_game_by_one_factor():
    factors = []
    for game in games("MaxClueEntropy(3, (10, 20, 40), monte_carlo=None, jitter=0.1)", 60, SMALL):
        ratios = [turn.epsilon / plan for turn, plan in zip(game.history, (10, 20, 40), strict=True)]
        assert ratios == pytest.approx([ratios[0]] * 3)
        factors.append(ratios[0])
    assert 0.9 <= min(factors) < 0.92
    assert 1.08 < max(factors) <= 1.1


def test_draws_make_choices_noisy_and_more_draws_less_so():
    """Regret in exact entropy of the second guess."""
    setting, history = Setting(SMALL), (Turn(SMALL.answers[3], 9.0, 100),)
    exact = parse_strategy("MaxClueEntropy(3, 9, monte_carlo=None)")
    scores = score_guesses(setting.belief(history), 9.0)
    best = scores[SMALL.guess_index[exact.decide(setting, history).guess]]
    regrets = []
    for draws in (5, 2000):
        maker = parse_strategy(f"MaxClueEntropy(3, 9, monte_carlo={draws})").players(setting)
        chosen = []
        for seed in range(40):
            player = maker(seed)
            player.first_move()
            move = player.next_move(*history[0][:2], str(Clue(100)))
            chosen.append(best - scores[SMALL.guess_index[move.guess]])
        assert min(chosen) >= -1e-9
        regrets.append(sum(chosen) / 40)
    assert regrets[0] > 2 * regrets[1]


def test_without_noise_it_stops_when_one_is_left():
    for game in games("MaxClueEntropy(20, inf, monte_carlo=None)", 30, SMALL):
        assert game.won
        assert len(game.history) < 6


def test_a_certain_answer_is_not_proposed_early_with_noise():
    """As published: all rounds are asked, however sure it is."""
    assert {len(game.history) for game in games("MaxClueEntropy(4, 200, monte_carlo=None)", 20, SMALL)} == {4}
    setting = Setting(SMALL)
    sure = tuple(Turn(word, 200.0, 0) for word in SMALL.answers[:4])
    assert isinstance(parse_strategy("MaxClueEntropy(4, 200, monte_carlo=None)").decide(setting, sure), Answer)
