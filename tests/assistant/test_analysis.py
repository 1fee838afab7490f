"""Skill and luck, by brute force over the answers of small lists."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from tests.generators import RULE, clues, epsilons, small_words, words_of
from tests.helpers import ORIGINAL, SMALL
from wordpl.assistant.analysis import analyze, turns_from_answer, turns_from_share
from wordpl.errors import WordplError
from wordpl.model.clues import Clue, clue
from wordpl.model.words import WordList
from wordpl.play.strategy import Turn


def slow_bits(words: list[str], guess: str, rule: str) -> float:
    """Entropy of the exact clue to a guess, the words being equally likely."""
    sizes = oracles.part_sizes(words, rule, [1.0] * len(words), guess)
    return oracles.entropy(n / len(words) for n in sizes.values())


def slow_best(words: WordList, left: list[str], rule: str) -> tuple[str, float]:
    """Most bits, ties to answers that are left, then to the alphabet."""
    bits = {guess: slow_bits(left, guess, rule) for guess in words.guesses}
    best = min(words.guesses, key=lambda guess: (-round(bits[guess], 9), guess not in left, guess))
    return best, bits[best]


@given(small_words(max_length=4), RULE, st.data())
def test_every_figure_of_an_ordinary_game(words: WordList, rule: str, data: st.DataObject) -> None:
    answer = data.draw(st.sampled_from(words.answers))
    guesses = data.draw(st.lists(words_of(words.length) | st.sampled_from(words.guesses), min_size=1, max_size=4))
    found = analyze(words, turns_from_answer(guesses, answer, words, rule), rule)
    left = list(words.answers)
    for guess, turn in zip(guesses, found.turns, strict=True):
        seen = clue(guess, answer, rule)
        after = [word for word in left if clue(guess, word, rule) == seen]
        best, best_bits = slow_best(words, left, rule)
        assert (turn.guess, turn.clue, turn.before, turn.after) == (guess, str(seen), len(left), len(after))
        assert turn.chance == pytest.approx((guess in left) / len(left))
        assert turn.expected == pytest.approx(slow_bits(left, guess, rule), abs=1e-9)
        assert turn.actual == pytest.approx(math.log2(len(left) / len(after)), abs=1e-9)
        assert (turn.best, turn.best_expected) == (best, pytest.approx(best_bits, abs=1e-9))
        assert turn.skill == pytest.approx(turn.expected - best_bits, abs=1e-9)
        assert turn.luck == pytest.approx(turn.actual - turn.expected, abs=1e-9)
        assert turn.skill < 1e-9 or guess not in words.guesses
        left = after
    assert found.solved == (guesses[-1] == answer)
    for figure in ("skill", "luck", "actual", "expected", "best_expected"):
        assert found.total(figure) == pytest.approx(sum(getattr(turn, figure) for turn in found.turns))
    assert found.total("actual") == pytest.approx(math.log2(len(words.answers) / len(left)), abs=1e-9)


@given(small_words(), RULE, st.data())
def test_luck_averages_out_over_the_answers(words: WordList, rule: str, data: st.DataObject) -> None:
    guess = data.draw(words_of(words.length))
    lucks = [
        analyze(words, turns_from_answer([guess], answer, words, rule), rule).turns[0].luck for answer in words.answers
    ]
    assert sum(lucks) == pytest.approx(0.0, abs=1e-9)


@given(small_words(max_length=3), RULE, epsilons(zero=False, infinite=False), st.data())
def test_a_noisy_game_by_exact_bayes(words: WordList, rule: str, epsilon: float, data: st.DataObject) -> None:
    told = data.draw(st.lists(st.tuples(words_of(3), clues(3)), min_size=1, max_size=3))
    turns = tuple(Turn(guess, epsilon, noisy.code) for guess, noisy in told)
    found = analyze(words, turns, rule)
    history: list[tuple[str, float, oracles.Marks]] = []
    before = [1 / len(words.answers)] * len(words.answers)
    for (guess, noisy), turn in zip(told, found.turns, strict=True):
        history.append((guess, epsilon, noisy.marks))
        after = [float(p) for p in oracles.bayes(words.answers, rule, history) or []]
        table = oracles.joint_table(words.answers, rule, before, guess, oracles.randomized_response(epsilon, 3))
        assert turn.expected == pytest.approx(oracles.information_gain(table), abs=1e-8)
        assert turn.actual == pytest.approx(oracles.entropy(before) - oracles.entropy(after), abs=1e-8)
        assert turn.after == pytest.approx(1 / sum(p * p for p in after), rel=1e-8)
        before = after
    assert not found.solved


def test_a_known_game() -> None:
    found = analyze(ORIGINAL, turns_from_answer(["crate", "slink", "solar"], "solar", ORIGINAL))
    assert [(turn.before, turn.after) for turn in found.turns] == [(2315, 61), (61, 1), (1, 1)]
    assert found.turns[0].best == "soare"
    assert found.turns[2].best == "solar"
    assert found.turns[2].chance == 1.0
    assert found.solved


def test_the_record_is_plain_and_complete() -> None:
    turns = (Turn("crate", 13.0, 0), Turn("haste", math.inf, clue("haste", SMALL.answers[0], "counted").code))
    record = analyze(SMALL, turns).record()
    assert [turn["epsilon"] for turn in record["turns"]] == [13.0, None]
    assert record["turns"][0]["clue"] == "....."
    assert record["total"]["guesses"] == 2
    assert record["total"]["luck"] == pytest.approx(sum(turn["luck"] for turn in record["turns"]))


# From what players have


SHARED = """Wordle 1,234 3/6*

