"""NGuess: the tree of greedy entropy, and the answer with the fewest contradictions."""

import math
from collections import Counter

import pytest

from tests.support.helpers import ORIGINAL, SMALL, marks_of
from wordpl import Answer, Ask, Setting, Turn, clue, parse_strategy
from wordpl.library.n_guess import entropy_guess


def entropy_of(guess, left, rule="counted"):
    sizes = Counter(int(clue(guess, answer, rule)) for answer in left).values()
    return -math.fsum(n / len(left) * math.log2(n / len(left)) for n in sizes)


def left_after(path):
    return [a for a in SMALL.answers if all(int(clue(guess, a, "counted")) == code for guess, code in path)]


def paths():
    """No clue, each clue to a fixed opener that some answers fit, and one whose first answer does not part the rest."""
    opener = SMALL.guesses[7]
    found = {((opener, int(clue(opener, answer, "counted"))),) for answer in SMALL.answers}
    return [(), *sorted(found), (("belle", 54),)]


@pytest.mark.parametrize("path", paths(), ids=str)
def test_the_tree_asks_the_largest_entropy_an_answer_that_is_left_on_a_tie(path):
    left = left_after(path)
    guess = entropy_guess(SMALL, "counted", path)
    if len(left) <= 2:
        exact = Setting(SMALL, "counted", noiseless=True)
        move = parse_strategy("NGuess(3, inf)").decide(exact, tuple(Turn(word, math.inf, code) for word, code in path))
        assert guess == left[0] and (move == Answer(guess)) == (len(left) == 1)
        return
    best = max(entropy_of(word, left) for word in SMALL.guesses)
    assert entropy_of(guess, left) == pytest.approx(best, abs=1e-9)
    if any(entropy_of(word, left) >= best - 1e-9 for word in left):
        assert guess in left


def test_no_entry_gives_the_fallback():
    opener = "salet"
    impossible = (Turn(opener, 7.8, 242),)  # salet is no answer
    strategy = parse_strategy("NGuess(n_guesses=2, epsilon=7.8)")
    assert strategy.decide(Setting(ORIGINAL), impossible) == Ask("crust", 7.8)
    assert strategy.decide(Setting(ORIGINAL), ()) == Ask("salet", 7.8)
    other = parse_strategy("NGuess(2, 7.8, fallback='haste')")
    assert other.decide(Setting(ORIGINAL), impossible) == Ask("haste", 7.8)
    contradiction = (Turn(SMALL.guesses[7], 1.0, 0), Turn(SMALL.guesses[7], 1.0, 1))
    assert entropy_guess(SMALL, "counted", tuple((turn.guess, turn.clue) for turn in contradiction)) is None


def test_proposes_the_fewest_contradictions_weighted_by_budget():
    strategy = parse_strategy("NGuess(n_guesses=3, epsilon=(9, 5, 2))")
    for code in range(0, 240, 13):
        history = tuple(Turn(SMALL.guesses[code // 3 + k], (9.0, 5.0, 2.0)[k], code + k) for k in range(3))
        move = strategy.decide(Setting(SMALL), history)
        costs = {
            answer: sum(
                turn.epsilon
                * sum(a != b for a, b in zip(marks_of(turn.clue), marks_of(int(clue(turn.guess, answer))), strict=True))
                for turn in history
            )
            for answer in SMALL.answers
        }
        assert isinstance(move, Answer)
        assert costs[move.word] == min(costs.values())


def test_the_tree_rule_is_an_option():
    guess = next(word for word in SMALL.guesses if len(set(word)) < 4)
    code = next(
        code
        for code in range(243)
        if entropy_guess(SMALL, "counted", ((guess, code),)) != entropy_guess(SMALL, "letterwise", ((guess, code),))
    )
    for rule in ("counted", "letterwise"):
        strategy = parse_strategy(
            f"NGuess(2, 5, first_guess={guess!r}, tree='entropy', tree_rule={rule!r}, fallback={guess!r})"
        )
        expected = entropy_guess(SMALL, rule, ((guess, code),)) or guess
        assert strategy.decide(Setting(SMALL), (Turn(guess, 5.0, code),)) == Ask(expected, 5.0)
