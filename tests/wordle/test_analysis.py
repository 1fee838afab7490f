"""Skill and luck, by brute force over the answers of small lists."""

import itertools
import math
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import oracles
from tests.support.games import helped, slow_legal
from tests.support.generators import RULE, clues, epsilons, small_words, words_of
from tests.support.helpers import ORIGINAL, SMALL, TINY, list_of
from tests.support.refusals import refusal
from wordpl import Clue, GameFormat, History, Setting, Turn, WordList, WordplError, best_guess, clue, score_guesses
from wordpl.wordle import Assistant, analyze, read_finished
from wordpl.wordle.steps import Steps


def slow_bits(words: list[str], guess: str, rule: str) -> float:
    """Entropy of the exact clue to a guess, the words being equally likely."""
    sizes = oracles.part_sizes(words, rule, [1.0] * len(words), guess)
    return oracles.entropy(n / len(words) for n in sizes.values())


def slow_best(words: WordList, left: list[str], rule: str, turns=(), hard: bool | str = False) -> tuple[str, float]:
    """Most bits, ties to answers that are left, then to the alphabet."""
    allowed = [guess for guess in words.guesses if not hard or slow_legal(guess, turns, rule, hard)]
    bits = {guess: slow_bits(left, guess, rule) for guess in allowed}
    best = min(allowed, key=lambda guess: (-round(bits[guess], 9), guess not in left, guess))
    return best, bits[best]


def slow_mean(figures: list[int | None]) -> int | None:
    """The mean of those there are, halves rounded up."""
    some = [figure for figure in figures if figure is not None]
    return math.floor(Fraction(sum(some), len(some)) + Fraction(1, 2)) if some else None


def turns_of(guesses: Sequence[str], answer: str, words: WordList, rule: str = "counted") -> History:
    """The turns of an ordinary game of any words."""
    return read_finished([f"{guess}!" for guess in guesses], words, rule, answer=f"{answer}!").turns


def test_in_hard_mode_what_is_left_takes_longer_with_fewer_guesses_allowed():
    """FIGHT and FIZZY leave the same answers. After FIGHT all guesses end in IGHT; after FIZZY, LIMNS tells most."""
    words = list_of("ight", tuple(f"{letter}ight" for letter in "eflmnrst"), ("fizzy", "limns"))
    steps, every = Steps(words, "counted", True), (np.arange(8), np.arange(10))
    assert steps.expected("fight", *every) == sum(range(1, 9)) / 8
    assert steps.expected("fizzy", *every) == (2 + 4 * 3 + 3 + 4 + 5) / 8


def test_with_two_rows_left_the_guess_with_most_parts_is_advised():
    """As it is the likeliest to be right, or to lead to a right one; with more rows it is that of most information."""
    parts = {guess: len({clue(guess, word, "counted") for word in SMALL.answers}) for guess in SMALL.guesses}
    most = min(SMALL.guesses, key=lambda guess: (-parts[guess], guess not in SMALL.answers, guess))
    steps, every = Steps(SMALL, "counted", False), (np.arange(len(SMALL.answers)), np.arange(len(SMALL.guesses)))
    told = [steps.best(*every, rows) for rows in (3, 2, 1)]
    assert told == [slow_best(SMALL, list(SMALL.answers), "counted")[0], most, SMALL.answers[0]] and told[0] != most


def test_the_best_guess_of_the_last_row_is_the_likeliest_answer_and_a_proposal_ends_the_game():
    """AAHED leaves six answers, and SCREW tells more than each of them."""
    setting, last = Setting(SMALL, "counted", format=GameFormat(2)), SMALL.answers[-1]
    turns = turns_of(["aahed", SMALL.answers[1]], last, SMALL)
    belief = setting.belief(turns[:1])
    assert analyze(setting, turns).turns[1].best == belief.top[0] != best_guess(belief, math.inf, "information_gain")
    assert [analyze(setting, turns, answer=last, proposed=word).solved for word in (None, last)] == [False, True]