⬛🟨🟨⬛⬛
🟩🟨⬜⬜⬜
🟩🟩🟩🟩🟩 what a day!
"""


def test_the_share_text() -> None:
    guesses = ["crate", "slink", "solar"]
    from_text = turns_from_share(guesses, SHARED, ORIGINAL)
    assert from_text == turns_from_answer(guesses, "solar", ORIGINAL)
    contrast = SHARED.translate({ord("🟩"): "🟧", ord("🟨"): "🟦", ord("⬛"): "⬛\ufe0f"})
    assert turns_from_share(guesses, contrast, ORIGINAL) == from_text
    assert {turn.epsilon for turn in turns_from_share(guesses, SHARED, ORIGINAL, 13.0)} == {13.0}


@pytest.mark.parametrize(
    ("guesses", "text", "named"),
    [
        (["crate"], "", "no row of squares"),
        (["crate"], "Wordle 5 X/6", "no row of squares"),
        (["crate", "haste"], SHARED, "3 rows of squares for 2 guesses"),
        (["crate"], "⬛⬛⬛⬛", "4 marks"),
        (["crate"], "⬛⬛⬛⬛⬛⬛⬛⬛⬛", "9 marks"),
    ],
)
def test_a_share_text_that_does_not_fit(guesses: list[str], text: str, named: str) -> None:
    with pytest.raises(WordplError, match=named):
        turns_from_share(guesses, text, ORIGINAL)


@given(st.text(st.sampled_from("⬛🟨🟩⬜\ufe0f\n x"), max_size=60), st.integers(1, 4))
def test_any_share_text_is_read_or_refused(text: str, n: int) -> None:
    with contextlib.suppress(WordplError):
        assert len(turns_from_share(["crate"] * n, text, ORIGINAL)) == n


def test_games_that_cannot_be() -> None:
    one, other = SMALL.answers[:2]
    with pytest.raises(WordplError, match=rf"clue 2 \({other}=ccccc\)"):
        analyze(SMALL, (Turn(one, math.inf, 242), Turn(other, math.inf, Clue.parse("ccccc").code)))
    with pytest.raises(WordplError, match="'zzzzz' is not among the answers of original"):
        turns_from_answer(["crate"], "zzzzz", ORIGINAL)
    with pytest.raises(WordplError, match="no guess"):
        analyze(SMALL, ())
