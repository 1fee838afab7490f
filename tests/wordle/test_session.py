"""The helper's logic and the ranking of guesses, against slow and obvious versions and the scores of the kernels."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support import oracles
from tests.support.games import games, helped, slow_legal
from tests.support.generators import beliefs, epsilons, is_exact, words_of
from tests.support.helpers import ORIGINAL, SMALL, list_of
from tests.support.refusals import refusal
from wordpl import CRITERIA, Clue, Fibble, GameFormat, Posterior, Setting, Turn, channel_family, clue, score_guesses
from wordpl.wordle.ranking import DIGITS, plain_scores, ranking
from wordpl.wordle.rules import hard_mode_fault, legal_guesses


def turn(guess: str, marks: str, epsilon: float = math.inf) -> Turn:
    return Turn(guess, epsilon, Clue.parse(marks).code)


def fitting(words: tuple[str, ...], turns, rule: str) -> list[str]:
    """The words that would give every exact clue."""
    return [
        word
        for word in words
        if all(
            oracles.code_of(oracles.clue_marks(t.guess, word, rule)) == t.clue for t in turns if t.epsilon == math.inf
        )
    ]


def contradicted(word: str, turns, rule: str) -> int:
    """Marks of the exact clues that this answer would not give."""
    return sum(
        oracles.differences(oracles.clue_marks(t.guess, word, rule), Clue(t.clue, len(word)).marks)
        for t in turns
        if t.epsilon == math.inf
    )


@given(games() | games(noisy=True))
def test_what_remains_is_the_exact_posterior(game):
    words, rule, turns = game
    assistant = helped(words, *turns, rule=rule)
    history = [(t.guess, t.epsilon, Clue(t.clue, words.length).marks) for t in turns]
    expected = oracles.bayes(words.answers, rule, history) or []
    left = {word: p for word, p in zip(words.answers, expected or [0] * len(words.answers), strict=True) if p > 0}
    found = assistant.answers()
    assert [p for _, p in found] == pytest.approx(sorted((p for _, p in found), reverse=True), abs=1e-12)
    assert sorted(word for word, _ in found) == [*left] and assistant.remaining == len(left)
    assert assistant.only == (found[0][0] if len(left) == 1 else None)
    assert bool(assistant.contradiction) == (not left)
    assert assistant.effective == pytest.approx(float(1 / sum(p * p for p in expected)) if left else 0.0, rel=1e-9)
    assert not is_exact(turns) or assistant.effective == len(left)
    for word, p in found:
        assert p == pytest.approx(float(left[word]), abs=oracles.slack(history))
    assert assistant.answers(2) == found[:2]
    assert assistant.entropy == pytest.approx(oracles.entropy(map(float, expected)) if left else 0.0, abs=1e-9)
    assert assistant.noisy == any(t.epsilon < math.inf for t in turns)


@given(games())
def test_a_contradiction_is_where_it_is_and_mended_by_what_mends_it(game):
    words, rule, turns = game
    found = helped(words, *turns, rule=rule).contradiction
    left = [len(fitting(words.answers, turns[:k], rule)) for k in range(len(turns) + 1)]
    if left[-1]:
        assert found is None
        return
    without = [len(fitting(words.answers, turns[:k] + turns[k + 1 :], rule)) for k in range(len(turns))]
    assert found is not None and found["clue"] == left.index(0)
    assert found["mends"] == [{"clue": k, "remaining": n} for k, n in enumerate(without, start=1) if n]


@given(games(noisy=True))
def test_the_closest_words_fit_or_have_the_fewest_contradicted_marks(game):
    words, rule, turns = game
    found = helped(words, *turns, rule=rule).closest(3)
    wide = fitting(words.guesses, turns, rule)[:3]
    assert [close.word for close in found[: len(wide)]] == wide
    assert all(close.contradicted_marks == 0 for close in found[: len(wide)])
    rest = found[len(wide) :]
    best = sorted(contradicted(answer, turns, rule) for answer in words.answers)[:3]
    assert [close.contradicted_marks for close in rest] == best
    assert [contradicted(close.word, turns, rule) for close in rest] == best
    assert all(close.answer == (close.word in words.answers) for close in found)
    noisy = [(t.guess, t.epsilon, Clue(t.clue, words.length).marks) for t in turns if t.epsilon < math.inf]
    chances = dict(zip(words.answers, map(float, oracles.bayes(words.answers, rule, noisy) or ()), strict=True))
    likeliest = sorted(words.answers, key=lambda word: (contradicted(word, turns, rule), -chances[word]))[:3]
    assert [chances[close.word] for close in rest] == pytest.approx(
        [chances[word] for word in likeliest], abs=oracles.slack(noisy)
    )


FOUR = list_of("four", ("bat", "cat", "hat", "mat"), ("bch", "xyz"))


def test_a_record_has_what_is_asked_for_and_what_the_game_allows():
    """The mode, unlisted words, the only answer, and chances to win in the last rows."""
    noisy = helped(SMALL, turn("crate", "..icc", 13.0))
    for most, shown in (((), (20, 10)), ((3, 5), (5, 3)), ((1, None), (len(SMALL.answers), 1))):
        record = noisy.record(*most, advise=False)
        assert (len(record["answers"]), len(record["suggestions"]), "advice" in record) == (*shown, False)
    record = helped(FOUR, turn("xyz", "..."), turn("bch", "..i"), turn("hqt", "c.c"), hard="extra").record()
    assert [one["known"] for one in record["clues"]] == [True, True, False]
    assert [record[name] for name in ("hard", "only", "solved", "remaining")] == ["extra", "hat", None, 1]
    won = helped(FOUR, turn("hat", "ccc")).record()
    assert [won[name] for name in ("hard", "only", "solved", "suggestions")] == [False, "hat", "hat", []]
    for rows, told in ((1, 0), (2, 3), (3, 3), (4, 3)):
        helper = helped(SMALL, turn("crate", "....."), format=GameFormat(rows))
        record = helper.record(3)
        assert (helper.rows_left, len(record["suggestions"]), record["solved"]) == (rows - 1, told, None)
        assert len(record["game"]["win_chances"]) == (told if rows < 4 else 0)


def test_there_is_advice_only_where_clues_have_a_price():
    noisy, answer = turn("crate", "..icc", 13.0), SMALL.answers[3]
    assert helped(SMALL, noisy).advice is not None
    at_12 = {"channel": channel_family("randomized_response:12"), "format": GameFormat(6)}
    assert helped(SMALL).advice is helped(SMALL, channel=Fibble).advice is None
    assert helped(SMALL, turn(answer, "ccccc"), noisy).advice is None  # which is solved
    assert helped(SMALL, noisy._replace(epsilon=12.0), **at_12).advice is None


def test_an_exact_all_correct_clue_that_fits_the_others_ends_the_game():
    first, right, last = turn("crate", "....."), turn("solid", "ccccc"), turn("hound", ".....")
    assistant = helped(SMALL, first, right)
    assert "guess 2 (solid) is the answer, so the game ended there; drop the rest" in refusal(assistant.add, last)
    assert assistant.turns == (first, right)
    assert (assistant.undo(1), assistant.turns, assistant.solved, assistant.undo()) == (first, (right,), "solid", right)
    assert len(assistant.answers()) == len(SMALL.answers)
    lie = helped(SMALL, right, last, channel=Fibble, format=GameFormat(9))
    assert len(lie.turns) == len(helped(SMALL, turn("solid", "ccccc", 13.0), last).turns) == 2
    answer = SMALL.answers[3]
    fits = Turn("crate", math.inf, clue("crate", answer, "counted").code)
    assert helped(SMALL, fits, turn(answer, "ccccc")).solved == answer
    assert helped(SMALL, fits, turn(answer, "ccccc")).suggestions() == []
    for others in ((fits, turn(answer, "ccccc", 13.0)), (fits,), (first, turn("trace", "ccccc"))):
        assert helped(SMALL, *others).solved is None
    lacking = helped(SMALL, turn("qqqqq", "ccccc"))  # the list of the host may have it
    assert lacking.solved == "qqqqq" and not {"contradiction", "closest"} & lacking.record().keys()


def playable(turns, rule, hard):
    """The mode, or none if these turns cannot be played in it."""
    legal = all(slow_legal(turn.guess, turns[:at], rule, hard) for at, turn in enumerate(turns))
    return is_exact(turns) and legal and hard


@given(games(noisy=True), st.integers(1, 5), st.sampled_from([False, True, "extra"]))
def test_suggestions_are_guesses_of_the_list_and_legal(game, n, hard):
    words, rule, turns = game
    hard = playable(turns, rule, hard)
    assistant = helped(words, *turns, rule=rule, hard=hard)
    found = [figures.word for figures in assistant.suggestions(n)]
    allowed = [word for word in words.guesses if not hard or slow_legal(word, turns, rule, hard)]
    if assistant.solved or assistant.contradiction:
        assert found == []
    elif assistant.only:
        assert found == [assistant.only]
    else:
        assert len(found) == min(n, len(allowed))
        assert set(found) <= set(allowed)
        possible = dict(assistant.answers())
        every = [figures.word for figures in assistant.suggestions(len(words.guesses))]
        best = assistant.best_answer(assistant.suggestions(n))
        assert best is not None and best.word == next(word for word in every if word in possible and word in allowed)


@pytest.mark.parametrize("criterion", sorted(CRITERIA))
def test_suggestions_are_in_the_order_of_their_scores(criterion):
    told = turn("crate", "..icc", 9.0), turn("solid", "ccccc", 9.0)
    assistant = helped(SMALL, *told, criterion=criterion, epsilon=told[0].epsilon)
    found = assistant.suggestions(12)
    belief = Setting(SMALL, "counted").belief(told)
    known = score_guesses(belief, told[0].epsilon, criterion, guesses=[SMALL.guess_index[one.word] for one in found])
    scores = assistant.scores(found)
    assert scores == pytest.approx(known.tolist())
    assert scores == pytest.approx(sorted(scores, reverse=CRITERIA[criterion].larger_is_better))


@given(games(noisy=True), st.sampled_from([False, True, "extra"]), st.data())
def test_the_parts_of_a_word_are_the_possible_answers(game, hard, data):
    words, rule, turns = game
    hard = playable(turns, rule, hard)
    assistant = helped(words, *turns, rule=rule, hard=hard)
    word = data.draw(words_of(words.length) | st.sampled_from(words.guesses))
    if assistant.contradiction:
        return
    reasons = assistant.why(word.upper())
    p = dict(assistant.answers())
    assert sorted(answer for part in reasons.parts for answer in part.words) == sorted(p)
    for part in reasons.parts:
        assert {str(clue(word, answer, rule)) for answer in part.words} == {part.clue}
        assert part.chance == pytest.approx(sum(p[answer] for answer in part.words))
    assert [part.chance for part in reasons.parts] == sorted((part.chance for part in reasons.parts), reverse=True)
    ties = [(-part.chance, part.clue) for part in reasons.parts]
    assert ties == sorted(ties)
    assert reasons.statistics.parts == len(reasons.parts)
    assert reasons.known == (word in words.guesses)
    assert reasons.legal == slow_legal(word, turns, rule, hard)


@pytest.mark.parametrize("hard", [True, "extra"])
@given(games(), st.data())
def test_hard_mode_allows_what_the_slow_reference_allows(hard, game, data):
    words, rule, turns = game
    tried = (*words.guesses, *data.draw(st.lists(words_of(words.length), max_size=5)))
    expected = [slow_legal(word, turns, rule, hard) for word in tried]
    assert list(legal_guesses(tried, rule, turns, hard)) == expected
    assert [not hard_mode_fault(word, turns, rule, hard) for word in tried] == expected
    assert legal_guesses(tried, rule, turns, False).all()


def test_hard_mode_and_noisy_clues_do_not_go_together():
    for give in (
        lambda: helped(SMALL, epsilon=13.0, hard=True),
        lambda: helped(SMALL, turn("crate", "..c..", 13.0), hard=True),
        lambda: setattr(helped(SMALL, turn("crate", "..c..", 13.0)), "hard", True),
        lambda: helped(SMALL, channel=Fibble, format=GameFormat(9), hard=True),
    ):
        assert "hard mode needs true clues" in refusal(give)
    broken = turn("crane", "c...."), turn("slots", ".....")
    for give in (lambda: helped(SMALL, *broken, hard=True), lambda: setattr(helped(SMALL, *broken), "hard", True)):
        assert "guess 2 (slots) breaks hard mode: letter 1 must be C" in refusal(give)
    for at in (0, -1, 2):
        assert "there is no clue" in refusal(helped(SMALL, turn("crate", ".....")).undo, at)


@given(games(noisy=True), st.data())
def test_undo_is_as_if_the_clue_had_never_come(game, data):
    words, rule, turns = game
    assistant = helped(words, *turns, rule=rule)
    assume(turns)
    number = data.draw(st.none() | st.integers(1, len(turns)))
    at = len(turns) - 1 if number is None else number - 1
    assert assistant.undo(number) == turns[at]
    fresh = helped(words, *turns[:at], *turns[at + 1 :], rule=rule)
    assert assistant.turns == fresh.turns
    assert assistant.contradiction == fresh.contradiction
    assert assistant.answers() == fresh.answers()


@given(beliefs(max_length=4), epsilons(zero=False), st.sampled_from(sorted(CRITERIA)))
def test_ranking_is_by_score_then_chance_then_alphabet(belief, epsilon, criterion):
    found = list(ranking(belief, epsilon, criterion))
    sign = 1 if CRITERIA[criterion].larger_is_better else -1
    # The same order, and at tiny epsilons the entropies have no digits left that differ.
    by = "information_gain" if criterion == "clue_entropy" else criterion
    scores = sign * score_guesses(belief, epsilon, by)
    of_answers = dict(zip(belief.words.answers, belief.probabilities, strict=True))
    chances = [of_answers.get(word, 0.0) for word in belief.words.guesses]
    assert sorted(found) == list(range(len(belief.words.guesses)))
    assert list(ranking(belief, epsilon, criterion, np.arange(1, len(found), 2))) == [at for at in found if at % 2]
    for one, other in itertools.pairwise(found):
        assert scores[one] > scores[other] - 2e-9
        if scores[one] == scores[other]:
            assert (-chances[one], one) < (-chances[other], other)


@pytest.mark.heavy
@pytest.mark.parametrize(("epsilon", "kernels"), [(0.01, True), (9.0, False), (math.inf, True)])
def test_the_first_ten_are_those_of_the_whole_ranking(epsilon, kernels):
    words = list_of("large", (*ORIGINAL.answers[::3], "crate"), ORIGINAL.guesses[::5])
    for belief in (Posterior(words), Posterior(words, "counted").update("crate", epsilon, "..i..")):
        every = ranking(belief, epsilon, kernels=kernels)
        assert ranking(belief, epsilon, count=10, kernels=kernels).tolist() == every[:10].tolist()


def test_scores_that_agree_to_nine_digits_are_ties():
    belief = Posterior("original", "counted").update("crate", math.inf, "..i..").update("lions", math.inf, "i....")
    words, scores = belief.words, score_guesses(belief, math.inf).tolist()
    chances = [belief.probabilities[words.answer_index[w]] if w in words.answer_index else 0 for w in words.guesses]
    order = sorted(range(len(scores)), key=lambda at: (-round(scores[at], 9), -chances[at], at))
    assert DIGITS == 9 and ranking(belief, math.inf).tolist() == order


@pytest.mark.parametrize("hard", [True, "extra"])
def test_hard_mode_ranks_those_it_allows_in_a_large_list_as_they_are_ranked_among_all(hard):
    """More than are scored without a look at their bounds, in a game that the right guess ends."""
    setting = Setting(ORIGINAL, "counted", format=GameFormat(6))
    turns = tuple(Turn(guess, math.inf, clue(guess, "bloke", "counted").code) for guess in ("spiny", "crumb"))
    belief, words = setting.belief(turns), setting.words
    legal = [word for word in words.guesses if slow_legal(word, turns, "counted", hard)]
    helper = helped(words, *turns, format=GameFormat(6), hard=hard)
    every = [words.guesses[at] for at in ranking(belief, math.inf)]
    assert len(legal) > 4 * 20 and every[0] not in legal
    assert [one.word for one in helper.suggestions(20)] == [word for word in every if word in legal][:20]


@pytest.mark.heavy
@given(beliefs(max_length=4), epsilons(zero=False), st.booleans())
@pytest.mark.filterwarnings("ignore:.*clue entropy does not rank")
def test_plain_scores_are_those_of_the_kernels(start, epsilon, right_ends):
    belief = Posterior(start.words, start.rule, prior=start.probabilities, right_ends=right_ends)
    guesses = np.arange(len(belief.words.guesses))[::2]
    for criterion in CRITERIA:
        expected = score_guesses(belief, epsilon, criterion, guesses=guesses)
        assert plain_scores(belief, epsilon, guesses, criterion) == pytest.approx(expected, rel=1e-9, abs=1e-9)