def slow_left(left: list[str], guess: str, answer: str, rule: str) -> int:
    """How many answers a clue leaves; none if the guess was right."""
    seen = oracles.clue_marks(guess, answer, rule)
    return 0 if guess == answer else sum(oracles.clue_marks(guess, word, rule) == seen for word in left)


def slow_luck(left: list[str], guess: str, answer: str, rule: str) -> int | None:
    """The place of what a clue left among what it would have left with each other answer."""
    mine = slow_left(left, guess, answer, rule)
    others = [slow_left(left, guess, word, rule) for word in left]
    if len({oracles.clue_marks(guess, word, rule) for word in left}) == 1:
        return None
    share = (sum(other > mine for other in others) + Fraction(sum(other == mine for other in others), 2)) / len(left)
    return math.floor(99 * share + Fraction(1, 2))


def slow_game(
    words: WordList, left: list[str], guess: str, answer: str, rule: str, turns=(), hard: bool | str = False
) -> list[str]:
    """The guesses of a game that begins with a guess and goes on with the best."""
    game = [guess]
    while game[-1] != answer:
        seen = clue(game[-1], answer, rule)
        left = [word for word in left if clue(game[-1], word, rule) == seen]
        turns = (*turns, Turn(game[-1], math.inf, seen.code))
        game.append(slow_best(words, left, rule, turns, hard)[0])
    return game


@st.composite
def played(draw, hard: bool | str):
    """A small list, a rule, an answer, and a few guesses, legal ones if `hard`."""
    words, rule = draw(small_words(max_length=4)), draw(RULE)
    answer, turns = draw(st.sampled_from(words.answers)), ()
    for word in draw(st.lists(words_of(words.length) | st.sampled_from(words.guesses), min_size=1, max_size=3)):
        if turns and turns[-1].guess == answer:
            break
        if not hard or slow_legal(word, turns, rule, hard):
            turns += (Turn(word, math.inf, clue(word, answer, rule).code),)
    return words, rule, answer, turns or (Turn(answer, math.inf, words.n_clues - 1),)


@given(st.sampled_from([False, True, "extra"]), st.data())
def test_every_figure_of_an_ordinary_game(hard, data):
    """Skill is that of playing every game to its end."""
    words, rule, answer, turns = data.draw(played(hard))
    found = analyze(Setting(words, rule), turns, hard=hard, answer=answer)
    assert (found.words, found.rule, found.hard, found.unlisted) == (words.name, rule, hard, None)
    assert found.solved == (turns[-1].guess == answer) == analyze(Setting(words, rule), turns, hard=hard).solved
    assert found.skill == slow_mean([turn.skill for turn in found.turns])
    assert found.luck == slow_mean([turn.luck for turn in found.turns])
    for figure in ("skill_bits", "luck_bits", "actual_bits", "expected_bits", "best_bits"):
        assert found.total[figure] == pytest.approx(sum(getattr(turn, figure) for turn in found.turns))
    left = list(words.answers)
    for at, (told, turn) in enumerate(zip(turns, found.turns, strict=True)):
        guess, after = told.guess, [word for word in left if clue(told.guess, word, rule).code == told.clue]
        best, best_bits = slow_best(words, left, rule, turns[:at], hard)
        assert (turn.guess, turn.clue, turn.best) == (guess, str(Clue(told.clue, words.length)), best)
        assert (turn.remaining_before, turn.remaining_after) == (len(left), len(after))
        assert turn.chance == pytest.approx((guess in left) / len(left))
        bits = slow_bits(left, guess, rule), math.log2(len(left) / len(after)), best_bits
        assert (turn.expected_bits, turn.actual_bits, turn.best_bits) == pytest.approx(bits, abs=1e-9)
        assert turn.skill_bits == pytest.approx(turn.expected_bits - best_bits, abs=1e-9)
        assert turn.luck_bits == pytest.approx(turn.actual_bits - turn.expected_bits, abs=1e-9)
        assert turn.skill_bits < 1e-9 or guess not in words.guesses
        assert turn.luck == slow_luck(left, guess, answer, rule)
        if at:
            games = (
                [slow_game(words, left, word, one, rule, turns[:at], hard) for one in left] for word in (guess, best)
            )
            mine, its = (Fraction(sum(map(len, each)), len(left)) for each in games)
            assert (turn.steps, turn.best_steps) == pytest.approx((float(mine), float(its)))
            assert turn.skill == min(max(math.floor(99 * (1 - mine + its) + Fraction(1, 2)), 0), 99)
        else:
            assert (turn.skill, turn.steps) == (None, None)
        left, best = after, slow_best(words, after, rule, turns[: at + 1], hard)[0]
        line = [] if guess == answer else slow_game(words, left, best, answer, rule, turns[: at + 1], hard)
        assert list(turn.line) == line
    first, _ = slow_best(words, list(words.answers), rule)
    assert list(found.line) == slow_game(words, list(words.answers), first, answer, rule, (), hard)
    assert found.total["actual_bits"] == pytest.approx(math.log2(len(words.answers) / len(left)), abs=1e-9)


