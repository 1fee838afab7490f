"""The host that changes its answer: consistent, greedy, and no worse than the worst case."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generators import RULE, small_words, words_of
from tests.helpers import ORIGINAL, SMALL, Scripted, list_of
from wordpl.base import clock
from wordpl.base.errors import WordplError
from wordpl.model.clues import clue
from wordpl.model.words import WordList
from wordpl.play.moves import Answer, Ask, InvalidMoveError
from wordpl.play.referee import ForfeitError, Verdict
from wordpl.play.setting import Setting
from wordpl.play.specs import parse_strategy
from wordpl.wordle.adversary import MAX_TURNS, Adversary
from wordpl.wordle.trees.heuristic import HEURISTICS, Heuristic, build_tree
from wordpl.wordle.trees.optimal_trees import optimal_tree
from wordpl.wordle.trees.tree import Tree
from wordpl.wordle.trees.verify import verify

MIDDLE = list_of("middle", ORIGINAL.answers[::12], ORIGINAL.guesses[::60])


@given(small_words(), RULE, st.data())
def test_each_clue_is_that_of_the_largest_part(words: WordList, rule: str, data: st.DataObject) -> None:
    host, left = Adversary(words, rule), list(words.answers)
    for guess in data.draw(st.lists(words_of(words.length) | st.sampled_from(words.guesses), max_size=6)):
        sizes = Counter(clue(guess, word, rule).code for word in left)
        given = host.clue(guess).code
        assert given == min(code for code in sizes if sizes[code] == max(sizes.values()))
        if given == words.n_clues - 1:
            assert left == [guess]  # it wins only when forced
        left = [word for word in left if clue(guess, word, rule).code == given]
        assert host.left == tuple(left)
        assert left


def walk(tree: Tree, host: Adversary) -> int:
    """Guesses that a tree takes against the adversary."""
    path: tuple[tuple[str, int], ...] = ()
    while True:
        guess = tree.next_guess(path)
        assert guess is not None
        code = host.clue(guess).code
        path += ((guess, code),)
        if code == host.words.n_clues - 1:
            assert host.left == (guess,)
            return len(path)


# Hard mode is ordinary Wordle's, so it goes with the counted rule alone.
@pytest.mark.parametrize(("rule", "hard"), [("counted", False), ("counted", True), ("letterwise", False)])
@pytest.mark.parametrize("name", HEURISTICS)
def test_a_tree_wins_within_its_worst_case(name: str, rule: str, hard: bool) -> None:
    for words in (SMALL, MIDDLE):
        tree = build_tree(words, Heuristic(name, hard=hard), rule=rule)
        assert walk(tree, Adversary(words, rule)) <= tree.worst


def test_the_optimal_tree_guarantees_five_guesses_on_the_original_list() -> None:
    """The guarantee is proved by replaying every answer; the host, at its worst, cannot break it."""
    tree = optimal_tree(ORIGINAL, "salet")
    assert verify(tree, ORIGINAL).keys() <= {1, 2, 3, 4, 5}
    player = parse_strategy("FollowTree()").players(Setting(ORIGINAL, "counted", noiseless=True))(1)
    duel = Adversary(ORIGINAL, "counted").play(player)
    assert duel.won
    assert duel.turns <= 5


TWO = list_of("two", ("crate", "haste"), ("nymph",))


def test_a_proposal_is_right_only_when_nothing_else_is_left() -> None:
    def duel(player: Scripted) -> tuple[bool, str, int]:
        game = Adversary(TWO).play(player)
        return game.won, game.answer, game.turns

    assert duel(Scripted(Answer("crate"))) == (False, "haste", 1)
    assert duel(Scripted(Ask("crate", math.inf), Answer("haste"))) == (True, "haste", 2)
    assert duel(Scripted(Ask("nymph", 1.0), Answer("haste"))) == (False, "crate", 2)
    asked = Scripted(Ask("crate", 1.0), Ask("haste", 1.0), Answer("haste"))
    assert duel(asked) == (True, "haste", 2)
    assert asked.told == [("crate", math.inf, "..icc"), ("haste", math.inf, "ccccc")]


def test_moves_against_the_rules_are_refused() -> None:
    with pytest.raises(InvalidMoveError, match="not in the list of guesses"):
        Adversary(TWO).play(Scripted(Ask("zzzzz", 1.0)))
    with pytest.raises(InvalidMoveError, match=f"asked more than {MAX_TURNS} times"):
        Adversary(TWO).play(Scripted(*[Ask("nymph", 1.0)] * (MAX_TURNS + 1)))
    with pytest.raises(WordplError, match="letters"):
        Adversary(TWO).clue("cat")
    with pytest.raises(WordplError, match="'counted'"):
        Adversary(TWO, "count")


class Thinking(Scripted):
    """Thinks for 4 seconds of CPU time before each move, by the clock that the referee reads."""

    def first_move(self) -> object:
        clock.charge(4.0)
        return super().first_move()

    def next_move(self, guess: str, epsilon: float, clues: str) -> object:
        clock.charge(4.0)
        return super().next_move(guess, epsilon, clues)


def test_the_referees_clock_is_there_for_the_asking() -> None:
    moves = (Ask("crate", 1.0), Answer("haste"))
    assert Adversary(TWO).play(Thinking(*moves)).won
    assert Adversary(TWO).play(Thinking(*moves), game_seconds=8.5).won
    with pytest.raises(WordplError, match="thought for more than 7 s of CPU time"):
        Adversary(TWO).play(Thinking(*moves), game_seconds=7.0)


class Failing(Scripted):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def first_move(self) -> object:
        raise self.error


@pytest.mark.parametrize("kind", [KeyError, InvalidMoveError, ZeroDivisionError])
def test_what_the_player_raises_goes_through(kind: type[Exception]) -> None:
    with pytest.raises(kind, match="mine"):
        Adversary(TWO).play(Failing(kind("mine")))


def test_a_player_that_forfeits_is_told_as_an_error_of_one_line() -> None:
    with pytest.raises(WordplError, match="gone away"):
        Adversary(TWO).play(Failing(ForfeitError(Verdict.CRASH, "gone\naway")))
