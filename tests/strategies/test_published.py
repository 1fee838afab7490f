"""G3 and D95: the moves of the contest's own files, and their win rates.

`tests/golden/published_games.json` has 200 games of each, played by the files g3.py and d95.py of the contest's
repository (2025-05-20) as trials 0 to 199 under seed 1: guesses with their noisy clues, then the word proposed.
"""

import json
from pathlib import Path

import pytest

from tests.support.helpers import ORIGINAL, SMALL
from tests.support.refusals import refusal
from wordpl import Answer, Ask, Clue, Setting, Turn, library, parse_strategy, score_guesses
from wordpl.limits import compute_win_rate

GAMES = json.loads((Path(__file__).parents[1] / "golden" / "published_games.json").read_text("utf-8"))
CONTEST = Setting(ORIGINAL)


@pytest.mark.parametrize("spec", GAMES)
def test_the_moves_are_those_of_the_contests_files(spec):
    """A third guess may be another one that is worth the same: the files take the first in their own order of words."""
    strategy, others = parse_strategy(spec), 0
    epsilons = (9.3, 5.3) if spec.startswith("G3") else (strategy.epsilon,) * 3
    for *turns, proposed in GAMES[spec][::2]:
        history = ()
        for (guess, clue), epsilon in zip(turns, epsilons, strict=True):
            move = strategy.decide(CONTEST, history)
            assert move.epsilon == epsilon
            if move.guess != guess:
                others += 1
                assert len(history) == 2
                assert worth(strategy, history, move.guess) == pytest.approx(worth(strategy, history, guess), abs=1e-12)
            history += (Turn(guess, epsilon, Clue.parse(clue).code),)
        assert strategy.decide(CONTEST, history) == Answer(proposed)
    assert len(GAMES[spec]) == 200 and others <= 5


def worth(strategy, history, guess):
    """The expected top posterior of a third guess of D95, among the answers that it looks at."""
    belief = strategy.likeliest(CONTEST, history)
    at = ORIGINAL.guess_index[guess]
    return float(score_guesses(belief, strategy.epsilon, "expected_top", guesses=[at])[0])


@pytest.mark.parametrize(("epsilon", "table"), [(19.99, "D95_below_20"), (20.0, "D95")])
def test_the_second_guesses_of_d95_change_at_20(epsilon, table):
    strategy = parse_strategy(f"D95({epsilon})")
    second = json.loads((Path(library.__path__[0]) / "policies" / "published.json").read_text("utf-8"))[table]
    assert len(second) == 243
    for clue, guess in second.items():
        assert strategy.decide(CONTEST, (Turn("salet", epsilon, Clue.parse(clue).code),)) == Ask(guess, epsilon)


def test_the_win_rate_of_g3_is_the_published_one():
    assert compute_win_rate("G3(9.3, 5.3)").win_rate == pytest.approx(0.05288, abs=5e-6)
    assert compute_win_rate(f"G3({9.3 * 14.3204 / 14.6!r}, {5.3 * 14.3204 / 14.6!r})").win_rate == pytest.approx(
        0.05, abs=1e-6
    )


@pytest.mark.published
def test_the_win_rate_of_d95_is_the_published_one():
    """All 59,049 histories; other choices among third guesses that are worth the same move the fifth digit."""
    found = compute_win_rate("D95(25)")
    assert found.exact
    assert found.win_rate == pytest.approx(0.94995, abs=2e-5)


@pytest.mark.parametrize("spec", ["G3(inf, 5.3)", "G3(9.3, inf)", "D95(inf)"])
def test_budgets_are_finite(spec):
    assert "inf is not allowed" in refusal(parse_strategy, spec)


@pytest.mark.parametrize("spec", ["G3(9.3, 5.3)", "D95(25)"])
def test_other_words_and_rules_are_refused(spec):
    strategy = parse_strategy(spec)
    assert "the contest's words and rule" in refusal(strategy.check, Setting(SMALL))
    assert "the contest's words and rule" in refusal(strategy.check, Setting(ORIGINAL, "counted"))