@given(small_words(max_length=4), RULE, st.integers(1, 5), st.data())
def test_the_line_is_the_best_guess_of_each_row_and_ends_with_the_last(words, rule, rows, data):
    answer = data.draw(st.sampled_from(words.answers))
    guesses = data.draw(st.lists(st.sampled_from(words.guesses), min_size=1, max_size=rows))
    if answer in guesses:
        guesses = guesses[: guesses.index(answer) + 1]
    turns = turns_of(guesses, answer, words, rule)
    found = analyze(Setting(words, rule, format=GameFormat(rows)), turns, answer=answer)
    assert found.turns[0].luck == slow_luck(list(words.answers), guesses[0], answer, rule)
    for at, (turn, after) in enumerate(itertools.pairwise(found.turns), start=1):
        assert turn.line[0] == after.best
        assert len(turn.line) <= rows - at and answer not in turn.line[:-1]
        best = Assistant(Setting(words, rule, format=GameFormat(rows)))
        best.take(turns[:at])
        assert after.best == best.suggestions(1)[0].word
        left = [word for word in words.answers if all(clue(t.guess, word, rule).code == t.clue for t in turns[:at])]
        if rows - at == 1:
            assert after.skill == (99 if after.chance else 0)
            assert (after.steps, after.best_steps) == (1.0, 1.0)
        elif rows - at == 2:  # each clue leaves one answer that can be tried
            wins = {word: len({clue(word, one, rule) for one in left}) for word in (after.guess, *words.guesses)}
            mine, its = (Fraction(2) - Fraction(word in left, len(left)) for word in (after.guess, after.best))
            assert (after.steps, after.best_steps) == (pytest.approx(float(mine)), pytest.approx(float(its)))
            share = Fraction(wins[after.guess], max(wins[word] for word in words.guesses))
            lost = 1 - share + max(mine - its, Fraction(0))
            assert after.skill == min(max(math.floor(99 * (1 - lost) + Fraction(1, 2)), 0), 99)


