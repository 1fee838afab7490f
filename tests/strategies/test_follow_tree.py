"""FollowTree plays its tree turn by turn."""

import math
from pathlib import Path

import pytest

import wordpl
from tests.support.helpers import SIX, SMALL
from wordpl import Setting, Turn, WordList, WordplError, evaluate
from wordpl.library.follow_tree import FollowTree
from wordpl.wordle import Heuristic, Tree, optimal_tree


def depths(tree: Tree) -> dict[str, int]:
    return {path[-1][0]: len(path) for path in tree.paths()}


def saved(tmp_path: Path, words: WordList, rule: str = "counted", name: str = "minimax") -> tuple[str, Tree]:
    tree = wordpl.wordle.build_tree(words, Heuristic(name), rule=rule)
    tree.save(tmp_path / f"{name}.tree")
    return str(tmp_path / f"{name}.tree"), tree


@pytest.mark.parametrize("rule", ["counted", "letterwise"])
@pytest.mark.parametrize("words", [SMALL, SIX], ids=lambda words: words.name)
def test_turns_are_the_depths_of_the_tree(words, rule, tmp_path):
    file, tree = saved(tmp_path, words, rule)
    strategy, depth = FollowTree(file), depths(tree)
    setting = Setting(words, rule, noiseless=True)
    referee, maker = wordpl.Referee(setting, seed=3), strategy.players(setting)
    turns = {}
    for trial in range(600):
        game = referee.play(trial, maker(trial))
        assert game.won and game.turns == depth[game.answer]
        assert all(turn.epsilon == math.inf for turn in game.history)
        turns[game.answer] = game.turns
    assert turns == depth  # every answer was met
    counted = {turn: list(turns.values()).count(turn) for turn in sorted(set(turns.values()))}
    assert counted == tree.distribution
    for format in ("contest", "wordle:20"):
        every = evaluate(strategy, words=words, rule=rule, format=format, every_answer=True)
        assert list(every.frame.answer) == list(words.answers) and every.turns == tree.distribution


def test_a_clue_of_present_letters_alone_is_no_win():
    words = WordList("anagrams", ("abc", "bca", "cab"), ("abc", "bca", "cab"))
    belief, history = wordpl.Posterior(words, "counted"), (Turn("abc", math.inf, 13),)
    assert wordpl.clue("abc", "bca", "counted").show() == "iii"
    assert belief.update("abc", math.inf, "iii").possible.tolist() == [1, 2]
    move = FollowTree(first_guess="abc").decide(Setting(words, "counted", noiseless=True), history)
    assert isinstance(move, wordpl.Ask) and move.guess in ("bca", "cab")


def test_the_optimal_tree_unless_told():
    for strategy, first in ((FollowTree(), None), (FollowTree(first_guess="salet"), None)):
        tree = optimal_tree(SMALL, first, "counted")
        evaluation = evaluate(strategy, 200, words=SMALL, rule="counted", jobs=1)
        assert evaluation.win_rate == 1.0
        assert set(evaluation.results["turns"].tolist()) <= set(tree.distribution)
    word = SMALL.guesses[3]
    move = FollowTree(first_guess=word).decide(Setting(SMALL, "counted", noiseless=True), ())
    assert move.guess == word


def test_another_tree_in_the_file_is_another_strategy(tmp_path):
    file, tree = saved(tmp_path, SMALL)
    identity = FollowTree(file).identity
    optimal_tree(SMALL, SMALL.guesses[3]).save(file)
    assert FollowTree(file).identity != identity
    tree.save(file)
    assert FollowTree(file).identity == identity


def test_what_it_cannot_play_is_refused(tmp_path):
    file, tree = saved(tmp_path, SMALL)
    fewer = WordList("fewer", SMALL.answers[1:], SMALL.guesses)
    for strategy, words, rule, said in (
        (file, SMALL, "letterwise", "made under rule counted; the game has letterwise"),
        (file, fewer, "counted", "is for another list"),
        (str(tmp_path / "missing"), SMALL, "counted", r"cannot read tree .*missing"),
    ):
        with pytest.raises(WordplError, match=said):
            evaluate(FollowTree(strategy), 5, words=words, rule=rule, jobs=1)
    FollowTree(file, epsilon=9.0).check(Setting(SMALL))  # noisy clues it believes under any rule
    unseen = next(code for code in range(242) if code not in tree.root.children)
    with pytest.raises(WordplError, match="no answer fits"):
        FollowTree(file).decide(Setting(SMALL, "counted", noiseless=True), (Turn(tree.root.guess, math.inf, unseen),))
