"""MaxClueEntropy and Renyi ask the best guess by the oracle's score; what they draw, and what they are not for."""

import math
from functools import partial

import pytest

import wordpl
from tests.support.helpers import ORIGINAL, SIX, SMALL, TINY, direct_bayes, games
from tests.support.oracles import clue_entropy, expected_top, joint_table, randomized_response, renyi
from tests.support.refusals import refusal
from wordpl import RULES, Answer, Ask, Setting, Turn, evaluate, make_task, parse_strategy
from wordpl.library.renyi import Renyi
from wordpl.limits import compute_win_rate

ORDERS = 0.1, 1.0, 20.0, math.inf
MOST = "MaxClueEntropy({n}, 11, None, None, %r, final=%r)"
KINDS = [
    (MOST % ("answers", None), TINY.answers, clue_entropy),
    (MOST % ("all", None), TINY.guesses, clue_entropy),
    (MOST % ("answers", "expected_top"), TINY.answers, expected_top),
    (MOST % ("all", "expected_top"), TINY.guesses, expected_top),
    *((f"Renyi((11, 11), ({{}}{order}{{}}), None)", TINY.guesses, partial(renyi, order=order)) for order in ORDERS),
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("asked", [0, 1])
@pytest.mark.parametrize(("spec", "candidates", "value"), KINDS)
def test_asks_the_best_guess(rule, asked, spec, candidates, value):
    """By the oracle's score: of MaxClueEntropy the entropy, of Renyi that of the order of the clue."""
    strategy = parse_strategy(spec.format(*(("", ", 1"), ("1, ", ""))[asked], n=asked + 1))
    history = (Turn(TINY.answers[2], 9.0, 100),)[:asked]
    move = strategy.decide(Setting(TINY, rule), history)
    belief, noise = list(direct_bayes(TINY, history, rule).values()), randomized_response(11.0, 5)
    values = {guess: value(joint_table(TINY.answers, rule, belief, guess, noise)) for guess in candidates}
    assert isinstance(move, Ask) and move.epsilon == 11.0
    assert values[move.guess] == pytest.approx(max(values.values()), rel=1e-9)


@pytest.mark.parametrize(("channel", "refused"), [("randomized_response:12", 1), ("fibble", 1), ("fibble:0", 0)])
def test_is_not_for_wordle_with_noise(channel, refused):
    spec, terms = f"MaxClueEntropy(2, {wordpl.row_epsilon(channel)})", {"channel": channel, "format": "wordle:6"}
    assert ("only without noise" in refusal(make_task, spec, **terms)) if refused else evaluate(spec, 2, **terms).wins


@pytest.mark.parametrize(
    "spec", ["MaxClueEntropy(6, {}, None, None, guesses='all')", "NGuess(6, {})", "Renyi(({0}, {0}, {0}, {0}))"]
)
def test_a_high_epsilon_plays_as_none(spec):
    """A game stops asking as soon as a probability is 1 in double precision, and the exact win rate knows it."""
    exact, *others = [evaluate(spec.format(epsilon), 40, words=SMALL).turns for epsilon in ("inf", 5000, 300)]
    assert len(exact) > 1 and others == [exact, exact]
    noisy = [compute_win_rate(spec.format(epsilon), Setting(SMALL)) for epsilon in (5000, 300)]
    without = compute_win_rate(spec.format("inf"), Setting(SMALL, noiseless=True))
    assert {(one.win_rate, one.exact, one.histories) for one in noisy} == {(without.win_rate, True, without.histories)}
    sure = (Turn(SMALL.answers[0], 36.0 * 5, 242),)  # the nearest has two marks that differ
    less = (Turn(SMALL.answers[0], 15.0 * 5, 242),)
    strategy, setting = parse_strategy(spec.format(9)), Setting(SMALL)
    assert (setting.belief(sure).top[1], strategy.decide(setting, sure)) == (1.0, Answer(SMALL.answers[0]))
    assert setting.belief(less).top[1] <= strategy.exported(setting).certainty < 1.0
    assert setting.belief(less).top[1] < 1.0 and isinstance(strategy.decide(setting, less), Ask)


def test_jitter_scales_the_epsilons_of_a_game_by_one_factor():
    factors = []
    for game in games("MaxClueEntropy(3, (10, 20, 40), monte_carlo=None, jitter=0.1)", range(60), seed=2):
        ratios = [turn.epsilon / plan for turn, plan in zip(game.history, (10, 20, 40), strict=True)]
        assert ratios == pytest.approx([ratios[0]] * 3)
        factors.append(ratios[0])
    assert 0.9 <= min(factors) < 0.92
    assert 1.08 < max(factors) <= 1.1
    spec = "MaxClueEntropy(2, 8, jitter=0.1)"
    assert "varies its epsilons" in refusal(make_task, spec, channel="randomized_response:8")
    for more in ("", ", monte_carlo=None, jitter=0.1", ", shared_draws=True"):
        assert "draws at random" in refusal(parse_strategy(f"MaxClueEntropy(2, 9{more})").exported, Setting(SMALL))


def test_by_default_the_last_clue_is_for_the_proposal_and_no_other():
    spec, plain = (f"MaxClueEntropy(2, 11, None, None{more})" for more in (", final='expected_top'", ""))
    assert parse_strategy(spec).decide(Setting(SMALL), ()) == parse_strategy(plain).decide(Setting(SMALL), ())
    setting, history = Setting(ORIGINAL), (Turn(ORIGINAL.answers[3], 9.3, 17),)
    belief = setting.belief(history)
    gain, top = (wordpl.best_guess(belief, 5.3, criterion) for criterion in ("information_gain", "expected_top"))
    assert gain != top
    for epsilons, guess in (((9.3, 5.3), top), ((9.3, 5.3, 4.0), gain)):
        assert Renyi(epsilons).decide(setting, history) == Ask(guess, 5.3)


def test_first_guess():
    assert Renyi(5.0) == Renyi((5.0,))
    assert Renyi(5.0).decide(Setting(ORIGINAL), ()) == Ask("trace", 5.0)
    assert Renyi(5.0, first_guess="salet").decide(Setting(ORIGINAL), ()) == Ask("salet", 5.0)
    assert Renyi(5.0).decide(Setting(SIX), ()) == Renyi(5.0, first_guess=None).decide(Setting(SIX), ())
    chosen = Renyi(9.3, first_guess=None).decide(Setting(ORIGINAL), ())
    assert chosen == Ask("trace", 9.3)  # the best opener for one clue at 9.3, as published