def test_where_the_answer_is_not_known_the_line_is_the_next_guess():
    words = list_of("four", ("bat", "cat", "hat", "mat"), ("bch", "xyz"))
    turns = (Turn("xyz", math.inf, 0),)
    found = analyze(Setting(words, "counted"), turns)
    assert (found.line, found.turns[0].line) == (["bch"], ["bch"])
    assert analyze(Setting(words, "counted"), turns, answer="MAT").line == ["bch", "mat"]
    assert analyze(Setting(words, "counted"), (Turn("bch", math.inf, 18),)).line == ["bch", "bat"]  # the only one left
    last_two = Setting(words, "counted", format=GameFormat(3))  # BAT tells its own from three, BCH each from each
    bat = analyze(last_two, (*turns, Turn("bat", math.inf, 8))).turns[1]
    assert (bat.best, bat.steps, bat.best_steps, bat.skill) == ("bch", 1.75, 2.0, 50)
    with pytest.raises(WordplError, match="'bat' does not fit"):
        analyze(Setting(words, "counted"), (Turn("bat", math.inf, 8),), answer="bat")
    assert "no guess" in refusal(analyze, Setting(words, "counted"), ())
    wrong = (Turn("xyz", math.inf, 0), Turn("bch", math.inf, 0), Turn("bat", math.inf, 26))
    said = "no answer of four fits clue 3 (bat=ccc) and the clues before it; check guesses and clues, the word list"
    assert said in refusal(analyze, Setting(words, "counted"), wrong)
    unlisted = analyze(Setting(words, "counted"), (Turn("bch", math.inf, 0),), answer="rat")
    assert analyze(Setting(words, "counted"), (Turn("rat", math.inf, 26),)).unlisted == "rat"
    assert (unlisted.unlisted, unlisted.turns[0].left, unlisted.solved) == ("rat", ["mat", "rat"], False)


@given(small_words(max_length=3), RULE, st.integers(2, 8), st.data())
def test_a_noisy_guess_is_lucky_if_more_would_have_been_left(words, rule, epsilon, data):
    guess, noisy = data.draw(words_of(3)), data.draw(clues(3))
    found = analyze(Setting(words, rule), (Turn(guess, float(epsilon), noisy.code),)).turns[0]
    n = len(words.answers)
    table = oracles.joint_table(words.answers, rule, [1 / n] * n, guess, oracles.randomized_response(epsilon, 3))
    outcomes = [(total, sum((p / total) ** 2 for p in row)) for row in table if (total := sum(row)) > 0]
    mine = sum((p / sum(table[noisy.code])) ** 2 for p in table[noisy.code])
    ranks = [total * (0.5 if abs(square - mine) < 1e-7 else square < mine) for total, square in outcomes]
    assert found.luck == pytest.approx(99 * float(sum(ranks)), abs=0.51)


def test_under_noise_skill_is_the_share_of_the_best_information():
    turns = (Turn("crate", 9.0, 0), Turn("haste", 9.0, 5))
    found = analyze(Setting(SMALL), turns, proposed=SMALL.answers[0])
    chance = dict(helped(SMALL, *turns, rule="letterwise").answers())[SMALL.answers[0]]
    assert found.proposed_chance == pytest.approx(chance, rel=1e-6) and chance > 1e-6
    assert found.turns[0].skill is None
    assert found.turns[1].skill == round(99 * found.turns[1].expected_bits / found.turns[1].best_bits)
    assert found.turns[1].steps is None
    two_left = Setting(SMALL, channel="randomized_response:9", format=GameFormat(3))
    for setting, criterion in ((Setting(SMALL), "information_gain"), (two_left, "expected_top")):
        scores = score_guesses(setting.belief(turns[:1]), 9.0, criterion)
        best = analyze(setting, turns).turns[1].best
        assert scores[SMALL.guess_index[best]] == pytest.approx(scores.max(), rel=1e-9)
    assert len(found.line) == len(found.turns[1].line) == 1
    for last in (6.0, 13.0, 20.0):  # the next guess is the best at the budget of the last
        told, at = (*turns, Turn("crate", last, 50)), {"rule": "letterwise", "epsilon": last}
        assert analyze(Setting(SMALL), told).turns[2].line == [helped(SMALL, *told, **at).suggestions(1)[0].word]
    likeliest = list(helped(SMALL, Turn("crate", 9.0, 0), rule="letterwise").answers())
    assert (found.turns[0].left, found.turns[0].leader) == ([word for word, _ in likeliest[:10]], likeliest[0][0])


def test_what_is_shown_of_an_analysis():
    answer = SMALL.answers[3]
    found = analyze(Setting(SMALL, "counted"), turns_of(["crate", "slink"], answer, SMALL), answer=answer)
    told = f"skill {found.skill}, luck {found.luck}"
    assert repr(found) == f"<Analysis of 2 guesses, not solved: {told}>"
    rows = re.findall("<tr>(<td.*?)</tr>", found._repr_html_())
    for turn, row in zip(found.turns, rows, strict=True):
        figures = (f"{turn.remaining_after:g}", turn.best, turn.skill, turn.luck)
        assert re.findall("<td[^>]*>(.*?)</td>", row)[1:] == ["" if one is None else str(one) for one in figures]


@given(small_words(max_length=3), RULE, epsilons(zero=False, infinite=False), st.data())
def test_a_noisy_game_by_exact_bayes(words, rule, epsilon, data):
    told = data.draw(st.lists(st.tuples(words_of(3), clues(3)), min_size=1, max_size=3))
    turns = tuple(Turn(guess, epsilon, noisy.code) for guess, noisy in told)
    found = analyze(Setting(words, rule), turns)
    history: list[tuple[str, float, oracles.Marks]] = []
    before = [1 / len(words.answers)] * len(words.answers)
    for (guess, noisy), turn in zip(told, found.turns, strict=True):
        history.append((guess, epsilon, noisy.marks))
        after = [float(p) for p in oracles.bayes(words.answers, rule, history) or []]
        table = oracles.joint_table(words.answers, rule, before, guess, oracles.randomized_response(epsilon, 3))
        assert turn.expected_bits == pytest.approx(oracles.information_gain(table), abs=1e-8)
        chances = dict(zip(words.answers, before, strict=True))
        assert (turn.chance, turn.epsilon) == (pytest.approx(chances.get(guess, 0.0), abs=1e-8), epsilon)
        assert turn.remaining_before == pytest.approx(1 / sum(p * p for p in before), rel=1e-8)
        assert turn.actual_bits == pytest.approx(oracles.entropy(before) - oracles.entropy(after), abs=1e-8)
        assert turn.remaining_after == pytest.approx(1 / sum(p * p for p in after), rel=1e-8)
        before = after
    assert not found.solved


def test_an_ask_is_wasted_once_an_answer_is_certain():
    other, answer = SMALL.answers[:2]
    turns = (Turn(answer, 60.0, SMALL.n_clues - 1),) * 2
    found = analyze(Setting(SMALL), turns, answer=answer, proposed=other)
    assert [(turn.wasted, turn.leader) for turn in found.turns] == [(False, answer), (True, answer)]
    assert (found.turns[1].skill, found.skill) == (0, 0)
    chances = dict(helped(SMALL, *turns, rule="letterwise").answers())
    assert found.turns[1].leader_chance == pytest.approx(chances[answer])
    assert found.proposed_chance == pytest.approx(chances[other])
    assert found.solved is False
    assert analyze(Setting(SMALL), turns, answer=answer, proposed=answer).solved
    assert analyze(Setting(SMALL), turns, proposed=answer).solved is None
    assert analyze(Setting(SMALL), turns, answer=answer).solved is None
    # Where the right guess has to be made, it is no waste.
    exact = turns_of([other, answer], answer, SMALL)
    assert not any(turn.wasted for turn in analyze(Setting(SMALL, "counted"), exact).turns)
    setting, before = Setting(TINY), []
    for epsilon in range(6, 40):
        turns = (Turn(TINY.answers[0], float(epsilon), 242),) * 2
        before.append(setting.belief(turns[:1]).probabilities.max())
        assert analyze(setting, turns).turns[1].wasted == (before[-1] >= 0.99)
    assert any(0.9 < chance < 0.99 for chance in before) and before[-1] > 0.99


@pytest.mark.parametrize("epsilon", [0.0, 1e-9])
def test_where_no_guess_tells_anything_none_is_worse(epsilon):
    turns = (Turn("crate", 13.0, 17), Turn("slate", epsilon, 100), Turn("haste", 13.0, 242))
    found = analyze(Setting(ORIGINAL), turns).turns[1]
    assert (found.skill, found.skill_bits) == (99, pytest.approx(0.0, abs=1e-12))
